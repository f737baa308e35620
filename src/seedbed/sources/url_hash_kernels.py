"""A kernel that hashes URLs so that the most common spellings of a page get the same hash. One pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import kernel

_START, _ODD, _MULTIPLIER = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0x100000001B3
_SLASH, _HASH_SIGN, _QUERY, _DOT, _AT = 47, 35, 63, 46, 64
_HTTP, _HTTPS, _HTTP_PORT, _HTTPS_PORT = (
    np.frombuffer(text, np.uint8) for text in (b"http://", b"https://", b":80", b":443")
)


@kernel
def _lower(byte: int) -> int:
    return byte + 32 if 65 <= byte <= 90 else byte


@kernel
def _starts(text: Bytes, first: int, last: int, start: Bytes) -> bool:
    same = last - first >= start.size
    k = 0
    while same and k < start.size:
        same = _lower(text[first + k]) == start[k]
        k += 1
    return same


@kernel
def _without_port(text: Bytes, first: int, last: int, port: Bytes) -> int:
    """The end of host and port, without the scheme's default port."""
    start = last - port.size
    return start if start > first and _starts(text, start, last, port) else last


@kernel
def _is_host(text: Bytes, first: int, last: int) -> bool:
    """Whether text without a scheme could be a host: it contains a dot and no @."""
    dotted = False
    for k in range(first, last):
        if text[k] == _AT:
            return False
        dotted |= text[k] == _DOT and first < k < last - 1
    return dotted


@kernel
def page_hashes(text: Bytes, text_ptr: Ints, out: NDArray[np.uint64]) -> None:
    """The hash of each URL with the host in lower case, without the default port and the fragment, with a path.

    A host without a scheme counts as http; anything that is not a page's URL is hashed unchanged.
    """
    for k in range(text_ptr.size - 1):
        first, last = text_ptr[k], text_ptr[k + 1]
        value = np.uint64(_START)
        secure = _starts(text, first, last, _HTTPS)
        schemed = secure or _starts(text, first, last, _HTTP)
        if schemed:
            first += _HTTPS.size if secure else _HTTP.size
        end = first
        while end < last and text[end] not in (_SLASH, _QUERY, _HASH_SIGN):
            end += 1
        page = schemed or _is_host(text, first, end)
        if page:
            value *= np.uint64(_MULTIPLIER if secure else 1)
            for i in range(first, _without_port(text, first, end, _HTTPS_PORT if secure else _HTTP_PORT)):
                value = (value ^ np.uint64(_lower(text[i]))) * np.uint64(_MULTIPLIER)
            if end == last or text[end] != _SLASH:
                value = (value ^ np.uint64(_SLASH)) * np.uint64(_MULTIPLIER)
            first = end
        else:
            value ^= np.uint64(_ODD)
        for i in range(first, last):
            if page and text[i] == _HASH_SIGN:
                break
            value = (value ^ np.uint64(text[i])) * np.uint64(_MULTIPLIER)
        out[k] = value ^ (value >> np.uint64(29))
