"""Items of a Scrapy spider, in JSON lines or a JSON array, with the URL of a page and its links.

    {"url": "http://a.example/", "links": ["http://a.example/x", "/y"], "status": 200}

Links are strings, or objects with `url` (or `href`) and optionally `nofollow`, like Scrapy's Link. Other keys are not
read. Columns: `crawled`, `status` (0 if items have none), `nofollow_links`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from seedbed.archives.capture_rows import Part
from seedbed.archives.page_links import PageLinks
from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats.archive import COLUMNS, add_part, with_nofollow_counts
from seedbed.sources.head import Head
from seedbed.sources.json_objects import first_found, found_in, left_out
from seedbed.sources.lenient_reading import files_meant, web_with_notes
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.urls.browser_urls import BrowserUrls

_NO_LINK = "links that are neither text nor have a url left out"


def detect(head: Head) -> bool:
    """Whether one of the first objects has `url` and `links`."""
    return any(
        isinstance(item, dict) and isinstance(item.get("url"), str) and isinstance(item.get("links"), list)
        for item in head.find(first_found)
    )


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of the items in all files."""
    found, issues = NamedLinks(options, COLUMNS, knows_nofollow=True), ReadIssues()
    urls = BrowserUrls(drop_sessions=options.drop_sessions)
    part = Part()
    for place, content in found_in(files_meant(paths, detect, issues), options, issues):
        item = _item(content, urls)
        if item is None:
            left_out(issues, place)
            continue
        if item.unread:
            issues.add(ReadIssue(_NO_LINK, place), item.unread)
        part.add(item.url, item.status, item.links)
        if part.full:
            add_part(part, found)
            part = Part()
    add_part(part, found)
    return with_nofollow_counts(web_with_notes(found, paths, "scrapy", issues))


class _Item(NamedTuple):
    """The page in an item, and how many of its links cannot be read."""

    url: str
    status: int
    links: PageLinks
    unread: int


def _item(content: dict[str, Any] | str, urls: BrowserUrls) -> _Item | None:
    if isinstance(content, str) or not isinstance(content.get("url"), str):
        return None
    url, links = urls.page(content["url"]), content.get("links") or []
    if url is None or not isinstance(links, list):
        return None
    read = [(reference, marked) for reference, marked in map(_link, links) if reference is not None]
    followed = urls.pages((reference for reference, marked in read if not marked), url)
    marked = urls.pages((reference for reference, marked in read if marked), url)
    return _Item(url, _status(content.get("status")), PageLinks(followed, marked - followed), len(links) - len(read))


def _link(link: Any) -> tuple[str | None, bool]:
    """Where a link leads, and whether it is marked nofollow."""
    if not isinstance(link, dict):
        return link if isinstance(link, str) else None, False
    reference = link.get("url", link.get("href"))
    return reference if isinstance(reference, str) else None, bool(link.get("nofollow"))


def _status(value: Any) -> int:
    """The status as a number; some spiders write it as text."""
    return int(value) if re.fullmatch("[0-9]{1,3}", str(value)) else 0


FORMAT = Format(name="scrapy", meaning="Scrapy's items in JSON", detect=detect, read_together=read_together)
