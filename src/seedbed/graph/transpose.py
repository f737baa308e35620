"""Every link turned round: in memory, or on disk where that would take too much of it.

On disk: the links to a range of pages are collected by a counting sort, coded as BVGraph and appended to a file; then
the next range. A range is as many pages as the memory allows, and each takes one pass over all links:

    passes = 1 + ⌈4 bytes · links / memory⌉        the first counts the links to each page

Memory: what is allowed, and 16 bytes a page at least. The links are the same either way, whatever the memory.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory, require
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError
from seedbed.graph.transforms import count_links_in, transposed
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.links.bvgraph_writer import BvWriter
from seedbed.links.link_store import PAGES_PER_BLOCK

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore

SHARE = 4
"""Unless told otherwise, one in this many bytes of the memory is used."""

LEAST_MEMORY = 64 << 20
"""What a range may take, however little is allowed."""

STAGE = "links turned round"


def turned_round(
    links: LinkStore,
    *,
    memory: int | None = None,
    scratch: Path | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> LinkStore:
    """Every link turned round, within `memory` bytes, by default a quarter of the machine's; beyond that in an unnamed
    file in the folder `scratch`.
    """
    if fits_in_memory(links, memory):
        return transposed(links)
    require(16 * links.page_count, "turning the links round", memory)
    room = (
        max(_allowed(memory) - 16 * links.page_count, LEAST_MEMORY) // np.dtype(page_dtype(links.page_count)).itemsize
    )
    return turned_on_disk(links, room, scratch, threads, progress)


def fits_in_memory(links: LinkStore, memory: int | None = None) -> bool:
    """Whether `turned_round` does without the disk."""
    return size_in_memory(links) <= _allowed(memory)


def _allowed(memory: int | None) -> int:
    return machine_memory() // SHARE if memory is None else memory


def size_in_memory(links: LinkStore) -> int:
    """Bytes it takes to turn the links round in memory."""
    return links.link_count * np.dtype(page_dtype(links.page_count)).itemsize + 16 * links.page_count


def turned_on_disk(
    links: LinkStore,
    room: int,
    scratch: Path | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> BvGraph:
    """The same, compressed, by passes over the links that collect up to `room` links each."""
    folder = Path(tempfile.mkdtemp(prefix="seedbed-", dir=scratch))
    try:
        base = folder / "turned"
        # Links to a page come from runs of pages, so intervals say most; references would make random access slow.
        properties = BvProperties(nodes=0, arcs=0, window=0)
        with BvWriter(base, pages=links.page_count, properties=properties, threads=threads) as writer:
            _write_ranges(links, room, writer, progress)
        turned = BvGraph.open(base)
        # Read here and mapped, both outlive the files' names: nothing is left behind however the process ends.
        turned.arrays()
        return turned
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({error.strerror}). Is the disk full? Set TMPDIR to a folder with room."
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_ranges(links: LinkStore, room: int, writer: BvWriter, progress: Progress) -> None:
    """The links to one range of pages after the other."""
    in_ptr = count_links_in(links)
    cuts = _cuts(in_ptr, room)
    passes = len(cuts) - 1
    for k in range(passes):
        pointers = in_ptr[cuts[k] : cuts[k + 1] + 1] - in_ptr[cuts[k]]
        free = pointers[:-1].copy()
        in_idx = np.empty(pointers[-1], page_dtype(links.page_count))
        for block in links.blocks():
            collect(block.first, block.out_ptr, block.out_idx, cuts[k], free, in_idx)
            progress(STAGE, k * links.page_count + block.first, passes * links.page_count)
        writer.append(pointers, in_idx)
        # Before the next range takes its room.
        del pointers, free, in_idx


def _cuts(in_ptr: NDArray[np.int64], room: int) -> list[int]:
    """Where ranges begin and end: whole blocks, which is what is coded at once, and one block at least."""
    pages = len(in_ptr) - 1
    cuts = [0]
    while cuts[-1] < pages:
        first = cuts[-1]
        stop = int(np.searchsorted(in_ptr, in_ptr[first] + room, side="right")) - 1
        blocks = max((stop - first) // PAGES_PER_BLOCK, 1)
        cuts.append(pages if stop == pages else min(first + blocks * PAGES_PER_BLOCK, pages))
    return cuts


@kernel
def collect(
    first: int, out_ptr: NDArray[np.int64], out_idx: Any, start: int, free: NDArray[np.int64], in_idx: NDArray[Any]
) -> None:
    """Write the sources of a block's links to pages start … start + len(free) − 1 where the next of each page goes."""
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            target = out_idx[j] - start
            if 0 <= target < free.size:
                in_idx[free[target]] = first + k
                free[target] += 1
