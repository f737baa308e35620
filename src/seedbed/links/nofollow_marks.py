"""Which links are marked nofollow: some of a web's links, as two arrays in the order of the links.

    link k of them leads from sources[k] to targets[k]; by source, then by target, each once

They are few beside the links, so memory is 8 bytes for each of them (16 from 2³¹ pages on), mapped where the web comes
from a store.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen, page_dtype
from seedbed.common.atomic_files import map_array
from seedbed.common.kernels import kernel
from seedbed.errors import InputError
from seedbed.links.link_store import Block

FILES = ("nofollow-sources.npy", "nofollow-targets.npy")
_AGAIN = "The store is damaged; convert the web again."


class MarkedLinks(NamedTuple):
    """What NumPy and kernels see of Marks."""

    sources: NDArray[Any]
    targets: NDArray[Any]


class Marks:
    """Links of a web that are marked nofollow. Immutable."""

    def __init__(
        self,
        sources: NDArray[Any],
        targets: NDArray[Any],
        pages: int,
        *,
        checked: bool = False,
        name: str = "nofollow links",
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

    def arrays(self) -> MarkedLinks:
        """The arrays, checked once in full: whoever indexes with them does not look again."""
        marked = MarkedLinks(self._sources, self._targets)
        if not self._checked and not _is_sound(marked, self.pages):
            raise InputError(f"{self._name}: not an ascending list of links between pages below {self.pages}. {_AGAIN}")
        self._checked = True
        return marked

    def counts(self) -> NDArray[np.int32]:
        """How many links of each page are marked."""
        return np.bincount(self.arrays().sources, minlength=self.pages).astype(np.int32)

    def in_block(self, block: Block) -> NDArray[np.bool_]:
        """Which links of a block are marked."""
        sources, targets = self.arrays()
        start, stop = np.searchsorted(sources, (block.first, block.first + len(block.out_ptr) - 1))
        marked = np.zeros(len(block.out_idx), np.bool_)
        if start < stop:
            find_in_block(*block, sources[start:stop], targets[start:stop], marked)
        return marked

    def where(self, kept: NDArray[np.bool_]) -> Marks:
        """Only some of them."""
        sources, targets = self.arrays()
        return Marks(sources[kept], targets[kept], self.pages, checked=True)

    def between(self, of_page: NDArray[Any]) -> Marks:
        """Only those whose ends lie on different sites; of_page names the site of each page."""
        sources, targets = self.arrays()
        return self.where(of_page[sources] != of_page[targets])

    def renumbered(self, new_id: NDArray[Any], pages: int) -> Marks:
        """Those among the pages that stay: `new_id` is −1 for the others, and ascends."""
        sources, targets = (new_id[ids] for ids in self.arrays())
        kept = (sources >= 0) & (targets >= 0)
        return Marks(sources[kept], targets[kept], pages, checked=True)

    def turned_round(self) -> Marks:
        """Every link turned round."""
        sources, targets = self.arrays()
        order = np.lexsort((sources, targets))
        return Marks(targets[order], sources[order], self.pages, checked=True)

    def save(self, folder: Path) -> None:
        """Write both arrays."""
        for file, ids in zip(FILES, self.arrays(), strict=True):
            np.save(folder / file, ids, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, pages: int) -> Marks:
        """Open saved arrays in place; they are checked when they are used."""
        sources, targets = (map_array(folder / file) for file in FILES)
        if not sources.dtype == targets.dtype == page_dtype(pages):
            raise InputError(f"{folder / FILES[0]}: not page ids of the store's type. {_AGAIN}")
        return cls(sources, targets, pages, name=str(folder / FILES[0]))


def _is_sound(marked: MarkedLinks, pages: int) -> bool:
    sources, targets = marked
    if any(len(ids) and not (ids.min() >= 0 and ids.max() < pages) for ids in marked):
        return False
    return bool(np.all((sources[1:] > sources[:-1]) | ((sources[1:] == sources[:-1]) & (targets[1:] > targets[:-1]))))


@kernel
def find_in_block(
    first: int,
    out_ptr: NDArray[np.int64],
    out_idx: NDArray[Any],
    sources: NDArray[Any],
    targets: NDArray[Any],
    marked: NDArray[np.bool_],
) -> None:
    """Set marked[j] where link j of a block is one of (sources, targets). Both ascend, so one pass is enough."""
    k = 0
    for page in range(out_ptr.size - 1):
        while k < sources.size and sources[k] < first + page:
            k += 1
        for j in range(out_ptr[page], out_ptr[page + 1]):
            while k < sources.size and sources[k] == first + page and targets[k] < out_idx[j]:
                k += 1
            marked[j] = k < sources.size and sources[k] == first + page and targets[k] == out_idx[j]
