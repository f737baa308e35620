"""What the strategies stand on: exact sums of values, walks of many searches at once, sketches, the gain curve."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.links.transpose import transposed
from seedbed.seeds.coverage.covered import Covered, whole_units
from seedbed.seeds.coverage.greedy import greedy
from seedbed.seeds.coverage.sketches import Samples, Sketches
from seedbed.seeds.gain import enough, gain_of
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Gain
from tests.reference import coverage as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr


def curve(*values: float, total: float = 100.0) -> Gain:
    return Gain(np.arange(1, len(values) + 1), np.array(values, np.float64), 1000, total)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-(2**30), 2**30).map(lambda n: n / 256), max_size=30))
def test_dyadic_values_are_held_exactly(values: list[float]) -> None:
    units, unit = whole_units(np.array(values, np.float64))
    assert [one * unit for one in units.tolist()] == values
    assert sum(units.tolist()) * unit == math.fsum(values)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30))
def test_any_values_are_held_to_one_part_in_2_to_the_50_of_the_largest(values: list[float]) -> None:
    units, unit = whole_units(np.array(values, np.float64))
    largest = max(map(abs, values))
    assert abs(sum(abs(one) for one in units.tolist())) < 2**61 + len(values)
    if largest > 1e-280:
        assert all(
            abs(one * unit - value) <= largest / 2**50 for one, value in zip(units.tolist(), values, strict=True)
        )


@settings(deadline=None, max_examples=60)
@given(graph=graphs(), data=st.data(), depth=st.integers(0, 4), hops=st.integers(0, 4))
def test_gains_are_what_lies_within_depth_and_is_not_covered(
    graph: reference.Graph, data: st.DataObject, depth: int, hops: int
) -> None:
    pages = len(graph)
    values = data.draw(st.lists(st.integers(-5, 5), min_size=pages, max_size=pages))
    seeds = data.draw(st.lists(st.integers(0, pages - 1), max_size=2)) if pages else []
    with Covered(csr_of(graph), np.array(values, np.float64), hops, threads=2) as covered:
        for seed in seeds:
            covered.cover(seed)
        task = reference.Task(graph, values, hops, taken=tuple(seeds))
        gains, plus = covered.gains(np.arange(pages, dtype=np.int32), depth)
        bounds = covered.bounds(depth)
        assert (gains * covered.unit).tolist() == [task.weight(page, depth) for page in range(pages)]
        assert (plus >= gains).all()
        assert (bounds >= plus).all()
        assert covered.pages == len(task.covered)
        assert covered.value == sum(values[page] for page in task.covered)


def test_more_than_64_searches_and_several_threads_find_what_one_by_one_finds() -> None:
    links = random_csr(1000, 3, seed=1)
    values = np.random.default_rng(1).integers(0, 9, links.page_count).astype(np.float64)
    pages = np.arange(links.page_count, dtype=np.int32)
    with Covered(links, values, 4) as alone, Covered(links, values, 4, threads=3) as threads:
        one_by_one = [int(alone.gains(pages[k : k + 1], 3)[0][0]) for k in range(links.page_count)]
        assert threads.gains(pages, 3)[0].tolist() == one_by_one


def test_hops_beyond_255_are_hops() -> None:
    links = csr_of([{page + 1} for page in range(399)] + [set()])
    covered = Covered(links, np.ones(400), 300)
    assert len(covered.cover(0).pages) == 301
    assert len(covered.cover(300).pages) == 99


def estimates(sketches: Sketches, pages: int) -> np.ndarray:
    sketches.fullest(1, np.ones(pages, np.bool_))
    heavy = sketches._heavy[0] if len(sketches._heavy[0]) else 0
    return sketches.unit * sketches._light[0] + heavy


@settings(deadline=None, max_examples=60)
@given(graph=graphs(), data=st.data(), hops=st.integers(0, 4), threads=st.integers(1, 2))
def test_when_every_page_is_sampled_estimates_are_exact_also_after_seeds(
    graph: reference.Graph, data: st.DataObject, hops: int, threads: int
) -> None:
    pages = len(graph)
    kind = data.draw(st.sampled_from([st.just(1), st.sampled_from([0, 1, 7, -10, 0.5])]))
    values = np.array(data.draw(st.lists(kind, min_size=pages, max_size=pages)), np.float64)
    links = csr_of(graph)
    with Covered(links, values, hops, threads=threads) as covered:
        samples = Samples(covered.left, np.random.default_rng(1).random(pages))
        sketches = Sketches(covered, samples, transposed(links), threads)
        while not sketches.is_whole:
            sketches.more()
        for page in data.draw(st.lists(st.integers(0, pages - 1), max_size=3)) if pages else []:
            sketches.forget(covered.cover(page))
        gains, _ = covered.gains(np.arange(pages, dtype=np.int32), hops)
        assert estimates(sketches, pages).tolist() == gains.tolist()


def test_estimates_from_a_part_of_the_pages_are_right_on_average() -> None:
    links = random_csr(2000, 2, seed=3)
    values = np.random.default_rng(3).choice([1.0, 2.0, 30.0, -4.0], links.page_count)
    back = transposed(links)
    total = np.zeros(links.page_count)
    rounds = 200
    with Covered(links, values, 3) as covered:
        exact, _ = covered.gains(np.arange(links.page_count, dtype=np.int32), 3)
        for seed in range(rounds):
            samples = Samples(covered.left, np.random.default_rng(seed).random(links.page_count))
            sketches = Sketches(covered, samples, back, 1)
            sketches.more()
            sketches.more()
            assert not sketches.is_whole
            total += estimates(sketches, links.page_count)
    off = (total / rounds - exact) / exact.max()
    assert np.abs(off).max() < 0.1
    assert abs(off.mean()) < 0.005


@settings(deadline=None, max_examples=60)
@given(graph=graphs(), data=st.data(), hops=st.integers(0, 4))
def test_the_gain_curve_is_what_the_seeds_cover(graph: reference.Graph, data: st.DataObject, hops: int) -> None:
    pages = len(graph)
    values = data.draw(st.lists(st.integers(-3, 9), min_size=pages, max_size=pages))
    seeds = data.draw(st.lists(st.integers(0, pages - 1), max_size=4)) if pages else []
    split = data.draw(st.integers(0, len(seeds)))
    gain = gain_of(Web(csr_of(graph)), seeds[split:], np.array(values, np.float64), hops, taken=seeds[:split])
    found = list(zip(gain.pages.tolist(), gain.value.tolist(), strict=True))
    assert found == reference.gain(graph, seeds, values, hops)[split:]
    assert (gain.total_pages, gain.total_value) == (pages, sum(max(value, 0) for value in values))


def test_the_value_of_greedys_seeds_is_the_sum_of_their_scores() -> None:
    links = random_csr(500, 1.5, seed=8)
    values = np.random.default_rng(8).random(links.page_count)
    picks = greedy(Problem(Web(links), values, 2), 12)
    gain = gain_of(Web(links), [pick.page for pick in picks], values, 2)
    assert np.allclose(gain.value, np.cumsum([pick.score for pick in picks]), rtol=1e-12)


def test_seeds_pay_up_to_the_knee() -> None:
    # The mean is 12 a seed: the first two bring 50 and 30, the third 10.
    assert curve(50, 80, 90, 92, 93, 94, 95, 96).pays_until == 2
    assert curve(90, 90, 90).pays_until == 1
    assert curve(10, 20, 30, 40).pays_until == 4
    assert curve(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7).pays_until == 7
    assert curve(7).pays_until == 1
    assert curve().pays_until == 0
    assert curve(0, 0).pays_until == 0
    # What held seeds cover is where the curve begins: these bring 10 each.
    assert replace(curve(60, 70, 80), held_value=50.0).pays_until == 3
    assert replace(curve(50, 50), held_value=50.0).pays_until == 0


def test_after_the_knee_every_further_seed_brings_less_than_the_mean() -> None:
    links = random_csr(800, 1.4, seed=2)
    problem = Problem(Web(links), np.ones(links.page_count), 3)
    picks = greedy(problem, 60)
    gain = gain_of(problem.web, [pick.page for pick in picks], problem.values, 3)
    steps, knee = np.diff(gain.value, prepend=0.0), gain.pays_until
    assert 1 < knee < len(picks)
    assert (steps[knee:] <= steps.mean()).all()
    assert (steps[:knee] >= steps.mean()).all()


def test_enough_is_the_fewest_seeds_that_cover_a_share() -> None:
    gain = curve(50, 80, 90, 92)
    assert [enough(gain, share) for share in (0, 0.5, 0.51, 0.9, 0.92, 0.95, 1)] == [0, 1, 2, 3, 4, 4, 4]
    assert [enough(replace(gain, held_value=40.0), share) for share in (0.4, 0.41)] == [0, 1]
    for share in (-0.1, 1.5, math.nan):
        with pytest.raises(OptionError, match="share of the value"):
            enough(gain, share)
