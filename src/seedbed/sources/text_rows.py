"""Lines as rows of fields: columns of numbers and text, the links that they list, and the line of every error.

A field is the text between separators, without surrounding blanks and quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, TextChunk, arrow_strings
from seedbed.errors import InputError
from seedbed.links.link_builder import BadPair, LinkBuilder, Pairs
from seedbed.sources import text_kernels
from seedbed.sources.text_files import Piece, count_lines, in_order
from seedbed.sources.text_kernels import BLANKS, CSV_QUOTES, Places

SEPARATORS = {"tab": ord("\t"), "pipe": ord("|"), "semicolon": ord(";"), "comma": ord(","), "blanks": BLANKS}
_SHOWN = 40


class Layout(NamedTuple):
    """How lines are split: the separator's byte, what quotes mean, the bytes that start a comment (`/`: only `//`)."""

    separator: int = BLANKS
    quotes: int = CSV_QUOTES
    comments: bytes = b"#%/"


@dataclass(eq=False)
class Rows:
    """The first few fields of each data line of a piece: start and end by [column, row], −1 for none."""

    piece: Piece
    layout: Layout
    start: Places
    end: Places
    line: Places
    line_end: Places

    @classmethod
    def cut(cls, piece: Piece, layout: Layout, columns: int) -> Rows:
        """Split a piece into rows."""
        lines = count_lines(piece.text)
        start, end = np.empty((2, columns, lines), np.int32)
        line, line_end = np.empty((2, lines), np.int32)
        comments = np.frombuffer(layout.comments, np.uint8)
        rows, unclosed = text_kernels.split_lines(
            piece.text, layout.separator, layout.quotes, comments, start, end, line, line_end
        )
        if unclosed >= 0:
            raise piece.error(unclosed, "a field starts with a double quote and has none at its end.")
        return cls(piece, layout, start[:, :rows], end[:, :rows], line[:rows], line_end[:rows])

    def __len__(self) -> int:
        return len(self.line)

    def at(self, rows: NDArray[Any] | slice) -> Rows:
        """A selection of rows, by indices, a mask or a slice."""
        places = (self.start, self.end, self.line, self.line_end)
        return Rows(self.piece, self.layout, *(array[..., rows] for array in places))

    def error(self, row: int, message: str) -> InputError:
        """The error with this message on the line of a row."""
        return self.piece.error(int(self.line[row]), message)

    def shown(self, row: int, column: int) -> str:
        """A field for display, truncated if it is long."""
        start, end = self.start[column, row], self.end[column, row]
        if start < 0:
            return f"nothing in column {column + 1}"
        field = bytes(self.piece.text[start : min(end, start + _SHOWN)]).decode("utf-8", "replace")
        return repr(field + "…" if end > start + _SHOWN else field)

    def integers(self, column: int, what: str = "a page id") -> Ints:
        """A column of whole numbers."""
        numbers = np.empty(len(self), np.int64)
        bad = text_kernels.integers(self.piece.text, self.start[column], self.end[column], numbers)
        if bad >= 0:
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}, a whole number.")
        return numbers

    def texts(self, column: int, what: str = "a URL") -> TextChunk:
        """A column of text; no field may be empty."""
        start, end = self.start[column], self.end[column]
        empty = end <= start
        if empty.any():
            bad = int(np.argmax(empty))
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}.")
        return texts_of(self.piece, self.layout, start, end)

    def numbers(self, column: int, what: str) -> NDArray[Any]:
        """A column of numbers: int64 if all are whole, otherwise float64."""
        import pyarrow as pa

        whole = np.empty(len(self), np.int64)
        if text_kernels.integers(self.piece.text, self.start[column], self.end[column], whole) < 0:
            return whole
        strings = arrow_strings(self.texts(column, what))
        try:
            return strings.cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            bad = next(row for row in range(len(self)) if not _is_number(strings[row].as_py()))
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}, a number.") from None


def texts_of(piece: Piece, layout: Layout, start: Places, end: Places) -> TextChunk:
    """The text of fields, given by their places."""
    text = np.empty(int((end - start).sum(dtype=np.int64)), np.uint8)
    text_ptr = np.empty(len(start) + 1, np.int64)
    text_kernels.gather(piece.text, start, end, layout.quotes == CSV_QUOTES, text, text_ptr)
    return text[: text_ptr[-1]], text_ptr


def _is_number(text: str) -> bool:
    import pyarrow as pa

    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def integer_pairs(piece: Piece, layout: Layout, columns: tuple[int, int] = (0, 1)) -> Pairs:
    """Two columns of page ids."""
    if columns == (0, 1):
        lines = count_lines(piece.text)
        pairs = np.empty((2, lines), np.int32)
        rows = text_kernels.plain_pairs(piece.text, layout.separator, pairs[0], pairs[1])
        if rows >= 0:
            return pairs[0, :rows], pairs[1, :rows]
    cut = Rows.cut(piece, layout, max(columns) + 1)
    return cut.integers(columns[0]), cut.integers(columns[1])


class Numbering(NamedTuple):
    """Which page an id means: id − first or, if ids are listed, its position in their ascending order."""

    first: int = 0
    pages: int | None = None
    listed: Ints | None = None

    def pages_of(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The page of each id, −1 if there is none."""
        if self.listed is None:
            return ids if self.first == 0 else ids - self.first
        places = np.minimum(np.searchsorted(self.listed, ids), len(self.listed) - 1)
        return np.where(self.listed[places] == ids, places, -1)

    def __str__(self) -> str:
        if self.listed is not None:
            return f"among the {self.pages} ids that are listed"
        return f"in {self.first} … " + ("2⁴⁰" if self.pages is None else str(self.first + self.pages - 1))


AS_THEY_STAND = Numbering()

ErrorAt = Callable[[int, str], InputError]
"""The error with this message on the line of the pair with this index."""

Check = Callable[[Piece, int], None]
"""Raises an error if something is wrong with the lines of a piece, of which this many are links."""


def add_pairs(
    builder: LinkBuilder, pairs: Pairs, numbering: Numbering, error_at: ErrorAt, *, both_ways: bool = False
) -> None:
    """Add pairs of ids and, if `both_ways`, the reverse of each as well."""
    sources, targets = (numbering.pages_of(ids) for ids in pairs)
    try:
        builder.add(sources, targets, both_ways=both_ways)
    except BadPair as error:
        source, target = (ids[error.index] for ids in pairs)
        message = f"the link {source} → {target} has an id that is not {numbering}."
        raise error_at(error.index, message) from None


def add_links(
    builder: LinkBuilder,
    pieces: Iterable[Piece],
    layout: Layout,
    *,
    columns: tuple[int, int] = (0, 1),
    numbering: Numbering = AS_THEY_STAND,
    both_ways: bool = False,
    check: Check | None = None,
) -> int:
    """Add the links of all lines; the number of links."""

    def read(piece: Piece) -> tuple[Piece, Pairs]:
        pairs = integer_pairs(piece, layout, columns)
        if check is not None:
            check(piece, len(pairs[0]))
        return piece, pairs

    count = 0
    for piece, pairs in in_order(read, pieces):

        def error_at(row: int, message: str, piece: Piece = piece) -> InputError:
            return Rows.cut(piece, layout, 1).error(row, message)

        add_pairs(builder, pairs, numbering, error_at, both_ways=both_ways)
        count += len(pairs[0])
    return count


def without_header(pieces: Iterable[Piece], layout: Layout, header: object = True) -> Iterator[Piece]:
    """All lines except the first data line, if that is a header."""
    lines = iter(pieces)
    for piece in lines if header else ():
        rows = Rows.cut(piece, layout, 1)
        if len(rows):
            end = int(rows.line_end[0])
            end += int(np.argmax(piece.text[end:] == ord("\n"))) + 1
            lines = chain([piece.from_byte(end)] if end < piece.text.size else [], lines)
            break
    yield from lines
