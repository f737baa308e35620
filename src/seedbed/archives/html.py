"""The links of an HTML page, by Resiliparse: a, area, frame, iframe, link rel=canonical|next|prev, meta refresh.

A link is nofollow where its rel says so, or where the page's robots meta says so of all its links.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from seedbed.archives.charset import decoded, encoding_of
from seedbed.archives.nesting import parsable
from seedbed.graph.browser_urls import BrowserUrls

_SELECTED = "a[href],area[href],frame[src],iframe[src],link[href][rel],meta[content],base[href]"
_FOLLOWED_RELATIONS = frozenset({"canonical", "next", "prev"})
# Time, then a separator, then perhaps url=, then the URL, perhaps in quotes.
_REFRESH = re.compile(r"\s*(?:\d+[\d.]*|\.[\d.]*)(?=[\s;,])\s*[;,]?\s*(.*)", re.DOTALL)
_URL_WORD = re.compile(r"url\s*=\s*", re.IGNORECASE)


class PageLinks(NamedTuple):
    """Where a page's links lead: those to follow, and those all of whose mentions are nofollow. `cut`: not all read."""

    followed: set[str]
    nofollow: set[str]
    cut: bool = False


def links_of(page: bytes, url: str, charset: str | None, urls: BrowserUrls, *, nofollow: bool = False) -> PageLinks:
    """The links of a page at a URL. `nofollow`: the HTTP header says it of all of them."""
    from resiliparse.parse.html import HTMLTree

    sound = parsable(page)
    encoding = encoding_of(page, charset)
    found = _Found(nofollow)
    for node in HTMLTree.parse(decoded(sound, encoding)).document.query_selector_all(_SELECTED):
        found.add(node)
    base = urls.base(found.base, url)
    followed = urls.pages(found.followed, base, encoding)
    marked = urls.pages(found.nofollow, base, encoding)
    if found.all_nofollow:
        followed, marked = set(), followed | marked
    return PageLinks(followed, marked - followed, len(sound) < len(page))


class _Found:
    """What the tags say, before it is resolved."""

    def __init__(self, nofollow: bool) -> None:
        self.base: str | None = None
        self.followed: set[str] = set()
        self.nofollow: set[str] = set()
        self.all_nofollow = nofollow

    def add(self, node: Any) -> None:
        tag = node.tag
        if tag in ("a", "area"):
            marked = "nofollow" in words(node.getattr("rel"))
            (self.nofollow if marked else self.followed).add(node.getattr("href"))
        elif tag in ("frame", "iframe"):
            self.followed.add(node.getattr("src"))
        elif tag == "link":
            if _FOLLOWED_RELATIONS & words(node.getattr("rel")):
                self.followed.add(node.getattr("href"))
        elif tag == "base":
            self.base = node.getattr("href") if self.base is None else self.base
        else:
            self._meta(node)

    def _meta(self, node: Any) -> None:
        content = node.getattr("content")
        if (node.getattr("http-equiv") or "").lower() == "refresh":
            target = refresh_target(content)
            if target:
                self.followed.add(target)
        elif (node.getattr("name") or "").strip().lower() == "robots":
            self.all_nofollow |= says_nofollow(content)


def words(text: str | None) -> set[str]:
    """The words of an attribute that lists them."""
    return set(text.lower().split()) if text else set()


def says_nofollow(directives: str | None) -> bool:
    """Whether a list of robots directives tells not to follow links."""
    return bool(directives) and not {"nofollow", "none"}.isdisjoint(re.split(r"[\s,]+", (directives or "").lower()))


def refresh_target(content: str) -> str | None:
    """The URL in a refresh, by the HTML standard; None where the page refreshes itself or the text is none."""
    match = _REFRESH.match(content)
    if match is None:
        return None
    target = match[1]
    named = _URL_WORD.match(target)
    if named:
        target = target[named.end() :]
    if target[:1] in ('"', "'"):
        target = target[1:].partition(target[0])[0]
    return target.strip() or None
