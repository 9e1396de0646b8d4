"""Loading derivations: those that are shipped, a user's own files, and files that are none."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symroof import Derivation, load
from symroof.as_written import source_line
from symroof.errors import AuthoringError, LoadError, SymroofError, UnknownNameError
from symroof.library import find, is_file, shipped

GOOD = '''"""How large?"""
from symroof import Derivation

mine = Derivation("mine")
mine.given("x", unit="byte", default=3)


@mine.step(unit="byte")
def y(x):
    """Twice as large."""
    return 2 * x
'''


def loaded(folder: Path, source: str | bytes, name: str = "mine.py") -> Derivation:
    path = folder / name
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return load(str(path))


# -- what is shipped


def test_what_is_shipped() -> None:
    assert "gemm" in shipped()
    assert shipped() == sorted(shipped())
    folder = Path(find("gemm").steps["F"].function.__code__.co_filename).parent
    assert shipped() == sorted(path.stem for path in folder.glob("*.py"))


def test_each_load_is_a_derivation_of_its_own() -> None:
    one, other = load("gemm"), load("gemm")
    assert one is not other
    one.given("extra")
    assert "extra" not in other.items
    assert one.question.startswith("One product C[m,n] = A[m,k] B[k,n] runs on one accelerator.")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("gemm", False), ("gemm.py", True), ("./gemm", True), ("a/b", True), (r"a\b", True), ("gemm.txt", False)],
)
def test_what_counts_as_a_file(name: str, expected: bool) -> None:
    assert is_file(name) == expected


def test_a_name_that_is_not_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown derivation 'gem'\ndid you mean gemm"):
        load("gem")
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text(GOOD, encoding="utf-8")
    with pytest.raises(UnknownNameError) as caught:
        load("mine.txt")
    assert str(caught.value) == (
        "unknown derivation 'mine.txt'\nto load a file, give a path that ends in .py (mine.txt does not)"
    )


# -- a user's own file


def test_a_file_of_one_s_own(tmp_path: Path) -> None:
    mine = loaded(tmp_path, GOOD)
    assert (mine.name, mine.question) == ("mine", "How large?")
    assert mine.at().number("y") == 6
    assert source_line(mine.steps["y"]) == "2*x"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_two_files_of_one_name_do_not_meet(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    first = loaded(one, GOOD)
    second = loaded(other, GOOD.replace("2 * x", "5 * x").replace("default=3", "default=7"))
    assert [first.at().number("y"), second.at().number("y")] == [6, 35]
    assert [source_line(found.steps["y"]) for found in (first, second)] == ["2*x", "5*x"]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    first = loaded(tmp_path, GOOD)
    assert source_line(first.steps["y"]) == "2*x"
    second = loaded(tmp_path, GOOD.replace("2 * x", "5 * x"))  # of the same length, within the same second
    assert source_line(second.steps["y"]) == "5*x"
    assert second.at().number("y") == 15


def test_a_formula_is_what_was_loaded_wherever_the_file_and_the_process_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    mine = load("mine.py")
    Path("mine.py").unlink()
    monkeypatch.chdir("/")
    linecache.checkcache()
    assert source_line(mine.steps["y"]) == "2*x"


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["utf-8", "with a byte order mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_texts_from_other_editors(tmp_path: Path, start: bytes, end: bytes) -> None:
    source = GOOD.replace("How large?", "How large is ε?\f\u2028And why?").encode()
    mine = loaded(tmp_path, start + source.replace(b"\n", end))
    assert mine.question.startswith("How large is ε?")
    assert source_line(mine.steps["y"]) == "2*x"


def test_a_derivation_may_build_on_others(tmp_path: Path) -> None:
    source = """
from symroof import Derivation, load
base = load("gemm")
other = load("gemm")
mine = Derivation("mine")
mine.include(base)
again = mine

@mine.step(unit="FLOP")
def F_2(F):
    return 2 * F
"""
    mine = loaded(tmp_path, source)
    assert mine.name == "mine"
    assert mine.at(m=1).number("F_2") == 2 * 2 * 512 * 2**20


def test_the_main_block_of_a_file_is_not_run(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD + '\nif __name__ == "__main__":\n    raise SystemExit\n').name == "mine"


# -- files that are none


def refused(run: Callable[[], object], kind: type[SymroofError] = LoadError) -> str:
    with pytest.raises(SymroofError) as caught:
        run()
    assert type(caught.value) is kind
    return str(caught.value)


DECLARES = "a derivation file only declares"
PYTHON = "give the path of a Python file"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = (1,\n", "{path}, line 1: '(' was never closed: x = (1,\nmend the file's Python"),
        ("\n\ndef f(:\n    pass\n", "{path}, line 3: invalid syntax: def f(:\nmend the file's Python"),
        ("\n\nx = 1 / 0\n", "{path}, line 3: raises ZeroDivisionError: division by zero\n" + DECLARES),
        (
            "import nothing_of_this_name\n",
            "{path}, line 1: raises ModuleNotFoundError: No module named 'nothing_of_this_name'\n" + DECLARES,
        ),
        ("def f():\n    raise ValueError('no')\n\nf()\n", "{path}, line 2: raises ValueError: no\n" + DECLARES),
        ("import sys\nsys.exit(3)\n", "{path}, line 2: raises SystemExit: 3\n" + DECLARES),
        ("exit('bye')\n", "{path}, line 1: raises SystemExit: bye\n" + DECLARES),
        (
            "",
            '{path} defines no derivation\nwrite: from symroof import Derivation; mine = Derivation("mine")',
        ),
        (
            "from symroof import Derivation, load\nDerivation\ngemm = load('gemm')\n",
            '{path} defines no derivation\nwrite: from symroof import Derivation; mine = Derivation("mine")',
        ),
        (
            "from symroof import Derivation\na = Derivation('one')\nb = Derivation('two')\nc = a\n",
            "{path} defines 2 derivations: 'one' and 'two'\nkeep one derivation in a file",
        ),
    ],
)
def test_a_file_that_is_no_derivation(tmp_path: Path, source: str, text: str) -> None:
    path = tmp_path / "mine.py"
    assert refused(lambda: loaded(tmp_path, source)) == text.format(path=path)
    assert [found.name for found in tmp_path.iterdir()] == ["mine.py"]


def test_a_mistake_of_the_author_s_names_its_line(tmp_path: Path) -> None:
    text = refused(lambda: loaded(tmp_path, GOOD + '\nmine.given(\n    "x",\n)\n'), AuthoringError)
    assert text == (
        f"{tmp_path / 'mine.py'}, line 13: mine gives the name 'x' twice: it is already a given\nrename one of them"
    )


def test_a_file_that_is_missing_or_a_folder(tmp_path: Path) -> None:
    missing, folder = tmp_path / "missing.py", tmp_path / "folder.py"
    folder.mkdir()
    assert refused(lambda: load(str(missing))) == f"{missing} cannot be read: No such file or directory\n{PYTHON}"
    assert refused(lambda: load(str(folder))) == f"{folder} cannot be read: Is a directory\n{PYTHON}"
    assert refused(lambda: load(f"{tmp_path}/")) == f"{tmp_path} cannot be read: Is a directory\n{PYTHON}"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    latin = refused(lambda: loaded(tmp_path, "# café\n".encode("latin-1")))
    assert latin.startswith(f"{path} is no Python text: 'utf-8' codec can't decode byte 0xe9 in position 5")
    assert latin.endswith(PYTHON)
    assert refused(lambda: loaded(tmp_path, b"x = 1\0\n")).startswith(str(path))
    assert refused(lambda: load("a\0b.py")).startswith("a\0b.py is no Python text: embedded null byte")


def test_a_failed_load_leaves_the_path_for_the_next(tmp_path: Path) -> None:
    refused(lambda: loaded(tmp_path, "x = (1,\n"))
    refused(lambda: loaded(tmp_path, "raise RuntimeError"))
    assert loaded(tmp_path, GOOD).at().number("y") == 6


def test_loading_leaves_the_import_system_as_it_was(tmp_path: Path) -> None:
    before = sys.path[:], sys.dont_write_bytecode
    loaded(tmp_path, GOOD)
    assert (sys.path, sys.dont_write_bytecode) == before
    assert "mine" not in sys.modules
