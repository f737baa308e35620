"""A capture: a server's answer for a URL, parsed from the bytes of an HTTP response.

Bounded: at most LONGEST_RECORD bytes of a record are read, and LONGEST_PAGE bytes of a page decoded; the rest is cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from seedbed.archives.http_messages import LONGEST_PAGE, decoded_body, headers_of, media_type

LONGEST_RECORD = LONGEST_PAGE + (1 << 16)
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_HTML_OR_UNKNOWN = _HTML | frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)"
    rb"[\s>]|(?:\xef\xbb\xbf)?\s*<!--",
    re.IGNORECASE,
)
_STATUS = re.compile(rb"\s*+HTTP/\d(?:\.\d)?[ \t]+(\d{3})[^\n]*+(?:\n|$)")
_HEADERS_END = re.compile(rb"\n\r*+\n")


@dataclass
class Listed:
    """References as written in a page."""

    base: str | None = None
    followed: set[str] = field(default_factory=set)
    nofollow: set[str] = field(default_factory=set)
    all_nofollow: bool = False
    """Whether the page says nofollow for all its links."""
    canonical: str | None = None
    """The URL that the page says it should be known by."""


@dataclass
class Capture:
    """One answer; status 0: the record is not one. `body` is as the server sent it; `page()` decodes it."""

    url: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    revisit: bool = False
    listed: Listed | None = None
    """Links that the archive itself lists, as WAT files do."""
    cut: bool = False
    """Whether the record continues after the part that was read."""
    place: int = 0
    """Where its record starts in the file."""
    fault: str = ""
    """What is wrong with its record, although it could be read."""
    truncated: bool = False
    """Whether the crawler says that it cut the record short."""
    date: str = ""
    digest: str = ""
    """Digest of the payload, as given in the archive."""
    refers_to: str = ""
    refers_to_date: str = ""
    """For a revisit: the URL and date of the capture it repeats."""

    @property
    def type(self) -> str:
        """The media type, in lower case."""
        return media_type(self.headers.get("content-type", ""))[0]

    @property
    def charset(self) -> str | None:
        """The encoding given in the HTTP header."""
        return media_type(self.headers.get("content-type", ""))[1]

    def header(self, name: str) -> str:
        """A single-valued header; the first value if it is repeated."""
        return self.headers.get(name, "").partition("\n")[0]

    def is_html(self) -> bool:
        """Whether its media type is HTML."""
        return self.type in _HTML

    def may_be_html(self) -> bool:
        """Whether its media type is HTML or unknown."""
        return self.type in _HTML_OR_UNKNOWN

    def page(self) -> tuple[bytes, bool] | None:
        """The page and whether it was cut; None if it is not HTML after all."""
        encodings = self.headers.get("content-encoding", "").replace("\n", ",")
        body, whole = decoded_body(self.body, self.headers.get("transfer-encoding", ""), encodings)
        if self.type not in _HTML and not _LOOKS_LIKE_HTML.match(body):
            return None
        return body[:LONGEST_PAGE], self.cut or not whole or len(body) > LONGEST_PAGE


def http_capture(url: str, block: bytes, *, revisit: bool = False) -> Capture:
    """The capture in an HTTP response; its status is 0 if the bytes are not one."""
    cut = len(block) >= LONGEST_RECORD
    status = _STATUS.match(block)
    while status is not None:
        end = _HEADERS_END.search(block, status.end() - 2)
        if end is None and cut:
            break
        # 100 Continue, 103 Early Hints: the final answer follows.
        final = _STATUS.match(block, end.end()) if end is not None and status[1].startswith(b"1") else None
        if final is None:
            head = block[status.end() : end.start() if end is not None else None]
            body = block[end.end() :] if end is not None else b""
            return Capture(url, int(status[1]), headers_of(head), body, revisit, cut=cut)
        status = final
    return Capture(url, 0, revisit=revisit)
