"""The links marked nofollow: a subset of a web's links, as two arrays in link order.

    marked link k leads from sources[k] to targets[k]; sorted by source, then by target, each once

Few links are marked, so memory is 8 bytes for each (16 from 2³¹ pages on), mapped if they come from a store.

A link may be mentioned many times: in several places on a page, in several captures of it, in several snapshots. It is
nofollow if every mention is marked. The builder holds and sorts the marked mentions; each other mention strikes out its
link, found by binary search. O(mentions · log marked), about 40 bytes per marked mention, none for the others.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ids, Ints, frozen, page_dtype
from seedbed.common.atomic_files import map_array
from seedbed.common.kernels import kernel
from seedbed.errors import InputError
from seedbed.links.link_store import Block

FILES = ("nofollow-sources.npy", "nofollow-targets.npy")
_AGAIN = "The store is damaged; convert the web again."


class Marks:
    """Links of a web that are marked nofollow. Immutable."""

    def __init__(
        self, sources: Ids, targets: Ids, pages: int, *, checked: bool = False, name: str = "nofollow links"
    ) -> None:
        if len(sources) != len(targets):
            raise InputError(f"{name}: {len(sources)} sources and {len(targets)} targets. {_AGAIN}")
        self.pages = pages
        self._sources, self._targets = (frozen(ids.astype(page_dtype(pages), copy=False)) for ids in (sources, targets))
        self._checked = checked
        self._name = name

    @classmethod
    def none(cls, pages: int) -> Marks:
        """No link is marked."""
        return cls(np.empty(0, np.int32), np.empty(0, np.int32), pages, checked=True)

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        return f"Marks({len(self):,} links)"

    def arrays(self) -> tuple[Ids, Ids]:
        """(sources, targets), fully checked once, so that they can be used as indices without further checks."""
        marked = self._sources, self._targets
        if not self._checked and not _is_sound(*marked, self.pages):
            raise InputError(f"{self._name}: not an ascending list of links between pages below {self.pages}. {_AGAIN}")
        self._checked = True
        return marked

    def counts(self) -> NDArray[np.int32]:
        """The number of marked links on each page."""
        return np.bincount(self.arrays()[0], minlength=self.pages).astype(np.int32)

    def in_block(self, block: Block) -> Flags:
        """Which links of a block are marked."""
        sources, targets = self.arrays()
        start, stop = np.searchsorted(sources, (block.first, block.first + len(block.out_ptr) - 1))
        marked = np.zeros(len(block.out_idx), np.bool_)
        if start < stop:
            find_in_block(*block, sources[start:stop], targets[start:stop], marked)
        return marked

    def where(self, kept: Flags) -> Marks:
        """Only some of them."""
        sources, targets = self.arrays()
        return Marks(sources[kept], targets[kept], self.pages, checked=True)

    def between(self, of_page: Ids) -> Marks:
        """Only those whose ends are on different sites; of_page gives the site of each page."""
        sources, targets = self.arrays()
        return self.where(of_page[sources] != of_page[targets])

    def renumbered(self, new_id: Ids, pages: int) -> Marks:
        """Those between the pages that stay: `new_id` is −1 for the others, and ascends."""
        sources, targets = (new_id[ids] for ids in self.arrays())
        kept = (sources >= 0) & (targets >= 0)
        return Marks(sources[kept], targets[kept], pages, checked=True)

    def transpose(self) -> Marks:
        """Every link reversed."""
        sources, targets = self.arrays()
        order = np.lexsort((sources, targets))
        return Marks(targets[order], sources[order], self.pages, checked=True)

    def save(self, folder: Path) -> None:
        """Write both arrays."""
        for file, ids in zip(FILES, self.arrays(), strict=True):
            np.save(folder / file, ids, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, pages: int) -> Marks:
        """Open saved arrays in place; they are checked on first use."""
        sources, targets = (map_array(folder / file) for file in FILES)
        if not sources.dtype == targets.dtype == page_dtype(pages):
            raise InputError(f"{folder / FILES[0]}: not page ids of the store's type. {_AGAIN}")
        return cls(sources, targets, pages, name=str(folder / FILES[0]))


def _is_sound(sources: Ids, targets: Ids, pages: int) -> bool:
    if any(len(ids) and not (ids.min() >= 0 and ids.max() < pages) for ids in (sources, targets)):
        return False
    return bool(np.all((sources[1:] > sources[:-1]) | ((sources[1:] == sources[:-1]) & (targets[1:] > targets[:-1]))))


@kernel
def find_in_block(first: int, out_ptr: Ints, out_idx: Ids, sources: Ids, targets: Ids, marked: Flags) -> None:
    """Set marked[j] if link j of a block is one of (sources, targets). Both ascend, so one pass is enough."""
    k = 0
    for page in range(out_ptr.size - 1):
        while k < sources.size and sources[k] < first + page:
            k += 1
        for j in range(out_ptr[page], out_ptr[page + 1]):
            while k < sources.size and sources[k] == first + page and targets[k] < out_idx[j]:
                k += 1
            marked[j] = k < sources.size and sources[k] == first + page and targets[k] == out_idx[j]


_FEW = 1 << 20


class MarksBuilder:
    """Takes the mentions that are marked, then those that are not, and builds Marks."""

    def __init__(self, *, keep_self_links: bool = False) -> None:
        self._keep_self_links = keep_self_links
        self._held: list[Ints] = []
        self._waiting = 0
        self._alive: Flags | None = None

    def add(self, sources: Ids, targets: Ids) -> None:
        """Add mentions that are marked: sources[k] → targets[k]."""
        mentions = np.stack([sources, targets]).astype(np.int64, copy=False)
        self._held.append(mentions if self._keep_self_links else mentions[:, mentions[0] != mentions[1]])
        self._waiting += len(sources)
        # Repeats are dropped now and then; the sorted mentions must double first, so the work stays proportional.
        if self._waiting > max(_FEW, self._held[0].shape[1]):
            self._sorted()

    def strike(self, sources: Ids, targets: Ids) -> None:
        """Strike out mentions that are not marked. After the first call nothing can be added."""
        marked = self._sorted()
        if marked.shape[1] == 0:
            return
        if self._alive is None:
            self._alive = np.ones(marked.shape[1], np.bool_)
        # strike_out is compiled for this one type.
        other_sources, other_targets = (frozen(ids.astype(np.int64, copy=False)) for ids in (sources, targets))
        strike_out(marked[0], marked[1], other_sources, other_targets, self._alive)

    @property
    def is_empty(self) -> bool:
        """Whether no link is marked at all, so that nothing needs to be struck out."""
        return self._sorted().shape[1] == 0

    def finish(self, pages: int) -> Marks:
        """The remaining links."""
        sources, targets = self._sorted()
        marks = Marks(sources, targets, pages, checked=True)
        return marks if self._alive is None else marks.where(self._alive)

    def _sorted(self) -> Ints:
        """Everything added, sorted and without repeats."""
        if self._waiting:
            mentions = np.concatenate(self._held, axis=1)
            self._held.clear()
            mentions = mentions[:, np.lexsort(mentions[::-1])]
            new = np.ones(mentions.shape[1], np.bool_)
            new[1:] = np.any(mentions[:, 1:] != mentions[:, :-1], axis=0)
            self._held, self._waiting = [np.ascontiguousarray(mentions[:, new])], 0
        return self._held[0] if self._held else np.empty((2, 0), np.int64)


@kernel
def strike_out(sources: Ints, targets: Ints, other_sources: Ints, other_targets: Ints, alive: Flags) -> None:
    """Clear alive[k] if (sources[k], targets[k]), which ascend, is one of the other links. O(others · log)."""
    for j in range(other_sources.size):
        source, target = other_sources[j], other_targets[j]
        low, high = 0, sources.size
        while low < high:
            middle = (low + high) // 2
            if sources[middle] < source or (sources[middle] == source and targets[middle] < target):
                low = middle + 1
            else:
                high = middle
        if low < sources.size and sources[low] == source and targets[low] == target:
            alive[low] = False
