"""The transpose of links: every link leads from its target to its source. In memory, or on disk if it does not fit.

On disk: the links to a range of pages are collected by a counting sort, encoded as BVGraph and appended to a file; then
the next range. A range is as many pages as memory allows, and each takes one pass over all links:

    passes = 1 + ⌈4 bytes · links / memory⌉        the first counts the links to each page

Memory: what is allowed, but at least 16 bytes per page. The links are the same either way, whatever the memory.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seedbed.common.arrays import Ids, Ints, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory, require
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError
from seedbed.links.csr import Csr
from seedbed.links.link_store import PAGES_PER_BLOCK, LinkStore, in_degrees

if TYPE_CHECKING:
    from seedbed.links.bvgraph_links import BvGraph
    from seedbed.links.bvgraph_writer import BvWriter

SHARE = 4
"""By default, the machine's memory divided by this is used."""

LEAST_MEMORY = 64 << 20
"""What a range may take even if less is allowed."""

STAGE = "links transposed"


def transposed_within_memory(
    links: LinkStore,
    *,
    memory: int | None = None,
    scratch: Path | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> LinkStore:
    """The transpose, in `memory` bytes (default: a quarter of the machine's), else in an unnamed file in `scratch`."""
    if fits_in_memory(links, memory):
        return transposed(links)
    require(16 * links.page_count, "transposing the links", memory)
    room = max(_allowed(memory) - 16 * links.page_count, LEAST_MEMORY)
    return transposed_on_disk(
        links, room // np.dtype(page_dtype(links.page_count)).itemsize, scratch, threads, progress
    )


def fits_in_memory(links: LinkStore, memory: int | None = None) -> bool:
    """Whether transposed_within_memory() does not need the disk."""
    return size_in_memory(links) <= _allowed(memory)


def _allowed(memory: int | None) -> int:
    return machine_memory() // SHARE if memory is None else memory


def size_in_memory(links: LinkStore) -> int:
    """Bytes needed to transpose the links in memory."""
    return links.link_count * np.dtype(page_dtype(links.page_count)).itemsize + 16 * links.page_count


def transposed(links: LinkStore) -> Csr:
    """The transpose in memory. Two passes over the links."""
    require(size_in_memory(links), "transposing the links")
    in_ptr = in_pointers(links)
    free, in_idx = in_ptr[:-1].copy(), np.empty(links.link_count, page_dtype(links.page_count))
    for block in links.blocks():
        collect(*block, 0, free, in_idx)
    return Csr(in_ptr, in_idx, checked=True)


def in_pointers(links: LinkStore) -> Ints:
    """Where the links to each page start when all are sorted by their target. One pass."""
    in_ptr = np.zeros(links.page_count + 1, np.int64)
    np.cumsum(in_degrees(links), out=in_ptr[1:])
    return in_ptr


def transposed_on_disk(
    links: LinkStore, room: int, scratch: Path | None = None, threads: int = 1, progress: Progress = no_progress
) -> BvGraph:
    """The transpose, compressed, in passes over the links that collect up to `room` links each."""
    from seedbed.links.bvgraph_links import BvGraph
    from seedbed.links.bvgraph_properties import BvProperties
    from seedbed.links.bvgraph_writer import BvWriter

    folder = Path(tempfile.mkdtemp(prefix="seedbed-", dir=scratch))
    try:
        base = folder / "transpose"
        # Links to a page come from runs of pages, so intervals compress best; references would slow random access.
        properties = BvProperties(nodes=0, arcs=0, window=0)
        with BvWriter(base, pages=links.page_count, properties=properties, threads=threads) as writer:
            _write_ranges(links, room, writer, progress)
        transpose = BvGraph.open(base)
        # Once read and mapped, the data outlives the file names: nothing is left behind however the process ends.
        transpose.arrays()
        return transpose
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({error.strerror}). Is the disk full? Set TMPDIR to a folder with room."
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_ranges(links: LinkStore, room: int, writer: BvWriter, progress: Progress) -> None:
    """Write the links to one range of pages after another."""
    in_ptr = in_pointers(links)
    cuts = _cuts(in_ptr, room)
    passes = len(cuts) - 1
    for k in range(passes):
        pointers = in_ptr[cuts[k] : cuts[k + 1] + 1] - in_ptr[cuts[k]]
        free, in_idx = pointers[:-1].copy(), np.empty(pointers[-1], page_dtype(links.page_count))
        for block in links.blocks():
            collect(*block, cuts[k], free, in_idx)
            progress(STAGE, k * links.page_count + block.first, passes * links.page_count)
        writer.append(pointers, in_idx)
        # Free the memory before the next range needs it.
        del pointers, free, in_idx


def _cuts(in_ptr: Ints, room: int) -> list[int]:
    """Where ranges begin and end: at least one block each, and whole blocks, the unit of encoding."""
    pages = len(in_ptr) - 1
    cuts = [0]
    while cuts[-1] < pages:
        first = cuts[-1]
        stop = int(np.searchsorted(in_ptr, in_ptr[first] + room, side="right")) - 1
        blocks = max((stop - first) // PAGES_PER_BLOCK, 1)
        cuts.append(pages if stop == pages else min(first + blocks * PAGES_PER_BLOCK, pages))
    return cuts


@kernel
def collect(first: int, out_ptr: Ints, out_idx: Ids, start: int, free: Ints, in_idx: Ids) -> None:
    """Put the source of each of a block's links to pages start … start + len(free) − 1 in its target's next free slot.

    Sources come in ascending order.
    """
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            target = out_idx[j] - start
            if 0 <= target < free.size:
                in_idx[free[target]] = first + k
                free[target] += 1
