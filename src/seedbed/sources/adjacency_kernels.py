"""Kernels over lines with any number of fields: cut them all, and tell what shape lines have. One pass over the bytes.

A text always ends with a line end, so a scan for one never leaves it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.sources.field_kernels import BLANKS, NO_QUOTES, _is_comment, _next_field, _skip_blanks, _skip_line

_NEWLINE, _SPACE, _DOT, _ZERO, _NINE, _COLON = 10, 32, 46, 48, 57, 58


@kernel
def cut_lists(
    text: NDArray[np.uint8],
    separator: int,
    quotes: int,
    comments: NDArray[np.uint8],
    colon: bool,
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    row_ptr: NDArray[np.int32],
    line: NDArray[np.int32],
) -> tuple[int, int]:
    """All fields that are not empty, row after row: row k has the fields row_ptr[k] … row_ptr[k + 1] − 1.

    `colon`: the one that ends a row's first field does not belong to it. (rows, −1), or (rows before it, the line on
    which a quote is not closed).
    """
    rows, fields, number, i = 0, 0, -1, 0
    row_ptr[0] = 0
    while i < text.size:
        number += 1
        i = _skip_blanks(text, i, separator)
        if text[i] == _NEWLINE or _is_comment(text, i, comments):
            i = _skip_line(text, i) + 1
            continue
        more = True
        while more:
            first, last, i = _next_field(text, i, separator, quotes)
            if last < 0:
                return rows, number
            if colon and fields == row_ptr[rows] and last > first + 1 and text[last - 1] == _COLON:
                last -= 1
            if last > first:
                start[fields], end[fields] = first, last
                fields += 1
            more = text[i] == separator or (separator == BLANKS and text[i] != _NEWLINE)
            i += separator != BLANKS and more
        i = _skip_line(text, i) + 1
        if fields > row_ptr[rows]:
            line[rows] = number
            rows += 1
            row_ptr[rows] = fields
    return rows, -1


@kernel
def _is_alike(text: NDArray[np.uint8], first: int, last: int, ids: bool) -> bool:
    """Whether a field could be one more page: only digits, or where pages have names, a dot or colon in it."""
    for k in range(first, last):
        if ids and not _ZERO <= text[k] <= _NINE:
            return False
        if not ids and (text[k] == _DOT or text[k] == _COLON):
            return True
    return ids


@kernel
def _count_fields(text: NDArray[np.uint8], i: int, separator: int) -> tuple[int, int]:
    """The fields up to the line's end that are not empty, where quotes mean nothing, and the place of that end."""
    fields, inside = 0, False
    while text[i] != _NEWLINE:
        if text[i] > _SPACE and text[i] != separator:
            fields += not inside
            inside = True
        elif separator == BLANKS or text[i] == separator:
            inside = False
        i += 1
    return fields, i


@kernel
def uneven_line(
    text: NDArray[np.uint8],
    separator: int,
    quotes: int,
    comments: NDArray[np.uint8],
    fewest: int,
    most: int,
    ids: bool,
) -> tuple[int, int]:
    """The first line with fewer or more fields than these, all those behind the second like pages; (line, fields).

    (−1, 0) where there is none. Empty fields do not count.
    """
    number, i = -1, 0
    while i < text.size:
        number += 1
        i = _skip_blanks(text, i, separator)
        if text[i] == _NEWLINE or _is_comment(text, i, comments):
            i = _skip_line(text, i) + 1
            continue
        if quotes == NO_QUOTES:
            fields, end = _count_fields(text, i, separator)
            if fewest <= fields <= most:
                i = end + 1
                continue
        fields, alike, more = 0, True, True
        while more and alike:
            first, last, i = _next_field(text, i, separator, quotes)
            if last > first:
                fields += 1
                alike = fields <= 2 or _is_alike(text, first, last, ids)
            more = last >= 0 and (text[i] == separator or (separator == BLANKS and text[i] != _NEWLINE))
            i += separator != BLANKS and more
        if alike and fields > 0 and not fewest <= fields <= most:
            return number, fields
        i = _skip_line(text, i) + 1
    return -1, 0
