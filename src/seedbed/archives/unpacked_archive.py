"""The unpacked bytes of an archive from some place on, frame after frame, for a reader of records."""

from __future__ import annotations

import re
from typing import IO, NamedTuple

from seedbed.archives.frames import CHUNK, CorruptRecord, Frame, Packing

_BLANKS = re.compile(rb"[\r\n]*")
_LONGEST_MATCH = 1 << 14


class Place(NamedTuple):
    """Where a record is: the byte at which its frame starts (or itself, in a plain file), and how far it is inside."""

    byte: int
    inside: int = 0


class Unpacked:
    """Reads the current frame; `read`, `until` and `more` go on to the next one, and raise CorruptRecord."""

    def __init__(self, file: IO[bytes], place: Place) -> None:
        self._file = file
        self._packing = Packing(file)
        self._frame: Frame | None = None
        self._next = place.byte
        self._buffer = b""
        self._at = 0
        self._loaded = 0
        self._before = 0
        self.read(place.inside, keep=0)

    @property
    def packed(self) -> bool:
        """Whether the file consists of frames."""
        return self._packing.packed

    @property
    def place(self) -> Place:
        """Where the next byte is."""
        start = self._next if self._frame is None else self._frame.start
        inside = self._loaded - (len(self._buffer) - self._at)
        return Place(start, inside) if self.packed else Place(start + inside)

    @property
    def passed(self) -> int:
        """How many bytes it has passed."""
        return self._before + self._loaded - (len(self._buffer) - self._at)

    def more(self) -> bool:
        """Pass over blank lines; whether anything follows."""
        while self._only_blanks():
            if not self._load_anywhere():
                return False
        return True

    def blank_lines(self) -> int | None:
        """Pass over blank lines in this frame; how many line ends there were, None where the frame ended."""
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
        """Whether the next bytes of this frame match, of which some thousand are looked at."""
        while pattern.match(self._buffer, self._at) is None:
            if len(self._buffer) - self._at >= _LONGEST_MATCH or not self._load():
                return False
        return True

    def until(self, pattern: re.Pattern[bytes], longest: int) -> bytes:
        """All up to the end of what a pattern matches."""
        while True:
            match = pattern.search(self._buffer, self._at, self._at + longest)
            if match is not None:
                data = self._buffer[self._at : match.end()]
                self._at = match.end()
                return data
            if len(self._buffer) - self._at >= longest or not self._load_anywhere():
                raise CorruptRecord

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Go to where the first group of a pattern matches in this frame; whether there is such a place."""
        while True:
            match = pattern.search(self._buffer, self._at)
            if match is not None:
                self._at = match.start(1)
                return True
            self._at = max(self._at, len(self._buffer) - _LONGEST_MATCH)
            if not self._load():
                return False

    def read(self, length: int, *, keep: int) -> bytes:
        """So many bytes, of which the first few are kept."""
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
        """All up to where the first group of a pattern matches, or to the end of this frame; the first few are kept."""
        parts, more = [], True
        while more:
            match = pattern.search(self._buffer, self._at) if pattern is not None else None
            if match is None:
                more = self._load()
            # What has just been loaded may complete a match with what comes before it.
            end = len(self._buffer) - (_LONGEST_MATCH if more else 0) if match is None else match.start(1)
            parts.append(self._passed(max(end - self._at, 0), keep))
            keep -= len(parts[-1])
            more = more and match is None
        return b"".join(parts)

    def _passed(self, size: int, keep: int) -> bytes:
        """Pass over bytes that are loaded; the first few of them."""
        start = self._at
        self._at += size
        return self._buffer[start : start + min(size, keep)]

    def _only_blanks(self) -> bool:
        """Pass over blanks in what is loaded; whether that is all."""
        blanks = _BLANKS.match(self._buffer, self._at)
        self._at = blanks.end() if blanks else self._at
        return self._at == len(self._buffer)

    def _load_anywhere(self) -> bool:
        """Load more of this frame or of the next that holds anything; False at the end of the file."""
        while not self._load():
            if not self._go_over():
                return False
        return True

    def _load(self) -> bool:
        """Load more of this frame; False at its end, which is then known to be sound."""
        data = self._frame.read() if self._frame is not None else b""
        self._buffer = self._buffer[self._at :] + data
        self._at = 0
        self._loaded += len(data)
        return bool(data)

    def _go_over(self) -> bool:
        """Go over to the next frame; False at the end of the file."""
        if self._frame is not None:
            self._next = self._frame.end
        self._before += self._loaded
        self._loaded, self._frame = 0, None
        if self._ends_at(self._next):
            return False
        self._frame = self._packing.frame(self._next)
        return True

    def _ends_at(self, start: int) -> bool:
        """Whether at most zeros follow, which fill up files on tapes."""
        self._file.seek(start)
        data = self._file.read(1)
        while data == bytes(len(data)) and data:
            data = self._file.read(CHUNK)
        return not data
