"""Kernels that sort links in two counting passes: by target, then by source, so each page's links come out ascending.

Linear in pages and links whatever their order; no comparison sort, so no bad inputs.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from seedbed.common.arrays import Ids, Ints
from seedbed.common.kernels import kernel


@kernel
def take(sources: Ids, targets: Ids, keep_self_links: bool, out_sources: Ids, out_targets: Ids) -> tuple[int, int]:
    """Copy the pairs that are kept; returns (their number, the number of pairs from a page to itself)."""
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
def count(ids: Ids, counts: NDArray[Any]) -> None:
    """Add 1 to the count of each id."""
    for k in range(ids.size):
        counts[ids[k]] += 1


@kernel
def spread_by_target(sources: Ids, targets: Ids, position: Ids, in_idx: Ids) -> None:
    """Put each source in the next free slot of its target."""
    for k in range(sources.size):
        place = position[targets[k]]
        in_idx[place] = sources[k]
        position[targets[k]] = place + 1


@kernel
def spread_by_source(in_ptr: Ints, in_idx: Ids, out_idx: Ids, first: int, last: int, position: Ids) -> None:
    """Put each target from `first` up to `last`, ascending, in the next free slot of each of its sources."""
    for target in range(first, last):
        for k in range(in_ptr[target], in_ptr[target + 1]):
            place = position[in_idx[k]]
            out_idx[place] = target
            position[in_idx[k]] = place + 1


@kernel
def drop_repeats(out_ptr: Ints, out_idx: Ids) -> None:
    """Remove repeated links, in place; out_ptr[-1] is then the number of distinct links."""
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
def distinct_sorted(sources: Ints, targets: Ints, before: Ints, degree: Ints, out_idx: Ids) -> int:
    """For pairs sorted by source and target, count each distinct one at its source and list its target.

    `before` holds the last pair of the previous batch, then the last of this one. Returns the number listed.
    """
    listed = 0
    for k in range(sources.size):
        if sources[k] != before[0] or targets[k] != before[1]:
            before[0], before[1] = sources[k], targets[k]
            degree[sources[k]] += 1
            out_idx[listed] = targets[k]
            listed += 1
    return listed
