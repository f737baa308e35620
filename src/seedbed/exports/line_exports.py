"""Crawlers that read one URL per line: any of them (text), Nutch and StormCrawler with fields after tabs, Heritrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from seedbed.common.declarations import Option
from seedbed.common.user_lists import numbered_lines
from seedbed.errors import OptionError
from seedbed.exports.export import export_for
from seedbed.exports.seed_entries import Entries, share

LAST = 127
"""The last precedence of Heritrix."""


@export_for("one URL per line, best first: wget -i, HTTrack, and any crawler below")
def text(entries: Entries) -> Iterable[str]:
    """Every crawler reads it."""
    return (f"{entry.url}\n" for entry in entries)


@export_for("Apache Nutch: a file for `bin/nutch inject crawldb DIR`", ranking="")
def nutch(
    entries: Entries,
    *,
    fetch_interval: Annotated[int | None, Option("Seconds between two fetches of a seed.", least=1)] = None,
) -> Iterable[str]:
    """http://example.org/⇥nutch.score=1.98⇥nutch.fetchInterval=86400

    Nutch generates fetch lists by falling score. Scores are 1 on average, which is Nutch's default for seeds, so the
    total score of the crawl stays the same. Those of seeds fall evenly with the rank, those of a ranking are its own.
    """
    interval = "" if fetch_interval is None else f"\tnutch.fetchInterval={fetch_interval}"
    return (f"{entry.url}\tnutch.score={entry.score:.9g}{interval}\n" for entry in entries)


@export_for("Apache StormCrawler: a file for its FileSpout", ranking="")
def stormcrawler(entries: Entries) -> Iterable[str]:
    """http://example.org/⇥rank=0001⇥score=0.99

    StormCrawler fetches what is due first and has no priority of its own; the metadata go with the URL into the status
    index. Sorting by them is a setting of the index's spout, such as opensearch.status.bucket.sort.field:
    metadata.rank. Metadata are text there, so the rank has leading zeros.
    """
    digits = len(str(len(entries)))
    return (f"{entry.url}\trank={entry.rank:0{digits}}\tscore={entry.weight:.9g}\n" for entry in entries)


@export_for(
    "Heritrix 3: seeds with scope, a schedule and a precedence for each",
    endings=(".schedule", ".precedence"),
    ranking=".precedence",
)
def heritrix(
    entries: Entries,
    *,
    without: Annotated[Path | Sequence[str], Option("Hosts to exclude, or a file of them, one per line.")] = (),
) -> Mapping[str, Iterable[str]]:
    """Seeds with scope, the same as a .schedule file, and a precedence for each.

    NAME.txt         seeds.txt of the job: URLs, best first, then a line for each host in scope, +SURT, and for each
                     excluded one, -SURT. A SURT is the URL with the host's labels reversed: http://(org,example,)/
                     Heritrix compares https URLs as if they were http, so a prefix with https would never match.
    NAME.schedule    for the action directory of a running job: F+ URL, the format of its journal; all are offered to
                     the frontier
    NAME.precedence  for PrecedenceLoader, then PreloadedUriPrecedencePolicy: a URL and its precedence. 1 is fetched
                     first, 127 is the last that the frontier's keys can hold; more ranks share them evenly. The
                     frontier sorts each host's queue by them, and equal shares tell most of its pages apart.

    Of a ranking only the precedences are written.
    """
    hosts = [line.strip() for _, line in numbered_lines(without)] if isinstance(without, Path) else without
    out = dict.fromkeys(f"-{surt(home(host))}\n" for host in hosts)
    return {
        "": chain((f"{entry.url}\n" for entry in entries), scope(entries), out),
        ".schedule": (f"F+ {entry.url}\n" for entry in entries),
        ".precedence": (f"{entry.url} {share(entry.rank, len(entries), LAST)}\n" for entry in entries),
    }


def scope(entries: Entries) -> Iterable[str]:
    """A line for each host in scope."""
    yield from dict.fromkeys(f"+{surt(entry.url)}\n" for entry in entries)


def home(host: str) -> str:
    """The home page of a host that a user named."""
    from ada_url import URL

    try:
        parsed = URL(f"http://{host}/")
    except ValueError:
        parsed = None
    if parsed is None or parsed.href != f"http://{parsed.host}/" or not parsed.hostname.strip("."):
        raise OptionError(f"{host[:100]!r} is not a host. Write one host per line, such as www.example.org.")
    return str(parsed.href)


def surt(url: str) -> str:
    """The SURT prefix of all URLs on the host of a URL. Numeric addresses are not reversed."""
    from ada_url import URL

    parsed = URL(url)
    host = parsed.hostname.rstrip(".")
    in_digits = host.rpartition(".")[2].isdigit()
    labels = host if in_digits else ",".join(reversed(host.split("."))) + ","
    port = f":{parsed.port}" if parsed.port else ""
    return f"http://({labels}{port})/"
