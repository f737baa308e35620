"""Walks of a bounded number of links, from up to 64 pages at once.

A walk from several pages keeps one bit for each of them on every page it meets: seen (met so far) and then (met one
link further on); `here` holds those of the pages being expanded. A page is expanded once for all the searches that
meet it at the same depth, so searches that overlap, such as those from pages of one site, cost little more than one
of them. (The idea: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014.)

`near[p]` is the number of links from the nearest seed to p, or hops + 1 if that is more than hops. It cuts walks short:
what lies `left` links beyond a page that is `near` links from a seed is covered if near + left ≤ hops.

Cost of a walk: O(pages met + their links), for each depth at which a page is met. Memory: 16 bytes per page and
thread, and up to 20 for each page that a single walk meets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import inlined, kernel, trailing_zeros
from seedbed.links.link_store import successors

AT_ONCE = 64
"""Searches that walk together: one bit each."""


class Space(NamedTuple):
    """Working space of one thread; zero between walks."""

    seen: NDArray[np.uint64]
    then: NDArray[np.uint64]
    here: NDArray[np.uint64]
    met: NDArray[Any]
    front: NDArray[Any]
    ahead: NDArray[Any]


def make_space(pages: int) -> Space:
    """Space for walks on a web of this many pages."""
    seen, then = np.zeros(pages, np.uint64), np.zeros(pages, np.uint64)
    # Filled from the front only: the tail that no walk reaches takes no memory.
    met, front, ahead = (np.empty(pages, page_dtype(pages)) for _ in range(3))
    return Space(seen, then, np.empty(pages, np.uint64), met, front, ahead)


@inlined
def ones_in(mask: Any) -> Any:
    """How many bits are set."""
    mask = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    mask = (mask & np.uint64(0x3333333333333333)) + ((mask >> np.uint64(2)) & np.uint64(0x3333333333333333))
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def share_out(value: int, mask: Any, sums: NDArray[np.int64]) -> None:
    """Add the value to the sum of every search whose bit is set."""
    while mask != np.uint64(0):
        sums[np.int64(trailing_zeros(mask))] += value
        mask &= mask - np.uint64(1)


@kernel
def start(pages: Any, space: Any) -> tuple[int, Any]:
    """Put search k on pages[k]; returns the number of distinct pages, and the mask of all searches."""
    seen, then, _, met, front, _ = space
    count = 0
    everyone = np.uint64(0)
    for k in range(pages.size):
        page, bit = pages[k], np.uint64(1) << np.uint64(k)
        everyone |= bit
        if seen[page] == 0:
            met[count] = page
            front[count] = page
            count += 1
        seen[page] |= bit
        then[page] |= bit
    return count, everyone


@inlined
def step_on(front: Any, count: int, then: Any, here: Any) -> None:
    """here[k] = the searches that are at front[k] now; none is ahead any more."""
    for k in range(count):
        here[k] = then[front[k]]
        then[front[k]] = 0


@inlined
def spread(targets: Any, mask: int, seen: Any, then: Any, met: Any, used: int, ahead: Any, count: int) -> Any:
    """Take the searches of `mask` to the targets they have not met; returns the pages met, and those met just now."""
    for target in targets:
        before = seen[target]
        new = mask & ~before
        if new != np.uint64(0):
            if before == np.uint64(0):
                met[used] = target
                used += 1
            seen[target] = before | new
            if then[target] == np.uint64(0):
                ahead[count] = target
                count += 1
            then[target] |= new
    return used, count


@kernel
def weigh(
    links: Any, buffer: Any, space: Any, near: Any, left: Any, pages: Any, depth: int, hops: int, gains: Any, plus: Any
) -> None:
    """gains[k] = Σ left[p] over the pages p within `depth` links of pages[k]; plus[k], if requested, omits negative
    values. What the seeds cover has left = 0, and walks end where everything further on is covered.
    """
    seen, then, here, met, front, ahead = space
    count, everyone = start(pages, space)
    used = count
    shared = shared_plus = 0
    gains[:] = 0
    plus[:] = 0
    for level in range(depth + 1):
        found = 0
        step_on(front, count, then, here)
        for k in range(count):
            page, mask = front[k], here[k]
            value = left[page]
            if value != 0 and mask == everyone:
                shared += value
                shared_plus += max(value, 0)
            elif value != 0:
                share_out(value, mask, gains)
                if value > 0 and plus.size > 0:
                    share_out(value, mask, plus)
            if level < depth and near[page] + depth - level > hops:
                targets = successors(links, page, buffer)
                used, found = spread(targets, mask, seen, then, met, used, ahead, found)
        front, ahead, count = ahead, front, found
        if count == 0:
            break
    gains += shared
    plus += shared_plus
    for k in range(used):
        seen[met[k]] = 0


@kernel
def tally_back(
    links: Any, buffer: Any, space: Any, pages: Any, hops: int, signs: Any, weights: Any, light: Any, heavy: Any
) -> None:
    """For every page p within `hops` links of pages[k]: light[p] += signs[k] and, if requested, heavy[p] += weights[k].

    `links` are transposed: p is a page that covers pages[k].
    """
    seen, then, here, met, front, ahead = space
    count, _ = start(pages, space)
    used = count
    up, down, weighty = masks_of(signs, weights)
    for level in range(hops + 1):
        found = 0
        step_on(front, count, then, here)
        for k in range(count):
            page, mask = front[k], here[k]
            light[page] += ones_in(mask & up) - ones_in(mask & down)
            more = mask & weighty
            while more != np.uint64(0):
                heavy[page] += weights[np.int64(trailing_zeros(more))]
                more &= more - np.uint64(1)
            if level < hops:
                targets = successors(links, page, buffer)
                used, found = spread(targets, mask, seen, then, met, used, ahead, found)
        front, ahead, count = ahead, front, found
        if count == 0:
            break
    for k in range(used):
        seen[met[k]] = 0


@kernel
def masks_of(signs: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The searches with sign +1, those with −1, and those with a weight."""
    up = down = weighty = np.uint64(0)
    for k in range(signs.size):
        bit = np.uint64(1) << np.uint64(k)
        if signs[k] > 0:
            up |= bit
        if signs[k] < 0:
            down |= bit
        if weights[k] != 0:
            weighty |= bit
    return up, down, weighty


@kernel
def cover_from(links: Any, buffer: Any, near: Any, queue: Any, new: Any, page: int, hops: int) -> int:
    """Make `page` a seed: lower `near` where it is nearer than earlier seeds, and list in `new` the pages that none of
    them covered; returns how many.
    """
    if near[page] == 0:
        return 0
    fresh = 0
    if near[page] > hops:
        new[0] = page
        fresh = 1
    near[page] = 0
    queue[0] = page
    head, tail, level, level_end = 0, 1, 0, 1
    while head < tail:
        if head == level_end:
            level += 1
            level_end = tail
        if level == hops:
            break
        for target in successors(links, queue[head], buffer):
            if near[target] > level + 1:
                if near[target] > hops:
                    new[fresh] = target
                    fresh += 1
                near[target] = level + 1
                queue[tail] = target
                tail += 1
        head += 1
    return fresh


@kernel
def add_bounds(first: int, out_ptr: Any, out_idx: Any, own: Any, below: Any, most: int, bounds: Any) -> None:
    """bounds[p] = own[p] + Σ below[t] over the targets t of p, at most `most`; for a block of pages."""
    for k in range(out_ptr.size - 1):
        total = own[first + k]
        for j in range(out_ptr[k], out_ptr[k + 1]):
            total += below[out_idx[j]]
            if total >= most:
                total = most
                break
        bounds[first + k] = min(total, most)
