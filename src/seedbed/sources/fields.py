"""The lines of a piece as rows of fields: numbers and text by column, with the line of every error.

A field is what stands between separators, without blanks around it and without its quotes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import TextChunk, arrow_strings
from seedbed.errors import InputError
from seedbed.sources import field_kernels as fieldcode
from seedbed.sources.field_kernels import BLANKS, CSV_QUOTES
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import count_lines, gather

Pairs = tuple[NDArray[Any], NDArray[Any]]

SEPARATORS = {"tab": ord("\t"), "pipe": ord("|"), "semicolon": ord(";"), "comma": ord(","), "blanks": BLANKS}
_SHOWN = 40


class Layout(NamedTuple):
    """How lines are cut: the separator's byte, what quotes mean, the bytes that start a comment (`/` only doubled)."""

    separator: int = BLANKS
    quotes: int = CSV_QUOTES
    comments: bytes = b"#%/"


class Rows:
    """The fields of the data lines of a piece, the first `columns` of each."""

    def __init__(
        self,
        piece: Piece,
        layout: Layout,
        start: NDArray[np.int32],
        end: NDArray[np.int32],
        line: NDArray[np.int32],
        line_end: NDArray[np.int32],
    ) -> None:
        self.piece = piece
        self.layout = layout
        self.start = start
        self.end = end
        self.line = line
        self.line_end = line_end

    @classmethod
    def cut(cls, piece: Piece, layout: Layout, columns: int) -> Rows:
        """Cut a piece into rows."""
        lines = count_lines(piece.text)
        start, end = np.empty((2, columns, lines), np.int32)
        line, line_end = np.empty((2, lines), np.int32)
        comments = np.frombuffer(layout.comments, np.uint8)
        rows, unclosed = fieldcode.split_lines(
            piece.text, layout.separator, layout.quotes, comments, start, end, line, line_end
        )
        if unclosed >= 0:
            raise piece.error(unclosed, "a field starts with a double quote and has none at its end.")
        return cls(piece, layout, start[:, :rows], end[:, :rows], line[:rows], line_end[:rows])

    def __len__(self) -> int:
        return len(self.line)

    def at(self, rows: NDArray[Any] | slice) -> Rows:
        """Some of the rows: ids, a mask or a slice."""
        return Rows(
            self.piece, self.layout, self.start[:, rows], self.end[:, rows], self.line[rows], self.line_end[rows]
        )

    def error(self, row: int, message: str) -> InputError:
        """What is wrong on the line of a row."""
        return self.piece.error(int(self.line[row]), message)

    def shown(self, row: int, column: int) -> str:
        """A field for people, cut where it is long."""
        start, end = self.start[column, row], self.end[column, row]
        if start < 0:
            return f"nothing in column {column + 1}"
        field = bytes(self.piece.text[start : min(end, start + _SHOWN)]).decode("utf-8", "replace")
        return repr(field + "…" if end > start + _SHOWN else field)

    def integers(self, column: int, what: str = "a page id") -> NDArray[np.int64]:
        """A column of whole numbers."""
        numbers = np.empty(len(self), np.int64)
        bad = fieldcode.integers(self.piece.text, self.start[column], self.end[column], numbers)
        if bad >= 0:
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}, a whole number.")
        return numbers

    def texts(self, column: int, what: str = "a URL") -> TextChunk:
        """A column of text that is not empty."""
        start, end = self.start[column], self.end[column]
        empty = end <= start
        if empty.any():
            bad = int(np.argmax(empty))
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}.")
        text = np.empty(int((end - start).sum(dtype=np.int64)), np.uint8)
        text_ptr = np.empty(len(self) + 1, np.int64)
        gather(self.piece.text, start, end, self.layout.quotes == CSV_QUOTES, text, text_ptr)
        return text[: text_ptr[-1]], text_ptr

    def numbers(self, column: int, what: str) -> NDArray[Any]:
        """A column of numbers, int64 where all are whole and float64 otherwise."""
        import pyarrow as pa

        if fieldcode.integers(self.piece.text, self.start[column], self.end[column], whole := self._room()) < 0:
            return whole
        strings = arrow_strings(self.texts(column, what))
        try:
            return strings.cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            bad = next(row for row in range(len(self)) if not _is_number(strings[row].as_py()))
            raise self.error(bad, f"found {self.shown(bad, column)}, expected {what}, a number.") from None

    def _room(self) -> NDArray[np.int64]:
        return np.empty(len(self), np.int64)


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
        rows = fieldcode.plain_pairs(piece.text, layout.separator, pairs[0], pairs[1])
        if rows >= 0:
            return pairs[0, :rows], pairs[1, :rows]
    cut = Rows.cut(piece, layout, max(columns) + 1)
    return cut.integers(columns[0]), cut.integers(columns[1])
