"""Searches of a bounded number of links from many pages at once, on the blocks of a web.

Each page has a bit for every search, 64 to a word, up to 1024 at a time; in a round it takes those of the pages that
link to it (searches forwards) or that it links to (backwards). The rounds end early when no bit is new. Then one job
adds up what the searches met. Moved in a round: a bit for each page needed, and the words of those that have any bit.
A task holds 128 bytes per page needed and twice that per page of its own, at most.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.kernels import kernel, trailing_zeros
from seedbed.seeds.coverage.reach import ones_in
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import RUNS
from seedbed.spark.tasks import collected, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Words = NDArray[np.uint64]
BITS, MOST_WORDS = 64, 16
AT_ONCE = BITS * MOST_WORDS


@dataclass(frozen=True)
class SearchStep(Step):
    """The bits of a page and of those at the other end of its links. Total: pages with a new bit."""

    direction: Direction
    words: int
    dtype: ClassVar[str] = "<i8"

    @property
    def row(self) -> tuple[int, ...]:
        """The words of a page."""
        return (self.words,)

    def passed(self, web: BlockedWeb, block: int, values: NDArray[Any]) -> NDArray[Any]:
        """The words as they are."""
        return values.reshape(-1, self.words)

    def packed(self, rows: NDArray[Any]) -> bytes:
        """Which rows have bits, and those rows."""
        some = rows.any(axis=1)
        return np.packbits(some).tobytes() + rows[some].tobytes()

    def unpack(self, moved: bytes, rows: NDArray[Any]) -> None:
        """The rows with their bits."""
        flags = -(-len(rows) // 8)
        some = np.unpackbits(np.frombuffer(moved, np.uint8, flags), count=len(rows)).astype(np.bool_)
        rows[:] = 0
        rows[some] = np.frombuffer(moved, self.dtype, offset=flags).reshape(-1, self.words)

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The new words."""
        found = values.reshape(-1, self.words).copy()
        return found.reshape(-1), [float(join_bits(links.ptr, links.idx, received, found))]


@kernel
def join_bits(ptr: Any, idx: Any, received: Any, found: Any) -> int:
    """found[k] |= received over the links of k; returns how many pages have a new bit."""
    grown = 0
    for k in range(found.shape[0]):
        is_new = False
        for j in range(ptr[k], ptr[k + 1]):
            for word in range(found.shape[1]):
                new = received[idx[j], word] & ~found[k, word]
                if new != 0:
                    found[k, word] |= new
                    is_new = True
        grown += is_new
    return grown


@dataclass(frozen=True)
class Searches:
    """What searches met: their bits, `words` per page."""

    bits: Values
    words: int

    def of_block(self, block: int) -> Words:
        """The bits of the pages of a block, a row per page."""
        return np.asarray(self.bits.block(block).reshape(-1, self.words).view(np.uint64))


@contextmanager
def searched(
    session: SparkSession, web: BlockedWeb, pages: Ints, links: int, direction: Direction
) -> Iterator[Searches]:
    """Up to AT_ONCE searches of so many links; bits move along "in" links forwards, along "out" links backwards."""
    words = max(1, -(-len(pages) // BITS))
    folder = Folder(f"{web.folder}/{RUNS}/searches-{uuid.uuid4().hex[:12]}")
    now, grown, number = Values(folder.uri, "bits-0000", "i64"), 1.0, 0
    _begin(session, web, np.asarray(pages, np.int64), words, now)
    try:
        while number < links and grown:
            number += 1
            after = Values(folder.uri, f"bits-{number:04d}", "i64")
            (grown,) = run_round(session, web, SearchStep(direction, words), now, now, after)
            folder.remove(now.name)
            now = after
        yield Searches(now, words)
    finally:
        folder.remove("")


def _begin(session: SparkSession, web: BlockedWeb, pages: Ints, words: int, bits: Values) -> None:
    """Put search k on pages[k]."""

    def begin(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            found = np.zeros((web.pages(block), words), np.uint64)
            first, last = web.bounds[block], web.bounds[block + 1]
            for search in np.flatnonzero((pages >= first) & (pages < last)).tolist():
                found[pages[search] - first, search // BITS] |= np.uint64(1) << np.uint64(search % BITS)
            bits.write(block, found.view(np.int64).reshape(-1))
            yield pa.record_batch([pa.array([block], pa.int32())], ["block"])

    collected(over_blocks(session, web.blocks).mapInArrow(begin, "block int"))


def sums_of_searches(
    session: SparkSession, web: BlockedWeb, found: Searches, left: Values, count: int
) -> tuple[Ints, Ints]:
    """What the pages that each search met are worth together, and the same without negative values."""

    def add(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            sums, plus = np.zeros(found.words * BITS, np.int64), np.zeros(found.words * BITS, np.int64)
            add_to_searches(found.of_block(block), left.block(block), sums, plus)
            columns = [pa.array([part.tolist()], pa.list_(pa.int64())) for part in (sums, plus)]
            yield pa.record_batch(columns, ["sums", "plus"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(add, "sums array<long>, plus array<long>"))
    sums, plus = (np.array([row[name] for row in rows], np.int64).sum(axis=0) for name in ("sums", "plus"))
    return sums[:count], plus[:count]


@kernel
def add_to_searches(bits: Any, left: Any, sums: Any, plus: Any) -> None:
    """Add the value of each page to the sums of the searches that met it."""
    for k in range(bits.shape[0]):
        if left[k] != 0:
            for word in range(bits.shape[1]):
                mask = bits[k, word]
                while mask != np.uint64(0):
                    search = 64 * word + np.int64(trailing_zeros(mask))
                    sums[search] += left[k]
                    plus[search] += max(left[k], 0)
                    mask &= mask - np.uint64(1)


def sums_of_pages(
    session: SparkSession, web: BlockedWeb, found: Searches, signs: Ints, weights: Ints, light: Values, heavy: Values
) -> None:
    """For each page, the signs and the weights of the searches that met it, added up, in files."""
    rest = np.zeros(found.words * BITS - len(signs), np.int64)
    signs, weights = np.concatenate([signs, rest]), np.concatenate([weights, rest])

    def add(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            count, sums = np.zeros(web.pages(block), np.int32), np.zeros(web.pages(block), np.int64)
            add_to_pages(found.of_block(block), signs, weights, count, sums)
            light.write(block, count)
            heavy.write(block, sums)
            yield pa.record_batch([pa.array([block], pa.int32())], ["block"])

    collected(over_blocks(session, web.blocks).mapInArrow(add, "block int"))


@kernel
def add_to_pages(bits: Any, signs: Any, weights: Any, light: Any, heavy: Any) -> None:
    """Add the signs and weights of searches to the pages that they met."""
    for word in range(bits.shape[1]):
        up = down = weighty = np.uint64(0)
        for k in range(64):
            bit = np.uint64(1) << np.uint64(k)
            if signs[64 * word + k] > 0:
                up |= bit
            if signs[64 * word + k] < 0:
                down |= bit
            if weights[64 * word + k] != 0:
                weighty |= bit
        for k in range(bits.shape[0]):
            mask = bits[k, word]
            if mask != np.uint64(0):
                light[k] += ones_in(mask & up) - ones_in(mask & down)
                mask &= weighty
                while mask != np.uint64(0):
                    heavy[k] += weights[64 * word + np.int64(trailing_zeros(mask))]
                    mask &= mask - np.uint64(1)
