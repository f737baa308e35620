"""Links as compressed sparse rows: the successors of page p are out_idx[out_ptr[p] : out_ptr[p + 1]], ascending.

Size: 8 bytes per page and 4 bytes per link (8 from 2³¹ pages on), in memory or memory-mapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ids, Ints, frozen, page_dtype
from seedbed.common.kernels import implements, kernel
from seedbed.errors import InputError
from seedbed.links.link_store import PAGES_PER_BLOCK, Block, Buffer, page_count, successors


class CsrLinks(NamedTuple):
    """What kernels see of a Csr."""

    out_ptr: Ints
    out_idx: Ids


implements(successors, CsrLinks)(lambda links, page, _: links.out_idx[links.out_ptr[page] : links.out_ptr[page + 1]])
implements(page_count, CsrLinks)(lambda links: links.out_ptr.size - 1)


class Csr:
    """A link store held as two arrays. Immutable."""

    kind = "csr"

    def __init__(self, out_ptr: NDArray[Any], out_idx: Ids, *, checked: bool = False, name: str = "links") -> None:
        pages = len(out_ptr) - 1
        self.page_count = pages
        self.link_count = len(out_idx)
        self._out_ptr = frozen(out_ptr.astype(np.int64, copy=False))
        self._out_idx = frozen(out_idx.astype(page_dtype(pages), copy=False))
        self._checked = checked
        self._name = name

    def arrays(self) -> CsrLinks:
        """The arrays for kernels, fully checked once: kernels index with them without further checks."""
        if not self._checked:
            wrong = first_fault(self._out_ptr, self._out_idx)
            if wrong >= 0:
                raise InputError(
                    f"{self._name}: the links of page {wrong} are not an ascending list of page ids below "
                    f"{self.page_count}. The store is damaged; convert the web again."
                )
            self._checked = True
        return CsrLinks(self._out_ptr, self._out_idx)

    def buffer(self) -> Buffer:
        """Working space for `successors`, one per thread."""
        empty = np.empty(0, np.int64)
        return Buffer(empty, empty, empty, empty, empty)

    def release(self) -> None:
        """Free what only a walk over all links needs; for CSR, nothing."""

    def guarded(self, at: Ints) -> AbstractContextManager[None]:
        """Wraps kernels that read the links; does nothing for CSR, which has been checked by then."""
        return nullcontext()

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """All links in page order, PAGES_PER_BLOCK pages at a time, from page `first` up to `last`."""
        out_ptr, out_idx = self.arrays()
        last = self.page_count if last is None else last
        for start in range(first, last, PAGES_PER_BLOCK):
            stop = min(start + PAGES_PER_BLOCK, last)
            pointers = out_ptr[start : stop + 1]
            yield Block(start, frozen(pointers - pointers[0]), out_idx[pointers[0] : pointers[-1]])

    def out_degrees(self) -> Ints:
        """The number of links on each page."""
        return np.diff(self.arrays().out_ptr)

    def successors(self, page: int) -> NDArray[Any]:
        """The pages that `page` links to, ascending."""
        if not 0 <= page < self.page_count:
            raise IndexError(f"page {page} is not in 0 … {self.page_count - 1}")
        out_ptr, out_idx = self.arrays()
        return out_idx[out_ptr[page] : out_ptr[page + 1]]

    def to_csr(self, threads: int = 1) -> Csr:
        """Itself."""
        return self


@kernel
def first_fault(out_ptr: Ints, out_idx: Ids) -> int:
    """The first page whose links are not strictly ascending page ids; −1 if there is none."""
    pages = out_ptr.size - 1
    if out_ptr[0] != 0 or out_ptr[pages] != out_idx.size:
        return 0
    for page in range(pages):
        start, stop = out_ptr[page], out_ptr[page + 1]
        if stop < start or stop > out_idx.size:
            return page
        previous = -1
        for k in range(start, stop):
            target = out_idx[k]
            if target <= previous or target >= pages:
                return page
            previous = target
    return -1
