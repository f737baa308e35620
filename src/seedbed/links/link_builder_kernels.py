"""Kernels that sort links by two counting passes: by target, then by source, so each page's links come out ascending.

Linear in pages and links whatever their order; no comparison sort, so no bad case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel


@kernel
def extent(ids: NDArray[Any]) -> tuple[np.int64, np.int64]:
    """The smallest and the largest id; (0, −1) where there is none."""
    low, high = np.int64(0), np.int64(-1)
    for k in range(ids.size):
        low = min(low, np.int64(ids[k]))
        high = max(high, np.int64(ids[k]))
    return low, high


@kernel
def first_outside(sources: NDArray[Any], targets: NDArray[Any], pages: int) -> int:
    """The first pair with an id that is not in 0 … pages − 1, or −1."""
    for k in range(sources.size):
        if sources[k] < 0 or targets[k] < 0 or sources[k] >= pages or targets[k] >= pages:
            return k
    return -1


@kernel
def take(
    sources: NDArray[Any],
    targets: NDArray[Any],
    keep_self_links: bool,
    out_sources: NDArray[Any],
    out_targets: NDArray[Any],
) -> tuple[int, int]:
    """Copy the pairs that are kept; (their number, the number of pairs from a page to itself)."""
    kept = 0
    loops = 0
    for k in range(sources.size):
        loop = sources[k] == targets[k]
        loops += loop
        out_sources[kept] = sources[k]
        out_targets[kept] = targets[k]
        kept += keep_self_links or not loop
    return kept, loops


@kernel
def count(ids: NDArray[Any], counts: NDArray[Any]) -> None:
    """Add each id to its count."""
    for k in range(ids.size):
        counts[ids[k]] += 1


@kernel
def spread_by_target(
    sources: NDArray[Any], targets: NDArray[Any], position: NDArray[Any], in_idx: NDArray[Any]
) -> None:
    """Put each source in the next free place of its target."""
    for k in range(sources.size):
        place = position[targets[k]]
        in_idx[place] = sources[k]
        position[targets[k]] = place + 1


@kernel
def spread_by_source(
    in_ptr: NDArray[np.int64],
    in_idx: NDArray[Any],
    out_idx: NDArray[Any],
    first: int,
    last: int,
    position: NDArray[Any],
) -> None:
    """Put each target from `first` up to `last`, ascending, in the next free place of each of its sources."""
    for target in range(first, last):
        for k in range(in_ptr[target], in_ptr[target + 1]):
            place = position[in_idx[k]]
            out_idx[place] = target
            position[in_idx[k]] = place + 1


@kernel
def drop_repeats(out_ptr: NDArray[np.int64], out_idx: NDArray[Any]) -> None:
    """Close up over repeated links, in place; out_ptr[-1] is then the number of distinct links."""
    kept = 0
    start = out_ptr[0]
    for page in range(out_ptr.size - 1):
        stop = out_ptr[page + 1]
        for k in range(start, stop):
            if k == start or out_idx[k] != out_idx[k - 1]:
                out_idx[kept] = out_idx[k]
                kept += 1
        start = stop
        out_ptr[page + 1] = kept


@kernel
def distinct_sorted(
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    before: NDArray[np.int64],
    degree: NDArray[np.int64],
    out_idx: NDArray[Any],
) -> int:
    """Of pairs sorted by source and target, count each distinct one at its source and list its target.

    `before` holds the last pair of the batch before, and then the last of this one. The number listed.
    """
    listed = 0
    for k in range(sources.size):
        if sources[k] != before[0] or targets[k] != before[1]:
            before[0], before[1] = sources[k], targets[k]
            degree[sources[k]] += 1
            out_idx[listed] = targets[k]
            listed += 1
    return listed
