"""Wide numbers, the heap of pages and the selection of the best, against exact numbers and sorted lists."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.kernels import kernel
from seedbed.crawling.crawl_state import CrawlState, new_crawl_state
from seedbed.crawling.frontier.heap import Heap, heap_put, heap_raise, heap_take, make_heap
from seedbed.crawling.frontier.partial_sort import MASS, best_first
from seedbed.crawling.wide_floats import alike, normalized, plus, to_32_bits, to_float

MANTISSAS = st.floats(2.0**-256, 2.0**256, exclude_max=True)
BLOCKS = st.integers(-4, 0)


def exact(mantissa: float, block: int) -> Fraction:
    """The value of a wide number."""
    return Fraction(mantissa) * Fraction(2) ** (512 * block)


def compared(mantissa: float, block: int) -> Fraction:
    """What heaps compare."""
    return exact(to_32_bits(mantissa), block)


@kernel
def total(values: Any) -> float:
    """The sum of float64s as wide numbers, back as a float64."""
    mantissa, block = normalized(values[0], 0)
    for k in range(1, values.size):
        other, other_block = normalized(values[k], 0)
        mantissa, block = plus(mantissa, block, other, other_block)
    return to_float(mantissa, block)


@kernel
def shrunk(factor: float, times: int) -> Any:
    """1, multiplied by a factor again and again."""
    mantissa, block = 1.0, 0
    for _ in range(times):
        mantissa, block = normalized(mantissa * factor, block)
    return mantissa, block


@given(st.lists(st.floats(2.0**-700, 2.0**700), min_size=1, max_size=20))
@settings(deadline=None, max_examples=200)
def test_wide_sums_are_those_of_float64_bit_for_bit(values: list[float]) -> None:
    result = values[0]
    for value in values[1:]:
        result += value
    assert total(np.array(values)) == result


@given(MANTISSAS, BLOCKS, MANTISSAS, BLOCKS)
@settings(deadline=None, max_examples=200)
def test_wide_sums_are_rounded_correctly_at_any_size(one: float, block: int, two: float, other: int) -> None:
    mantissa, top = plus(one, block, two, other)
    assert 2.0**-256 <= mantissa < 2.0**256
    assert mantissa == float((exact(one, block) + exact(two, other)) / Fraction(2) ** (512 * top))


def test_wide_products_do_not_underflow() -> None:
    for factor, times in ((0.85 / 101, 100_000), (1 / 7, 20_000), (2.0**-60, 30_000)):
        mantissa, block = shrunk(factor, times)
        assert 2.0**-256 <= mantissa < 2.0**256
        logarithm = math.log(mantissa) + 512 * block * math.log(2)
        assert math.isclose(logarithm, math.log(factor) * times, rel_tol=1e-12)
        assert to_float(mantissa, block) == 0


def test_nothing_stays_nothing() -> None:
    assert normalized(0.0, -3) == (0.0, -3)
    assert to_float(0.0, -3) == 0


@kernel
def in_kernel_to_32_bits(value: float) -> float:
    """As kernels round."""
    return to_32_bits(value)


@given(st.floats(2.0**-256, 2.0**256) | st.integers(0, 2**40).map(float))
@settings(deadline=None, max_examples=200)
def test_numbers_are_rounded_to_the_nearest_of_32_bits_in_python_as_in_kernels(value: float) -> None:
    rounded = to_32_bits(value)
    assert rounded == in_kernel_to_32_bits(value)
    mantissa, exponent = math.frexp(rounded)
    assert (mantissa * 2**32).is_integer()
    assert abs(Fraction(rounded) - Fraction(value)) <= Fraction(2) ** (exponent - 33)
    assert rounded == value or value >= 2**32 or not value.is_integer()


@given(MANTISSAS, st.integers(-(2**24), 2**24))
@settings(deadline=None, max_examples=200)
def test_mantissas_are_alike_where_their_first_32_bits_are(value: float, bits_apart: int) -> None:
    bits = np.array([value]).view(np.int64)
    other = float((bits + bits_apart).view(np.float64)[0])
    assert alike(value, other) == alike(other, value) == (to_32_bits(value) == to_32_bits(other))


def test_equal_sums_of_other_parts_are_alike_and_what_differs_in_the_ninth_digit_is_not() -> None:
    assert 0.7 + 0.1 != 0.3 + 0.5  # both are 0.8
    assert alike(0.7 + 0.1, 0.3 + 0.5)
    assert not alike(0.8, 0.8 * (1 + 1e-9))
    assert alike(0.0, 0.0)


@kernel
def put(heap: Any, state: Any, page: int, mantissa: float, block: int) -> None:
    """Queue a page."""
    heap_put(heap, state, page, mantissa, block)


@kernel
def add(heap: Any, state: Any, page: int, mantissa: float, block: int) -> None:
    """Raise a page."""
    heap_raise(heap, state, page, mantissa, block)


@kernel
def take(heap: Any, state: Any) -> Any:
    """Take the first page."""
    return heap_take(heap, state)


PAGES = 30
SCORES = st.tuples(
    st.sampled_from([0.5, 0.7 + 0.1, 0.3 + 0.5, 1.0, 2.0, 3.0, 2.0**-200, 2.0**250]), st.sampled_from([0, 0, 0, -1, -2])
)
STEPS = st.lists(st.one_of(st.tuples(st.integers(0, PAGES - 1), SCORES), st.none()), max_size=200)


def started(numbers: list[int]) -> tuple[Heap, CrawlState]:
    """An empty heap, and pages discovered in some order."""
    state = new_crawl_state(PAGES, PAGES)
    state.number[:] = numbers
    return make_heap(PAGES), state


@given(STEPS, st.permutations([*range(1, 16), *range(-30, -15)]))
@settings(deadline=None, max_examples=150)
def test_the_heap_gives_the_largest_and_of_equal_ones_the_first_discovered(steps: list[Any], numbers: Any) -> None:
    heap, state = started(numbers)
    queued: dict[int, tuple[float, int]] = {}
    for step in [*steps, *[None] * PAGES]:
        if step is not None:
            page, (mantissa, block) = step
            (add if page in queued else put)(heap, state, page, mantissa, block)
            queued[page] = plus(*queued[page], mantissa, block) if page in queued else (mantissa, block)
        elif queued:
            best = min(queued, key=lambda page: (-compared(*queued[page]), abs(numbers[page])))
            assert take(heap, state) == (best, *queued.pop(best))
        else:
            assert take(heap, state)[0] == -1
        places = [int(place) - 1 for place in heap.place]
        assert all((places[page] >= 0) == (page in queued) for page in range(PAGES))
        assert heap.slots["page"][[places[page] for page in queued]].tolist() == list(queued)


@given(st.lists(SCORES, min_size=1, max_size=150), st.integers(1, 150), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=150)
def test_the_best_come_to_the_front_sorted(scores: list[tuple[float, int]], size: int, random: Any) -> None:
    pages, size = len(scores), min(size, len(scores))
    mass = np.zeros(pages, MASS)
    mass["mantissa"], mass["block"] = zip(*scores, strict=True)
    number = np.array(random.sample(range(1, pages + 1), pages), np.int32) * np.int32(random.choice([1, -1]))
    candidates = np.array(random.sample(range(pages), pages), np.int32)
    best_first(candidates, pages, size, mass, number)
    expected = sorted(range(pages), key=lambda page: (-compared(*scores[page]), abs(number[page])))
    assert candidates[:size].tolist() == expected[:size]
    assert sorted(candidates.tolist()) == list(range(pages))
