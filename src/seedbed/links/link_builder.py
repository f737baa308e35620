"""Links from pairs of page ids in any order.

In memory: two counting passes, by target, then by source, so that each page's links come out ascending. O(pages +
links), whatever the order of the pairs; at most 12 bytes per link (24 from 2³¹ pages on) and 24 per page. Pairs that
need more than `memory` go through a DuckDB sort on disk, and the links are memory-mapped; 16 bytes per page stay in
memory. Both ways give the same links.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ids, Ints, frozen, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory, require
from seedbed.common.spill import Spill
from seedbed.errors import InputError
from seedbed.links.csr import Csr
from seedbed.links.link_store import count_targets
from seedbed.links.transpose import collect

MOST_PAGES = 1 << 40
SHARES = 2
_BYTES_PER_PAGE = 40
_BYTES_PER_PAGE_ON_DISK = 16


Pairs = tuple[NDArray[Any], NDArray[Any]]


class BadPair(InputError):
    """A pair that is not a link between pages; `index` is its position among the pairs added last."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


class Built(NamedTuple):
    """The links, ascending and distinct, and counts made along the way.

    `self_links`: pairs from a page to itself. `duplicate_links`: repeats of pairs that are kept.
    """

    links: Csr
    self_links: int
    duplicate_links: int


class LinkBuilder:
    """Takes pairs, any number at a time, and builds a Csr. Without `pages`, the largest id sets the page count."""

    def __init__(
        self,
        pages: int | None = None,
        *,
        keep_self_links: bool = False,
        memory: int | None = None,
        scratch: Path | None = None,
    ) -> None:
        self._pages = pages
        self._keep_self_links = keep_self_links
        self._allowed = memory
        self._memory = machine_memory() // 2 if memory is None else memory
        self._scratch = scratch
        self._largest = -1
        self._links = 0
        self._self_links = 0
        self._pages_named = False
        self._held: list[Pairs] = []
        self._spill: Spill | None = None
        self._require_pages()

    @property
    def is_empty(self) -> bool:
        """Whether no pair or page has been added yet."""
        return self._links + self._self_links == 0 and not self._pages_named

    def add(self, sources: Ids, targets: Ids, *, both_ways: bool = False) -> None:
        """Add the links sources[k] → targets[k] and, if `both_ways`, the reverse of each between two pages."""
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} sources and {len(targets)} targets")
        sources, targets = _ids(sources), _ids(targets)
        self._note_ids(sources, targets)
        dtype = page_dtype(self._page_count())
        pairs = np.empty((2, len(sources)), dtype)
        kept, loops = take(sources, targets, self._keep_self_links, pairs[0], pairs[1])
        self._self_links += loops
        self._links += kept
        self._hold(pairs[0, :kept], pairs[1, :kept])
        if both_ways:
            other = sources != targets
            self.add(targets[other], sources[other])

    def add_pages(self, ids: Ids) -> None:
        """Make these ids pages, whether they have links or not."""
        self._note_ids(_ids(ids), _ids(ids))
        self._pages_named |= len(ids) > 0

    def finish(self) -> Built:
        """The links. Nothing can be added after this."""
        self._require_pages()
        out_ptr, out_idx = self._sorted_in_memory() if self._spill is None else self._sorted_on_disk(self._spill)
        links = Csr(out_ptr, out_idx, checked=True)
        return Built(links, self._self_links, self._links - links.link_count)

    def _page_count(self) -> int:
        return self._largest + 1 if self._pages is None else self._pages

    def _require_pages(self) -> None:
        pages = self._page_count()
        why = " (the largest id + 1)" if self._pages is None else ""
        require(_BYTES_PER_PAGE_ON_DISK * pages, f"a web of {pages:,} pages{why}", self._allowed)

    def _note_ids(self, sources: Ids, targets: Ids) -> None:
        limit = MOST_PAGES if self._pages is None else self._pages
        highest = max(int(ids.max(initial=-1)) for ids in (sources, targets))
        if highest >= limit or any(ids.min(initial=0) < 0 for ids in (sources, targets)):
            k = int(np.argmax((sources < 0) | (targets < 0) | (sources >= limit) | (targets >= limit)))
            raise BadPair(f"the link {sources[k]} → {targets[k]} has an id that is not in 0 … {limit - 1}.", k)
        if highest > self._largest:
            self._largest = highest
            self._require_pages()

    def _hold(self, sources: Ids, targets: Ids) -> None:
        self._held.append((sources, targets))
        pages = self._page_count()
        if self._spill is None and 3 * sources.itemsize * self._links + _BYTES_PER_PAGE * pages > self._memory:
            self._spill = Spill(self._memory - _BYTES_PER_PAGE_ON_DISK * pages, self._scratch)
            self._spill.run("create table pairs (source bigint, target bigint)")
        while self._spill is not None and self._held:
            import pyarrow as pa

            sources, targets = self._held.pop()
            self._spill.insert("pairs", pa.table({"source": sources, "target": targets}))

    def _sorted_in_memory(self) -> tuple[Ints, NDArray[Any]]:
        """Sorted by target, then by source; each time one share per thread, which knows where its links go."""
        dtype = page_dtype(self._page_count())
        shares = [self._held[k::SHARES] for k in range(SHARES)]
        self._held = []
        with ThreadPoolExecutor(SHARES) as pool:
            in_ptr, positions = self._places(pool.map(self._count, ([pair[1] for pair in share] for share in shares)))
            in_idx = np.empty(in_ptr[-1], dtype)
            list(pool.map(_spread_by_target, shares, positions, repeat(in_idx)))
            shares.clear()
            cuts = np.searchsorted(in_ptr, np.linspace(0, in_ptr[-1], SHARES + 1)[1:-1]).tolist()
            firsts, lasts = [0, *cuts], [*cuts, self._page_count()]
            ranges = [in_ptr[first : last + 1] for first, last in zip(firsts, lasts, strict=True)]
            out_ptr, positions = self._places(pool.map(self._count, ([in_idx[ptr[0] : ptr[-1]]] for ptr in ranges)))
            out_idx = np.empty(out_ptr[-1], dtype)
            list(pool.map(collect, firsts, ranges, repeat(in_idx), repeat(0), positions, repeat(out_idx)))
        drop_repeats(out_ptr, out_idx)
        links = out_idx[: out_ptr[-1]]
        # A copy frees what the repeats took, if that is much.
        return out_ptr, links if len(links) > 0.9 * len(out_idx) else links.copy()

    def _count(self, ids: list[Ids]) -> NDArray[Any]:
        # Half the bytes if that is enough, so more of it stays in cache.
        counts = np.zeros(self._page_count(), page_dtype(self._links))
        for part in ids:
            count_targets(part, counts)
        return counts

    def _places(self, counts: Iterable[NDArray[Any]]) -> tuple[Ints, list[NDArray[Any]]]:
        """Where the links of each page start, and for each share, where its own start among them."""
        counts = list(counts)
        pointers = np.zeros(self._page_count() + 1, np.int64)
        np.cumsum(sum(counts), out=pointers[1:])
        positions = [pointers[:-1].astype(counts[0].dtype)]
        for share in counts[:-1]:
            positions.append(positions[-1] + share)
        return pointers, positions

    def _sorted_on_disk(self, spill: Spill) -> tuple[Ints, NDArray[Any]]:
        pages = self._page_count()
        dtype = page_dtype(pages)
        out_ptr = np.zeros(pages + 1, np.int64)
        last_source = last_target = -1
        path = spill.folder / "out_idx"
        with path.open("wb") as file:
            for batch in filter(len, spill.batches("select source, target from pairs order by source, target")):
                sources, targets = (batch.column(k).to_numpy() for k in range(2))
                new = (np.diff(sources, prepend=last_source) != 0) | (np.diff(targets, prepend=last_target) != 0)
                last_source, last_target = sources[-1], targets[-1]
                count_targets(sources[new], out_ptr[1:])
                targets[new].astype(dtype).tofile(file)
        np.cumsum(out_ptr, out=out_ptr)
        out_idx = np.memmap(path, dtype, mode="r") if out_ptr[-1] else np.empty(0, dtype)
        # The mapping outlives the file name, so nothing is left behind however the process ends.
        spill.close()
        return out_ptr, out_idx


def _ids(array: NDArray[Any]) -> NDArray[Any]:
    """Ids as one of the two types that kernels are compiled for."""
    return frozen(array if array.dtype == np.int32 else array.astype(np.int64, copy=False))


def _spread_by_target(share: list[Pairs], position: Ids, in_idx: Ids) -> None:
    for sources, targets in share:
        spread_by_target(sources, targets, position, in_idx)


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
def spread_by_target(sources: Ids, targets: Ids, position: Ids, in_idx: Ids) -> None:
    """Put each source in the next free slot of its target."""
    for k in range(sources.size):
        place = position[targets[k]]
        in_idx[place] = sources[k]
        position[targets[k]] = place + 1


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
