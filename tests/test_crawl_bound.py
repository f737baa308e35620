"""The bound: by hand, against all that can be tried, and against every order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.bound import bound
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.orders import find_order
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from seedbed.ranking.pagerank import pagerank
from tests.crawls import Case, as_bvgraph, built_in_orders, cases, wide_case
from tests.graphs import web_of
from tests.reference import bound as reference

FEW = 6
"""Pages of webs on which every crawl is tried."""


def worth(pages: int, negative: bool = False) -> st.SearchStrategy[list[int]]:
    """Whole numbers, whose sums are exact."""
    return st.lists(st.integers(-9 if negative else 0, 9), min_size=pages, max_size=pages)


@st.composite
def tiny(draw: st.DrawFn) -> tuple[Case, list[int]]:
    case = draw(cases().filter(lambda case: len(case.lists) <= FEW))
    return case, draw(worth(len(case.lists), negative=True))


def bound_of(case: Case, values: list[int]) -> list[float]:
    return bound(case.web, case.seeds, np.array(values), case.budget, conditions=case.conditions).tolist()


def test_the_bound_by_hand() -> None:
    # 0 links to 1 and 2, 1 to 3. The best page, 3, lies two links from the seed, so it is third at the earliest.
    web = web_of([[1, 2], [3], [], []])
    assert bound(web, [0], np.array([1.0, 2.0, 3.0, 9.0])).tolist() == [0, 1, 4, 13, 15]


def test_best_first_by_true_value_is_an_order_and_is_beaten_where_the_bound_is_not() -> None:
    # Behind page 1, which is worth least, lies the page that is worth most. Best-first goes the other way.
    web = web_of([[1, 2, 3], [4], [], [], []], [f"http://{page}.example/" for page in range(5)])
    values = np.array([0.1, 0.0, 0.2, 0.2, 0.5])
    greedy = np.cumsum(values[crawl(web, [0], "oracle", 3, scores=values).pages])
    other = np.cumsum(values[[0, 1, 4]])
    assert other[-1] > greedy[-1]
    assert (bound(web, [0], values)[1:4] >= np.maximum(greedy, other)).all()


@settings(deadline=None, max_examples=150)
@given(tiny())
def test_no_crawl_at_all_beats_the_bound(one: tuple[Case, list[int]]) -> None:
    case, values = one
    found = bound_of(case, values)
    crawled = reference.crawls(case.lists, case.seeds, case.limits)
    best = reference.most_of_all_crawls(crawled, values, case.budget)
    assert all(found[min(at, len(found) - 1)] >= most for at, most in enumerate(best))


@settings(deadline=None, max_examples=150)
@given(tiny())
def test_the_bound_is_the_most_of_all_lists_that_keep_to_depths(one: tuple[Case, list[int]]) -> None:
    case, values = one
    assert bound_of(case, values) == reference.bound(case.lists, case.seeds, values, case.budget, case.limits)


@pytest.mark.parametrize("name", built_in_orders())
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_no_order_beats_the_bound(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(polite=None if find_order(name).polite else False))
    values = np.array(data.draw(worth(len(case.lists))))
    run = case.run(name, scores=values.astype(float))
    found = bound(case.web, case.seeds, values, case.budget, conditions=case.conditions)
    assert (found[1 : len(run) + 1] >= np.cumsum(values[run.pages])).all()


def test_both_link_stores_have_the_same_bound(tmp_path: Path) -> None:
    case = wide_case()
    web, scores = case.web, pagerank(case.web).scores
    conditions = Conditions(failure=0.1, max_depth=3, per_host=15)
    expected = bound(web, case.seeds, scores, conditions=conditions)
    assert len(expected) > 100
    packed = as_bvgraph(web, tmp_path / "web")
    np.testing.assert_array_equal(bound(packed, case.seeds, scores, conditions=conditions), expected)


def test_without_limits_the_bound_of_a_flat_web_is_the_sum_of_the_largest() -> None:
    values = np.random.default_rng(1).random(50)
    web = web_of([list(range(1, 50))] + [[]] * 49)
    expected = values[0] + np.concatenate([[0.0], np.cumsum(np.sort(values[1:])[::-1])])
    np.testing.assert_allclose(bound(web, [0], values)[1:], expected)


def test_where_nothing_can_be_fetched_the_bound_is_nothing() -> None:
    web = web_of([[1], []], ["http://a/", "http://b/"])
    assert bound(web, [0], np.ones(2), conditions=Conditions(failure=1.0)).tolist() == [0]
    assert bound(web, [0], np.ones(2), conditions=Conditions(failure=1.0, per_host=1)).tolist() == [0]


def test_a_host_that_is_only_reached_over_too_many_pages_of_another_adds_nothing() -> None:
    web = web_of([[1], [2], [3], []], ["http://a/", "http://a/1", "http://a/2", "http://b/"])
    assert bound(web, [0], np.array([1.0, 2.0, 3.0, 9.0]), conditions=Conditions(per_host=1)).tolist() == [0, 3, 3]


def test_values_of_another_web_are_refused() -> None:
    with pytest.raises(OptionError, match="the web has 2 pages"):
        bound(web_of([[1], []]), [0], np.ones(3))


def test_the_bound_of_a_case_with_ticks_is_that_without() -> None:
    case = wide_case()
    polite = replace(case, conditions=Conditions(fetches_per_tick=3))
    values = list(range(len(case.lists)))
    assert bound_of(polite, values) == bound_of(case, values)
