"""Seeds inside each site: shares by largest remainder, and the strategy's own choice on each site's pages."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import NeedsHosts, OptionError
from seedbed.graph.web import Web
from seedbed.seeds import STRATEGIES
from seedbed.seeds.gain import gain_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.per_site import links_by_site, shares, site_importance
from seedbed.seeds.select import select
from seedbed.urls.sites import Sites
from tests.graphs import Lists, csr, lists_of, page_lists, web_of
from tests.reference import per_site as reference

by_host = partial(select, per_site="host")
INSIDE = [name for name in STRATEGIES if STRATEGIES[name].per_site]
NAMES = ["a.example.com", "b.example.com", "other.org", "third.net"]

site_numbers = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=12)
halves = st.lists(st.tuples(st.integers(-9, 99).map(lambda x: x / 8), st.integers(0, 9)), min_size=1, max_size=9)


@settings(deadline=None, max_examples=300)
@given(st.one_of(site_numbers, halves), st.integers(0, 80))
def test_shares_are_those_counted_out_in_fractions(sites: list[tuple[float, int]], k: int) -> None:
    importance, most = [one for one, _ in sites], [one for _, one in sites]
    assert shares(np.array(importance), k, np.array(most)).tolist() == reference.shares(importance, k, most)


@settings(deadline=None, max_examples=200)
@given(site_numbers, st.integers(0, 80))
def test_shares_add_up_and_no_site_has_more_than_its_most(sites: list[tuple[int, int]], k: int) -> None:
    importance, most = np.array([one for one, _ in sites]), np.array([one for _, one in sites])
    given_ = shares(importance, k, most)
    assert given_.sum() == min(k, most.sum())
    assert (given_ >= 0).all()
    assert (given_ <= most).all()
    for a in range(len(sites)):
        for b in range(len(sites)):
            if importance[a] > importance[b] and most[a] >= most[b]:
                assert given_[a] >= given_[b]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20).filter(any), st.integers(1, 500))
def test_without_limits_each_share_is_the_quota_rounded_up_or_down(importance: list[int], k: int) -> None:
    given_ = shares(np.array(importance), k)
    quota = k * np.array(importance) / sum(importance)
    assert given_.sum() == k
    assert (np.abs(given_ - quota) < 1 + 1e-9).all()


def test_shares_by_hand() -> None:
    """10 among 47, 16, 16, 15 and 6 (of 100): quotas 4.7, 1.6, 1.6, 1.5, 0.6; of the three 0.6 the first two win."""
    votes = np.array([47, 16, 16, 15, 6])
    assert shares(votes, 10).tolist() == [5, 2, 2, 1, 0]
    assert shares(np.array([1, 1, 1]), 2).tolist() == [1, 1, 0]
    assert shares(np.array([90, 9, 1]), 10, np.array([2, 90, 90])).tolist() == [2, 7, 1]
    assert shares(np.array([5, 0, 0]), 5, np.array([2, 1, 9])).tolist() == [2, 0, 3]
    assert shares(np.array([-1.0, 0.25, 0.5]), 3).tolist() == [0, 1, 2]


@settings(deadline=None, max_examples=60)
@given(page_lists(most_pages=30), st.data())
def test_sites_are_parted_as_subgraphs_are_cut(lists: Lists, data: st.DataObject) -> None:
    of_page = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(lists), max_size=len(lists))), np.int32)
    web = Web(csr(lists))
    wanted = np.array([True, True, False, True, True])
    site_links = links_by_site(web.links, of_page, wanted)
    for site in range(5):
        pages = np.flatnonzero(of_page == site)
        expected = lists_of(web.subgraph(pages).links) if wanted[site] else [[] for _ in pages]
        assert site_links.pages_of(site).tolist() == pages.tolist()
        assert lists_of(site_links.links_of(site)) == expected


def random_web(pages: int = 60, seed: int = 3) -> Web:
    random = np.random.default_rng(seed)
    lists = [sorted(set(random.integers(0, pages, 5).tolist()) - {page}) for page in range(pages)]
    hosts = Sites("host", random.choice(4, pages, p=[0.5, 0.3, 0.15, 0.05]), NAMES)
    return Web(csr(lists), hosts=hosts)


@pytest.mark.parametrize("strategy", INSIDE)
@pytest.mark.parametrize("site", ["host", "domain"])
def test_each_site_has_the_seeds_that_select_finds_on_its_pages(strategy: str, site: str) -> None:
    web = random_web()
    sites = web.sites(site)  # type: ignore[arg-type]
    excluded = np.arange(60) % 7 == 0
    limits = Limits(excluded=excluded, held=(1, 2))
    found = select(web, strategy, 11, per_site=site, hops=2, limits=limits, threads=2)  # type: ignore[arg-type]
    may = ~excluded
    may[[1, 2]] = False
    share = shares(sites.sizes(), 11, np.bincount(sites.of_page[may], minlength=len(sites)))
    expected: list[list[int]] = []
    for one in np.argsort(-sites.sizes(), kind="stable").tolist():
        pages = np.flatnonzero(sites.of_page == one)
        if share[one]:
            held = tuple(np.flatnonzero(np.isin(pages, [1, 2])).tolist())
            own = Limits(excluded=excluded[pages], held=held)
            seeds = select(web.subgraph(pages), strategy, int(share[one]), hops=2, limits=own, seed=[1, one])  # type: ignore[arg-type]
            expected.append(pages[seeds.pages].tolist())
    rounds = [page for one in zip_longest(*expected) for page in one if page is not None]
    assert found.pages.tolist() == rounds
    assert found.gain is not None
    whole = gain_of(web, rounds, np.ones(60), 2, (1, 2))
    assert found.gain.pages.tolist() == whole.pages.tolist()


def test_two_sites_by_hand() -> None:
    """Host a has pages 0 to 3 (0 links to all), host b 4 and 5. Of 3 seeds a gets 2 and b 1."""
    urls = [f"http://a.com/{k}" for k in range(4)] + ["http://b.com/0", "http://b.com/1"]
    web = web_of([[1, 2, 3], [4, 5], [], [], [], [4, 0, 1, 2, 3]], urls)
    found = by_host(web, "outdegree", 3, hops=1, threads=1)
    assert [(seed.rank, seed.page) for seed in found] == [(1, 0), (2, 5), (3, 1)]
    assert found[0].reason == "a.com: 3 links on the page, place 1 of 4"
    assert found[1].reason == "b.com: 1 links on the page, place 1 of 2"
    assert found.gain is not None
    assert found.gain.pages.tolist() == [4, 6, 6]
    assert found.options["per_site"] == "host"


def test_importance_decides_who_gets_seeds() -> None:
    urls = [f"http://a.com/{k}" for k in range(4)] + ["http://b.com/0", "http://b.com/1"]
    web = web_of([[4], [4], [4], [4], [5], [4]], urls)
    values = np.array([1.0, 1, 1, 1, 50, -3])
    by = {name: by_host(web, "random", 1, importance=name, values=values) for name in ("pages", "value")}  # type: ignore[arg-type]
    assert by["pages"].pages[0] < 4
    assert by["value"].pages[0] >= 4
    assert by_host(web, "random", 1, importance="pagerank").pages[0] >= 4
    assert site_importance(web, web.sites(), "value", -values).tolist() == [0.0, 0.0]
    assert site_importance(web, web.sites(), "pagerank", values).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("strategy", ["random", "sampler", "cover"])
def test_seeds_do_not_depend_on_the_number_of_threads(strategy: str) -> None:
    web = random_web(200)
    one, three = (by_host(web, strategy, 40, hops=1, seed=5, threads=n) for n in (1, 3))
    assert [(seed.page, seed.score, seed.reason) for seed in one] == [(s.page, s.score, s.reason) for s in three]
    if strategy != "cover":
        assert one.pages.tolist() != by_host(web, strategy, 40, hops=1, seed=6).pages.tolist()


def test_limits_and_required_seeds_hold() -> None:
    web = random_web()
    limits = Limits(max_per_site=2, required=(7,))
    found = select(web, "random", 30, per_site="domain", limits=limits)
    assert (found[0].page, found[0].strategy) == (7, "required")
    counts = np.bincount(web.sites("host").of_page[found.pages], minlength=4)
    assert counts.max() == 2
    assert len(found) == np.minimum(web.sites("host").sizes(), 2).sum()
    assert found.notes[0].startswith(f"{len(found)} seeds instead of 30")


def test_until_keeps_as_many_seeds_as_it_takes() -> None:
    web = random_web()
    whole = by_host(web, "cover", 12, hops=1)
    assert whole.gain is not None
    part = by_host(web, "cover", 12, hops=1, until=0.5)
    assert part.gain is not None
    assert part.gain.value[-1] >= 30 > part.gain.value[-2]
    assert part.pages.tolist() == whole.pages[: len(part)].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "cores"}, "'cores' looks at links between sites"),
        ({"strategy": "trawling"}, "'trawling' looks at links between sites"),
        ({"strategy": "covers"}, "Did you mean 'cover'"),
        ({"importance": "page"}, "Did you mean 'pages'"),
        ({"k": 0}, "k is 0"),
        ({"depth": 2}, "random has no option 'depth'"),
        ({"limits": Limits(max_per_site=1, site="domain")}, "a limit of seeds per domain does not fit shares by host"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        by_host(random_web(), **{"strategy": "random", "k": 2, **change})  # type: ignore[arg-type]


def test_a_web_without_hosts_is_refused() -> None:
    with pytest.raises(NeedsHosts):
        by_host(Web(csr([[1], []])), "random", 1)
