"""How `--help` looks: plain text, options in groups, then the names they accept, from the declarations.

Typer's own help is drawn by Rich, which takes a tenth of a second to load.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from seedbed.cli.failures import fail
from seedbed.cli.shared_options import READING

if TYPE_CHECKING:
    from seedbed.common.declarations import Declaration

UsageError: Any = typer.BadParameter.__base__
WIDEST = 100
EXPLAINS_READING = ("info", "convert")
METAVARS = {
    "<int range>": "N",
    "<int>": "N",
    "<float range>": "X",
    "<float>": "X",
    "<path>": "FILE",
    "<Path>": "FILE",
    "<str>": "TEXT",
}
BOUNDS = re.compile(r"  \[(default: [^;\]]*)?(; )?([\d.]*<?=?x[<>]=?[\d.]*)?\]$")
Rows = list[tuple[str, str]]


class HelpPage(TyperCommand):
    """A command whose help groups its options and lists the names they accept."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options by group, then strategies, orders, formats or crawlers."""
        formatter.width = max(min(shutil.get_terminal_size().columns, WIDEST) - 2, 50)
        groups: dict[str, Rows] = {}
        for parameter in self.get_params(ctx):
            if (row := parameter.get_help_record(ctx)) is not None:
                panel = "Arguments" if parameter.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or panel, []).append(_short(*row))
        if READING in groups and self.name not in EXPLAINS_READING:
            names = ", ".join(flag.split()[0] for flag, _ in groups[READING])
            groups[READING] = [("(as in seedbed info)", names)]
        for title, rows in (*groups.items(), *_listed(self.name or "")):
            with formatter.section(title):
                formatter.write_dl(rows, col_max=24)


class HelpPages(TyperGroup):
    """All commands, in workflow order."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(self.commands)

    def main(self, *words: Any, **named: Any) -> NoReturn:
        """Run a command; wrong usage is reported in one line, like every other failure."""
        named["standalone_mode"] = False
        try:
            code = super().main(*words, **named)
        except UsageError as error:
            if error.ctx is None or error.message == error.ctx.get_help():
                error.show()
                sys.exit(error.exit_code)
            reason = error.format_message().replace("Value error, ", "").rstrip(".")
            raise fail(f"{reason}. See: {error.ctx.command_path} --help.", error.exit_code) from None
        sys.exit(code or 0)


def _short(names: str, text: str) -> tuple[str, str]:
    """A row of Click's help without types and bounds; the error for a wrong value gives those."""
    for metavar, short in METAVARS.items():
        names = names.replace(metavar, short)
    text = text.removesuffix("  [required]")
    return names.split()[0] if names.isupper() else names, BOUNDS.sub(
        lambda found: f" Default: {found[1].partition(': ')[2]}." if found[1] else "", text
    )


def _listed(command: str) -> Iterator[tuple[str, Rows]]:
    """The names that a command's options accept, and the options of each."""
    if command in ("seeds", "compare", "refresh"):
        from seedbed.seeds import STRATEGIES

        yield from _declared("Strategies", STRATEGIES.values(), "a strategy" if command == "seeds" else "")
    if command in ("crawl", "compare"):
        from seedbed.crawling.orders import ORDERS

        yield from _declared("Orders", ORDERS.values())
    if command == "convert":
        from seedbed.sources.formats import FORMATS

        written = [one for one in FORMATS.values() if one.endings]
        yield "Formats of OUT", [(one.name, f"{', '.join(one.endings)}: {one.meaning}") for one in written]
    if command == "reproduce":
        from seedbed.evaluation.experiments import PAPERS, paper_of

        yield from _declared("Experiments", map(paper_of, PAPERS), "an experiment")
    if command == "export":
        from seedbed.exports import EXPORTS

        yield from _declared("Crawlers", EXPORTS.values(), "a crawler")


def _declared(title: str, declarations: Iterable[Declaration], whose: str = "") -> Iterator[tuple[str, Rows]]:
    """What is declared, and what `whose` options are, if the command takes them."""
    all_of = list(declarations)
    yield title, [(declared.name, declared.meaning) for declared in all_of]
    if not whose:
        return
    users: dict[tuple[str, str], list[str]] = {}
    for declared in all_of:
        for option in declared.options:
            if option.is_text:
                users.setdefault((option.name, option.described), []).append(declared.name)
    rows = [(name, f"{', '.join(names)}: {described}") for (name, described), names in users.items()]
    yield f"Options of {whose} (--option NAME=VALUE)", rows
