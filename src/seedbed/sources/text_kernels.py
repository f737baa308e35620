"""Kernels over text: split lines into fields; read fields as whole numbers.

Each is one pass over the bytes. A text always ends with a newline, so a scan for one never leaves it.

Our own, because no CSV reader splits at runs of blanks, skips comments anywhere, distinguishes a list of links from an
adjacency list and names the line of a wrong field. Nor is any faster: an unsorted list of 40 million links becomes a
web at 16 million links per second here, at 12 million with pandas and scipy.sparse (benchmarks/README.md, edges).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import inlined, kernel

Places = NDArray[np.int32]
"""Positions in a text, of at most 2³¹ bytes."""

BLANKS = 0
"""The separator that stands for any run of spaces and tabs."""

NO_QUOTES, CSV_QUOTES, LABEL_QUOTES = 0, 1, 2
"""Quotes are plain bytes; or a quote ends a field and a doubled one is a quote; or only one before a blank ends it."""

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = 9, 10, 13, 32, 34
_PLUS, _MINUS, _DOT, _SLASH, _ZERO, _NINE, _COLON = 43, 45, 46, 47, 48, 57, 58
_DIGITS = 18
_LARGEST_INT32 = 2**31 - 1


@kernel
def gather(text: Bytes, start: Places, end: Places, doubled: bool, out: Bytes, out_ptr: Ints) -> None:
    """The fields one after the other; if `doubled`, doubled quotes in quoted ones become one. `out` fits them all."""
    place = 0
    out_ptr[0] = 0
    for row in range(start.size):
        i, last = start[row], end[row]
        if doubled and i > 0 and text[i - 1] == _QUOTE:
            while i < last:
                out[place] = text[i]
                place += 1
                i += 2 if text[i] == _QUOTE else 1
        else:
            for k in range(last - i):
                out[place + k] = text[i + k]
            place += last - i
        out_ptr[row + 1] = place


@kernel
def reverse_labels(text: Bytes, text_ptr: Ints) -> Bytes:
    """Names with their labels in reverse order: com.example.www becomes www.example.com."""
    reversed_text = np.empty_like(text)
    for row in range(text_ptr.size - 1):
        place = text_ptr[row]
        last = text_ptr[row + 1]
        for i in range(text_ptr[row + 1] - 1, text_ptr[row] - 2, -1):
            if i < text_ptr[row] or text[i] == _DOT:
                for k in range(i + 1, last):
                    reversed_text[place] = text[k]
                    place += 1
                if i >= text_ptr[row]:
                    reversed_text[place] = _DOT
                    place += 1
                last = i
    return reversed_text


@inlined
def _skip_blanks(text: Bytes, i: int, separator: int) -> int:
    while text[i] == _SPACE or text[i] == _RETURN or (text[i] == _TAB and separator != _TAB):
        i += 1
    return i


@inlined
def _skip_spaces(text: Bytes, i: int, separator: int) -> int:
    """Skip blanks after a field, unless blanks are what ends a field."""
    return i if separator == BLANKS else _skip_blanks(text, i, separator)


@inlined
def _skip_line(text: Bytes, i: int) -> int:
    while text[i] != _NEWLINE:
        i += 1
    return i


@inlined
def _is_comment(text: Bytes, i: int, comments: Bytes) -> bool:
    for k in range(comments.size):
        if text[i] == comments[k]:
            return text[i] != _SLASH or text[i + 1] == _SLASH
    return False


@inlined
def _ends_field(byte: int, separator: int) -> bool:
    if byte in (_NEWLINE, _RETURN):
        return True
    return byte in (_SPACE, _TAB) if separator == BLANKS else byte == separator


@inlined
def _closing_quote(text: Bytes, i: int, quotes: int) -> int:
    """The position of the closing quote, starting after the opening one; of the newline if there is none."""
    while text[i] != _NEWLINE:
        if text[i] == _QUOTE:
            after = text[i + 1]
            if quotes == LABEL_QUOTES:
                if after in (_SPACE, _TAB, _RETURN, _NEWLINE):
                    return i
            elif after == _QUOTE:
                i += 1
            else:
                return i
        i += 1
    return i


@inlined
def _plain_end(text: Bytes, i: int, separator: int) -> int:
    """The end of an unquoted field; blanks before the separator still belong to it."""
    if separator == BLANKS:
        while not _ends_field(text[i], BLANKS):
            i += 1
    else:
        while text[i] != separator and text[i] != _NEWLINE:
            i += 1
    return i


@inlined
def _trimmed(text: Bytes, first: int, last: int) -> int:
    while last > first and (text[last - 1] == _SPACE or text[last - 1] == _RETURN or text[last - 1] == _TAB):
        last -= 1
    return last


@inlined
def _next_field(text: Bytes, i: int, separator: int, quotes: int) -> tuple[int, int, int]:
    """The start and end of the next field, and the position after it; the end is −1 if its quote is not closed."""
    i = _skip_blanks(text, i, separator)
    if quotes == NO_QUOTES or text[i] != _QUOTE:
        behind = _plain_end(text, i, separator)
        return i, _trimmed(text, i, behind), behind
    last = _closing_quote(text, i + 1, quotes)
    if text[last] == _NEWLINE or not _ends_field(text[_skip_spaces(text, last + 1, separator)], separator):
        return i, -1, last
    return i + 1, last, _skip_blanks(text, last + 1, separator)


@inlined
def _to_data(text: Bytes, i: int, number: int, separator: int, comments: Bytes) -> tuple[int, int]:
    """Skip blank lines and comments: the position and number of the next data line; i ≥ size if there is none."""
    while i < text.size:
        i = _skip_blanks(text, i, separator)
        if text[i] != _NEWLINE and not _is_comment(text, i, comments):
            break
        i = _skip_line(text, i) + 1
        number += 1
    return i, number


@kernel
def split_lines(
    text: Bytes,
    separator: int,
    quotes: int,
    comments: Bytes,
    start: Places,
    end: Places,
    line: Places,
    line_end: Places,
) -> tuple[int, int]:
    """Fill start and end by [column, row], −1 if a line has fewer fields; blank lines and comments make no row.

    Returns (rows, −1), or (rows before it, the line on which a quote is not closed).
    """
    columns, rows = start.shape[0], 0
    i, number = _to_data(text, 0, 0, separator, comments)
    while i < text.size:
        begin, column, more = i, 0, True
        while column < columns and more:
            first, last, i = _next_field(text, i, separator, quotes)
            if last < 0:
                return rows, number
            if separator == BLANKS and text[first] == _NEWLINE:
                break
            start[column, rows], end[column, rows] = first, last
            column += 1
            more = separator == BLANKS or text[i] == separator
            i += separator != BLANKS and more
        start[column:, rows] = -1
        end[column:, rows] = -1
        i = _skip_line(text, i)
        line[rows] = number
        line_end[rows] = _trimmed(text, begin, i)
        rows += 1
        i, number = _to_data(text, i + 1, number + 1, separator, comments)
    return rows, -1


@inlined
def _digits(text: Bytes, i: int) -> tuple[np.int64, int]:
    """The number that starts here and the position after its last digit; (−1, i) if there is none or it is too long."""
    value = np.int64(0)
    first = i
    digit = np.int64(text[i]) - _ZERO
    while 0 <= digit <= 9:
        value = 10 * value + digit
        i += 1
        digit = np.int64(text[i]) - _ZERO
    if not 0 < i - first <= _DIGITS:
        value = np.int64(-1)
    return value, i


@kernel
def plain_pairs(text: Bytes, separator: int, sources: Places, targets: Places) -> int:
    """The first two fields of every line, if all lines start with two plain numbers below 2³¹; otherwise −1.

    Twice as fast as splitting and then reading; almost all pieces of an edge list are of this kind.
    """
    rows = 0
    i = 0
    while i < text.size:
        i = _skip_blanks(text, i, separator)
        source, i = _digits(text, i)
        if separator == BLANKS and not _ends_field(text[i], BLANKS):
            return -1
        i = _skip_blanks(text, i, separator)
        if separator != BLANKS:
            if text[i] != separator:
                return -1
            i = _skip_blanks(text, i + 1, separator)
        target, i = _digits(text, i)
        if not _ends_field(text[_skip_spaces(text, i, separator)], separator):
            return -1
        if min(source, target) < 0 or max(source, target) > _LARGEST_INT32:
            return -1
        sources[rows] = source
        targets[rows] = target
        rows += 1
        i = _skip_line(text, i) + 1
    return rows


@kernel
def integers(text: Bytes, start: Places, end: Places, out: Ints) -> int:
    """Fill `out`; returns the first row whose field is not a whole number of at most 18 digits, or −1."""
    for row in range(start.size):
        i, last = start[row], end[row]
        negative = i >= 0 and i < last and text[i] == _MINUS
        if negative or (i >= 0 and i < last and text[i] == _PLUS):
            i += 1
        if i < 0 or i >= last:
            return row
        value, stop = _digits(text, i)
        if value < 0 or stop != last:
            return row
        out[row] = -value if negative else value
    return -1


@kernel
def cut_lists(
    text: Bytes,
    separator: int,
    quotes: int,
    comments: Bytes,
    colon: bool,
    start: Places,
    end: Places,
    row_ptr: Places,
    line: Places,
) -> tuple[int, int]:
    """All non-empty fields, row after row: row k has the fields row_ptr[k] … row_ptr[k + 1] − 1.

    `colon`: a colon at the end of a row's first field is not part of it. Returns (rows, −1), or (rows before it, the
    line on which a quote is not closed).
    """
    rows, fields = 0, 0
    row_ptr[0] = 0
    i, number = _to_data(text, 0, 0, separator, comments)
    while i < text.size:
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
        if fields > row_ptr[rows]:
            line[rows] = number
            rows += 1
            row_ptr[rows] = fields
        i, number = _to_data(text, _skip_line(text, i) + 1, number + 1, separator, comments)
    return rows, -1


@inlined
def _is_alike(text: Bytes, first: int, last: int, ids: bool) -> bool:
    """Whether a field could be another page: only digits or, if pages have names, a dot or colon in it."""
    for k in range(first, last):
        if ids and not _ZERO <= text[k] <= _NINE:
            return False
        if not ids and (text[k] == _DOT or text[k] == _COLON):
            return True
    return ids


@inlined
def _count_fields(text: Bytes, i: int, separator: int) -> tuple[int, int]:
    """The number of non-empty fields up to the end of the line, ignoring quotes, and the position of that end."""
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
    text: Bytes, separator: int, quotes: int, comments: Bytes, fewest: int, most: int, ids: bool
) -> tuple[int, int]:
    """The first line with too few or too many fields, all after the second looking like pages: (line, fields).

    (−1, 0) if there is none. Empty fields do not count.
    """
    i, number = _to_data(text, 0, 0, separator, comments)
    while i < text.size:
        if quotes == NO_QUOTES:
            fields, end = _count_fields(text, i, separator)
            if fewest <= fields <= most:
                i, number = _to_data(text, end + 1, number + 1, separator, comments)
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
        i, number = _to_data(text, _skip_line(text, i) + 1, number + 1, separator, comments)
    return -1, 0
