r"""WARC and WAT records as captures: lines `name: value` behind the version, a blank line, the block, two line ends.

    WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 1234\r\n\r\nHTTP/1.1 200…

FastWARC reads the records as long as they are sound: each in its own frame, or in a plain file, and the next one where
it should be. It passes some things over in silence (an empty frame, the cut header of the last record, lines that end
without \r, names in lower case), so from the first doubt on, and for the last records in any case, the reader for
damaged files goes on (records.py). To it names count in any case, and lines may end without \r.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Any

from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.damage import Damage
from seedbed.archives.frames import Broken
from seedbed.archives.records import Syntax, told
from seedbed.archives.records import captures as captures_of
from seedbed.archives.unpacked import Unpacked
from seedbed.archives.wat import LONGEST_WAT, wat_capture

_LONGEST_HEADER = 1 << 16
_HEADER_END = re.compile(rb"\n\r?\n")
_START = re.compile(rb"WARC/[01]\.\d+[ \t]*\r?\n")
_LINE = re.compile(rb"\n(WARC/[01]\.\d+[ \t]*\r?\n)")
_FIELD = re.compile(
    rb"^(warc-type|warc-target-uri|content-type|content-length)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)
_LENGTH = re.compile(r"\d{1,18}", re.ASCII)
_OF_A_PAGE = frozenset({"response", "revisit", "resource"})
_KEPT = {"metadata": LONGEST_WAT, **dict.fromkeys(_OF_A_PAGE, LONGEST_RECORD)}
"""How many bytes are kept of a record's block; other kinds say nothing of pages."""


def captures(path: Path) -> Iterator[Capture | Damage]:
    """All captures of a file, and what could not be read."""
    return captures_of(path, SYNTAX, _sound)


def _sound(file: IO[bytes]) -> Generator[Capture | Damage, None, tuple[int, int]]:
    """Captures by FastWARC; the byte from which on records are to be looked at closely, and how many it gave there.

    A record counts when the next one is reached: then its length and its checksum are known to be right. Where records
    share a frame, FastWARC takes the end of the frame for the place of all but the first; so one step back is made.
    """
    from fastwarc.warc import ArchiveIterator

    last, given, start = 0, 0, -1
    held: Capture | str | None = None
    try:
        for record in ArchiveIterator(file, parse_http=False):
            if record.stream_pos <= start:
                break
            yield from told(held, start)
            last, given = max(start, 0), int(held is not None)
            held, start = None, record.stream_pos
            block = _block(record)
            if block is None:
                break
            headers = record.headers
            url, content_type = (headers.get("WARC-Target-URI") or "").strip("<>"), headers.get("Content-Type") or ""
            held = _capture(headers["WARC-Type"].lower(), url, content_type, block)
    except (OSError, ValueError, EOFError):
        pass
    return last, given


def _block(record: Any) -> bytes | None:
    """What is kept of a record's block; None where it is in doubt."""
    kind, length = record.headers.get("WARC-Type"), record.content_length
    if kind is None or record.headers.get("Content-Length") is None:
        return None
    kept = min(length, _KEPT.get(kind.lower(), 0))
    block: bytes = record.reader.read(kept) if kept else b""
    rest = length - kept
    return block if len(block) == kept and (not rest or record.reader.consume(rest) == rest) else None


def _read(stream: Unpacked) -> Capture | str | None:
    header = stream.until(_HEADER_END, _LONGEST_HEADER)
    if not _START.match(header):
        raise Broken
    # Of a field given twice the first counts.
    fields = {name.lower(): _text(value) for name, value in reversed(_FIELD.findall(header))}
    kind, length = fields.get(b"warc-type", "").lower(), fields.get(b"content-length", "")
    if not kind or not _LENGTH.fullmatch(length):
        raise Broken
    block = stream.read(int(length), keep=_KEPT.get(kind, 0))
    line_ends = stream.blank_lines()
    if line_ends is not None and line_ends < 2 and not stream.matches(_START):
        raise Broken
    return _capture(kind, fields.get(b"warc-target-uri", "").strip("<>"), fields.get(b"content-type", ""), block)


def _text(value: bytes) -> str:
    return b" ".join(map(bytes.strip, value.split(b"\n"))).strip().decode("utf-8", "replace")


def _capture(kind: str, url: str, content_type: str, block: bytes) -> Capture | str | None:
    """The capture, or what is wrong; most kinds of records say nothing of pages."""
    if kind in ("response", "revisit"):
        return http_capture(url, block, revisit=kind == "revisit")
    if kind == "resource":
        return Capture(url, 200, {"content-type": content_type}, block)
    if kind == "metadata" and content_type.startswith("application/json"):
        return wat_capture(block)
    return None


SYNTAX = Syntax(_read, _START, _LINE)
