"""Lenient reading: crawlers' output is often truncated or damaged. What is intact is kept, the rest is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_at, in_words
from seedbed.sources.named_links import Column, NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import DamagedCompression, NotUtf8, Piece
from seedbed.urls.browser_urls import BrowserUrls

_PLACES = 3
_OTHER_KIND = "files of another kind left out"
_NOT_UTF8 = "lines that are not UTF-8 left out"
_DAMAGED = "compressed files read up to a damaged place"


class CrawlerOutput:
    """A crawler's files, the links found in them so far, and what was left out.

    `files`: those that the paths mean, each once; from folders and patterns, only those that `is_one` accepts.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: ReadOptions,
        is_one: Callable[[Head], bool],
        columns: Sequence[Column],
        *,
        knows_nofollow: bool = False,
    ) -> None:
        self._path, self._options = in_words(paths), options
        self.issues = ReadIssues()
        self.links = NamedLinks(options, columns, knows_nofollow=knows_nofollow)
        self.urls = BrowserUrls(drop_sessions=options.drop_sessions)
        self.files = list(dict.fromkeys(file for path in paths for file in self._files(path, is_one)))

    def _files(self, path: Path, is_one: Callable[[Head], bool]) -> list[Path]:
        files = []
        for file in files_at(path):
            with suppress(InputError):
                if file == path or is_one(Head(file)):
                    files.append(file)
                    continue
            self.issues.add(ReadIssue(_OTHER_KIND, file.name))
        if not files:
            raise InputError(f"{path}: no file of this format here.{self._found()}")
        return files

    def pieces(self) -> Iterator[Piece]:
        """The lines of all the files. Those that are not UTF-8 become blank, so that the others keep their numbers."""
        for file in self.files:
            pieces = self._options.pieces([file])
            while (piece := next_intact(pieces, file, self.issues)) is not None:
                yield self._in_utf8(piece)

    def _in_utf8(self, piece: Piece) -> Piece:
        try:
            return piece.checked()
        except NotUtf8:
            lines = bytes(piece.text).split(b"\n")
            bad = [row for row, line in enumerate(lines) if line.decode(errors="ignore").encode() != line]
            self.leave_out(_NOT_UTF8, piece, bad)
            for row in bad:
                lines[row] = b""
            return piece._replace(text=np.frombuffer(b"\n".join(lines), np.uint8))

    def leave_out(self, what: str, piece: Piece, rows: Sequence[int] | NDArray[Any]) -> None:
        """Count lines of a piece as left out, given by their indices from 0."""
        for row in rows[:_PLACES]:
            self.issues.add(ReadIssue(what, f"{piece.path.name}, line {piece.line + int(row)}"))
        if len(rows) > _PLACES:
            self.issues.add(ReadIssue(what, ""), len(rows) - _PLACES)

    def web(self, kind: str) -> Web:
        """The web of everything that could be read, with notes."""
        if self.links.empty:
            raise InputError(f"{self._path}: no links in it.{self._found()}")
        return self.links.web(self._path, kind, self.issues.notes())

    def _found(self) -> str:
        notes = self.issues.notes()
        return f" Found: {'. '.join(notes)}." if notes else ""


def next_intact(parts: Iterator[Any], file: Path, issues: ReadIssues) -> Any:
    """The next part of a file; None at its end, or where compressed data is corrupt, which is counted."""
    try:
        return next(parts, None)
    except DamagedCompression:
        issues.add(ReadIssue(_DAMAGED, file.name))
        return None
