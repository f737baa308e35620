"""PageRank, HITS and degrees on the blocks of a web, with the kernels and the stopping rules of `ranking`.

A run has a folder of its own, named after the score, its options and the web. After each round, `state.json` there says
how far it is: a driver that was killed goes on from it. Only the values of the last two rounds are kept.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.ranking.hits import STILL, scale_part
from seedbed.ranking.link_sums import part_bounds, sum_lists
from seedbed.ranking.pagerank import UNIT, check_options, iterations_at_worst, score_part
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Floats, Step, Totals, Values, run_round
from seedbed.spark.scores.spark_ranking import SparkRanking

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RUNS = "runs"


@dataclass
class Run:
    """The folder of a run: the values after each round, and how far it is."""

    folder: Folder
    state: dict[str, Any]

    @classmethod
    def of(cls, web: BlockedWeb, name: str, **options: Any) -> Run:
        """The run with these options, begun or not."""
        described = json.dumps({"web": web.id, "name": name, **options}, sort_keys=True)
        folder = Folder(f"{web.folder}/{RUNS}/{name}-{hashlib.sha256(described.encode()).hexdigest()[:12]}")
        return cls(folder, folder.json("state.json") or {})

    def values(self, name: str, number: int) -> Values:
        """The values after a round."""
        return Values(self.folder.uri, f"{name}-{number:04d}")

    def done(self, names: tuple[str, ...], number: int, **state: Any) -> None:
        """Record a whole round, and remove what it no longer needs."""
        self.state = {"round": number, **state}
        self.folder.write_json("state.json", self.state)
        for name in names:
            self.folder.remove(f"{name}-{number - 2:04d}")


@dataclass(frozen=True)
class PageRankStep(Step):
    """x ← α·(xP + d/n) + (1 − α)·v, with v uniform. Totals: change, dangling score, rounding."""

    damping: float
    base: float
    direction: Direction = "in"

    def passed(self, web: BlockedWeb, block: int, values: Floats) -> Floats:
        """A share of the score for each link."""
        return values * inverse_degrees(web, block)

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Floats, values: Floats
    ) -> tuple[Floats, Totals]:
        """The new scores."""
        scores, sums = values.copy(), np.empty(len(values))
        bounds = part_bounds(len(values))
        totals = np.zeros((len(bounds) - 1, 2))
        preference = np.broadcast_to(1 / web.page_count, len(values))
        inverse = inverse_degrees(web, block)
        score_block(links.ptr, links.idx, received, scores, inverse, preference, self.damping, self.base, sums, bounds,
                    totals)  # fmt: skip
        rounding = float((np.diff(links.ptr) + 8) @ scores)
        return scores, [*totals.T.tolist(), rounding]


@dataclass(frozen=True)
class HitsStep(Step):
    """This side's values from the other side's, divided by the other's norm. Total: the sum of squares."""

    scale: float
    direction: Direction

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Floats, values: Floats
    ) -> tuple[Floats, Totals]:
        """The sums over links."""
        sums = np.empty(len(links.ptr) - 1)
        bounds = part_bounds(len(sums))
        squares = np.zeros(len(bounds) - 1)
        scale_block(links.ptr, links.idx, received, self.scale, sums, bounds, squares)
        return sums, [squares.tolist()]


def inverse_degrees(web: BlockedWeb, block: int) -> Floats:
    """1 / out-degree of each page of a block; 0 for a page without links."""
    degrees = web.degrees("out", block)
    return np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0)


@kernel
def score_block(
    ptr: Any, idx: Any, received: Any, scores: Any, inverse: Any, preference: Any, damping: float, base: float,
    sums: Any, bounds: Any, totals: Any,
) -> None:  # fmt: skip
    """An iteration of PageRank for a block, in the parts that the local engine has."""
    sum_lists(ptr, idx, received, sums)
    for part in range(bounds.size - 1):
        start, stop = bounds[part], bounds[part + 1]
        score_part(sums[start:stop], scores[start:stop], inverse[start:stop], preference[start:stop], damping, base,
                   totals[part])  # fmt: skip


@kernel
def scale_block(ptr: Any, idx: Any, received: Any, scale: float, sums: Any, bounds: Any, squares: Any) -> None:
    """Half an iteration of HITS for a block."""
    sum_lists(ptr, idx, received, sums)
    for part in range(bounds.size - 1):
        squares[part] = scale_part(sums[bounds[part] : bounds[part + 1]], scale)


def pagerank(
    session: SparkSession,
    web: BlockedWeb,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-9,
    max_iterations: int = 1000,
    progress: Progress = no_progress,
) -> SparkRanking:
    """PageRank to an L1 distance of at most `tolerance`; see seedbed.ranking.pagerank."""
    check_options(damping, tolerance, max_iterations)
    start = time.perf_counter()
    run = Run.of(web, "pagerank", damping=damping, tolerance=tolerance, max_iterations=max_iterations)
    if not run.state:
        first = run.values("scores", 0)
        for block in range(web.blocks):
            first.write(block, np.full(web.pages(block), 1 / max(web.page_count, 1)))
        run.done((), 0, change=None, dangling=dangling_pages(web) * (1 / max(web.page_count, 1)), rounding=0.0)
    expected = min(max_iterations, iterations_at_worst(damping, tolerance))
    while web.page_count and not settled(run.state, damping, tolerance) and run.state["round"] < max_iterations:
        number = run.state["round"]
        now, after = run.values("scores", number), run.values("scores", number + 1)
        step = PageRankStep(damping, damping * run.state["dangling"] / web.page_count)
        change, dangling, rounding = run_round(session, web, step, now, now, after)
        run.done(("scores",), number + 1, change=change, dangling=dangling, rounding=rounding)
        progress("pagerank", min(number + 1, expected), expected)
    state = run.state
    bound = 0.0 if state["change"] is None else damping / (1 - damping) * state["change"]
    error = bound + UNIT * state["rounding"] / (1 - damping)
    values = run.values("scores", state["round"])
    return SparkRanking(
        "pagerank", session, web, values, 1.0, state["round"], error, bound <= tolerance, time.perf_counter() - start
    )


def settled(state: dict[str, Any], damping: float, tolerance: float) -> bool:
    """Whether the error bound of the last round is at most the tolerance."""
    return state["change"] is not None and damping / (1 - damping) * state["change"] <= tolerance


def dangling_pages(web: BlockedWeb) -> int:
    """Pages without links."""
    return sum(int(np.count_nonzero(web.degrees("out", block) == 0)) for block in range(web.blocks))


def hits(
    session: SparkSession, web: BlockedWeb, *, iterations: int = 60, progress: Progress = no_progress
) -> tuple[SparkRanking, SparkRanking]:
    """(hubs, authorities) after this many iterations; see seedbed.ranking.hits."""
    start = time.perf_counter()
    run = Run.of(web, "hits", iterations=iterations)
    if not run.state:
        for block in range(web.blocks):
            run.values("hubs", 0).write(block, np.ones(web.pages(block)))
            run.values("authorities", 0).write(block, np.zeros(web.pages(block)))
        run.done((), 0, hubs=[math.sqrt(web.page_count)], authorities=[0.0])
    while run.state["round"] < iterations:
        number, norms = run.state["round"], run.state
        hubs, authorities = (run.values(name, number + 1) for name in ("hubs", "authorities"))
        before = run.values("hubs", number)
        (squares,) = run_round(session, web, HitsStep(inverse(norms["hubs"][-1]), "in"), before, before, authorities)
        norm = math.sqrt(squares)
        (squares,) = run_round(session, web, HitsStep(inverse(norm), "out"), authorities, authorities, hubs)
        kept = {"hubs": [norms["hubs"][-1], math.sqrt(squares)], "authorities": [norms["authorities"][-1], norm]}
        run.done(("hubs", "authorities"), number + 1, **kept)
        progress("hits", number + 1, iterations)
    seconds, found = time.perf_counter() - start, []
    for name in ("hubs", "authorities"):
        old, new = (inverse(norm) for norm in run.state[name])
        values = run.values(name, iterations)
        still = moved(web, run.values(name, iterations - 1), values, old, new) < STILL
        found.append(SparkRanking(name, session, web, values, new, iterations, None, still, seconds))
    return found[0], found[1]


def inverse(norm: float) -> float:
    """1 / norm, 0 for a zero vector."""
    return 1 / norm if norm else 0.0


def moved(web: BlockedWeb, before: Values, after: Values, old: float, new: float) -> float:
    """The L2 distance between two vectors, each with its scale."""
    blocks = range(web.blocks)
    return math.sqrt(
        math.fsum(float(np.square(after.block(one) * new - before.block(one) * old).sum()) for one in blocks)
    )


def degree(session: SparkSession, web: BlockedWeb, direction: Direction) -> SparkRanking:
    """In-degree or out-degree."""
    start, name = time.perf_counter(), f"{direction}degree"
    values = Run.of(web, name).values("degrees", 0)
    for block in range(web.blocks):
        values.write(block, web.degrees(direction, block).astype(np.float64))
    return SparkRanking(name, session, web, values, 1.0, 1, 0.0, True, time.perf_counter() - start)
