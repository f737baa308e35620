"""Kernels of trawling: drop hubs and authorities with too few links, find complete cores and remove them.

A page has two parts: `hub[p]` says that it may still be a hub, `authority[p]` that it may still be an authority.
`out_left[p]` counts the authorities still there that p links to, `in_left[p]` the hubs still there that link to p.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel

HUB, AUTHORITY = 0, 1
PLACES, CORES, PASSED_OVER = range(3)
NONE, FOUND, TOO_LONG = range(3)


class Net(NamedTuple):
    """The links between sites, both ways, and which of them are left."""

    out_ptr: NDArray[np.int64]
    out_idx: NDArray[Any]
    in_ptr: NDArray[np.int64]
    in_idx: NDArray[Any]
    hub: NDArray[np.bool_]
    authority: NDArray[np.bool_]
    out_left: NDArray[np.int64]
    in_left: NDArray[np.int64]


class Space(NamedTuple):
    """Working space: `level` and `shared` are zero between calls."""

    level: NDArray[np.int32]
    shared: NDArray[np.int32]
    gone: NDArray[np.int64]
    hubs: NDArray[np.int64]
    authorities: NDArray[np.int64]
    near: NDArray[np.int64]


class CoreList(NamedTuple):
    """Cores one after another: hubs, then authorities, in `pages`; how many of each in `sizes`."""

    pages: NDArray[np.int64]
    sizes: NDArray[np.int64]
    used: NDArray[np.int64]


@kernel
def count_left(net: Net) -> None:
    """Set out_left and in_left from the remaining hubs and authorities."""
    out_ptr, out_idx, _, _, hub, authority, out_left, in_left = net
    out_left[:] = 0
    in_left[:] = 0
    for page in range(out_ptr.size - 1):
        for j in range(out_ptr[page], out_ptr[page + 1]):
            target = out_idx[j]
            out_left[page] += authority[target]
            in_left[target] += hub[page]


@kernel
def drop(net: Net, page: int, side: int, gone: NDArray[np.int64], count: int) -> int:
    """Remove one part of a page; `drop_all` then updates its neighbours."""
    part = net.hub if side == HUB else net.authority
    if part[page]:
        part[page] = False
        gone[count] = 2 * page + side
        return count + 1
    return count


@kernel
def drop_all(net: Net, gone: NDArray[np.int64], count: int, hubs: int, authorities: int) -> None:
    """Drop everything that the `count` parts in `gone` leave with too few links, until nothing changes."""
    out_ptr, out_idx, in_ptr, in_idx, hub, authority, out_left, in_left = net
    while count > 0:
        count -= 1
        page, side = gone[count] >> 1, gone[count] & 1
        if side == HUB:
            for j in range(out_ptr[page], out_ptr[page + 1]):
                other = out_idx[j]
                in_left[other] -= 1
                if authority[other] and in_left[other] < hubs:
                    authority[other] = False
                    gone[count] = 2 * np.int64(other) + AUTHORITY
                    count += 1
        else:
            for j in range(in_ptr[page], in_ptr[page + 1]):
                other = in_idx[j]
                out_left[other] -= 1
                if hub[other] and out_left[other] < authorities:
                    hub[other] = False
                    gone[count] = 2 * np.int64(other) + HUB
                    count += 1


@kernel
def prune(net: Net, gone: NDArray[np.int64], hubs: int, authorities: int) -> None:
    """Drop hubs with fewer links than `authorities`, authorities with fewer than `hubs`, until nothing changes."""
    count = 0
    for page in range(net.hub.size):
        if net.out_left[page] < authorities:
            count = drop(net, page, HUB, gone, count)
        if net.in_left[page] < hubs:
            count = drop(net, page, AUTHORITY, gone, count)
    drop_all(net, gone, count, hubs, authorities)


@kernel
def still_there(ptr: NDArray[np.int64], idx: Any, page: int, part: NDArray[np.bool_], into: NDArray[np.int64]) -> int:
    """Write the page's remaining neighbours into `into`; returns how many there are."""
    count = 0
    for j in range(ptr[page], ptr[page + 1]):
        if part[idx[j]]:
            into[count] = idx[j]
            count += 1
    return count


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


@kernel
def common(
    ptr: NDArray[np.int64], idx: Any, part: NDArray[np.bool_], pages: NDArray[np.int64], into: NDArray[np.int64]
) -> int:
    """Write the remaining neighbours that all the pages share into `into`, ascending."""
    fewest = pages[0]
    for page in pages:
        if ptr[page + 1] - ptr[page] < ptr[fewest + 1] - ptr[fewest]:
            fewest = page
    count = still_there(ptr, idx, fewest, part, into)
    for page in pages:
        kept = 0
        for k in range(count):
            if holds(idx, ptr[page], ptr[page + 1], into[k]):
                into[kept] = into[k]
                kept += 1
        count = kept
    return count


@kernel
def take_out(
    net: Net, space: Space, found: CoreList, hub_count: int, authority_count: int, hubs: int, authorities: int
) -> None:
    """Record the core that space.hubs and space.authorities hold, and remove its pages with all their links."""
    pages, sizes, used = found
    for k in range(hub_count):
        pages[used[PLACES] + k] = space.hubs[k]
    for k in range(authority_count):
        pages[used[PLACES] + hub_count + k] = space.authorities[k]
    sizes[used[CORES], HUB] = hub_count
    sizes[used[CORES], AUTHORITY] = authority_count
    gone = 0
    for k in range(used[PLACES], used[PLACES] + hub_count + authority_count):
        gone = drop(net, pages[k], HUB, space.gone, gone)
        gone = drop(net, pages[k], AUTHORITY, space.gone, gone)
    used[PLACES] += hub_count + authority_count
    used[CORES] += 1
    drop_all(net, space.gone, gone, hubs, authorities)


@kernel
def sweep(net: Net, space: Space, found: CoreList, hubs: int, authorities: int) -> int:
    """Decide the hubs, then the authorities, that have exactly as many links as needed; returns how many there were."""
    decided = 0
    for page in range(net.hub.size):
        if net.hub[page] and net.out_left[page] == authorities:
            decided += 1
            n = still_there(net.out_ptr, net.out_idx, page, net.authority, space.authorities)
            m = common(net.in_ptr, net.in_idx, net.hub, space.authorities[:n], space.hubs)
            if m >= hubs:
                take_out(net, space, found, m, n, hubs, authorities)
            else:
                drop_all(net, space.gone, drop(net, page, HUB, space.gone, 0), hubs, authorities)
    for page in range(net.hub.size):
        if net.authority[page] and net.in_left[page] == hubs:
            decided += 1
            m = still_there(net.in_ptr, net.in_idx, page, net.hub, space.hubs)
            n = common(net.out_ptr, net.out_idx, net.authority, space.hubs[:m], space.authorities)
            if n >= authorities:
                take_out(net, space, found, m, n, hubs, authorities)
            else:
                drop_all(net, space.gone, drop(net, page, AUTHORITY, space.gone, 0), hubs, authorities)
    return decided


@kernel
def worth_trying(net: Net, space: Space, page: int, hubs: int, authorities: int) -> int:
    """Leave in space.near a hub's authorities with enough peers, hubs that share enough with it; peers get level 1."""
    in_ptr, in_idx, hub = net.in_ptr, net.in_idx, net.hub
    level, shared, near = space.level, space.shared, space.near
    count = still_there(net.out_ptr, net.out_idx, page, net.authority, near)
    for k in range(count):
        for j in range(in_ptr[near[k]], in_ptr[near[k] + 1]):
            shared[in_idx[j]] += hub[in_idx[j]]
    kept = 0
    for k in range(count):
        peers = 0
        for j in range(in_ptr[near[k]], in_ptr[near[k] + 1]):
            if shared[in_idx[j]] >= authorities:
                level[in_idx[j]] = 1
                peers += 1
        if peers >= hubs:
            near[kept] = near[k]
            kept += 1
    return kept


@kernel
def forget(net: Net, space: Space, page: int) -> None:
    """Reset the levels and shares of all peers of a page to zero."""
    for k in range(net.out_ptr[page], net.out_ptr[page + 1]):
        target = net.out_idx[k]
        for j in range(net.in_ptr[target], net.in_ptr[target + 1]):
            space.level[net.in_idx[j]] = 0
            space.shared[net.in_idx[j]] = 0


@kernel
def move(net: Net, level: NDArray[np.int32], authority: int, old: int, new: int) -> int:
    """Move the hubs of an authority from one level to another; returns how many there are."""
    in_idx = net.in_idx
    count = 0
    for j in range(net.in_ptr[authority], net.in_ptr[authority + 1]):
        if level[in_idx[j]] == old:
            level[in_idx[j]] = new
            count += 1
    return count


@kernel
def try_sets(net: Net, space: Space, near: NDArray[np.int64], hubs: int, authorities: int, max_steps: int) -> int:
    """Leave in space.authorities the first set from `near`, in lexicographic order, that enough peers link to.

    A step adds one authority to a set and intersects; a set that too few peers link to is not extended.
    """
    at = np.zeros(authorities, np.int64)
    depth = steps = 0
    while depth >= 0:
        if at[depth] > near.size - (authorities - depth):
            depth -= 1
            if depth >= 0:
                move(net, space.level, near[at[depth]], depth + 2, depth + 1)
                at[depth] += 1
            continue
        if steps == max_steps:
            return TOO_LONG
        steps += 1
        if move(net, space.level, near[at[depth]], depth + 1, depth + 2) < hubs:
            move(net, space.level, near[at[depth]], depth + 2, depth + 1)
            at[depth] += 1
        elif depth == authorities - 1:
            for k in range(authorities):
                space.authorities[k] = near[at[k]]
            return FOUND
        else:
            at[depth + 1] = at[depth] + 1
            depth += 1
    return NONE


@kernel
def enumerate_cores(
    net: Net, space: Space, found: CoreList, first: int, last: int, hubs: int, authorities: int, max_steps: int
) -> None:
    """Find a core for each remaining hub from `first` to `last` − 1, or drop it; skip those that take too long."""
    for page in range(first, last):
        if not net.hub[page]:
            continue
        count = worth_trying(net, space, page, hubs, authorities)
        result = try_sets(net, space, space.near[:count], hubs, authorities, max_steps)
        forget(net, space, page)
        if result == FOUND:
            m = common(net.in_ptr, net.in_idx, net.hub, space.authorities[:authorities], space.hubs)
            n = common(net.out_ptr, net.out_idx, net.authority, space.hubs[:m], space.authorities)
            take_out(net, space, found, m, n, hubs, authorities)
        elif result == NONE:
            drop_all(net, space.gone, drop(net, page, HUB, space.gone, 0), hubs, authorities)
        else:
            found.used[PASSED_OVER] += 1
