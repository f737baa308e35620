"""JSON objects one after the other: one per line, over several lines, or in one array of any length.

Only a few MiB of a file are held in memory, and no object may be longer than LONGEST_OBJECT. Anything that is not an
object, such as the last line of a killed crawl, is returned as text; reading resumes where the next object starts.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from seedbed.common.read_issues import ReadIssues
from seedbed.sources.head import Head
from seedbed.sources.lenient_reading import next_intact
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import LONGEST_LINE, blocks, not_utf8

LONGEST_OBJECT = LONGEST_LINE
_FIRST_OBJECTS = 10
_BETWEEN = re.compile(r"[\s,\[\]]*")
_LAST_WORD = 16
"""Longer than any word or number that may be cut at the end of a part."""
NOT_EXPECTED = "lines that are not as expected left out"


def first_found(head: Head) -> list[dict[str, Any] | str]:
    """The first objects and lines of other text; none if the file is not text."""
    if b"\0" in head.data:
        return []
    texts = _texts(head.path, head.parts(), ReadIssues(), errors="replace")
    return [content for _, content in islice(_Scanner(texts), _FIRST_OBJECTS)]


def found_in(
    files: Sequence[Path], options: ReadOptions, issues: ReadIssues
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """All objects and lines of other text in the files, with the place where each starts before it."""
    for file in files:
        parts = blocks(file, encoding=options.encoding, progress=options.progress)
        for line, content in _Scanner(_texts(file, parts, issues)):
            yield f"{file.name}, line {line}", content


def _texts(path: Path, parts: Iterator[bytes], issues: ReadIssues, errors: str = "strict") -> Iterator[str]:
    decoder, line = codecs.getincrementaldecoder("utf-8")(errors), 1
    while (block := next_intact(parts, path, issues)) is not None:
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            before, byte = error.object[: error.start], error.object[error.start]
            raise not_utf8(path, line + before.count(b"\n"), byte) from None
        line += text.count("\n")
        yield text


class _Scanner:
    """Splits a text that arrives in parts into objects, (line, object), and lines of other text, (line, text)."""

    def __init__(self, more: Iterator[str]) -> None:
        self._text = ""
        self._more = more
        self._at = 0
        self._line = 1
        self._decoder = json.JSONDecoder()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        while (indent := self._to_next()) is not None:
            line = self._line
            yield line, self._object(indent) if self._text[self._at] == "{" else self._rest_of_line()

    def _read_on(self) -> bool:
        """Drop what has been read and append the next part; False at the end."""
        part = next(self._more, None)
        self._text, self._at = self._text[self._at :] + (part or ""), 0
        return part is not None

    def _go_to(self, place: int) -> None:
        self._line += self._text.count("\n", self._at, place)
        self._at = place

    def _to_next(self) -> str | None:
        """Skip blanks, commas and brackets; the indentation of the next item's line, or None at the end."""
        indent = ""
        while True:
            gap = _BETWEEN.match(self._text, self._at)
            assert gap is not None  # noqa: S101 - for the type checker; it also matches nothing
            self._go_to(gap.end())
            indent = (indent + gap[0]).rpartition("\n")[2]
            if self._at < len(self._text):
                return indent if indent.isspace() else ""
            if not self._read_on():
                return None

    def _object(self, indent: str) -> dict[str, Any] | str:
        """The object that starts here; its text if it is broken."""
        found: dict[str, Any]
        while True:
            try:
                found, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError:
                return self._broken(indent, self._at)
            except json.JSONDecodeError as error:
                if not (self._may_go_on(error) and self._read_on()):
                    return self._broken(indent, error.pos)
            else:
                self._go_to(end)
                return found

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Whether the parser may have failed only because the rest has not been read yet."""
        at_end = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _LAST_WORD
        return at_end and len(self._text) - self._at < LONGEST_OBJECT

    def _broken(self, indent: str, place: int) -> str:
        """Skip an object that is broken at a place: it ends with its line, or where an object with the same
        indentation starts. Objects inside a longer one are not items themselves.
        """
        line = self._text[self._at : self._text.find("\n", self._at) + 1 or None]
        if place <= self._at + len(line):
            return self._rest_of_line()
        start = re.compile(rf"\n(?={indent}\{{)")
        while (match := start.search(self._text, self._at)) is None:
            self._go_to(max(self._at, len(self._text) - len(indent) - 1))
            if not self._read_on():
                self._go_to(len(self._text))
                return line
        self._go_to(match.end())
        return line

    def _rest_of_line(self) -> str:
        """Move to the end of the line; its text, at most LONGEST_OBJECT of it."""
        line = ""
        while (end := self._text.find("\n", self._at)) < 0:
            line = (line + self._text[self._at :])[:LONGEST_OBJECT]
            self._go_to(len(self._text))
            if not self._read_on():
                return line.strip()
        line += self._text[self._at : end]
        self._go_to(end)
        return line.strip()
