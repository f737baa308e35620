"""Means and ratios over all pages of a web, from a sample of them drawn stratum by stratum.

A stratum is a group of pages that are likely to be alike. Of its n_h pages, m_h are drawn without replacement, and each
yields two numbers, N and S. With x̄_h the mean of x in a stratum (Cochran 1977, chapters 5 and 6):

    total of N        T = Σ n_h N̄_h               error² = Σ n_h² (1 − m_h/n_h) var_h(N) / m_h
    ratio             D = Σ n_h S̄_h / T           error² = Σ n_h² (1 − m_h/n_h) var_h(S − D·N) / m_h / T²

A stratum whose pages were all drawn adds no error. The next draws go where they lower the error of D most for their
cost: m_h in proportion to n_h · sd_h(S − D·N) / √cost_h (Neyman 1934).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints


@dataclass
class Stratum:
    """Pages in the order in which they are drawn, and the results for those drawn so far."""

    pages: NDArray[Any]
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

    def add(self, reached: Ints, total: Ints) -> None:
        """Add the results for the next pages."""
        self.reached = np.concatenate([self.reached, reached])
        self.total = np.concatenate([self.total, total])

    def scaled(self, values: Ints) -> float:
        """The sum of a value over all pages of the stratum; exact if all were drawn."""
        return float(values.sum()) * (self.size / self.drawn) if self.drawn else 0.0

    def variance(self, values: NDArray[np.float64]) -> float:
        """The variance of the stratum's sum; nan if too few pages were drawn to estimate it."""
        if not self.left:
            return 0.0
        if self.drawn < 2:
            return math.nan
        return self.size * self.left * float(values.var(ddof=1)) / self.drawn


@dataclass(frozen=True)
class Estimate:
    """The ratio Σ S / Σ N and the sum of N, with their standard errors; None if they cannot be estimated."""

    ratio: float | None
    ratio_error: float | None
    pairs: float
    pairs_error: float | None


def estimate(strata: Sequence[Stratum]) -> Estimate:
    """The estimate for all pages from those drawn so far."""
    pairs = sum(stratum.scaled(stratum.reached) for stratum in strata)
    pairs_error = _root(sum(stratum.variance(stratum.reached.astype(np.float64)) for stratum in strata))
    if not pairs:
        return Estimate(None, None, pairs, pairs_error)
    ratio = sum(stratum.scaled(stratum.total) for stratum in strata) / pairs
    error = _root(sum(stratum.variance(_residuals(stratum, ratio)) for stratum in strata))
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


def _weight(stratum: Stratum, ratio: float) -> float:
    if not stratum.left or stratum.drawn < 2:
        return 0.0
    return stratum.size * float(_residuals(stratum, ratio).std(ddof=1)) / math.sqrt(stratum.cost)


def _residuals(stratum: Stratum, ratio: float) -> NDArray[np.float64]:
    return stratum.total - ratio * stratum.reached


def _root(variance: float) -> float | None:
    return None if math.isnan(variance) else math.sqrt(max(variance, 0.0))
