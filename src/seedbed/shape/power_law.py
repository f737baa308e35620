"""The power law that best fits the tail of a degree distribution (Clauset, Shalizi, Newman 2009).

    P(x) = x^−α / ζ(α, m)   for degrees x ≥ m,   ζ(α, m) = Σ_{x ≥ m} x^−α

For each start m the exponent is the maximum-likelihood one, where d/dα ln ζ(α, m) = −(mean of ln x over
the tail), and its standard error is 1 / √(n · d²/dα² ln ζ(α, m)) for a tail of n pages. The start chosen is
the one whose fitted law has the smallest Kolmogorov–Smirnov distance to the tail: the largest gap between the
two cumulative distributions, over all integers. Cost: at most O(starts · degrees) values of ζ, about ZETA_VALUES; a
sixteenth for most starts. ζ equals SciPy's to the last bit; importing scipy.special takes longer than a fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.kernels import kernel
from seedbed.shape.degrees import Distribution

LEAST_TAIL = 50
"""Pages that a tail must have: below this the estimate of α is too rough to be useful."""

ALPHA_RANGE = (1.0 + 1e-6, 20.0)
STEP = 1e-4
LAST_BIT = 2.0**-53
ZETA_VALUES = 800_000
SPARSE = 16
"""A start is ruled out if every so many degrees show too large a gap."""
EULER_MACLAURIN = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1307674368000 / 691, 74724249600.0, -10670622842880000 / 3617,
    5109094217170944000 / 43867, -802857662698291200000 / 174611, 14101100039391805440000 / 77683,
    -1693824136731743669452800000 / 236364091,
)  # fmt: skip
"""(2k)! / B₂ₖ, k = 1, 2, …"""


@dataclass(frozen=True)
class PowerLaw:
    """P(x) ∝ x^−alpha for degrees of at least `start`, which `tail` pages have."""

    alpha: float
    error: float
    start: int
    tail: int
    distance: float

    def to_dict(self) -> dict[str, float | int]:
        """For JSON."""
        return {
            "alpha": self.alpha,
            "error": self.error,
            "from": self.start,
            "tail": self.tail,
            "distance": self.distance,
        }


@dataclass(frozen=True)
class Fit:
    """A power law, or the reason there is none."""

    law: PowerLaw | None
    reason: str | None = None


def fit_power_law(distribution: Distribution) -> Fit:
    """The power law nearest to the tail of these degrees."""
    positive = distribution.degrees > 0
    degrees, pages = distribution.degrees[positive], distribution.pages[positive]
    total = int(pages.sum())
    if total < LEAST_TAIL:
        return Fit(None, f"only {total} pages have any; a fit needs {LEAST_TAIL}")
    if len(degrees) == 1:
        return Fit(None, f"all pages that have any have {degrees[0]:,}")
    tails = np.cumsum(pages[::-1])[::-1]
    starts = _starts(tails)
    logs = np.cumsum((pages * np.log(degrees))[::-1])[::-1] / tails
    alphas = most_likely(degrees[starts].astype(np.float64), logs[starts])
    distance, best, alpha = math.inf, 0, 0.0
    for k, likely in zip(starts.tolist(), alphas.tolist(), strict=True):
        if likely < ALPHA_RANGE[1] - STEP:
            tail_of_pages = degrees[k:], pages[k:], likely
            # Most starts are far off, and a few degrees show it.
            if _distance(*tail_of_pages, every=SPARSE) < distance and (full := _distance(*tail_of_pages)) < distance:
                distance, best, alpha = full, k, likely
    if math.isinf(distance):
        return Fit(None, "the number of pages falls faster than any power law")
    start, tail = int(degrees[best]), int(tails[best])
    return Fit(PowerLaw(alpha, _error(alpha, start, tail), start, tail, distance))


def _starts(tails: Ints) -> Ints:
    """Indices of the degrees to try: all that leave two degrees and LEAST_TAIL pages, or a subset of them."""
    count = len(tails)
    starts = np.flatnonzero(tails[:-1] >= LEAST_TAIL)
    most = max(ZETA_VALUES // count, 16)
    if len(starts) <= most:
        return starts
    # Low starts have the long tails that make a fit worth having, so the subset is dense there.
    chosen = np.unique(np.geomspace(1, len(starts), most).round().astype(np.int64))
    return starts[chosen - 1]


def log_zeta(alphas: NDArray[np.float64], starts: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """ln ζ(α, m)."""
    return np.log(zeta(alphas, np.full(alphas.shape, starts)))


@kernel
def zeta(alphas: NDArray[np.float64], starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """ζ(α, m): ten terms or more, and the rest by the Euler–Maclaurin formula, to the last bit."""
    values = np.empty(alphas.size)
    for j in range(alphas.size):
        alpha, x = alphas[j], starts[j]
        term = x**-alpha
        total, terms = term, 1
        while (terms < 10 or x <= 9) and term >= LAST_BIT * total:
            x += 1
            term = x**-alpha
            total += term
            terms += 1
        if term >= LAST_BIT * total:
            total += term * x / (alpha - 1)
            total -= 0.5 * term
            rising, power = 1.0, term
            for k in range(len(EULER_MACLAURIN)):
                rising *= alpha + 2 * k
                power /= x
                step = rising * power / EULER_MACLAURIN[k]
                total += step
                if abs(step) < LAST_BIT * total:
                    break
                rising *= alpha + 2 * k + 1
                power /= x
        values[j] = total
    return values


def most_likely(starts: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each start, the maximum-likelihood α given the mean of ln x, by bisection.

    The likelihood is concave in α, so its slope changes sign once.
    """
    low = np.full(starts.shape, ALPHA_RANGE[0])
    high = np.full(starts.shape, ALPHA_RANGE[1])
    for _ in range(40):
        middle = (low + high) / 2
        step = np.minimum(STEP, (middle - 1) / 4)
        slope = (log_zeta(middle + step, starts) - log_zeta(middle - step, starts)) / (2 * step) + logs
        low = np.where(slope < 0, middle, low)
        high = np.where(slope < 0, high, middle)
    return (low + high) / 2


def _distance(degrees: Ints, pages: Ints, alpha: float, every: int = 1) -> float:
    """The largest gap between the cumulative distributions of a tail and of the law fitted to it.

    Between two degrees that occur the tail's is flat and the law's rises, so the gap is largest next to one of them.
    From every so many degrees only, it is at most that.
    """
    values = degrees[::every].astype(np.float64)
    from_here = zeta(np.full(len(values), alpha), values)
    beyond = (from_here - values**-alpha) / from_here[0]
    left = 1 - np.cumsum(pages) / pages.sum()
    at = np.abs(beyond - left[::every]).max()
    before = np.abs(from_here[1:] / from_here[0] - left[every - 1 : -1 : every]).max(initial=0)
    return float(max(at, before))


def _error(alpha: float, start: int, tail: int) -> float:
    """The standard error of α, from the curvature of the likelihood."""
    step = min(10 * STEP, (alpha - 1) / 4)
    below, here, above = log_zeta(np.array([alpha - step, alpha, alpha + step]), float(start)).tolist()
    return float(step / np.sqrt(tail * (below - 2 * here + above)))
