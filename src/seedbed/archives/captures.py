"""A capture: what a server answered for a URL, taken from the bytes of an HTTP response.

Bounded: of a record LONGEST_RECORD bytes are read, of a page LONGEST_PAGE after unpacking; what is longer is cut there.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LONGEST_PAGE = 8 << 20
LONGEST_RECORD = LONGEST_PAGE + (1 << 16)
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)"
    rb"[\s>]|(?:\xef\xbb\xbf)?\s*<!--",
    re.IGNORECASE,
)
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_MOST_PACKINGS = 3


class Listed(NamedTuple):
    """References as they stand in a page."""

    base: str | None
    followed: set[str]
    nofollow: set[str]


@dataclass
class Capture:
    """One answer. `body` is as the server sent it; `page()` unpacks it."""

    url: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    revisit: bool = False
    listed: Listed | None = None
    """Links that the archive lists itself, as WAT files do."""
    place: int = 0
    """Where its record starts in the file."""

    @property
    def type(self) -> str:
        """The media type, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """What the HTTP header says of the encoding."""
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return found[1] if found else None

    def may_be_html(self) -> bool:
        """Whether it is a page by its type, or has none."""
        return self.type in _HTML or self.type in _UNKNOWN

    def page(self) -> tuple[bytes, bool] | None:
        """The page and whether it was cut; None where it is no HTML after all."""
        body, whole = self._unpacked()
        if self.type not in _HTML and not _LOOKS_LIKE_HTML.match(body):
            return None
        return body[:LONGEST_PAGE], not whole or len(body) > LONGEST_PAGE

    def _unpacked(self) -> tuple[bytes, bool]:
        """The body without transfer and content encodings, and whether that went well to the end."""
        from fastwarc.stream_io import BrotliReader, ChunkedReader, GzipReader, ZstdReader

        body, whole = self.body, True
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            body, whole = _read(ChunkedReader, body, or_as_it_is=True)
        readers = {"gzip": GzipReader, "x-gzip": GzipReader, "br": BrotliReader, "zstd": ZstdReader}
        packings = [word.strip().lower() for word in self.headers.get("content-encoding", "").split(",")]
        for packing in list(reversed(packings))[:_MOST_PACKINGS]:
            if packing in readers:
                # Archives that hold the page unpacked often keep the header that said it was packed.
                body, sound = _read(readers[packing], body, or_as_it_is=body.lstrip()[:1] == b"<")
                whole &= sound
            elif packing == "deflate":
                body, sound = _inflated(body)
                whole &= sound
        return body, whole


def _read(reader: Any, data: bytes, *, or_as_it_is: bool) -> tuple[bytes, bool]:
    parts, length = [], 0
    try:
        stream = reader(io.BytesIO(data))
        while length <= LONGEST_PAGE and (part := stream.read(1 << 18)):
            parts.append(part)
            length += len(part)
    except (OSError, ValueError):
        return (data, True) if or_as_it_is and not parts else (b"".join(parts), False)
    return b"".join(parts), True


def _inflated(data: bytes) -> tuple[bytes, bool]:
    """`deflate` means zlib by the standard and raw deflate to some servers."""
    import zlib

    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        unpack = zlib.decompressobj(bits)
        try:
            body = unpack.decompress(data, LONGEST_PAGE + 1)
        except zlib.error:
            continue
        return body, unpack.eof or len(body) > LONGEST_PAGE
    return data, data.lstrip()[:1] == b"<"


def http_capture(url: str, block: bytes, *, revisit: bool = False) -> Capture | None:
    """The capture in an HTTP response; None where the bytes are none."""
    status = _STATUS.match(block)
    if status is None:
        return None
    end = _HEADERS_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    headers: dict[str, str] = {}
    for line in head.split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        key = name.strip().lower().decode("latin-1")
        if colon and key not in headers:
            headers[key] = _text(value.strip())
    return Capture(url, int(status[1]), headers, body, revisit)


def _text(value: bytes) -> str:
    """Header values are UTF-8 where they can be, as in the Location of many servers."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
