"""One pass over all links in page order that counts everything that can be counted link by link.

Compressed links are kept decoded if there is room: reading them in another order is then several times faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import Ints, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.links.csr import Csr
from seedbed.links.link_store import Block, room_to_decode
from seedbed.shape.components import Components, WeakUnion
from seedbed.shape.degrees import DegreeCount, Degrees

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.urls.sites import Sites


@dataclass(frozen=True)
class SiteCount:
    """The number of sites with a page, and of links from one site to another; None if sites are not known."""

    sites: int | None
    links: int | None


@dataclass(frozen=True, eq=False)
class LinkCounts:
    """What the pass found, and the links, decoded if there was room."""

    links: LinkStore
    degrees: Degrees
    weak: Components
    self_links: int
    hosts: SiteCount
    domains: SiteCount


def count_links(
    links: LinkStore,
    hosts: Sites | None = None,
    domains: Sites | None = None,
    *,
    memory: int | None = None,
    progress: Progress = no_progress,
) -> LinkCounts:
    """Degrees, weak components, self-links and links between sites. O(pages + links)."""
    degrees, weak = DegreeCount(links.page_count), WeakUnion(links.page_count)
    decoded = Decoded(links) if room_to_decode(links, memory) else None
    self_links = between_hosts = between_domains = 0
    for block in links.blocks():
        degrees.add(block)
        weak.add(block)
        self_links += count_self_links(block.first, block.out_ptr, block.out_idx)
        between_hosts += _between(block, hosts)
        between_domains += _between(block, domains)
        if decoded:
            decoded.add(block)
        progress("links", block.first + len(block.out_ptr) - 1, links.page_count)
    return LinkCounts(
        links=decoded.links() if decoded else links,
        degrees=degrees.degrees(),
        weak=weak.components(),
        self_links=self_links,
        hosts=_site_count(hosts, between_hosts),
        domains=_site_count(domains, between_domains),
    )


class Decoded:
    """The links of a compressed store, kept decoded as they come in."""

    def __init__(self, links: LinkStore) -> None:
        self._out_ptr = np.zeros(links.page_count + 1, np.int64)
        self._out_idx = np.empty(links.link_count, page_dtype(links.page_count))

    def add(self, block: Block) -> None:
        """Keep the links of the next block."""
        start = self._out_ptr[block.first]
        self._out_ptr[block.first : block.first + len(block.out_ptr)] = block.out_ptr + start
        self._out_idx[start : start + len(block.out_idx)] = block.out_idx

    def links(self) -> Csr:
        """All links."""
        return Csr(self._out_ptr, self._out_idx, checked=True)


def _between(block: Block, sites: Sites | None) -> int:
    if sites is None:
        return 0
    return count_between(block.first, block.out_ptr, block.out_idx, sites.of_page)


def _site_count(sites: Sites | None, links: int) -> SiteCount:
    if sites is None:
        return SiteCount(None, None)
    return SiteCount(int(np.count_nonzero(sites.sizes())), links)


@kernel
def count_self_links(first: int, out_ptr: Ints, out_idx: Any) -> int:
    """Links of a block that lead back to their own page."""
    count = 0
    for k in range(out_ptr.size - 1):
        for target in out_idx[out_ptr[k] : out_ptr[k + 1]]:
            count += target == first + k
    return count


@kernel
def count_between(first: int, out_ptr: Ints, out_idx: Any, site_of_page: Any) -> int:
    """Links of a block that lead to another site."""
    count = 0
    for k in range(out_ptr.size - 1):
        own = site_of_page[first + k]
        for target in out_idx[out_ptr[k] : out_ptr[k + 1]]:
            count += site_of_page[target] != own
    return count
