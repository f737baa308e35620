r"""ARC records as captures: a line `URL address date type length`, then `length` bytes, then a newline.

    http://a.example/ 192.0.2.1 20080430204825 text/html 1234\nHTTP/1.1 200 OK\r\n…

Version 2 has five more fields before the length. The first record, filedesc://, describes the file.
"""

from __future__ import annotations

import re

from seedbed.archives.archive_records import Syntax
from seedbed.archives.captures import LONGEST_RECORD, Capture, http_capture
from seedbed.archives.frames import CorruptRecord, Decompressed

_REST = rb":[^\n]{0,8192}? [0-9a-fA-F.:]{3,45} \d{8,17} [^\n]{1,300}? ?\d{1,18}\r*\n"
_HEADER = rb"[a-zA-Z][a-zA-Z0-9+.-]*" + _REST
_RECORD = re.compile(_HEADER)
_LINE = re.compile(rb"\n(" + _HEADER + rb")")
_KNOWN_RECORD = re.compile(rb"(?i:https?|dns|ftp|filedesc|whois|gopher|nntp|mailto|metadata|warcinfo)" + _REST)
_ADDRESS = re.compile(rb"[0-9a-fA-F.:]{3,45}")
_DATE = re.compile(rb"\d{8,17}")
_LENGTH = re.compile(rb"\d{1,18}")
_LINE_END = re.compile(rb"\n")
_LONGEST_LINE = 1 << 14


def _read(stream: Decompressed) -> Capture | str | None:
    url, length = _fields(stream.until(_LINE_END, _LONGEST_LINE))
    block = stream.read(length, keep=LONGEST_RECORD)
    line_ends = stream.blank_lines()
    # Some writers count the newline as part of the record, others write none; then the scheme must be a known one.
    sure = line_ends or block.endswith(b"\n")
    follows = line_ends is None or stream.matches(_RECORD if sure else _KNOWN_RECORD)
    # If no record follows, the length may be too large and have led into the middle of one.
    if not follows and (not line_ends or _LINE.search(block + b"\n")):
        raise CorruptRecord
    return _capture(url, block)


def _read_up_to(stream: Decompressed, next_record: re.Pattern[bytes] | None) -> Capture | None:
    url, length = _fields(stream.until(_LINE_END, _LONGEST_LINE))
    block = stream.read_up_to(next_record, keep=LONGEST_RECORD + 1)
    # At the end of a plain file, the record was cut off.
    if len(block) < length and not stream.compressed and not stream.matches(_RECORD):
        raise CorruptRecord
    return _capture(url, block[:LONGEST_RECORD])


def _capture(url: str, block: bytes) -> Capture | None:
    return None if url.startswith("filedesc:") else http_capture(url, block)


def _fields(line: bytes) -> tuple[str, int]:
    """URL and length; the URL may contain spaces, so an address and a date mark its end."""
    words = line.rstrip(b"\r\n").split(b" ")
    for k in range(1, len(words) - 2):
        if _DATE.fullmatch(words[k + 1]) and _ADDRESS.fullmatch(words[k]) and _LENGTH.fullmatch(words[-1]):
            return b" ".join(words[:k]).decode("utf-8", "replace"), int(words[-1])
    raise CorruptRecord


SYNTAX = Syntax(_read, _read_up_to, _RECORD, _LINE)
