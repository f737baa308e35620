"""The bytes of a file, plain or packed with gzip, zstd, bzip2 or xz, told from its first bytes.

All that can be unpacked is given before a damaged place is an error (an OSError without a number), so that a reader may
keep it.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

_GZIP, _ZSTD, _XZ = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00"
_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_LONGEST_MAGIC = 10
_GZIP_WITH_HEADER = 31
_XZ_MEMORY = (1 << 27) + (1 << 20)
"""Bytes for a window of 128 MiB, which is also the most that zstd may ask for."""
_CHUNK = 1 << 16


def unpacked(raw: IO[bytes], size: int) -> Iterator[bytes]:
    """The bytes in blocks of about a size."""
    magic = raw.read(_LONGEST_MAGIC)
    raw.seek(0)
    if magic.startswith(_GZIP):
        return _joined(_gunzipped(raw, size), size)
    if magic.startswith(_ZSTD):
        return _joined(_unpacked_zstd(raw), size)
    if magic.startswith(_XZ):
        return _joined(_unpacked_streams(raw, size, _unxz), size)
    if _BZIP2.match(magic):
        return _joined(_unpacked_streams(raw, size, bz2.BZ2Decompressor), size)
    return iter(lambda: raw.read(size), b"")


def _gunzipped(raw: IO[bytes], size: int) -> Iterator[bytes]:
    """The members of a gzip file, one after the other."""
    packed = b""
    while packed := _next_member(raw, packed):
        member = zlib.decompressobj(_GZIP_WITH_HEADER)
        while not member.eof:
            packed = packed or raw.read(_CHUNK)
            try:
                data = member.decompress(packed, size)
            except zlib.error as error:
                raise OSError(str(error)) from None
            if not (packed or data or member.eof):
                raise OSError("it ends inside a gzip member")
            yield data
            packed = member.unconsumed_tail
        packed = member.unused_data


def _next_member(raw: IO[bytes], packed: bytes) -> bytes:
    """The first bytes behind the zeros with which some tools pad a file; empty at its end."""
    packed = packed.lstrip(b"\0")
    while not packed and (chunk := raw.read(_CHUNK)):
        packed = chunk.lstrip(b"\0")
    return packed


def _unpacked_streams(raw: IO[bytes], size: int, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """The streams of a bzip2 or xz file, one after the other."""
    packed = b""
    while packed := _next_member(raw, packed):
        stream = decompressor()
        while not stream.eof:
            packed = packed or (raw.read(_CHUNK) if stream.needs_input else b"")
            if not packed and stream.needs_input:
                raise OSError("it ends inside a packed stream")
            try:
                yield stream.decompress(packed, size)
            except (lzma.LZMAError, ValueError, EOFError) as error:
                raise OSError(str(error)) from None
            packed = b""
        packed = stream.unused_data


def _unxz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _unpacked_zstd(raw: IO[bytes]) -> Iterator[bytes]:
    import pyarrow as pa

    # Arrow closes its file at the end, so it is given a handle of its own, with the same place in the file.
    own = os.fdopen(os.dup(raw.fileno()), "rb", buffering=0)
    stream = pa.CompressedInputStream(pa.PythonFile(own, mode="r"), "zstd")
    while data := stream.read(_CHUNK):
        yield data


def _joined(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Chunks put together to blocks; the last ones come before an error does."""
    held: list[bytes] = []
    try:
        for chunk in chunks:
            held.append(chunk)
            if sum(map(len, held)) >= size:
                yield b"".join(held)
                held = []
    except OSError:
        yield b"".join(held)
        raise
    yield b"".join(held)
