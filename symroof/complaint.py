"""How an error is told on the command line. It needs nothing but click, so that a wrong option is told at once."""

from __future__ import annotations

import click


def complain(problem: str, hint: str) -> None:
    """Says on the error stream what is wrong, and what to try."""
    click.echo(f"{click.style('error:', fg='red', bold=True)} {problem}", err=True)
    for line in hint.splitlines():
        click.echo(f"  {click.style('try:', bold=True)} {line}", err=True)
