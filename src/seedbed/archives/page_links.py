"""The links of an HTML page, by Resiliparse: a, area, frame, iframe, link rel=canonical|next|prev, meta refresh.

A link is nofollow if its rel says so, or if robots directives say `nofollow` or `none` for all links of the page:

    <meta name=robots content="noindex, nofollow">         X-Robots-Tag: noindex, nofollow
                                                           X-Robots-Tag: otherbot: none

A directive with a value (`max-image-preview: none`) does not count; a line for a named crawler is for that one only.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from seedbed.archives.captures import Listed
from seedbed.archives.html_limits import parsable
from seedbed.archives.page_encoding import decoded, encoding_of
from seedbed.urls.browser_urls import BrowserUrls

CANONICAL = "canonical"
FOLLOWED_RELATIONS = frozenset({CANONICAL, "next", "prev"})

_SELECTED = "a[href],area[href],frame[src],iframe[src],link[href][rel],meta[content],base[href],math"
# Time, separator, optional url=, then the URL, optionally in quotes.
_BLANKS = r"[\t\n\f\r ]*+"
_REFRESH = re.compile(
    rf"{_BLANKS}(?:[0-9]++[0-9.]*+|\.[0-9.]*+)(?=[\t\n\f\r ;,]){_BLANKS}[;,]?+{_BLANKS}(.*)", re.DOTALL
)
_URL_WORD = re.compile(rf"url{_BLANKS}={_BLANKS}", re.IGNORECASE)
# Elements of SVG and MathML whose content is HTML again.
_HTML_INSIDE = frozenset({"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})
_LEVELS_LOOKED_UP = 16
_AGENT = re.compile(r"\s*([^\s,:]+)\s*:(.*)", re.DOTALL)
_WITH_VALUE = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})


class PageLinks(NamedTuple):
    """Where a page's links lead: the targets to follow, and those that are nofollow wherever they are mentioned."""

    followed: set[str]
    nofollow: set[str]
    cut: bool = False
    """Not all links were read."""
    too_long: bool = False
    """Some links were left out because they are longer than a page's URL may be."""
    canonical: str = ""
    """The URL that the page says it should be known by; empty if it does not say."""


def references_of(page: bytes, charset: str | None) -> tuple[Listed, str, bool]:
    """The references in a page, its encoding, and whether the page was cut."""
    kept = parsable(page)
    encoding = encoding_of(page, charset)
    return _listed(decoded(kept, encoding)), encoding, len(kept) < len(page)


def resolved(
    listed: Listed, url: str, urls: BrowserUrls, also: AbstractSet[str] = frozenset(), encoding: str = "utf-8"
) -> PageLinks:
    """Where the references in the page at a URL lead. `also`: targets from elsewhere."""
    base = urls.base(listed.base, url)
    followed = urls.targets(listed.followed, base, encoding, source=url)
    marked = urls.targets(listed.nofollow, base, encoding, source=url)
    cut, too_long = followed.cut or marked.cut, followed.too_long or marked.too_long
    to_follow = followed.urls | also
    named = set() if listed.canonical is None else urls.pages([listed.canonical], base, encoding)
    canonical = next(iter(named), "")
    if listed.all_nofollow:
        return PageLinks(set(), to_follow | marked.urls, cut, too_long, canonical)
    return PageLinks(to_follow, marked.urls - to_follow, cut, too_long, canonical)


def _listed(text: str) -> Listed:
    """The references in the tags, unresolved."""
    from resiliparse.parse.html import HTMLTree

    listed = Listed()
    has_formulas = False
    for node in HTMLTree.parse(text).document.query_selector_all(_SELECTED):
        tag = node.tag
        if tag in ("a", "area"):
            if not (has_formulas and _inside(node, ("math",))):
                marked = "nofollow" in words(node.getattr("rel"))
                (listed.nofollow if marked else listed.followed).add(node.getattr("href"))
        elif tag in ("frame", "iframe"):
            listed.followed.add(node.getattr("src"))
        elif tag == "link":
            add_relation(listed, node.getattr("rel"), node.getattr("href"))
        elif tag == "meta":
            add_meta(listed, node.getattr("http-equiv"), node.getattr("name"), node.getattr("content"))
        elif tag == "math":
            # An element comes before its content.
            has_formulas = True
        elif listed.base is None and not _inside(node, ("svg", "math")):
            listed.base = node.getattr("href")
    return listed


def add_relation(listed: Listed, relations: str | None, reference: str) -> None:
    """Add what a link element says: a page to follow, the first canonical one also as that."""
    named = FOLLOWED_RELATIONS & words(relations)
    if named:
        listed.followed.add(reference)
    if CANONICAL in named and reference and listed.canonical is None:
        listed.canonical = reference


def add_meta(listed: Listed, http_equiv: str | None, name: str | None, content: str) -> None:
    """Add what a meta element says: a refresh, or directives for robots."""
    if (http_equiv or "").lower() == "refresh":
        target = refresh_target(content)
        if target:
            listed.followed.add(target)
    elif (name or "").strip().lower() == "robots":
        listed.all_nofollow |= says_nofollow(content)


def _inside(node: Any, foreign: tuple[str, ...]) -> bool:
    """Whether a node belongs to SVG or MathML; only a few levels up are checked, so depth costs no time."""
    for _ in range(_LEVELS_LOOKED_UP):
        node = node.parent
        if node is None or node.tag in _HTML_INSIDE:
            return False
        if node.tag in foreign:
            return True
    return False


def words(text: str | None) -> set[str]:
    """The words in an attribute, in lower case."""
    return set(text.lower().split()) if text else set()


def refresh_target(content: str) -> str | None:
    """The URL in a refresh, by the HTML standard; None if the page refreshes itself or the text is not a refresh."""
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


def says_nofollow(directives: str) -> bool:
    """Whether a list of robots directives says nofollow."""
    words = {word for part in directives.lower().split(",") if ":" not in part for word in part.split()}
    return not words.isdisjoint(("nofollow", "none"))


def header_says_nofollow(value: str) -> bool:
    """Whether an X-Robots-Tag header says nofollow; a repeated header has one line each."""
    return any(says_nofollow(_for_all(line)) for line in value.split("\n"))


def _for_all(line: str) -> str:
    """The directives of a line that apply to all crawlers."""
    named = _AGENT.match(line)
    if named is None or named[1].lower() in _WITH_VALUE:
        return line
    return named[2] if named[1] == "*" else ""
