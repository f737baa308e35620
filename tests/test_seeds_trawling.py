"""Trawling: the kernels find the cores that the steps find with sets, and no core is left behind."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.seeds.cores.trawling import trawl, trawling
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from seedbed.urls.sites import Sites
from tests.graphs import Lists, csr, page_lists
from tests.reference import trawling as reference

HUBS_OF_TWO = [[3, 4, 5], [3, 4, 5], [3, 4, 5, 8], [], [], [], [8, 9, 3], [8, 9], [], []]


def without_self_links(lists: Lists) -> Lists:
    return [[target for target in row if target != page] for page, row in enumerate(lists)]


def dense(most_pages: int = 14) -> st.SearchStrategy[Lists]:
    """Few pages and many links, so that much is left to enumerate."""

    def of(pages: int) -> st.SearchStrategy[Lists]:
        row = st.lists(st.integers(0, pages - 1), max_size=12, unique=True).map(sorted)
        return st.lists(row, min_size=pages, max_size=pages)

    return st.integers(1, most_pages).flatmap(of)


webs = st.one_of(page_lists(most_pages=20), dense()).map(without_self_links)
least = st.integers(1, 4)


def web_of_hosts(lists: Lists, hosts: list[int] | None = None) -> Web:
    of_page = np.arange(len(lists)) if hosts is None else np.array(hosts, np.int64)
    return Web(csr(lists), hosts=Sites("host", of_page, [f"h{k}" for k in range(len(lists) + 6)]))


def problem_of(lists: Lists, hosts: list[int] | None = None) -> Problem:
    return Problem(web_of_hosts(lists, hosts), np.ones(len(lists)))


def plain(picks: list[Pick]) -> list[tuple[int, list[int], list[int]]]:
    return [(pick.page, pick.core.hubs.tolist(), pick.core.authorities.tolist()) for pick in picks if pick.core]


@settings(deadline=None, max_examples=200)
@given(webs, least, least, st.sampled_from([None, 2, 4, 50]), st.sampled_from([1, 2, 5, 10_000]))
def test_cores_are_those_of_the_steps(lists: Lists, i: int, j: int, max_in_links: int | None, steps: int) -> None:
    found = trawl(csr(lists), i, j, max_in_links, steps)
    cores = [(core.hubs.tolist(), core.authorities.tolist()) for core in found.cores]
    assert (cores, found.passed_over) == reference.trawl(lists, i, j, max_in_links, steps)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [(2, 3), (3, 3), (4, 3), (3, 4)])
def test_cores_are_those_of_the_steps_where_much_is_left_to_enumerate(seed: int, size: tuple[int, int]) -> None:
    random = np.random.default_rng(seed)
    near = random.random((36, 36)) < random.choice([0.15, 0.2, 0.25])
    lists = without_self_links([np.flatnonzero(row).tolist() for row in near])
    for steps in (30, 10_000):
        found = trawl(csr(lists), *size, max_steps=steps)
        cores = [(core.hubs.tolist(), core.authorities.tolist()) for core in found.cores]
        assert (cores, found.passed_over) == reference.trawl(lists, *size, max_steps=steps)


@settings(deadline=None, max_examples=100)
@given(webs, least, least, st.data())
def test_cores_are_complete_disjoint_and_across_sites(lists: Lists, i: int, j: int, data: st.DataObject) -> None:
    hosts = data.draw(st.lists(st.integers(0, 5), min_size=len(lists), max_size=len(lists)))
    seen: set[int] = set()
    for pick in trawling(problem_of(lists, hosts), len(lists), hubs=i, authorities=j):
        assert pick.core is not None
        hubs, authorities = pick.core.hubs.tolist(), pick.core.authorities.tolist()
        assert len(hubs) >= i
        assert len(authorities) >= j
        assert all(w in lists[v] and hosts[v] != hosts[w] for v in hubs for w in authorities)
        assert not seen & {*hubs, *authorities}
        assert len({*hubs, *authorities}) == len(hubs) + len(authorities)
        seen |= {*hubs, *authorities}
        assert pick.page in hubs
        assert pick.core.density == 100


@settings(deadline=None, max_examples=100)
@given(dense(), st.integers(1, 3), st.integers(1, 3))
def test_no_core_is_left_behind(lists: Lists, i: int, j: int) -> None:
    lists = without_self_links(lists)
    found = trawl(csr(lists), i, j, None)
    assert found.passed_over == 0
    gone = {int(page) for core in found.cores for page in (*core.hubs, *core.authorities)}
    left = [set(row) - gone if page not in gone else set() for page, row in enumerate(lists)]
    for hubs in combinations([row for row in left if len(row) >= j], i):
        assert len(set.intersection(*hubs)) < j


def test_two_cores_by_hand() -> None:
    """0, 1, 2 link to 3, 4, 5, and so do not 6, which has one link there; 6 and 7 link to 8 and 9."""
    picks = trawling(problem_of(HUBS_OF_TWO), 5, hubs=2, authorities=2)
    assert plain(picks) == [(2, [0, 1, 2], [3, 4, 5]), (6, [6, 7], [8, 9])]
    assert picks[0].reason == "complete core 1: 3 hubs, 3 authorities; 4 links to other sites on the page"
    assert [pick.score for pick in picks] == [9.0, 4.0]
    core = picks[0].core
    assert core is not None
    assert core.hub_scores.tolist() == [3.0, 3.0, 4.0]
    assert core.authority_scores.tolist() == [4.0, 3.0, 3.0]
    assert plain(trawling(problem_of(HUBS_OF_TWO), 5)) == [(2, [0, 1, 2], [3, 4, 5])]


def test_what_needs_enumeration_by_hand() -> None:
    """Four hubs with the same four authorities: no hub has just two links, so the sets of two are gone through."""
    lists: Lists = [[4, 5, 6, 7]] * 4 + [[]] * 4
    assert plain(trawling(problem_of(lists), 3, hubs=2, authorities=2)) == [(0, [0, 1, 2, 3], [4, 5, 6, 7])]
    assert trawl(csr(lists), 2, 2, max_steps=2).passed_over == 0
    assert trawl(csr(lists), 2, 2, max_steps=1).passed_over == 4


def test_links_inside_a_site_do_not_count() -> None:
    lists: Lists = [[2, 3], [2, 3], [], []]
    assert trawling(problem_of(lists, [0, 1, 0, 2]), 3, hubs=2, authorities=2) == []
    assert len(trawling(problem_of(lists, [0, 1, 2, 2]), 3, hubs=2, authorities=2)) == 1


def test_pages_that_all_link_to_are_no_authorities() -> None:
    lists: Lists = [[3, 4]] * 3 + [[], []]
    assert trawling(problem_of(lists), 1, authorities=2, max_in_links=2) == []
    assert plain(trawling(problem_of(lists), 1, authorities=2, max_in_links=3)) == [(0, [0, 1, 2], [3, 4])]


def test_only_allowed_hubs_are_seeds_and_sites_have_their_limit() -> None:
    problem = problem_of(HUBS_OF_TWO)
    problem.allowed = np.array([page != 2 for page in range(10)])
    problem.taken = (6, 7)
    assert [pick.page for pick in trawling(problem, 5, hubs=2, authorities=2)] == [0]
    problem = problem_of(HUBS_OF_TWO)
    problem.quota = Quota(np.array([0] * 10), 1)
    assert [pick.page for pick in trawling(problem, 5, hubs=2, authorities=2)] == [2]


def test_notes_say_which_cores_give_no_seed_and_which_hubs_were_passed_over() -> None:
    problem = problem_of(HUBS_OF_TWO)
    problem.taken = (6, 7)
    trawling(problem, 5, hubs=2, authorities=2)
    assert problem.notes == ["1 core has no eligible hub, and so no seed."]
    problem = problem_of([[4, 5, 6, 7]] * 4 + [[]] * 4)
    assert trawling(problem, 5, hubs=2, authorities=2, max_steps=1) == []
    assert problem.notes == ["hubs skipped, each after 1 step: 4. Cores may be missing; raise max_steps to find more."]


@pytest.mark.parametrize("name", ["hubs", "authorities", "max_in_links", "max_steps"])
def test_sizes_below_one_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=f"{name} is 0; it must be at least 1"):
        trawling(problem_of([[]]), 1, **{name: 0})  # type: ignore[arg-type]
