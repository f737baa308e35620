"""Crawlers that read a URL a line: any of them (text), Apache Nutch and Apache StormCrawler with fields after tabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from seedbed.common.declarations import Option
from seedbed.exports.export import export_for
from seedbed.exports.seed_entries import Entry


@export_for("a URL a line, best first: wget -i, HTTrack, and any crawler below")
def text(entries: Sequence[Entry]) -> Iterable[str]:
    """Every crawler reads it."""
    return (f"{entry.url}\n" for entry in entries)


@export_for("Apache Nutch: a file for `bin/nutch inject crawldb DIR`")
def nutch(
    entries: Sequence[Entry],
    *,
    fetch_interval: Annotated[int | None, Option("Seconds between two fetches of a seed.", least=1)] = None,
) -> Iterable[str]:
    """http://example.org/⇥nutch.score=1.98⇥nutch.fetchInterval=86400

    Nutch generates fetch lists by falling score. Scores fall evenly with the rank and are 1 on average, which is what
    Nutch gives seeds without one, so the total score of the crawl stays the same.
    """
    scale = 2 * len(entries) / (len(entries) + 1)
    interval = "" if fetch_interval is None else f"\tnutch.fetchInterval={fetch_interval}"
    return (f"{entry.url}\tnutch.score={scale * entry.weight:.9g}{interval}\n" for entry in entries)


@export_for("Apache StormCrawler: a file for its FileSpout")
def stormcrawler(entries: Sequence[Entry]) -> Iterable[str]:
    """http://example.org/⇥rank=0001⇥score=0.99

    StormCrawler fetches what is due first and knows no priority of its own; the metadata go with the URL into the
    status index. Sorting by them is a setting of the index's spout, such as opensearch.status.bucket.sort.field:
    metadata.rank. Metadata are text there, so the rank has leading zeros.
    """
    digits = len(str(len(entries)))
    return (f"{entry.url}\trank={entry.rank:0{digits}}\tscore={entry.weight:.9g}\n" for entry in entries)
