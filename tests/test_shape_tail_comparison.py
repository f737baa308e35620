"""Power laws against other laws: by their twin, by the powerlaw package, and on degrees drawn from a known law."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seedbed.shape import tail_comparison
from seedbed.shape.degrees import distribution
from seedbed.shape.power_law import PowerLaw, fit_power_law, most_likely
from seedbed.shape.tail_comparison import TailComparison, compare_tail
from tests.reference import shape as reference

RNG = np.random.default_rng(5)
ZIPF = (drawn := RNG.zipf(2.3, 4000))[drawn < 10**6]
GEOMETRIC = RNG.geometric(0.05, 3000)
LOG_NORMAL = np.rint(np.exp(RNG.normal(2.0, 0.6, 3000))).astype(np.int64)


def law_from(degrees: NDArray[np.int64], start: int) -> PowerLaw:
    """The likeliest power law from a given start, however bad it is."""
    tail = degrees[degrees >= start]
    alpha = float(most_likely(np.array([float(start)]), np.array([np.log(tail).mean()]))[0])
    return PowerLaw(alpha, 0.0, start, len(tail), 0.0)


def compared(degrees: NDArray[np.int64], start: int = 1) -> TailComparison:
    return compare_tail(distribution(degrees), law_from(degrees, start))


def test_degrees_of_a_power_law_are_told_from_an_exponential_and_fit_no_log_normal_better() -> None:
    law = fit_power_law(distribution(ZIPF)).law
    assert law is not None
    found = compare_tail(distribution(ZIPF), law)
    assert found.over_exponential > 4
    assert found.over_log_normal > -2


def test_degrees_of_another_law_are_told_from_a_power_law() -> None:
    assert compared(GEOMETRIC).over_exponential < -10
    assert compared(LOG_NORMAL, 2).over_log_normal < -10


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(3, 60), min_size=3, max_size=40).filter(lambda some: len(set(some)) > 1))
def test_the_exponential_is_that_of_the_twin(degrees: list[int]) -> None:
    law = law_from(np.array(degrees), min(degrees))
    found = compare_tail(distribution(np.array(degrees)), law).over_exponential
    assert found == pytest.approx(reference.vuong_over_exponential(degrees, law.alpha, law.start), abs=1e-6)


@pytest.mark.parametrize("degrees", [ZIPF, GEOMETRIC, LOG_NORMAL])
def test_the_log_normal_is_a_law_and_no_other_is_likelier(degrees: NDArray[np.int64]) -> None:
    known = distribution(degrees[degrees >= 2])
    found = tail_comparison._log_normal(known.degrees.astype(np.float64), known.pages, 2)
    assert np.exp(found).sum() <= 1 + 1e-9
    total = float(found @ known.pages)
    for mu in np.linspace(-3, 4, 15):
        for sigma in (0.3, 0.6, 1.0, 2.0, 3.0):
            assert reference.log_normal_likelihood(known.degrees, known.pages, 2, mu, sigma) <= total + 1e-6


@pytest.mark.parametrize("degrees", [ZIPF, GEOMETRIC, LOG_NORMAL])
def test_the_powerlaw_package_finds_the_same_z(degrees: NDArray[np.int64]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import powerlaw

        peer = powerlaw.Fit(degrees, discrete=True, estimate_discrete=False, xmin=2, verbose=0)
        ratio, _ = peer.distribution_compare("power_law", "exponential", normalized_ratio=True)
    assert compared(degrees, 2).over_exponential == pytest.approx(float(np.ravel(ratio)[0]), rel=0.02)


def test_a_tail_of_one_degree_says_nothing_wrong() -> None:
    found = compare_tail(distribution(np.full(60, 4)), PowerLaw(19.0, 0.0, 4, 60, 0.0))
    assert np.isfinite([found.over_exponential, found.over_log_normal]).all()
