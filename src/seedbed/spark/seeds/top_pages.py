"""The best pages by a score, at most so many per site, without gathering scores.

Each block walks its own pages from the best down, as the local engine walks all of them, and returns the first
(1 + limits) · k that it may take. That is enough: of the k pages chosen in the end, those of other blocks can fill
sites and so displace at most k pages of a block for each limit. The driver walks what the blocks return. A second job
counts, in each block, the pages before each page chosen, which gives their places in the whole ranking.

Moved: a few numbers for each of these pages. A task sorts the scores of its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from seedbed.common.arrays import Flags, Ints
from seedbed.common.kernels import kernel
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.rounds import Floats, Values
from seedbed.spark.seeds.excluded_pages import Excluded
from seedbed.spark.tasks import collected, numbers_in, over_blocks
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


class BlockScores(Protocol):
    """Scores that tasks can read or draw; sent to them, so it holds a few numbers only."""

    def of_block(self, web: BlockedWeb, block: int) -> Floats:
        """The scores of the pages of a block."""


class Eligible(Protocol):
    """Which pages may be taken; sent to the tasks like scores."""

    def allowed(self, web: BlockedWeb, block: int) -> Flags:
        """Which pages of a block may be taken."""


@dataclass(frozen=True)
class StoredScores:
    """Values in files, times a scale."""

    values: Values
    scale: float = 1.0

    def of_block(self, web: BlockedWeb, block: int) -> Floats:
        """The scores of a block."""
        return np.asarray(self.values.block(block) * self.scale)


@dataclass(frozen=True)
class RandomDraws:
    """The draws of numpy's default generator, as if made for all pages at once.

    `crawled`: the column of pages that were crawled, and what it says of them; draws of others are lowered by 1.
    """

    seed: int
    crawled: tuple[str, float] | None = None

    def of_block(self, web: BlockedWeb, block: int) -> Floats:
        """The draws of a block: each takes one step of the generator."""
        generator = np.random.default_rng(self.seed)
        generator.bit_generator.advance(web.bounds[block])  # type: ignore[attr-defined]
        draws = generator.random(web.pages(block))
        if self.crawled is not None:
            name, yes = self.crawled
            draws = np.where(web.column(name, block) == yes, draws, draws - 1)
        return draws


@dataclass(frozen=True)
class SiteLimit:
    """At most so many pages of a site."""

    kind: SiteKind
    most: int


def best_pages(
    session: SparkSession,
    web: BlockedWeb,
    scores: BlockScores,
    k: int,
    limits: tuple[SiteLimit, ...] = (),
    eligible: Eligible | None = None,
) -> tuple[Ints, Floats]:
    """The first k pages by score that the limits allow, and their scores; equal scores in page order."""
    which = eligible or Excluded()

    def best(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            own = scores.of_block(web, block)
            open_ = np.flatnonzero(which.allowed(web, block))
            order = open_[np.argsort(-own[open_], kind="stable")]
            sites = np.empty((len(limits), len(own)), np.int64)
            for row, limit in enumerate(limits):
                sites[row] = web.sites(limit.kind, block)
            found = order[walk(sites[:, order], limits, (1 + len(limits)) * k)]
            parts = found + web.bounds[block], own[found], np.ascontiguousarray(sites[:, found].T)
            yield pa.record_batch([pa.array([part.tobytes()]) for part in parts], ["pages", "scores", "sites"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(best, "pages binary, scores binary, sites binary"))
    pages, values, sites = (
        np.concatenate([np.frombuffer(row[name], dtype) for row in rows])
        for name, dtype in (("pages", np.int64), ("scores", np.float64), ("sites", np.int64))
    )
    order = np.lexsort((pages, -values))
    chosen = order[walk(sites.reshape(len(pages), len(limits)).T[:, order], limits, k)]
    return pages[chosen], values[chosen]


def walk(sites: Any, limits: tuple[SiteLimit, ...], count: int) -> Ints:
    """The first `count` places of a list that no limit forbids when their turn comes; sites: a row per limit."""
    numbers = np.empty(sites.shape, np.int64)
    for row, of_place in enumerate(sites):
        numbers[row] = np.unique(of_place, return_inverse=True)[1]
    most = np.array([limit.most for limit in limits], np.int64)
    found = np.empty(min(count, sites.shape[1]), np.int64)
    return found[: walk_kernel(numbers, most, np.zeros(sites.shape, np.int64), found)]


@kernel
def walk_kernel(sites: Any, most: Any, taken: Any, found: Any) -> int:
    """Fill `found` with the places that are open when their turn comes; returns how many there are."""
    used = 0
    for place in range(sites.shape[1]):
        if used == found.size:
            break
        is_open = True
        for limit in range(sites.shape[0]):
            is_open &= taken[limit, sites[limit, place]] < most[limit]
        if is_open:
            for limit in range(sites.shape[0]):
                taken[limit, sites[limit, place]] += 1
            found[used] = place
            used += 1
    return used


def places(session: SparkSession, web: BlockedWeb, scores: BlockScores, pages: Ints, values: Floats) -> Ints:
    """How many pages come before each of some pages."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            own = scores.of_block(web, block)
            order = np.argsort(-own, kind="stable")
            ranked = -own[order]
            before = np.searchsorted(ranked, -values)
            after = np.searchsorted(ranked, -values, side="right")
            equal = [
                int(np.searchsorted(order[start:stop], page - web.bounds[block]))
                for start, stop, page in zip(before, after, pages, strict=True)
            ]
            yield pa.record_batch([pa.array([(before + equal).tolist()], pa.list_(pa.int64()))], ["before"])

    if not len(pages):
        return pages
    rows = collected(over_blocks(session, web.blocks).mapInArrow(count, "before array<long>"))
    return np.sum([row["before"] for row in rows], axis=0, dtype=np.int64)
