"""Means and ratios over all pages of a web, from a sample of them drawn stratum by stratum.

A stratum is a group of pages that are likely to be alike. Of its n_h pages, m_h are drawn without replacement, and each
yields two numbers, N and S. A third one, x, is known for all pages beforehand. If y, which is N or S, rises or falls
with x, the drawn pages tell by how much, and a draw whose x is too high or too low on average is corrected: the line of
least squares through the drawn (x, y) gives ŷ_h at the stratum's mean of x. With e the residuals of y and s² their
variance (Cochran 1977, chapters 5 to 7: stratified sampling, ratio and regression estimators)

    total of N        T = Σ n_h N̂_h               error² = Σ n_h² s_h²(N) · c_h
    ratio             D = Σ n_h Ŝ_h / T           error² = Σ n_h² s_h²(S − D·N) · c_h / T²

    c_h = (1 − m_h/n_h) / m_h + (mean x drawn − mean x of all)² / Σ (x drawn − mean x drawn)²

With few draws, or if x is the same for all of them, ŷ is the plain mean and the second term of c is absent. A stratum
whose pages were all drawn adds no error. The next draws go where they lower the error of D most for their cost: m_h in
proportion to n_h · s_h(S − D·N) / √cost_h (Neyman 1934).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints

LEAST_FOR_LINE = 8
"""Draws from which a line is fitted: through fewer points it would follow chance."""


@dataclass
class Stratum:
    """Pages in the order in which they are drawn, and the results for those drawn so far."""

    pages: NDArray[Any]
    known: NDArray[Any]
    """x of every page of the web."""
    reached: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """N of each page drawn."""
    total: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """S of each page drawn."""

    @property
    def size(self) -> int:
        """The number of pages."""
        return len(self.pages)

    @property
    def drawn(self) -> int:
        """Pages drawn so far."""
        return len(self.reached)

    @property
    def left(self) -> int:
        """Pages not yet drawn."""
        return self.size - self.drawn

    @property
    def cost(self) -> float:
        """Pages that a search from this stratum visits, on average over those drawn."""
        return 1.0 + float(self.reached.mean()) if self.drawn else 1.0

    @cached_property
    def mean_known(self) -> float:
        """The mean of x over all pages of the stratum."""
        return float(self.known[self.pages].mean())

    def add(self, reached: Ints, total: Ints) -> None:
        """Add the results for the next pages."""
        self.reached = np.concatenate([self.reached, reached])
        self.total = np.concatenate([self.total, total])

    def sum_of(self, values: NDArray[Any]) -> Sum:
        """The sum of a value over all pages, from its values for the pages drawn."""
        if not self.left:
            return Sum(float(values.sum()), 0.0, 0.0)
        if self.drawn < 2:
            return Sum(self.size * float(values.sum()), math.nan, math.nan)
        known = self.known[self.pages[: self.drawn]]
        mean, residuals = float(values.mean()), values - values.mean()
        share, freedom = self.left / self.size / self.drawn, self.drawn - 1
        if self.drawn >= LEAST_FOR_LINE and known.min() < known.max():
            across, off = known - known.mean(), float(known.mean()) - self.mean_known
            spread = float(across @ across)
            slope = float(across @ residuals) / spread
            # Where the points do not lie along a line, it may leave their range; a mean does not.
            mean = min(max(mean - slope * off, float(values.min())), float(values.max()))
            residuals = residuals - slope * across
            share, freedom = share + off**2 / spread, freedom - 1
        variance = float(residuals @ residuals) / freedom
        return Sum(self.size * mean, self.size**2 * variance * share, self.size * math.sqrt(variance))


@dataclass(frozen=True)
class Sum:
    """An estimated sum over the pages of a stratum; nan: too few pages were drawn to say."""

    value: float
    variance: float
    per_draw: float
    """n · s: the standard error that a single draw would give."""


@dataclass(frozen=True)
class Estimate:
    """The ratio Σ S / Σ N and the sum of N, with their standard errors; None if they cannot be estimated."""

    ratio: float | None
    ratio_error: float | None
    pairs: float
    pairs_error: float | None


def estimate(strata: Sequence[Stratum]) -> Estimate:
    """The estimate for all pages from those drawn so far."""
    reached = [stratum.sum_of(stratum.reached) for stratum in strata]
    pairs, pairs_error = sum(one.value for one in reached), _root(sum(one.variance for one in reached))
    if not pairs:
        return Estimate(None, None, pairs, pairs_error)
    ratio = sum(stratum.sum_of(stratum.total).value for stratum in strata) / pairs
    error = _root(sum(_surplus(stratum, ratio).variance for stratum in strata))
    return Estimate(ratio, None if error is None else error / pairs, pairs, pairs_error)


def next_draws(strata: Sequence[Stratum], ratio: float, wanted: int) -> list[int]:
    """How many more pages to draw from each stratum, about `wanted` in total, where they help most for their cost."""
    weights = np.array([_weight(stratum, ratio) for stratum in strata])
    drawn = np.array([stratum.drawn for stratum in strata])
    left = np.array([stratum.left for stratum in strata])
    if not weights.sum():
        weights = left.astype(np.float64)
    share = weights / weights.sum()
    short = np.maximum(share * (drawn.sum() + wanted) - drawn, 0)
    more = np.ceil(short * min(1.0, wanted / max(short.sum(), 1.0e-300)))
    return np.minimum(more, left).astype(int).tolist()


def draws_for_error(strata: Sequence[Stratum], ratio: float, error: float, most: int) -> list[int]:
    """How many more pages to draw from each stratum for this error of Σ S, about `most` in total if that is fewer."""
    surplus = [_surplus(stratum, ratio) for stratum in strata]

    def reached(wanted: int) -> bool:
        draws = zip(strata, surplus, next_draws(strata, ratio, wanted), strict=True)
        variance = sum(
            one.per_draw**2 * (1 / (stratum.drawn + more) - 1 / stratum.size) for stratum, one, more in draws
        )
        return variance <= error**2

    return next_draws(strata, ratio, 1 + bisect_left(range(1, most), True, key=reached))


def _weight(stratum: Stratum, ratio: float) -> float:
    if not stratum.left or stratum.drawn < 2:
        return 0.0
    return _surplus(stratum, ratio).per_draw / math.sqrt(stratum.cost)


def _surplus(stratum: Stratum, ratio: float) -> Sum:
    """The sum of S − D·N."""
    return stratum.sum_of(stratum.total - ratio * stratum.reached)


def _root(variance: float) -> float | None:
    return None if math.isnan(variance) else math.sqrt(max(variance, 0.0))
