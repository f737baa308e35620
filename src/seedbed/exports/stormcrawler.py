"""Apache StormCrawler: a file for its FileSpout, a URL a line with metadata after tabs.

    http://example.org/⇥rank=0001⇥score=0.99

StormCrawler fetches what is due first and knows no priority of its own; the metadata go with the URL into the status
index. Sorting by them is a setting of the index's spout, such as opensearch.status.bucket.sort.field: metadata.rank.
Metadata are text there, so the rank has leading zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The list."""
    digits = len(str(len(entries)))
    lines = (f"{entry.url}\trank={entry.rank:0{digits}}\tscore={entry.weight:.9g}\n" for entry in entries)
    return {"": lines}
