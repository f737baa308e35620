"""URLs as a browser reads them (the URL standard, by ada-url), without fragments; only http and https name pages.

A reference in a page is resolved against the page's base URL. Characters beyond ASCII are percent-encoded as UTF-8; in
the query of a page in another encoding they are in that encoding, and those it lacks are &#…; references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote_from_bytes

from seedbed.graph.sessions import CAMPAIGN, SESSIONS

LONGEST_URL = 1 << 13
"""Longer ones are traps and mistakes; crawlers refuse them too."""

_KEPT = 1 << 16
_UNICODE = frozenset({"utf-8", "utf-16-le", "utf-16-be"})
_IN_PATH = re.compile(r";jsessionid=[^/;?]*", re.IGNORECASE)
_IN_QUERY = re.compile(
    rf"(?<=[?&])(?:(?:{'|'.join(SESSIONS)})(?:=[^&]*)?|{CAMPAIGN}[^&]*)(?:&|$)",
    re.IGNORECASE,
)
PLAIN = (
    r"https?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?"
    r"/(?:[A-Za-z0-9_~!$&()*+,;=:@./-]|%[0-9A-Fa-f]{2})*(?:\?(?:[A-Za-z0-9_~!$&()*+,;=:@./?-]|%[0-9A-Fa-f]{2})*)?"
)
"""URLs that the URL standard leaves as they are, unless NOT_PLAIN is in them: a host with a name, a path, no fragment.

Without look-ahead, so that Arrow can use it too.
"""

NOT_PLAIN = ("/.", "xn--", "%2e", "%2E")
_PLAIN = re.compile(PLAIN)


class BrowserUrls:
    """Resolves references; remembers the absolute ones, which repeat from page to page."""

    def __init__(self, *, drop_sessions: bool = False) -> None:
        from ada_url import join_url, normalize_url

        self._join, self._normal = join_url, normalize_url
        self.drop_sessions = drop_sessions
        self._known: dict[str, str | None] = {}

    def page(self, url: str) -> str | None:
        """The normal form of an absolute URL; None where it is none of a page."""
        if url in self._known:
            return self._known[url]
        if len(self._known) >= _KEPT:
            self._known.clear()
        found = self._known[url] = self._finished(url, None)
        return found

    def pages(self, references: Iterable[str], base: str, encoding: str = "utf-8") -> set[str]:
        """Where references in a page lead; what is no page is left out."""
        found = set()
        for reference in references:
            url = self.resolved(reference, base, encoding)
            if url is not None:
                found.add(url)
        return found

    def resolved(self, reference: str, base: str, encoding: str = "utf-8") -> str | None:
        """Where one reference leads."""
        reference = reference.partition("#")[0]
        if not reference.isascii() and encoding not in _UNICODE:
            reference = _with_encoded_query(reference, encoding)
        if reference.startswith(("http://", "https://")):
            return self.page(reference)
        return self._finished(reference, base)

    def base(self, href: str | None, url: str) -> str:
        """What references in the page at a URL start from, its base element having this href; None: it has none."""
        if href is None or len(href) > LONGEST_URL:
            return url
        try:
            base: str = self._join(url, href)
        except ValueError:
            return url
        return url if base.startswith(("data:", "javascript:")) else base

    def _finished(self, reference: str, base: str | None) -> str | None:
        if len(reference) > LONGEST_URL:
            return None
        if base is None and _PLAIN.fullmatch(reference) and not any(word in reference for word in NOT_PLAIN):
            url = reference
        else:
            try:
                url = self._normal(reference) if base is None else self._join(base, reference)
            except ValueError:
                return None
            url = url.partition("#")[0]
        if not url.startswith(("http://", "https://")) or len(url) > LONGEST_URL:
            return None
        return without_sessions(url) if self.drop_sessions else url


def without_sessions(url: str) -> str:
    """The URL without session numbers and campaign names."""
    place, mark, query = url.partition("?")
    place = _IN_PATH.sub("", place)
    if not mark:
        return place
    query = _IN_QUERY.sub("", "?" + query)[1:].removesuffix("&")
    return f"{place}?{query}" if query else place


def _with_encoded_query(reference: str, encoding: str) -> str:
    before, mark, query = reference.partition("?")
    data = query.encode(encoding, "xmlcharrefreplace")
    # What the standard encodes in a query, and what stands for a missing character, besides bytes beyond ASCII.
    if b"&#" in data and "&#" not in query:
        data = re.sub(rb"&#(\d+);", rb"%26%23\1%3B", data)
    return before + mark + quote_from_bytes(data, safe="".join(map(chr, range(33, 127))))
