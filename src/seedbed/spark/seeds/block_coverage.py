"""cover, maxweight and greedy where the links do not fit the driver: searches on the blocks, the choice on the driver.

The strategies are those of seeds/coverage, line for line: they ask what pages would gain, what a seed covers, and which
pages cover samples, and here searches on the blocks answer (block_searches.py). All sums are of whole numbers, so the
answers are the same, and so are the seeds.

Driver: 40 bytes per page (56 with values that differ), and none per link. Cost: for each 1024 pages weighed or samples
taken, a round for each link of depth and two short jobs; for each seed, a search of h rounds.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import machine_memory, show_size
from seedbed.common.messages import no_progress
from seedbed.errors import NotEnoughMemory
from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.seeds.coverage.cover import CANDIDATES, better_picks, by_sketches
from seedbed.seeds.coverage.covered import DEEP, Covered, New, Units
from seedbed.seeds.coverage.greedy import DEPTH, heaviest
from seedbed.seeds.coverage.reach import add_bounds
from seedbed.seeds.coverage.sketches import Samples, Sketches
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import RUNS
from seedbed.spark.seeds.block_searches import AT_ONCE, searched, sums_of_pages, sums_of_searches
from seedbed.spark.seeds.excluded_pages import Excluded
from seedbed.spark.seeds.gathered_web import gathered_sites
from seedbed.spark.seeds.page_values import PageValues
from seedbed.spark.seeds.top_pages import SiteLimit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COVERAGE = ("cover", "maxweight", "greedy")
BYTES_A_PAGE = 56


@dataclass(frozen=True)
class BoundStep(Step):
    """A page's own positive value and the bounds of the pages it links to, at most `most`. Total: bounds that rose."""

    own: Values
    most: int
    direction: Direction = "out"
    dtype: ClassVar[str] = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The new bounds."""
        bounds, own = np.empty(len(values), np.int64), np.maximum(self.own.block(block), 0)
        add_bounds(0, links.ptr, links.idx, own, received, self.most, bounds)
        return bounds, [float(np.count_nonzero(bounds != values))]


@dataclass(frozen=True)
class LinksElsewhere:
    """How many pages and links there are."""

    page_count: int
    link_count: int


class CoveredOnBlocks(Covered):
    """As Covered; the driver has the values left and what is covered, the blocks have the links."""

    def __init__(self, session: SparkSession, web: BlockedWeb, values: PageValues, hops: int, folder: Folder) -> None:
        self.session, self.web, self.folder = session, web, folder
        self.links: Any = LinksElsewhere(web.page_count, web.link_count)
        self.hops = min(hops, web.page_count)
        self.left = np.concatenate([values.block(web, block) for block in range(web.blocks)])
        self.unit, self.has_negative, self.most = values.unit, values.has_negative, values.most
        self.is_covered = np.zeros(web.page_count, np.bool_)
        self.pages = self.total = self.lifted = 0
        self.progress = no_progress
        self._left_of_blocks = Values(folder.uri, "left", "i64")
        for block in range(web.blocks):
            self._share(block)

    def _share(self, block: int) -> None:
        """Write the values left, so that tasks see them."""
        self._left_of_blocks.write(block, self.left[self.web.bounds[block] : self.web.bounds[block + 1]])

    def __exit__(self, *error: object) -> None:
        """There is nothing to close."""

    def cover(self, page: int) -> New:
        """Make a page a seed; returns the pages that no seed covered before."""
        found = []
        with searched(self.session, self.web, np.array([page]), self.hops, "in") as reached:
            for block in range(self.web.blocks):
                first = self.web.bounds[block]
                met = np.flatnonzero(reached.of_block(block)[:, 0]) + first
                found.append(met[~self.is_covered[met]])
        new = np.concatenate(found)
        values = self.left[new]
        self.total += int(values.sum())
        self.lifted -= int(np.minimum(values, 0).sum())
        self.pages += len(new)
        self.left[new] = 0
        self.is_covered[new] = True
        for block, own in enumerate(found):
            if len(own):
                self._share(block)
        return New(new, values)

    def gains(self, pages: NDArray[Any], depth: int) -> tuple[Units, Units]:
        """For each page, what is left within `depth` links of it; and the same without negative values."""
        gains, plus = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start in range(0, len(pages), AT_ONCE):
            group = pages[start : start + AT_ONCE]
            with searched(self.session, self.web, group, min(depth, self.web.page_count), "in") as met:
                sums = sums_of_searches(self.session, self.web, met, self._left_of_blocks, len(group))
            gains.append(sums[0])
            plus.append(sums[1])
        return np.concatenate(gains), np.concatenate(plus if self.has_negative else gains)

    def bounds(self, depth: int) -> Units:
        """Upper bounds on gains within `depth` links, by rounds."""
        own = np.maximum(self.left, 0)
        most, web = int(own.sum()), self.web
        now = Values(self.folder.uri, "bounds-0000", "i64")
        for block in range(web.blocks):
            now.write(block, own[web.bounds[block] : web.bounds[block + 1]])
        changed = 1.0
        for number in range(1, min(depth, DEEP) + 1):
            after = Values(self.folder.uri, f"bounds-{number:04d}", "i64")
            (changed,) = run_round(self.session, web, BoundStep(self._left_of_blocks, most), now, now, after)
            now = after
            if not changed:
                break
        if depth > DEEP and changed:
            linking = np.concatenate([web.degrees("out", block) > 0 for block in range(web.blocks)])
            return np.where(linking, most, own)
        return np.concatenate([now.block(block) for block in range(web.blocks)])


class SketchesOnBlocks(Sketches):
    """As Sketches; searches on the blocks find the pages that cover samples."""

    def __init__(self, covered: CoveredOnBlocks, samples: Samples) -> None:
        self._start(covered, samples, 1)
        self._blocks = covered

    def _walk(self, pages: NDArray[Any], signs: Units, weights: Units) -> None:
        session, web, folder = self._blocks.session, self._blocks.web, self._blocks.folder.uri
        light, heavy = Values(folder, "light", "i32"), Values(folder, "heavy", "i64")
        for start in range(0, len(pages), AT_ONCE):
            group = slice(start, start + AT_ONCE)
            with searched(session, web, pages[group], self._covered.hops, "out") as met:
                sums_of_pages(session, web, met, signs[group], weights[group], light, heavy)
            for block in range(web.blocks):
                own = slice(web.bounds[block], web.bounds[block + 1])
                self._light[0][own] += light.block(block)
                if len(self._heavy[0]):
                    self._heavy[0][own] += heavy.block(block)


def coverage_picks(
    session: SparkSession,
    web: BlockedWeb,
    strategy: str,
    k: int,
    options: dict[str, Any],
    values: PageValues,
    hops: int,
    limits: tuple[SiteLimit, ...],
    excluded: Excluded,
    seed: int,
    memory: int | None,
    progress: Any,
) -> list[Pick]:
    """Up to k pages by one of COVERAGE, with the links on the blocks."""
    _require(web, strategy, memory)
    problem = _problem(web, hops, limits, excluded, seed, progress)
    depth = options.get("depth", DEPTH)
    if strategy != "cover":
        with _covered(session, web, values, problem) as covered:
            return heaviest(problem, covered, k, problem.hops if strategy == "greedy" else depth)
    with _covered(session, web, values, problem) as covered:
        trial = problem.trial()
        sketches = SketchesOnBlocks(covered, Samples(covered.left, problem.random.random(web.page_count)))
        picks, value = by_sketches(trial, covered, sketches, k, options.get("candidates", CANDIDATES)), covered.total
    with _covered(session, web, values, problem) as covered:
        others, other_value = heaviest(problem.trial(), covered, k, depth), covered.total
    return better_picks(problem, picks, value, others, other_value)


def _require(web: BlockedWeb, strategy: str, memory: int | None) -> None:
    needed, limit = BYTES_A_PAGE * web.page_count, machine_memory() if memory is None else memory
    if needed > limit:
        raise NotEnoughMemory(
            f"the strategy '{strategy}' on Spark needs about {show_size(needed)} in the driver, {BYTES_A_PAGE} bytes "
            f"per page; it has {show_size(limit)}. Choose inside each site (per_site='host'), take a strategy by "
            "scores, such as indegree, or give the driver more memory."
        )


@contextmanager
def _covered(session: SparkSession, web: BlockedWeb, values: PageValues, problem: Problem) -> Iterator[CoveredOnBlocks]:
    folder = Folder(f"{web.folder}/{RUNS}/coverage-{uuid.uuid4().hex[:12]}")
    try:
        covered = CoveredOnBlocks(session, web, values, problem.hops, folder)
        covered.progress = problem.progress
        yield covered
    finally:
        folder.remove("")


def _problem(
    web: BlockedWeb, hops: int, limits: tuple[SiteLimit, ...], excluded: Excluded, seed: int, progress: Any
) -> Problem:
    """What the strategies are given: pages without their links."""
    pages = Web(Csr(np.zeros(web.page_count + 1, np.int64), np.empty(0, np.int64), checked=True))
    quota = Quota(gathered_sites(web, limits[0].kind).of_page, limits[0].most) if limits else Quota()
    allowed = np.concatenate([excluded.allowed(web, block) for block in range(web.blocks)])
    random = np.random.default_rng(seed)
    return Problem(pages, np.empty(0), hops, allowed, quota=quota, random=random, progress=progress)
