"""Kernels over whole texts: count, find and list lines, gather fields, turn names round. One pass over the bytes each.

A text always ends with a line end, so a scan for one never leaves it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _DOT = 9, 10, 13, 32, 34, 46


@kernel
def count_lines(text: NDArray[np.uint8]) -> int:
    """Line ends in a text."""
    lines = 0
    for k in range(text.size):
        lines += text[k] == _NEWLINE
    return lines


@kernel
def line_starts(text: NDArray[np.uint8], mark: int, starts: NDArray[Any]) -> int:
    """Where lines start whose first byte that is not blank is `mark`, as far as there is room; how many there are."""
    found = 0
    i = 0
    while i < text.size:
        first = i
        while text[i] in (_SPACE, _TAB, _RETURN):
            i += 1
        if text[i] == mark:
            if found < starts.size:
                starts[found] = first
            found += 1
        while text[i] != _NEWLINE:
            i += 1
        i += 1
    return found


@kernel
def whole_lines(text: NDArray[np.uint8], out: NDArray[np.uint8], out_ptr: NDArray[np.int64]) -> None:
    """Every line without its end, blank ones too. `out` has room for them all."""
    row = 0
    place = 0
    out_ptr[0] = 0
    for k in range(text.size):
        if text[k] == _NEWLINE:
            if place > out_ptr[row] and out[place - 1] == _RETURN:
                place -= 1
            row += 1
            out_ptr[row] = place
        else:
            out[place] = text[k]
            place += 1


@kernel
def gather(
    text: NDArray[np.uint8],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    doubled: bool,
    out: NDArray[np.uint8],
    out_ptr: NDArray[np.int64],
) -> None:
    """The fields one after the other; in quoted ones `doubled` quotes become single. `out` has room for all."""
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
def turned_round(text: NDArray[np.uint8], text_ptr: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Names with their labels in the other order: com.example.www becomes www.example.com."""
    turned = np.empty_like(text)
    for row in range(text_ptr.size - 1):
        place = text_ptr[row]
        last = text_ptr[row + 1]
        for i in range(text_ptr[row + 1] - 1, text_ptr[row] - 2, -1):
            if i < text_ptr[row] or text[i] == _DOT:
                for k in range(i + 1, last):
                    turned[place] = text[k]
                    place += 1
                if i >= text_ptr[row]:
                    turned[place] = _DOT
                    place += 1
                last = i
    return turned
