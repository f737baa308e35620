"""What holds for every order: it does not peek, runs the same on every link store, is polite where it can be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.orders import find_order
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from tests.crawls import as_bvgraph, built_in_orders, cases, facts, wide_case

ORDERS = built_in_orders()
READING = ["bfs", "opic", "pagerank", "windowed-rankmass@20"]
"""Orders that read links in every way there is; the others are like one of these, and take long to compile."""


@pytest.mark.parametrize("name", [name for name in ORDERS if not find_order(name).oracle])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_an_order_does_not_peek(name: str, data: st.DataObject) -> None:
    """Whatever the links of pages that were not fetched are, the run is the same."""
    case = data.draw(cases(polite=None if find_order(name).polite else False))
    run = case.run(name)
    pages = range(len(case.lists))
    other = st.lists(st.sampled_from(pages), max_size=6, unique=True).map(sorted)
    fetched = set(run.pages.tolist())
    lists = [row if page in fetched else data.draw(other) for page, row in enumerate(case.lists)]
    assert facts(replace(case, lists=lists).run(name)) == facts(run)


@pytest.mark.parametrize("name", READING)
def test_an_order_makes_the_same_run_on_every_link_store(name: str, tmp_path: Path) -> None:
    case = wide_case()
    packed = crawl(as_bvgraph(case.web, tmp_path / "g"), case.seeds, name, case.budget, conditions=case.conditions)
    assert facts(packed) == facts(case.run(name))
    assert len(packed) > 200


@pytest.mark.parametrize("name", ORDERS)
def test_a_page_is_fetched_once_and_after_the_page_that_led_to_it(name: str) -> None:
    case = wide_case()
    run = case.run(name)
    at = {page: k for k, page in enumerate(run.pages.tolist())}
    assert len(at) == len(run)
    for page, parent, depth in zip(run.pages.tolist(), run.parent.tolist(), run.depth.tolist(), strict=True):
        if parent < 0:
            assert page in case.seeds
            assert depth == 0
        else:
            assert at[parent] < at[page]
            assert page in case.lists[parent]
            assert depth == run.depth[at[parent]] + 1


@pytest.mark.parametrize("name", ORDERS)
def test_a_short_crawl_is_the_start_of_a_long_one(name: str) -> None:
    case = wide_case()
    assert replace(case, budget=57).run(name).pages.tolist() == case.run(name).pages[:57].tolist()


@pytest.mark.parametrize("name", ORDERS)
def test_a_polite_crawl_asks_each_host_once_a_tick_and_reaches_the_same_pages(name: str) -> None:
    case = replace(wide_case(), conditions=Conditions(fetches_per_tick=6))
    if not find_order(name).polite:
        with pytest.raises(OptionError, match="cannot fetch politely"):
            case.run(name)
        return
    run = case.run(name)
    assert run.tick is not None
    asked = [(tick, case.hosts[page]) for tick, page in zip(run.tick.tolist(), run.pages.tolist(), strict=True)]
    assert len(set(asked)) == len(asked)
    assert max(asked.count(one) for one in asked) == 1
    assert all(run.tick.tolist().count(tick) <= 6 for tick in range(run.tick[-1] + 1))
    assert sorted(run.pages.tolist()) == sorted(replace(case, conditions=Conditions()).run(name).pages.tolist())


def test_a_tick_ends_early_only_where_no_free_host_has_a_page() -> None:
    """Two hosts, four pages each that all wait: three fetches a tick cannot be had, two are."""
    case = wide_case(pages=9)
    case = replace(
        case, lists=[list(range(1, 9)), *[[]] * 8], hosts=[0, *[1] * 4, *[2] * 4], seeds=[0], budget=9,
        conditions=Conditions(fetches_per_tick=3),
    )  # fmt: skip
    run = case.run("bfs")
    assert run.tick is not None
    assert run.tick.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert run.pages.tolist() == [0, 1, 5, 2, 6, 3, 7, 4, 8]
