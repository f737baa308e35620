"""seedbed export: a seed list in the form that a crawler reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedbed.cli import options
from seedbed.errors import OptionError, unknown
from seedbed.plural import counted

SeedFile = Annotated[
    Path,
    typer.Argument(metavar="SEEDS", help="A file that `seedbed seeds` wrote, or a list of URLs.", show_default=False),
]
To = Annotated[
    str,
    typer.Option(
        help="The crawler: text, nutch, stormcrawler, heritrix, browsertrix, urlfrontier, scrapy, scrapy-redis, "
        "frontera, crawl4ai.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="The file to write; where a crawler reads several, the first of them.", show_default=False),
]
Depth = Annotated[int | None, typer.Option(min=0, help="Browsertrix: links to follow from a seed.", show_default=False)]
Without = Annotated[
    Path | None, typer.Option(help="Heritrix: a file with hosts to leave out, one a line.", show_default=False)
]
FetchInterval = Annotated[
    int | None, typer.Option(min=1, help="Nutch: seconds between two fetches of a seed.", show_default=False)
]


def export(
    seeds: SeedFile,
    to: To,
    out: Out = None,
    depth: Depth = None,
    scope: Annotated[str, typer.Option(help="Browsertrix: page, prefix, host, domain, any.")] = "host",
    fetch_interval: FetchInterval = None,
    key: Annotated[str, typer.Option(help="scrapy-redis: the sorted set.")] = "seedbed:start_urls",
    without: Without = None,
) -> None:
    """Write seeds for the crawler you run, best first.

    Example: seedbed export seeds.jsonl --to nutch --out urls/seeds.txt
    """
    from seedbed.exports.entry import Options, entries
    from seedbed.exports.write import export as write
    from seedbed.exports.write import texts_for
    from seedbed.seeds.files import names_in, numbered_lines

    hosts = () if without is None else tuple(line.strip() for _, line in numbered_lines(without))
    chosen = Options(depth=depth, scope=scope, fetch_interval=fetch_interval, key=key, without=hosts)
    rows = [{"url": name if isinstance(name, str) else None} for name in names_in(seeds)]
    if out is None:
        texts = texts_for(rows, to, chosen, str(seeds))
        typer.echo(texts[""], nl=False)
        if len(texts) > 1:
            options.say(f"{to} also reads {' and '.join(ending for ending in texts if ending)}: they need --out FILE")
        return
    count = len(entries(rows, str(seeds)))
    for path in write(rows, to, out, options=chosen, source=str(seeds)):
        options.say(f"{path}: {counted(count, 'seed')} for {to}")


def told_apart(web: Path, format: str | None, to: str | None) -> tuple[str | None, str | None]:  # noqa: A002
    """The format of WEB and the crawler to write for, where --format may name either.

    What names both, such as scrapy, means the crawler when WEB's files tell another format.
    """
    from seedbed.exports import TARGETS
    from seedbed.sources import FORMATS, format_told

    if format not in TARGETS or to is not None:
        return format, to
    if format in FORMATS and format_told(web) in (None, format):
        return format, None
    return None, format


def check_target(to: str | None, out: Path | None) -> None:
    """Refuse a crawler that is not known, or nowhere to write to; before the work, not after it."""
    from seedbed.exports import TARGETS

    if to is not None and to not in TARGETS:
        raise unknown("crawler", to, TARGETS)
    if to is not None and out is None:
        raise OptionError(f"--to {to} needs a file to write: add --out FILE.")
