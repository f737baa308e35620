"""Whether a power law describes a tail of degrees better than another law (Clauset, Shalizi, Newman 2009, section 5).

The other laws are fitted to the same tail, x ≥ m, by maximum likelihood, as laws of integers:

    exponential     P(x) = (1 − e^−λ) · e^−λ(x − m)                  λ = ln(1 + 1 / (mean − m))
    log-normal      P(x) ∝ Φ(z(x + ½)) − Φ(z(x − ½)),  z(y) = (ln y − μ) / σ

R = Σ ln P_power(x) − ln P_other(x) over the pages of the tail is above zero if the power law fits better. If both fit
equally well, z = R / (s √n) is about normal (Vuong 1989); s: the standard deviation of the n terms. A log-normal
with a large σ is nearly a power law, so it is seldom much worse; the question is whether it is better.

Cost: O(degrees) for each step of the search for μ and σ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedbed.shape.degrees import Distribution
from seedbed.shape.power_law import PowerLaw, log_zeta

Floats = NDArray[np.float64]
LEAST_SIGMA, MOST_SIGMA = 1e-3, 1e3


@dataclass(frozen=True)
class TailComparison:
    """z of the power law against each other law: positive where the power law is better, chance between −2 and 2."""

    over_exponential: float
    over_log_normal: float


def compare_tail(distribution: Distribution, law: PowerLaw) -> TailComparison:
    """The power law of a tail against an exponential and a log-normal."""
    inside = distribution.degrees >= law.start
    degrees, pages = distribution.degrees[inside].astype(np.float64), distribution.pages[inside]
    power = -law.alpha * np.log(degrees) - log_zeta(np.array([law.alpha]), float(law.start))
    others = _exponential(degrees, pages, law.start), _log_normal(degrees, pages, law.start)
    return TailComparison(*(_vuong(power - other, pages) for other in others))


def _vuong(terms: Floats, pages: NDArray[np.int64]) -> float:
    """R / (s √n); 0 if the laws do not differ at all."""
    count = int(pages.sum())
    mean = float(terms @ pages) / count
    spread = float(np.sqrt(np.square(terms - mean) @ pages / count))
    return mean * np.sqrt(count) / spread if spread > 1e-12 else 0.0


def _exponential(degrees: Floats, pages: NDArray[np.int64], start: int) -> Floats:
    """ln P(x) of the most likely exponential; a law fitted to one degree only needs no spread."""
    beyond = float(degrees @ pages) / int(pages.sum()) - start
    rate = np.log1p(1 / beyond) if beyond > 0 else 700.0
    return np.asarray(np.log(-np.expm1(-rate)) - rate * (degrees - start))


def _log_normal(degrees: Floats, pages: NDArray[np.int64], start: int) -> Floats:
    """ln P(x) of the most likely log-normal, found by the simplex of Nelder and Mead from the moments of ln x."""
    from scipy.optimize import minimize

    logs, count = np.log(degrees), int(pages.sum())
    mean = float(logs @ pages) / count
    spread = max(float(np.sqrt(np.square(logs - mean) @ pages / count)), 0.1)

    def density(place: Floats) -> Floats:
        sigma = float(np.clip(np.exp(place[1]), LEAST_SIGMA, MOST_SIGMA))
        ends = [(np.log(end) - place[0]) / sigma for end in (degrees - 0.5, degrees + 0.5, np.array([start - 0.5]))]
        return log_mass(ends[0], ends[1]) - log_mass(ends[2], np.array([np.inf]))

    def unlikeliness(place: Floats) -> float:
        return -float(density(place) @ pages) / count

    found = minimize(unlikeliness, [mean, np.log(spread)], method="Nelder-Mead", options={"maxiter": 2000})
    return density(found.x)


def log_mass(low: Floats, high: Floats) -> Floats:
    """ln(Φ(high) − Φ(low)), exact far out in either tail too."""
    from scipy.special import log_ndtr

    # Φ is close to 1 above zero, where differences lose their digits: there the mirrored interval is taken.
    mirrored = low > 0
    left, right = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    more, less = log_ndtr(right), log_ndtr(left)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.maximum(more + np.log1p(-np.exp(less - more)), -1e6))
