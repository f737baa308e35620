"""The bow-tie of a web in blocks: marks spread from the largest strong component, block by block.

Three searches, each in rounds: what reaches the largest component; what it, or a page that reaches it, leads to; what
reaches the pages that it leads to. In a round, a block takes over the marks of pages in other blocks and spreads them
inside, with the kernels of the local bow-tie, until nothing changes there. So a search takes as many rounds as its
longest path changes blocks, plus one in which nothing changes. Moved: a byte per page needed and round.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from seedbed.common.arrays import Bytes, Ints, frozen
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress
from seedbed.shape.bow_tie import (
    FROM_IN,
    FROM_LARGEST,
    LARGEST,
    PARTS,
    TO_LARGEST,
    TO_OUT,
    BowTie,
    by_component,
    mark_backward,
    mark_forward,
    part_of,
)
from seedbed.shape.degrees import tally
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.shape.block_components import ComponentFiles, inside
from seedbed.spark.tasks import in_each_block

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class MarkStep(Step):
    """Marks that other blocks pass on, spread inside the block. Total: the pages whose marks changed."""

    strong: ComponentFiles
    dtype: ClassVar[str] = "|u1"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Bytes, values: Bytes
    ) -> tuple[Bytes, list[float]]:
        """The new marks."""
        inner, _ = inside(web, "out", block)
        of_page = self.strong.numbers.block(block)
        sizes = tally(of_page, int(of_page.max(initial=-1)) + 1)
        flags = np.zeros(len(sizes), np.uint8)
        flags[of_page] = values
        np.bitwise_or.at(flags, of_page, self.gained(values, marks_over_links(links.ptr, links.idx, received)))
        self.spread(inner.arrays(), inner.buffer(), of_page, flags, by_component(of_page, sizes))
        marks = flags[of_page]
        return marks, [float(np.count_nonzero(marks != values))]

    def gained(self, values: Bytes, marks: Bytes) -> Bytes:
        """What pages gain from the marks that links bring."""
        return marks

    @abstractmethod
    def spread(self, links: Any, buffer: Any, of_page: Any, flags: Bytes, order: Any) -> None:
        """Spread marks along the links inside a block."""


@dataclass(frozen=True)
class BackwardStep(MarkStep):
    """Pages that link to one `wanted` are marked, unless they are `known`."""

    known: int
    wanted: int
    mark: int
    direction: Direction = "out"

    def passed(self, web: BlockedWeb, block: int, values: Bytes) -> Bytes:
        """The mark, if the page is wanted."""
        return np.where(values & (self.wanted | self.mark), self.mark, 0).astype(np.uint8)

    def gained(self, values: Bytes, marks: Bytes) -> Bytes:
        """The mark, unless the page is known."""
        return np.where(values & self.known, 0, marks).astype(np.uint8)

    def spread(self, links: Any, buffer: Any, of_page: Any, flags: Bytes, order: Any) -> None:
        """Against the links."""
        mark_backward(links, buffer, of_page, flags, order, self.known, self.wanted | self.mark, self.mark)


@dataclass(frozen=True)
class ForwardStep(MarkStep):
    """Pages that the largest component leads to are marked, and those that pages leading to it lead to."""

    direction: Direction = "in"

    def passed(self, web: BlockedWeb, block: int, values: Bytes) -> Bytes:
        """What mark_forward passes on."""
        own = values & (FROM_LARGEST | FROM_IN)
        others = np.where(values & TO_LARGEST, FROM_IN, own)
        return np.where(values & LARGEST, FROM_LARGEST, others).astype(np.uint8)

    def spread(self, links: Any, buffer: Any, of_page: Any, flags: Bytes, order: Any) -> None:
        """Along the links."""
        mark_forward(links, buffer, of_page, flags, order)


@kernel
def marks_over_links(ptr: Ints, idx: Any, received: Bytes) -> Bytes:
    """All marks that the links of each page bring."""
    marks = np.zeros(ptr.size - 1, np.uint8)
    for k in range(marks.size):
        for j in range(ptr[k], ptr[k + 1]):
            marks[k] |= received[idx[j]]
    return marks


def bow_tie(
    session: SparkSession, web: BlockedWeb, weak: ComponentFiles, strong: ComponentFiles, progress: Progress
) -> BowTie:
    """The number of pages in each part, from the members of the largest component and the weak one around it."""
    first = Values(strong.folder, "marks-0000", "u8")

    def mark(block: int) -> None:
        first.write(block, strong.in_members(block).astype(np.uint8) * LARGEST)

    in_each_block(session, web.blocks, mark)
    leads_to_it = BackwardStep(strong, LARGEST, LARGEST, TO_LARGEST)
    leads_out = BackwardStep(strong, LARGEST | TO_LARGEST | FROM_LARGEST, FROM_LARGEST, TO_OUT)
    marks, rounds = first, count(1)
    for step in (leads_to_it, ForwardStep(strong), leads_out):
        changed = 1.0
        while changed:
            number = next(rounds)
            after = Values(strong.folder, f"marks-{number:04d}", "u8")
            (changed,) = run_round(session, web, step, marks, marks, after)
            Folder(strong.folder).remove(marks.name)
            marks = after
            progress("bow-tie", number, 0)

    def parts(block: int) -> list[int]:
        values = marks.block(block)
        near = weak.in_members(block).astype(np.uint8)
        return np.bincount(part_of(np.arange(len(values)), values, near, 1), minlength=len(PARTS)).tolist()

    sizes = np.sum(in_each_block(session, web.blocks, parts), axis=0).tolist()
    return BowTie(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], frozen(np.empty(0, np.uint8)))
