"""The command `seedbed`. One file per command; heavy libraries load when a command runs, so --help is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from seedbed.cli.compare import compare
from seedbed.cli.console import show
from seedbed.cli.convert import convert
from seedbed.cli.crawl import crawl
from seedbed.cli.demo import demo
from seedbed.cli.export import export
from seedbed.cli.failures import command
from seedbed.cli.help_pages import HelpPage, HelpPages
from seedbed.cli.info import info
from seedbed.cli.rank import rank
from seedbed.cli.refresh import refresh
from seedbed.cli.reproduce import reproduce
from seedbed.cli.seeds import seeds
from seedbed.cli.synth import synth

app = typer.Typer(
    name="seedbed",
    help="Tells a web crawler where to start and what to fetch next, from the link graph of an earlier crawl.",
    epilog="Start with: seedbed demo. Exit codes: 0 done, 1 failed, 2 wrong usage.",
    no_args_is_help=True,
    cls=HelpPages,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from seedbed import __version__

        show(f"seedbed {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


for function in (demo, synth, info, convert, rank, seeds, crawl, compare, export, refresh, reproduce):
    app.command(cls=HelpPage)(command(function))
