"""What pages are worth, block by block: 1 each, a column of the web, or numbers that the user gives.

Sums are of whole multiples of a unit, as in seeds/coverage/covered.py: exact, whatever the blocks.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.errors import OptionError
from seedbed.seeds.coverage.covered import Units, in_units, unit_scale
from seedbed.seeds.select import checked_values
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Floats, Values
from seedbed.spark.scores.ranking_rounds import RUNS
from seedbed.spark.tasks import collected, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class PageValues:
    """`source`: a column, files of values, or None for 1 each. `scale`: the unit is 2 to the power of minus this."""

    source: str | Values | None
    scale: int
    most: int
    """The sum of all positive values, in units."""
    has_negative: bool

    @property
    def unit(self) -> float:
        """What a unit is worth."""
        return math.ldexp(1.0, -self.scale)

    def block(self, web: BlockedWeb, block: int) -> Units:
        """The values of a block, in units."""
        return in_units(self.floats(web, block), self.scale)

    def discard(self) -> None:
        """Remove the files of given values."""
        if isinstance(self.source, Values):
            Folder(self.source.folder).remove("")

    def floats(self, web: BlockedWeb, block: int) -> Floats:
        """The values of a block, as they were given."""
        return _block(self.source, web, block)


def _block(source: str | Values | None, web: BlockedWeb, block: int) -> Floats:
    if source is None:
        return np.ones(web.pages(block))
    return web.column(source, block) if isinstance(source, str) else source.block(block)


def page_values(session: SparkSession, web: BlockedWeb, values: Any) -> PageValues:
    """The values of all pages from None, the name of a column, or an array."""
    source = values if values is None or isinstance(values, str) else _stored(web, np.asarray(values))

    def largest(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            yield pa.record_batch([pa.array([float(np.abs(_block(source, web, block)).max(initial=0.0))])], ["largest"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(largest, "largest double"))
    top = float(np.max([row["largest"] for row in rows]))
    if not math.isfinite(top) or top > np.finfo(np.float64).max / web.page_count:
        raise OptionError(f"the largest value is {top}; values must be finite numbers whose sum does not overflow.")
    scale = unit_scale(top, web.page_count)

    def totals(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            units = in_units(_block(source, web, block), scale)
            columns = [pa.array([int(np.maximum(units, 0).sum())]), pa.array([bool((units < 0).any())])]
            yield pa.record_batch(columns, ["most", "negative"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(totals, "most long, negative boolean"))
    return PageValues(source, scale, sum(row["most"] for row in rows), any(row["negative"] for row in rows))


def _stored(web: BlockedWeb, given: Any) -> Values:
    """An array as files that tasks read."""
    worth = checked_values(web.page_count, given)
    stored = Values(f"{web.folder}/{RUNS}/values-{uuid.uuid4().hex[:12]}", "values")
    for block in range(web.blocks):
        stored.write(block, worth[web.bounds[block] : web.bounds[block + 1]])
    return stored
