"""Frontera: JSON lines with `url` and `score`, for the read_seeds(stream) of a crawling strategy.

    def read_seeds(self, stream):
        for line in stream:
            seed = json.loads(line)
            self.schedule(self.create_request(seed["url"]), seed["score"])

Frontera's queue takes scores from 0 to 1, the highest first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The seeds."""
    rows = ({"url": entry.url, "score": round(entry.weight, 9)} for entry in entries)
    return {"": (json.dumps(row) + "\n" for row in rows)}
