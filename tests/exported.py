"""Seeds whose URLs would break a careless file, and what they look like in a careful one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seedbed.exports import EXPORTS
from seedbed.exports.export import list_seeds
from seedbed.exports.seed_entries import fetchable

URLS = [
    "http://b.example/best",
    "http://a.example:8080/?q=x&y=z",
    "https://www.c.example/with space\tand tab\nand line",
    "http://d.example/quote\"'\\",
    "http://é.example/ü\u2028",
]
ROWS = [{"url": url} for url in URLS]
CLEAN = [fetchable(url) for url in URLS]


def texts_for(rows: Iterable[Mapping[str, Any]], target: str, **options: Any) -> dict[str, str]:
    """What a crawler reads, by the ending of the file's name."""
    lines = EXPORTS[target].lines(list_seeds(rows, "test").entries, options)
    return {ending: "".join(content) for ending, content in lines.items()}
