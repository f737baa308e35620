"""Frames: the gzip members, zstd or lz4 frames that an archive is packed in, each unpacked on its own.

Most archives pack every record into a frame of its own, so that a damaged one costs no other. Where a frame ends is
told by gzip's decoder once it is there, and by the lengths in front of the blocks in zstd and lz4. A file that is not
packed is one plain frame.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any, Protocol

CHUNK = 1 << 17
"""The most that is unpacked at a time."""

_GZIP, _ZSTD, _LZ4 = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_FIRST_READ, _NEXT_READS, _CAREFUL_READ = 1 << 14, 1 << 16, 1 << 6
_LARGEST_DICTIONARY = 1 << 24
_ENDLESS = 1 << 62
_Ends = Callable[[IO[bytes], int], Iterator[int]]
FRAME_START = re.compile(
    # Of gzip: no flag that does not exist, and a system that does.
    rb"\x1f\x8b\x08(?=[\x00-\x1f].{5}[\x00-\x0d\xff])|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18",
    re.DOTALL,
)


class CorruptRecord(Exception):
    """What is there cannot be what it should be."""


class Frame(Protocol):
    """Some bytes of a file that are unpacked together."""

    @property
    def start(self) -> int:
        """Where it starts in the file."""

    @property
    def end(self) -> int:
        """Where it ends, known once all of it was read."""

    def read(self) -> bytes:
        """The next bytes, at most CHUNK; empty at its end, when all checks have passed. Raises CorruptRecord."""


class Packing:
    """How a file is packed, told from its first bytes; `packed` False: it is one plain frame."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        file.seek(0)
        first = file.read(4)
        self.packed = first[:2] == _GZIP or first in (_ZSTD, _LZ4) or _SKIPPED.match(first) is not None
        self._dictionary = _dictionary(file) if first == _DICTIONARY else None

    def frame(self, start: int) -> Frame:
        """The frame that starts at a byte. Raises CorruptRecord."""
        from fastwarc.stream_io import Lz4Reader, ZstdReader

        self._file.seek(start)
        first = self._file.read(4) if self.packed else b""
        if not self.packed:
            return _Plain(self._file, start)
        if first[:2] == _GZIP:
            return _Gzip(self._file, start)
        if first == _ZSTD:
            return _Blocks(self._file, start, _zstd_ends, partial(ZstdReader, dictionary=self._dictionary))
        if first == _LZ4:
            return _Blocks(self._file, start, _lz4_ends, Lz4Reader)
        if _SKIPPED.match(first):
            return _Skipped(self._file, start)
        raise CorruptRecord


class _Plain:
    """A file that is not packed, from a byte on."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        self._file = file
        self.start = self.end = start

    def read(self) -> bytes:
        """The next bytes; empty at the end of the file."""
        self._file.seek(self.end)
        data = self._file.read(CHUNK)
        self.end += len(data)
        return data


class _Gzip:
    """A gzip member."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        self._file = file
        self._unpack = zlib.decompressobj(31)
        self._fed = False
        self._broken = False
        self.start = self.end = start

    def read(self) -> bytes:
        while not self._unpack.eof:
            packed = self._unpack.unconsumed_tail
            if not packed:
                self._file.seek(self.end)
                packed = self._file.read(_NEXT_READS if self._fed else _FIRST_READ)
                self.end += len(packed)
            if not packed or self._broken:
                raise CorruptRecord
            data = self._unpacked(packed)
            self._fed = True
            if self._unpack.eof:
                self.end -= len(self._unpack.unused_data)
            if data:
                return data
        return b""

    def _unpacked(self, packed: bytes) -> bytes:
        """Where it is damaged, what comes before the damage."""
        before = self._unpack.copy() if self._fed else None
        try:
            return self._unpack.decompress(packed, CHUNK)
        except zlib.error:
            self._broken = True
        before, parts = before or zlib.decompressobj(31), []
        try:
            for at in range(0, len(packed), _CAREFUL_READ):
                parts.append(before.decompress(packed[at : at + _CAREFUL_READ]))
        except zlib.error:
            pass
        return b"".join(parts)


class _Blocks:
    """A zstd or lz4 frame, which consists of blocks; FastWARC unpacks it."""

    def __init__(self, file: IO[bytes], start: int, ends: _Ends, reader: Callable[[Any], Any]) -> None:
        self.start = start
        self._file, self._ends, self._new_reader = file, ends, reader
        self._part = self._new_part()
        self._reader: Any = None
        self._given = 0
        self._broken = False

    @property
    def end(self) -> int:
        return self._part.end

    def _new_part(self) -> _Part:
        return _Part(self._file, self.start, _ends_or_all(self._ends(self._file, self.start)))

    def read(self) -> bytes:
        if self._broken:
            raise CorruptRecord
        try:
            self._reader = self._reader or self._new_reader(self._part)
            data: bytes = self._reader.read(CHUNK)
        except OSError as error:
            if error.errno is not None:
                raise
            self._broken = True
            data = self._before_damage()
        self._given += len(data)
        if not data and (self._broken or self.end == _ENDLESS):
            raise CorruptRecord
        return data

    def _before_damage(self) -> bytes:
        """What a reader gives that goes on with small steps from where the first has come to."""
        parts, left = [], self._given
        try:
            reader = self._new_reader(self._new_part())
            while left:
                left -= len(reader.read(min(left, CHUNK)))
            while part := reader.read(_CAREFUL_READ):
                parts.append(part)
        except OSError:
            pass
        return b"".join(parts)


class _Skipped:
    """A frame that holds no data, only perhaps a dictionary for the others."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        self.start, self.end = start, start + 8 + _number(file, start + 4, 4)
        if self.end > file.seek(0, io.SEEK_END):
            raise CorruptRecord

    def read(self) -> bytes:
        return b""


class _Part:
    """The blocks of a frame as a file for FastWARC; their lengths are looked at as it comes to them."""

    def __init__(self, file: IO[bytes], start: int, ends: Iterator[int]) -> None:
        self._file, self._start, self._ends = file, start, ends
        self._at = self._known = start

    @property
    def end(self) -> int:
        """Where the last block ends."""
        self._known = max(self._ends, default=self._known)
        return self._known

    def read(self, size: int) -> bytes:
        while self._known < self._at + size and (end := next(self._ends, None)) is not None:
            self._known = end
        self._file.seek(self._at)
        data = self._file.read(max(min(size, self._known - self._at), 0))
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (self._at if whence == io.SEEK_CUR else self._start)
        return self.tell()

    def tell(self) -> int:
        return self._at - self._start


def _ends_or_all(ends: Iterator[int]) -> Iterator[int]:
    """Of a frame that is cut short, all that is left of the file."""
    try:
        yield from ends
    except CorruptRecord:
        yield _ENDLESS


def _zstd_ends(file: IO[bytes], start: int) -> Iterator[int]:
    """Where each block ends, the last one with the checksum. RFC 8878, 3.1.1."""
    about = _number(file, start + 4, 1)
    single, checksum, last = about >> 5 & 1, about >> 2 & 1, 0
    at = start + 5 + (1 - single) + (0, 1, 2, 4)[about & 3] + (single, 2, 4, 8)[about >> 6]
    while not last:
        block = _number(file, at, 3)
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        at += 3 + (1 if kind == 1 else size)
        yield at + 4 * last * checksum


def _lz4_ends(file: IO[bytes], start: int) -> Iterator[int]:
    """The same by LZ4's frame format 1.6; the last block is empty."""
    about = _number(file, start + 4, 1)
    at = start + 7 + 8 * (about >> 3 & 1) + 4 * (about & 1)
    size = -1
    while size:
        size = _number(file, at, 4) & 0x7FFF_FFFF
        at += 4 + size + 4 * ((about >> 4 if size else about >> 2) & 1)
        yield at


def _number(file: IO[bytes], at: int, size: int) -> int:
    file.seek(at)
    data = file.read(size)
    if len(data) < size:
        raise CorruptRecord
    return int.from_bytes(data, "little")


def _dictionary(file: IO[bytes]) -> bytes | None:
    """The dictionary in the first frame of a zstd file, which may be packed itself; None where it is damaged."""
    from fastwarc.stream_io import ZstdReader

    try:
        data = file.read(min(_number(file, 4, 4), _LARGEST_DICTIONARY))
        return ZstdReader(io.BytesIO(data)).read(_LARGEST_DICTIONARY) if data[:4] == _ZSTD else data
    except (CorruptRecord, OSError):
        return None
