"""The entry point, of the command as of `python -m symroof`."""

import sys


def main() -> None:
    """Runs a command. An interrupt ends it without a traceback, even while its libraries are being imported."""
    try:
        _import_pint_alone()
        from symroof.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


def _import_pint_alone() -> None:
    """Imports pint without NumPy, which it takes along wherever that is installed, to wrap arrays with units.

    No quantity here is an array, and NumPy takes as long to import as all that a one-line answer needs. Only the
    command does this: in a process of somebody else's, pint is theirs as well.
    """
    if "numpy" not in sys.modules:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # as documented: an import of it then fails
        import pint  # noqa: F401

        del sys.modules["numpy"]


if __name__ == "__main__":
    main()
