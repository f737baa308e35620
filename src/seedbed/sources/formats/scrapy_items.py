"""Items of a Scrapy spider, in JSON lines or a JSON array, with the URL of a page and its links.

    {"url": "http://a.example/", "links": ["http://a.example/x", "/y"], "status": 200}

Links are strings, or objects with `url` (or `href`) and optionally `nofollow`, like Scrapy's Link. Other keys are not
read. Columns: `crawled`, `status` (0 if items have none), `nofollow_links`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seedbed.archives.archive_workers import arrays_of
from seedbed.archives.capture_rows import Part
from seedbed.archives.page_links import PageLinks
from seedbed.common.read_issues import ReadIssue
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats.archive import COLUMNS, take, with_nofollow_counts
from seedbed.sources.head import Head
from seedbed.sources.json_objects import NOT_EXPECTED, first_found, found_in
from seedbed.sources.lenient_reading import CrawlerOutput
from seedbed.sources.read_options import ReadOptions

_NO_LINK = "links that are neither text nor have a url left out"


def detect(head: Head) -> bool:
    """Whether one of the first objects has `url` and `links`."""
    return any(
        isinstance(item, dict) and isinstance(item.get("url"), str) and isinstance(item.get("links"), list)
        for item in head.find(first_found)
    )


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of the items in all files."""
    output = CrawlerOutput(paths, options, detect, COLUMNS, knows_nofollow=True)
    part = Part()
    for place, content in found_in(output.files, options, output.issues):
        item = content if isinstance(content, dict) else {}
        url = output.urls.page(item["url"]) if isinstance(item.get("url"), str) else None
        links = item.get("links") or []
        if url is None or not isinstance(links, list):
            output.issues.add(ReadIssue(NOT_EXPECTED, place))
            continue
        read = [(reference, marked) for reference, marked in map(_link, links) if reference is not None]
        if len(read) < len(links):
            output.issues.add(ReadIssue(_NO_LINK, place), len(links) - len(read))
        followed, marked = (output.urls.pages((to for to, mark in read if mark is kind), url) for kind in (False, True))
        # Some spiders write the status as text.
        status = int(item["status"]) if re.fullmatch("[0-9]{1,3}", str(item.get("status"))) else 0
        part.add(url, status, PageLinks(followed, marked - followed))
        if part.full:
            take(arrays_of(part), output.links)
            part = Part()
    take(arrays_of(part), output.links)
    return with_nofollow_counts(output.web("scrapy"))


def _link(link: Any) -> tuple[str | None, bool]:
    """Where a link leads, and whether it is marked nofollow."""
    if not isinstance(link, dict):
        return link if isinstance(link, str) else None, False
    reference = link.get("url", link.get("href"))
    return reference if isinstance(reference, str) else None, bool(link.get("nofollow"))


FORMAT = Format(name="scrapy", meaning="Scrapy's items in JSON", detect=detect, read_together=read_together)
