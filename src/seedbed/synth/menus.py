"""Links that all pages of a folder share: the host's menu and the folder's own.

The host's menu leads to its home page, front pages and index pages; a folder's to its index page, some of its pages and
neighbouring folders. The length of the first is exponential, −m·ln u; that of the second has a power law of density
exponent 2.3, 0.3m(u^{−1/1.3} − 1); neither is longer than the host is large.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing
from seedbed.synth.host_layout import Layout
from seedbed.synth.rng import below, chance, draw
from seedbed.synth.sorting import ascending
from seedbed.synth.targets import outside, popular_slot
from seedbed.synth.web_plan import Snapshot

HOST_MENU = 4.0  # mean links before duplicates go, at scale 1
FOLDER_MENU = 26.0
LONGEST_MENU = 4096
_OUTSIDE_SHARE = 0.25  # of folders, whose menu leads to another host
_LONGEST_RUN = 12
_HOST, _FOLDER = 11, 12


@borrowing
def fill_menu(web: Snapshot, host: int, key: np.uint64, at: Layout, folder: int, menu: NDArray[np.int64]) -> int:
    """Write the pages that the menu of a folder leads to (−1: the host's top), ascending; how many there are."""
    count = _host_menu(web, host, draw(key, _HOST), at, menu)
    if folder >= 0:
        count = _folder_menu(web, draw(draw(key, _FOLDER), folder), at, folder, menu, count)
    first = web.hosts[host].first
    for i in range(count):
        menu[i] = first + at.page[menu[i]] if at.page[menu[i]] >= 0 else -1
    if folder >= 0 and count < menu.size:
        own = draw(draw(key, _FOLDER), folder)
        if chance(own, 1) < _OUTSIDE_SHARE * web.outside:
            menu[count] = outside(web, host, draw(own, 2))
            count += 1
    return ascending(menu, 0, count, -1)


@borrowing
def _host_menu(web: Snapshot, host: int, key: np.uint64, at: Layout, menu: NDArray[np.int64]) -> int:
    size = np.int64(web.hosts[host].pages)
    wanted = -HOST_MENU * web.scale * math.log(1.0 - chance(key, 0))
    end = 1 + np.int64(min(wanted, LONGEST_MENU, size))
    menu[0] = 0
    count = 1
    while count < end:
        number = 8 * count
        luck = chance(key, number)
        run = min(end - count, 1 + below(key, number + 1, _LONGEST_RUN))
        if luck < 0.3:
            count = _add_pages(menu, count, np.int64(1), run, at.front)
        elif luck < 0.7 and at.lasting:
            count = _add_folders(menu, count, below(key, number + 2, at.lasting), run, at.lasting, at)
        else:
            count = _add_pages(menu, count, popular_slot(key, number + 2, size), run, size)
    return count


@borrowing
def _folder_menu(web: Snapshot, key: np.uint64, at: Layout, folder: int, menu: NDArray[np.int64], count: int) -> int:
    first, last = at.starts[folder], at.starts[folder + 1]
    # What lasts must not depend on what was added since, or the menu would change.
    pages, folders = (at.starts[at.lasting], at.lasting) if folder < at.lasting else (at.page.size, at.folders)
    menu[count] = first
    count += 1
    wanted = 0.3 * FOLDER_MENU * web.scale * ((1.0 - chance(key, 0)) ** (-1.0 / 1.3) - 1.0)
    end = count + np.int64(min(wanted, LONGEST_MENU, pages))
    longest = max(end - count, _LONGEST_RUN)
    while count < end:
        number = 8 * count
        run = min(end - count, 1 + below(key, number + 1, longest))
        luck = chance(key, number)
        if luck < 0.3:
            count = _add_pages(menu, count, first + below(key, number + 2, last - first), run, pages)
        else:
            near = max(folder + below(key, number + 2, 16) - 8, 0)
            popular = np.int64(folders * chance(key, number + 2) ** 4)
            count = _add_folders(menu, count, near if luck < 0.6 else popular, run, folders, at)
    return count


@borrowing
def _add_pages(menu: NDArray[np.int64], count: int, slot: int, run: int, end: int) -> int:
    """Add a run of slots; past `end` the last one again."""
    for i in range(run):
        menu[count + i] = min(slot + i, end - 1)
    return count + run


@borrowing
def _add_folders(menu: NDArray[np.int64], count: int, folder: int, run: int, end: int, at: Layout) -> int:
    """Add the index pages of a run of folders."""
    for i in range(run):
        menu[count + i] = at.starts[min(folder + i, end - 1)]
    return count + run
