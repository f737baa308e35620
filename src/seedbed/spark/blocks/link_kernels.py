"""Kernels on links as pairs of pages: to blocks, and a sum that tells sets of links apart. One pass each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.kernels import kernel

Words = NDArray[np.uint64]


@kernel
def pair_sum(sources: Words, targets: Words) -> Any:
    """A sum over the pairs, in any order, of a number for each."""
    total = np.uint64(0)
    for k in range(sources.size):
        value = (sources[k] * np.uint64(0x9E3779B97F4A7C15)) ^ (targets[k] + np.uint64(0xD6E8FEB86659FD93))
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
        total += value * np.uint64(0xC4CEB9FE1A85EC53)
    return total


@kernel
def locate_blocks(rows: Ints, bounds: Ints, block_of: NDArray[np.int32], counts: Ints) -> None:
    """The block of each page in `rows`, and how many each block has; blocks are about equal, so a guess is close."""
    blocks, pages = bounds.size - 1, bounds[-1]
    for k in range(rows.size):
        block = rows[k] * blocks // pages
        while bounds[block + 1] <= rows[k]:
            block += 1
        while bounds[block] > rows[k]:
            block -= 1
        block_of[k] = block
        counts[block] += 1


@kernel
def spread_by_block(
    rows: Ints,
    others: Ints,
    block_of: NDArray[np.int32],
    bounds: Ints,
    position: Ints,
    out_rows: NDArray[np.uint32],
    out_others: NDArray[Any],
) -> None:
    """Put each link in the next free slot of its block: the place of its row in the block, and its other end."""
    for k in range(rows.size):
        block = block_of[k]
        place = position[block]
        out_rows[place] = rows[k] - bounds[block]
        out_others[place] = others[k]
        position[block] = place + 1


@kernel
def number_others(links: Words, needs: Ints) -> int:
    """From ascending links, as other · 2³² + row: the distinct others, and in place row · 2³² + position in those."""
    count = 0
    for k in range(links.size):
        other = np.int64(links[k] >> np.uint64(32))
        if count == 0 or needs[count - 1] != other:
            needs[count] = other
            count += 1
        links[k] = links[k] << np.uint64(32) | np.uint64(count - 1)
    return count


@kernel
def rows_of_sorted(links: Words, ptr: Ints, idx: NDArray[np.uint32]) -> int:
    """From ascending links, as row · 2³² + position: compressed sparse rows, repeated links once. Returns how many."""
    count = 0
    for k in range(links.size):
        if k == 0 or links[k] != links[k - 1]:
            idx[count] = np.uint32(links[k] & np.uint64(0xFFFF_FFFF))
            ptr[np.int64(links[k] >> np.uint64(32)) + 1] += 1
            count += 1
    for row in range(1, ptr.size):
        ptr[row] += ptr[row - 1]
    return count
