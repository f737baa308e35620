"""Scrapy: JSON lines, each the arguments of a Request; start them with

    async def start(self):
        with open("seeds.jsonl") as file:
            for line in file:
                yield scrapy.Request(**json.loads(line))

Scrapy fetches requests of higher priority first; priorities are whole numbers. The last seed has 1: links that a spider
finds have 0 and come behind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The requests."""
    rows = (
        {"url": entry.url, "priority": len(entries) - entry.rank + 1, "meta": {"seed_rank": entry.rank}}
        for entry in entries
    )
    return {"": (json.dumps(row) + "\n" for row in rows)}
