"""seedbed export: a seed list in the form that a crawler reads."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli import shared_options as options
from seedbed.cli.output_checks import check_file
from seedbed.common.declarations import Option
from seedbed.common.messages import counted
from seedbed.errors import OptionError, unknown
from seedbed.exports import EXPORTS

if TYPE_CHECKING:
    from seedbed.exports.seed_entries import SeedList

SeedFile = Annotated[
    Path,
    typer.Argument(metavar="SEEDS", help="A file that `seedbed seeds` wrote, or a list of URLs.", show_default=False),
]
To = Annotated[str, typer.Option(help=f"The crawler: {', '.join(EXPORTS)}.", show_default=False)]
Out = Annotated[
    Path | None,
    typer.Option(help="The file to write; where a crawler reads several, the first of them.", show_default=False),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        help="The scheme of hosts that have none, as in host graphs: http or https. Default: http.", show_default=False
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse seeds that no crawler can fetch; without it they are left out.")
]


def with_own_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of all crawlers, which exporters declare, in place of its `**own`."""
    signature = inspect.signature(command, eval_str=True)
    shared = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    known: dict[str, tuple[Option, list[str]]] = {}
    for crawler in EXPORTS.values():
        for option in crawler.options:
            known.setdefault(option.name, (option, []))[1].append(crawler.name)
    own = [_parameter(option, crawlers) for option, crawlers in known.values()]
    command.__signature__ = signature.replace(parameters=[*shared, *own])  # type: ignore[attr-defined]
    return command


def _parameter(option: Option, crawlers: list[str]) -> inspect.Parameter:
    shown: Any = typer.Option(
        "--" + option.name.replace("_", "-"),
        min=option.least,
        help=f"{', '.join(crawlers)}: {option.described}",
        show_default=False,
        rich_help_panel="Options of one crawler",
    )
    kind: Any = Annotated[option.kind | None, shown]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


@with_own_options
def export(
    seeds: SeedFile,
    to: To,
    out: Out = None,
    overwrite: options.Overwrite = False,
    scheme: Scheme = None,
    strict: Strict = False,
    json: options.Json = False,
    **own: Any,
) -> None:
    """Write seeds for the crawler you run, best first.

    Example: seedbed export seeds.jsonl --to nutch --out urls/seeds.txt
    """
    from seedbed.exports.export import export as write
    from seedbed.exports.seed_entries import seed_list
    from seedbed.seeds.seed_files import names_in

    if json and out is None:
        raise OptionError("--json says what was written, so it needs --out FILE.")
    if out is not None:
        check_target(to, out, scheme, strict)
        lists = [value for value in own.values() if isinstance(value, Path)]
        others = EXPORTS[to].files(out)[1:]
        check_file(out, "list of seeds", files=[seeds, *lists], beside=others, overwrite=overwrite)
    given = {name: value for name, value in own.items() if value is not None}
    EXPORTS[to].checked(given)
    rows = ({"url": name if isinstance(name, str) else None} for name in names_in(seeds))
    if out is None:
        _print(seed_list(rows, str(seeds), scheme=scheme or "http", strict=strict), to, given)
        return
    making: dict[str, Any] = {"scheme": scheme or "http", "strict": strict, "overwrite": overwrite}
    written = write(rows, to, out, source=str(seeds), **making, **given)
    if json:
        options.print_json({**written.summary(), "notes": written.notes})
        return
    for path in written.files:
        options.say(f"{path}: {counted(len(written.seeds.entries), 'seed')} for {to}")
    for note in written.notes:
        options.say(note)


def _print(seeds: SeedList, to: str, own: dict[str, Any]) -> None:
    """What the crawler reads, on standard output."""
    lines = EXPORTS[to].lines(seeds.entries, own)
    sys.stdout.writelines(lines[""])
    if len(lines) > 1:
        options.say(f"{to} also reads {' and '.join(ending for ending in lines if ending)}: they need --out FILE")
    for note in seeds.notes():
        options.say(note)


def told_apart(web: Path, format: str | None, to: str | None) -> tuple[str | None, str | None]:  # noqa: A002
    """The format of WEB and the crawler to write for, where --format may name either.

    What names both, such as scrapy, means the crawler when WEB's files tell another format.
    """
    from seedbed.sources import FORMATS, format_told

    if format not in EXPORTS or to is not None:
        return format, to
    if format in FORMATS and format_told(web) in (None, format):
        return format, None
    return None, format


def check_target(to: str | None, out: Path | None, scheme: str | None = None, strict: bool = False) -> None:
    """Refuse a crawler that is not known, or nowhere to write to; before the work, not after it."""
    from seedbed.exports.seed_entries import SCHEMES

    if to is None and (scheme is not None or strict):
        raise OptionError(f"{'--strict' if scheme is None else '--scheme'} says how --to writes; add --to CRAWLER.")
    if to is not None and to not in EXPORTS:
        raise unknown("crawler", to, EXPORTS)
    if to is not None and out is None:
        raise OptionError(f"--to {to} needs a file to write: add --out FILE.")
    if scheme is not None and scheme not in SCHEMES:
        raise unknown("scheme", scheme, SCHEMES)
