"""Records as captures, one after the other, resuming after corrupt ones.

A faster reader for intact records may start a file. It yields captures until it is in doubt or reaches the end of the
file, then returns the byte at which this reader takes over, and how many captures from there it has already yielded.

A record counts only if its end is where it should be and, if its frame ends there too, the frame's checks passed. After
a corrupt record, reading resumes at the next frame that starts with a record; if records share a frame, or in a plain
file, at the next line that starts one. A record with an intact header but a wrong length is read up to there, and
counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from typing import IO, NamedTuple

from seedbed.archives.captures import Capture
from seedbed.archives.frames import FRAME_START, CorruptRecord, Decompressed, Place
from seedbed.archives.wacz import ArchiveFile, size_of
from seedbed.common.read_issues import GIVEN_UP, ReadIssue, ScanBudget, failure

_DAMAGED = "damaged places left out"
_WRONG_LENGTH = "records of a wrong length read up to the next one"
_BLOCK = 1 << 20
_LONGEST_START = 16
_COST_OF_A_LOOK = 1 << 13


class Syntax(NamedTuple):
    """A kind of archive: how to read a record, how one starts, and how to find such a start (its first group)."""

    read: Callable[[Decompressed], Capture | str | None]
    """The capture; or what is wrong with a record that can be skipped; None if it says nothing about a page."""
    read_up_to: Callable[[Decompressed, re.Pattern[bytes] | None], Capture | str | None]
    """The same for a record with a wrong length: up to where a pattern matches, or to the end of its frame."""
    start: re.Pattern[bytes]
    line: re.Pattern[bytes]
    read_intact: Callable[[IO[bytes]], Generator[Capture | ReadIssue, None, tuple[int, int]]] | None = None
    """The faster reader, if there is one."""


def captures(path: ArchiveFile, syntax: Syntax) -> Iterator[Capture | ReadIssue]:
    """All captures of a file, and the issues found in reading it."""
    try:
        with path.open("rb") as file:
            start, given = (0, 0) if syntax.read_intact is None else (yield from syntax.read_intact(file))
            for found in _captures(file, Place(start), syntax, ScanBudget(size_of(path))):
                if given and start == (found.place if isinstance(found, Capture) else found.byte):
                    given -= 1
                else:
                    yield found
    except OSError as error:
        yield failure(error)


def _captures(file: IO[bytes], start: Place, syntax: Syntax, budget: ScanBudget) -> Iterator[Capture | ReadIssue]:
    failed = yield from _from(Decompressed(file, start), syntax, budget)
    resumed: Place | None = None
    while failed is not None:
        stream = yield from _of_a_wrong_length(file, failed, syntax, budget)
        if stream is None:
            # Adjacent damaged records count as one place.
            if failed != resumed:
                yield ReadIssue(_DAMAGED, byte=failed.byte)
            resumed = _next(file, failed, syntax, budget)
        if budget.exhausted:
            yield ReadIssue(GIVEN_UP, byte=failed.byte)
        if budget.exhausted or (stream is None and resumed is None):
            return
        failed = yield from _from(stream or Decompressed(file, resumed or failed), syntax, budget)


def _of_a_wrong_length(
    file: IO[bytes], failed: Place, syntax: Syntax, budget: ScanBudget
) -> Generator[Capture | ReadIssue, None, Decompressed | None]:
    """The capture of a record that is intact except for its length. Returns the stream after it; None if it is not."""
    try:
        stream = Decompressed(file, failed)
        # In its own frame, a record may contain what looks like another, such as a page about archives.
        shared = failed.inside > 0 or failed.byte == 0 or not stream.compressed
        passed = stream.passed
        found = syntax.read_up_to(stream, syntax.line if shared else None)
    except CorruptRecord:
        return None
    budget.spend(failed.inside + stream.passed - passed)
    yield from outcome_of(found, failed.byte)
    yield ReadIssue(_WRONG_LENGTH, byte=failed.byte)
    return stream


def starts_somewhere(path: ArchiveFile, syntax: Syntax) -> bool:
    """Whether a record starts anywhere after the first byte of a file."""
    with path.open("rb") as file:
        return _next(file, Place(0), syntax, ScanBudget(size_of(path))) is not None


def _from(
    stream: Decompressed, syntax: Syntax, budget: ScanBudget
) -> Generator[Capture | ReadIssue, None, Place | None]:
    """Captures up to the end of the file (returns None) or to a corrupt record (returns its place)."""
    while True:
        try:
            if not stream.more():
                return None
        except CorruptRecord:
            return stream.place
        place, passed = stream.place, stream.passed
        try:
            found = syntax.read(stream)
        except CorruptRecord:
            budget.spend(stream.passed - passed + _COST_OF_A_LOOK)
            return place
        yield from outcome_of(found, place.byte)


def outcome_of(found: Capture | str | None, byte: int) -> Iterator[Capture | ReadIssue]:
    """The capture in a record that starts at a byte, or what is wrong with it; nothing if it is not about a page."""
    if isinstance(found, Capture):
        found.place = byte
        yield found
        if found.fault:
            yield ReadIssue(found.fault, byte=byte)
    elif found is not None:
        yield ReadIssue(found, byte=byte)


def _next(file: IO[bytes], failed: Place, syntax: Syntax, budget: ScanBudget) -> Place | None:
    """Where the next record after a corrupt one starts; None if there is none."""
    compressed = Decompressed(file, Place(0)).compressed
    # A frame whose first record is corrupt rarely holds another, and what looks like one may be part of a page.
    found = _next_line(file, failed, syntax) if failed.inside or not compressed else None
    if found is None and compressed:
        found = _next_frame(file, failed.byte + 1, syntax, budget)
    budget.spend(found.inside if found is not None else failed.inside)
    return found


def _next_line(file: IO[bytes], failed: Place, syntax: Syntax) -> Place | None:
    """The same within the rest of the frame."""
    try:
        stream = Decompressed(file, failed)
        stream.read(1, keep=0)
        return stream.place if stream.find(syntax.line) else None
    except CorruptRecord:
        return None


def _next_frame(file: IO[bytes], start: int, syntax: Syntax, budget: ScanBudget) -> Place | None:
    """The next frame that starts with a record."""
    while not budget.exhausted:
        file.seek(start)
        block = file.read(_BLOCK)
        for match in FRAME_START.finditer(block):
            place = Place(start + match.start())
            budget.spend(_COST_OF_A_LOOK)
            if budget.exhausted or _is_start(file, place, syntax):
                return place
        if len(block) < _BLOCK:
            return None
        start += _BLOCK - _LONGEST_START
    return None


def _is_start(file: IO[bytes], place: Place, syntax: Syntax) -> bool:
    try:
        stream = Decompressed(file, place)
        return stream.more() and stream.matches(syntax.start)
    except CorruptRecord:
        return False
