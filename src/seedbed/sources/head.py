"""The head of a file: the bytes examined to recognise its format, read once however many formats there are.

A file is opened when the first format asks for its bytes, and read further only if a format needs more: to the end of a
first line, or of a first JSON object, that is longer than the head.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from seedbed.sources.input_paths import files_in
from seedbed.sources.text_files import (
    LONGEST_LINE,
    DamagedCompression,
    Piece,
    TooLongLine,
    opened_blocks,
    whole_lines_of,
)

T = TypeVar("T")

HEAD = 1 << 16
"""Size of a head in bytes, decompressed."""
MOST_BYTES = LONGEST_LINE + HEAD
_RAW = 16
_COMMENTS = ("#", "%")
_HEADS_KEPT = 128
_LOOKED_AT = 10


class Head:
    """What is examined at a path to recognise its format; it has no bytes if the path is not a file."""

    def __init__(self, path: Path, encoding: str | None = None, others: Heads | None = None) -> None:
        self.path = path
        self.is_file = path.is_file()
        self._encoding = encoding
        self._others = others or Heads()
        self.files_in = self._others.files_in
        self._bytes = bytearray()
        self._raw = b""
        self._blocks = self._opened()
        self._damage: DamagedCompression | None = None
        self._answers: dict[Callable[[Head], Any], Any] = {}

    @property
    def raw(self) -> bytes:
        """The first few bytes as they are in the file."""
        self._load(HEAD)
        return self._raw

    @property
    def damaged(self) -> bool:
        """Whether the head ends early because compressed data is corrupt."""
        self._load(HEAD)
        return self._damage is not None

    @cached_property
    def data(self) -> bytes:
        """The first bytes, at most HEAD, decompressed and in UTF-8."""
        return next(self.parts(), b"")

    @cached_property
    def text(self) -> str:
        """The same as text; empty if it is not text."""
        return "" if b"\0" in self.data else self.data.decode("utf-8", "replace")

    @cached_property
    def piece(self) -> Piece | None:
        """The first lines, at least one; None if the file is empty or not text."""
        piece = next(whole_lines_of(self.path, self.parts()), None)
        return None if piece is None or (piece.text == 0).any() else piece

    @cached_property
    def lines(self) -> list[str]:
        """The first lines that are neither blank nor comments; none if the first line is too long."""
        try:
            piece = self.piece
        except TooLongLine:
            return []
        lines = [] if piece is None else bytes(piece.text).decode("utf-8", "replace").split("\n")
        return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(_COMMENTS)]

    def lines_are(self, form: re.Pattern[str]) -> bool:
        """Whether all of the first few lines have this form."""
        return bool(self.lines) and all(map(form.fullmatch, self.lines[:_LOOKED_AT]))

    def parts(self) -> Iterator[bytes]:
        """The head, then as much again and so on, up to MOST_BYTES; raises DamagedCompression where data is corrupt."""
        at = 0
        while at < MOST_BYTES:
            end = min(max(HEAD, 2 * at), MOST_BYTES)
            self._load(end)
            if at == len(self._bytes):
                if self._damage is not None:
                    raise self._damage
                return
            yield bytes(self._bytes[at:end])
            at = min(end, len(self._bytes))

    def find(self, look: Callable[[Head], T]) -> T:
        """look(self), computed once."""
        if look not in self._answers:
            self._answers[look] = look(self)
        found: T = self._answers[look]
        return found

    def of(self, path: Path) -> Head:
        """The head of another file, such as one next to this."""
        return self if path == self.path else self._others.at(path)

    @property
    def files(self) -> list[Path]:
        """The file, or the files of the folder."""
        return [self.path] if self.is_file else self.files_in(self.path)

    def _load(self, size: int) -> None:
        """Read until `size` bytes are loaded, or no more can be read."""
        while len(self._bytes) < size and self.is_file and self._damage is None:
            try:
                block = next(self._blocks, b"")
            except DamagedCompression as error:
                self._damage = error
                return
            if not block:
                return
            self._bytes += block

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()

    def _opened(self) -> Generator[bytes, None, None]:
        with self.path.open("rb", buffering=0) as file:
            self._raw = file.read(_RAW)
            file.seek(0)
            yield from opened_blocks(file, self.path, self._encoding, HEAD)


class Heads:
    """The heads examined to recognise one web: a table is recognised along with the files next to it."""

    def __init__(self) -> None:
        self._heads: OrderedDict[Path, Head] = OrderedDict()
        self.files_in = cache(files_in)

    def at(self, path: Path) -> Head:
        """The head of a path; only the most recent are kept, because a folder may hold any number of files."""
        if path not in self._heads:
            self._heads[path] = Head(path, others=self)
            if len(self._heads) > _HEADS_KEPT:
                self._heads.popitem(last=False)[1].close()
        return self._heads[path]

    def close(self) -> None:
        """Close and drop all heads."""
        while self._heads:
            self._heads.popitem()[1].close()
