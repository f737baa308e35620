"""The decompressed bytes of an archive, frame after frame: gzip members, zstd or lz4 frames.

Most archives compress each record into its own frame, so a corrupt one affects no other. Gzip's decoder knows the end
of a frame only when it reaches it; in zstd and lz4 the lengths before the blocks give it. An uncompressed file is one
plain frame.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from typing import IO, Any, NamedTuple

CHUNK = 1 << 17
"""The maximum that is decompressed at a time, in bytes."""
_GZIP, _ZSTD, _LZ4 = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_FIRST_READ, _NEXT_READS, _CAREFUL_READ = 1 << 14, 1 << 16, 1 << 6
_LARGEST_DICTIONARY = 1 << 24
_ENDLESS = 1 << 62
_BLANKS = re.compile(rb"[\r\n]*")
_LONGEST_MATCH = 1 << 14
_Ends = Callable[[IO[bytes], int], Iterator[int]]
FRAME_START = re.compile(
    # For gzip: no undefined flags, and a defined operating system.
    rb"\x1f\x8b\x08(?=[\x00-\x1f].{5}[\x00-\x0d\xff])|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18",
    re.DOTALL,
)


class CorruptRecord(Exception):
    """The bytes are not what they should be."""


Frame = Generator[bytes, None, int]
"""The decompressed bytes of a frame, mostly in pieces of CHUNK; returns where it ends, once all checks have passed.

Raises CorruptRecord, after the bytes before the damage.
"""


class Place(NamedTuple):
    """Where a record is: the byte at which its frame (in a plain file: the record) starts, and the offset inside."""

    byte: int
    inside: int = 0


class Decompressed:
    """Reads the current frame; `read`, `until` and `more` continue into the next one, and raise CorruptRecord.

    `compressed`: whether the file consists of frames, judged by its first bytes; otherwise it is one plain frame.
    """

    def __init__(self, file: IO[bytes], place: Place) -> None:
        self._file = file
        file.seek(0)
        first = file.read(4)
        self.compressed = first[:2] == _GZIP or first in (_ZSTD, _LZ4) or _SKIPPED.match(first) is not None
        self._dictionary = _dictionary(file) if first == _DICTIONARY else None
        self._frame: Frame | None = None
        self._start = self._end = place.byte
        self._buffer = b""
        self._at = 0
        self._loaded = 0
        self._before = 0
        self.read(place.inside, keep=0)

    @property
    def place(self) -> Place:
        """Where the next byte is."""
        inside = self._loaded - (len(self._buffer) - self._at)
        return Place(self._start, inside) if self.compressed else Place(self._start + inside)

    @property
    def passed(self) -> int:
        """How many bytes have been consumed."""
        return self._before + self._loaded - (len(self._buffer) - self._at)

    def more(self) -> bool:
        """Skip blank lines; whether anything follows."""
        while self._only_blanks():
            if not self._load_anywhere():
                return False
        return True

    def blank_lines(self) -> int | None:
        """Skip blank lines in this frame; the number of newlines, or None if the frame ended."""
        count = 0
        while True:
            start = self._at
            only_blanks = self._only_blanks()
            count += self._buffer.count(b"\n", start, self._at)
            if not only_blanks:
                return count
            if not self._load():
                return None

    def matches(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether the next bytes of this frame match a pattern; about _LONGEST_MATCH bytes are examined."""
        while pattern.match(self._buffer, self._at) is None:
            if len(self._buffer) - self._at >= _LONGEST_MATCH or not self._load():
                return False
        return True

    def until(self, pattern: re.Pattern[bytes], longest: int) -> bytes:
        """All bytes up to the end of the first match of a pattern."""
        while True:
            match = pattern.search(self._buffer, self._at, self._at + longest)
            if match is not None:
                data = self._buffer[self._at : match.end()]
                self._at = match.end()
                return data
            if len(self._buffer) - self._at >= longest or not self._load_anywhere():
                raise CorruptRecord

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Move to where the first group of a pattern matches in this frame; whether it does."""
        self.read_up_to(pattern, keep=0)
        return self._at < len(self._buffer)

    def read(self, length: int, *, keep: int) -> bytes:
        """Read `length` bytes; the first `keep` of them."""
        parts = []
        while length:
            if self._at == len(self._buffer) and not self._load_anywhere():
                raise CorruptRecord
            size = min(length, len(self._buffer) - self._at)
            parts.append(self._passed(size, keep))
            keep -= len(parts[-1])
            length -= size
        return b"".join(parts)

    def read_up_to(self, pattern: re.Pattern[bytes] | None, *, keep: int) -> bytes:
        """Read to where the first group of a pattern matches, or to the end of this frame; the first `keep` bytes."""
        parts, more = [], True
        while more:
            match = pattern.search(self._buffer, self._at) if pattern is not None else None
            if match is None:
                more = self._load()
            # Newly loaded bytes may complete a match with those before them.
            end = len(self._buffer) - (_LONGEST_MATCH if more else 0) if match is None else match.start(1)
            parts.append(self._passed(max(end - self._at, 0), keep))
            keep -= len(parts[-1])
            more = more and match is None
        return b"".join(parts)

    def _passed(self, size: int, keep: int) -> bytes:
        """Consume bytes that are loaded; the first `keep` of them."""
        start = self._at
        self._at += size
        return self._buffer[start : start + min(size, keep)]

    def _only_blanks(self) -> bool:
        """Skip newlines in the buffer; whether nothing else is left in it."""
        blanks = _BLANKS.match(self._buffer, self._at)
        self._at = blanks.end() if blanks else self._at
        return self._at == len(self._buffer)

    def _load_anywhere(self) -> bool:
        """Load more of this frame, or of the next non-empty one; False at the end of the file."""
        while not self._load():
            if not self._go_over():
                return False
        return True

    def _load(self) -> bool:
        """Load more of this frame; False at its end, once its checks have passed."""
        data = b""
        try:
            data = next(self._frame) if self._frame is not None else b""
        except StopIteration as ended:
            self._frame, self._end = None, ended.value
        self._buffer = self._buffer[self._at :] + data
        self._at = 0
        self._loaded += len(data)
        return bool(data)

    def _go_over(self) -> bool:
        """Move to the next frame; False if nothing follows but zeros, which pad files on tapes."""
        self._start = self._end
        self._before += self._loaded
        self._loaded = 0
        self._file.seek(self._start)
        data = self._file.read(1)
        while data == bytes(len(data)) and data:
            data = self._file.read(CHUNK)
        self._frame = self._frame_at(self._start) if data else None
        return bool(data)

    def _frame_at(self, start: int) -> Frame:
        from fastwarc.stream_io import Lz4Reader, ZstdReader

        self._file.seek(start)
        first = self._file.read(4)
        if not self.compressed:
            return (yield from _plain(self._file, start))
        if first[:2] == _GZIP:
            return (yield from _gzip(self._file, start))
        if first == _ZSTD:
            reader = partial(ZstdReader, dictionary=self._dictionary)
            return (yield from _blocks(self._file, start, _zstd_ends, reader))
        if first == _LZ4:
            return (yield from _blocks(self._file, start, _lz4_ends, Lz4Reader))
        if not _SKIPPED.match(first):
            raise CorruptRecord
        # A skippable frame has no data, at most a dictionary for the other frames.
        end = start + 8 + _number(self._file, start + 4, 4)
        if end > self._file.seek(0, io.SEEK_END):
            raise CorruptRecord
        return end


def _plain(file: IO[bytes], at: int) -> Frame:
    """An uncompressed file, from a given byte."""
    file.seek(at)
    while data := file.read(CHUNK):
        at += len(data)
        yield data
        file.seek(at)
    return at


def _gzip(file: IO[bytes], end: int) -> Frame:
    """A gzip member."""
    decoder, size = zlib.decompressobj(31), _FIRST_READ
    while not decoder.eof:
        part = decoder.unconsumed_tail
        if not part:
            file.seek(end)
            part = file.read(size)
            end += len(part)
            size = _NEXT_READS
        if not part:
            raise CorruptRecord
        before = decoder.copy()
        try:
            data = decoder.decompress(part, CHUNK)
        except zlib.error:
            steps = range(0, len(part), _CAREFUL_READ)
            yield from _up_to_damage(before.decompress(part[at : at + _CAREFUL_READ]) for at in steps)
            raise CorruptRecord from None
        if data:
            yield data
    return end - len(decoder.unused_data)


def _blocks(file: IO[bytes], start: int, ends: _Ends, new_reader: Callable[[Any], Any]) -> Frame:
    """A zstd or lz4 frame, which consists of blocks; FastWARC decompresses it."""
    part, given = _Part(file, start, ends), 0
    try:
        reader = new_reader(part)
        while data := reader.read(CHUNK):
            given += len(data)
            yield data
    except OSError as error:
        if error.errno is not None:
            raise
        yield from _up_to_damage(_read_again(new_reader, _Part(file, start, ends), given))
        raise CorruptRecord from None
    if part.end == _ENDLESS:
        raise CorruptRecord
    return part.end


def _read_again(new_reader: Callable[[Any], Any], part: _Part, given: int) -> Iterator[bytes]:
    """What follows the bytes already given, in small pieces, by a second reader."""
    reader = new_reader(part)
    while given:
        given -= len(reader.read(min(given, CHUNK)))
    while data := reader.read(_CAREFUL_READ):
        yield data


def _up_to_damage(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The small pieces that can be decompressed, joined."""
    kept = bytearray()
    with suppress(zlib.error, OSError):
        for piece in pieces:
            kept += piece
    if kept:
        yield bytes(kept)


class _Part:
    """The blocks of a frame as a file for FastWARC; their lengths are read as it reaches them."""

    def __init__(self, file: IO[bytes], start: int, ends: _Ends) -> None:
        self._file, self._start, self._ends = file, start, _ends_or_all(ends(file, start))
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
    """The ends of blocks; a truncated frame takes the rest of the file."""
    try:
        yield from ends
    except CorruptRecord:
        yield _ENDLESS


def _zstd_ends(file: IO[bytes], start: int) -> Iterator[int]:
    """Where each block ends, the last one including the checksum. RFC 8878, 3.1.1."""
    about = _number(file, start + 4, 1)
    single, checksum, last = about >> 5 & 1, about >> 2 & 1, 0
    at = start + 5 + (1 - single) + (0, 1, 2, 4)[about & 3] + (single, 2, 4, 8)[about >> 6]
    while not last:
        block = _number(file, at, 3)
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        at += 3 + (1 if kind == 1 else size)
        yield at + 4 * last * checksum


def _lz4_ends(file: IO[bytes], start: int) -> Iterator[int]:
    """The same for LZ4's frame format 1.6; the last block is empty."""
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
    """The dictionary in the first frame of a zstd file, which may itself be compressed; None if it is corrupt."""
    from fastwarc.stream_io import ZstdReader

    try:
        data = file.read(min(_number(file, 4, 4), _LARGEST_DICTIONARY))
        return ZstdReader(io.BytesIO(data)).read(_LARGEST_DICTIONARY) if data[:4] == _ZSTD else data
    except (CorruptRecord, OSError):
        return None
