"""What URLFrontier's client writes (DumpURLs, ListURLs) and takes (PutURLs): URLs as JSON, or one per line.

    {"known": {"info": {"url": "http://a.example/x", "key": "a.example",
      "metadata": {"url.path": {"values": ["http://a.example/"]}}}, "refetchableFromDate": "1700000000"}}
    {"discovered": {"info": {"url": "http://a.example/y"}}}
    http://a.example/x;1700000000
    http://a.example/y

An object may span several lines. A URL followed by a date, as ListURLs writes it, is known; one without is discovered.
Lines of both kinds may be mixed.

Links are those that StormCrawler keeps in the metadata `url.path`: the path from the seed to the URL. Columns:
`crawled` (1 if a known URL is not due again, or its metadata has a fetch status), `refetch_date` (when it is due, in
seconds since 1970; 0 if it is not).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.common.read_issues import ReadIssue
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.json_objects import NOT_EXPECTED, first_found, found_in
from seedbed.sources.lenient_reading import CrawlerOutput
from seedbed.sources.named_links import Column, NamedLinks, coded
from seedbed.sources.read_options import ReadOptions

COLUMNS = (Column("crawled", type=np.bool_), Column("refetch_date", type=np.int64))

_ROWS = 1 << 15
_LAST_DATE = 1 << 40
_LISTED = re.compile(r"(?P<url>https?://\S+|);(?P<date>0|[0-9]{10})")
"""A URL and its date, 0 or seconds since 1970. A URL that is only discovered is listed as empty."""


def detect(head: Head) -> bool:
    """Whether one of the first objects is a known or discovered URL, or the first lines are URLs with dates."""
    found = head.find(first_found)
    listed = [_LISTED.fullmatch(line) for line in found if isinstance(line, str)]
    return any(_item(one) is not None for one in found if isinstance(one, dict)) or (
        bool(listed) and len(listed) == len(found) and all(listed)
    )


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of all URLs in the files of several nodes."""
    output = CrawlerOutput(paths, options, detect, COLUMNS)
    pairs: list[tuple[str, str]] = []
    rows: list[tuple[str, bool, int]] = []
    for place, found in found_in(output.files, options, output.issues):
        line = _as_object(found) if isinstance(found, str) else found
        item = _item(line)
        url = None if item is None else output.urls.page(item["info"]["url"])
        if item is None or url is None:
            output.issues.add(ReadIssue(NOT_EXPECTED, place))
            continue
        metadata = item["info"].get("metadata")
        way = [*_values(metadata, "url.path"), url]
        pairs.extend(pairwise(page for step in way if (page := output.urls.page(step)) is not None))
        date = _date(item.get("refetchableFromDate", item.get("refetchable_from_date", 0)))
        fetched = bool(_values(metadata, "fetch.statusCode"))
        rows.append((url, fetched or ("known" in line and not date), date))
        if len(rows) >= _ROWS:
            _put(pairs, rows, output.links)
    _put(pairs, rows, output.links)
    return output.web("urlfrontier")


def _put(pairs: list[tuple[str, str]], rows: list[tuple[str, bool, int]], links: NamedLinks) -> None:
    """Move the links and the pages collected so far."""
    import pyarrow as pa

    if pairs:
        links.add(coded(*(pa.array(ends, pa.large_string()) for ends in zip(*pairs, strict=True))))
    if rows:
        urls, crawled, dates = zip(*rows, strict=True)
        links.add_pages(pa.array(urls, pa.large_string()), {"crawled": crawled, "refetch_date": dates})
    pairs.clear()
    rows.clear()


def _as_object(line: str) -> dict[str, Any]:
    """A line of text in the form of the JSON objects."""
    listed = _LISTED.fullmatch(line)
    if listed is None:
        return {"discovered": {"info": {"url": line}}}
    return {"known": {"info": {"url": listed["url"]}, "refetchableFromDate": listed["date"]}}


def _item(line: dict[str, Any]) -> dict[str, Any] | None:
    """The object about the URL; None if the line is not from a frontier."""
    item = line.get("known", line.get("discovered"))
    info = item.get("info") if isinstance(item, dict) else None
    return item if isinstance(info, dict) and isinstance(info.get("url"), str) else None


def _values(metadata: Any, key: str) -> list[str]:
    listed = metadata.get(key) if isinstance(metadata, dict) else None
    values = listed.get("values") if isinstance(listed, dict) else listed
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _date(value: Any) -> int:
    """A date as a number; Protocol Buffers write 64-bit numbers as strings."""
    digits = str(value)
    return min(int(digits), _LAST_DATE) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0


FORMAT = Format(
    name="urlfrontier", meaning="URLFrontier's `DumpURLs` and `ListURLs`", detect=detect, read_together=read_together
)
