"""URLFrontier: JSON lines for its client's PutURLs, each a URLItem.

    {"known": {"info": {"url": …, "key": host, "metadata": …}, "refetchable_from_date": 1}}

The frontier sorts the URLs of a queue by that date, in seconds since 1970, and serves those whose date has come. The
rank is given as the date: all are due, the best first. 0 would mean never. A queue is a host.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The items."""
    return {"": (json.dumps({"known": known(entry)}) + "\n" for entry in entries)}


def known(entry: Entry) -> dict[str, object]:
    """A KnownURLItem."""
    metadata = {"rank": {"values": [str(entry.rank)]}, "score": {"values": [f"{entry.weight:.9g}"]}}
    return {
        "info": {"url": entry.url, "key": entry.host, "metadata": metadata},
        "refetchable_from_date": entry.rank,
    }
