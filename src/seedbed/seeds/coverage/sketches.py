"""Estimates of what every page would gain, from samples of pages and walks back from them.

Priority sampling (Duffield, Lund, Thorup 2007): a page of value w has priority |w| / u, u drawn uniformly from 0 to 1;
walks go back from pages in order of falling priority. With the next priority t as threshold,

    gain(p) ≈ Σ sign(w) · max(|w|, t)   over the pages sampled so far that lie within h links of p,

an unbiased estimate. A walk back of h links from a sample meets exactly the pages that cover it. So two numbers are
kept per page: `light`, samples with |w| ≤ t counted with their sign, each worth t, and `heavy`, the sum of those above
t; gain(p) ≈ t · light + heavy. When t falls below a light sample, a second walk back makes it heavy; when a seed covers
a sample, another walk removes it. gain(p) / t says how full the sketch of p is; at fullness f the estimate is off by
about 1/√f. When every page is sampled it is exact. (Cohen et al. 2014: SKIM, and distance-based influence.)

Before the fullest sketch holds f samples, all walks together meet about f · pages · (mean gain / largest gain) pages.
Up to 64 samples walk together. Memory: 4 bytes per page and thread (12 if values differ), 5 per page (9), and 48 per
page while the pages are sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen, page_dtype
from seedbed.common.kernels import kernel
from seedbed.seeds.coverage.covered import Covered, New, Units
from seedbed.seeds.coverage.reach import tally_back

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore

FIRST = 256
GROWTH = 8
"""Each new batch has one sample for this many already taken."""

UNSEEN, LIGHT, HEAVY = 0, 1, 2


class Samples:
    """The pages with a value, in the order in which they are sampled, and the threshold after each batch."""

    def __init__(self, values: Units, draws: NDArray[np.float64]) -> None:
        dtype = page_dtype(len(values))
        some = np.flatnonzero(values)
        sizes = np.abs(values[some])
        self.differ = len(some) > 0 and int(sizes.min()) != int(sizes.max())
        priority = sizes / np.maximum(draws[some], 2.0**-60)
        order = np.argsort(-priority, kind="stable")
        self.pages = some[order].astype(dtype)
        self.stops = _stops(len(some))
        self.thresholds = np.append(priority[order[self.stops[:-1]]], 0.0)
        self.smallest = float(sizes[order[0]]) if len(some) else 1.0
        """What a light sample is worth once the threshold is past them all: only equal values are light then."""
        del priority, order
        by_size = np.argsort(-sizes, kind="stable") if self.differ else np.empty(0, np.int64)
        self.by_size = some[by_size].astype(dtype)
        self.above = np.searchsorted(-sizes[by_size], -self.thresholds)
        """How many of by_size are above each threshold."""


def _stops(count: int) -> list[int]:
    """How many pages are sampled after each batch, from none to all."""
    stops = [0]
    while stops[-1] < count:
        stops.append(min(stops[-1] + max(FIRST, stops[-1] // GROWTH), count))
    return stops


class Sketches:
    """Samples of the pages with a value left. `back`: the transposed links."""

    def __init__(self, covered: Covered, samples: Samples, back: LinkStore, threads: int) -> None:
        self._back, self._buffers = back, [back.buffer() for _ in range(threads)]
        self._start(covered, samples, threads)

    def _start(self, covered: Covered, samples: Samples, threads: int) -> None:
        pages = covered.links.page_count
        self._covered, self._samples, self._threads = covered, samples, threads
        self._batch = 0
        self._state = np.zeros(pages, np.uint8)
        self._light = [np.zeros(pages, np.int32) for _ in range(threads)]
        self._heavy = [np.zeros(pages if samples.differ else 0, np.int64) for _ in range(threads)]

    @property
    def walked(self) -> int:
        """Pages sampled so far, including those skipped because they were covered."""
        return self._samples.stops[self._batch]

    @property
    def threshold(self) -> float:
        """The priority of the next page to sample; zero after the last."""
        return float(self._samples.thresholds[self._batch])

    @property
    def unit(self) -> float:
        """What a light sample is worth."""
        return self.threshold or self._samples.smallest

    @property
    def is_whole(self) -> bool:
        """Whether every page with a value left is sampled; estimates are then exact."""
        return self._batch == len(self._samples.stops) - 1

    def more(self) -> None:
        """Take another batch of samples."""
        first = self.walked
        self._batch += 1
        batch = self._samples.pages[first : self.walked]
        new = batch[self._covered.left[batch] != 0]
        pages = np.concatenate([new, self._outgrown()])
        values = self._covered.left[pages]
        was = self._state[pages]
        turns = self._samples.differ & (np.abs(values) > self.threshold)
        self._state[pages] = np.where(turns, HEAVY, LIGHT)
        signs = np.sign(values) * ((~turns).astype(np.int64) - (was == LIGHT))
        self._walk(pages, signs, np.where(turns, values, 0))

    def _outgrown(self) -> NDArray[Any]:
        """Light samples that are now above the threshold."""
        above = self._samples.above
        passed = self._samples.by_size[above[self._batch - 1] : above[self._batch]]
        return passed[self._state[passed] == LIGHT]

    def forget(self, new: New) -> None:
        """Remove the samples among these pages, now covered, from the sketches."""
        known = self._state[new.pages] != UNSEEN
        pages, values = new.pages[known], new.values[known]
        heavy = self._state[pages] == HEAVY
        self._state[pages] = UNSEEN
        self._walk(pages, np.where(heavy, 0, -np.sign(values)), np.where(heavy, -values, 0))

    def _walk(self, pages: NDArray[Any], signs: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Add the signs and weights of samples to the pages that cover them."""
        order = np.argsort(pages)
        pages, signs, weights = frozen(pages[order]), frozen(signs[order]), frozen(weights[order])
        arrays, hops = self._back.arrays(), self._covered.hops

        def work(thread: int, group: slice) -> None:
            _, space = self._covered.space(thread)
            searches = pages[group], hops, signs[group], weights[group]
            tally_back(arrays, self._buffers[thread], space, *searches, self._light[thread], self._heavy[thread])

        self._covered.run(work, len(pages), lambda thread: self._back.guarded(self._buffers[thread].at))

    def fullest(self, count: int, is_open: NDArray[np.bool_]) -> tuple[NDArray[Any], float]:
        """Up to `count` open pages with the largest estimates above zero, and how full the sketch of the first is."""
        for other in range(1, self._threads):
            self._light[0] += self._light[other]
            self._heavy[0] += self._heavy[other]
            self._light[other][:] = 0
            self._heavy[other][:] = 0
        unit = self.unit
        pages, best = np.empty(count, np.int64), np.empty(count, np.float64)
        found = largest_estimates(self._light[0], self._heavy[0], unit, is_open, pages, best)
        return pages[:found], float(best[0] / unit) if found else 0.0


@kernel
def largest_estimates(light: Any, heavy: Any, unit: float, is_open: Any, pages: Any, best: Any) -> int:
    """Fill `pages` and `best` with the largest unit · light + heavy of open pages, largest first; returns how many.

    Ties go to the smaller page.
    """
    found = 0
    for page in range(light.size):
        estimate = unit * light[page]
        if heavy.size > 0:
            estimate += heavy[page]
        if estimate <= 0.0 or not is_open[page] or (found == best.size and estimate <= best[found - 1]):
            continue
        if found < best.size:
            found += 1
        at = found - 1
        while at > 0 and best[at - 1] < estimate:
            best[at], pages[at] = best[at - 1], pages[at - 1]
            at -= 1
        best[at], pages[at] = estimate, page
    return found
