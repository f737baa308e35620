"""Apache Nutch: a file for `bin/nutch inject crawldb DIR`, fields after the URL separated by tabs.

    http://example.org/⇥nutch.score=1.98⇥nutch.fetchInterval=86400

Nutch generates fetch lists by falling score. Scores fall evenly with the rank and are 1 on average, which is what Nutch
gives seeds without one, so what the crawl has in all stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS = (Option("fetch_interval", int, "Seconds between two fetches of a seed.", least=1),)


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The list."""
    scale = 2 * len(entries) / (len(entries) + 1)
    seconds = options["fetch_interval"]
    interval = "" if seconds is None else f"\tnutch.fetchInterval={seconds}"
    return {"": (f"{entry.url}\tnutch.score={scale * entry.weight:.9g}{interval}\n" for entry in entries)}
