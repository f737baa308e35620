r"""WARC and WAT records as captures: lines `name: value` behind the version, a blank line, the block, two line ends.

    WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 1234\r\n\r\nHTTP/1.1 200…

Names count in any case, and lines may end without \r.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.damage import NO_ANSWER, Damage
from seedbed.archives.frames import Broken
from seedbed.archives.records import Syntax
from seedbed.archives.records import captures as captures_of
from seedbed.archives.unpacked import Unpacked
from seedbed.archives.wat import LONGEST_WAT, wat_capture

_NO_URL = "records without a URL left out"
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
    return captures_of(path, SYNTAX)


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
    if kind in _OF_A_PAGE and not url:
        return _NO_URL
    if kind in ("response", "revisit"):
        found = http_capture(url, block, revisit=kind == "revisit")
        return NO_ANSWER if found is None and kind == "response" and url.lower().startswith("http") else found
    if kind == "resource":
        return Capture(url, 200, {"content-type": content_type}, block)
    if kind == "metadata" and content_type.startswith("application/json"):
        return wat_capture(block)
    return None


SYNTAX = Syntax(_read, _START, _LINE)
