"""One `successors(links, page, buffer)` for kernels, whichever store the links are in.

    for target in successors(links, page, buffer): ...

`links` is what a store's `arrays()` gives, `buffer` what its `buffer()` gives; one buffer a thread. The result is
valid until the next call with the same buffer.
"""

from __future__ import annotations

from typing import Any

from seedbed.common.kernels import implement
from seedbed.links.bvgraph_decoding import BvLinks, bv_pages, bv_successors
from seedbed.links.csr import CsrLinks


def successors(links: Any, page: Any, buffer: Any) -> Any:
    """The pages that `page` links to, ascending; for use inside kernels."""
    raise TypeError("successors() is for kernels; from Python use web.links.successors(page)")


def page_count(links: Any) -> Any:
    """The number of pages; for use inside kernels."""
    raise TypeError("page_count() is for kernels; from Python use web.page_count")


implement(
    successors, CsrLinks, lambda links, page, buffer: links.out_idx[links.out_ptr[page] : links.out_ptr[page + 1]]
)
implement(successors, BvLinks, bv_successors)
implement(page_count, CsrLinks, lambda links: links.out_ptr.size - 1)
implement(page_count, BvLinks, bv_pages)
