"""WACZ: a zip file that holds the archives of a crawl. They are read in place.

    archive/data.warc.gz    the archives, mostly stored uncompressed by zip; a compressed one is decompressed to a
                            temporary copy while it is read
    datapackage.json, indexes/…, pages/pages.jsonl    not read

The zip files are untrusted: names in them are only displayed, never used as paths; the directory's size is checked
before it is read; a compressed archive may grow to at most MOST_GROWTH times its size; files that share bytes are left
out, because a small zip file could list the same bytes a million times.
"""

from __future__ import annotations

import errno
import io
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

LARGEST_DIRECTORY = 1 << 26
MOST_GROWTH = 200
ALWAYS_DECOMPRESSED = 1 << 28
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_END, _END_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 1 << 16
_ENCRYPTED = 1
_ARCHIVE_NAME = re.compile(r"\.(?:warc|arc|wat)(?:\.(?:wat|gz|zst|zstd|lz4))*$", re.IGNORECASE)
_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, RuntimeError, OverflowError)


class NotWhole(Exception):
    """A zip file that cannot be read; the message says why."""


class _Window(io.RawIOBase):
    """A range of a file's bytes as a file."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file, self._start, self._size = file, start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence], 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._start + self._at)
        data = self._file.read(max(min(len(buffer), self._size - self._at), 0))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


@dataclass(frozen=True)
class Member:
    """An archive in a zip file. `header`, `start`: where its header and its bytes are; `name` is only displayed."""

    wacz: Path
    name: str
    header: int
    start: int
    size: int
    stored: bool

    def open(self, mode: str = "rb") -> IO[bytes]:
        """The bytes as they are in the zip file."""
        return io.BufferedReader(_Window(self.wacz.open("rb"), self.start, self.size))

    def __str__(self) -> str:
        return f"{self.wacz}/{self.name}"


ArchiveFile = Path | Member


def size_of(file: ArchiveFile) -> int:
    """How many bytes there are to read."""
    return file.stat().st_size if isinstance(file, Path) else file.size


@contextmanager
def without_zip(file: ArchiveFile) -> Iterator[ArchiveFile]:
    """The archive itself, or a decompressed copy of one that a zip file holds compressed."""
    if not isinstance(file, Member) or file.stored:
        yield file
        return
    with tempfile.TemporaryFile() as copy:
        size = _decompress(file, copy)
        copy.flush()
        # A file without a name, so that nothing stays if this process is killed.
        yield replace(file, wacz=Path(f"/proc/self/fd/{copy.fileno()}"), start=0, size=size, stored=True)


def _decompress(member: Member, copy: IO[bytes]) -> int:
    """Decompress a member; its size in bytes. Raises OSError if that fails, so that it counts as unread."""
    most = max(ALWAYS_DECOMPRESSED, MOST_GROWTH * member.size)
    try:
        with zipfile.ZipFile(member.wacz) as zipped:
            info = next(info for info in zipped.infolist() if info.header_offset == member.header)
            with zipped.open(info) as source:
                while copy.tell() <= most and (data := source.read(1 << 20)):
                    copy.write(data)
    except (*_FAULTS, StopIteration) as error:
        raise OSError(errno.EIO, f"it cannot be decompressed ({' '.join(str(error).split())[:100]})") from None
    if copy.tell() > most:
        raise OSError(errno.EIO, f"it decompresses to more than {most:,} bytes")
    return copy.tell()


def is_archive_name(name: str) -> bool:
    """Whether a file is named like an archive, or like a WACZ file, which holds some."""
    return _ARCHIVE_NAME.search(name) is not None or is_wacz_name(name)


def is_wacz_name(name: str) -> bool:
    """Whether a file is named like a WACZ file."""
    return name.lower().endswith(".wacz")


def is_zip(path: Path) -> bool:
    """Whether a file starts like a zip file; False if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4) in ZIP_STARTS
    except OSError:
        return False


def members_of(path: Path) -> tuple[list[Member], int]:
    """The members of a zip file in byte order, and how many were left out: encrypted, or sharing bytes."""
    try:
        with path.open("rb") as file:
            length = _checked_length(file)
            with zipfile.ZipFile(file) as zipped:
                infos = [info for info in zipped.infolist() if not info.is_dir()]
            found = sorted((_member(path, file, info, length) for info in infos), key=lambda member: member.start)
    except _FAULTS as error:
        raise NotWhole(" ".join(str(error).split())[:100]) from None
    encrypted = {info.header_offset for info in infos if info.flag_bits & _ENCRYPTED}
    alone: list[Member] = []
    for member in found:
        if member.header not in encrypted and (not alone or member.header >= alone[-1].start + alone[-1].size):
            alone.append(member)
    return alone, len(found) - len(alone)


def _member(path: Path, file: IO[bytes], info: zipfile.ZipInfo, length: int) -> Member:
    file.seek(info.header_offset)
    fields = _LOCAL.unpack(file.read(_LOCAL.size))
    if fields[0] != ZIP_STARTS[0]:
        raise NotWhole("a file is not where the directory says")
    start = info.header_offset + _LOCAL.size + fields[-2] + fields[-1]
    name = "".join(letter if letter.isprintable() else "\ufffd" for letter in info.filename[-200:])
    size = max(min(info.compress_size, length - start), 0)
    return Member(path, name, info.header_offset, start, size, info.compress_type == zipfile.ZIP_STORED)


def _checked_length(file: IO[bytes]) -> int:
    """The length of a zip file. Refuses one without a directory, or with one too large for memory."""
    length = file.seek(0, io.SEEK_END)
    file.seek(max(length - _END.size - _LONGEST_COMMENT, 0))
    tail = file.read()
    at = tail.rfind(ZIP_STARTS[1])
    if at < 0 or len(tail) - at < _END.size:
        raise NotWhole("its directory is missing; was it cut off?")
    size = _END.unpack_from(tail, at)[5]
    if size == 0xFFFF_FFFF and at >= _LOCATOR_64.size:
        file.seek(_LOCATOR_64.unpack_from(tail, at - _LOCATOR_64.size)[2])
        size = _END_64.unpack(file.read(_END_64.size))[8]
    if size > LARGEST_DIRECTORY:
        raise NotWhole(f"its directory has {size:,} bytes")
    return length
