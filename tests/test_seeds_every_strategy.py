"""What holds for every strategy: more seeds never cover less, and the first seeds do not depend on how many follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.seeds import STRATEGIES
from seedbed.seeds.seeds import Seeds
from seedbed.seeds.select import select
from seedbed.urls.sites import Sites
from tests.graphs import Lists, csr, page_lists
from tests.test_seeds_coverage_examples import FIGURE_1

SMALL: dict[str, dict[str, int]] = {"trawling": {"hubs": 1, "authorities": 1}}
some_pages = page_lists(most_pages=16).filter(len)


def chosen(strategy: str, lists: Lists, k: int, hops: int, values: list[float], **options: float) -> Seeds:
    hosts = Sites("host", np.arange(len(lists)), [f"h{page}.org" for page in range(len(lists))])
    web = Web(csr(lists), hosts=hosts)
    own = {**SMALL.get(strategy, {}), **options}
    return select(web, strategy, k, hops=hops, values=np.array(values), threads=1, **own)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(deadline=None, max_examples=25)
@given(lists=some_pages, hops=st.integers(0, 3), data=st.data())
def test_coverage_never_falls_as_k_grows(strategy: str, lists: Lists, hops: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5, 10.0]), min_size=len(lists), max_size=len(lists)))
    before = 0.0
    for k in range(1, min(len(lists), 5) + 1):
        gain = chosen(strategy, lists, k, hops, values).gain
        assert gain is not None
        assert (np.diff(gain.value) >= 0).all()
        assert (np.diff(gain.pages) >= 0).all()
        value = float(gain.value[-1]) if len(gain.value) else 0.0
        assert value >= before
        before = value


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "cover"])
@settings(deadline=None, max_examples=25)
@given(lists=some_pages, hops=st.integers(0, 3), data=st.data())
def test_fewer_seeds_are_the_first_of_more(strategy: str, lists: Lists, hops: int, data: st.DataObject) -> None:
    """Cover takes the better of two lists, and for another k that may be the other one."""
    k = data.draw(st.integers(1, len(lists)))
    values = [1.0] * len(lists)
    whole = chosen(strategy, lists, len(lists), hops, values)
    first = chosen(strategy, lists, k, hops, values)
    assert [(seed.page, seed.score, seed.reason) for seed in first] == [
        (seed.page, seed.score, seed.reason) for seed in whole[:k]
    ]


@pytest.mark.parametrize(
    ("strategy", "options"),
    [("cores", {"size": 5}), ("cores", {"size": 6, "new_members": 2}), ("cores", {"density": 50.0}), ("trawling", {})],
)
@settings(deadline=None, max_examples=25)
@given(lists=some_pages)
def test_cores_share_no_page(strategy: str, options: dict[str, float], lists: Lists) -> None:
    """Growing to a size adds as many hubs, then authorities, as there are new members, so it may end that much over."""
    seeds = chosen(strategy, lists, len(lists), 1, [1.0] * len(lists), **options)
    pages = [
        page for seed in seeds if seed.core for page in (*seed.core.hubs.tolist(), *seed.core.authorities.tolist())
    ]
    assert len(set(pages)) == len(pages)
    for seed in seeds:
        assert seed.core is not None
        if "size" in options:
            assert len(seed.core.hubs) + len(seed.core.authorities) < options["size"] + 2 * options.get(
                "new_members", 1
            )


@pytest.mark.parametrize(
    ("strategy", "pages"),
    [
        ("maxout", [1, 9]),
        ("outdegree", [1, 2]),
        ("greedy", [1, 9]),
        ("cover", [1, 9]),
        ("maxweight", [1, 9]),
        ("indegree", [4, 5]),
        ("cores", [1, 9]),
    ],
)
def test_figure_1_of_zheng_by_every_strategy_that_can_be_followed_by_hand(strategy: str, pages: list[int]) -> None:
    """One link far, 1 covers six pages; of the rest 9 covers four, 2 two. Page 4 has three links to it, 5 two.

    The first core is 1 and 2 with 4, 5 and 6: page 3, the next hub, links to 4 alone. Then 9 is the best hub.
    """
    lists = [FIGURE_1.get(page, []) for page in range(13)]
    assert chosen(strategy, lists, 2, 1, [1.0] * 13).pages.tolist() == pages
