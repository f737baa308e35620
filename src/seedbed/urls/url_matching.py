"""The pages of two snapshots matched by URL, by spelling and by name.

Spelling: two URLs with the same normal form are one page. The normal form leaves out the scheme if it is http or https,
a leading www. before a host that has another dot, session ids (the parameters jsessionid, phpsessid, sid, sessionid
and utm_*, ;jsessionid= in the path), the name of an index file (index or default with a common page extension),
trailing slashes of the path, and the fragment after #. Host and path are lowercased. All other parameters stay as they
are, in their order.

Name: a page whose URL is in one snapshot only may have kept its name, which is its URL without the file extension and
without all parameters but the first:

    http://a.org/news/ball.html      http://a.org/news/ball.php
    http://a.org/view?id=7           http://a.org/view?id=7&lang=en

First, pages with the same whole name are matched; then, among those left, pages of one host whose files have the same
name in different folders. A name that two pages share on either side says nothing.

Cost: one pass over the text of both webs for URLs and spellings, two for names, and sorting: some 3 µs a page. What is
compared are 8-byte hashes; two are equal by chance once in some 10⁷ pairs of webs of a million pages each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints, frozen
from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.urls.browser_urls import SESSIONS
from seedbed.urls.url_table import TextChunk, text_chunk

ENDINGS = ("html", "htm", "shtml", "xhtml", "php", "php3", "php4", "asp", "aspx", "jsp", "cgi", "cfm", "pl")
_WORD = 11
_PARTS = re.compile(r"(?s)(?:(.*?)://)?([^/?#]*)(.*)")  # scheme, host, rest
BYTES_A_URL = 60
"""The memory that matching takes for each URL of the two webs."""
HASH_START, HASH_STEP = 0xCBF29CE484222325, 0x100000001B3


def _codes(words: tuple[str, ...]) -> Bytes:
    return frozen(np.array([list(word.encode().ljust(_WORD, b"\0")) for word in words], np.uint8))


_ENDINGS, _SESSIONS, _WEB_SCHEMES = _codes(ENDINGS), _codes(SESSIONS), _codes(("http", "https"))
_AFTER_SCHEME, _WWW, _INDEX, _DEFAULT, _UTM, _SESSION = (
    frozen(np.frombuffer(word, np.uint8))
    for word in (b"://", b"www.", b"index.", b"default.", b"utm_", b";jsessionid=")
)
HASH, PLUS, HYPHEN, DOT, SLASH, COLON, QUESTION, AMPERSAND, EQUALS, SEMICOLON = b"#+-./:?&=;"


@inlined
def _lower(byte: int) -> int:
    return byte | 32 if 65 <= byte <= 90 else byte


@borrowing
def _begins(text: Bytes, start: int, stop: int, word: Bytes) -> bool:
    if stop - start < word.size:
        return False
    k = 0
    while k < word.size and _lower(text[start + k]) == word[k]:
        k += 1
    return k == word.size


@borrowing
def _among(text: Bytes, start: int, stop: int, words: Bytes) -> bool:
    if stop - start >= words.shape[1]:
        return False
    for row in range(words.shape[0]):
        k = 0
        while start + k < stop and _lower(text[start + k]) == words[row, k]:
            k += 1
        if start + k == stop and words[row, k] == 0:
            return True
    return False


@borrowing
def _copy(text: Bytes, start: int, stop: int, into: Bytes, used: int, lower: bool) -> int:
    for k in range(start, stop):
        into[used] = _lower(text[k]) if lower else text[k]
        used += 1
    return used


@borrowing
def next_byte(text: Bytes, start: int, stop: int, byte: int) -> int:
    """The next position of a byte, or `stop`."""
    while start < stop and text[start] != byte:
        start += 1
    return start


@inlined
def _in_scheme(byte: int) -> bool:
    return 97 <= (byte | 32) <= 122 or 48 <= byte <= 57 or byte in (PLUS, HYPHEN, DOT)


@borrowing
def _host(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> tuple[int, int]:
    """Copy the host; (where the path starts, used)."""
    at = colon = start
    while colon < stop and _in_scheme(text[colon]):
        colon += 1
    if _begins(text, colon, stop, _AFTER_SCHEME):
        at = colon + _AFTER_SCHEME.size
        if not _among(text, start, colon, _WEB_SCHEMES):
            used = _copy(text, start, at, into, used, True)
    end = at
    dots = 0
    while end < stop and text[end] != SLASH and text[end] != QUESTION and text[end] != HASH:
        dots += text[end] == DOT
        end += 1
    if dots > 1 and _begins(text, at, end, _WWW):
        at += _WWW.size
    return end, _copy(text, at, end, into, used, True)


@borrowing
def _path(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> int:
    """Copy the path without session id, index file and trailing slashes."""
    at = start
    while at < stop:
        if text[at] == SEMICOLON and _begins(text, at, stop, _SESSION):
            at += _SESSION.size
            while at < stop and text[at] != SLASH and text[at] != SEMICOLON:
                at += 1
            continue
        into[used] = _lower(text[at])
        used += 1
        at += 1
    return used


@borrowing
def _without_index(into: Bytes, first: int, used: int) -> int:
    name = used
    while name > first and into[name - 1] != SLASH:
        name -= 1
    if name > first:
        for skip in (_INDEX, _DEFAULT):
            if _begins(into, name, used, skip) and _among(into, name + skip.size, used, _ENDINGS):
                used = name
                break
    while used > first and into[used - 1] == SLASH:
        used -= 1
    return used


@borrowing
def _query(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> int:
    """Copy the parameters that are not session ids; `start` is past the question mark."""
    mark = np.uint8(QUESTION)
    while start < stop:
        end = next_byte(text, start, stop, AMPERSAND)
        name = next_byte(text, start, end, EQUALS)
        if end > start and not _begins(text, start, end, _UTM) and not _among(text, start, name, _SESSIONS):
            into[used] = mark
            used += 1
            used = _copy(text, start, end, into, used, False)
            mark = np.uint8(AMPERSAND)
        start = end + 1
    return used


@kernel
def normal_forms(text: Bytes, ptr: Ints) -> tuple[Bytes, Ints]:
    """The normal form of each URL of a chunk."""
    count = ptr.size - 1
    into, into_ptr = np.empty(text.size, np.uint8), np.zeros(count + 1, np.int64)
    used = 0
    for k in range(count):
        stop = next_byte(text, ptr[k], ptr[k + 1], HASH)
        path, used = _host(text, ptr[k], stop, into, used)
        query = next_byte(text, path, stop, QUESTION)
        first = used
        used = _path(text, path, query, into, used)
        used = _without_index(into, first, used)
        used = _query(text, query + 1, stop, into, used)
        into_ptr[k + 1] = used
    return into[:used].copy(), into_ptr


@kernel
def hashes(text: Bytes, ptr: Ints) -> NDArray[np.uint64]:
    """A 64-bit hash of each string (FNV-1a, its bits mixed once more)."""
    found = np.empty(ptr.size - 1, np.uint64)
    for k in range(found.size):
        value = np.uint64(HASH_START)
        for at in range(ptr[k], ptr[k + 1]):
            value = (value ^ np.uint64(text[at])) * np.uint64(HASH_STEP)
        value ^= value >> np.uint64(32)
        value *= np.uint64(0xD6E8FEB86659FD93)
        found[k] = value ^ (value >> np.uint64(32))
    return found


def text_keys(chunk: TextChunk) -> Ints:
    """A number above 0 for each string, the same for the same string; 0 for an empty one."""
    text, ptr = chunk
    return np.where(np.diff(ptr) > 0, as_keys(hashes(frozen(text), frozen(ptr))), 0)


def normal_form_keys(chunk: TextChunk) -> Ints:
    """A number above 0 for each URL, the same for URLs of the same normal form; 0 for an empty one."""
    text, ptr = normal_forms(*chunk)
    return np.where(np.diff(chunk[1]) > 0, as_keys(hashes(frozen(text), frozen(ptr))), 0)


def as_keys(hashed: NDArray[np.uint64]) -> Ints:
    """63 bits of each hash, never 0: they fit a column of numbers, where 0 means unknown."""
    return (hashed >> np.uint64(1)).astype(np.int64) | 1


def normal_form(url: str) -> str:
    """The normal form of one URL."""
    return normal_forms(*text_chunk([url]))[0].tobytes().decode("utf-8", "surrogatepass")


class Urls(Protocol):
    """URLs in the order of their pages."""

    def chunks(self) -> Iterator[TextChunk]:
        """(text, text_ptr), a chunk at a time."""

    def __len__(self) -> int: ...


def matched_pages(old: Urls, new: Urls) -> tuple[Ints, Ints]:
    """The new page of each old one by URL, and by URL or else by normal form; −1 if there is none.

    Of new pages with the same URL the first counts. A normal form that several new pages have says nothing.
    """
    there, wanted = (keys_of(urls, as_written, normal_forms) for urls in (new, old))
    same, _ = _looked_up(wanted[0], there[0])
    near, count = _looked_up(wanted[1], there[1])
    near[count != 1] = -1
    return same, np.where(same >= 0, same, near)


def _looked_up(wanted: NDArray[np.uint64], keys: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Where each key that is wanted stands first, −1 if it does not, and how often it stands there."""
    order = np.argsort(keys, kind="stable")
    by_key = np.argsort(wanted)  # keys looked up in their order are found from cache
    keys, wanted = keys[order], wanted[by_key]
    first, last = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
    place, count = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    count[by_key] = last - first
    place[by_key] = np.append(order, -1)[np.where(last > first, first, len(order))]
    return place, count


def as_written(text: Bytes, ptr: Ints) -> TextChunk:
    """The URLs of a chunk as they are."""
    return text, ptr


def keys_of(urls: Urls, *forms: Callable[[Bytes, Ints], TextChunk]) -> tuple[NDArray[np.uint64], ...]:
    """For each of some forms, a hash of that form of each URL."""
    parts: tuple[list[NDArray[np.uint64]], ...] = tuple([np.empty(0, np.uint64)] for _ in forms)
    for chunk in urls.chunks():
        for found, form in zip(parts, forms, strict=True):
            text, ptr = form(*chunk)
            found.append(hashes(frozen(text), frozen(ptr)))
    return tuple(np.concatenate(found) for found in parts)


def difference(url: str, other: str) -> tuple[str, float]:
    """How two URLs of one normal form differ, and how certain it is that they name one page; 0 if the forms differ."""
    if normal_form(url) != normal_form(other):
        return "more than spelling", 0.0
    (scheme, host, rest), (other_scheme, other_host, other_rest) = (_PARTS.findall(one)[0] for one in (url, other))
    changes = [("the scheme", 0.01)] if scheme.lower() != other_scheme.lower() else []
    if host != other_host:
        changes.append(("the host's www. or case", 0.01))
    if rest != other_rest and rest.lower() == other_rest.lower():
        changes.append(("the case of the path", 0.1))
    elif rest != other_rest:
        changes.append(("the index file, last slash or session number", 0.05))
    return " and ".join(what for what, _ in changes), 1 - sum(doubt for _, doubt in changes)


@borrowing
def _host_end(form: Bytes, start: int, stop: int) -> int:
    end = next_byte(form, start, stop, SLASH)
    if end > start and end < stop and form[end - 1] == COLON:  # the scheme's slashes
        end = next_byte(form, min(end + 2, stop), stop, SLASH)
    return end


@kernel
def page_names(form: Bytes, form_ptr: Ints, folders: bool) -> tuple[Bytes, Ints]:
    """The names of pages from the normal forms of their URLs, with or without the file's folder."""
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
        used = _copy(form, form_ptr[k], file if folders else host, into, used, False)
        used = _copy(form, file if folders else max(file - 1, host), end, into, used, False)
        used = _copy(form, query, stop, into, used, False)
        into_ptr[k + 1] = used
    return into[:used].copy(), into_ptr


def names_of(text: Bytes, ptr: Ints, folders: bool) -> TextChunk:
    """The names of pages from their URLs."""
    form, form_ptr = normal_forms(text, ptr)
    return page_names(frozen(form), frozen(form_ptr), folders)


def same_names(old: Urls, new: Urls, near: Ints, *, moved: bool = True) -> Ints:
    """The new page of the same name for each old page that `near` leaves unmatched; −1 if there is none.

    `moved`: also in another folder, where names are often chance: for use where something else confirms a match.
    """
    found = np.full(len(old), -1, np.int64)
    fresh = np.ones(len(new), np.bool_)
    fresh[near[near >= 0]] = False
    for folders in (True, False) if moved else (True,):
        lost = np.flatnonzero((near < 0) & (found < 0))
        left = np.flatnonzero(fresh)
        if not len(lost) or not len(left):
            break
        names = partial(names_of, folders=folders)
        before, after = _single(keys_of(old, names)[0][lost]), _single(keys_of(new, names)[0][left])
        _, at, place = np.intersect1d(before[0], after[0], assume_unique=True, return_indices=True)
        found[lost[before[1][at]]] = left[after[1][place]]
        fresh[left[after[1][place]]] = False
    return found


def _single(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Ints]:
    """Keys that occur once, and their positions."""
    values, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1]
