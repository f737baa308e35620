"""Seeds by a ranking: the order, its ties, and what may not be chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.seeds import heuristics
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from tests.graphs import web_of
from tests.reference.shape import Graph
from tests.reference.shape_webs import bv_of, csr_of, graphs, random_csr

Strategy = Callable[..., list[Pick]]
ALL = [
    heuristics.random,
    heuristics.outdegree,
    heuristics.indegree,
    heuristics.pagerank,
    heuristics.harmonic,
    heuristics.sampler,
]


def problem_of(web: Web, **more: object) -> Problem:
    return Problem(web, np.ones(web.page_count), 2, **more)  # type: ignore[arg-type]


def pages_of(picks: list[Pick]) -> list[int]:
    return [pick.page for pick in picks]


def test_degrees_rank_pages_and_ties_go_to_the_smaller() -> None:
    web = web_of([[1, 2], [2], [1, 3], [2]])
    assert pages_of(heuristics.outdegree(problem_of(web), 9)) == [0, 2, 1, 3]
    found = heuristics.indegree(problem_of(web), 3)
    assert pages_of(found) == [2, 1, 3]
    assert found[0].reason == "3 links to the page, place 1 of 4"


def test_pagerank_and_harmonic_follow_their_rankings() -> None:
    from seedbed.ranking.harmonic import harmonic as rank_by_harmonic
    from seedbed.ranking.pagerank import pagerank as rank_by_pagerank

    web = Web(random_csr(300, 3, seed=1))
    assert pages_of(heuristics.pagerank(problem_of(web), 7)) == rank_by_pagerank(web).top(7).tolist()
    assert pages_of(heuristics.harmonic(problem_of(web), 7)) == rank_by_harmonic(web).top(7).tolist()


@pytest.mark.parametrize("strategy", ALL)
@settings(deadline=None, max_examples=20)
@given(graph=graphs(), k=st.integers(0, 9), data=st.data())
def test_only_pages_that_may_be_chosen_are(strategy: Strategy, graph: Graph, k: int, data: st.DataObject) -> None:
    pages = len(graph)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=pages, max_size=pages)), np.bool_)
    sites = np.array(data.draw(st.lists(st.integers(0, 2), min_size=pages, max_size=pages)), np.int32)
    taken = tuple(data.draw(st.sets(st.integers(0, pages - 1), max_size=2))) if pages else ()
    quota = Quota(sites, 2)
    for page in taken:
        quota.take(page)
    found = pages_of(strategy(problem_of(Web(csr_of(graph)), allowed=allowed, taken=taken, quota=quota), k))
    seeds_of = Counter(sites[[*taken, *found]].tolist()) if pages else Counter()
    free = [page for page in range(pages) if allowed[page] and page not in (*taken, *found)]
    assert len(set(found)) == len(found) <= k
    assert all(allowed[page] and page not in taken for page in found)
    assert all(count <= 2 for count in seeds_of.values())
    assert len(found) == k or all(seeds_of[sites[page]] >= 2 for page in free)


@pytest.mark.parametrize("strategy", ALL)
def test_the_store_changes_nothing(strategy: Strategy) -> None:
    links = random_csr(400, 2, seed=5)
    first = strategy(problem_of(Web(links), random=np.random.default_rng(3)), 20)
    assert strategy(problem_of(Web(bv_of(links)), random=np.random.default_rng(3)), 20) == first


def test_random_seeds_are_drawn_evenly() -> None:
    web = web_of([[] for _ in range(5)])
    counts = Counter(
        page
        for seed in range(2000)
        for page in pages_of(heuristics.random(problem_of(web, random=np.random.default_rng(seed)), 2))
    )
    assert all(count == pytest.approx(800, abs=100) for count in counts.values())
    assert len(counts) == 5


def test_the_sampler_prefers_pages_with_links_to_them_and_never_takes_those_without_first() -> None:
    # Page 0 has 7 links to it, page 1 has one: u · ln 8 beats v · ln 2 with probability 1 − ln 2 / (2 ln 8) = 5/6.
    web = web_of([[1], [0], [0], [0], [0], [0], [0], [0]])
    firsts = Counter(
        pages_of(heuristics.sampler(problem_of(web, random=np.random.default_rng(seed)), 1))[0] for seed in range(3000)
    )
    assert set(firsts) == {0, 1}
    assert firsts[0] / 3000 == pytest.approx(5 / 6, abs=0.03)


def test_the_sampler_takes_at_most_so_many_of_a_domain() -> None:
    hosts = ["a.example.co.uk", "b.example.co.uk", "example.co.uk", "other.org", "www.other.org", "third.net"]
    web = web_of([[] for _ in hosts], [f"http://{host}/" for host in hosts])
    domain = [0, 0, 0, 1, 1, 2]
    found = heuristics.sampler(problem_of(web), 9, max_per_domain=1)
    assert sorted(domain[pick.page] for pick in found) == [0, 1, 2]
    assert len(heuristics.sampler(problem_of(web), 9, max_per_domain=2)) == 5
    assert len(heuristics.sampler(problem_of(web), 9, max_per_domain=None)) == 6


def test_without_hosts_the_sampler_says_that_there_is_no_limit() -> None:
    problem = problem_of(web_of([[1], [0], [0]]))
    assert len(heuristics.sampler(problem, 3, max_per_domain=1)) == 3
    assert problem.notes == ["no limit of seeds per domain, because the web has no hosts."]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(OptionError, match="max_per_domain is 0"):
        heuristics.sampler(problem_of(web_of([[0]])), 1, max_per_domain=0)


def test_a_full_site_is_passed_over_in_long_orders() -> None:
    pages = 3 * heuristics.PLACES
    web = web_of([[] for _ in range(pages)])
    sites = np.zeros(pages, np.int32)
    sites[-2:] = 1
    found = heuristics.outdegree(problem_of(web, quota=Quota(sites, 1)), 5)
    assert pages_of(found) == [0, pages - 2]
