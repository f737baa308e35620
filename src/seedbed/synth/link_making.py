"""The links of a page: where links lead, the menus that pages share, and what each page adds.

A page links to the menu of its folder, its neighbours, pages of its host that it chooses, and other hosts. Index pages
also link to the folder's pages and to the folders below, home pages to the first folders. The numbers of chosen links
and of links to other hosts follow power laws of density exponents 2.2 and 2.5. Hub pages link to all authorities of
their core; pages of a farm link to each other and to the page it promotes.

From a pool or a host of size n, item ⌊n·uᵏ⌋ is drawn: the r-th most popular is drawn in proportion to r^{−(1 − 1/k)},
which gives in-degrees a power law of density exponent 1 + k/(k − 1).

How pages of a host link to each other depends on the kind of site (site_kinds.py). Where there are menus, all pages of
a folder share the host's menu and the folder's own. The host's leads to its home page, front pages and index pages; a
folder's to its index page, some of its pages and neighbouring folders; in a tree there is only the folder's, and it
stays in the folder. The length of the first is exponential, −m·ln u; that of the second follows a power law of density
exponent 2.3, 0.3m(u^{−1/1.3} − 1). Neither is longer than the number of pages on the host.
"""

from __future__ import annotations

import math

import numpy as np

from seedbed.common.arrays import Ints
from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.host_layout import PLAIN, Fates, Layout, front_count, lay_out, page_key, page_kind
from seedbed.synth.hosts import FARM, FRONTIER, IN, OUT, STRONG, TUBE
from seedbed.synth.random_draws import below, chance, draw
from seedbed.synth.site_kinds import (
    ARCHIVE,
    BARE,
    CHOOSES,
    HEAP,
    MENUS,
    TO_INDEX,
    folder_above,
    folders_below,
    is_linked,
    leads_back,
    leads_home,
    leads_up,
)
from seedbed.synth.web_plan import Snapshot

OWN_COMMUNITY = 0.8  # of links between hosts of the giant strong component
TO_HOME = 0.75  # of links between hosts
_IN_SHARE = 0.15
_TRIES = 4


HOST_MENU = 4.0  # mean links before duplicates are dropped, at scale 1
FOLDER_MENU = 26.0
LONGEST_MENU = 4096
MENU_OUTSIDE_SHARE = 0.25  # of folders have a menu that leads to another host
_LONGEST_RUN = 12
_HOST_MENU, _FOLDER_MENU = 11, 12


MENU_KEPT = 0.985  # of the menu's links, on a page with the menu
NEIGHBOUR = 0.35  # chance of a link to the next page, and to the previous one
CHILD = 0.97  # of the pages of a folder are linked from its index page
OWN = 0.7  # scales the number of chosen links
OUTSIDE_SHARE = 0.1  # of pages choose links to other hosts
OUTSIDE = 2.8  # scales their number, with the root of the scale of menus: sparse webs need them too
STEP = 0.95  # chance that a page of an archive links to the next
LONGEST_STEP = 6  # to the next page that has links
MOST = 1 << 15  # links on a page: at least the caps below and those of menus and folders together
_SPARSE = 0.1  # scale below which links are left out at random
_FARM_LINKS = 2.5  # links inside the host on a farm page, in units of links_per_page

_BARE, _PREVIOUS, _NEXT, _OWN, _OUTSIDE, _OUTSIDE_COUNT, _INDEX, _CHOOSES = 1, 2, 3, 4, 5, 6, 7, 8
_MENU, _CHILDREN, _CHOICES, _BEYOND, _MATES = 21, 22, 23, 24, 25


_SHORT = 48


@borrowing
def popular_slot(key: np.uint64, number: int, size: int) -> int:
    """A page of a host; a few, spread over the host, are drawn often."""
    rank = np.int64(size * chance(key, number) ** 5)
    return below(np.uint64(size), rank, size)


@borrowing
def outside(web: Snapshot, host: int, key: np.uint64) -> int:
    """A page of another host that a page of `host` may link to; −1 if there is none."""
    pool = _pool(web, host, key)
    if pool < 0:
        return -1
    other, tries = -1, 0
    while other < 0 and tries < _TRIES:
        again = pool if tries == 0 or web.stay == 1.0 else pool + web.communities + 2
        other = _from_pool(web, again, key, 8 + tries)
        # Among in-hosts and among out-hosts links run one way, so that they form no strong component of their own.
        if other == host or (pool >= web.communities and other < host):
            other = -1
        tries += 1
    if other < 0:
        return -1
    slot = 0
    front = front_count(np.int64(web.hosts[other].pages))
    if front > 1 and chance(key, 3) >= TO_HOME:
        slot = 1 + np.int64((front - 1) * chance(key, 4) ** 2)
    return web.hosts[other].first + slot


@borrowing
def _pool(web: Snapshot, host: int, key: np.uint64) -> int:
    part = web.hosts[host].part
    if part == IN and chance(key, 0) < _IN_SHARE:
        return web.communities
    if part in (OUT, TUBE):
        return web.communities + 1
    if part in (STRONG, IN, FARM):
        if chance(key, 1) < OWN_COMMUNITY:
            return np.int64(web.hosts[host].community)
        return np.int64(web.communities * chance(key, 2) ** 2)
    return -1


@borrowing
def _from_pool(web: Snapshot, pool: int, key: np.uint64, number: int) -> int:
    """A host of the pool; −1 if the pool is empty or the host is not in this snapshot."""
    start, end = web.groups.ptr[pool], web.groups.ptr[pool + 1]
    if start == end:
        return -1
    host = np.int64(web.groups.hosts[start + np.int64((end - start) * chance(key, number) ** 5)])
    return host if web.hosts[host].count else -1


@borrowing
def home(web: Snapshot, host: int) -> int:
    """The home page of a host; −1 if the host is not in this snapshot."""
    return web.hosts[host].first if host >= 0 and web.hosts[host].count else -1


@borrowing
def fill_menu(web: Snapshot, host: int, key: np.uint64, at: Layout, folder: int, menu: Ints) -> int:
    """Write the pages that the menu of a folder leads to (−1: the host's top), ascending; returns how many."""
    kind = web.hosts[host].kind
    if BARE[kind] == 1.0:
        return 0
    count = _host_menu(web, host, draw(key, _HOST_MENU), at, menu) if kind == MENUS else 0
    if folder >= 0:
        own = draw(draw(key, _FOLDER_MENU), folder)
        count = _folder_menu(web, own, at, folder, kind == MENUS, menu, count)
    first = web.hosts[host].first
    for i in range(count):
        menu[i] = first + at.page[menu[i]] if at.page[menu[i]] >= 0 else -1
    if folder >= 0 and count < menu.size:
        own = draw(draw(key, _FOLDER_MENU), folder)
        if chance(own, 1) < MENU_OUTSIDE_SHARE * web.outside:
            menu[count] = outside(web, host, draw(own, 2))
            count += 1
    return ascending(menu, 0, count, -1)


@borrowing
def _host_menu(web: Snapshot, host: int, key: np.uint64, at: Layout, menu: Ints) -> int:
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
def _folder_menu(web: Snapshot, key: np.uint64, at: Layout, folder: int, leaves: bool, menu: Ints, count: int) -> int:
    """Add the folder's own menu; unless it `leaves` the folder, only pages of it."""
    first, last = at.starts[folder], at.starts[folder + 1]
    # What persists must not depend on what was added since, or the menu would change.
    pages, folders = (at.starts[at.lasting], at.lasting) if folder < at.lasting else (at.page.size, at.folders)
    menu[count] = first
    count += 1
    wanted = 0.3 * FOLDER_MENU * web.scale * ((1.0 - chance(key, 0)) ** (-1.0 / 1.3) - 1.0)
    end = count + np.int64(min(wanted, LONGEST_MENU, pages if leaves else last - first))
    longest = max(end - count, _LONGEST_RUN)
    while count < end:
        number = 8 * count
        run = min(end - count, 1 + below(key, number + 1, longest))
        luck = chance(key, number)
        if not leaves:
            count = _add_pages(menu, count, first + below(key, number + 2, last - first), run, last)
        elif luck < 0.3:
            count = _add_pages(menu, count, first + below(key, number + 2, last - first), run, pages)
        else:
            near = max(folder + below(key, number + 2, 16) - 8, 0)
            popular = np.int64(folders * chance(key, number + 2) ** 4)
            count = _add_folders(menu, count, near if luck < 0.6 else popular, run, folders, at)
    return count


@borrowing
def _add_pages(menu: Ints, count: int, slot: int, run: int, end: int) -> int:
    """Add a run of slots; past `end`, repeat the last one."""
    for i in range(run):
        menu[count + i] = min(slot + i, end - 1)
    return count + run


@borrowing
def _add_folders(menu: Ints, count: int, folder: int, run: int, end: int, at: Layout) -> int:
    """Add the index pages of a run of folders."""
    for i in range(run):
        menu[count + i] = at.starts[min(folder + i, end - 1)]
    return count + run


@kernel
def host_layout(web: Snapshot, host: int) -> Layout:
    """The layout of a host's pages in this snapshot."""
    fates = web.fates if host < web.old_hosts else Fates(1.0, 1.0, 1.0)
    return lay_out(draw(web.key, host), np.int64(web.hosts[host].pages), np.int64(web.hosts[host].extra), fates)


@borrowing
def end_of(web: Snapshot, position: int) -> int:
    """The page after the last page of host order[position]."""
    host = web.hosts[web.order[position]]
    return host.first + host.count


@borrowing
def link_odds(web: Snapshot) -> float:
    """The probability that a link is made: below 1 if shorter menus and lists do not reduce links enough."""
    return min(web.scale / _SPARSE, 1.0) * web.stay


@borrowing
def _add(links: Ints, count: int, page: int) -> int:
    if page < 0 or count == links.size:
        return count
    links[count] = page
    return count + 1


@borrowing
def _add_slot(links: Ints, count: int, first: int, at: Layout, slot: int) -> int:
    if slot < 0 or slot >= at.page.size or at.page[slot] < 0:
        return count
    return _add(links, count, first + at.page[slot])


@borrowing
def _add_menu(links: Ints, key: np.uint64, odds: float, menu: Ints, length: int) -> int:
    own = draw(key, _MENU)
    count = 0
    for i in range(length):
        if chance(own, i) < MENU_KEPT * odds:
            count = _add(links, count, menu[i])
    return count


@borrowing
def _add_children(
    links: Ints, count: int, key: np.uint64, odds: float, web: Snapshot, host: int, at: Layout, folder: int
) -> int:
    """On an index page: the pages of its folder, the folders below, and the way up and home where there is one."""
    host_key, kind, first = draw(web.key, host), web.hosts[host].kind, web.hosts[host].first
    own = draw(key, _CHILDREN)
    start, end = (0, at.front) if folder < 0 else (at.starts[folder], at.starts[folder + 1])
    for slot in range(start + 1, end):
        if chance(own, slot) < CHILD * odds:
            count = _add_slot(links, count, first, at, slot)
    lowest, highest, step = folders_below(kind, folder, at.folders)
    for other in range(lowest, highest, step):
        if chance(own, -other - 1) < CHILD * odds and is_linked(host_key, kind, other):
            count = _add_slot(links, count, first, at, at.starts[other])
    if folder >= 0 and kind != MENUS:
        if leads_home(host_key, kind):
            count = _add_slot(links, count, first, at, np.int64(0))
        if folder_above(kind, folder) >= 0 and leads_up(host_key, kind, folder):
            count = _add_slot(links, count, first, at, at.starts[folder_above(kind, folder)])
    return count


@borrowing
def _add_steps(
    links: Ints, count: int, key: np.uint64, odds: float, host_key: np.uint64, first: int, at: Layout, slot: int
) -> int:
    """On a page of an archive: the next page, and on some sites the one before; past those that lead nowhere."""
    for direction in (1, -1):
        if chance(key, _NEXT) >= STEP * odds or (direction < 0 and not leads_back(host_key)):
            continue
        for steps in range(1, LONGEST_STEP + 1):
            other = slot + direction * steps
            count = _add_slot(links, count, first, at, other)
            if other <= 0 or other >= at.page.size:
                break
            if at.page[other] >= 0 and page_kind(page_key(host_key, other, at.fate[other]), False) == PLAIN:
                break
    return count


@borrowing
def _add_near(links: Ints, count: int, key: np.uint64, web: Snapshot, first: int, at: Layout, slot: int) -> int:
    near = NEIGHBOUR * min(web.scale, 1.0) * link_odds(web)
    if chance(key, _PREVIOUS) < near:
        count = _add_slot(links, count, first, at, slot - 1)
    if chance(key, _NEXT) < near:
        count = _add_slot(links, count, first, at, slot + 1)
    return count


@borrowing
def _add_chosen(
    links: Ints, count: int, key: np.uint64, web: Snapshot, host: int, at: Layout, slot: int, start: int, end: int
) -> int:
    """Pages of the host that the page chooses; those nearby are in slots `start` to `end`."""
    first = web.hosts[host].first
    odds = link_odds(web)
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
            if chance(own, -i - 1) < odds and (luck >= 0.8 or start <= other < end):
                count = _add_slot(links, count, first, at, other)
            i += 1
    return count


@borrowing
def _add_outside(links: Ints, count: int, key: np.uint64, web: Snapshot, host: int) -> int:
    if chance(key, _OUTSIDE) >= OUTSIDE_SHARE * web.outside:
        return count
    odds = link_odds(web)
    wanted = (1.0 - chance(key, _OUTSIDE_COUNT)) ** (-1.0 / 1.5)
    own = draw(key, _BEYOND)
    for i in range(np.int64(min(0.5 + OUTSIDE * math.sqrt(web.scale) * wanted, MOST / 8, len(web.order) / 2))):
        if chance(own, 2 * i) < odds:
            count = _add(links, count, outside(web, host, draw(own, 2 * i + 1)))
    return count


@borrowing
def _add_planted(links: Ints, count: int, web: Snapshot, host: int, slot: int) -> int:
    """Links that exist at any scale: the host's forced link, and those of a hub."""
    if slot == 0:
        count = _add(links, count, home(web, np.int64(web.hosts[host].forced)))
    core = web.hosts[host].hub_of
    if slot == 1 and core >= 0:
        for i in range(web.groups.ptr[web.cores + core], web.groups.ptr[web.cores + core + 1]):
            count = _add(links, count, home(web, np.int64(web.groups.hosts[i])))
    return count


@borrowing
def _add_farm(links: Ints, count: int, key: np.uint64, web: Snapshot, host: int, at: Layout, slot: int) -> int:
    """On a farm page: the next pages of its host, wrapping around, and the home pages of the farm's other hosts."""
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
    web: Snapshot, host: int, at: Layout, slot: int, folder: int, menu: Ints, length: int, links: Ints
) -> int:
    """Write the links of the page in a slot, ascending; returns how many."""
    host_key = draw(web.key, host)
    key = page_key(host_key, slot, at.fate[slot])
    leads = slot < at.front or slot == at.starts[folder]
    part, first = web.hosts[host].part, web.hosts[host].first
    if part == FRONTIER or (part != FARM and page_kind(key, leads) != PLAIN):
        return 0
    count = 0
    if leads or chance(key, _BARE) >= BARE[web.hosts[host].kind]:
        count = _add_menu(links, key, link_odds(web), menu, length)
    settled = count
    if part == FARM:
        count = _add_farm(links, count, key, web, host, at, slot)
    else:
        count = _add_inside(links, count, key, web, host, at, slot, folder)
        count = _add_outside(links, count, key, web, host)
    count = _add_planted(links, count, web, host, slot)
    return ascending(links, settled, count, first + at.page[slot])


@borrowing
def _add_inside(
    links: Ints, count: int, key: np.uint64, web: Snapshot, host: int, at: Layout, slot: int, folder: int
) -> int:
    """What a page adds to its menu inside its host, by the kind of its site."""
    host_key, kind, first = draw(web.key, host), web.hosts[host].kind, web.hosts[host].first
    odds = min(3.0 * link_odds(web), web.stay)
    start, end = (0, at.front) if folder < 0 else (at.starts[folder], at.starts[folder + 1])
    if slot == start:
        count = _add_children(links, count, key, odds, web, host, at, folder)
    elif folder >= 0 and chance(key, _INDEX) < TO_INDEX[kind] * odds:
        count = _add_slot(links, count, first, at, start)
    if kind == ARCHIVE:
        count = _add_steps(links, count, key, odds, host_key, first, at, slot)
    elif kind != HEAP:
        count = _add_near(links, count, key, web, first, at, slot)
    if kind == MENUS:
        start, end = 0, at.page.size
    if chance(key, _CHOOSES) < CHOOSES[kind]:
        count = _add_chosen(links, count, key, web, host, at, slot, start, end)
    return count


@borrowing
def ascending(pages: Ints, settled: int, count: int, page: int) -> int:
    """Sort pages[:count], sorted up to `settled`; drop duplicates, negatives and `page`; returns how many stay."""
    # A few are inserted one by one, which is a Shell sort with a single gap.
    start = settled if count - settled <= _SHORT else 0
    gap = 1
    while start == 0 and gap < count // 9:
        gap = 3 * gap + 1
    while gap:
        for i in range(max(start, gap), count):
            value, j = pages[i], i
            while j >= gap and pages[j - gap] > value:
                pages[j] = pages[j - gap]
                j -= gap
            pages[j] = value
        gap //= 3
    left, previous = 0, -1
    for i in range(count):
        value = pages[i]
        if value != previous and value >= 0 and value != page:
            pages[left] = value
            left += 1
            previous = value
    return left
