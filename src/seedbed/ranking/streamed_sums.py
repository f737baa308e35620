"""Sums over links that are not held in memory: one pass over the blocks of a link store a round.

Blocks are decoded ahead by the team and used in page order, so a page's sum always runs over ascending pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory
from seedbed.common.threads import Team
from seedbed.links.link_store import LinkStore, blocks_ahead


def fits(links: LinkStore, copies: int, memory: int | None) -> bool:
    """Whether so many copies of the decoded links take no more than `memory`; by default, half of the machine's."""
    size = links.link_count * np.dtype(page_dtype(links.page_count)).itemsize + 16 * links.page_count
    return copies * size <= (machine_memory() // 2 if memory is None else memory)


def stream_in(links: LinkStore, team: Team, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """sums[p] = Σ values[q] over the pages q that link to p."""
    sums[:] = 0.0
    for block in blocks_ahead(links, team):
        push(block.first, block.out_ptr, block.out_idx, values, sums)


def stream_out(links: LinkStore, team: Team, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """sums[p] = Σ values[q] over the pages q that p links to."""
    for block in blocks_ahead(links, team):
        pull(block.first, block.out_ptr, block.out_idx, values, sums)


@kernel
def push(
    first: int, out_ptr: NDArray[np.int64], out_idx: Any, values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Add the value of each page of a block to the sums of the pages it links to."""
    for k in range(out_ptr.size - 1):
        value = values[first + k]
        for j in range(out_ptr[k], out_ptr[k + 1]):
            sums[out_idx[j]] += value


@kernel
def pull(
    first: int, out_ptr: NDArray[np.int64], out_idx: Any, values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """For each page of a block, sum the values of the pages it links to."""
    for k in range(out_ptr.size - 1):
        total = 0.0
        for j in range(out_ptr[k], out_ptr[k + 1]):
            total += values[out_idx[j]]
        sums[first + k] = total
