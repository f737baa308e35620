"""The body of an HTTP answer without transfer and content encodings: chunked, gzip, deflate, br, zstd.

What can be unpacked is kept, up to LONGEST_PAGE bytes, also where the rest was cut or is damaged. Archives that hold a
page unpacked often keep the header that said it was packed; so what cannot be unpacked and is text is taken as it is.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from typing import Any

LONGEST_PAGE = 8 << 20

_MOST_PACKINGS = 3
_PIECE = 1 << 10
"""Read at a time, because an error costs the whole piece it is in."""

_CHUNK = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\n]*)?\r?\n")
_TEXT = re.compile(rb"(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)|[^\x00-\x08\x0e-\x1a\x1c-\x1f]*+$")
_LOOKED_AT = 512


def unpacked(body: bytes, transfer: str, content: str) -> tuple[bytes, bool]:
    """The body, and whether it was unpacked to its end. `transfer`, `content`: the two headers that name encodings."""
    whole = True
    if "chunked" in transfer.lower():
        body, whole = _unchunked(body)
    packings = [word.strip().lower() for word in content.split(",")]
    for packing in list(reversed(packings))[:_MOST_PACKINGS]:
        if packing in _UNPACK:
            found, sound = _UNPACK[packing](body)
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
    """All members; other bytes behind one are ignored, as browsers do."""
    body, at, whole = bytearray(), 0, False
    while data.startswith(b"\x1f\x8b", at) and len(body) <= LONGEST_PAGE:
        used, whole = _inflate(data, at, zlib.MAX_WBITS + 16, body)
        if not whole:
            break
        at += used
    return bytes(body), whole


def _inflated(data: bytes) -> tuple[bytes, bool]:
    """`deflate` means zlib by the standard and raw deflate to some servers."""
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        body = bytearray()
        _, whole = _inflate(data, 0, bits, body)
        if body or whole:
            return bytes(body), whole
    return b"", False


def _inflate(data: bytes, start: int, bits: int, body: bytearray) -> tuple[int, bool]:
    """Unpack one stream to the end of a body; how many bytes it took, and whether it ended as it should."""
    unpack = zlib.decompressobj(bits)
    for at in range(start, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        try:
            body += unpack.decompress(piece, max(LONGEST_PAGE + 1 - len(body), 1))
        except zlib.error:
            return 0, False
        if unpack.eof:
            return at + len(piece) - len(unpack.unused_data) - start, True
        if len(body) > LONGEST_PAGE:
            break
    return 0, False


def _by_fastwarc(reader: str) -> Callable[[bytes], tuple[bytes, bool]]:
    def unpack(data: bytes) -> tuple[bytes, bool]:
        from fastwarc import stream_io

        body = bytearray()
        try:
            stream: Any = getattr(stream_io, reader)(io.BytesIO(data))
            while len(body) <= LONGEST_PAGE and (part := stream.read(_PIECE)):
                body += part
        except (OSError, ValueError):
            return bytes(body), False
        return bytes(body), True

    return unpack


_UNPACK: dict[str, Callable[[bytes], tuple[bytes, bool]]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _inflated,
    "br": _by_fastwarc("BrotliReader"),
    "zstd": _by_fastwarc("ZstdReader"),
}
