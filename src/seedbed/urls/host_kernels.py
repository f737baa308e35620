"""Finding the host in URLs, and where it changes from one URL to the next.

A browser reads the host from the text before the first / ? or # after the start of the authority, and nothing
after that can change it. So a kernel cuts each URL there. Most hosts are plain (lower-case letters, digits,
- _ and single dots, no punycode, not ending in a number) and are their own normal form; the others go to a
browser's parser, once per run of URLs with the same beginning.

Cost: one pass over the text up to the end of the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seedbed.common.arrays import Bytes, Flags, Ints, arrow_bytes
from seedbed.common.kernels import borrowing, inlined, kernel

PLAIN, WITH_SCHEME, WITHOUT_SCHEME, NONE = 0, 1, 2, 3
LONGEST_PLAIN = 253


def _word(scheme: str) -> int:
    return int.from_bytes(scheme.encode(), "big")


HTTP, HTTPS, WS, WSS, FTP, FILE = (_word(scheme) for scheme in ("http", "https", "ws", "wss", "ftp", "file"))

SIX_BYTES = (1 << 48) - 1
TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
HASH, PLUS, HYPHEN, DOT, SLASH, COLON, QUESTION, BACKSLASH, UNDERSCORE = 35, 43, 45, 46, 47, 58, 63, 92, 95


@inlined
def _skipped(byte: int) -> bool:
    return byte in (TAB, NEWLINE, RETURN)


@inlined
def _is_letter(byte: int) -> bool:
    return 97 <= (byte | 32) <= 122


@inlined
def _is_digit(byte: Any) -> bool:
    return 48 <= byte <= 57


@borrowing
def _scheme(text: Bytes, at: int, stop: int) -> tuple[int, int, bool]:
    """(position after the colon, the scheme's letters as a number, has a dot); (at, 0, False) without a scheme."""
    word, dot = 0, False
    for k in range(at, stop):
        byte: Any = np.int64(text[k])
        if _is_letter(byte):
            word = (word << 8 | byte | 32) & SIX_BYTES
        elif byte == COLON and k > at:
            return k + 1, word, dot
        elif k > at and (_is_digit(byte) or byte in (PLUS, HYPHEN, DOT)):
            word = (word << 8 | byte) & SIX_BYTES
            dot = dot or byte == DOT
        elif not _skipped(byte):
            break
    return at, 0, False


@borrowing
def _slashes(text: Bytes, at: int, stop: int) -> int:
    """How many of the next two bytes are slashes of either kind; tabs and line ends are skipped."""
    count = 0
    for k in range(at, stop):
        if text[k] in (SLASH, BACKSLASH):
            count += 1
        elif not _skipped(text[k]):
            break
        if count == 2:
            break
    return count


@borrowing
def _authority(text: Bytes, at: int, stop: int) -> tuple[int, int, bool]:
    """(where the authority starts after the slashes, where it ends, whether it is a plain host)."""
    while at < stop and (text[at] in (SLASH, BACKSLASH) or _skipped(text[at])):
        at += 1
    label, last_label, plain = at, at, True
    end = at
    while end < stop:
        byte: Any = np.int64(text[end])
        if byte in (SLASH, QUESTION, HASH):
            break
        if byte == DOT:
            plain = plain and end > label
            last_label, label = label, end + 1
        elif byte == HYPHEN:
            # xn-- is punycode, which a browser checks.
            if end == label + 3 and text[label] == 120 and text[label + 1] == 110 and text[end - 1] == HYPHEN:
                plain = False
        elif not (97 <= byte <= 122 or _is_digit(byte) or byte == UNDERSCORE):
            plain = False
        end += 1
    if label < end:
        last_label = label
    if end == at or end - at > LONGEST_PLAIN or _is_digit(text[last_label]):
        plain = False
    return at, end, plain


@borrowing
def _locate(text: Bytes, start: int, stop: int, bare: bool) -> tuple[int, int, int]:
    """(kind, start, stop): a PLAIN host, or the part of the URL that determines its host, or NONE."""
    while start < stop and text[start] <= SPACE:
        start += 1
    at, word, dot = _scheme(text, start, stop)
    slashes = _slashes(text, at, stop)
    kind = WITH_SCHEME
    if at == start or ((bare or dot) and slashes < 2):
        if start < stop and text[start] in (SLASH, BACKSLASH) and slashes < 2:
            return NONE, start, start
        at, kind = start, WITHOUT_SCHEME
    special = word in (HTTP, HTTPS, FTP, WS, WSS)
    if kind == WITH_SCHEME and not special and word != FILE and slashes == 0:
        return NONE, start, start
    host, end, plain = _authority(text, at, stop)
    if plain and (special or kind == WITHOUT_SCHEME):
        return PLAIN, host, end
    return kind, start, min(end + 1, stop)


@borrowing
def _equal(text: Bytes, start: int, stop: int, other: int, other_stop: int) -> bool:
    if stop - start != other_stop - other:
        return False
    j = 0
    while start + j < stop and text[start + j] == text[other + j]:
        j += 1
    return start + j == stop


@borrowing
def _begin_alike(text: Bytes, ptr: Ints, k: int, size: int) -> bool:
    """Whether URLs k − 1 and k begin with the same `size` bytes."""
    return ptr[k] + size <= ptr[k + 1] and _equal(text, ptr[k - 1], ptr[k - 1] + size, ptr[k], ptr[k] + size)


@kernel
def locate_hosts(text: Bytes, ptr: Ints, bare: bool) -> tuple[Ints, Ints, Ints, Bytes]:
    """(run of each URL, then for each run: where its piece of text starts, where it stops, its kind).

    Consecutive URLs with equal pieces share a run. With `bare`, names are hosts, and a scheme counts only before //.
    """
    count = ptr.size - 1
    run_of, starts, stops = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    kinds = np.empty(count, np.uint8)
    run, decided = -1, 0
    for k in range(count):
        if decided == 0 or not _begin_alike(text, ptr, k, decided):
            kind, start, stop = _locate(text, ptr[k], ptr[k + 1], bare)
            # How much the next URL must share to have the same host: everything up to the / ? or # that ends the
            # authority, if one does and no byte after it was read (as happens when telling a port from a scheme).
            decided = stop - ptr[k] + (kind == PLAIN)
            if kind in (WITHOUT_SCHEME, NONE) or ptr[k] + decided >= ptr[k + 1]:
                decided = 0
            if run < 0 or kinds[run] != kind or not _equal(text, starts[run], stops[run], start, stop):
                run += 1
                starts[run], stops[run], kinds[run] = start, stop, kind
        run_of[k] = run
    return run_of, starts[: run + 1], stops[: run + 1], kinds[: run + 1]


def differs_from_last(text: Bytes, ptr: Ints) -> Flags:
    """Whether each string differs from its predecessor; the first one does."""
    import pyarrow.compute as pc

    strings = arrow_bytes((text, ptr))
    differs = np.ones(len(strings), np.bool_)
    differs[1:] = pc.not_equal(strings[1:], strings[:-1])
    return differs
