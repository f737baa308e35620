"""Live orders beside the naive twins of the simulator's, page by page, and their arithmetic beside the simulator's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request

from seedbed.common.kernels import kernel
from seedbed.crawling import wide_floats as wide
from seedbed.crawling.orders.static_orders import key_of
from seedbed.integrations.live.live_orders import NOTHING, Score, live_order, normalized, plus
from tests.graphs import page_lists
from tests.live_rig import Rig, all_closed  # noqa: F401
from tests.reference.crawl_mass import Fpr
from tests.reference.crawl_orders import Backlink, Latest, Limits, Lot, Opic, Order, simulate
from tests.reference.live_pagerank import LivePageRank

pytestmark = pytest.mark.usefixtures("all_closed")
TWINS: dict[str, Any] = {
    "bfs": lambda hosts: Order(),
    "dfs": lambda hosts: Latest(),
    "random": lambda hosts: Lot(int(key_of(1))),
    "backlink": lambda hosts: Backlink(),
    "opic": lambda hosts: Opic(),
    "fpr": Fpr,
    "fpr@100": lambda hosts: Fpr(hosts, 100),
    "live-pagerank": LivePageRank,
    "live-pagerank@7": lambda hosts: LivePageRank(hosts, 7),
}
wide_scores = st.builds(Score, st.floats(2.0**-256, 2.0**256, exclude_max=True), st.integers(-5, 3))


@kernel
def in_kernel_plus(mantissa: float, block: int, other: float, other_block: int) -> Any:
    return wide.plus(mantissa, block, other, other_block)


@kernel
def in_kernel_normalized(mantissa: float, block: int) -> Any:
    return wide.normalized(mantissa, block)


@kernel
def in_kernel_to_float(mantissa: float, block: int) -> Any:
    return wide.to_float(mantissa, block)


@settings(deadline=None)
@given(wide_scores, wide_scores)
def test_sums_are_those_of_the_simulator(one: Score, other: Score) -> None:
    assert plus(one, other) == in_kernel_plus(*one, *other)
    assert one.plain() == in_kernel_to_float(*one)


@settings(deadline=None)
@given(st.floats(2.0**-700, 2.0**700), st.integers(-5, 3))
def test_scores_are_brought_in_range_as_in_the_simulator(mantissa: float, block: int) -> None:
    assert normalized(mantissa, block) == in_kernel_normalized(mantissa, block)


def test_nothing_is_behind_all_that_a_link_can_bring() -> None:
    score = live_order("fpr").seed(1)
    for _ in range(20_000):
        score, _ = live_order("fpr").shares(score, 1_000_000, 0)
    assert NOTHING.block < score.block < -100
    assert score.plain() == 0.0


@pytest.mark.parametrize("name", TWINS)
@given(lists=page_lists(20).filter(len), data=st.data())
@settings(deadline=None, max_examples=40)
def test_one_page_at_a_time_goes_in_the_simulators_order(
    name: str, lists: list[list[int]], data: st.DataObject
) -> None:
    lists = [[target for target in links if target != page] for page, links in enumerate(lists)]
    hosts = [data.draw(st.integers(0, 4)) for _ in lists]
    seeds = data.draw(st.lists(st.sampled_from(range(len(lists))), min_size=1, max_size=4, unique=True))
    expected = simulate(lists, seeds, TWINS[name](hosts), len(lists), Limits(hosts))
    urls = [f"http://h{host}.test/{page}" for page, host in enumerate(hosts)]
    rig = Rig(order=name)
    rig.seed(*(urls[page] for page in seeds))
    fetched = rig.crawl({urls[page]: [urls[target] for target in links] for page, links in enumerate(lists)})
    assert fetched == [urls[page] for page in expected.fetched]
    if name in ("fpr", "fpr@100", "opic"):
        assert rig.stats["seedbed/mass_fetched"] == pytest.approx(sum(expected.scores))
    rig.close()


def test_links_count_once_whatever_their_number_on_a_page_and_a_page_does_not_link_to_itself() -> None:
    a, b, c = (f"http://{name}.test/" for name in "abc")
    rig = Rig(order="fpr")
    rig.seed(a)
    rig.respond(rig.fetch(), b, a, b + "#part", c, b)
    rig.fetch(), rig.fetch()
    assert [out.page.score.plain() for out in rig.scheduler.in_flight.pages.values()] == [0.85 * (1 - 0.85) / 2] * 2


def test_a_request_that_is_yielded_twice_keeps_what_it_brings() -> None:
    rig = Rig(order="backlink")
    rig.seed("http://a.test/")
    request = Request("http://c.test/")
    assert rig.respond(rig.fetch(), "http://b.test/", request, request) == [True, True, False]
    rig.respond(rig.fetch(), "http://c.test/", "http://d.test/")
    assert rig.drain() == ["http://c.test/", "http://d.test/"]


def test_seeds_that_come_late_have_as_much_as_the_others_and_lower_the_bound() -> None:
    rig = Rig(order="fpr")
    rig.seed("http://a.test/", "http://b.test/")
    rig.respond(rig.fetch())
    assert rig.stats["seedbed/guaranteed_mass"] == pytest.approx(0.075)
    rig.seed("http://c.test/")
    rig.respond(rig.fetch())
    rig.respond(rig.fetch())
    assert rig.stats["seedbed/guaranteed_mass"] == pytest.approx(0.15)


@pytest.mark.parametrize("name", TWINS)
def test_the_mass_guaranteed_is_never_more_than_the_pagerank_fetched(name: str) -> None:
    import networkx as nx
    import numpy as np

    random = np.random.default_rng(7)
    pages = [f"http://h{random.integers(5)}.test/{page}" for page in range(60)]
    graph = {url: [pages[k] for k in set((random.random(6) ** 2 * 60).astype(int).tolist())] for url in pages}
    graph = {url: [target for target in links if target != url] for url, links in graph.items()}
    rig = Rig(order=name)
    rig.seed(*pages[:2])
    fetched = []
    rank = nx.pagerank(
        nx.DiGraph([(url, target) for url, links in graph.items() for target in links]),
        personalization=dict.fromkeys(pages[:2], 0.5),
        tol=1e-12,
        max_iter=500,
    )
    while (request := rig.fetch()) is not None:
        rig.respond(request, *graph[request.url])
        fetched.append(request.url)
        assert 0 < rig.stats["seedbed/guaranteed_mass"] <= sum(rank[url] for url in fetched) + 1e-9
    assert rig.stats["seedbed/guaranteed_mass"] > 0.15
