"""What a crawl has to cope with, and the chance that it depends on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_state import uniform
from seedbed.crawling.orders import find_order
from seedbed.crawling.simulator import crawl
from seedbed.errors import NeedsHosts, OptionError, SeedbedError
from tests.crawls import built_in_orders
from tests.graphs import web_of
from tests.reference import crawl_orders as twins

CHAIN = [[1], [2], [3], [4], []]
STAR = [[1, 2, 3, 4], [], [], [], []]
DOCS = Path(__file__).resolve().parents[1] / "docs" / "crawl.md"


def urls(hosts: str) -> list[str]:
    return [f"http://{host}.example/{page}" for page, host in enumerate(hosts)]


def test_a_host_gives_no_more_pages_than_its_limit() -> None:
    run = crawl(web_of(STAR, urls("abbba")), [0], "bfs", conditions=Conditions(per_host=2))
    assert run.pages.tolist() == [0, 1, 2, 4]
    assert (run.refused, run.failed, run.known, run.exhausted) == (1, 0, 5, True)


def test_pages_deeper_than_the_limit_are_not_fetched_and_not_known() -> None:
    run = crawl(web_of(CHAIN), [0], "bfs", conditions=Conditions(max_depth=2))
    assert run.pages.tolist() == [0, 1, 2]
    assert run.depth.tolist() == [0, 1, 2]
    assert run.known == 3


def test_depth_is_along_the_links_that_discovered_a_page() -> None:
    """dfs comes to 3 by 2, at depth 2, before it fetches 1, which links to 3 as well; 4 is too deep."""
    run = crawl(web_of([[1, 2], [3], [3], [4], []]), [0], "dfs", conditions=Conditions(max_depth=2))
    assert run.pages.tolist() == [0, 2, 3, 1]
    assert run.parent.tolist() == [-1, 0, 2, 0]


def test_a_seed_only_crawl_has_depth_0() -> None:
    run = crawl(web_of(CHAIN), [3, 1], "fpr", conditions=Conditions(max_depth=0))
    assert sorted(run.pages.tolist()) == [1, 3]


def test_failures_yield_no_links_and_leave_the_budget() -> None:
    web = web_of([[1, 2], [3], [4], [], []], urls("abcde"))
    run = crawl(web, [0], "bfs", 3, conditions=Conditions(failure={"b.example": 1.0}))
    assert run.pages.tolist() == [0, 2, 4]
    assert (run.failed, run.known) == (1, 4)


def test_the_empty_name_stands_for_the_hosts_that_are_not_named() -> None:
    web = web_of(STAR, urls("abcde"))
    run = crawl(web, [0], "bfs", conditions=Conditions(failure={"": 1.0, "a.example": 0.0, "d.example": 0.0}))
    assert run.pages.tolist() == [0, 3]
    assert run.failed == 3


def test_the_same_pages_fail_in_every_order() -> None:
    web = web_of([list(range(1, 60)), *[[]] * 59], urls("a" * 60))
    fetched = [
        set(crawl(web, [0], order, conditions=Conditions(failure=0.4, seed=7)).pages.tolist())
        for order in ("bfs", "dfs", "random", "backlink")
    ]
    assert all(pages == fetched[0] for pages in fetched)
    assert 20 < len(fetched[0]) < 50
    other = crawl(web, [0], "bfs", conditions=Conditions(failure=0.4, seed=8))
    assert set(other.pages.tolist()) != fetched[0]


def test_pages_that_were_not_crawled_are_known_and_not_fetched() -> None:
    web = replace(web_of([[1, 2], [3], [3], []]), columns={"crawled": np.array([1, 0, 1, 1])})
    run = crawl(web, [0], "bfs", conditions=Conditions(crawled_only=True))
    assert run.pages.tolist() == [0, 2, 3]
    assert run.known == 4


def test_a_crawl_whose_seeds_cannot_be_fetched_fetches_nothing() -> None:
    web = replace(web_of(CHAIN), columns={"crawled": np.zeros(5)})
    run = crawl(web, [0], "fpr", conditions=Conditions(crawled_only=True))
    assert (len(run), run.known, run.exhausted) == (0, 1, True)


def test_the_record_of_a_run_names_the_conditions_that_are_not_as_by_default() -> None:
    run = crawl(web_of(CHAIN), [0], "bfs", conditions=Conditions(max_depth=2))
    assert run.options["max_depth"] == 2
    assert "per_host" not in run.options
    assert Conditions().changed() == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_host": 0}, "per_host is 0; it must be at least 1"),
        ({"max_depth": -1}, "max_depth is -1; it must be at least 0"),
        ({"fetches_per_tick": 0}, "fetches_per_tick is 0; it must be at least 1"),
        ({"failure": 1.5}, "failure is 1.5; a probability"),
        ({"failure": float("nan")}, "failure is nan; a probability"),
        ({"failure": {"a": -0.1}}, "failure is -0.1; a probability"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Conditions(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("conditions", "kind", "message"),
    [
        (Conditions(per_host=1), NeedsHosts, "hosts are needed"),
        (Conditions(failure={"a.example": 0.5}), NeedsHosts, "hosts are needed"),
        (Conditions(fetches_per_tick=1), NeedsHosts, "hosts are needed"),
        (Conditions(crawled_only=True), OptionError, "no column 'crawled'"),
    ],
)
def test_conditions_say_what_they_need_of_the_web(
    conditions: Conditions, kind: type[SeedbedError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        crawl(web_of(CHAIN), [0], "bfs", conditions=conditions)


def test_a_failing_host_must_be_in_the_web() -> None:
    with pytest.raises(OptionError, match=r"names the host 'z\.example', and the web has no page of it"):
        crawl(web_of(CHAIN, urls("abcde")), [0], "bfs", conditions=Conditions(failure={"z.example": 0.5}))


@given(salt=st.integers(-(2**63), 2**63 - 1), page=st.integers(0, 2**31 - 2))
def test_chance_is_its_twin_and_below_one(salt: int, page: int) -> None:
    assert uniform(salt, page) == twins.chance(salt, page)
    assert 0 <= uniform(salt, page) < 1


def test_chance_is_even_and_its_neighbours_have_nothing_in_common() -> None:
    """Of 10,000 each tenth has about 1,000 (±5 standard deviations); correlation with the next is below 5/100."""
    drawn = np.array([uniform(1, page) for page in range(10_000)])
    assert abs(np.histogram(drawn, bins=10, range=(0, 1))[0] - 1000).max() < 150
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.05


def test_one_probability_for_all_needs_no_hosts() -> None:
    without = crawl(web_of(STAR), [0], "bfs", conditions=Conditions(failure=0.5, seed=8))
    with_hosts = crawl(web_of(STAR, urls("abcde")), [0], "bfs", conditions=Conditions(failure=0.5, seed=8))
    assert without.pages.tolist() == with_hosts.pages.tolist()
    with pytest.raises(NeedsHosts):
        crawl(web_of(STAR), [0], "bfs", conditions=Conditions(failure={"a": 0.5}))


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64 + 5, 10**30])
def test_chance_may_depend_on_any_whole_number(seed: int) -> None:
    failing = [page for page in range(5) if twins.chance(seed, page) < 0.5]
    run = crawl(web_of([[]] * 5), range(5), "bfs", conditions=Conditions(failure=0.5, seed=seed))
    assert run.pages.tolist() == [page for page in range(5) if page not in failing]


@pytest.mark.parametrize("options", [{"per_host": 2.5}, {"max_depth": "x"}, {"seed": 0.5}, {"per_host": 2**63}])
def test_what_is_no_number_of_pages_is_refused(options: Any) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        Conditions(**options)


def test_a_budget_is_a_whole_number_of_any_kind() -> None:
    assert len(crawl(web_of(CHAIN), [0], "bfs", 2.0)) == 2  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"budget is 2\.5; a whole number"):
        crawl(web_of(CHAIN), [0], "bfs", 2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [*built_in_orders(), "fpr@3"])
@pytest.mark.parametrize("polite", [None, 3])
def test_memory_is_asked_for_as_the_documentation_says(
    order: str, polite: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, asked = find_order(order), list[int]()
    if polite and not kind.polite:
        return
    monkeypatch.setattr("seedbed.crawling.simulator.require", lambda size, purpose: asked.append(size))
    pages, hosts = 40_000, 3
    web = web_of([[]] * pages, [f"http://{page % hosts}.example/{page}" for page in range(pages)])
    crawl(web, [0], order, conditions=Conditions(fetches_per_tick=polite))
    rows = [line.split("|") for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    table = {row[1].strip(" `"): row[4 if polite else 3] for row in rows if len(row) == 7}
    name = {"fpr@3": "fpr@M", "windowed-rankmass@20": "windowed-rankmass@W"}.get(order, order)
    assert round(asked[0] / pages, 1) == int(table[name])
