"""What the seeds chosen so far cover, and what further seeds would add.

Values are held as integer multiples of a small unit, a power of two chosen so that their sum stays below 2⁶¹. Sums are
then exact in any order: equal gains are equal to the last bit, a bound is a bound, and neither the number of threads
nor the way searches are grouped can change a result. Whole numbers and dyadic fractions lose nothing; other values are
rounded by less than one part in 2⁶⁰ of the sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.messages import Progress, no_progress
from seedbed.links.csr import Csr
from seedbed.links.link_store import Buffer, room_to_decode
from seedbed.seeds.coverage.reach import AT_ONCE, Space, add_bounds, cover_from, make_space, weigh

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.problem import Problem

Units = NDArray[np.int64]
DEEP = 64
"""The maximum number of passes over the links to spend on bounds; weights that look further get looser ones."""


class New(NamedTuple):
    """Pages that a seed covers and no earlier seed did, and their values."""

    pages: NDArray[Any]
    values: Units


def whole_units(values: NDArray[np.float64]) -> tuple[Units, float]:
    """The values as integer multiples of a unit, and the unit."""
    scale = unit_scale(float(np.abs(values).max(initial=0.0)), len(values))
    return in_units(values, scale), math.ldexp(1.0, -scale)


def unit_scale(largest: float, count: int) -> int:
    """The unit of so many values, none above `largest`, is 2 to the power of minus this."""
    return max(-1000, min(61 - math.frexp(largest)[1] - count.bit_length(), 1000)) if largest else 0


def in_units(values: NDArray[np.float64], scale: int) -> Units:
    """The values as integer multiples of the unit."""
    return np.rint(np.ldexp(values, scale)).astype(np.int64)


def decoded(problem: Problem) -> Problem:
    """The same problem, with compressed links decoded if memory allows: walks are several times faster."""
    links = problem.web.links
    if isinstance(links, Csr) or not room_to_decode(links):
        return problem
    return replace(problem, web=replace(problem.web, links=links.to_csr(problem.threads)))


class Covered:
    """The seeds so far. Use it as a context manager: it may hold threads."""

    def __init__(self, links: LinkStore, values: NDArray[np.float64], hops: int, threads: int = 1) -> None:
        self.links = links
        self.hops = hops = min(hops, links.page_count)
        self.left, self.unit = whole_units(values)
        self.has_negative = bool(self.left.min(initial=0) < 0)
        self.near: NDArray[Any] = np.full(links.page_count, hops + 1, np.uint8 if hops < 255 else np.int64)
        self.pages = 0
        self.total = 0
        self.most = int(np.maximum(self.left, 0).sum())
        self.lifted = 0
        """What the covered pages of negative value would have subtracted: no gain has risen by more since the start."""
        self.progress: Progress = no_progress
        self._threads = threads
        self._spaces: list[tuple[Buffer, Space]] = []
        self._pool: ThreadPoolExecutor | None = None

    @classmethod
    def of(cls, problem: Problem) -> Covered:
        """Start with the seeds that are already there."""
        covered = cls(decoded(problem).web.links, problem.values, problem.hops, problem.threads)
        covered.progress = problem.progress
        for page in problem.taken:
            covered.cover(page)
        return covered

    def __enter__(self) -> Covered:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    @property
    def value(self) -> float:
        """The value covered."""
        return self.total * self.unit

    @property
    def is_all(self) -> bool:
        """Whether no remaining page has a value."""
        return not self.left.any()

    def cover(self, page: int) -> New:
        """Make a page a seed; returns the pages that no seed covered before. Their values count as zero from now on."""
        buffer, space = self.space(0)
        with self.links.guarded(buffer.at):
            count = cover_from(self.links.arrays(), buffer, self.near, space.front, space.ahead, page, self.hops)
        new = space.ahead[:count].copy()
        values = self.left[new]
        self.total += int(values.sum())
        self.lifted -= int(np.minimum(values, 0).sum())
        self.pages += count
        self.left[new] = 0
        return New(new, values)

    def gains(self, pages: NDArray[Any], depth: int) -> tuple[Units, Units]:
        """For each page, Σ of the values left within `depth` links of it; and the same without negative values."""
        depth = min(depth, self.links.page_count)
        gains = np.zeros(len(pages), np.int64)
        plus = np.zeros(len(pages) if self.has_negative else 0, np.int64)
        arrays, pages = self.links.arrays(), frozen(pages)

        def work(thread: int, group: slice) -> None:
            weigh(
                arrays, *self.space(thread), self.near, self.left, pages[group], depth, self.hops, gains[group],
                plus[group],
            )  # fmt: skip

        self.run(work, len(pages), lambda thread: self.links.guarded(self.space(thread)[0].at))
        return gains, plus if self.has_negative else gains

    def run(self, work: Callable[[int, slice], None], pages: int, guard: Callable[[int], Any]) -> None:
        """Run work(thread, group) for all groups of pages that walk together, inside the guard of its thread."""
        step = min(AT_ONCE, max(1, -(-pages // self._threads)))
        groups = [slice(at, at + step) for at in range(0, pages, step)]

        def turn(thread: int) -> None:
            with guard(thread):
                for group in groups[thread :: self._threads]:
                    work(thread, group)

        threads = min(self._threads, len(groups))
        for thread in range(threads):
            self.space(thread)
        if threads == 1:
            turn(0)
        elif threads > 1:
            self._pool = self._pool or ThreadPoolExecutor(self._threads)
            list(self._pool.map(turn, range(threads)))

    def space(self, thread: int) -> tuple[Buffer, Space]:
        """The working space of a thread."""
        while len(self._spaces) <= thread:
            self._spaces.append((self.links.buffer(), make_space(self.links.page_count)))
        return self._spaces[thread]

    def bounds(self, depth: int) -> Units:
        """Upper bounds on gains within `depth` links: U₀ = v⁺, Uᵢ₊₁(p) = v⁺(p) + Σ Uᵢ(t) over p's links, capped at the
        total value left. One pass over the links per link of depth; if they have not converged after DEEP passes, every
        page that has links gets the total value left as its bound.
        """
        own = frozen(np.maximum(self.left, 0))
        most = int(own.sum())
        bounds = own
        for _ in range(min(depth, DEEP)):
            below, bounds = bounds, np.empty_like(own)
            for block in self.links.blocks():
                add_bounds(block.first, block.out_ptr, block.out_idx, own, frozen(below), most, bounds)
            if np.array_equal(below, bounds):
                return bounds
        return bounds if depth <= DEEP else np.where(self.links.out_degrees() > 0, most, own)
