"""RankMass and Windowed RankMass: twins, breadth-first at 100 %, and a bound that holds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from seedbed.ranking.pagerank import pagerank
from tests.crawls import Case, cases, facts, twin_facts
from tests.graphs import web_of
from tests.reference.crawl_mass import Passing, RankMass, Windowed
from tests.reference.crawl_orders import simulate

ORDERS: dict[str, Callable[[float], Passing]] = {
    "rankmass": RankMass,
    **{f"windowed-rankmass@{w}": lambda damping, w=w: Windowed(w, damping) for w in (5, 29, 100)},
}
names = st.sampled_from(list(ORDERS))


def test_rankmass_by_hand() -> None:
    # 0 and 1 link to each other, 1 also to 2. 0 starts with 0.5, 1 gets 0.25, and gives 0.0625 to 0 and 2: 0 was
    # discovered first, passes on again and gives 0.03125 to 1, which is less than 2 holds.
    run = crawl(web_of([[1], [0, 2], []]), [0], "rankmass", damping=0.5)
    assert run.pages.tolist() == [0, 1, 2]
    assert run.score is not None
    assert run.score.tolist() == [0.5, 0.25, 0.0625]
    assert run.guaranteed_mass == 0.5 + 0.25 + 0.0625 + 0.0625


def test_a_window_passes_on_after_all_of_it_is_fetched() -> None:
    # Seeds 0 and 1 hold 0.25 each, and W = 50 takes 0 alone: it gives 0.0625 to 2 and 3. Of 1, 2, 3 again one, then 1
    # gives 0.125 to 3, which comes before 2.
    lists = [[2, 3], [3], [], []]
    run = crawl(web_of(lists), [0, 1], "windowed-rankmass@50", damping=0.5)
    assert run.pages.tolist() == [0, 1, 3, 2]
    assert run.score is not None
    assert run.score.tolist() == [0.25, 0.25, 0.1875, 0.0625]
    run = crawl(web_of(lists), [0, 1], "windowed-rankmass@100", damping=0.5)
    assert run.pages.tolist() == [0, 1, 3, 2]
    assert run.guaranteed_mass == 0.5


@given(cases(polite=False), names, st.sampled_from([0.85, 0.5, 0.0]))
@settings(deadline=None, max_examples=150)
def test_rankmass_orders_are_their_twins(case: Case, name: str, damping: float) -> None:
    run = case.run(name, damping=damping)
    twin = ORDERS[name](damping)
    seen = simulate(case.lists, case.seeds, twin, case.budget, case.limits)
    if isinstance(twin, Windowed) and len(seen.fetched) < case.budget:
        twin.close(seen)
    assert facts(run) == {**twin_facts(seen, run, case.budget), "mass": twin.bound}


@given(cases(polite=False), names)
@settings(deadline=None, max_examples=60)
def test_the_guaranteed_mass_is_never_above_the_true_mass_and_never_falls(case: Case, name: str) -> None:
    run = case.run(name)
    preference = np.zeros(len(case.lists))
    preference[case.seeds] = 1
    true = pagerank(case.web, preference=preference, threads=1)
    assert true.error_bound is not None
    mass = np.concatenate([[0], np.cumsum(true.scores[run.pages])])
    assert (run.samples.mass <= mass[run.samples.fetched] + true.error_bound).all()
    assert (np.diff(run.samples.mass) >= 0).all()
    assert run.guaranteed_mass == run.samples.mass[-1]


@given(cases(polite=False), names, st.floats(0.01, 0.99))
@settings(deadline=None, max_examples=60)
def test_a_crawl_until_some_mass_stops_where_the_bound_suffices(case: Case, name: str, until: float) -> None:
    whole, run = case.run(name), case.run(name, until_mass=until)
    assert run.pages.tolist() == whole.pages[: len(run)].tolist()
    assert run.guaranteed_mass is not None
    assert run.guaranteed_mass >= until or facts(run) == facts(whole)
    if len(run) > 1:
        before = replace(case, budget=len(run) - 1).run(name)
        assert before.guaranteed_mass is not None
        assert before.guaranteed_mass < until


def test_until_mass_asks_for_no_page_more_than_needed() -> None:
    # A chain: page k holds 0.5^(k+1), so that k pages guarantee 1 − 0.5^k.
    chain = web_of([*([page + 1] for page in range(19)), []])
    for order, pages in itertools.product(["rankmass", "windowed-rankmass@5"], [1, 2, 7]):
        run = crawl(chain, [0], order, until_mass=1 - 0.5**pages, damping=0.5)
        assert len(run) == pages
        assert not run.exhausted
    # After two pages 0.75 is sure, and 0.8125 when page 0 has passed on again: page 2 need not be fetched.
    assert crawl(web_of([[1], [0, 2], []]), [0], "rankmass", until_mass=0.8, damping=0.5).pages.tolist() == [0, 1]


@given(cases(polite=False))
@settings(deadline=None, max_examples=60)
def test_windowed_rankmass_at_100_per_cent_goes_by_levels_as_breadth_first(case: Case) -> None:
    case = replace(case, budget=len(case.lists), conditions=replace(case.conditions, per_host=None))
    windowed, bfs = case.run("windowed-rankmass@100"), case.run("bfs")
    assert (np.diff(windowed.depth) >= 0).all()
    for depth in range(len(case.lists)):
        assert set(windowed.pages[windowed.depth == depth]) == set(bfs.pages[bfs.depth == depth])


@pytest.mark.parametrize("order", ["rankmass", "windowed-rankmass@5", "windowed-rankmass@100"])
def test_a_page_behind_a_ring_has_its_turn_and_the_crawl_ends(order: str) -> None:
    ring, chain = 30, 300
    lists = [[(page + 1) % ring] for page in range(ring)] + [[page + 1] for page in range(ring, ring + chain - 1)]
    lists.append([])
    lists[5] = [6, ring]
    run = crawl(web_of(lists), [0], order)
    assert sorted(run.pages.tolist()) == list(range(ring + chain))
    run = crawl(web_of([*lists[:ring], []]), [0], order)
    assert len(run) == ring + 1
    assert run.guaranteed_mass is not None
    assert not math.isnan(run.guaranteed_mass)


@pytest.mark.parametrize("order", ["windowed-rankmass@0", "windowed-rankmass@101", "windowed-rankmass@nan"])
def test_w_is_above_0_and_up_to_100(order: str) -> None:
    with pytest.raises(OptionError, match=r"W is out of range.*above 0 and at most 100"):
        crawl(web_of([[]]), [0], order)


def test_w_has_to_be_given() -> None:
    with pytest.raises(OptionError, match="needs a number, such as windowed-rankmass@5"):
        crawl(web_of([[]]), [0], "windowed-rankmass")
