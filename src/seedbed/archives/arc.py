r"""ARC records as captures: a line `URL address date type length`, then that many bytes, then a line end.

    http://a.example/ 192.0.2.1 20080430204825 text/html 1234\nHTTP/1.1 200 OK\r\n…

Version 2 has five more fields before the length. The first record, filedesc://, describes the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.damage import GIVEN_UP, Damage, Member, Patience, next_record

START = re.compile(rb"filedesc:")
_HEADER = rb"[a-zA-Z][a-zA-Z0-9+.-]*:[^\n]{0,8192}? [0-9a-fA-F.:]{3,45} \d{8,17} [^\n]{1,300}? ?\d{1,18}\r?\n"
_RECORD = re.compile(_HEADER)
_PLAIN = re.compile(rb"\n(" + _HEADER + rb")")
_ADDRESS = re.compile(rb"[0-9a-fA-F.:]{3,45}")
_DATE = re.compile(rb"\d{8,17}")
_LENGTH = re.compile(rb"\d{1,18}")
_LONGEST_LINE = 1 << 14
_DAMAGED = "damaged places left out"


def first_sound(path: Path) -> int | None:
    """Where the first record starts that can be told for one."""
    return next_record(path, 0, _PLAIN, _RECORD)


def captures(path: Path) -> Iterator[Capture | Damage]:
    """All captures of a file, and what could not be read."""
    start: int | None = 0
    patience = Patience(path.stat().st_size)
    while start is not None:
        reader = _Reader(path, start)
        yield from reader.captures()
        if reader.failed is None:
            return
        yield Damage(_DAMAGED, path.name, reader.failed)
        if patience.ends(reader.reached - start):
            yield Damage(GIVEN_UP, path.name, reader.failed)
            return
        start = next_record(path, reader.failed + 1, _PLAIN, _RECORD)


class _Reader:
    """Reads from one place on; `failed` is the place of the record at which it had to give up."""

    def __init__(self, path: Path, start: int) -> None:
        self._path = path
        self._start = start
        self.failed: int | None = None
        self.reached = start

    def captures(self) -> Iterator[Capture]:
        """Each capture once the record behind it is reached."""
        with self._path.open("rb") as file:
            stream = _Stream(file, self._start)
            place, held = self._start, None
            while self.failed is None:
                try:
                    line, apart = stream.header()
                    fields = _fields(line) if line else None
                except (ValueError, EOFError):
                    # A new member, or an empty line, says that the record before has ended where it should.
                    line, fields, apart = b"?", None, stream.place > place and (stream.packed or stream.apart)
                if held is not None:
                    held.place = place
                if held is not None and (fields is not None or apart or not line):
                    yield held
                if not line:
                    return
                if fields is None:
                    self.failed = stream.place if apart else place
                    break
                place = stream.place
                try:
                    held = stream.capture(*fields)
                except (ValueError, EOFError):
                    self.failed = place
            self.reached = file.tell()


def _fields(line: bytes) -> tuple[str, int]:
    """URL and length; the URL may have blanks in it, so an address and a date tell where it ends."""
    words = line.rstrip(b"\r\n").split(b" ")
    for k in range(1, len(words) - 2):
        if _DATE.fullmatch(words[k + 1]) and _ADDRESS.fullmatch(words[k]) and _LENGTH.fullmatch(words[-1]):
            return b" ".join(words[:k]).decode("utf-8", "replace"), int(words[-1])
    raise ValueError("not the line of a record")


class _Stream:
    """The unpacked bytes, with the place in the file of the line, or of the gzip member it is in."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        file.seek(start)
        self.packed = file.read(2) == b"\x1f\x8b"
        file.seek(start)
        self._file = file
        self._member = Member(file) if self.packed else None
        self._member_start = start
        self._read_up_to = start
        self._rest = b""
        self.place = start
        self.apart = False

    def header(self) -> tuple[bytes, bool]:
        """The line of the next record, empty at the end of the file; whether an empty line stood before it."""
        self.apart = False
        while True:
            line = self._line()
            if not line or line.strip():
                return line, self.apart
            self.apart = True

    def capture(self, url: str, length: int) -> Capture | None:
        """The capture behind its line; None for what is no HTTP answer."""
        block = self._read(min(length, LONGEST_RECORD))
        left = length - len(block)
        while left:
            left -= len(self._read(min(left, 1 << 18)))
        return http_capture(url, block)

    def _more(self, size: int) -> bytes:
        """Some bytes, of one member only; empty at the end of the file."""
        data = self._file.read(size) if self._member is None else self._member.read(size)
        while not data and self._member is not None:
            if not self._member.whole:
                raise EOFError
            self._member_start += self._member.used
            self._file.seek(self._member_start)
            if not self._file.read(1):
                return b""
            self._file.seek(self._member_start)
            self._member = Member(self._file)
            data = self._member.read(size)
        self._read_up_to += len(data)
        return data

    def _line(self) -> bytes:
        start = self._read_up_to - len(self._rest)
        while b"\n" not in self._rest:
            if len(self._rest) > _LONGEST_LINE:
                raise ValueError("a line without an end")
            try:
                data = self._more(1 << 10)
            finally:
                self.place = start if self._member is None else self._member_start
            if not data:
                line, self._rest = self._rest, b""
                if line.strip():
                    raise EOFError
                return b""
            self._rest += data
        self.place = start if self._member is None else self._member_start
        line, end, self._rest = self._rest.partition(b"\n")
        return line + end

    def _read(self, length: int) -> bytes:
        parts, self._rest = [self._rest[:length]], self._rest[length:]
        missing = length - len(parts[0])
        while missing:
            data = self._more(min(missing, 1 << 18))
            if not data:
                raise EOFError
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)
