"""Lenient reading: crawlers' output is often truncated or damaged. What is intact is kept, the rest counted and named.

Which files paths mean, the lines that can be read, and the resulting web with notes on what was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_at, in_words
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import DamagedCompression, NotUtf8, Piece

_PLACES = 3
_OTHER_KIND = "files of another kind left out"
_NOT_UTF8 = "lines that are not UTF-8 left out"
_DAMAGED = "compressed files read up to a damaged place"


def files_meant(paths: Sequence[Path], is_one: Callable[[Head], bool], issues: ReadIssues) -> list[Path]:
    """The files that paths mean, each once: a file as it is; from folders and patterns, those that `is_one` accepts."""
    return list(dict.fromkeys(file for path in paths for file in _files(path, is_one, issues)))


def _files(path: Path, is_one: Callable[[Head], bool], issues: ReadIssues) -> list[Path]:
    files = []
    for file in files_at(path):
        if file == path or _recognises(is_one, Head(file)):
            files.append(file)
        else:
            issues.add(ReadIssue(_OTHER_KIND, file.name))
    if not files:
        raise InputError(f"{path}: no file of this format here.{_found(issues)}")
    return files


def _recognises(is_one: Callable[[Head], bool], head: Head) -> bool:
    try:
        return is_one(head)
    except InputError:
        return False


def intact_pieces(files: Iterable[Path], options: ReadOptions, issues: ReadIssues) -> Iterator[Piece]:
    """The lines of all the files. Those that are not UTF-8 become blank, so that the others keep their numbers."""
    for file in files:
        pieces = options.pieces([file])
        while (piece := next_intact(pieces, file, issues)) is not None:
            yield _in_utf8(piece, issues)


def next_intact(parts: Iterator[Any], file: Path, issues: ReadIssues) -> Any:
    """The next part of a file; None at its end, or where compressed data is corrupt, which is counted."""
    try:
        return next(parts, None)
    except DamagedCompression:
        issues.add(ReadIssue(_DAMAGED, file.name))
        return None


def _in_utf8(piece: Piece, issues: ReadIssues) -> Piece:
    try:
        return piece.checked()
    except NotUtf8:
        lines = bytes(piece.text).split(b"\n")
        bad = [row for row, line in enumerate(lines) if not _is_utf8(line)]
        leave_out(issues, _NOT_UTF8, piece, bad)
        for row in bad:
            lines[row] = b""
        return piece._replace(text=np.frombuffer(b"\n".join(lines), np.uint8))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def leave_out(issues: ReadIssues, what: str, piece: Piece, rows: Sequence[int] | NDArray[Any]) -> None:
    """Count lines of a piece as left out, given by their indices from 0."""
    for row in rows[:_PLACES]:
        issues.add(ReadIssue(what, f"{piece.path.name}, line {piece.line + int(row)}"))
    if len(rows) > _PLACES:
        issues.add(ReadIssue(what, ""), len(rows) - _PLACES)


def web_with_notes(links: NamedLinks, paths: Sequence[Path], kind: str, issues: ReadIssues) -> Web:
    """The web of everything that could be read, with notes."""
    path = in_words(paths)
    if links.empty:
        raise InputError(f"{path}: no links in it.{_found(issues)}")
    return links.web(path, kind, issues.notes())


def _found(issues: ReadIssues) -> str:
    notes = issues.notes()
    return f" Found: {'. '.join(notes)}." if notes else ""
