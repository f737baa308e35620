"""Weak and strong components of a web in blocks: blocks are collapsed in tasks, what is left is solved by the driver.

1. Each task finds the components of its block along the links inside it, with the kernels of `shape`. A component is
   named after its first page.
2. Most of them are whole, because no link between blocks can enlarge them: a weak one that no such link touches, and a
   strong one that is not both reached from another block and reaching one. Their sizes are counted, and that is all.
3. Blocks exchange the names of the others. Each task writes the distinct links between differently named components.
4. The driver finds the components of this collapsed web, again with the kernels of `shape`.

Exact, whatever the blocks. Moved: 8 bytes per page needed, for either kind. Memory of a task: about 60 bytes per link
of its block. Memory of the driver: 64 bytes per node and 48 per link of the collapsed web; if that is more than it has,
it refuses. Fewer blocks leave less to the driver, and one block nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints
from seedbed.common.memory import require
from seedbed.errors import NotEnoughMemory
from seedbed.links.csr import Csr
from seedbed.shape.bow_tie import FROM_IN, TO_OUT, by_component, mark_backward, mark_forward
from seedbed.shape.components import Components, strong_components
from seedbed.shape.degrees import Bin, size_bins
from seedbed.shape.link_counts import count_links
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.rounds import Step, Values, run_round

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BYTES_PER_NODE, BYTES_PER_LINK = 64, 48


@dataclass(frozen=True)
class ComponentFiles:
    """The files of one kind of components, in the folder of a run."""

    folder: str
    kind: str

    @property
    def names(self) -> Values:
        """The name of each page's component in its block; ~name if the component is whole."""
        return Values(self.folder, f"{self.kind}-names", "i64")

    @property
    def nodes(self) -> Values:
        """The names of components that are not whole, ascending, and then their sizes."""
        return Values(self.folder, f"{self.kind}-nodes", "i64")

    @property
    def links(self) -> Values:
        """The names at the start of each link between them, and then those at the end."""
        return Values(self.folder, f"{self.kind}-links", "i64")

    @property
    def numbers(self) -> Values:
        """The number of each page's component in its block: links inside the block never lead to a higher one."""
        return Values(self.folder, f"{self.kind}-numbers", "i64")

    @property
    def members(self) -> Values:
        """The names of the components of which the largest component, or the one around it, consists."""
        return Values(self.folder, f"{self.kind}-members", "i64")

    def in_members(self, block: int) -> Flags:
        """Which pages of a block belong to those."""
        names = self.names.block(block)
        return np.isin(np.maximum(names, ~names), self.members.block(block))

    def write(self, web: BlockedWeb, block: int, components: Components, whole: Flags) -> dict[str, Any]:
        """Write names and nodes of a block; returns what is to know of the components that are whole."""
        sizes, starts = components.sizes, np.cumsum(components.sizes) - components.sizes
        names = web.bounds[block] + by_component(components.of_page, sizes)[starts].astype(np.int64)
        self.names.write(block, np.where(whole, ~names, names)[components.of_page])
        open_ones = np.flatnonzero(~whole)
        open_ones = open_ones[np.argsort(names[open_ones])]
        self.nodes.write(block, np.concatenate([names[open_ones], sizes[open_ones]]))
        found, counts = np.unique(sizes[whole], return_counts=True)
        largest = int(found.max(initial=0))
        first = names[whole][sizes[whole] == largest].min(initial=web.page_count)
        return {"nodes": len(open_ones), "sizes": found.tolist(), "counts": counts.tolist(), "first": int(first)}


def find_in_block(web: BlockedWeb, block: int, weak: ComponentFiles, strong: ComponentFiles) -> dict[str, Any]:
    """The components of a block, along the links inside it."""
    inner, leaves = inside(web, "out", block)
    _, entered = inside(web, "in", block)
    found = count_links(inner).weak
    touched = np.zeros(found.count, bool)
    touched[found.of_page[leaves | entered]] = True
    facts = {"weak": weak.write(web, block, found, ~touched)}
    found = strong_components(inner)
    flags = np.zeros(found.count, np.uint8)
    flags[found.of_page[entered]] |= FROM_IN
    flags[found.of_page[leaves]] |= TO_OUT
    arrays, buffer, order = inner.arrays(), inner.buffer(), by_component(found.of_page, found.sizes)
    mark_forward(arrays, buffer, found.of_page, flags, order)
    mark_backward(arrays, buffer, found.of_page, flags, order, 0, TO_OUT, TO_OUT)
    strong.numbers.write(block, found.of_page)
    return facts | {"strong": strong.write(web, block, found, flags != FROM_IN | TO_OUT)}


def inside(web: BlockedWeb, direction: Direction, block: int) -> tuple[Csr, Flags]:
    """The links of a block that stay inside it, by position in the block, and which pages have others."""
    links = web.links(direction, block)
    stays = (links.idx >= links.cuts[block]) & (links.idx < links.cuts[block + 1])
    ptr = np.concatenate([[0], np.cumsum(stays)])[links.ptr]
    idx = (links.needs - web.bounds[block])[links.idx[stays]]
    return Csr(ptr, idx, name=f"{web.folder}/{direction}/{block:05d}"), np.diff(links.ptr) > np.diff(ptr)


@dataclass(frozen=True)
class CollapseStep(Step):
    """The links between components that are not whole. Total: their number."""

    direction: Direction = "out"
    dtype: ClassVar[str] = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Ints, values: Ints
    ) -> tuple[Ints, list[float]]:
        """The distinct pairs of names, ascending."""
        names, position = np.unique(received, return_inverse=True)
        starts, ends = np.repeat(values, np.diff(links.ptr)), position[links.idx]
        between = (starts >= 0) & (names[ends] >= 0) & (starts != names[ends])
        # One sort by (start, end), as a single number: both are below 2³².
        start = (starts[between] - web.bounds[block]).astype(np.uint64) << np.uint64(32)
        pairs = np.unique(start | ends[between].astype(np.uint64))
        starts = (pairs >> np.uint64(32)).astype(np.int64) + web.bounds[block]
        return np.concatenate([starts, names[pairs & np.uint64(0xFFFF_FFFF)]]), [float(len(pairs))]


@dataclass(frozen=True, eq=False)
class BlockComponents:
    """The components of a web in blocks: those of the collapsed web, and those that are whole in a block."""

    names: Ints
    """The nodes of the collapsed web, ascending: each is a component of a block, named after its first page."""
    of_name: NDArray[Any]
    """The component of each node."""
    node_sizes: Ints
    """The pages of each node."""
    links: int
    """The links of the collapsed web."""
    whole: Sequence[dict[str, Any]]
    """Of each block, the sizes of its whole components, how many have each, and the first page of the largest."""

    @cached_property
    def sizes(self) -> Ints:
        """The pages of each component of the collapsed web."""
        return np.bincount(self.of_name, self.node_sizes).astype(np.int64)

    @property
    def count(self) -> int:
        """How many components there are."""
        return len(self.sizes) + sum(sum(one["counts"]) for one in self.whole)

    @property
    def largest(self) -> int:
        """The size of the largest component; 0 in a web without pages."""
        return max(int(self.sizes.max(initial=0)), *(max(one["sizes"], default=0) for one in self.whole), 0)

    @property
    def bins(self) -> tuple[Bin, ...]:
        """Components of 1 page, 2–3, 4–7, …"""
        sizes = [self.sizes, *(np.array(one["sizes"], np.int64) for one in self.whole)]
        counts = [np.ones_like(self.sizes), *(np.array(one["counts"], np.int64) for one in self.whole)]
        return size_bins(np.concatenate(sizes), np.concatenate(counts))

    @property
    def main(self) -> int:
        """The first page of the largest component; on a tie, the smallest such page. −1 if there is none."""
        largest = self.largest
        firsts = [one["first"] for one in self.whole if max(one["sizes"], default=0) == largest]
        return min([*self.names[self.sizes[self.of_name] == largest].tolist(), *firsts]) if largest else -1

    def joined_with(self, name: int) -> Ints:
        """The names of all components of blocks that belong to the same component as this one, ascending."""
        place = int(np.searchsorted(self.names, name))
        if place == len(self.names) or self.names[place] != name:
            return np.array([name], np.int64)
        return self.names[self.of_name == self.of_name[place]]


def collapsed(
    session: SparkSession, web: BlockedWeb, files: ComponentFiles, whole: Sequence[dict[str, Any]]
) -> BlockComponents:
    """The components of the whole web, from those of the blocks."""
    count = sum(one["nodes"] for one in whole)
    (links,) = run_round(session, web, CollapseStep(), files.names, files.names, files.links)
    _require_room(files.kind, count, int(links))
    names, sizes = halves(files.nodes, web.blocks)
    starts, ends = (np.searchsorted(names, side) for side in halves(files.links, web.blocks))
    # Blocks are in page order, and so are the links of each: these are rows already.
    ptr = np.concatenate([[0], np.cumsum(np.bincount(starts, minlength=count))])
    graph = Csr(ptr, ends, name=f"the collapsed web of {web.folder}")
    of_name = strong_components(graph).of_page if files.kind == "strong" else count_links(graph).weak.of_page
    return BlockComponents(names, of_name, sizes, int(links), whole)


def _require_room(kind: str, nodes: int, links: int) -> None:
    """Refuse a collapsed web that the driver cannot hold."""
    size = BYTES_PER_NODE * nodes + BYTES_PER_LINK * links
    try:
        require(size, f"the web collapsed to {nodes:,} nodes and {links:,} links, for its {kind} components,")
    except NotEnoughMemory as error:
        raise NotEnoughMemory(f"{error} Give the driver more memory, or cut the web into fewer blocks.") from None


def halves(values: Values, blocks: int) -> tuple[Ints, Ints]:
    """The first halves of the files of all blocks, and the second."""
    parts = [values.block(block).reshape(2, -1) for block in range(blocks)]
    first, second = np.concatenate(parts, axis=1)
    return first, second


def write_members(web: BlockedWeb, files: ComponentFiles, members: Ints) -> None:
    """Tell each block which of its components belong to a component."""
    for block, (start, stop) in enumerate(pairwise(np.searchsorted(members, web.bounds).tolist())):
        files.members.write(block, members[start:stop])
