from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from seedbed.errors import OptionError
from seedbed.evaluation.crawl_measures import area, area_share
from seedbed.evaluation.intervals import (
    Interval,
    by_doubt,
    difference,
    halves_interval,
    jackknife_interval,
    joint_confidence,
    mean_interval,
    paired_interval,
    ratio_values,
    share_difference,
    share_interval,
    slope_interval,
)
from tests.reference import evaluation as reference

numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def test_an_interval_worked_out_by_hand() -> None:
    # mean 4, s² = (9 + 1 + 1 + 9)/3 = 20/3, error = √(20/3/4) = 1.29099, t(0.975, 3) = 3.18245
    found = mean_interval([1, 3, 5, 7])
    assert (found.mean, found.n) == (4.0, 4)
    assert found.error == pytest.approx(1.290994)
    assert (found.low, found.high) == (pytest.approx(4 - 4.108528, abs=1e-4), pytest.approx(4 + 4.108528, abs=1e-4))


def test_one_value_has_no_interval_and_says_so() -> None:
    found = mean_interval([2.5])
    assert found == Interval(2.5, None, None, 1)
    assert "one value, no interval" in str(found)
    assert not found.above_zero
    assert not found.below_zero


def test_nothing_has_no_mean() -> None:
    with pytest.raises(OptionError, match="at least one value"):
        mean_interval([])
    with pytest.raises(OptionError, match="3 values cannot be paired with 2"):
        paired_interval([1, 2, 3], [1, 2])


@settings(deadline=None, max_examples=80)
@given(st.lists(numbers, min_size=2, max_size=30))
def test_scipy_finds_the_same_interval(values: list[float]) -> None:
    found = mean_interval(values)
    error = stats.sem(values)
    if error == 0:
        assert found.low == found.high == found.mean
        return
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), error)
    assert (found.low, found.high) == (pytest.approx(low, rel=1e-9, abs=1e-6), pytest.approx(high, rel=1e-9, abs=1e-6))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30))
def test_a_paired_interval_excludes_zero_just_where_the_t_test_says_so(pairs: list[tuple[float, float]]) -> None:
    ours, others = np.array(pairs).T
    difference = ours - others
    if np.ptp(difference) < 1e-3:
        return
    found = paired_interval(ours, others)
    probability = stats.ttest_rel(ours, others).pvalue
    if abs(probability - 0.05) > 1e-9:
        assert (found.above_zero or found.below_zero) == (probability < 0.05)


@settings(deadline=None, max_examples=60)
@given(st.lists(numbers, min_size=2, max_size=20), st.lists(numbers, min_size=2, max_size=20))
def test_a_difference_that_is_not_paired_is_welchs(ours: list[float], others: list[float]) -> None:
    found = difference(mean_interval(ours), mean_interval(others))
    assert found.mean == pytest.approx(np.mean(ours) - np.mean(others), abs=1e-6)
    if min(np.ptp(ours), np.ptp(others)) < 1e-3:
        return
    expected = stats.ttest_ind(ours, others, equal_var=False).confidence_interval(0.95)
    assert found.low == pytest.approx(expected.low, rel=1e-6, abs=1e-6)
    assert found.high == pytest.approx(expected.high, rel=1e-6, abs=1e-6)


def test_a_difference_to_one_value_has_no_interval() -> None:
    assert difference(mean_interval([1.0, 2.0]), mean_interval([1.0])) == Interval(0.5, None, None, 1)
    level = difference(mean_interval([2.0, 2.0]), mean_interval([1.0, 1.0]))
    assert (level.low, level.high) == (1.0, 1.0)


def test_pairing_sees_what_means_alone_do_not() -> None:
    others = np.array([1.0, 10.0, 100.0, 1000.0])
    ours = others + np.array([1.0, 1.1, 0.9, 1.0])
    assert paired_interval(ours, others).above_zero
    assert not mean_interval(ours - others.mean()).above_zero


def test_the_lead_that_speaks_most_against_a_claim_is_not_always_the_smallest() -> None:
    small_and_sure = Interval(0.1, 0.05, 0.15, 10)
    large_and_perhaps_chance = Interval(0.3, -0.1, 0.7, 10)
    surely_none = Interval(-0.1, -0.15, -0.05, 10)
    perhaps_none = Interval(-0.2, -0.5, 0.1, 10)
    leads = [small_and_sure, large_and_perhaps_chance, surely_none, perhaps_none]
    assert sorted(leads, key=by_doubt) == [surely_none, perhaps_none, large_and_perhaps_chance, small_and_sure]


def test_intervals_that_hold_together_are_wider() -> None:
    assert joint_confidence(1) == pytest.approx(0.95)
    assert joint_confidence(10) == pytest.approx(0.995)
    alone, with_others = mean_interval([1, 3, 5, 7]), mean_interval([1, 3, 5, 7], joint_confidence(10))
    assert alone.low is not None
    assert with_others.low is not None
    assert with_others.mean == alone.mean
    assert with_others.low < alone.low


def test_a_ratio_of_means_has_the_error_of_cochran() -> None:
    ours, base = np.array([1.0, 4.0, 4.0]), np.array([1.0, 2.0, 3.0])
    # R = 9/6; x − R·b = −0.5, 1, −0.5; error² = (0.25 + 1 + 0.25)/2 / 3 / 2²
    found = mean_interval(ratio_values(ours, base))
    assert found.mean == pytest.approx(1.5)
    assert found.error == pytest.approx(math.sqrt(1.5 / 2 / 3 / 4))


def test_halves_of_a_sample_spread_as_the_mean_of_the_sample_errs() -> None:
    sample = np.random.default_rng(3).normal(5, 2, 40)
    drawn = np.random.default_rng(4)
    means = [drawn.choice(sample, 20, replace=False).mean() for _ in range(4000)]
    found = halves_interval(means)
    assert found.error == pytest.approx(sample.std(ddof=1) / math.sqrt(40), rel=0.05)
    more = halves_interval(means * 2)
    assert (more.low, more.high) == (pytest.approx(found.low, abs=1e-3), pytest.approx(found.high, abs=1e-3))
    assert halves_interval([2.0]) == Interval(2.0, None, None, 1)


@pytest.mark.parametrize(("hits", "count"), [(0, 5), (5, 5), (3, 10), (1, 1), (45, 100)])
def test_the_interval_of_a_share_is_exact(hits: int, count: int) -> None:
    found = share_interval(hits, count)
    expected = stats.binomtest(hits, count).proportion_ci(method="exact")
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert found.mean == hits / count


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="at least one"):
        share_interval(0, 0)


def test_an_interval_knows_its_confidence() -> None:
    assert mean_interval([1, 2], joint_confidence(5)).confidence == pytest.approx(0.99)
    assert paired_interval([1, 2], [0, 0], joint_confidence(5)).confidence == pytest.approx(0.99)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12))
def test_the_jackknife_of_a_mean_is_the_interval_of_the_mean(values: list[float]) -> None:
    numbers = np.array(values)
    without = [np.delete(numbers, at).mean() for at in range(len(numbers))]
    found, known = jackknife_interval(float(numbers.mean()), without), mean_interval(numbers)
    for name in ("mean", "low", "high", "error"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), abs=1e-6)
    assert jackknife_interval(3.0, [3.0]).low is None


def test_a_difference_of_shares_by_hand() -> None:
    """Newcombe 1998, table II, 56/70 and 48/80, from Wilson's intervals: 0.0524 to 0.3339."""
    one, other = Interval(0.8, 0.6918, 0.8773, 70), Interval(0.6, 0.4904, 0.7004, 80)
    found = share_difference(one, other)
    assert (found.mean, found.low, found.high) == (
        pytest.approx(0.2), pytest.approx(0.0524, abs=2e-3), pytest.approx(0.3339, abs=2e-3),
    )  # fmt: skip
    exact = share_difference(one, Interval(0.5, 0.5, 0.5, 9))
    assert (exact.low, exact.high) == (pytest.approx(0.1918), pytest.approx(0.3773))
    assert share_difference(one, Interval(0.5, None, None, 1)).low is None


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-90, 90)), min_size=3, max_size=9))
def test_a_slope_is_that_of_scipy(points: list[tuple[int, int]]) -> None:
    x, y = zip(*points, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    found, known = slope_interval(x, y), stats.linregress(x, y)
    assert found.mean == pytest.approx(known.slope, abs=1e-9)
    reach = stats.t.ppf(0.975, len(x) - 2) * known.stderr
    assert found.high == pytest.approx(known.slope + reach, abs=1e-4)


def test_a_slope_needs_two_places_and_for_an_interval_three_points() -> None:
    assert slope_interval([1, 2], [3, 5]).low is None
    for x in ([1], [2, 2]):
        with pytest.raises(OptionError, match="two places"):
            slope_interval(x, x)


def test_an_area_worked_out_by_hand() -> None:
    # From (0, 0) to (2, 1) a triangle of 1, to (4, 1) a box of 2, then level to 6: 2 more.
    assert area(np.array([2, 4]), np.array([1.0, 1.0]), 6) == 5.0
    assert area(np.array([2, 4]), np.array([1.0, 1.0]), 1) == 0.25
    # The bound is 1 after the first page: half of it up to there, then 5.
    share = area_share(np.array([2, 4]), np.array([1.0, 1.0]), np.array([1, 6]), np.array([1.0, 1.0]))
    assert share == pytest.approx(5 / 5.5)


def test_where_nothing_can_be_gained_nothing_is_missed() -> None:
    assert area_share(np.array([3]), np.array([0.0]), np.array([3]), np.array([0.0])) == 1.0


def test_curves_of_unequal_length_are_refused() -> None:
    with pytest.raises(OptionError, match="2 points and 1 values"):
        area(np.array([1, 2]), np.array([1.0]), 2)


@st.composite
def curves(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    fetched = sorted(draw(st.sets(st.integers(1, 50), min_size=1, max_size=12)))
    gains = draw(st.lists(st.integers(0, 1000), min_size=len(fetched), max_size=len(fetched)))
    return fetched, (np.cumsum(gains) / 1000).tolist()


@settings(deadline=None, max_examples=60)
@given(curves(), st.integers(1, 60))
def test_the_area_is_that_of_the_naive_sum(one: tuple[list[int], list[float]], budget: int) -> None:
    fetched, mass = one
    heights = [reference.height(fetched, mass, x) for x in range(budget + 1)]
    expected = sum((low + high) / 2 for low, high in pairwise(heights))
    assert area(np.array(fetched), np.array(mass), budget) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(curves(), st.floats(0, 1))
def test_a_share_of_the_bound_is_from_nothing_to_all(one: tuple[list[int], list[float]], part: float) -> None:
    fetched, mass = (np.array(values) for values in one)
    found = area_share(fetched, part * mass, fetched, mass)
    assert found == pytest.approx(part if mass.any() else 1.0, abs=1e-9)
    assert math.isfinite(found)
