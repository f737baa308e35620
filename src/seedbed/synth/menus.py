"""Links that all pages of a folder share: the host's menu and the folder's own.

The host's menu leads to its home page, front pages and index pages; a folder's to its index page, some of its pages and
neighbouring folders. Their lengths have a power law of density exponent 2.5, ½m(u^{−2/3} − 1).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.kernel import borrowing
from seedbed.synth.layout import Layout
from seedbed.synth.plan import Snapshot
from seedbed.synth.rng import below, chance, draw
from seedbed.synth.sorting import ascending
from seedbed.synth.targets import outside, popular_slot

HOST_MENU = 6.0  # mean links before duplicates go, at scale 1
FOLDER_MENU = 3.0
LONGEST_MENU = 4096
_OUTSIDE_SHARE = 0.25  # of folders, whose menu leads to another host
_HOST, _FOLDER = 11, 12


@borrowing
def _length(key: np.uint64, mean: float) -> int:
    return np.int64(min(0.5 * mean * ((1.0 - chance(key, 0)) ** (-2.0 / 3.0) - 1.0), LONGEST_MENU))


@borrowing
def fill_menu(
    web: Snapshot, host: int, key: np.uint64, at: Layout, folder: int, menu: NDArray[np.int64]
) -> int:
    """Write the pages that the menu of a folder leads to (−1: the host's top), ascending; how many there are."""
    count = _host_menu(web, host, draw(key, _HOST), at, menu)
    if folder >= 0:
        count = _folder_menu(web, host, draw(draw(key, _FOLDER), folder), at, folder, menu, count)
    first = web.hosts[host].first
    for i in range(count):
        menu[i] = first + at.page[menu[i]] if at.page[menu[i]] >= 0 else -1
    if folder >= 0 and count < menu.size:
        own = draw(draw(key, _FOLDER), folder)
        if chance(own, 1) < _OUTSIDE_SHARE:
            menu[count] = outside(web, host, draw(own, 2))
            count += 1
    return ascending(menu, 0, count, -1)


@borrowing
def _host_menu(web: Snapshot, host: int, key: np.uint64, at: Layout, menu: NDArray[np.int64]) -> int:
    wanted = _length(key, HOST_MENU * max(web.scale, 1.0))
    menu[0] = 0
    count = 1
    while count <= wanted:
        number = 8 * count
        if count < at.front and chance(key, number) < 0.7:
            menu[count] = count
        elif at.lasting and chance(key, number + 1) < 0.6:
            menu[count] = at.starts[np.int64(at.lasting * chance(key, number + 2) ** 2)]
        else:
            menu[count] = popular_slot(key, number + 3, np.int64(web.hosts[host].pages))
        count += 1
    return count


@borrowing
def _folder_menu(
    web: Snapshot, host: int, key: np.uint64, at: Layout, folder: int, menu: NDArray[np.int64], count: int
) -> int:
    start, end = at.starts[folder], at.starts[folder + 1]
    wanted = _length(key, FOLDER_MENU * max(web.scale, 1.0))
    menu[count] = start
    for i in range(wanted):
        count += 1
        number = 16 + 8 * i
        luck = chance(key, number)
        if luck < 0.5:
            menu[count] = start + np.int64((end - start) * chance(key, number + 1) ** 2)
        elif luck < 0.8:
            near = folder + below(key, number + 2, 16) - 8
            menu[count] = at.starts[min(max(near, 0), at.folders - 1)]
        else:
            menu[count] = popular_slot(key, number + 3, np.int64(web.hosts[host].pages))
    return count + 1
