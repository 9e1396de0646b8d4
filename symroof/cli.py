"""The program: it finds the command, runs it, and says in a few lines what went wrong."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from symroof import __version__
from symroof.complaint import complain
from symroof.errors import SymroofError

# Which module has which command. Only that of the command asked for is imported.
_MODULES = {
    "list": "cli_look",
    "show": "cli_look",
    "eval": "cli_answers",
    "solve": "cli_answers",
    "regimes": "cli_answers",
    "sweep": "cli_answers",
    "report": "cli_report",
    "plot": "cli_plot",
    "calc": "cli_calc",
    "check": "cli_report",
    "chips": "cli_look",
}


def main() -> NoReturn:
    """Runs a command: exit code 0 done, 1 a check failed, 2 bad input, said in a few lines and never a traceback."""
    try:
        code = commands.main(prog_name="symroof", standalone_mode=False)
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    except click.Abort:
        code = 130
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "symroof"
        complain(error.format_message().strip().rstrip("."), f"{command} --help")
        code = 2
    except SymroofError as error:
        complain(error.problem, error.hint)
        code = 2
    except OSError as error:  # a full disk; click itself ends a command quietly whose reader has had enough
        complain(f"the output cannot be written: {error.strerror or error}", "write to another place")
        code = 2
    except Exception as error:
        if os.environ.get("SYMROOF_TRACEBACK"):
            raise
        complain(
            f"symroof itself failed: {type(error).__name__}: {error}",
            "please report this; with SYMROOF_TRACEBACK=1 in the environment it shows where",
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


class _Commands(click.Group):
    """Knows the names of its commands, and imports one when it is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.commands:
            return None
        module = import_module(f"symroof.{_MODULES[name]}")
        return next(one for one in vars(module).values() if isinstance(one, click.Command) and one.name == name)


@click.group(
    cls=_Commands,
    commands={name: click.Command(name) for name in _MODULES},
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="symroof")
@click.pass_context
def commands(context: click.Context) -> None:
    """Performance models that show their work: exact numbers, proved units, conditional roots, worked solutions.

    \b
    symroof eval gemm t:ms --set m=8192
    symroof solve gemm m_star
    symroof report gemm
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
