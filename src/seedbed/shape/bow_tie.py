"""The bow-tie of a web (Broder et al. 2000): its largest strong component, what reaches it, what it reaches, the rest.

    largest component  the largest strong component
    in                 other pages that reach it
    out                other pages that it reaches
    tubes              other pages on a path from in to out
    tendrils           all others connected to these by links in either direction
    disconnected       pages of other weak components

Links never lead to a strong component with a higher number, so three passes over the pages sorted by component find
everything that reaches or is reached, without a transpose. O(pages + links); 4 bytes per page and 1 per component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import Bytes, Ints, frozen
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.links.link_store import Buffer, successors
from seedbed.shape.components import Components

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore

PARTS = ("largest_component", "in", "out", "tubes", "tendrils", "disconnected")
PAGES_PER_CALL = 1 << 20

LARGEST, TO_LARGEST, FROM_LARGEST, FROM_IN, TO_OUT = 1, 2, 4, 8, 16


@dataclass(frozen=True, eq=False)
class BowTie:
    """The number of pages in each part; of_page[p] is the index in PARTS of page p's part.

    On Spark pages are only counted, and of_page is empty.
    """

    largest_component: int
    in_: int
    out: int
    tubes: int
    tendrils: int
    disconnected: int
    of_page: Bytes

    def to_dict(self) -> dict[str, int]:
        """The number of pages by name of part."""
        counts = (self.largest_component, self.in_, self.out, self.tubes, self.tendrils, self.disconnected)
        return dict(zip(PARTS, counts, strict=True))


def bow_tie(links: LinkStore, strong: Components, weak: Components, *, progress: Progress = no_progress) -> BowTie:
    """The part of each page, from the strong and weak components of the same links."""
    largest = strong.main
    if largest < 0:
        return BowTie(0, 0, 0, 0, 0, 0, frozen(np.empty(0, np.uint8)))
    buffer = links.buffer()
    with links.guarded(buffer.at):
        flags = _flags(links, buffer, strong, largest, progress)
    inside = int(np.argmax(strong.of_page == largest))
    part = part_of(strong.of_page, flags, weak.of_page, weak.of_page[inside])
    sizes = np.bincount(part, minlength=len(PARTS)).tolist()
    return BowTie(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], frozen(part))


def _flags(links: LinkStore, buffer: Buffer, strong: Components, largest: int, progress: Progress) -> Bytes:
    """For each component, what it reaches and what reaches it."""
    order = by_component(strong.of_page, strong.sizes)
    pages = order.size
    arrays = links.arrays()
    flags = np.zeros(strong.count, np.uint8)
    flags[largest] = LARGEST
    for start in range(int(strong.sizes[: largest + 1].sum()), pages, PAGES_PER_CALL):
        some = order[start : start + PAGES_PER_CALL]
        mark_backward(arrays, buffer, strong.of_page, flags, some, 0, LARGEST | TO_LARGEST, TO_LARGEST)
        progress("bow-tie", start, 3 * pages)
    for stop in range(pages, 0, -PAGES_PER_CALL):
        mark_forward(arrays, buffer, strong.of_page, flags, order[max(stop - PAGES_PER_CALL, 0) : stop])
        progress("bow-tie", 2 * pages - stop, 3 * pages)
    known = LARGEST | TO_LARGEST | FROM_LARGEST
    for start in range(0, pages, PAGES_PER_CALL):
        some = order[start : start + PAGES_PER_CALL]
        mark_backward(arrays, buffer, strong.of_page, flags, some, known, FROM_LARGEST | TO_OUT, TO_OUT)
        progress("bow-tie", 2 * pages + start, 3 * pages)
    progress("bow-tie", 3 * pages, 3 * pages)
    return flags


@kernel
def by_component(of_page: Any, sizes: Ints) -> Any:
    """All pages, sorted by component and then by page."""
    order = np.empty_like(of_page)
    place = np.cumsum(sizes) - sizes
    for page in range(of_page.size):
        component = of_page[page]
        order[place[component]] = page
        place[component] += 1
    return order


@kernel
def mark_backward(
    links: Any, buffer: Any, of_page: Any, flags: Any, order: Any, known: int, wanted: int, gained: int
) -> None:
    """In reverse topological order: flag a component `gained` if it links to a `wanted` one, unless it is `known`."""
    for page in order:
        own = of_page[page]
        if flags[own] & (known | gained) == 0:
            for target in successors(links, page, buffer):
                other = of_page[target]
                if other != own and flags[other] & wanted != 0:
                    flags[own] |= gained
                    break


@kernel
def mark_forward(links: Any, buffer: Any, of_page: Any, flags: Any, order: Any) -> None:
    """In topological order: mark what the largest component, or what reaches it, links to, and pass marks on."""
    for k in range(order.size - 1, -1, -1):
        own = of_page[order[k]]
        mark = flags[own] & (FROM_LARGEST | FROM_IN)
        if flags[own] & LARGEST != 0:
            mark = FROM_LARGEST
        elif flags[own] & TO_LARGEST != 0:
            mark = FROM_IN
        if mark != 0:
            for target in successors(links, order[k], buffer):
                flags[of_page[target]] |= mark


@kernel
def part_of(of_page: Any, flags: Bytes, weak_of_page: Any, weak_component: int) -> Bytes:
    """The index in PARTS of each page's part."""
    part = np.empty(of_page.size, np.uint8)
    for page in range(of_page.size):
        flag = flags[of_page[page]]
        if flag & LARGEST != 0:
            part[page] = 0
        elif flag & TO_LARGEST != 0:
            part[page] = 1
        elif flag & FROM_LARGEST != 0:
            part[page] = 2
        elif flag & FROM_IN != 0 and flag & TO_OUT != 0:
            part[page] = 3
        elif weak_of_page[page] == weak_component:
            part[page] = 4
        else:
            part[page] = 5
    return part
