"""The pages of a web parted by site, each site with the links among its pages as a link store of its own.

Cost: one sort of the pages by site and two passes over the links, whatever the number of sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import require
from seedbed.links.csr import Csr

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore


class Parted(NamedTuple):
    """Pages in the order of their sites, and the links inside sites by places in it, counted from the site's first."""

    pages: NDArray[np.int64]
    starts: NDArray[np.int64]
    out_ptr: NDArray[np.int64]
    out_idx: NDArray[Any]

    def pages_of(self, site: int) -> NDArray[np.int64]:
        """The pages of a site, ascending."""
        return self.pages[self.starts[site] : self.starts[site + 1]]

    def links_of(self, site: int) -> Csr:
        """The links among the pages of a site."""
        pointers = self.out_ptr[self.starts[site] : self.starts[site + 1] + 1]
        return Csr(pointers - pointers[0], self.out_idx[pointers[0] : pointers[-1]], checked=True)


def part_by_site(links: LinkStore, of_page: NDArray[Any], wanted: NDArray[np.bool_]) -> Parted:
    """The links inside each wanted site; none for the others. Two passes over the links."""
    dtype = page_dtype(links.page_count)
    require(28 * links.page_count, "parting the pages by site")
    pages = np.argsort(of_page, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_page, minlength=len(wanted)))]).astype(np.int64)
    place = np.empty(links.page_count, np.int64)
    place[pages] = np.arange(links.page_count)
    out_ptr = np.zeros(links.page_count + 1, np.int64)
    for block in links.blocks():
        count_inside(block.first, block.out_ptr, block.out_idx, of_page, wanted, place, out_ptr)
    np.cumsum(out_ptr, out=out_ptr)
    require(int(out_ptr[-1]) * np.dtype(dtype).itemsize, "the links inside sites")
    out_idx = np.empty(int(out_ptr[-1]), dtype)
    for block in links.blocks():
        keep_inside(block.first, block.out_ptr, block.out_idx, of_page, wanted, place, starts, out_ptr, out_idx)
    return Parted(pages, starts, out_ptr, out_idx)


@kernel
def count_inside(
    first: int, out_ptr: NDArray[np.int64], out_idx: Any, of_page: Any, wanted: Any, place: Any, new_ptr: Any
) -> None:
    """Count each page's links inside its site, one place on."""
    for k in range(out_ptr.size - 1):
        site = of_page[first + k]
        if wanted[site]:
            inside = 0
            for j in range(out_ptr[k], out_ptr[k + 1]):
                inside += of_page[out_idx[j]] == site
            new_ptr[place[first + k] + 1] = inside


@kernel
def keep_inside(
    first: int,
    out_ptr: NDArray[np.int64],
    out_idx: Any,
    of_page: Any,
    wanted: Any,
    place: Any,
    starts: Any,
    new_ptr: Any,
    new_idx: Any,
) -> None:
    """Write each page's links inside its site, as places counted from the site's first; pages keep their order."""
    for k in range(out_ptr.size - 1):
        site = of_page[first + k]
        if wanted[site]:
            free = new_ptr[place[first + k]]
            for j in range(out_ptr[k], out_ptr[k + 1]):
                if of_page[out_idx[j]] == site:
                    new_idx[free] = place[out_idx[j]] - starts[site]
                    free += 1
