"""live-pagerank: by hand, against its naive twin, against the PageRank that it keeps current, with the last crawl."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.checkpoint import Checkpoint
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_loop import advance, enter_all
from seedbed.crawling.crawl_plan import Plan
from seedbed.crawling.orders import find_order
from seedbed.crawling.orders.live_pagerank import MASS, trust
from seedbed.crawling.simulator import Simulation, crawl
from seedbed.errors import NeedsHosts, OptionError
from tests.crawls import Case, as_bvgraph, cases, facts, twin_facts, wide_case
from tests.graphs import web_of
from tests.reference.crawl_orders import simulate
from tests.reference.live_pagerank import LivePageRank, exact


def last_of(case: Case, seed: int = 1) -> np.ndarray[Any, Any]:
    """What some last crawl knew: a third of the pages are new, a tenth were gone."""
    random = np.random.default_rng(seed)
    old = (random.pareto(1.5, len(case.lists)) + 0.2).astype(np.float32)
    old[random.random(len(old)) < 0.3] = np.nan
    old[random.random(len(old)) < 0.1] = -1
    return old


def hold_against_twin(case: Case, inter: float, old: np.ndarray[Any, Any] | None = None) -> None:
    run = case.run(f"live-pagerank@{inter:g}", last=old)
    twin = LivePageRank(case.hosts, inter, old=() if old is None else old.tolist())
    seen = simulate(case.lists, case.seeds, twin, case.budget, case.limits)
    assert facts(run) == twin_facts(seen, run, case.budget)


@pytest.mark.parametrize("polite", [False, True])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_it_fetches_what_its_twin_fetches(polite: bool, data: st.DataObject) -> None:
    case = data.draw(cases(polite=polite))
    old = last_of(case, data.draw(st.integers(0, 99))) if data.draw(st.booleans()) else None
    hold_against_twin(case, data.draw(st.sampled_from([1, 7])), old)


@pytest.mark.parametrize("fetches_per_tick", [None, 5])
@pytest.mark.parametrize("remembers", [False, True])
def test_it_fetches_what_its_twin_fetches_on_a_web_of_hundreds_of_pages(
    fetches_per_tick: int | None, remembers: bool
) -> None:
    case = replace(wide_case(pages=300), conditions=Conditions(fetches_per_tick=fetches_per_tick))
    hold_against_twin(case, 3, last_of(case) if remembers else None)


def test_it_fetches_what_its_twin_fetches_far_from_the_seeds() -> None:
    """A chain of 200 pages, each with a link to one of the others and to a page that leads nowhere."""
    random = np.random.default_rng(2)
    lists = [sorted({page + 1, 200 + page, int(random.integers(200))} - {page}) for page in range(199)]
    case = Case([*lists, [], *([] for _ in range(200))], [page // 9 for page in range(400)], [True] * 400, [0], 400)
    hold_against_twin(case, 1)
    hold_against_twin(case, 4)


def test_by_hand() -> None:
    """Seed 0 starts with 1.1 and links to 1 and 2, which get 1 + 0.85·1.1/2 each; 1 goes first and gives all to 2.

    With three pages known the seed's part is 0.3, more than 1.5 times its 0.1: 0 is given 0.2 more, to 1.3. That is
    less than 1.5 · 1.1, so it is kept, and page 2 has 1 + 0.4675 + 0.85 · 1.4675.
    """
    run = crawl(web_of([[1, 2], [2], []]), [0], "live-pagerank")
    assert run.score is not None
    assert run.pages.tolist() == [0, 1, 2]
    assert run.score.tolist() == pytest.approx([1.1, 1.4675, 1.4675 + 0.85 * 1.4675])


def test_by_hand_what_has_grown_by_half_is_passed_on_again() -> None:
    """0 links to 1, 1 to 0 and 2. Page 1 has 1 + 0.935 and gives 0.85/2 of it to 0, 0.822375: together with the seed's
    part of 0.2 − 0.1 that came before this is more than half of 1.1, so 0 passes it all on to 1, which keeps it.
    """
    run = crawl(web_of([[1], [0, 2], []]), [0], "live-pagerank")
    assert run.score is not None
    assert run.pages.tolist() == [0, 1, 2]
    second = 1 + 0.85 * 1.1
    assert run.score[:2].tolist() == pytest.approx([1.1, second])
    again = 0.85 * (0.1 + 0.425 * second)
    assert again < 0.5 * second
    assert run.score[2] == pytest.approx(1 + 0.425 * second)


def test_by_hand_pages_more_than_40_links_from_a_seed_start_with_less() -> None:
    """Along a chain x is 1 + 0.85 · x of the page before, and (40 / links)² instead of 1 from the 41st link on."""
    run = crawl(web_of([*([page + 1] for page in range(60)), []]), [0], "live-pagerank")
    assert run.score is not None
    assert run.pages.tolist() == list(range(61))
    for links in range(1, 61):
        own = 1 if links <= 40 else (40 / links) ** 2
        assert run.score[links] == pytest.approx(own + 0.85 * run.score[links - 1])


def test_a_shorter_way_counts_from_when_it_is_noticed() -> None:
    """A chain of 100 pages, with a link from its first to its 60th."""
    pages = 100
    lists = [[page + 1] for page in range(pages)] + [[]]
    lists[0] = [1, 60]
    case = Case(lists, [0] * (pages + 1), [True] * (pages + 1), [0], pages + 1)
    depth = state_of(case).order_state.mass["depth"]
    assert depth[[1, 60, 61, 100]].tolist() == [1, 1, 2, 41]


def test_a_ring_of_pages_that_lead_only_to_each_other_is_left() -> None:
    """Of 2,000 pages in a ring that leads on to the next five, few come before the 1,000 pages that one page lists."""
    ring = [sorted({1 + (page + step) % 2000 for step in range(1, 6)}) for page in range(2000)]
    lists = [[1, 2001], *ring, list(range(2002, 3002)), *([] for _ in range(1000))]
    first = crawl(web_of(lists), [0], "live-pagerank").pages[:2000]
    assert np.count_nonzero((first > 0) & (first <= 2000)) < 1000
    assert np.count_nonzero(first > 2001) == 1000


def masses(received: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found = np.zeros(len(received), MASS)
    found["received"] = received
    return found


def state_of(case: Case, inter: float = 1, budget: int | None = None) -> Simulation:
    """A crawl, stopped after so many pages, with all that its order holds."""
    plan = Plan(case.web, np.array(case.seeds), budget or case.budget, case.conditions, np.inf, 0.85)
    made = Simulation(plan, find_order(f"live-pagerank@{inter:g}"))
    links = case.web.links
    enter_all(made.order_state, made.state, made.limits, plan.seeds)
    advance(made.order_state, made.state, made.limits, links.arrays(), links.buffer(), plan.budget, np.inf, 10**9)
    return made


@settings(max_examples=60, deadline=None)
@given(cases(polite=False), st.sampled_from([1.0, 5.0]))
def test_nothing_is_lost_and_the_residuals_bound_the_error(case: Case, inter: float) -> None:
    """What pages have received is what was put in and what came along links; a page fetched has passed on two thirds.

    The exact solution is at least that, and in all at most d/(1 − d) times the residuals more.
    """
    case = replace(case, crawled=[one or page in case.seeds for page, one in enumerate(case.crawled)])
    twin = LivePageRank(case.hosts, inter)
    seen = simulate(case.lists, case.seeds, twin, case.budget, case.limits)
    held = state_of(case, inter).order_state.mass
    received, passed = held["received"], held["passed"]
    assert {page: received[page] for page in np.flatnonzero(received)} == twin.received
    residual = {page: received[page] - passed[page] for page in seen.fetched}
    assert all(rest < 0.5 * passed[page] for page, rest in residual.items())
    came = 0.0
    for page in seen.fetched:
        weights = [inter if case.hosts[target] != case.hosts[page] else 1 for target in case.lists[page]]
        known = sum(w for w, target in zip(weights, case.lists[page], strict=True) if target in twin.received)
        came += 0.85 * passed[page] * known / sum(weights) if weights else 0.0
    assert received.sum() == pytest.approx(sum(twin.own_part.values()) + twin.given + came)
    solved = exact(twin, seen)
    assert all(solved[page] >= received[page] - 1e-9 for page in solved)
    assert sum(solved.values()) - received.sum() <= 0.85 / 0.15 * sum(residual.values()) + 1e-9


def test_on_a_web_fetched_whole_it_is_networkx_pagerank_within_the_residuals() -> None:
    case = replace(wide_case(pages=300), seeds=list(range(300)))
    received = state_of(case).order_state.mass["received"]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(300))
    graph.add_edges_from((page, target) for page, row in enumerate(case.lists) for target in row)
    scores = nx.pagerank(graph, tol=1e-13, max_iter=2000)
    exactly = np.array([scores[page] for page in range(300)])
    estimate = received / received.sum()
    assert np.corrcoef(exactly, estimate)[0, 1] > 0.99
    assert np.abs(exactly - estimate).sum() < 0.2


def test_it_is_the_same_on_every_link_store_and_reads_links_of_fetched_pages_only(tmp_path: Path) -> None:
    case = wide_case()
    old = last_of(case)
    packed = crawl(as_bvgraph(case.web, tmp_path / "g"), case.seeds, "live-pagerank@3", case.budget, last=old)
    assert facts(packed) == facts(case.run("live-pagerank@3", last=old))


def test_pages_that_were_gone_come_last_whatever_links_to_them() -> None:
    lists = [[1, 2, 3], [3], [3], [4], [], []]
    old = np.array([1, 1, 1, -1, 1, 1], np.float32)
    assert crawl(web_of(lists), [0], "live-pagerank").pages.tolist() == [0, 1, 3, 4, 2]
    run = crawl(web_of(lists), [0, 5], "live-pagerank", last=old)
    assert run.pages.tolist()[-2:] == [3, 4]


def test_a_page_the_last_crawl_thought_much_of_comes_first() -> None:
    lists = [[1, 2, 3], [], [], []]
    plain = crawl(web_of(lists), [0], "live-pagerank")
    old = np.array([1, 1, np.nan, 9], np.float32)
    told = crawl(web_of(lists), [0], "live-pagerank", last=old)
    assert (plain.pages.tolist(), told.pages.tolist()) == ([0, 1, 2, 3], [0, 3, 1, 2])


def test_trust_is_the_correlation_of_logarithms_and_full_from_two_fifths_on() -> None:
    random = np.random.default_rng(1)
    x = np.exp(random.normal(size=5000))
    for weight, low, high in ((0.0, 0.0, 0.1), (0.2, 0.4, 0.6), (1.0, 1.0, 1.0)):
        old = np.exp(weight * np.log(x) + np.sqrt(1 - weight**2) * random.normal(size=5000)).astype(np.float32)
        assert low <= trust(masses(x), old) <= high
    assert trust(masses(x[:49]), np.ones(49, np.float32)) == 1.0
    assert trust(masses(x), (1 / x).astype(np.float32)) == 0.0


def test_hosts_are_needed_with_a_weight_only() -> None:
    web = web_of([[1], []])
    assert len(crawl(web, [0], "live-pagerank")) == 2
    with pytest.raises(NeedsHosts, match="leave out the number after the @"):
        crawl(web, [0], "live-pagerank@5")


def test_other_orders_have_no_memory() -> None:
    with pytest.raises(OptionError, match=r"fpr.*live-pagerank"):
        crawl(web_of([[1], []]), [0], "fpr", last=np.ones(2, np.float32))


def test_a_crawl_with_memory_that_was_stopped_goes_on_the_same_and_another_memory_is_refused(tmp_path: Path) -> None:
    case = wide_case()
    old, kept = last_of(case), Checkpoint(tmp_path / "kept", lasting=True)
    whole = case.run("live-pagerank", last=old)

    def stop(stage: str, done: int, total: int) -> None:
        if done > 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        case.run("live-pagerank", last=old, checkpoint=kept, progress=stop)
    with pytest.raises(OptionError, match=r"another crawl.*order\.old was"):
        case.run("live-pagerank", last=last_of(case, 2), checkpoint=kept)
    assert facts(case.run("live-pagerank", last=old, checkpoint=kept)) == facts(whole)
