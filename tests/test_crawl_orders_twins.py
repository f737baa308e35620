"""Orders against their naive twins, on random webs under all conditions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.orders.static_orders import key_of
from tests.crawls import Case, cases, facts, twin_facts, wide_case
from tests.reference import crawl_orders as twins

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
