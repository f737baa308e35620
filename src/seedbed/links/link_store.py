"""What a link store offers, whichever way it holds its links: CSR and BVGraph are two.

Kernels take `links.arrays()` and `links.buffer()` and call `successors(links, page, buffer)` (see link_access.py); a
walk over all links in page order is quicker through `blocks()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seedbed.common.threads import Team
    from seedbed.links.csr import Csr

PAGES_PER_BLOCK = 1 << 15


class Buffer(NamedTuple):
    """Working space of one thread for `successors`; empty for CSR, which needs none."""

    lists: NDArray[np.int64]
    extras: NDArray[np.int64]
    spans: NDArray[np.int64]
    chain: NDArray[np.int64]
    at: NDArray[np.int64]


class Block(NamedTuple):
    """The links of pages first … first + len(out_ptr) − 2, as CSR whose pointers start at 0."""

    first: int
    out_ptr: NDArray[np.int64]
    out_idx: NDArray[Any]


class LinkStore(Protocol):
    """The links of pages 0 … page_count − 1, each page's ascending. Immutable."""

    @property
    def kind(self) -> str:
        """Its name."""

    @property
    def page_count(self) -> int:
        """The number of pages."""

    @property
    def link_count(self) -> int:
        """The number of links."""

    def arrays(self) -> Any:
        """What kernels see, checked."""

    def buffer(self) -> Buffer:
        """Working space for `successors`, one per thread."""

    def release(self) -> None:
        """Give back what only a walk over all links needs."""

    def guarded(self, at: NDArray[np.int64]) -> AbstractContextManager[None]:
        """Around kernels that read the links: damage they find at `at` becomes an InputError."""

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """The links in page order, PAGES_PER_BLOCK pages at a time, from page `first` up to `last`."""

    def out_degrees(self) -> NDArray[np.int64]:
        """Links on each page."""

    def successors(self, page: int) -> NDArray[Any]:
        """The pages that `page` links to, ascending."""

    def to_csr(self, threads: int = 1) -> Csr:
        """The same links as CSR in memory."""


def blocks_ahead(links: LinkStore, team: Team) -> Iterator[Block]:
    """links.blocks(), decoded ahead by the threads of a team."""
    last = links.page_count
    links.buffer()  # finds out once what every block needs to know

    def block(start: int) -> Block:
        return next(links.blocks(start, min(start + PAGES_PER_BLOCK, last)))

    return team.ahead(block, range(0, last, PAGES_PER_BLOCK))
