r"""WARC and WAT records as captures: the version, lines `name: value`, a blank line, the block, two newlines.

    WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 1234\r\n\r\nHTTP/1.1 200…

FastWARC reads the records as long as they are intact: each in its own frame, or in a plain file, with the next one
where it should be. It silently skips some things (an empty frame, the truncated header of the last record, lines that
end without \r, names in lower case), so at the first doubt, and always for the last records, the reader for damaged
files takes over (archive_records.py). It accepts names in any case, and lines that end without \r, or with \r\r\n as
left by programs that treated an archive as text.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import IO, Any

from seedbed.archives.archive_records import Syntax, outcome_of
from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.frames import CorruptRecord, Decompressed, Place
from seedbed.archives.wat import LONGEST_WAT, wat_capture
from seedbed.common.read_issues import ReadIssue

_LONGEST_HEADER = 1 << 16
_LONGEST_END = 64
_HEADER_END = re.compile(rb"\n\r*\n")
_START = re.compile(rb"WARC/[01]\.\d+[ \t]*\r*\n")
# Not only at the start of a line: a truncated record has no newline at its end.
_LINE = re.compile(rb"(WARC/[01]\.\d+[ \t]*\r*\n(?i:warc|content)-[a-zA-Z-]{1,40}[ \t]*:)")
_END = re.compile(rb"\n\r*\n\Z")
_ODD_START = re.compile(rb"WARC/[01]\.\d+[ \t]*\r\r+\n")
_FIELDS = (
    "warc-type",
    "warc-target-uri",
    "warc-truncated",
    "warc-date",
    "warc-payload-digest",
    "warc-refers-to-target-uri",
    "warc-refers-to-date",
    "content-type",
    "content-length",
)
_FIELD = re.compile(
    rb"^(" + "|".join(_FIELDS).encode() + rb")[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)
_ODD_LINE_ENDS = "records whose lines end with \\r\\r\\n"
_LENGTH = re.compile(r"\d{1,18}", re.ASCII)
_OF_A_PAGE = frozenset({"response", "revisit", "resource"})
_KEPT = {"metadata": LONGEST_WAT, **dict.fromkeys(_OF_A_PAGE, LONGEST_RECORD)}
"""How many bytes of a record's block are kept; other kinds say nothing about pages."""


def _intact(file: IO[bytes]) -> Generator[Capture | ReadIssue, None, tuple[int, int]]:
    """Captures by FastWARC; returns the byte from which records need a closer look, and how many it yielded there.

    A record counts once the next one is reached: then its length and checksum are known to be right. If records share a
    frame, FastWARC reports the end of the frame as the position of all but the first, so we go back one step.
    """
    from fastwarc.warc import ArchiveIterator

    if _has_odd_line_ends(file):
        return 0, 0
    last, given, start = 0, 0, -1
    held: Capture | str | None = None
    try:
        for record in ArchiveIterator(file, parse_http=False):
            if record.stream_pos <= start:
                break
            yield from outcome_of(held, start)
            last, given = max(start, 0), int(held is not None)
            held, start = None, record.stream_pos
            block = _block(record)
            if block is None:
                break
            headers = record.headers
            held = _capture({name: headers.get(name) or "" for name in _FIELDS}, block)
    except (OSError, ValueError, EOFError):
        pass
    return last, given


def _block(record: Any) -> bytes | None:
    """The part of a record's block that is kept; None if it is in doubt."""
    kind, length = record.headers.get("WARC-Type"), record.content_length
    if kind is None or record.headers.get("Content-Length") is None:
        return None
    kept = min(length, _KEPT.get(kind.lower(), 0))
    block: bytes = record.reader.read(kept) if kept else b""
    rest = length - kept
    return block if len(block) == kept and (not rest or record.reader.consume(rest) == rest) else None


def _has_odd_line_ends(file: IO[bytes]) -> bool:
    """Whether the first line ends with \\r\\r\\n, which FastWARC mistakes for the end of the header."""
    try:
        stream = Decompressed(file, Place(0))
        odd = stream.more() and stream.matches(_ODD_START)
    except CorruptRecord:
        odd = False
    file.seek(0)
    return odd


def _read(stream: Decompressed) -> Capture | str | None:
    fields = _header(stream)
    length = fields["content-length"]
    if not _LENGTH.fullmatch(length):
        raise CorruptRecord
    kept = _KEPT.get(fields["warc-type"].lower(), 0)
    block = stream.read(int(length), keep=max(kept, _LONGEST_HEADER))
    line_ends = stream.blank_lines()
    # If no record follows, the length may be too large and have led into the middle of one.
    if line_ends is not None and not stream.matches(_START) and (line_ends < 2 or _LINE.search(block)):
        raise CorruptRecord
    return _capture(fields, block[:kept])


def _read_up_to(stream: Decompressed, next_record: re.Pattern[bytes] | None) -> Capture | str | None:
    fields = _header(stream)
    kept = _KEPT.get(fields["warc-type"].lower(), LONGEST_RECORD)
    block = stream.read_up_to(next_record, keep=kept + 1)
    if len(block) <= kept and next_record is not None and not _is_whole(block, stream):
        raise CorruptRecord
    return _capture(fields, block[:kept])


def _is_whole(block: bytes, stream: Decompressed) -> bool:
    """Whether a record has its end and is not truncated; at the end of a plain file an HTTP header looks complete."""
    end = _END.search(block, max(len(block) - _LONGEST_END, 0))
    if end is None:
        return False
    return stream.compressed or stream.matches(_START) or _HEADER_END.search(block, 0, end.start()) is not None


def _header(stream: Decompressed) -> dict[str, str]:
    """The header fields that are read, by lower-case name."""
    header = stream.until(_HEADER_END, _LONGEST_HEADER)
    if not _START.match(header):
        raise CorruptRecord
    # The first of a repeated field counts.
    found = {name.lower().decode(): _text(value) for name, value in reversed(_FIELD.findall(header))}
    if not found.get("warc-type"):
        raise CorruptRecord
    odd = _ODD_LINE_ENDS if _ODD_START.match(header) else ""
    return {**dict.fromkeys(_FIELDS, ""), **found, "fault": odd}


def _text(value: bytes) -> str:
    return b" ".join(map(bytes.strip, value.split(b"\n"))).strip().decode("utf-8", "replace")


def _capture(fields: Mapping[str, str], block: bytes) -> Capture | str | None:
    """The capture, or what is wrong; None for the many kinds of records that say nothing about pages."""
    kind, content_type = fields["warc-type"].lower(), fields["content-type"]
    url = fields["warc-target-uri"].strip("<>")
    if kind == "metadata" and content_type.startswith("application/json"):
        return wat_capture(block)
    if kind not in _OF_A_PAGE:
        return None
    if kind == "resource":
        capture = Capture(url, 200, {"content-type": content_type}, block)
    else:
        capture = http_capture(url, block, revisit=kind == "revisit")
    capture.fault = fields.get("fault", "")
    capture.truncated = bool(fields["warc-truncated"])
    capture.date, capture.digest = fields["warc-date"], fields["warc-payload-digest"]
    if capture.revisit:
        capture.refers_to = fields["warc-refers-to-target-uri"].strip("<>")
        capture.refers_to_date = fields["warc-refers-to-date"]
    return capture


SYNTAX = Syntax(_read, _read_up_to, _START, _LINE, _intact)
