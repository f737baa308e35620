"""Sums over lists, as PageRank and HITS use them, and the threads that share the work."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.threads import Team
from seedbed.ranking.link_sums import (
    LONG,
    PAGES_PER_PART,
    ListLayout,
    lay_out,
    part_costs,
    sum_lists,
    sum_part,
    with_filler,
)
from tests.graphs import csr, page_lists
from tests.reference.shape_webs import random_csr

quick = settings(deadline=None, max_examples=40)


def sums(lists: ListLayout, values: np.ndarray) -> list[float]:
    found = np.full(len(values), np.nan)
    for part in range(len(lists.bounds) - 1):
        sum_part(lists, part, with_filler(values), found[lists.bounds[part] : lists.bounds[part + 1]])
    return found.tolist()


def check(pages: list[list[int]]) -> None:
    """Whole numbers, so that sums in any order are the same."""
    values = np.arange(1.0, len(pages) + 1) ** 2
    with Team(2) as team:
        laid_out = lay_out(csr(pages), team)
    assert sums(laid_out, values) == [float(sum(values[page] for page in row)) for row in pages]


@quick
@given(page_lists())
def test_sums_are_those_of_plain_python(pages: list[list[int]]) -> None:
    check(pages)


@quick
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, LONG - 1, LONG, LONG + 1, LONG + 2, LONG + 3]), max_size=30), st.data()
)
def test_lists_of_all_lengths_around_the_long_ones_are_summed_whole(sizes: list[int], data: st.DataObject) -> None:
    """Lists that start at one of two pages are often equal, and so copied."""
    pages: list[list[int]] = [[] for _ in range(2 * LONG)]
    for page, size in enumerate(sizes):
        start = data.draw(st.sampled_from([0, LONG // 2]))
        pages[page] = list(range(start, start + size))
    check(pages)


@quick
@given(st.lists(st.sampled_from([0, 1, 3, 5, LONG - 1, LONG, LONG + 1, LONG + 2, LONG + 3]), max_size=30))
def test_sums_of_lists_that_are_not_laid_out_are_the_same_bits(sizes: list[int]) -> None:
    pages = [list(range(size)) for size in sizes] + [[] for _ in range(2 * LONG)]
    values = 1 / np.arange(3.0, len(pages) + 3)
    links = csr(pages)
    with Team(1) as team:
        laid_out = sums(lay_out(links, team), values)
    found = np.empty(len(pages))
    sum_lists(*links.arrays(), values, found)
    assert found.tolist() == laid_out


def test_equal_lists_stand_once() -> None:
    with Team(1) as team:
        lists = lay_out(csr([[1, 2], [0], [1, 2], [], [1, 2]]), team)
    assert lists.quad.tolist() == [[0, 1, 1, 1]]
    assert lists.lines.tolist() == [[1, 0, 0, 0], [2, 5, 5, 5]]
    assert lists.copy.tolist() == [[2, 0], [4, 0]]


def test_parts_are_laid_out_and_summed_each_for_itself() -> None:
    links = random_csr(2 * PAGES_PER_PART + 5, 6, seed=1)
    out_ptr, out_idx = links.arrays()
    values = np.arange(float(links.page_count))
    known = [values[out_idx[low:high]].sum() for low, high in pairwise(out_ptr)]
    for threads in (1, 3):
        with Team(threads) as team:
            lists = lay_out(links, team)
        assert sums(lists, values) == known
        assert len(part_costs(lists)) == 3


@quick
@given(st.lists(st.integers(0, 100), max_size=60), st.integers(1, 5))
def test_every_part_is_done_once_whoever_does_it(costs: list[int], threads: int) -> None:
    done: list[int] = []
    with Team(threads) as team:
        team.run(lambda first, last: done.extend(range(first, last)), team.shares(np.array(costs, np.int64)))
    assert sorted(done) == list(range(len(costs)))


def test_all_threads_take_part() -> None:
    """Each share waits until all three threads have come."""
    together = threading.Barrier(3, timeout=30)
    with Team(3) as team:
        team.run(lambda first, last: together.wait(), [(0, 1), (1, 2), (2, 3)])


def test_an_error_in_any_thread_is_told() -> None:
    def work(first: int, last: int) -> None:
        if first == 2:
            raise ValueError("part 2")

    with Team(2) as team, pytest.raises(ValueError, match="part 2"):
        team.run(work, [(0, 1), (1, 2), (2, 3), (3, 4)])
