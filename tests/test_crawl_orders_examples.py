"""Orders on a web small enough to follow by hand."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_loop import advance, enter_all
from seedbed.crawling.crawl_plan import Plan
from seedbed.crawling.orders import find_order
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import Simulation, crawl
from seedbed.errors import NeedsHosts, OptionError
from tests.crawls import Case, cases, wide_case
from tests.graphs import web_of

#      0 ─→ 1 2 3     1 ─→ 0 4     2 ─→ 4 5     3 ─→ 5     4 ─→ 6     5 ─→ 0 6     6
LISTS = [[1, 2, 3], [0, 4], [4, 5], [5], [6], [0, 6], []]
HOSTS = "aaabbbc"
POLITE = Conditions(fetches_per_tick=2)


def run(order: str, conditions: Conditions | None = None, **options: object) -> Run:
    web = web_of(LISTS, [f"http://{host}.example/{page}" for page, host in enumerate(HOSTS)])
    return crawl(web, [0], order, conditions=conditions, **options)  # type: ignore[arg-type]


def test_dfs_follows_the_last_link_and_leaves_known_pages_where_they_are() -> None:
    found = run("dfs")
    assert found.pages.tolist() == [0, 3, 5, 6, 2, 4, 1]
    assert found.parent.tolist() == [-1, 0, 3, 5, 0, 2, 0]
    assert found.depth.tolist() == [0, 1, 2, 3, 1, 2, 1]
    assert found.score is None


def test_backlink_counts_links_on_fetched_pages() -> None:
    """After 0, 1 and 2, page 4 has two links; after 4, pages 3, 5 and 6 have one each, and 3 was discovered first."""
    found = run("backlink")
    assert found.pages.tolist() == [0, 1, 2, 4, 3, 5, 6]
    assert found.score is not None
    assert found.score.tolist() == [0, 1, 1, 2, 1, 2, 2]


def test_opic_hands_on_cash() -> None:
    """0 gives 1/3 each; 1 gives 1/6 to 0 and 4, 2 gives 1/6 to 4 and 5, 3 gives 1/3 to 5: 5 has 1/2, 4 has 1/3."""
    found = run("opic")
    assert found.pages.tolist() == [0, 1, 2, 3, 5, 4, 6]
    assert found.score == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 3, 1 / 4 + 1 / 3])


def test_largest_site_first_fetches_from_the_host_on_which_most_pages_wait() -> None:
    """After 0 and 1 host a has page 2 left, host b has 3 and 4; after 3 it has 4 and 5; after 4 all have one page."""
    found = run("largest-site-first")
    assert found.pages.tolist() == [0, 1, 3, 4, 2, 5, 6]
    assert found.score is not None
    assert found.score.tolist() == [1, 2, 2, 2, 1, 1, 1]


def test_the_largest_site_that_is_free_goes_first_in_a_polite_crawl() -> None:
    found = run("largest-site-first", POLITE)
    assert found.pages.tolist() == [0, 3, 1, 5, 2, 4, 6]
    assert found.tick is not None
    assert found.tick.tolist() == [0, 0, 1, 1, 2, 2, 3]


def test_pagerank_is_that_of_the_pages_seen() -> None:
    """With 0 fetched: x₀ = b, x₁ = x₂ = x₃ = b + 0.85·b/3, their sum 1, so b = 1/4.85.

    With 0 and 1 fetched: x₀ = x₄ = b + 0.425·x₁, x₁ = x₂ = x₃ = b + 0.85/3·x₀, so x₄/x₁ = 1.425/(1 + 0.85/3), and 4 is
    next although 2 and 3 were discovered before it.
    """
    found = run("pagerank")
    ratio = 1.425 / (1 + 0.85 / 3)
    assert found.pages[:3].tolist() == [0, 1, 4]
    assert found.score is not None
    assert found.score[:3] == pytest.approx([1, (1 + 0.85 / 3) / 4.85, ratio / (2 * ratio + 3)], abs=1e-4)


def test_pagerank_waits_with_the_score_of_the_first_link_until_it_is_computed_again() -> None:
    """At 100 % growth x is computed at 1, 2, 4 … pages: page 4 is fetched third, and what it shows is not yet known.

    Fourth is 2 or 6: 2 has what it had; 6 has b + 0.85·x₄ by its only link, which is more.
    """
    found = run("pagerank@100")
    ratio = 1.425 / (1 + 0.85 / 3)
    x1 = 1 / (2 * ratio + 3)
    base = x1 - 0.85 / 3 * ratio * x1
    assert found.pages[:4].tolist() == [0, 1, 4, 6]
    assert found.score is not None
    assert found.score[3] == pytest.approx(base + 0.85 * ratio * x1, abs=1e-4)


def test_pagerank_agrees_with_networkx_on_what_was_seen() -> None:
    case = wide_case(pages=60)
    found = case.run("pagerank@1")
    assert found.score is not None
    for count in range(1, len(found)):
        seen = nx.DiGraph()
        seen.add_nodes_from(case.seeds)
        for page in found.pages[:count].tolist():
            seen.add_edges_from((page, target) for target in case.lists[page])
        scores = nx.pagerank(seen, tol=1e-12, max_iter=1000)
        waiting = set(seen) - set(found.pages[:count].tolist())
        assert found.score[count] == pytest.approx(scores[found.pages[count]], abs=1e-3)
        assert scores[found.pages[count]] >= max(scores[page] for page in waiting) - 1e-3


def test_oracle_takes_the_best_page_it_knows() -> None:
    found = run("oracle", scores=np.array([0, 5, 1, 3, 9, 2, 4]) / 24)
    assert found.pages.tolist() == [0, 1, 4, 6, 3, 5, 2]
    assert found.oracle


def test_oracle_uses_pagerank_of_the_whole_web() -> None:
    from seedbed.ranking.pagerank import pagerank

    found = run("oracle")
    assert found.web is not None
    assert found.score is not None
    assert found.score.tolist() == pagerank(found.web).scores[found.pages].tolist()


def test_random_is_fair_and_the_seed_decides() -> None:
    """Three pages wait after the first: each comes second about 200 times of 600, ±4.3 standard deviations."""
    for ticks in (None, 2):
        asked = [Conditions(seed=seed, fetches_per_tick=ticks) for seed in range(600)]
        web = web_of([[1, 2, 3], [], [], []], [f"http://{page}.example/" for page in range(4)])
        runs = [crawl(web, [0], "random", conditions=one).pages.tolist() for one in asked]
        assert runs[7] == crawl(web, [0], "random", conditions=asked[7]).pages.tolist()
        assert all(abs(count - 200) < 50 for count in Counter(pages[1] for pages in runs).values())
        assert len({tuple(pages) for pages in runs}) == 6


def test_polite_bfs_dfs_and_random_keep_to_one_fetch_a_host() -> None:
    assert run("bfs", POLITE).pages.tolist() == [0, 3, 1, 5, 2, 4, 6]
    assert run("dfs", POLITE).pages.tolist() == [0, 3, 5, 6, 2, 4, 1]


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_opic_conserves_cash(case: Case) -> None:
    plan = Plan(case.web, np.array(case.seeds), case.budget, case.conditions, np.inf, 0.85)
    simulation = Simulation(plan, find_order("opic"))
    state, order = simulation.state, simulation.order_state
    enter_all(order, state, simulation.limits, plan.seeds)
    excluded = sum(case.conditions.crawled_only and not case.crawled[seed] for seed in case.seeds)
    links = case.web.links
    for until in range(1, case.budget + 1):
        advance(order, state, simulation.limits, links.arrays(), links.buffer(), until, np.inf, 10**6)
        waiting = np.flatnonzero(state.number > 0)
        if hasattr(order.frontier, "nodes"):
            cash = order.frontier.nodes["mantissa"][waiting + 1].sum()
        else:
            cash = order.frontier.slots["mantissa"][: order.frontier.size[0]].sum()
        total = cash + order.retained[0] + order.mantissa[0]
        assert total == pytest.approx(1 - excluded / len(case.seeds), abs=1e-12)


def test_largest_site_first_needs_hosts() -> None:
    with pytest.raises(NeedsHosts):
        crawl(web_of(LISTS), [0], "largest-site-first")


def test_oracle_refuses_scores_that_are_no_numbers() -> None:
    with pytest.raises(OptionError, match="page 2 is nan"):
        run("oracle", scores=np.array([1, 1, np.nan, 1, 1, 1, 1]))


def test_a_link_that_leads_too_deep_does_not_count_as_a_backlink() -> None:
    """5 is three links from the seed by 4, two by 3: only the second makes it known."""
    run = crawl(web_of([[1, 2, 3], [4], [4], [5], [5], []]), [0], "backlink", conditions=Conditions(max_depth=2))
    assert run.pages.tolist() == [0, 1, 2, 4, 3, 5]
    assert run.score is not None
    assert run.score.tolist() == [0, 1, 1, 2, 1, 1]
