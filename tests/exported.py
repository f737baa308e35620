"""Seeds whose URLs would break a careless file, and what they look like in a careful one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from seedbed.exports import EXPORTS
from seedbed.exports.export import list_seeds
from seedbed.exports.ranking_entries import ranking_list
from seedbed.exports.seed_entries import Listed, Sieve, fetchable
from seedbed.urls.url_table import text_chunk

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
    lines = EXPORTS[target].lines(list_seeds(rows, "test"), options)
    return {ending: "".join(content) for ending, content in lines.items()}


OF_ALL_PAGES = [name for name, declared in EXPORTS.items() if declared.ranking is not None]
"""The crawlers that take a ranking."""


def ranked(urls: Sequence[str], scores: Sequence[float], **how: Any) -> Listed:
    """What crawlers get of a ranking, read in batches of three."""
    starts = range(0, len(urls), 3)
    parts = [(text_chunk(urls[at : at + 3]), np.array(scores[at : at + 3], np.float64)) for at in starts]
    return ranking_list(lambda: iter(parts), Sieve("test", **how))


def ranking_text(urls: Sequence[str], scores: Sequence[float], target: str, **options: Any) -> str:
    """The file that a crawler reads of a ranking."""
    return "".join(EXPORTS[target].lines(ranked(urls, scores), options)[""])
