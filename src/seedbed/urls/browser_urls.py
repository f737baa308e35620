"""URLs as a browser reads them (the URL standard, via ada-url), without fragments; only http and https name pages.

A reference in a page is resolved against the page's base URL. Non-ASCII characters are percent-encoded as UTF-8. If the
page has another encoding, its queries use that encoding, and characters it lacks become &#…; references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes

SESSIONS = ("jsessionid", "phpsessid", "sessionid", "sid")
"""Parameters that identify a visit, not a page, in lower case; ;jsessionid= at the end of a path counts too."""

CAMPAIGN = "utm_"
"""Prefix of the parameters that say where a visitor came from."""

LONGEST_URL = 1 << 13
"""Longer URLs are traps or mistakes; crawlers refuse them too."""

OTHER_SCHEME = re.compile(r"[\x00-\x20]*+(?!https?:)[a-z][a-z0-9+.-]*+:", re.IGNORECASE)
"""The start of URLs that do not name pages: mailto:, javascript:, …"""

_BYTES_A_PAGE = 1 << 25
_BYTES_KEPT = 1 << 25
_BYTES_AN_ENTRY = 200
_TOO_LONG = ""
_UNICODE = frozenset({"utf-8", "utf-16-le", "utf-16-be"})
_STRIPPED = "".join(map(chr, range(33)))
_IGNORED = dict.fromkeys(map(ord, "\t\n\r"))
_IN_PATH = re.compile(r";jsessionid=[^/;?]*", re.IGNORECASE)
_IN_QUERY = re.compile(rf"[?&;](?:(?:{'|'.join(SESSIONS)})(?:=[^&;]*)?|{CAMPAIGN}[^&;]*)(?=[&;]|$)", re.IGNORECASE)
PLAIN = (
    r"https?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?"
    r"/(?:[A-Za-z0-9_~!$&()*+,;=:@./-]|%[0-9A-Fa-f]{2})*(?:\?(?:[A-Za-z0-9_~!$&()*+,;=:@./?-]|%[0-9A-Fa-f]{2})*)?"
)
"""URLs that the URL standard leaves unchanged, unless they contain NOT_PLAIN: a host name, a path, no fragment.

No look-ahead, so that Arrow can use it too.
"""

NOT_PLAIN = ("/.", "xn--", "%2e", "%2E")
_PLAIN = re.compile(PLAIN)


def are_plain(strings: Any) -> Any:
    """Which strings of an Arrow array are URLs that the URL standard leaves unchanged, as a mask; found by Arrow."""
    import pyarrow.compute as pc

    plain = pc.match_substring_regex(strings, f"^(?:{PLAIN})$")
    for word in NOT_PLAIN:
        plain = pc.and_not(plain, pc.match_substring(strings, word))
    return pc.and_(plain, pc.less_equal(pc.binary_length(strings), LONGEST_URL))


class Targets(NamedTuple):
    """Where references lead."""

    urls: set[str]
    cut: bool = False
    """Not all were resolved, because the URLs are too long in total."""
    too_long: bool = False
    """Some were left out because they exceed LONGEST_URL."""


class BrowserUrls:
    """Resolves references; caches the absolute ones, which repeat from page to page."""

    def __init__(self, *, drop_sessions: bool = False) -> None:
        from ada_url import join_url, normalize_url

        self._join, self._normal = join_url, normalize_url
        self.drop_sessions = drop_sessions
        self._known: dict[str, str | None] = {}
        self._bytes_known = 0

    def page(self, url: str) -> str | None:
        """The normal form of an absolute URL; None if it does not name a page."""
        return self._absolute(url) or None

    def pages(self, references: Iterable[str], base: str, encoding: str = "utf-8") -> set[str]:
        """The pages that a page's references lead to."""
        return {url for reference in references if (url := self._found(reference, base, encoding))}

    def targets(self, references: Iterable[str], base: str, encoding: str = "utf-8", *, source: str = "") -> Targets:
        """As pages(), but bounded. `source` is the page's own URL, which is stored along with each of its links."""
        references = list(references)
        targets = self._targets(references, base, encoding, len(source))
        # If they do not all fit, the same ones should be kept every time, and sets have no order.
        return self._targets(sorted(references), base, encoding, len(source)) if targets.cut else targets

    def base(self, href: str | None, url: str) -> str:
        """The base URL for references in the page at `url`; `href`: that of its base element, if any."""
        if href is None or len(href) > LONGEST_URL:
            return url
        try:
            base: str = self._join(url, href)
        except ValueError:
            return url
        return url if base.startswith(("data:", "javascript:")) else base

    def _targets(self, references: list[str], base: str, encoding: str, beside: int) -> Targets:
        found: set[str] = set()
        room, too_long = _BYTES_A_PAGE, False
        for reference in references:
            url = self._found(reference, base, encoding)
            if url is None or url in found:
                continue
            if url == _TOO_LONG:
                too_long = True
                continue
            room -= len(url) + beside
            if room < 0:
                return Targets(found, True, too_long)
            found.add(url)
        return Targets(found, False, too_long)

    def _found(self, reference: str, base: str, encoding: str) -> str | None:
        """Where a reference leads; None if that is not a page, _TOO_LONG if the URL is too long."""
        if "#" in reference:
            reference = _without_fragment(reference)
        if not reference.isascii() and encoding not in _UNICODE:
            reference = _with_encoded_query(reference, encoding)
        if reference.startswith(("http://", "https://")):
            return self._absolute(reference)
        return self._finished(reference, base)

    def _absolute(self, url: str) -> str | None:
        if url in self._known:
            return self._known[url]
        found = self._finished(url, None)
        if len(url) <= LONGEST_URL:
            self._bytes_known += len(url) + len(found or "") + _BYTES_AN_ENTRY
            if self._bytes_known > _BYTES_KEPT:
                self._known.clear()
                self._bytes_known = 0
            self._known[url] = found
        return found

    def _finished(self, reference: str, base: str | None) -> str | None:
        if len(reference) > LONGEST_URL:
            return None if OTHER_SCHEME.match(reference) else _TOO_LONG
        if base is None and _PLAIN.fullmatch(reference) and not any(word in reference for word in NOT_PLAIN):
            url = reference
        else:
            try:
                url = self._normal(reference) if base is None else self._join(base, reference)
            except ValueError:
                return None
            url = url.partition("#")[0]
        if not url.startswith(("http://", "https://")):
            return None
        if len(url) > LONGEST_URL:
            return _TOO_LONG
        return without_sessions(url) if self.drop_sessions else url


def without_sessions(url: str) -> str:
    """The URL without session ids and campaign parameters."""
    place, mark, query = url.partition("?")
    place = _IN_PATH.sub("", place)
    if not mark:
        return place
    query = _IN_QUERY.sub("", "?" + query)[1:]
    return f"{place}?{query}" if query else place


def _without_fragment(reference: str) -> str:
    """The reference up to its #, which stays if a blank precedes it: a blank at the end would be stripped."""
    before, mark, _ = reference.partition("#")
    return before + mark if before[-1:] <= " " else before


def _with_encoded_query(reference: str, encoding: str) -> str:
    before, mark, query = reference.strip(_STRIPPED).translate(_IGNORED).partition("?")
    data = query.encode(encoding, "xmlcharrefreplace")
    # The standard also encodes the references that stand for characters the encoding lacks.
    if b"&#" in data and "&#" not in query:
        data = re.sub(rb"&#(\d+);", rb"%26%23\1%3B", data)
    return before + mark + quote_from_bytes(data, safe="".join(map(chr, range(33, 127))))
