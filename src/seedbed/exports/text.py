"""Plain text: a URL a line, best first. Every crawler reads it: wget -i, Heritrix, Nutch, StormCrawler, HTTrack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seedbed.exports.entry import Entry, Options


def files(entries: Sequence[Entry], options: Options) -> Mapping[str, str]:
    """The list."""
    return {"": "".join(f"{entry.url}\n" for entry in entries)}
