"""A round on Spark: each block sends the values that others need, each block computes its new values from what it got.

    session.range(blocks)                   a row for each block
        .mapInArrow(send)                   reads the block's values, gathers what each other block needs
        .repartitionById(blocks, "to")      Spark moves them
        .mapInArrow(receive)                runs the kernel on them, writes the new values, returns totals

Values are files in a folder of the run, one per block and round. So no lineage grows, a task that is tried again reads
what the first attempt read, and a run that was stopped goes on after its last whole round. Moved: the bytes of a value
per page needed. A task holds its block's links (mapped), what it received, and its values.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected, keep_libraries, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Floats = NDArray[np.float64]
Totals = Sequence[float | list[float]]
"""For each total, a number or several; all numbers of all blocks are added up exactly, and rounded once."""
SENT = "to int, sender int, first long, last long, moved binary"
MESSAGE_BYTES = 1 << 25
"""What one row moves at most. Spark moves several rows at a time, and none of 2 GiB."""


class Step(ABC):
    """What a round does, besides moving values. Sent to the tasks, so it holds a few numbers only."""

    direction: Direction
    """The links along which values are pulled."""
    dtype: ClassVar[str] = "<f8"
    """The type of what is passed on."""

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what one page passes on: () for a number."""
        return ()

    def passed(self, web: BlockedWeb, block: int, values: NDArray[Any]) -> NDArray[Any]:
        """What each page of a block passes on along each link, from its values: a row per page, or the values."""
        return values

    def packed(self, rows: NDArray[Any]) -> bytes:
        """Some of these rows, for another block."""
        return rows.tobytes()

    def unpack(self, moved: bytes, rows: NDArray[Any]) -> None:
        """Write what was packed to the rows of the pages it belongs to."""
        rows[:] = np.frombuffer(moved, self.dtype).reshape(rows.shape)

    @abstractmethod
    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], Totals]:
        """The new values of a block, and its terms of the totals. `received`: a row per page that the block needs."""


@dataclass(frozen=True)
class Values:
    """The values of all pages after a round, in the folder of a run; `type` as in storage.TYPES."""

    folder: str
    name: str
    type: str = "f64"

    def block(self, number: int) -> NDArray[Any]:
        """The values of a block."""
        return Folder(self.folder).array(self._file(number))

    def write(self, number: int, values: NDArray[Any]) -> None:
        """Write the values of a block."""
        Folder(self.folder).write(self._file(number), values)

    def _file(self, number: int) -> str:
        return f"{self.name}/{number:05d}.{self.type}"


def run_round(
    session: SparkSession, web: BlockedWeb, step: Step, source: Values, before: Values, after: Values
) -> list[float]:
    """`after` from what the pages of `source` pass on and the values `before`; returns the totals over all blocks."""

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            passed = step.passed(web, block, source.block(block))
            for to in range(web.blocks):
                needed = web.needed(step.direction, to, block)
                # A block that needs nothing must still be computed: it sends itself an empty message.
                for first, last in messages(len(needed), step, MESSAGE_BYTES) or [(0, 0)] * (to == block):
                    ends = [pa.array([number], pa.int32()) for number in (to, block)]
                    places = [pa.array([number], pa.int64()) for number in (first, last)]
                    moved = pa.array([step.packed(passed[needed[first:last]])])
                    yield pa.record_batch([*ends, *places, moved], ["to", "sender", "first", "last", "moved"])

    def receive(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        block, links, received = -1, None, np.empty(0)
        for batch in batches:
            for to, sender, first, last, moved in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                if links is None:
                    block, links = to, web.links(step.direction, to)
                    received = np.empty((len(links.needs), *step.row), step.dtype)
                step.unpack(moved, received[links.cuts[sender] :][first:last])
        if links is not None:
            values, totals = step.updated(web, block, links, received, before.block(block))
            after.write(block, values)
            terms = [one if isinstance(one, list) else [one] for one in totals]
            row = [pa.array([block], pa.int32()), pa.array([terms], pa.list_(pa.list_(pa.float64())))]
            yield pa.record_batch(row, ["block", "totals"])
        keep_libraries()

    sent = over_blocks(session, web.blocks).mapInArrow(send, SENT)
    done = sent.repartitionById(web.blocks, "to").mapInArrow(receive, "block int, totals array<array<double>>")
    rows = [row["totals"] for row in sorted(collected(done), key=lambda row: row["block"])]
    return [math.fsum(chain(*column)) for column in zip(*rows, strict=True)]


def messages(rows: int, step: Step, size: int) -> list[tuple[int, int]]:
    """The rows that one block sends another, as (first, last) of messages of at most this many bytes."""
    together = max(1, size // (math.prod(step.row) * np.dtype(step.dtype).itemsize))
    return [(first, min(first + together, rows)) for first in range(0, rows, together)]
