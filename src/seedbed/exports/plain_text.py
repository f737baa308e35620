"""Plain text: a URL a line, best first. Every crawler reads it: wget -i, Heritrix, Nutch, StormCrawler, HTTrack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The list."""
    return {"": (f"{entry.url}\n" for entry in entries)}
