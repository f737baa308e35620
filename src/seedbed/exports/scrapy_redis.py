"""scrapy-redis: commands for redis-cli that fill the sorted set of start URLs, for REDIS_START_URLS_AS_ZSET = True.

    redis-cli < FILE

A member is the JSON that RedisSpider makes a request of; the highest score is popped first. Inside the quotes of
redis-cli, quotes and backslashes are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.errors import OptionError
from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS = (Option("key", str, "The sorted set. Default: seedbed:start_urls.", "seedbed:start_urls"),)


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The commands."""
    key = quoted(options["key"])
    return {"": (f"ZADD {key} {entry.weight:.9g} {member(entry)}\n" for entry in entries)}


def member(entry: Entry) -> str:
    """The request, quoted."""
    return quoted(json.dumps({"url": entry.url, "meta": {"seed_rank": entry.rank}}))


def quoted(text: str) -> str:
    """Text in double quotes as redis-cli reads them."""
    if not text.isprintable():
        raise OptionError(f"{text!r} cannot stand in a command. Choose a key of letters, digits and colons.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
