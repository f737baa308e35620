"""URLs that differ in spelling only, and the pages of two snapshots matched by URL.

The normal form of a URL leaves out the scheme where it is http or https, a leading www. before a host that has a dot
besides, session numbers (the parameters jsessionid, phpsessid, sid, sessionid and utm_*, ;jsessionid= in the path), the
name of an index file (index or default with an ending in use for pages), slashes at the end of the path, and what
follows #. Host and path are in lower case. All other parameters stay as they are, in their order.

Cost: one pass over the text of both webs; a hash of 8 bytes a page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.urls.browser_urls import SESSIONS
from seedbed.urls.front_coding import Bytes, Offsets
from seedbed.urls.url_table import UrlTable, text_chunk

ENDINGS = ("html", "htm", "shtml", "xhtml", "php", "php3", "php4", "asp", "aspx", "jsp", "cgi", "cfm", "pl")
_WORD = 11
HASH_START, HASH_STEP = 0xCBF29CE484222325, 0x100000001B3


def _codes(words: tuple[str, ...]) -> Bytes:
    return frozen(np.array([list(word.encode().ljust(_WORD, b"\0")) for word in words], np.uint8))


_ENDINGS, _SESSIONS = _codes(ENDINGS), _codes(SESSIONS)
_HTTP, _HTTPS, _WWW, _INDEX, _DEFAULT, _UTM, _SESSION = (
    frozen(np.frombuffer(word, np.uint8))
    for word in (b"http://", b"https://", b"www.", b"index.", b"default.", b"utm_", b";jsessionid=")
)
HASH, PLUS, HYPHEN, DOT, SLASH, COLON, QUESTION, AMPERSAND, EQUALS, SEMICOLON = 35, 43, 45, 46, 47, 58, 63, 38, 61, 59


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
def _copy_lower(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> int:
    for k in range(start, stop):
        into[used] = _lower(text[k])
        used += 1
    return used


@borrowing
def next_byte(text: Bytes, start: int, stop: int, byte: int) -> int:
    """Where a byte is next, or `stop`."""
    while start < stop and text[start] != byte:
        start += 1
    return start


@inlined
def _in_scheme(byte: int) -> bool:
    return 97 <= (byte | 32) <= 122 or 48 <= byte <= 57 or byte in (PLUS, HYPHEN, DOT)


@borrowing
def _host(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> tuple[int, int]:
    """Copy the host; (where the path starts, used)."""
    at = start
    if _begins(text, start, stop, _HTTP):
        at = start + _HTTP.size
    elif _begins(text, start, stop, _HTTPS):
        at = start + _HTTPS.size
    else:
        colon = start
        while colon < stop and _in_scheme(text[colon]):
            colon += 1
        if colon + 2 < stop and text[colon] == COLON and text[colon + 1] == SLASH and text[colon + 2] == SLASH:
            used = _copy_lower(text, start, colon + 3, into, used)
            at = colon + 3
    end = at
    dots = 0
    while end < stop and text[end] != SLASH and text[end] != QUESTION and text[end] != HASH:
        dots += text[end] == DOT
        end += 1
    if dots > 1 and _begins(text, at, end, _WWW):
        at += _WWW.size
    return end, _copy_lower(text, at, end, into, used)


@borrowing
def _path(text: Bytes, start: int, stop: int, into: Bytes, used: int) -> int:
    """Copy the path without session number, index file and last slashes."""
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
    """Copy the parameters that are no session numbers; `start` is past the question mark."""
    mark = np.uint8(QUESTION)
    while start < stop:
        end = next_byte(text, start, stop, AMPERSAND)
        name = next_byte(text, start, end, EQUALS)
        if end > start and not _begins(text, start, end, _UTM) and not _among(text, start, name, _SESSIONS):
            into[used] = mark
            used += 1
            for k in range(start, end):
                into[used] = text[k]
                used += 1
            mark = np.uint8(AMPERSAND)
        start = end + 1
    return used


@kernel
def normal_forms(text: Bytes, ptr: Offsets) -> tuple[Bytes, Offsets]:
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
def hashes(text: Bytes, ptr: Offsets) -> NDArray[np.uint64]:
    """A hash of 64 bits of each string (FNV-1a, its bits mixed once more)."""
    found = np.empty(ptr.size - 1, np.uint64)
    for k in range(found.size):
        value = np.uint64(HASH_START)
        for at in range(ptr[k], ptr[k + 1]):
            value = (value ^ np.uint64(text[at])) * np.uint64(HASH_STEP)
        value ^= value >> np.uint64(32)
        value *= np.uint64(0xD6E8FEB86659FD93)
        found[k] = value ^ (value >> np.uint64(32))
    return found


def normal_form(url: str) -> str:
    """The normal form of one URL."""
    return normal_forms(*text_chunk([url]))[0].tobytes().decode("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class Matched:
    """Old pages in the new web: `same` by URL, `near` by URL or else by normal form; −1 where there is none.

    `spellings[p]` counts the new pages whose normal form is that of old page p; `near` needs it to be 1.
    """

    same: Offsets
    near: Offsets
    spellings: Offsets


def matched_pages(old: UrlTable, new: UrlTable) -> Matched:
    """Match the pages of two snapshots."""
    same = np.concatenate([np.empty(0, np.int64), *(new.find_text(*chunk) for chunk in old.chunks())])
    order, keys = _sorted_keys(new)
    wanted = _keys(old)
    first, last = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    spellings = last - first
    near = same.copy()
    only = (same < 0) & (spellings == 1)
    near[only] = order[first[only]]
    return Matched(same, near, spellings)


def _keys(urls: UrlTable) -> NDArray[np.uint64]:
    parts = [np.empty(0, np.uint64)]
    for text, text_ptr in urls.chunks():
        form, form_ptr = normal_forms(text, text_ptr)
        parts.append(hashes(frozen(form), frozen(form_ptr)))
    return np.concatenate(parts)


def _sorted_keys(urls: UrlTable) -> tuple[Offsets, NDArray[np.uint64]]:
    keys = _keys(urls)
    order = np.argsort(keys, kind="stable")
    return order, keys[order]


def difference(url: str, other: str) -> tuple[str, float]:
    """In what two URLs of one normal form differ, and how sure it is that they name one page; 0 if forms differ."""
    if normal_form(url) != normal_form(other):
        return "more than spelling", 0.0
    (scheme, host, rest), (other_scheme, other_host, other_rest) = _parts(url), _parts(other)
    changes = [("the scheme", 0.01)] if scheme != other_scheme else []
    if host != other_host:
        changes.append(("the host's www. or case", 0.01))
    if rest != other_rest and rest.lower() == other_rest.lower():
        changes.append(("the case of the path", 0.1))
    elif rest != other_rest:
        changes.append(("the index file, last slash or session number", 0.05))
    return " and ".join(what for what, _ in changes), 1 - sum(doubt for _, doubt in changes)


def _parts(url: str) -> tuple[str, str, str]:
    scheme, found, rest = url.partition("://")
    if not found:
        scheme, rest = "", url
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    return scheme.lower(), host, rest[len(host) :]
