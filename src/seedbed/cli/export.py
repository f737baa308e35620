"""seedbed export: a seed list in the format that a crawler reads."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import print_json, say
from seedbed.cli.shared_options import Json, Overwrite, OwnOptions, named_options
from seedbed.common.messages import counted
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.exports.seed_entries import SeedList


class UrlScheme(StrEnum):
    """For hosts without a scheme."""

    HTTP = "http"
    HTTPS = "https"


def _crawlers() -> list[str]:
    from seedbed.exports import EXPORTS

    return list(EXPORTS)


SeedFile = Annotated[
    Path, typer.Argument(metavar="SEEDS", help="A file from 'seedbed seeds', or a list of URLs.", show_default=False)
]
To = Annotated[
    str, typer.Option("--to", help="The crawler; listed below.", autocompletion=_crawlers, show_default=False)
]
SeedsTo = Annotated[
    str | None,
    typer.Option(
        "--to", help="Write OUT for a crawler; see seedbed export.", autocompletion=_crawlers, show_default=False
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="The file to write, or the first of several. Default: print to standard output.", show_default=False
    ),
]
Scheme = Annotated[
    UrlScheme | None,
    typer.Option("--scheme", help="The scheme of hosts without one. Default: http.", show_default=False),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse seeds that no crawler can fetch.")]


def export(
    seeds: SeedFile,
    to: To,
    out: Out = None,
    overwrite: Overwrite = False,
    option: OwnOptions = None,
    scheme: Scheme = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Write seeds for the crawler you run, best first.

    Example: seedbed export seeds.jsonl --to nutch --out urls/seeds.txt
    """
    from seedbed.common.outputs import SEEDS, check_output
    from seedbed.exports import EXPORTS
    from seedbed.exports.export import export as write
    from seedbed.exports.seed_entries import seed_list
    from seedbed.seeds.seed_files import names_in

    if json and out is None:
        raise OptionError("--json reports what was written, so it needs --out FILE.")
    own = EXPORTS[to].checked(named_options(option))
    if out is not None:
        lists = [value for value in own.values() if isinstance(value, Path)]
        check_output(out, SEEDS, beside=EXPORTS[to].files(out)[1:], reads=[seeds, *lists], overwrite=overwrite)
    making: dict[str, Any] = {"scheme": (scheme or UrlScheme.HTTP).value, "strict": strict}
    if out is None:
        rows = ({"url": name if isinstance(name, str) else None} for name in names_in(seeds))
        _print(seed_list(rows, str(seeds), **making), to, own)
        return
    written = write(seeds, to, out, overwrite=overwrite, **making, **own)
    if json:
        print_json({**written.summary(), "notes": written.notes})
        return
    for path in written.files:
        say(f"{path}: {counted(len(written.seeds.entries), 'seed')} for {to}")
    for note in written.notes:
        say(note)


def _print(seeds: SeedList, to: str, own: dict[str, Any]) -> None:
    """Print what the crawler reads on standard output."""
    from seedbed.exports import EXPORTS

    lines = EXPORTS[to].lines(seeds.entries, own)
    sys.stdout.writelines(lines[""])
    if len(lines) > 1:
        say(f"{to} also reads {' and '.join(ending for ending in lines if ending)}: they need --out FILE")
    for note in seeds.notes():
        say(note)


def check_target(to: str | None, out: Path | None, scheme: UrlScheme | None = None, strict: bool = False) -> None:
    """Refuse an unknown crawler or a missing output file, before any work is done."""
    from seedbed.exports import EXPORTS

    if to is None and (scheme is not None or strict):
        raise OptionError(f"{'--strict' if scheme is None else '--scheme'} says how --to writes; add --to CRAWLER.")
    if to is not None and EXPORTS[to] and out is None:
        raise OptionError(f"--to {to} needs a file to write: add --out FILE.")
