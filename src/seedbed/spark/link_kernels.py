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
