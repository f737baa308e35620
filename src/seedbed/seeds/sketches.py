"""Estimates of what every page would gain, from samples of pages and walks back from them.

Priority sampling (Duffield, Lund, Thorup 2007): a page of value w has priority |w| / u, u drawn evenly from 0 to 1;
pages are walked back from in order of falling priority. With the next priority t as threshold,

    gain(p) ≈ Σ sign(w) · max(|w|, t)   over the pages sampled so far that lie within h links of p,

an unbiased estimate. A walk back of h links from a sample meets exactly the pages that cover it. So for each page
two numbers are kept: `light`, samples with |w| ≤ t counted with their sign, each worth t, and `heavy`, the sum of those
above t; gain(p) ≈ t · light + heavy. A light sample that t falls below is walked back from once more to become heavy,
and a sample that a seed covers once more to be forgotten. gain(p) / t says how full the sketch of p is; at fullness f
the estimate is off by about 1/√f. When every page is sampled it is exact. (Cohen et al. 2014: SKIM, and distance-based
influence.)

Before the fullest sketch holds f samples, all walks together meet about f · pages · (mean gain / largest gain) pages.
Up to 64 samples walk together. Memory: 4 bytes a page and thread (12 if values differ), and 30 a page.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.csr import Csr, frozen, page_dtype
from seedbed.graph.kernel import kernel
from seedbed.seeds.covered import Covered
from seedbed.seeds.reach import AT_ONCE, tally_back

FIRST = 256
GROWTH = 8
"""A further batch of samples is one in so many of those there are."""

UNSEEN, LIGHT, HEAVY = 0, 1, 2


class Sketches:
    """Samples of the pages with a value left. `back` are the links turned round."""

    def __init__(self, covered: Covered, back: Csr, draws: NDArray[np.float64], threads: int) -> None:
        pages = covered.links.pages
        self._covered, self._back, self._threads = covered, back, threads
        self._values = covered.left.copy()
        sizes = np.abs(self._values)
        some = np.flatnonzero(sizes)
        self._differ = len(some) > 0 and int(sizes[some].min()) != int(sizes.max())
        priority = sizes[some] / np.maximum(draws[some], 2.0**-60)
        order = np.argsort(-priority, kind="stable")
        self._order = some[order].astype(page_dtype(pages))
        self._priority = priority[order]
        by_size = np.argsort(-sizes[some], kind="stable")[: len(some) if self._differ else 0]
        self._by_size = some[by_size].astype(page_dtype(pages))
        self._falling = -sizes[self._by_size]
        self._next = self._next_size = 0
        self.threshold = float(self._priority[0]) if len(some) else 0.0
        self._state = np.zeros(pages, np.uint8)
        self._light = [np.zeros(pages, np.int32) for _ in range(threads)]
        self._heavy = [np.zeros(pages if self._differ else 0, np.int64) for _ in range(threads)]

    @property
    def walked(self) -> int:
        """Pages whose turn to be sampled has come."""
        return self._next

    @property
    def is_whole(self) -> bool:
        """Whether every page with a value left is sampled; estimates are then exact."""
        return self._next >= len(self._order)

    def more(self) -> None:
        """Take a further batch of samples, and one at least if there is one."""
        stop = min(self._next + max(FIRST, self._next // GROWTH), len(self._order))
        batch = self._order[self._next : stop]
        self._next = stop
        self.threshold = float(self._priority[stop]) if stop < len(self._order) else 0.0
        new = batch[self._covered.left[batch] != 0]
        heavier = self._outgrown(new)
        pages = np.concatenate([new, heavier])
        values = self._values[pages]
        was = self._state[pages]
        turns = self._differ & (np.abs(values) > self.threshold)
        self._state[pages] = np.where(turns, HEAVY, LIGHT)
        signs = np.sign(values) * ((~turns).astype(np.int64) - (was == LIGHT))
        self._walk(pages, signs, np.where(turns, values, 0))

    def _outgrown(self, new: NDArray[Any]) -> NDArray[Any]:
        """Light samples that are above the threshold by now."""
        if not self._differ:
            return new[:0]
        stop = int(np.searchsorted(self._falling, -self.threshold))
        passed = self._by_size[self._next_size : stop]
        self._next_size = stop
        return passed[self._state[passed] == LIGHT]

    def forget(self, pages: NDArray[Any]) -> None:
        """Take back what the samples among these pages, now covered, stand for."""
        known = pages[self._state[pages] != UNSEEN]
        values, heavy = self._values[known], self._state[known] == HEAVY
        self._state[known] = UNSEEN
        self._walk(known, np.where(heavy, 0, -np.sign(values)), np.where(heavy, -values, 0))

    def _walk(self, pages: NDArray[Any], signs: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        order = np.argsort(pages)
        pages, signs, weights = frozen(pages[order]), frozen(signs[order]), frozen(weights[order])
        step = min(AT_ONCE, max(1, -(-len(pages) // self._threads)))
        groups = [slice(at, at + step) for at in range(0, len(pages), step)]
        arrays, buffer = self._back.arrays(), self._back.buffer()

        def work(thread: int) -> None:
            light, heavy, space = self._light[thread], self._heavy[thread], self._covered.space(thread)
            for group in groups[thread :: self._threads]:
                hops = self._covered.hops
                tally_back(arrays, buffer, space, pages[group], hops, signs[group], weights[group], light, heavy)

        if groups:
            self._covered.run(work, len(groups))

    def fullest(self, count: int, is_open: NDArray[np.bool_]) -> tuple[NDArray[Any], float]:
        """Up to `count` open pages with the largest estimates above zero, and how full the sketch of the first is."""
        for other in range(1, self._threads):
            self._light[0] += self._light[other]
            self._heavy[0] += self._heavy[other]
            self._light[other][:] = 0
            self._heavy[other][:] = 0
        unit = self.threshold if self.threshold > 0 else self._smallest()
        pages, best = np.empty(count, np.int64), np.empty(count, np.float64)
        found = largest_estimates(self._light[0], self._heavy[0], unit, is_open, pages, best)
        return pages[:found], float(best[0] / unit) if found else 0.0

    def _smallest(self) -> float:
        """What a light sample is worth when the threshold is past them all: only equal values are light then."""
        return float(np.abs(self._values[self._order[0]])) if len(self._order) else 1.0


@kernel
def largest_estimates(light: Any, heavy: Any, unit: float, is_open: Any, pages: Any, best: Any) -> int:
    """Fill `pages` and `best` with the largest unit · light + heavy of open pages, the largest first; gives how many.

    Of equal estimates the smaller page comes first.
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
