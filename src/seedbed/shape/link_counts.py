"""One pass over all links in page order that counts everything that can be counted link by link.

Compressed links are decoded first if there is room: reading them in another order is then several times faster.
Weak components: two pages belong together if links in either direction connect them. Union-find over the links in page
order (path halving, the smaller page is the root). O(links · log pages) at worst. Memory: 16 bytes per page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seedbed.common.arrays import Ids, Ints, frozen, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.links.link_store import count_targets, room_to_decode
from seedbed.shape.components import Components
from seedbed.shape.degrees import Distribution, distribution, tally

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.urls.sites import Sites


@dataclass(frozen=True, eq=False)
class LinkCounts:
    """What the pass found, and the links, decoded if there was room."""

    links: LinkStore
    out: Distribution
    in_: Distribution
    weak: Components  # numbered by their smallest page
    self_links: int
    between: list[int]  # links from one site to another, for each kind of site


def count_links(
    links: LinkStore,
    *kinds: Sites,
    threads: int = 1,
    memory: int | None = None,
    progress: Progress = no_progress,
) -> LinkCounts:
    """Degrees, weak components, self-links and links between sites. O(pages + links)."""
    links = links.to_csr(threads) if room_to_decode(links, memory) else links
    pages = links.page_count
    in_degrees, parent = np.zeros(pages, page_dtype(pages)), np.arange(pages, dtype=page_dtype(pages))
    self_links, between = 0, [0] * len(kinds)
    for block in links.blocks():
        count_targets(block.out_idx, in_degrees)
        join(*block, parent)
        self_links += count_self_links(*block)
        between = [count + count_between(*block, sites.of_page) for count, sites in zip(between, kinds, strict=True)]
        progress("links", block.first + len(block.out_ptr) - 1, pages)
    sizes = tally(parent, number_roots(parent))
    return LinkCounts(
        links=links,
        out=distribution(links.out_degrees()),
        in_=distribution(in_degrees),
        weak=Components(frozen(parent), frozen(sizes)),
        self_links=self_links,
        between=between,
    )


@kernel
def count_self_links(first: int, out_ptr: Ints, out_idx: Ids) -> int:
    """Links of a block that lead back to their own page."""
    count = 0
    for k in range(out_ptr.size - 1):
        for target in out_idx[out_ptr[k] : out_ptr[k + 1]]:
            count += target == first + k
    return count


@kernel
def count_between(first: int, out_ptr: Ints, out_idx: Ids, site_of_page: Ids) -> int:
    """Links of a block that lead to another site."""
    count = 0
    for k in range(out_ptr.size - 1):
        own = site_of_page[first + k]
        for target in out_idx[out_ptr[k] : out_ptr[k + 1]]:
            count += site_of_page[target] != own
    return count


@kernel
def root_of(parent: Ids, page: int) -> int:
    """The smallest page known to be joined with `page`; halves the path for later calls."""
    while parent[page] != page:
        parent[page] = parent[parent[page]]
        page = parent[page]
    return page


@kernel
def join(first: int, out_ptr: Ints, out_idx: Ids, parent: Ids) -> None:
    """Join the ends of every link of a block."""
    for k in range(out_ptr.size - 1):
        here = root_of(parent, first + k)
        for target in out_idx[out_ptr[k] : out_ptr[k + 1]]:
            there = root_of(parent, target)
            if here < there:
                parent[there] = here
            elif there < here:
                parent[here] = there
                here = there


@kernel
def number_roots(parent: Ids) -> int:
    """Replace each page's parent by the number of its component; returns how many components there are."""
    count = 0
    for page in range(parent.size):
        up = parent[page]
        if up == page:
            parent[page] = count
            count += 1
        else:
            # A parent is smaller than its child, so `up` already holds its component.
            parent[page] = parent[up]
    return count
