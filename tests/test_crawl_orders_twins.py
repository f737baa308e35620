"""Orders against their naive twins, on random webs under all conditions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.orders.static_orders import key_of
from tests.crawls import Case, cases, facts, twin_facts, wide_case
from tests.reference import crawl_orders as twins
from tests.reference.crawl_mass import Fpr, RankMass, Windowed

SCORES = [((page * 7919) % 11) / 8 for page in range(1000)]

TWINS: dict[str, Callable[[Case], twins.Order]] = {
    "bfs": lambda case: twins.Order(),
    "dfs": lambda case: twins.Latest(),
    "random": lambda case: (twins.Lot if case.conditions.fetches_per_tick else twins.Random)(
        int(key_of(case.conditions.seed))
    ),
    "backlink": lambda case: twins.Backlink(),
    "opic": lambda case: twins.Opic(),
    "largest-site-first": lambda case: twins.LargestSite(case.hosts),
    "pagerank": lambda case: twins.PageRank(),
    "pagerank@60": lambda case: twins.PageRank(60),
    "oracle": lambda case: twins.Given(SCORES),
}


PARTED = (4, 21, 26, 74, 256, 351, 412, 572)
EXACT: dict[str, Callable[[Case], twins.Order]] = {
    "opic": lambda case: twins.Opic(Fraction(1)),
    "fpr": lambda case: Fpr(case.hosts, 1, Fraction(17, 20)),
    "fpr@100": lambda case: Fpr(case.hosts, 100, Fraction(17, 20)),
    "rankmass": lambda case: RankMass(Fraction(17, 20)),
    "windowed-rankmass@20": lambda case: Windowed(20, Fraction(17, 20)),
}
"""In fractions: equal scores are equal."""


def hold_against_twin(name: str, case: Case) -> None:
    given_scores = SCORES[: len(case.lists)] if name == "oracle" else None
    run = case.run(name, scores=given_scores)
    seen = twins.simulate(case.lists, case.seeds, TWINS[name](case), case.budget, case.limits)
    assert facts(run) == twin_facts(seen, run, case.budget)


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_an_order_fetches_what_its_twin_fetches(name: str, data: st.DataObject) -> None:
    hold_against_twin(name, data.draw(cases(polite=False)))


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_polite_order_fetches_what_its_twin_fetches_by_looking_at_every_page(name: str, data: st.DataObject) -> None:
    hold_against_twin(name, data.draw(cases(polite=True)))


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("fetches_per_tick", [None, 5])
def test_an_order_fetches_what_its_twin_fetches_on_a_web_of_hundreds_of_pages(
    name: str, fetches_per_tick: int | None
) -> None:
    from dataclasses import replace

    from seedbed.crawling.conditions import Conditions

    case = wide_case(pages=200)
    hold_against_twin(name, replace(case, conditions=Conditions(fetches_per_tick=fetches_per_tick)))


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_order_fetches_what_exact_fractions_fetch(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(polite=False if "rankmass" in name else None))
    run = case.run(name)
    seen = twins.simulate(case.lists, case.seeds, EXACT[name](case), case.budget, case.limits)
    assert run.pages.tolist() == seen.fetched
    assert run.score is not None
    assert run.score.tolist() == pytest.approx([float(score) for score in seen.scores], rel=1e-12)


@pytest.mark.parametrize("name", EXACT)
def test_rounding_does_not_part_equal_scores(name: str) -> None:
    """Webs on which it did, in one of these orders or another."""
    for seed in PARTED:
        random = np.random.default_rng(seed)
        pages, links = int(random.integers(8, 40)), int(random.integers(2, 8))
        lists = [sorted(set(random.integers(0, pages, random.integers(0, links)).tolist())) for _ in range(pages)]
        seeds = random.choice(pages, int(random.integers(1, 5)), replace=False).tolist()
        case = Case(lists, random.integers(0, 6, pages).tolist(), [True] * pages, seeds, pages)
        seen = twins.simulate(case.lists, case.seeds, EXACT[name](case), case.budget, case.limits)
        assert case.run(name).pages.tolist() == seen.fetched
