"""Apache Nutch: a file for `bin/nutch inject crawldb DIR`, fields after the URL separated by tabs.

    http://example.org/⇥nutch.score=1.98⇥nutch.fetchInterval=86400

Nutch generates fetch lists by falling score. Scores fall evenly with the rank and are 1 on average, which is what Nutch
gives seeds without one, so what the crawl has in all stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seedbed.exports.entry import Entry, Options


def files(entries: Sequence[Entry], options: Options) -> Mapping[str, str]:
    """The list."""
    scale = 2 * len(entries) / (len(entries) + 1)
    interval = "" if options.fetch_interval is None else f"\tnutch.fetchInterval={options.fetch_interval}"
    return {"": "".join(f"{entry.url}\tnutch.score={scale * entry.weight:.9g}{interval}\n" for entry in entries)}
