"""The entry point, of the command as of `python -m symroof`."""

import sys


def main() -> None:
    """Runs a command. An interrupt ends it without a traceback, even while its libraries are being imported."""
    try:
        from symroof.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
