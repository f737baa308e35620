"""Lines of a piece cut into fields, and fields read as numbers or gathered as text, in kernels.

A field is text[start:end], without blanks around it and without its quotes. Cost: one pass over the bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.kernel import kernel
from seedbed.sources.text import Piece, count_lines

BLANKS = 0
"""The separator that stands for any run of spaces and tabs."""

_NEWLINE, _RETURN, _TAB, _SPACE, _QUOTE, _SLASH = 10, 13, 9, 32, 34, 47
_DIGITS = 18


class Layout(NamedTuple):
    """How lines are cut: the separator's byte, whether fields may stand in double quotes, what starts a comment."""

    separator: int = BLANKS
    quotes: bool = True
    comments: bytes = b"#%/"


class Rows(NamedTuple):
    """The fields of the data lines of a piece: start and end by [column, row], −1 where the line has fewer."""

    piece: Piece
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    line: NDArray[np.int32]
    line_end: NDArray[np.int32]

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.line)

    def at(self, rows: Any) -> Rows:
        """The named rows only (ids, a mask or a slice)."""
        return Rows(
            self.piece, self.start[:, rows], self.end[:, rows], self.line[rows], self.line_end[rows]
        )


@kernel
def _split(
    text: NDArray[np.uint8],
    separator: int,
    quotes: bool,
    comments: NDArray[np.uint8],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    line: NDArray[np.int32],
    line_end: NDArray[np.int32],
) -> tuple[int, int]:
    """Fill the arrays; (rows, −1), or (rows before it, line of a quote that is not closed)."""
    columns = start.shape[0]
    size = text.size
    rows = 0
    number = -1
    i = 0
    while i < size:
        number += 1
        while text[i] == _SPACE or text[i] == _RETURN or (text[i] == _TAB and separator != _TAB):
            i += 1
        if text[i] == _NEWLINE or _is_comment(text, i, comments):
            while text[i] != _NEWLINE:
                i += 1
            i += 1
            continue
        column = 0
        while column < columns:
            while text[i] == _SPACE or text[i] == _RETURN or (text[i] == _TAB and separator != _TAB):
                i += 1
            first = i
            if quotes and text[i] == _QUOTE:
                i += 1
                first = i
                while text[i] != _NEWLINE and (text[i] != _QUOTE or text[i + 1] == _QUOTE):
                    i += 2 if text[i] == _QUOTE else 1
                if text[i] == _NEWLINE:
                    return rows, number
                last = i
                i += 1
                while text[i] == _SPACE or text[i] == _RETURN or (text[i] == _TAB and separator != _TAB):
                    i += 1
                if separator != BLANKS and text[i] != separator and text[i] != _NEWLINE:
                    return rows, number
            elif separator == BLANKS:
                while text[i] != _SPACE and text[i] != _TAB and text[i] != _NEWLINE and text[i] != _RETURN:
                    i += 1
                last = i
                if last == first:
                    break
            else:
                while text[i] != separator and text[i] != _NEWLINE:
                    i += 1
                last = i
                while last > first and (
                    text[last - 1] == _SPACE or text[last - 1] == _RETURN or text[last - 1] == _TAB
                ):
                    last -= 1
            start[column, rows] = first
            end[column, rows] = last
            column += 1
            if separator != BLANKS:
                if text[i] != separator:
                    break
                i += 1
        for k in range(column, columns):
            start[k, rows] = -1
            end[k, rows] = -1
        while text[i] != _NEWLINE:
            i += 1
        line[rows] = number
        line_end[rows] = i
        rows += 1
        i += 1
    return rows, -1


@kernel
def _is_comment(text: NDArray[np.uint8], i: int, comments: NDArray[np.uint8]) -> bool:
    for k in range(comments.size):
        if text[i] == comments[k]:
            return text[i] != _SLASH or text[i + 1] == _SLASH
    return False


@kernel
def _integers(
    text: NDArray[np.uint8], start: NDArray[np.int32], end: NDArray[np.int32], out: NDArray[np.int64]
) -> int:
    """Fill `out`; the first row whose field is not a whole number of at most 18 digits, or −1."""
    for row in range(start.size):
        i, last = start[row], end[row]
        sign = 1
        if i < last and (text[i] == 45 or text[i] == 43):
            sign = 44 - text[i]
            i += 1
        if i >= last or last - i > _DIGITS:
            return row
        value = 0
        while i < last:
            digit = np.int64(text[i]) - 48
            if digit < 0 or digit > 9:
                return row
            value = 10 * value + digit
            i += 1
        out[row] = -value if sign < 0 else value
    return -1
