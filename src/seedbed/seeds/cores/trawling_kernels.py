"""Kernels of trawling: drop hubs and authorities with too few links, find complete cores and remove them.

A page has two parts: it may be a hub, and it may be an authority. The two sides are symmetric: what is done to hubs
along their links is done to authorities along the links to them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined, kernel

HUB, AUTHORITY = 0, 1
PLACES, CORES, PASSED_OVER = range(3)
NONE, FOUND, TOO_LONG = range(3)


class Side(NamedTuple):
    """All pages as hubs, or all as authorities."""

    number: int  # HUB or AUTHORITY
    need: int  # links to the other side that each must have
    ptr: NDArray[np.int64]
    idx: NDArray[Any]
    there: NDArray[np.bool_]  # may still be in a core
    left: NDArray[np.int64]  # links to those of the other side that are still there
    core: NDArray[np.int64]  # its pages in the core in hand


class Net(NamedTuple):
    """The links between sites, both ways, and which of them are left."""

    hubs: Side
    authorities: Side


class Space(NamedTuple):
    """Working space: `level` and `shared` are zero between calls."""

    level: NDArray[np.int32]
    shared: NDArray[np.int32]
    gone: NDArray[np.int64]
    near: NDArray[np.int64]


class CoreList(NamedTuple):
    """Cores one after another: hubs, then authorities, in `pages`; how many of each in `sizes`."""

    pages: NDArray[np.int64]
    sizes: NDArray[np.int64]
    used: NDArray[np.int64]


@inlined
def drop(side: Side, page: int, gone: NDArray[np.int64], count: int) -> int:
    """Remove a page from one side; `drop_all` then updates its neighbours."""
    if side.there[page]:
        side.there[page] = False
        gone[count] = 2 * np.int64(page) + side.number
        return count + 1
    return count


@inlined
def loosen(here: Side, other: Side, page: int, gone: NDArray[np.int64], count: int) -> int:
    """A page that is no longer `here` takes its links with it; drop those on the other side left with too few."""
    for j in range(here.ptr[page], here.ptr[page + 1]):
        target = here.idx[j]
        other.left[target] -= 1
        if other.left[target] < other.need:
            count = drop(other, target, gone, count)
    return count


@borrowing
def drop_all(net: Net, gone: NDArray[np.int64], count: int) -> None:
    """Drop everything that the `count` parts in `gone` leave with too few links, until nothing changes."""
    while count > 0:
        count -= 1
        page = gone[count] >> 1
        if gone[count] & 1 == HUB:
            count = loosen(net.hubs, net.authorities, page, gone, count)
        else:
            count = loosen(net.authorities, net.hubs, page, gone, count)


@inlined
def still_there(here: Side, other: Side, page: int, into: NDArray[np.int64]) -> int:
    """Write the remaining neighbours of a page on the other side into `into`; returns how many there are."""
    count = 0
    for j in range(here.ptr[page], here.ptr[page + 1]):
        if other.there[here.idx[j]]:
            into[count] = here.idx[j]
            count += 1
    return count


@kernel
def prune(net: Net, gone: NDArray[np.int64]) -> None:
    """Count the links left to authorities, and drop pages with fewer than their side needs until nothing changes."""
    hubs, authorities = net
    for page in range(hubs.left.size):
        hubs.left[page] = still_there(hubs, authorities, page, hubs.core)
    count = 0
    for page in range(hubs.left.size):
        if hubs.left[page] < hubs.need:
            count = drop(hubs, page, gone, count)
        if authorities.left[page] < authorities.need:
            count = drop(authorities, page, gone, count)
    drop_all(net, gone, count)


@inlined
def holds(idx: Any, start: int, stop: int, page: int) -> bool:
    """Whether an ascending slice of idx contains the page."""
    while start < stop:
        middle = (start + stop) >> 1
        if idx[middle] < page:
            start = middle + 1
        elif idx[middle] > page:
            stop = middle
        else:
            return True
    return False


@borrowing
def common(here: Side, other: Side, size: int) -> int:
    """Set other.core to the remaining neighbours that here.core[:size] all share, ascending; returns how many."""
    ptr, into, fewest = here.ptr, other.core, here.core[0]
    for k in range(size):
        page = here.core[k]
        if ptr[page + 1] - ptr[page] < ptr[fewest + 1] - ptr[fewest]:
            fewest = page
    count = still_there(here, other, fewest, into)
    for k in range(size):
        page = here.core[k]
        kept = 0
        for j in range(count):
            if holds(here.idx, ptr[page], ptr[page + 1], into[j]):
                into[kept] = into[j]
                kept += 1
        count = kept
    return count


@borrowing
def take_out(net: Net, gone: NDArray[np.int64], found: CoreList, hub_count: int, authority_count: int) -> None:
    """Record the core in hand, and remove its pages with all their links."""
    pages, sizes, used = found
    for k in range(hub_count):
        pages[used[PLACES] + k] = net.hubs.core[k]
    for k in range(authority_count):
        pages[used[PLACES] + hub_count + k] = net.authorities.core[k]
    sizes[used[CORES], HUB] = hub_count
    sizes[used[CORES], AUTHORITY] = authority_count
    count = 0
    for k in range(used[PLACES], used[PLACES] + hub_count + authority_count):
        count = drop(net.hubs, pages[k], gone, count)
        count = drop(net.authorities, pages[k], gone, count)
    used[PLACES] += hub_count + authority_count
    used[CORES] += 1
    drop_all(net, gone, count)


@kernel
def sweep(net: Net, here: Side, other: Side, gone: NDArray[np.int64], found: CoreList) -> int:
    """Decide the pages of one side that have exactly as many links as needed; returns how many there were."""
    decided = 0
    for page in range(here.there.size):
        if here.there[page] and here.left[page] == here.need:
            decided += 1
            facing = still_there(here, other, page, other.core)
            beside = common(other, here, facing)
            if beside < other.need:
                drop_all(net, gone, drop(here, page, gone, 0))
            elif here.number == HUB:
                take_out(net, gone, found, beside, facing)
            else:
                take_out(net, gone, found, facing, beside)
    return decided


@kernel
def worth_trying(net: Net, space: Space, page: int) -> int:
    """Leave in space.near a hub's authorities with enough peers, hubs that share enough with it; peers get level 1."""
    in_ptr, in_idx, hub = net.authorities.ptr, net.authorities.idx, net.hubs.there
    level, shared, near = space.level, space.shared, space.near
    count = still_there(net.hubs, net.authorities, page, near)
    for k in range(count):
        for j in range(in_ptr[near[k]], in_ptr[near[k] + 1]):
            shared[in_idx[j]] += hub[in_idx[j]]
    kept = 0
    for k in range(count):
        peers = 0
        for j in range(in_ptr[near[k]], in_ptr[near[k] + 1]):
            if shared[in_idx[j]] >= net.hubs.need:
                level[in_idx[j]] = 1
                peers += 1
        if peers >= net.authorities.need:
            near[kept] = near[k]
            kept += 1
    return kept


@kernel
def forget(net: Net, space: Space, page: int) -> None:
    """Reset the levels and shares of all peers of a page to zero."""
    hubs, authorities = net
    for k in range(hubs.ptr[page], hubs.ptr[page + 1]):
        target = hubs.idx[k]
        for j in range(authorities.ptr[target], authorities.ptr[target + 1]):
            space.level[authorities.idx[j]] = 0
            space.shared[authorities.idx[j]] = 0


@borrowing
def move(authorities: Side, level: NDArray[np.int32], authority: int, old: int, new: int) -> int:
    """Move the hubs of an authority from one level to another; returns how many there are."""
    count = 0
    for j in range(authorities.ptr[authority], authorities.ptr[authority + 1]):
        if level[authorities.idx[j]] == old:
            level[authorities.idx[j]] = new
            count += 1
    return count


@kernel
def try_sets(net: Net, level: NDArray[np.int32], near: NDArray[np.int64], max_steps: int) -> int:
    """Leave in authorities.core the first set from `near`, in lexicographic order, that enough peers link to.

    A step adds one authority to a set and intersects; a set that too few peers link to is not extended.
    """
    authorities, size = net.authorities, net.hubs.need
    at = np.zeros(size, np.int64)
    depth = steps = 0
    while depth >= 0:
        if at[depth] > near.size - (size - depth):
            depth -= 1
            if depth >= 0:
                move(authorities, level, near[at[depth]], depth + 2, depth + 1)
                at[depth] += 1
            continue
        if steps == max_steps:
            return TOO_LONG
        steps += 1
        if move(authorities, level, near[at[depth]], depth + 1, depth + 2) < authorities.need:
            move(authorities, level, near[at[depth]], depth + 2, depth + 1)
            at[depth] += 1
        elif depth == size - 1:
            for k in range(size):
                authorities.core[k] = near[at[k]]
            return FOUND
        else:
            at[depth + 1] = at[depth] + 1
            depth += 1
    return NONE


@kernel
def enumerate_cores(net: Net, space: Space, found: CoreList, first: int, last: int, max_steps: int) -> None:
    """Find a core for each remaining hub from `first` to `last` − 1, or drop it; skip those that take too long."""
    hubs, authorities = net
    for page in range(first, last):
        if not hubs.there[page]:
            continue
        count = worth_trying(net, space, page)
        result = try_sets(net, space.level, space.near[:count], max_steps)
        forget(net, space, page)
        if result == FOUND:
            hub_count = common(authorities, hubs, hubs.need)
            authority_count = common(hubs, authorities, hub_count)
            take_out(net, space.gone, found, hub_count, authority_count)
        elif result == NONE:
            drop_all(net, space.gone, drop(hubs, page, space.gone, 0))
        else:
            found.used[PASSED_OVER] += 1
