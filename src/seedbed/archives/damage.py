"""What was wrong in archives: how often, and the first few places; where a reader can go on behind a damaged record."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from pathlib import Path
from typing import IO, NamedTuple

_SHOWN = 3
_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b\x08"
GIVEN_UP = "files given up at some place after too much damage"
_PASSES = 16
_ALWAYS = 1 << 26
_LONGEST_HEADER = 1 << 16
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_GAP = re.compile(rb"(?:\r?\n){1,2}(?=WARC/|$)|\r?\n\r?\n")


class Damage(NamedTuple):
    """Something that was left out or cut: what it is, and where; `byte` −1: the file or URL says it."""

    what: str
    file: str
    byte: int = -1


class Damages:
    """Counts them by kind; keeps the first few places."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._places: dict[str, list[str]] = {}

    def add(self, damage: Damage, count: int = 1) -> None:
        """Count one."""
        self._counts[damage.what] += count
        places = self._places.setdefault(damage.what, [])
        if len(places) < _SHOWN:
            places.append(damage.file if damage.byte < 0 else f"{damage.file} at byte {damage.byte:,}")

    def notes(self) -> list[str]:
        """One line for each kind."""
        return [
            f"{what}: {count:,} ({'; '.join(self._places[what])}{'; …' if count > len(self._places[what]) else ''})"
            for what, count in self._counts.items()
        ]


class Patience:
    """How often a file is read over: a wrong length may take a reader to the end of the file, again and again."""

    def __init__(self, size: int) -> None:
        self._left = _PASSES * size + _ALWAYS

    def ends(self, read: int) -> bool:
        """Whether so many bytes more are too many."""
        self._left -= max(read, 0)
        return self._left < 0


def next_record(path: Path, start: int, plain: re.Pattern[bytes], first_bytes: re.Pattern[bytes]) -> int | None:
    """Where the next sound record starts at or behind a byte of the file; None where there is none.

    In gzip it is a member that unpacks to `first_bytes`, else a place where the first group of `plain` matches.
    """
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP[:2]
        at = start
        while True:
            file.seek(at)
            block = file.read(_BLOCK)
            found = _in_member(block, first_bytes) if packed else _in_plain(block, plain)
            if found is not None:
                return at + found
            if len(block) < _BLOCK:
                return None
            at += _BLOCK - (1 << 14)


def end_of_record(path: Path, start: int, length: int) -> int | None:
    """Where the WARC record that starts at a byte ends, if its length and, in gzip, its checksum are right."""
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP[:2]
        file.seek(start)
        member = Member(file) if packed else None
        read = member.read if member is not None else file.read
        data = read(_LONGEST_HEADER)
        header = _HEADER_END.search(data)
        if header is None:
            return None
        missing = length - (len(data) - header.end())
        behind = data[header.end() + length :] if missing < 0 else b""
        while missing > 0:
            skipped = read(min(missing, _BLOCK))
            if not skipped:
                return None
            missing -= len(skipped)
        behind += read(_LONGEST_HEADER)
        if member is not None:
            return start + member.used if member.whole and not behind.strip() else None
        gap = _GAP.match(behind)
        return file.tell() - len(behind) + gap.end() if gap else None


class Member:
    """One gzip member, unpacked as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._start = file.tell()
        self._unpack = zlib.decompressobj(31)
        self.used = 0

    @property
    def whole(self) -> bool:
        """Whether it was read to its end, with the right checksum."""
        return self._unpack.eof

    def read(self, size: int) -> bytes:
        """Some bytes; empty at the end or where it is damaged."""
        data = b""
        while not data and not self._unpack.eof:
            packed = self._unpack.unconsumed_tail or self._file.read(1 << 16)
            try:
                data = self._unpack.decompress(packed, size) if packed else b""
            except zlib.error:
                packed = b""
            if not packed:
                break
        if self._unpack.eof:
            self.used = self._file.tell() - len(self._unpack.unused_data) - self._start
        return data


def _in_plain(block: bytes, plain: re.Pattern[bytes]) -> int | None:
    match = plain.search(block)
    return match.start(1) if match else None


def _in_member(block: bytes, first_bytes: re.Pattern[bytes]) -> int | None:
    at = block.find(_GZIP)
    while at >= 0:
        try:
            start = zlib.decompressobj(31).decompress(block[at : at + (1 << 14)], 1 << 12)
        except zlib.error:
            start = b""
        if first_bytes.match(start):
            return at
        at = block.find(_GZIP, at + 1)
    return None
