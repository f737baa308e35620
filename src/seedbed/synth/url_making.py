"""The URLs of the pages of some hosts, as a text chunk, ascending.

    http://host/                       the home page
    http://host/about.html             front pages; all begin with 'a', folders with later letters
    http://host/folder/                index pages
    http://host/folder/name.html       or 004711.html, or view.php?id=004711: one style per folder, numbers in archives

In the new snapshot a page that moved or was replaced has another extension, and in some folders more changes with it,
the same for all such pages of a folder:

    http://host/folder/name.htm        nothing more
    http://host/folder/other/name.htm  it went into a folder of its own
    http://host/folder/name-two.htm    its name became longer
    http://host/folder/other.htm       it has another name; only its links tell

Other names are drawn between the names of the neighbours, so a page keeps its place in the order.
"""

from __future__ import annotations

import numpy as np

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.host_layout import DANGLING, KEPT, REPLACED, Layout, page_key, page_kind
from seedbed.synth.host_names import (
    NAME_BYTES,
    SYLLABLES,
    digits_for,
    put_digits,
    put_name,
    put_syllables,
    put_word,
    words,
)
from seedbed.synth.hosts import FARM
from seedbed.synth.link_making import end_of, host_layout
from seedbed.synth.random_draws import chance, draw
from seedbed.synth.site_kinds import ARCHIVE
from seedbed.synth.web_plan import Snapshot

_SCHEME = words("http://")
_SLASH = words("/")
_FRONT = words(
    "", "about", "access", "address", "agenda", "alumni", "archive", "area", "articles", "arts", "associates", "awards"
)
# One row for plain pages, one for documents without links, one for queries, one for index pages: kept, moved, replaced.
_ENDINGS = words(".html", ".htm", ".php", ".pdf", ".ps", ".doc", "", "&v=2", "&v=3", "", "0.html", "0.php")
_PLAIN, _DOCUMENT, _QUERY, _INDEX = 0, 3, 6, 9
_VIEW = words("view.php?id=")
_LONGEST = 2 * NAME_BYTES + 16
_HYPHEN = words("-")
_FOLDER_NAMES, _PAGE_NAMES, _STYLES, _CHANGES, _OTHER_NAMES, _SUCCESSORS = range(41, 47)
_NEW_FOLDER, _LONGER_NAME, _OTHER_NAME = 0.4, 0.65, 0.8  # of the folders change only extensions, …
SUCCESSORS_NAMED = 0.3  # of the pages that replace another are named like it
_NAMED, _NUMBERED = 0.6, 0.8  # styles of folders
_DECIMALS = np.int64(6)
_ZERO = np.int64(0)  # typed, or kernels are compiled again for the constant


@kernel
def make_urls(web: Snapshot, start: int, stop: int) -> tuple[Bytes, Ints]:
    """The URLs of the pages of hosts order[start : stop]."""
    pages = end_of(web, stop - 1) - web.hosts[web.order[start]].first
    text = np.empty(pages * _LONGEST, np.uint8)
    text_ptr = np.zeros(pages + 1, np.int64)
    lead = np.empty(_LONGEST, np.uint8)
    page = _ZERO
    for position in range(start, stop):
        host = web.order[position]
        at = host_layout(web, host)
        length = put_word(lead, _ZERO, _SCHEME, _ZERO)
        known = web.hosts[host]
        length = put_name(lead, length, web.name_key, web.name_digits, np.int64(known.domain), np.int64(known.place))
        length = put_word(lead, length, _SLASH, _ZERO)
        page = _front_urls(at, lead[:length], text, text_ptr, page)
        for folder in range(at.folders):
            into = _put_folder(lead, length, draw(web.key, host), at, folder, np.int64(web.hosts[host].pages))
            page = _folder_urls(web, host, at, folder, lead[:into], text, text_ptr, page)
    return text[: text_ptr[-1]].copy(), text_ptr


@borrowing
def _put(text: Bytes, at: int, lead: Bytes) -> int:
    for i in range(lead.size):
        text[at + i] = lead[i]
    return at + lead.size


@borrowing
def _front_urls(at: Layout, lead: Bytes, text: Bytes, text_ptr: Ints, page: int) -> int:
    for slot in range(at.front):
        end = _put(text, text_ptr[page], lead)
        if slot:
            end = put_word(text, end, _FRONT, slot)
            end = put_word(text, end, _ENDINGS, _PLAIN + at.fate[slot])
        page += 1
        text_ptr[page] = end
    return page


@borrowing
def _put_folder(text: Bytes, end: int, key: np.uint64, at: Layout, folder: int, size: int) -> int:
    """Write the folder's name: a number in the lower half of the range for persistent folders, else in the upper."""
    digits = digits_for(size + 16)
    half = SYLLABLES**digits // 2
    if folder < at.lasting:
        number = _spread(draw(key, _FOLDER_NAMES), folder, at.lasting, half)
    else:
        later = at.folders - at.lasting
        number = half + _spread(draw(key, _FOLDER_NAMES), folder - at.lasting, later, half)
    if digits > 2:
        end = put_syllables(text, end, number // SYLLABLES**2, digits - 2)
        end = put_word(text, end, _SLASH, _ZERO)
        number %= SYLLABLES**2
    end = put_syllables(text, end, number, 2)
    return put_word(text, end, _SLASH, _ZERO)


@borrowing
def _spread(key: np.uint64, which: int, of: int, bound: int) -> int:
    """Ascending numbers below `bound`, at random distances."""
    step = bound // of
    return which * step + np.int64(chance(key, which) * step)


@borrowing
def _folder_urls(
    web: Snapshot, host: int, at: Layout, folder: int, lead: Bytes, text: Bytes, text_ptr: Ints, page: int
) -> int:
    key = draw(web.key, host)
    style = chance(draw(key, _STYLES), folder)
    if web.hosts[host].kind == ARCHIVE:
        style = _NAMED + (1.0 - _NAMED) * style
    names = draw(draw(key, _PAGE_NAMES), folder)
    start, stop = at.starts[folder], at.starts[folder + 1]
    for slot in range(start, stop):
        if at.page[slot] < 0:
            continue
        end = _put(text, text_ptr[page], lead)
        ending = _INDEX
        if slot > start:
            kind = page_kind(page_key(key, slot, at.fate[slot]), False)
            ending = _DOCUMENT if kind == DANGLING and web.hosts[host].part != FARM else _PLAIN
            ending = ending if style < _NUMBERED else _QUERY
            change = _change(key, at, folder, slot)
            end = _put_page(text, end, names, style, change, slot - start - 1, stop - start - 1)
        end = put_word(text, end, _ENDINGS, ending + at.fate[slot])
        page += 1
        text_ptr[page] = end
    return page


@borrowing
def _change(key: np.uint64, at: Layout, folder: int, slot: int) -> float:
    """What changed about a page's name: a number to compare with _NEW_FOLDER and the next two."""
    if at.fate[slot] == KEPT:
        return 0.0
    if at.fate[slot] == REPLACED and chance(draw(key, _SUCCESSORS), slot) >= SUCCESSORS_NAMED:
        return 1.0
    return chance(draw(key, _CHANGES), folder)


@borrowing
def _put_page(text: Bytes, end: int, names: np.uint64, style: float, change: float, which: int, of: int) -> int:
    """Write the name of page `which` of a folder, by the folder's style and what changed."""
    number = _spread(names, which, of, SYLLABLES**3)
    other = _spread(draw(names, _OTHER_NAMES), which, of, SYLLABLES**3)
    if change >= _OTHER_NAME:
        number = other
    if style >= _NUMBERED:
        end = put_word(text, end, _VIEW, _ZERO)
    elif _NEW_FOLDER <= change < _LONGER_NAME:
        end = _put_number(text, end, other, style)
        end = put_word(text, end, _SLASH, _ZERO)
    end = _put_number(text, end, number, style)
    if _LONGER_NAME <= change < _OTHER_NAME:
        end = put_word(text, end, _HYPHEN, _ZERO)
        end = put_syllables(text, end, other, 2)
    return end


@borrowing
def _put_number(text: Bytes, end: int, number: int, style: float) -> int:
    return put_syllables(text, end, number, 3) if style < _NAMED else put_digits(text, end, number, _DECIMALS)
