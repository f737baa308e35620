"""The links of a page.

A page links to: the menu of its folder; its neighbours; pages of its host, its own choice; on index pages the folder's
pages, on home pages the folders; other hosts. The numbers of own links and of those to other hosts have power laws of
density exponents 2.2 and 2.5. Hub pages link to all authorities of their core; pages of a farm link to each other and
to the page it promotes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.host_layout import PLAIN, Fates, Layout, lay_out, page_key, page_kind
from seedbed.synth.hosts import FARM, FRONTIER
from seedbed.synth.rng import below, chance, draw
from seedbed.synth.sorting import ascending
from seedbed.synth.targets import home, outside, popular_slot
from seedbed.synth.web_plan import Snapshot

MENU_KEPT = 0.985  # of the menu's links, on a page that has it
BARE_SHARE = 0.15  # of pages, that leave the menu out
NEIGHBOUR = 0.35  # each of the next and the previous page
CHILD = 0.97  # of the pages of a folder, from its index page
OWN = 0.7  # scales the number of own links
OUTSIDE_SHARE = 0.2  # of pages, that choose links to other hosts
OUTSIDE = 2.5  # scales their number
BRANCHES = 3  # folders that an index page leads on to
MOST = 1 << 15  # links on a page: no less than the caps below and those of menus and folders together
_SPARSE = 0.1  # scale below which links are left out at random
_FARM_LINKS = 2.5  # links inside the host on a page of a farm, in units of links_per_page

_BARE, _PREVIOUS, _NEXT, _OWN, _OUTSIDE, _OUTSIDE_COUNT = 1, 2, 3, 4, 5, 6
_MENU, _CHILDREN, _CHOICES, _BEYOND, _MATES = 21, 22, 23, 24, 25


@kernel
def host_layout(web: Snapshot, host: int) -> Layout:
    """Where the pages of a host lie in this snapshot."""
    fates = web.fates if host < web.old_hosts else Fates(1.0, 1.0, 1.0)
    return lay_out(draw(web.key, host), np.int64(web.hosts[host].pages), np.int64(web.hosts[host].extra), fates)


@borrowing
def end_of(web: Snapshot, position: int) -> int:
    """The page after the last one of host order[position]."""
    host = web.hosts[web.order[position]]
    return host.first + host.count


@borrowing
def link_odds(web: Snapshot) -> float:
    """The probability that a link is made: below 1 where shorter menus and lists do not make links few enough."""
    return min(web.scale / _SPARSE, 1.0) * web.stay


@borrowing
def _add(links: NDArray[np.int64], count: int, page: int) -> int:
    if page < 0 or count == links.size:
        return count
    links[count] = page
    return count + 1


@borrowing
def _add_slot(links: NDArray[np.int64], count: int, first: int, at: Layout, slot: int) -> int:
    if slot < 0 or slot >= at.page.size or at.page[slot] < 0:
        return count
    return _add(links, count, first + at.page[slot])


@borrowing
def _add_menu(links: NDArray[np.int64], key: np.uint64, odds: float, menu: NDArray[np.int64], length: int) -> int:
    own = draw(key, _MENU)
    count = 0
    for i in range(length):
        if chance(own, i) < MENU_KEPT * odds:
            count = _add(links, count, menu[i])
    return count


@borrowing
def _add_children(
    links: NDArray[np.int64], count: int, key: np.uint64, odds: float, first: int, at: Layout, folder: int
) -> int:
    own = draw(key, _CHILDREN)
    start, end = (0, at.front) if folder < 0 else (at.starts[folder], at.starts[folder + 1])
    for slot in range(start + 1, end):
        if chance(own, slot) < CHILD * odds:
            count = _add_slot(links, count, first, at, slot)
    branch = (folder + 1) * BRANCHES
    for other in range(branch, min(branch + BRANCHES, at.folders)):
        if chance(own, -other - 1) < CHILD * odds:
            count = _add_slot(links, count, first, at, at.starts[other])
    return count


@borrowing
def _add_own(
    links: NDArray[np.int64], count: int, key: np.uint64, web: Snapshot, host: int, at: Layout, slot: int
) -> int:
    first = web.hosts[host].first
    odds = link_odds(web)
    near = NEIGHBOUR * min(web.scale, 1.0) * odds
    if chance(key, _PREVIOUS) < near:
        count = _add_slot(links, count, first, at, slot - 1)
    if chance(key, _NEXT) < near:
        count = _add_slot(links, count, first, at, slot + 1)
    wanted = (1.0 - chance(key, _OWN)) ** (-1.0 / 1.2) - 1.0
    own, i = draw(key, _CHOICES), 0
    number = np.int64(min(OWN * web.scale * wanted, MOST / 4, web.hosts[host].pages))
    while i < number:
        luck = chance(own, 4 * i)
        run = 1
        if luck < 0.5:
            run = min(number - i, 3 + below(own, 4 * i + 1, max(12, number)))
            target = slot + below(own, 4 * i + 2, 61) - 30
        elif luck < 0.8:
            distance = 1 + np.int64(30 * chance(own, 4 * i + 1) ** 4)
            target = slot + distance if luck < 0.65 else slot - distance
        else:
            target = popular_slot(own, 4 * i + 1, np.int64(web.hosts[host].pages))
        for other in range(target, target + run):
            if chance(own, -i - 1) < odds:
                count = _add_slot(links, count, first, at, other)
            i += 1
    return count


@borrowing
def _add_outside(links: NDArray[np.int64], count: int, key: np.uint64, web: Snapshot, host: int) -> int:
    if chance(key, _OUTSIDE) >= OUTSIDE_SHARE * web.outside:
        return count
    odds = link_odds(web)
    wanted = (1.0 - chance(key, _OUTSIDE_COUNT)) ** (-1.0 / 1.5)
    own = draw(key, _BEYOND)
    for i in range(np.int64(min(0.5 + OUTSIDE * web.scale * wanted, MOST / 8, len(web.order) / 2))):
        if chance(own, 2 * i) < odds:
            count = _add(links, count, outside(web, host, draw(own, 2 * i + 1)))
    return count


@borrowing
def _add_planted(links: NDArray[np.int64], count: int, web: Snapshot, host: int, slot: int) -> int:
    """Links that must be there whatever the scale: the host's forced link, and those of a hub."""
    if slot == 0:
        count = _add(links, count, home(web, np.int64(web.hosts[host].forced)))
    core = web.hosts[host].hub_of
    if slot == 1 and core >= 0:
        for i in range(web.groups.ptr[web.cores + core], web.groups.ptr[web.cores + core + 1]):
            count = _add(links, count, home(web, np.int64(web.groups.hosts[i])))
    return count


@borrowing
def _add_farm(
    links: NDArray[np.int64], count: int, key: np.uint64, web: Snapshot, host: int, at: Layout, slot: int
) -> int:
    """On a page of a farm: the next pages of its host, all round, and the home pages of the farm's other hosts."""
    total = at.page.size
    first = web.hosts[host].first
    own = draw(key, _MATES)
    reach = np.int64(min(2.0 + _FARM_LINKS * web.links_per_page, float(total)))
    for step in range(1, reach):
        if chance(own, step) < 0.9:
            count = _add_slot(links, count, first, at, (slot + step) % total)
    farm = web.farms + web.hosts[host].farm
    start = web.groups.ptr[farm]
    for i in range(start, web.groups.ptr[farm + 1]):
        if i == start or slot == 0 or chance(own, start - i) < 0.5:
            count = _add(links, count, home(web, np.int64(web.groups.hosts[i])))
    return count


@borrowing
def page_links(
    web: Snapshot,
    host: int,
    at: Layout,
    slot: int,
    folder: int,
    menu: NDArray[np.int64],
    length: int,
    links: NDArray[np.int64],
) -> int:
    """Write the links of the page in a slot, ascending; how many there are."""
    key = page_key(draw(web.key, host), slot, at.fate[slot])
    index = slot == 0 or (folder >= 0 and slot == at.starts[folder])
    leads = index or slot < at.front
    first = web.hosts[host].first
    odds = link_odds(web)
    if web.hosts[host].part == FRONTIER or (web.hosts[host].part != FARM and page_kind(key, leads) != PLAIN):
        return 0
    count = 0
    if leads or chance(key, _BARE) >= BARE_SHARE:
        count = _add_menu(links, key, odds, menu, length)
    settled = count
    if web.hosts[host].part == FARM:
        count = _add_farm(links, count, key, web, host, at, slot)
    else:
        if index:
            count = _add_children(links, count, key, min(3.0 * odds, web.stay), first, at, folder)
        count = _add_own(links, count, key, web, host, at, slot)
        count = _add_outside(links, count, key, web, host)
    count = _add_planted(links, count, web, host, slot)
    return ascending(links, settled, count, first + at.page[slot])
