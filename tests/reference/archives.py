"""Links of HTML pages with html.parser and urllib; logs and dumps of crawlers line by line."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Of an attribute given twice the first counts.
        self.tags.append((tag, {name: value or "" for name, value in reversed(attrs)}))


class PageLinks(NamedTuple):
    """Targets to follow, and targets that are only marked nofollow."""

    followed: set[str]
    nofollow: set[str]


def page_links(html: str, url: str) -> PageLinks:
    """Links of a page, for plain URLs, on which urllib and browsers agree."""
    parser = _Tags()
    parser.feed(html)
    parser.close()
    bases = [attributes["href"] for tag, attributes in parser.tags if tag == "base" and "href" in attributes]
    base = urljoin(url, bases[0]) if bases else url
    followed, marked, everywhere = set(), set(), False
    for tag, attributes in parser.tags:
        relations = attributes.get("rel", "").lower().split()
        if tag in ("a", "area") and "href" in attributes:
            (marked if "nofollow" in relations else followed).add(attributes["href"])
        elif tag in ("frame", "iframe") and "src" in attributes:
            followed.add(attributes["src"])
        elif tag == "link" and {"canonical", "next", "prev"} & set(relations) and "href" in attributes:
            followed.add(attributes["href"])
        elif tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            match = re.fullmatch(r"\d+; ?url=(.+)", attributes.get("content", ""))
            if match:
                followed.add(match[1])
        elif tag == "meta" and attributes.get("name") == "robots":
            everywhere |= "nofollow" in attributes.get("content", "")
    targets, others = _resolved(followed, base), _resolved(marked, base)
    return PageLinks(set(), targets | others) if everywhere else PageLinks(targets, others - targets)


def declared(html: str) -> str | None:
    """The first charset that a meta declares."""
    parser = _Tags()
    parser.feed(html)
    parser.close()
    for tag, attributes in parser.tags:
        if tag == "meta" and "charset" in attributes:
            return attributes["charset"]
        if tag == "meta" and attributes.get("http-equiv", "").lower() == "content-type":
            return attributes["content"].partition("charset=")[2]
    return None


def _resolved(references: set[str], base: str) -> set[str]:
    targets = {urldefrag(urljoin(base, reference)).url for reference in references}
    return {target for target in targets if urlsplit(target).scheme in ("http", "https")}


def crawl_log(text: str) -> tuple[set[str], set[tuple[str, str]], set[str]]:
    """Pages, links and seeds of a Heritrix log whose URLs are in their normal form."""
    pages, links, seeds = set(), set(), set()
    for line in text.split("\n"):
        fields = line.split()
        if len(fields) < 6 or not fields[3].startswith("http") or fields[4].endswith("P"):
            continue
        url, path, via = fields[3:6]
        pages.add(url)
        if path == "-":
            seeds.add(url)
        elif via.startswith("http"):
            pages.add(via)
            links.add((via, url))
    return pages, links, seeds


def linkdb(text: str) -> set[tuple[str, str]]:
    """Links of a Nutch dump. A line that is neither of a target nor of a source ends the list before it."""
    links, target = set(), ""
    for line in text.split("\n"):
        if line.startswith(" fromUrl: "):
            if target and " anchor: " in line:
                links.add((line.removeprefix(" fromUrl: ").split(" anchor: ")[0], target))
        elif not line.startswith(" "):
            target = line.removesuffix("\tInlinks:") if line.endswith("\tInlinks:") else ""
    return links


def items(text: str) -> set[tuple[str, str]]:
    """Links of Scrapy items."""
    found = [json.loads(line) for line in text.split("\n") if line]
    return {(item["url"], urldefrag(urljoin(item["url"], link)).url) for item in found for link in item["links"]}
