"""seedbed export: a seed list, or a ranking of all pages, in the format that a crawler reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from seedbed.cli.console import print_json, say, shown_progress
from seedbed.cli.shared_options import Json, Overwrite, OwnOptions, named_options, names_from
from seedbed.common.messages import counted
from seedbed.errors import OptionError

To = Annotated[
    str, typer.Option(help="The crawler; listed below.", autocompletion=names_from("seedbed.exports", "EXPORTS"))
]
SeedsTo = Annotated[
    str | None,
    typer.Option(
        help="Write OUT for a crawler; see seedbed export.", autocompletion=names_from("seedbed.exports", "EXPORTS")
    ),
]
RankingTo = Annotated[
    str | None,
    typer.Option(
        help="Write OUT for a crawler that takes a score for any URL; see seedbed export.",
        autocompletion=names_from("seedbed.exports", "EXPORTS"),
    ),
]
Scheme = Annotated[
    Literal["http", "https"] | None, typer.Option(help="The scheme of hosts without one. Default: http.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse URLs that no crawler can fetch.")]


def export(
    seeds: Annotated[
        Path,
        typer.Argument(metavar="SEEDS", help="A file from 'seedbed seeds' or 'seedbed rank', or a list of URLs."),
    ],
    to: To,
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write, or the first of several. Default: print to standard output."),
    ] = None,
    overwrite: Overwrite = False,
    option: OwnOptions = None,
    scheme: Scheme = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Write seeds for the crawler you run, best first; or the scores of all pages, from a ranking.

    Example: seedbed export seeds.jsonl --to nutch --out urls/seeds.txt
    """
    from seedbed.common.outputs import SCORED, SEEDS, check_output
    from seedbed.exports import EXPORTS
    from seedbed.exports.export import check_takes_ranking, is_ranking, list_for
    from seedbed.exports.export import export as write

    if json and out is None:
        raise OptionError("--json reports what was written, so it needs --out FILE.")
    crawler = EXPORTS[to]
    own = crawler.checked(named_options(option))
    making: dict[str, Any] = {"scheme": scheme or "http", "strict": strict}
    if out is None:
        listed = list_for(crawler, seeds, **making)
        lines = crawler.lines(listed, own)
        sys.stdout.writelines(lines[""])
        if len(lines) > 1:
            say(f"{to} also reads {' and '.join(ending for ending in lines if ending)}: they need --out FILE")
        notes = listed.notes()
    else:
        lists = [value for value in own.values() if isinstance(value, Path)]
        if ranking := is_ranking(seeds):
            check_takes_ranking(crawler)
        beside = crawler.files(out, ranking=ranking)[1:]
        check_output(out, SCORED if ranking else SEEDS, beside=beside, reads=[seeds, *lists], overwrite=overwrite)
        with shown_progress() as progress:
            written = write(seeds, to, out, overwrite=overwrite, progress=progress, **making, **own)
        notes = written.notes
        if json:
            print_json({**written.summary(), "notes": notes})
            return
        for path in written.files:
            say(f"{path}: {counted(len(written.listed.entries), written.listed.noun)} for {to}")
    for note in notes:
        say(note)
