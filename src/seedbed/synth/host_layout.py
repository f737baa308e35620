"""How the pages of one host are laid out: front pages, then folders; and what happens to each in the new snapshot.

A host is a row of slots in URL order. Slot 0 is the home page, the next few are front pages, and the rest are in
folders, each starting with its index page. Folder lengths are 3 + 8(u^{−2/3} − 1), a power law of density exponent 2.5.
In the old snapshot every slot below `size` holds a page. In the new one a slot holds the same page (KEPT), the same one
under another URL (MOVED), another page (REPLACED) or none (GONE), and slots from `size` on hold pages that appeared.
Home pages are always kept; front and index pages are never gone, so a front page's slot is its index in the host.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.random_draws import chance, draw

PLAIN, DANGLING, UNCRAWLED = range(3)
DANGLING_SHARE = 0.10  # of pages in folders except index pages, as is the next
UNCRAWLED_SHARE = 0.10
KEPT, MOVED, REPLACED, GONE = range(4)
FRONT_PAGES = 12
LONGEST_FOLDER = 3000
MOVED_SHARE = 0.12  # of the pages that lose their URL on hosts that stay
REPLACED_SHARE = 0.60

_FOLDERS, _FATES, _PAGES = range(3)


class Fates(NamedTuple):
    """Thresholds for one draw per page: kept below `kept`, else moved below `moved`, …; old snapshot: all kept."""

    kept: float
    moved: float
    replaced: float


class Layout(NamedTuple):
    """One host in one snapshot."""

    front: int  # slots before the first folder
    folders: int
    lasting: int  # folders that also exist in the old snapshot
    starts: Ints  # first slot of each folder, and the end
    fate: Bytes  # of each slot
    page: Ints  # of each slot, counted from the home page; −1 if gone


@borrowing
def front_count(size: int) -> int:
    """The number of home and front pages on a host of this size."""
    return min(size, 2 + size // 16, FRONT_PAGES)


@borrowing
def page_key(host_key: np.uint64, slot: int, fate: int) -> np.uint64:
    """The key of the page in a slot; a page that replaces another has its own key."""
    return draw(draw(host_key, _PAGES), 2 * slot + (1 if fate == REPLACED else 0))


@kernel
def folder_starts(host_key: np.uint64, size: int, total: int) -> tuple[Ints, int, int]:
    """The first slots of the folders (then `total`), how many there are, and how many start below `size`."""
    key = draw(host_key, _FOLDERS)
    starts = np.empty((total - front_count(size)) // 3 + 3, np.int64)
    slot, folder, lasting = front_count(size), 0, 0
    while slot < total:
        starts[folder] = slot
        length = 3 + np.int64(min(8.0 * ((1.0 - chance(key, folder)) ** (-2.0 / 3.0) - 1.0), LONGEST_FOLDER))
        end = size if slot < size else total
        lasting += 1 if slot < size else 0
        slot = min(slot + length, end)
        folder += 1
    starts[folder] = total
    return starts, folder, lasting


@kernel
def lay_out(host_key: np.uint64, size: int, extra: int, fates: Fates) -> Layout:
    """The host with `size` old slots and `extra` new ones."""
    total = size + extra
    front = front_count(size)
    starts, folders, lasting = folder_starts(host_key, size, total)
    fate = np.zeros(total, np.uint8)
    page = np.empty(total, np.int64)
    key = draw(host_key, _FATES)
    folder, count = 0, 0
    for slot in range(total):
        index = folder < folders and slot == starts[folder]
        folder += 1 if index else 0
        if fates.kept < 1.0 and 0 < slot < size:
            fate[slot] = _fate(chance(key, slot), fates, index or slot < front)
        page[slot] = count if fate[slot] != GONE else -1
        count += 1 if fate[slot] != GONE else 0
    return Layout(front, folders, lasting, starts, fate, page)


@borrowing
def _fate(luck: float, fates: Fates, stays: bool) -> int:
    if luck < fates.kept:
        return KEPT
    if luck < fates.moved:
        return MOVED
    return REPLACED if luck < fates.replaced or stays else GONE


@kernel
def count_pages(key: np.uint64, size: NDArray[np.int32], extra: NDArray[np.int32], fates: Fates) -> Ints:
    """The number of pages on each host once fates are applied. O(slots)."""
    count = np.empty(size.size, np.int64)
    for host in range(size.size):
        count[host] = (lay_out(draw(key, host), np.int64(size[host]), np.int64(extra[host]), fates).page >= 0).sum()
    return count


@borrowing
def page_kind(key: np.uint64, leads: bool) -> int:
    """PLAIN, DANGLING or UNCRAWLED; home, front and index pages are always plain."""
    luck = 1.0 if leads else chance(key, 0)
    if luck < UNCRAWLED_SHARE:
        return UNCRAWLED
    return DANGLING if luck < UNCRAWLED_SHARE + DANGLING_SHARE else PLAIN
