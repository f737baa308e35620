"""Seeds by a ranking are those of their naive twins, and on drawn webs those found by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.ranking.harmonic import harmonic as rank_by_harmonic
from seedbed.ranking.pagerank import pagerank as rank_by_pagerank
from seedbed.seeds import heuristics
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Pick
from seedbed.seeds.select import select
from seedbed.urls.sites import Sites
from tests.graphs import web_of
from tests.reference import heuristics as reference
from tests.reference.coverage import Task
from tests.reference.shape_webs import csr_of
from tests.test_seeds_coverage_twins import problem_of, tasks

Twin = Callable[[Task, int], list[int]]


def draws_of(task: Task) -> list[float]:
    """The numbers that problem_of() draws first."""
    return np.random.default_rng(1).random(len(task.graph)).tolist()


PAIRS: dict[str, Twin] = {
    "outdegree": reference.outdegree,
    "indegree": reference.by_indegree,
    "random": lambda task, k: reference.from_top(task, draws_of(task), k),
    # Rankings have twins of their own; sums in another order would only break ties.
    "pagerank": lambda task, k: reference.from_top(task, rank_by_pagerank(Web(csr_of(task.graph))).scores.tolist(), k),
    "harmonic": lambda task, k: reference.from_top(task, rank_by_harmonic(Web(csr_of(task.graph))).scores.tolist(), k),
}


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=60)
@given(task=tasks(), k=st.integers(0, 6))
def test_fast_and_naive_choose_the_same(name: str, task: Task, k: int) -> None:
    strategy: Callable[..., list[Pick]] = getattr(heuristics, name)
    assert [pick.page for pick in strategy(problem_of(task), k)] == PAIRS[name](task, k)


@settings(deadline=None, max_examples=80)
@given(task=tasks(), k=st.integers(0, 6), most=st.integers(1, 3), data=st.data())
def test_the_sampler_and_its_twin_choose_the_same(task: Task, k: int, most: int, data: st.DataObject) -> None:
    pages = len(task.graph)
    domains = data.draw(st.lists(st.integers(0, 2), min_size=pages, max_size=pages))
    problem = problem_of(task)
    names = ["a.org", "b.org", "c.org"]
    problem.web = Web(csr_of(task.graph), hosts=Sites("host", np.array(domains, np.int32), names))
    found = heuristics.sampler(problem, k, max_per_domain=most)
    assert [pick.page for pick in found] == reference.sampler(task, draws_of(task), domains, most, k)


class Drawn:
    """Stands in for a source of random numbers: these ones."""

    def __init__(self, *numbers: float) -> None:
        self._numbers = np.array(numbers)

    def random(self, count: int) -> np.ndarray:
        return self._numbers[:count]


def chosen(strategy: Callable[..., list[Pick]], lists: list[list[int]], *draws: float) -> list[int]:
    web = web_of(lists)
    return [pick.page for pick in strategy(Problem(web, np.ones(web.page_count), random=Drawn(*draws)), 9)]  # type: ignore[arg-type]


def test_random_takes_the_largest_draws_first() -> None:
    assert chosen(heuristics.random, [[], [], [], []], 0.3, 0.9, 0.5, 0.3) == [1, 2, 0, 3]


def test_random_takes_crawled_pages_and_others_only_after_them() -> None:
    web = replace(web_of([[], [], [], []]), columns={"crawled": np.array([1, 0, 1, 0])})
    few, all_four = (select(web, "random", k) for k in (2, 4))
    assert sorted(few.pages.tolist()) == [0, 2]
    assert few.notes == ("drawn from the pages that were crawled, because the links of others are unknown.",)
    assert {seed.reason for seed in few} == {"drawn at random from crawled pages"}
    assert sorted(all_four.pages.tolist()[:2]) == [0, 2]
    assert all_four.notes[1] == "some of the seeds were never crawled, because there are too few crawled pages."
    assert [seed.reason for seed in all_four][2:] == ["drawn at random, never crawled"] * 2
    assert all(0 <= seed.score < 1 for seed in all_four)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 30), st.integers(0, 9))
def test_no_other_page_is_drawn_while_a_crawled_one_is_left(flags: list[bool], k: int, seed: int) -> None:
    web = replace(web_of([[] for _ in flags]), columns={"crawled": np.array(flags)})
    pages = select(web, "random", k, seed=seed).pages
    assert len(pages) == min(k, len(flags))
    assert np.count_nonzero(np.array(flags)[pages]) == min(k, sum(flags))


def test_inside_sites_random_takes_crawled_pages_too() -> None:
    urls = [f"http://{host}.example/{page}" for host in "ab" for page in range(10)]
    web = replace(web_of([[] for _ in urls], urls), columns={"crawled": np.arange(20) % 5 == 0})
    found = select(web, "random", 4, per_site="host")
    assert sorted(found.pages.tolist()) == [0, 5, 10, 15]
    assert len(found.notes) == 1


def test_the_sampler_by_hand() -> None:
    """Links to the pages: 3, 1, 0, 0. 0.4 · ln 4 = 0.55 < 0.9 · ln 2 = 0.62; the others have 0, whatever was drawn."""
    assert chosen(heuristics.sampler, [[1], [0], [0], [0]], 0.4, 0.9, 0.99, 0.99) == [1, 0, 2, 3]
    assert chosen(heuristics.sampler, [[1], [0], [0], [0]], 0.5, 0.9, 0.99, 0.99) == [0, 1, 2, 3]


def test_pagerank_and_harmonic_by_hand() -> None:
    """All link to 2, which links to 1. Within reach of 1: 2 at one link, 0 and 3 at two: 1 + 2/2 = 2; of 2: 3.

    In PageRank 1 has all of what 2 has to give, and that is more than 2 gets: x₁ = c + α·x₂ and x₂ = c + α·(x₁ + 2c).
    """
    lists = [[2], [2], [1], [2]]
    assert chosen(heuristics.harmonic, lists) == [2, 1, 0, 3]
    assert chosen(heuristics.pagerank, lists) == [2, 1, 0, 3]
