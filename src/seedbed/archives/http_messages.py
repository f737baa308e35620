"""The headers and the body of an HTTP response.

Only headers that matter for pages and links are read; a repeated one is kept as several lines. Transfer and content
encodings of the body are decoded: chunked, gzip, deflate, br, zstd. Whatever can be decoded is kept, up to LONGEST_PAGE
bytes, even if the rest was cut off or is corrupt. Archives that store a page decoded often keep the header that named
its encoding, so a body that cannot be decoded but is text is taken as it is.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import quote_from_bytes

LONGEST_PAGE = 8 << 20

_MOST_ENCODINGS = 3
_PIECE = 1 << 10
"""Bytes decoded at a time: small, because an error loses the whole piece it is in."""

_CHUNK = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\n]*)?\r?\n")
_TEXT = re.compile(rb"(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)|[^\x00-\x08\x0e-\x1a\x1c-\x1f]*+$")
_LOOKED_AT = 512

_READ = frozenset(b"content-type content-encoding transfer-encoding location refresh x-robots-tag link".split())
_FOLD = re.compile(rb"\r?\n[ \t]+")
_PRINTABLE = bytes(range(33, 127))
_TYPE = re.compile(r"(?:^|,)\s*+([^\s/;,\"]++/[^\s;,\"]++)((?:[^,\"]|\"[^\"]*+\"?+)*+)")
_CHARSET = re.compile(r";\s*+charset=\s*+(?:\"([^\"]*+)\"?|([^\s;\"]++))", re.IGNORECASE)
_LINK = re.compile(r"<([^<>]*+)>((?:[^<>,\"]|\"[^\"]*+\"?+)*+)")
_RELATION = re.compile(r";\s*+rel\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;\"]++))", re.IGNORECASE)


def headers_of(head: bytes) -> dict[str, str]:
    """The headers that are read, by lower-case name; `head` is everything between status line and body."""
    found: dict[str, list[str]] = {}
    for line in _FOLD.sub(b" ", head).split(b"\n"):
        name, colon, value = line.partition(b":")
        key = name.strip().lower()
        if colon and key in _READ:
            value = value.strip()
            # Browsers percent-encode a location's bytes: they do not know its encoding either.
            text = quote_from_bytes(value, safe=_PRINTABLE) if key == b"location" else _text(value)
            found.setdefault(key.decode(), []).append(text)
    return {name: "\n".join(values) for name, values in found.items()}


def media_type(value: str) -> tuple[str, str | None]:
    """The type in a Content-Type header, in lower case, and its charset; the last of several types counts."""
    kind, charset = "", None
    for found in _TYPE.finditer(value.replace("\n", ",")):
        if found[1].lower() != kind:
            kind, charset = found[1].lower(), None
        named = _CHARSET.search(found[2])
        charset = charset if named is None else (named[1] or named[2])
    return kind, charset


def linked(value: str) -> Iterator[tuple[str, str]]:
    """(URL, relations) for each entry of a Link header."""
    for found in _LINK.finditer(value):
        relation = _RELATION.search(found[2])
        if relation is not None:
            yield found[1], relation[1] or relation[2] or ""


def _text(value: bytes) -> str:
    """The value as UTF-8 if it is valid, otherwise as Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def decoded_body(body: bytes, transfer: str, content: str) -> tuple[bytes, bool]:
    """The body, and whether it was decoded to its end. `transfer`, `content`: the two headers that name encodings."""
    whole = True
    if "chunked" in transfer.lower():
        body, whole = _unchunked(body)
    encodings = [word.strip().lower() for word in content.split(",")]
    for encoding in list(reversed(encodings))[:_MOST_ENCODINGS]:
        if encoding in _DECODERS:
            found, sound = _DECODERS[encoding](body)
            if sound or not _TEXT.match(body[:_LOOKED_AT]):
                body, whole = found, whole and sound
    return body, whole


def _unchunked(data: bytes) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    at = 0
    while at <= len(data) and (size := _CHUNK.match(data, at)):
        length = int(size[1], 16)
        if not length:
            return b"".join(parts), True
        at = size.end() + length
        parts.append(data[size.end() : at])
    return (b"".join(parts), False) if parts else (data, True)


def _gunzipped(data: bytes) -> tuple[bytes, bool]:
    """All members decoded; other bytes after a member are ignored, as browsers do."""
    body, at, whole = bytearray(), 0, False
    while data.startswith(b"\x1f\x8b", at) and len(body) <= LONGEST_PAGE:
        used, whole = _inflate(data, at, zlib.MAX_WBITS + 16, body)
        if not whole:
            break
        at += used
    return bytes(body), whole


def _inflated(data: bytes) -> tuple[bytes, bool]:
    """The decoded body. By the standard `deflate` means zlib, but some servers send raw deflate."""
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        body = bytearray()
        _, whole = _inflate(data, 0, bits, body)
        if body or whole:
            return bytes(body), whole
    return b"", False


def _inflate(data: bytes, start: int, bits: int, body: bytearray) -> tuple[int, bool]:
    """Decode one stream and append it to `body`; the bytes it took, and whether it ended properly."""
    decoder = zlib.decompressobj(bits)
    for at in range(start, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        try:
            body += decoder.decompress(piece, max(LONGEST_PAGE + 1 - len(body), 1))
        except zlib.error:
            return 0, False
        if decoder.eof:
            return at + len(piece) - len(decoder.unused_data) - start, True
        if len(body) > LONGEST_PAGE:
            break
    return 0, False


def _by_fastwarc(reader: str, data: bytes) -> tuple[bytes, bool]:
    from fastwarc import stream_io

    body = bytearray()
    try:
        stream: Any = getattr(stream_io, reader)(io.BytesIO(data))
        while len(body) <= LONGEST_PAGE and (part := stream.read(_PIECE)):
            body += part
    except (OSError, ValueError):
        return bytes(body), False
    return bytes(body), True


_DECODERS: dict[str, Callable[[bytes], tuple[bytes, bool]]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _inflated,
    "br": partial(_by_fastwarc, "BrotliReader"),
    "zstd": partial(_by_fastwarc, "ZstdReader"),
}
