"""Pages that kept their name, for pages whose URL is in one snapshot only.

The name of a page is its URL without the ending of the file and without all parameters but the first:

    http://a.org/news/ball.html      http://a.org/news/ball.php
    http://a.org/view?id=7           http://a.org/view?id=7&lang=en

First pages whose whole names are the same are matched, then, among those left, pages of one host whose files have the
same name in different folders. A name that two pages have on either side says nothing. Spelling does not count (see
sameness).

Cost: two passes over the text of both webs; a hash of 8 bytes a page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import borrowing, kernel
from seedbed.seeds.refresh.url_matching import AMPERSAND, COLON, DOT, QUESTION, SLASH, hashes, next_byte, normal_forms
from seedbed.urls.front_coding import Bytes, Offsets
from seedbed.urls.url_table import TextChunk, UrlTable, text_chunk


@borrowing
def _host_end(form: Bytes, start: int, stop: int) -> int:
    end = next_byte(form, start, stop, SLASH)
    if end > start and end < stop and form[end - 1] == COLON:  # the scheme's slashes
        end = next_byte(form, min(end + 2, stop), stop, SLASH)
    return end


@borrowing
def _copy(form: Bytes, start: int, stop: int, into: Bytes, used: int) -> int:
    for k in range(start, stop):
        into[used] = form[k]
        used += 1
    return used


@kernel
def page_names(form: Bytes, form_ptr: Offsets, folders: bool) -> tuple[Bytes, Offsets]:
    """The names of pages from the normal forms of their URLs, with or without the folder the file is in."""
    into, into_ptr = np.empty(form.size, np.uint8), np.zeros(form_ptr.size, np.int64)
    used = 0
    for k in range(form_ptr.size - 1):
        stop = next_byte(form, form_ptr[k], form_ptr[k + 1], AMPERSAND)
        query = next_byte(form, form_ptr[k], stop, QUESTION)
        host = _host_end(form, form_ptr[k], query)
        file = query
        while file > host and form[file - 1] != SLASH:
            file -= 1
        end = query
        while end > file and form[end - 1] != DOT:
            end -= 1
        end = end - 1 if end - 1 > file else query
        used = _copy(form, form_ptr[k], file if folders else host, into, used)
        used = _copy(form, file if folders else max(file - 1, host), end, into, used)
        used = _copy(form, query, stop, into, used)
        into_ptr[k + 1] = used
    return into[:used].copy(), into_ptr


def page_name(url: str, *, folders: bool = True) -> str:
    """The name of one page."""
    return _named(text_chunk([url]), folders)[0].tobytes().decode("utf-8", "surrogatepass")


def _named(chunk: TextChunk, folders: bool) -> TextChunk:
    form, form_ptr = normal_forms(*chunk)
    name, name_ptr = page_names(frozen(form), frozen(form_ptr), folders)
    return frozen(name), frozen(name_ptr)


def same_names(old: UrlTable, new: UrlTable, near: Offsets) -> Offsets:
    """The new page of the same name for each old page that `near` matches with none; −1 where there is none."""
    found = np.full(len(old), -1, np.int64)
    fresh = np.ones(len(new), np.bool_)
    fresh[near[near >= 0]] = False
    for folders in (True, False):
        lost = np.flatnonzero((near < 0) & (found < 0))
        left = np.flatnonzero(fresh)
        before, after = _single(_keys(old, folders)[lost]), _single(_keys(new, folders)[left])
        _, at, place = np.intersect1d(before[0], after[0], assume_unique=True, return_indices=True)
        found[lost[before[1][at]]] = left[after[1][place]]
        fresh[left[after[1][place]]] = False
    return found


def _single(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Offsets]:
    """Keys that occur once, and where."""
    values, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1]


def _keys(urls: UrlTable, folders: bool) -> NDArray[np.uint64]:
    parts = [hashes(*_named(chunk, folders)) for chunk in urls.chunks()]
    return np.concatenate([np.empty(0, np.uint64), *parts])
