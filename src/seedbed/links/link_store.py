"""The interface of a link store, however it holds its links. There are two: CSR and BVGraph.

Kernels take `links.arrays()` and `links.buffer()`, one buffer per thread, and call the same function for all stores:

    for target in successors(links, page, buffer): ...

The result is valid until the next call with the same buffer. A walk over all links in page order is faster with
`blocks()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from seedbed.common.arrays import Ids, Ints, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory
from seedbed.common.messages import Progress, no_progress

if TYPE_CHECKING:
    from seedbed.common.threads import Team
    from seedbed.links.csr import Csr

PAGES_PER_BLOCK = 1 << 15
SHARE_TO_DECODE = 4


class Buffer(NamedTuple):
    """Working space for `successors` in one thread; empty for CSR, which needs none."""

    lists: Ints
    extras: Ints
    spans: Ints
    chain: Ints
    at: Ints


class Block(NamedTuple):
    """The links of pages first … first + len(out_ptr) − 2, as CSR whose pointers start at 0."""

    first: int
    out_ptr: Ints
    out_idx: Ids

    @property
    def sources(self) -> Ints:
        """The page that each link is on."""
        degrees = np.diff(self.out_ptr)
        return np.repeat(np.arange(self.first, self.first + len(degrees)), degrees)


def successors(links: Any, page: Any, buffer: Any) -> Any:
    """The pages that `page` links to, ascending; for use inside kernels. Each store implements it for its arrays."""
    raise TypeError("successors() is for kernels; from Python use web.links.successors(page)")


def page_count(links: Any) -> Any:
    """The number of pages; for use inside kernels. Each store implements it for its arrays."""
    raise TypeError("page_count() is for kernels; from Python use web.page_count")


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
        """Free what only a walk over all links needs."""

    def guarded(self, at: Ints) -> AbstractContextManager[None]:
        """Wraps kernels that read the links: corruption found at `at` becomes an InputError."""

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """The links in page order, PAGES_PER_BLOCK pages at a time, from page `first` up to `last`."""

    def out_degrees(self) -> Ints:
        """The number of links on each page."""

    def successors(self, page: int) -> Ids:
        """The pages that `page` links to, ascending."""

    def to_csr(self, threads: int = 1) -> Csr:
        """The same links as CSR in memory."""


def blocks_ahead(links: LinkStore, team: Team) -> Iterator[Block]:
    """links.blocks(), decoded ahead by the threads of a team."""
    last = links.page_count
    links.buffer()  # computes once what every block needs

    def block(start: int) -> Block:
        return next(links.blocks(start, min(start + PAGES_PER_BLOCK, last)))

    return team.ahead(block, range(0, last, PAGES_PER_BLOCK))


def room_to_decode(links: LinkStore, memory: int | None = None) -> bool:
    """Whether links are compressed and, decoded, small relative to the memory allowed (by default, all of it)."""
    size = 8 * links.page_count + np.dtype(page_dtype(links.page_count)).itemsize * links.link_count
    return links.kind != "csr" and SHARE_TO_DECODE * size <= (machine_memory() if memory is None else memory)


def in_degrees(links: LinkStore, progress: Progress = no_progress) -> Ints:
    """The number of links to each page. One pass."""
    degrees = np.zeros(links.page_count, np.int64)
    for block in links.blocks():
        count_targets(block.out_idx, degrees)
        progress("in-degree", block.first + len(block.out_ptr) - 1, links.page_count)
    return degrees


@kernel
def count_targets(out_idx: Ids, in_degree: Ids) -> None:
    """Add 1 to the in-degree of the target of every link."""
    for target in out_idx:
        in_degree[target] += 1
