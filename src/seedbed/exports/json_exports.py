"""Crawlers that read JSON: one object per line (Scrapy, Frontera, URLFrontier), a single object (Crawl4AI), inside
redis-cli commands (scrapy-redis), or as YAML strings (Browsertrix)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from typing import Annotated, Any

from seedbed.common.declarations import Option
from seedbed.errors import OptionError
from seedbed.exports.export import export_for
from seedbed.exports.seed_entries import Entries, Entry, share

PRIORITIES = 1000
"""The most priorities given to Scrapy, which has a queue for each and looks through all of them when one is empty."""

SCOPES = ("page", "page-spa", "prefix", "host", "domain", "any")


def _json_lines(rows: Iterable[Any]) -> Iterable[str]:
    return (json.dumps(row) + "\n" for row in rows)


@export_for("Scrapy: JSON lines, each the arguments of a Request", ranking="")
def scrapy(entries: Entries) -> Iterable[str]:
    """Start them with

        async def start(self):
            with open("seeds.jsonl") as file:
                for line in file:
                    yield scrapy.Request(**json.loads(line))

    Scrapy fetches requests of higher priority first; priorities are whole numbers. The last one has 1: links that a
    spider finds have 0 and come after. More than 1,000 share that many priorities evenly.
    """
    count = len(entries)
    highest = min(count, PRIORITIES)

    def request(entry: Entry) -> dict[str, object]:
        priority = highest + 1 - share(entry.rank, count, PRIORITIES)
        return {"url": entry.url, "priority": priority, "meta": {"seed_rank": entry.rank}}

    return _json_lines(map(request, entries))


@export_for("Frontera: JSON lines with url and score, for the read_seeds of a crawling strategy", ranking="")
def frontera(entries: Entries) -> Iterable[str]:
    """Frontera's queue takes scores from 0 to 1, the highest first.

    def read_seeds(self, stream):
        for line in stream:
            seed = json.loads(line)
            self.schedule(self.create_request(seed["url"]), seed["score"])
    """
    return _json_lines({"url": entry.url, "score": round(entry.weight, 9)} for entry in entries)


@export_for("URLFrontier: JSON lines for its client's PutURLs, each a URLItem", ranking="")
def urlfrontier(entries: Entries) -> Iterable[str]:
    """{"known": {"info": {"url": …, "key": host, "metadata": …}, "refetchable_from_date": 1}}

    The frontier sorts the URLs of a queue by that date, in seconds since 1970, and serves those whose date has passed.
    The rank is given as the date: all are due, the best first. 0 would mean never. Each host is a queue.
    """

    def known(entry: Entry) -> dict[str, object]:
        metadata = {"rank": {"values": [str(entry.rank)]}, "score": {"values": [f"{entry.weight:.9g}"]}}
        info = {"url": entry.url, "key": entry.host, "metadata": metadata}
        return {"info": info, "refetchable_from_date": entry.rank}

    return _json_lines({"known": known(entry)} for entry in entries)


@export_for("Crawl4AI: a JSON object with the URLs, best first, and a weight for each host")
def crawl4ai(entries: Entries) -> Iterable[str]:
    """BestFirstCrawlingStrategy fetches what its scorer scores highest.

        made = json.load(open("seeds.json"))
        scorer = DomainAuthorityScorer(made["domain_weights"], default_weight=made["default_weight"])
        strategy = BestFirstCrawlingStrategy(max_depth=2, url_scorer=scorer)

    A host has the weight of its best seed; a host without a seed has half of the smallest weight.
    """
    weights: dict[str, float] = {}
    for entry in entries:
        weights.setdefault(entry.host, round(entry.weight, 9))
    least = min(weights.values(), default=1.0)
    made = {"urls": [entry.url for entry in entries], "domain_weights": weights, "default_weight": least / 2}
    return chain(json.JSONEncoder(indent=1).iterencode(made), ["\n"])


@export_for("scrapy-redis: commands for redis-cli that fill the sorted set of start URLs", ranking="")
def scrapy_redis(
    entries: Entries, *, key: Annotated[str, Option("The sorted set.")] = "seedbed:start_urls"
) -> Iterable[str]:
    """For REDIS_START_URLS_AS_ZSET = True; run redis-cli < FILE.

    A member is the JSON that RedisSpider turns into a request; the highest score is popped first.
    """
    start = f"ZADD {_quoted(key)}"

    def member(entry: Entry) -> str:
        return _quoted(json.dumps({"url": entry.url, "meta": {"seed_rank": entry.rank}}))

    return (f"{start} {entry.weight:.9g} {member(entry)}\n" for entry in entries)


def _quoted(text: str) -> str:
    """Text in double quotes as redis-cli reads it: quotes and backslashes are escaped."""
    if not text.isprintable():
        raise OptionError(f"{text!r} cannot be part of a command. Choose a key of letters, digits and colons.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@export_for("Browsertrix Crawler: a YAML configuration for `crawl --config FILE`")
def browsertrix(
    entries: Entries,
    *,
    depth: Annotated[int | None, Option("How many links deep to follow from a seed.", least=0)] = None,
    scope: Annotated[str, Option("Which links to follow.", choices=SCOPES)] = "host",
) -> Iterable[str]:
    """Depth and scope for each seed. Pages are fetched in the order of the seeds, one depth after another."""
    end = f"    scopeType: {scope}\n" + ("" if depth is None else f"    depth: {depth}\n")
    return chain(["seeds:\n"], (f"  - url: {json.dumps(entry.url)}\n{end}" for entry in entries))
