from __future__ import annotations

import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

from seedbed.shape import power_law
from seedbed.shape.degrees import distribution
from seedbed.shape.power_law import LEAST_TAIL, PowerLaw, fit_power_law, zeta
from tests.reference import shape as reference


def fitted(degrees: NDArray[np.int64]) -> PowerLaw:
    fit = fit_power_law(distribution(degrees))
    assert fit.law is not None
    assert fit.reason is None
    return fit.law


def mixed(seed: int, alpha: float, pages: int = 3000) -> NDArray[np.int64]:
    """A power law whose low degrees are drowned in noise."""
    rng = np.random.default_rng(seed)
    drawn = rng.zipf(alpha, pages)
    return np.concatenate((drawn[drawn < 10**6], rng.integers(1, 6, pages // 2)))


@pytest.mark.parametrize(("seed", "alpha"), [(1, 1.8), (2, 2.1), (3, 2.5)])
def test_the_powerlaw_package_finds_the_same_law(seed: int, alpha: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import powerlaw

        data = mixed(seed, alpha)
        peer = powerlaw.Fit(data, discrete=True, estimate_discrete=False, verbose=0)
        law = fitted(data)
        assert law.start == peer.xmin
        assert law.alpha == pytest.approx(peer.power_law.alpha, abs=2e-4)
        assert law.tail == (data >= peer.xmin).sum()
        assert law.error == pytest.approx(peer.power_law.standard_err, rel=0.02)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.floats(1.6, 3.5))
def test_the_exponent_is_the_likeliest_and_the_start_the_nearest(seed: int, alpha: float) -> None:
    data = np.minimum(np.random.default_rng(seed).zipf(alpha, 200), 2000)
    fit = fit_power_law(distribution(data))
    if fit.law is None:
        assert len(set(data.tolist())) < 2
        return
    law, degrees = fit.law, data.tolist()
    best = reference.likelihood(degrees, law.alpha, law.start)
    for step in (-1e-3, 1e-3):
        assert reference.likelihood(degrees, law.alpha + step, law.start) < best
    assert law.distance == pytest.approx(reference.law_distance(degrees, law.alpha, law.start), abs=1e-9)
    for start in sorted(set(degrees)):
        tail = data[data >= start]
        if len(tail) >= LEAST_TAIL and len(set(tail.tolist())) > 1:
            rival = power_law.most_likely(np.array([float(start)]), np.array([np.log(tail).mean()]))
            if rival[0] < 19:
                distance = reference.law_distance(degrees, float(rival[0]), start)
                assert distance >= law.distance - 1e-9


@pytest.mark.parametrize(("alpha", "start"), [(1.5, 1), (2.1, 1), (2.1, 7), (3.2, 40)])
def test_the_error_is_the_curvature_of_the_likelihood(alpha: float, start: int) -> None:
    value, first, second = (mpmath.zeta(alpha, start, derivative) for derivative in range(3))
    exact = 1 / math.sqrt(1000 * (second / value - (first / value) ** 2))
    assert power_law._error(alpha, start, 1000) == pytest.approx(exact, rel=1e-4)


def test_a_drawn_power_law_is_found_again() -> None:
    rng = np.random.default_rng(8)
    drawn = rng.zipf(2.3, 50_000)
    law = fitted(drawn[drawn < 10**7])
    assert abs(law.alpha - 2.3) < 3 * law.error


def test_many_different_degrees_are_tried_by_choice() -> None:
    degrees = np.arange(1, 5001)
    data = distribution(np.repeat(degrees, np.maximum(1, (1e6 * degrees**-2.2).astype(np.int64))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_law, "ZETA_VALUES", 100_000)
        tails = np.cumsum(data.pages[::-1])[::-1]
        starts = power_law._starts(tails)
        law = fit_power_law(data).law
    assert 16 <= len(starts) <= 20
    assert starts[:2].tolist() == [0, 1]
    assert (np.diff(np.diff(starts)) >= -1).all()
    assert law is not None
    assert law.alpha == pytest.approx(2.2, abs=0.05)


@pytest.mark.parametrize(
    ("degrees", "reason"),
    [
        ([], "only 0 pages have any"),
        ([0] * 500, "only 0 pages have any"),
        ([1, 2, 3, 4] * 12, "only 48 pages have any"),
        ([7] * 500, "all pages that have any have 7"),
        ([3] * 10**6 + [4], "falls faster than any power law"),
    ],
)
def test_where_there_is_no_law_the_reason_is_given(degrees: list[int], reason: str) -> None:
    fit = fit_power_law(distribution(np.array(degrees, np.int64)))
    assert fit.law is None
    assert fit.reason is not None
    assert reason in fit.reason


def test_zeta_is_scipys() -> None:
    rng = np.random.default_rng(1)
    alphas = np.concatenate([rng.uniform(1 + 1e-6, 20, 10_000), [1 + 1e-6, 20.0, 2.0]])
    starts = np.concatenate([rng.integers(1, 100_000, 10_000), [1, 1, 5]]).astype(np.float64)
    np.testing.assert_allclose(zeta(alphas, starts), special.zeta(alphas, starts), rtol=1e-15)
