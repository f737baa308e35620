"""Items of a Scrapy spider in JSON lines, with the URL of a page and its links.

    {"url": "http://a.example/", "links": ["http://a.example/x", "/y"], "status": 200}

Links are strings, or objects with `url` and perhaps `nofollow`, as Scrapy's Link has them. Other keys are not read.
Columns: `crawled`, `status` (0 where items have none), `nofollow_links`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seedbed.archives.collect import Part
from seedbed.archives.damage import Damages
from seedbed.archives.html import PageLinks
from seedbed.graph.browser_urls import BrowserUrls
from seedbed.graph.web import Web
from seedbed.sources.archive import COLUMNS, add_part, with_nofollow_counts
from seedbed.sources.json_lines import first_object, left_out, objects
from seedbed.sources.names import NamedLinks
from seedbed.sources.options import ReadOptions


def detect(path: Path) -> bool:
    """Whether the first line is an object with `url` and `links`."""
    item = first_object(path)
    return isinstance(item.get("url"), str) and isinstance(item.get("links"), list)


def read(path: Path, options: ReadOptions) -> Web:
    """The web of all items."""
    found, damages = NamedLinks(options, COLUMNS, knows_nofollow=True), Damages()
    urls = BrowserUrls(drop_sessions=options.drop_sessions)
    part = Part()
    for place, item in objects(path, options, damages):
        url = urls.page(item["url"]) if isinstance(item.get("url"), str) else None
        links = item.get("links", [])
        if url is None or not isinstance(links, list):
            left_out(damages, place)
            continue
        status = item.get("status")
        part.add(url, _status(status), _links(links, url, urls))
        if part.full:
            add_part(part, found)
            part = Part()
    add_part(part, found)
    return with_nofollow_counts(found.web(path, "scrapy", damages.notes()))


def _status(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1000 else 0


def _links(links: list[Any], url: str, urls: BrowserUrls) -> PageLinks:
    plain = [link for link in links if isinstance(link, str)]
    described = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    followed = urls.pages([*plain, *(link["url"] for link in described if not link.get("nofollow"))], url)
    marked = urls.pages((link["url"] for link in described if link.get("nofollow")), url)
    return PageLinks(followed, marked - followed)
