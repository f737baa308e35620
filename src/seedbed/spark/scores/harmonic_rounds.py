"""Harmonic centrality on the blocks of a web: HyperBall, whose counters move instead of scores.

The kernels, the hash of a page's number and the stopping rule are those of seedbed.ranking.harmonic, so the scores are
the same to the last bit, whatever the blocks. A page whose counter did not change in the last round passes nothing on:
at first a round moves 2^precision bytes per page needed, towards the end almost nothing.

Memory of a task: 2^precision bytes for each page that its block needs, and 3 · 2^precision + 26 for each page of its
own. At precision 7, a block of a million pages that needs three million others takes 900 MB.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.ranking.harmonic import check_options, sigma_table, standard_error
from seedbed.ranking.hyperball_kernels import Balls, count_own_page, grow_balls
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.rounds import Floats, Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import Run
from seedbed.spark.scores.spark_ranking import SparkRanking
from seedbed.spark.tasks import in_each_block

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = {"counters": "u8", "changed": "u8", "sizes": "f64", "scores": "f64"}


@dataclass(frozen=True)
class BallFiles:
    """What is known of each page's ball after a round: its counter, whether that changed, its size, the score."""

    folder: str
    number: int

    def __getitem__(self, name: str) -> Values:
        return Values(self.folder, f"{name}-{self.number:04d}", FILES[name])

    def write(self, block: int, **arrays: Any) -> None:
        """Write the files of a block."""
        for name, array in arrays.items():
            self[name].write(block, array)


@dataclass(frozen=True)
class HarmonicStep(Step):
    """B(x) ← B(x) ∪ every B(y) with y → x. Total: the pages whose counter changed."""

    precision: int
    before: BallFiles
    after: BallFiles
    direction: Direction = "in"
    dtype: ClassVar[str] = "|u1"

    @property
    def row(self) -> tuple[int, ...]:
        """A counter."""
        return (1 << self.precision,)

    def passed(self, web: BlockedWeb, block: int, values: Bytes) -> Bytes:
        """The counters that changed; zeros for all others."""
        return values.reshape(-1, *self.row) * self.before["changed"].block(block)[:, None]

    def packed(self, rows: Bytes) -> bytes:
        """A bit per page that says whether its counter changed, then the counters that did."""
        changed = rows.any(axis=1)
        return np.packbits(changed).tobytes() + rows[changed].tobytes()

    def unpack(self, moved: bytes, rows: Bytes) -> None:
        """The counters that changed in their places, zeros elsewhere."""
        bits = np.frombuffer(moved, np.uint8, -(-len(rows) // 8))
        changed = np.unpackbits(bits, count=len(rows)).astype(bool)
        rows[:] = 0
        rows[changed] = np.frombuffer(moved, np.uint8, offset=len(bits)).reshape(-1, *self.row)

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Bytes, values: Bytes
    ) -> tuple[Bytes, list[float]]:
        """The new counters; sizes and scores become files of their own."""
        pages, distance = web.pages(block), self.after.number
        balls = Balls(
            registers=1 << self.precision,
            old=values,
            new=values.copy(),
            passed=received.reshape(-1),
            # A counter that was moved has its own page in it, so it is not all zeros.
            changed=np.asarray(received.any(axis=1), np.uint8),
            grown=np.zeros(pages, np.uint8),
            first_size=first_sizes(links.ptr, links.idx, links.needs, web.bounds[block]),
            size=self.before["sizes"].block(block).copy(),
            score=self.before["scores"].block(block).copy(),
            sigma=sigma_table(1 << self.precision),
        )
        grow_balls(links.ptr, links.idx, balls, distance, 0, pages)
        self.after.write(block, changed=balls.grown, sizes=balls.size, scores=balls.score)
        return balls.new, [float(np.count_nonzero(balls.grown))]


@kernel
def first_sizes(in_ptr: Ints, in_idx: Any, needs: Ints, first: int) -> Floats:
    """|B_1| of each page of a block: itself and the other pages that link to it."""
    sizes = np.ones(in_ptr.size - 1)
    for k in range(sizes.size):
        for j in range(in_ptr[k], in_ptr[k + 1]):
            if needs[in_idx[j]] != first + k:
                sizes[k] += 1.0
    return sizes


def harmonic(
    session: SparkSession,
    web: BlockedWeb,
    *,
    precision: int = 7,
    seed: int = 1,
    exact: bool = False,
    max_iterations: int = 10_000,
    progress: Progress = no_progress,
) -> SparkRanking:
    """H(x) = Σ 1/d(y, x) over y ≠ x, estimated with 2^precision registers per page; see seedbed.ranking.harmonic."""
    check_options(precision, max_iterations)
    if exact:
        raise OptionError(
            "exact harmonic scores take a search from every page, too many for Spark. Ask for a higher precision."
        )
    start = time.perf_counter()
    run = Run.of(web, "harmonic", precision=precision, seed=seed, max_iterations=max_iterations)
    if not run.state:
        write_first_balls(session, web, BallFiles(run.folder.uri, 0), precision, seed)
        run.done((), 0, changed=web.page_count)
    while run.state["changed"] and run.state["round"] < max_iterations:
        number = run.state["round"]
        before, after = (BallFiles(run.folder.uri, one) for one in (number, number + 1))
        step = HarmonicStep(precision, before, after)
        (changed,) = run_round(session, web, step, before["counters"], before["counters"], after["counters"])
        run.done(tuple(FILES), number + 1, changed=int(changed))
        progress("harmonic", number + 1, 0)
    number, converged = run.state["round"], not run.state["changed"]
    scores, error = BallFiles(run.folder.uri, number)["scores"], standard_error(precision)
    return SparkRanking("harmonic", session, web, scores, 1.0, number, error, converged, time.perf_counter() - start)


def write_first_balls(session: SparkSession, web: BlockedWeb, files: BallFiles, precision: int, seed: int) -> None:
    """The ball of radius 0 around each page: the page itself."""

    def write(block: int) -> None:
        pages = web.pages(block)
        counters = np.zeros(pages << precision, np.uint8)
        count_own_page(counters, precision, seed, web.bounds[block])
        changed, sizes = np.ones(pages, np.uint8), np.ones(pages)
        files.write(block, counters=counters, changed=changed, sizes=sizes, scores=np.zeros(pages))

    in_each_block(session, web.blocks, write)
