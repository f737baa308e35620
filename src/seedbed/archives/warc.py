"""WARC and WAT records as captures (FastWARC reads them), going on behind what is damaged.

A record counts only when the next one is reached: that is when its length and its checksum are known to be right.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.damage import GIVEN_UP, Damage, Patience, end_of_record, next_record
from seedbed.archives.wat import LONGEST_WAT, wat_capture

START = re.compile(rb"WARC/[01]\.\d+\r?\n")
_PLAIN = re.compile(rb"(?:^|\n)(WARC/[01]\.\d+\r?\n)")
_DAMAGED = "damaged places left out"


class _Record(NamedTuple):
    start: int
    kind: str
    url: str
    type: str
    block: bytes
    length: int
    whole: bool


def first_sound(path: Path) -> int | None:
    """Where the first record starts that can be told for one."""
    return next_record(path, 0, _PLAIN, START)


def captures(path: Path) -> Iterator[Capture | Damage]:
    """All captures of a file, and what could not be read."""
    start: int | None = 0
    patience = Patience(path.stat().st_size)
    with path.open("rb") as file:
        while start is not None:
            failed = yield from _from(path, file, start)
            if failed is None:
                return
            yield Damage(_DAMAGED, path.name, failed)
            if patience.ends(file.tell() - start):
                yield Damage(GIVEN_UP, path.name, failed)
                return
            start = next_record(path, failed + 1, _PLAIN, START)


def _from(path: Path, file: IO[bytes], start: int) -> Generator[Capture | Damage, None, int | None]:
    """Captures up to the end of the file (gives None) or to a damaged record (gives its place)."""
    held: _Record | None = None
    file.seek(start)
    try:
        for record in _records(file):
            if held is not None:
                yield from _captured(held, path)
            if not record.whole:
                return max(record.start, start)
            held = record
    except (OSError, ValueError, EOFError):
        if held is None:
            return start
        end = end_of_record(path, held.start, held.length)
        if end is None:
            return max(held.start, start)
        yield from _captured(held, path)
        return end
    if held is not None:
        yield from _captured(held, path)
    return None


def _records(file: IO[bytes]) -> Iterator[_Record]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    kinds = {
        int(WarcRecordType.response): "response",
        int(WarcRecordType.revisit): "revisit",
        int(WarcRecordType.resource): "resource",
        int(WarcRecordType.metadata): "metadata",
    }
    for record in ArchiveIterator(file, parse_http=False):
        kind = kinds.get(int(record.record_type), "other")
        headers = record.headers
        length = record.content_length
        wanted = 0 if kind == "other" else LONGEST_WAT if kind == "metadata" else LONGEST_RECORD
        block = record.reader.read(min(length, wanted)) if wanted and length else b""
        rest = length - len(block)
        whole = len(block) == min(length, wanted) and (not rest or record.reader.consume(rest) == rest)
        url = (headers.get("WARC-Target-URI") or "").strip("<>")
        yield _Record(record.stream_pos, kind, url, headers.get("Content-Type") or "", block, length, whole)


def _captured(record: _Record, path: Path) -> Iterator[Capture | Damage]:
    """What a sound record says of a page, if anything."""
    found = _capture(record)
    if isinstance(found, Capture):
        found.place = record.start
        yield found
    elif found is not None:
        yield Damage(found, path.name, record.start)


def _capture(record: _Record) -> Capture | str | None:
    """The capture, or what is wrong; most kinds of records say nothing of pages."""
    if record.kind in ("response", "revisit"):
        return http_capture(record.url, record.block, revisit=record.kind == "revisit")
    if record.kind == "resource":
        return Capture(record.url, 200, {"content-type": record.type}, record.block)
    if record.kind == "metadata" and record.type.startswith("application/json"):
        return wat_capture(record.block)
    return None
