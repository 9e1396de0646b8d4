"""Numbers as JSON, and files that are written whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

from symroof.errors import OutputError
from symroof.output import comma_list, folder, number, number_or_label, to_json, write_whole
from symroof.units import quantity


class TestNumber:
    def test_rational(self) -> None:
        value = quantity(Fraction(2147483648, 76171875), "ms")
        assert number(value) == {
            "exact": "2147483648/76171875",
            "value": 28.192605840410256,
            "unit": "ms",
            "text": "28.19 ms",
        }
        assert number(value, 7)["text"] == "28.19261 ms"
        assert number(value, decimals=1)["text"] == "28.2 ms"

    def test_a_plain_number_has_the_unit_1(self) -> None:
        assert number(quantity(512)) == {"exact": "512", "value": 512.0, "unit": "1", "text": "512"}

    def test_irrational(self) -> None:
        assert number(quantity(sympy.sqrt(2), "s")) == {
            "exact": None,
            "value": 1.4142135623730951,
            "unit": "s",
            "text": "1.414 s",
            "expression": "sqrt(2)",
        }

    def test_beyond_doubles(self) -> None:
        found = number(quantity(10**400))
        assert found == {"exact": "1" + 400 * "0", "value": None, "unit": "1", "text": "1e400"}
        assert json.loads(to_json(found)) == found

    def test_label(self) -> None:
        assert number_or_label("compute-bound") == {"label": "compute-bound"}
        assert number_or_label(quantity(1, "GB"), 4)["text"] == "1 GB"


def test_json_keeps_every_script() -> None:
    assert to_json({"title": "µ矩阵"}) == '{\n  "title": "µ矩阵"\n}'


def test_comma_list() -> None:
    assert comma_list(["a, b", "c,,", " "]) == ["a", "b", "c"]
    assert comma_list([]) == []


class TestFolder:
    def test_is_made_with_its_parents(self, tmp_path: Path) -> None:
        assert folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
        assert (tmp_path / "a" / "b").is_dir()
        assert folder(tmp_path) == tmp_path

    def test_a_file_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("kept")
        with pytest.raises(OutputError, match="a is a file, not a folder"):
            folder(tmp_path / "a")
        with pytest.raises(OutputError, match=r"b cannot be made: Not a directory"):
            folder(tmp_path / "a" / "b")
        assert (tmp_path / "a").read_text() == "kept"

    def test_one_that_may_not_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "access", lambda *_: False)
        with pytest.raises(OutputError, match="cannot be written to"):
            folder(tmp_path)


class TestWriteWhole:
    def test_text_and_bytes(self, tmp_path: Path) -> None:
        write_whole(tmp_path / "a", "µ\n")
        write_whole(tmp_path / "b", b"\xff")
        assert (tmp_path / "a").read_bytes() == b"\xc2\xb5\n"
        assert (tmp_path / "b").read_bytes() == b"\xff"

    def test_replaces_and_leaves_nothing_beside(self, tmp_path: Path) -> None:
        write_whole(tmp_path / "a", "one")
        write_whole(tmp_path / "a", "two")
        assert (tmp_path / "a").read_text() == "two"
        assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208

    def test_permissions_are_those_of_any_new_file(self, tmp_path: Path) -> None:
        (tmp_path / "plain").touch()
        write_whole(tmp_path / "a", "x")
        modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "a")}
        assert len(modes) == 1

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="is a folder"):
            write_whole(tmp_path, "x")

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="cannot be written: No such file or directory"):
            write_whole(tmp_path / "no" / "a", "x")

    def test_a_failure_keeps_the_old_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        (tmp_path / "a").write_text("old")
        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(OutputError, match="a cannot be written: No space left on device"):
            write_whole(tmp_path / "a", "new")
        assert (tmp_path / "a").read_text() == "old"
        assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208
