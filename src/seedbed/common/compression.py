"""Compressed files: gzip, zstd, bzip2 or xz, chosen by file ending when writing and by the first bytes when reading.

Writing: the same content gives the same bytes, so no dates or names are stored; all four formats include a checksum.
Levels are chosen for speed: 43 MB of links take zstd 0.3 s, xz 2.4 s, bzip2 and gzip 6 s.

Reading: everything that can be decompressed is yielded before corruption raises an error (an OSError without an
errno), so that a reader can keep it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

ENDINGS = (".gz", ".zst", ".bz2", ".xz")
_GZIP_LEVEL, _ZSTD_LEVEL, _XZ_LEVEL = 6, 1, 1

_GZIP, _ZSTD, _XZ = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00"
_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_LONGEST_MAGIC = 10
_GZIP_WITH_HEADER = 31
_XZ_MEMORY = (1 << 27) + (1 << 20)
"""Bytes for a window of 128 MiB, which is also the maximum that zstd may request."""
_CHUNK = 1 << 16


def uncompressed_name(path: Path) -> str:
    """The name of a file without its compression ending."""
    return path.name.removesuffix(path.suffix) if path.suffix in ENDINGS else path.name


@contextmanager
def written_compressed(path: Path) -> Iterator[IO[bytes]]:
    """The file, open for writing; compressed if its ending says so."""
    with path.open("wb") as raw:
        if path.suffix not in ENDINGS:
            yield raw
            return
        with _compressing(raw, path.suffix) as stream:
            yield stream


def _compressing(raw: IO[bytes], ending: str) -> Any:
    import bz2
    import gzip
    import lzma

    if ending == ".gz":
        return gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0)
    if ending == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if ending == ".xz":
        return lzma.LZMAFile(raw, "wb", preset=_XZ_LEVEL)
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).stream_writer(raw, closefd=False)


def decompressed(raw: IO[bytes], size: int) -> Iterator[bytes]:
    """The bytes of a file, compressed or not, in blocks of about `size`."""
    import bz2
    import lzma
    import zlib

    magic = raw.read(_LONGEST_MAGIC)
    raw.seek(0)
    if magic.startswith(_GZIP):
        gzip = partial(zlib.decompressobj, _GZIP_WITH_HEADER)
        return _joined(_read_streams(raw, size, gzip, "gzip member"), size)
    if magic.startswith(_ZSTD):
        return _joined(_read_zstd(raw), size)
    if magic.startswith(_XZ):
        xz = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        return _joined(_read_streams(raw, size, xz, "compressed stream"), size)
    if _BZIP2.match(magic):
        return _joined(_read_streams(raw, size, bz2.BZ2Decompressor, "compressed stream"), size)
    return iter(lambda: raw.read(size), b"")


def _read_streams(raw: IO[bytes], size: int, decompressor: Callable[[], Any], name: str) -> Iterator[bytes]:
    """The streams of a gzip, bzip2 or xz file, one after the other."""
    import lzma
    import zlib

    data = b""
    while data := _next_stream(raw, data):
        stream = decompressor()
        while not stream.eof:
            data = data or (raw.read(_CHUNK) if getattr(stream, "needs_input", True) else b"")
            try:
                out = stream.decompress(data, size)
            except (zlib.error, lzma.LZMAError, ValueError, EOFError, OSError) as error:
                raise OSError(str(error)) from None
            if not (data or out or stream.eof) and getattr(stream, "needs_input", True):
                raise OSError(f"it ends inside a {name}")
            yield out
            # zlib hands back what it has not read; the others keep it.
            data = getattr(stream, "unconsumed_tail", b"")
        data = stream.unused_data


def _next_stream(raw: IO[bytes], data: bytes) -> bytes:
    """The first bytes after the zeros that some tools pad a file with; empty at the end of the file."""
    data = data.lstrip(b"\0")
    while not data and (chunk := raw.read(_CHUNK)):
        data = chunk.lstrip(b"\0")
    return data


def _read_zstd(raw: IO[bytes]) -> Iterator[bytes]:
    import pyarrow as pa

    # Arrow closes its file at the end, so it gets its own handle, at the same position in the file.
    own = os.fdopen(os.dup(raw.fileno()), "rb", buffering=0)
    stream = pa.CompressedInputStream(pa.PythonFile(own, mode="r"), "zstd")
    while data := stream.read(_CHUNK):
        yield data


def _joined(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Chunks joined into blocks; on an error, what is held is yielded before the error is raised."""
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
