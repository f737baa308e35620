"""What seeds cover, one after another, on the blocks of a web: the gain curve of seeds/gain.py.

    first(p) = the first seed within h links of page p

A page starts with the seed that it is, and takes the smallest number among its own and those of the pages that link to
it, h times over. Moved in a round: 4 bytes per page needed. The values of the pages that each seed covers first are
then added up in their blocks, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.seeds.seeds import Gain
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import Run
from seedbed.spark.seeds.page_values import PageValues
from seedbed.spark.tasks import collected, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

NONE = np.iinfo(np.int32).max
COLUMNS = ("counts", "units")


@dataclass(frozen=True)
class FirstSeedStep(Step):
    """The smallest number among a page's own and those of the pages that link to it. Total: pages that changed."""

    direction: Direction = "in"
    dtype: ClassVar[str] = "<i4"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The new numbers."""
        found = values.copy()
        return found, [float(least_of_links(links.ptr, links.idx, received, found))]


@kernel
def least_of_links(ptr: Any, idx: Any, received: Any, found: Any) -> int:
    """found[k] = the least of itself and received over the links of k; returns how many fell."""
    fell = 0
    for k in range(found.size):
        least = found[k]
        for j in range(ptr[k], ptr[k + 1]):
            least = min(least, received[idx[j]])
        fell += least < found[k]
        found[k] = least
    return fell


def gain_on_blocks(
    session: SparkSession,
    web: BlockedWeb,
    pages: Sequence[int],
    values: PageValues,
    hops: int,
    *,
    progress: Progress = no_progress,
) -> Gain:
    """Pages and value covered after each seed; see seeds.gain.gain_of."""
    run = Run.of(web, "gain", pages=list(pages), hops=hops)
    hops = min(hops, web.page_count)
    number, changed = 0, 1.0
    _start(web, pages, _labels(run, 0))
    while number < hops and changed:
        now, after = _labels(run, number), _labels(run, number + 1)
        (changed,) = run_round(session, web, FirstSeedStep(), now, now, after)
        run.folder.remove(now.name)
        number += 1
        progress("links followed", number, hops)
    counts, units = _tally(session, web, _labels(run, number), values, len(pages))
    run.folder.remove("")
    covered = np.array(list(accumulate(counts)), np.int64)
    worth = np.array([total * values.unit for total in accumulate(units)], np.float64)
    return Gain(covered, worth, web.page_count, values.most * values.unit)


def _labels(run: Run, number: int) -> Values:
    return Values(run.folder.uri, f"first-{number:04d}", "i32")


def _start(web: BlockedWeb, pages: Sequence[int], labels: Values) -> None:
    for block in range(web.blocks):
        own = np.full(web.pages(block), NONE, np.int32)
        for rank, page in enumerate(pages):
            if web.bounds[block] <= page < web.bounds[block + 1]:
                own[page - web.bounds[block]] = rank
        labels.write(block, own)


def _tally(
    session: SparkSession, web: BlockedWeb, labels: Values, values: PageValues, seeds: int
) -> tuple[list[int], list[int]]:
    """How many pages each seed is the first to cover, and what they are worth, in units."""

    def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            counts, units = np.zeros(seeds, np.int64), np.zeros(seeds, np.int64)
            add_by_label(labels.block(block), values.block(web, block), counts, units)
            columns = [pa.array([part.tolist()], pa.list_(pa.int64())) for part in (counts, units)]
            yield pa.record_batch(columns, [*COLUMNS])

    table = over_blocks(session, web.blocks).mapInArrow(tally, "counts array<long>, units array<long>")
    rows = collected(table)
    counts, units = ([sum(parts) for parts in zip(*(row[name] for row in rows), strict=True)] for name in COLUMNS)
    return counts, units


@kernel
def add_by_label(labels: Any, values: Any, counts: Any, units: Any) -> None:
    """Count the pages with each label, and add up their values."""
    for k in range(labels.size):
        if labels[k] < counts.size:
            counts[labels[k]] += 1
            units[labels[k]] += values[k]
