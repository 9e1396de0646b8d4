"""Where derivations come from: those that travel with symroof, by name, and a user's own files."""

from __future__ import annotations

import linecache
import sys
import traceback
from pathlib import Path
from types import ModuleType

from symroof.derivation import DerivationGraph
from symroof.errors import LoadError, SymroofError, UnknownNameError, listing


def shipped() -> list[str]:
    """The names of the derivations that travel with symroof."""
    return sorted(path.stem for path in _folder().glob("*.py") if not path.stem.startswith("_"))


def in_order() -> list[str]:
    """The names of the derivations that come with symroof, each behind those that it builds on."""
    found: list[str] = []

    def add(name: str) -> None:
        for other in find(name).builds_on:
            add(other)
        if name not in found:
            found.append(name)

    for name in shipped():
        add(name)
    return found


def is_file(name_or_path: str) -> bool:
    """Whether the text is the path of a file rather than a shipped derivation's name."""
    return name_or_path.endswith(".py") or "/" in name_or_path or "\\" in name_or_path


def find(name_or_path: str) -> DerivationGraph:
    """The derivation of that name, or the one that the file defines.

    Raises UnknownNameError for a name that is not shipped, LoadError for a file that is missing, is no Python,
    raises, or does not define exactly one derivation.
    """
    if is_file(name_or_path):
        return _from_file(Path(name_or_path))
    if name_or_path not in shipped():
        error = UnknownNameError("derivation", name_or_path, shipped())
        if Path(name_or_path).exists():
            error.hint = f"to load a file, give a path that ends in .py ({name_or_path} does not)"
        raise error
    return _from_file(_folder() / f"{name_or_path}.py")


def _folder() -> Path:
    """In an installed package the derivations lie inside it, in a source tree beside it."""
    here = Path(__file__).parent
    inside = here / "derivations"
    return inside if inside.is_dir() else here.parent / "derivations"


def _from_file(path: Path) -> DerivationGraph:
    # Every load makes a module of its own, so that two files of one name do not meet.
    module = ModuleType(f"symroof_derivation_{path.stem}_{len(sys.modules)}")
    module.__file__ = str(path)
    try:
        source = path.read_text(encoding="utf-8-sig")
        code = compile(source, str(path), "exec")
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror}", "give the path of a Python file") from None
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}" if error.lineno else str(path)
        raise LoadError(f"{where}: {error.msg}: {(error.text or '').strip()}", "mend the file's Python") from None
    except ValueError as error:  # NUL bytes, or not UTF-8
        raise LoadError(f"{path} is no Python text: {error}", "give the path of a Python file") from None
    # The readings take the source from here: it stays what was loaded, wherever the file or the process goes.
    linecache.cache[str(path)] = (len(source), None, [f"{line}\n" for line in source.split("\n")], str(path))
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except SymroofError as error:
        raise error.within(_place(path, error)) from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise LoadError(
            f"{_place(path, error)}: raises {type(error).__name__}: {error}".removesuffix(": "),
            "a derivation file only declares",
        ) from None
    return _only_derivation(path, module)


def _only_derivation(path: Path, module: ModuleType) -> DerivationGraph:
    found = {
        id(item): item
        for item in vars(module).values()
        if isinstance(item, DerivationGraph) and item.defined_in == module.__name__
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        names = listing(sorted(repr(one.name) for one in found.values()))
        raise LoadError(f"{path} defines {len(found)} derivations: {names}", "keep one derivation in a file")
    raise LoadError(f"{path} defines no derivation", 'write: from symroof import Derivation; mine = Derivation("mine")')


def _place(path: Path, error: BaseException) -> str:
    """The file and the line in it that the error came from."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
