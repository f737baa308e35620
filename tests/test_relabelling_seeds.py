"""Other names for the pages give the same seeds under their new names, but where ties go to the smaller name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.seeds.cores.core_seeds import cores
from seedbed.seeds.cores.trawling import trawl, trawling
from seedbed.seeds.heuristics import harmonic, indegree, outdegree, pagerank
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Pick
from seedbed.urls.sites import Sites
from tests.graphs import Lists, csr, labels, page_lists, relabelled
from tests.reference import cores as reference
from tests.reference import coverage
from tests.reference.coverage import Task
from tests.reference.shape import Graph
from tests.reference.shape_webs import graphs
from tests.test_seeds_coverage_twins import PAIRS
from tests.test_seeds_coverage_twins import problem_of as coverage_problem

GROWN: list[dict[str, object]] = [
    {"density": 100.0},
    {"density": 60.0},
    {"density": 100.0, "reading": "maximal"},
    {"density": 60.0, "reading": "maximal", "max_hubs": 3},
    {"size": 5},
    {"size": 8, "new_members": 2},
]


def problem_of(lists: Lists) -> Problem:
    """Every page on a host of its own, so that every link lies between sites."""
    hosts = Sites("host", np.arange(len(lists)), [f"h{k}" for k in range(len(lists))])
    return Problem(Web(csr(lists), hosts=hosts), np.ones(len(lists)))


@st.composite
def uneven(draw: st.DrawFn) -> Lists:
    """Webs whose pages have different neighbours, for the most part, so that few scores tie."""
    pages = draw(st.integers(6, 16))
    near = np.random.default_rng(draw(st.integers(0, 2**32))).random((pages, pages)) < draw(st.sampled_from([0.2, 0.4]))
    np.fill_diagonal(near, False)
    return [np.flatnonzero(row).tolist() for row in near]


class Tie(Exception):
    """Two pages have the highest score."""


def cores_before_a_tie(lists: Lists, most: int, options: dict[str, object]) -> int:
    """How many cores the naive twin finds before it has to choose between equal scores."""

    def only(scores: dict[int, int], pages: set[int]) -> int | None:
        best = max((scores[page] for page in pages), default=0)
        highest = [page for page in pages if scores[page] == best]
        if len(highest) > 1:
            raise Tie
        return highest[0] if highest else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "highest", only)
        for count in range(most, 0, -1):
            try:
                return len(reference.extract_seeds(lists, count, **options))  # type: ignore[arg-type]
            except Tie:
                pass
    return 0


@pytest.mark.parametrize("options", GROWN, ids=str)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(lists=uneven(), data=st.data())
def test_cores_are_permuted_until_scores_tie(options: dict[str, object], lists: Lists, data: st.DataObject) -> None:
    count = cores_before_a_tie(lists, 3, options)
    assume(count)
    label = data.draw(labels(lists))
    found = cores(problem_of(lists), count, **options)
    moved = cores(problem_of(relabelled(lists, label)), count, **options)
    assert len(found) == len(moved) == count
    for one, other in zip(found, moved, strict=True):
        assert other.page == label[one.page]
        assert one.core is not None
        assert other.core is not None
        assert other.core.hubs.tolist() == [label[page] for page in one.core.hubs]
        assert other.core.authorities.tolist() == [label[page] for page in one.core.authorities]
        assert other.score == pytest.approx(one.score)


def picks_before_a_tie(twin: Callable[[Task, int], list[int]], task: Callable[[], Task], most: int) -> int:
    """How many seeds the naive twin chooses before it has to choose between equal pages or components."""

    def only(pages: Iterable[int], score: Callable[[int], float]) -> int | None:
        ranked = sorted(((score(page), page) for page in pages), reverse=True)
        if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
            raise Tie
        return ranked[0][1] if ranked else None

    def in_order(task: Task, parts: Iterable[frozenset[int]]) -> list[frozenset[int]]:
        ranked = sorted(parts, key=lambda part: -coverage.value_of(task, part))
        values = [coverage.value_of(task, part) for part in ranked]
        if len(set(values)) < len(values):
            raise Tie
        return ranked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "best_of", only)
        patch.setattr(coverage, "heaviest_first", in_order)
        for count in range(most, 0, -1):
            try:
                return len(twin(task(), count))
            except Tie:
                pass
    return 0


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(graph=graphs(largest=14), hops=st.integers(0, 3), data=st.data())
def test_seeds_by_coverage_are_permuted_until_there_is_a_tie(
    name: str, graph: Graph, hops: int, data: st.DataObject
) -> None:
    """Values are powers of two, so that different sets of pages are worth different sums."""
    strategy, twin = PAIRS[name]
    values = [float(2**page) for page in range(len(graph))]
    count = picks_before_a_tie(twin, lambda: Task(graph, values, hops), 4)
    assume(count)
    label = data.draw(labels(graph))
    moved = [set(row) for row in relabelled([sorted(row) for row in graph], label)]
    worth = [value for _, value in sorted(zip(label, values, strict=True))]
    found = strategy(coverage_problem(Task(graph, values, hops)), count)
    other = strategy(coverage_problem(Task(moved, worth, hops)), count)
    assert [pick.page for pick in other] == [label[pick.page] for pick in found]
    assert [pick.score for pick in other] == [pick.score for pick in found]


def groups(pick: Pick, label: list[int]) -> tuple[frozenset[int], frozenset[int]]:
    assert pick.core is not None
    return frozenset(label[page] for page in pick.core.hubs), frozenset(label[page] for page in pick.core.authorities)


@st.composite
def apart(draw: st.DrawFn) -> Lists:
    """Complete cores that share no page, and pages with one or two links that are in none."""
    sizes = draw(st.lists(st.tuples(st.integers(3, 5), st.integers(3, 5)), min_size=1, max_size=4))
    lists: Lists = []
    for hubs, authorities in sizes:
        first = len(lists) + hubs
        lists += [list(range(first, first + authorities)) for _ in range(hubs)] + [[] for _ in range(authorities)]
    page = st.integers(0, len(lists) - 1)
    return lists + draw(st.lists(st.lists(page, max_size=2, unique=True), max_size=12))


@settings(deadline=None, max_examples=60)
@given(apart(), st.data())
def test_trawled_cores_that_share_no_page_are_permuted(lists: Lists, data: st.DataObject) -> None:
    """The seed of each is a hub of it; here all hubs of a core have the same number of links, so any may be."""
    label = data.draw(labels(lists))
    found, moved = (trawling(problem_of(each), len(lists)) for each in (lists, relabelled(lists, label)))
    assert {groups(pick, label) for pick in found} == {groups(pick, list(range(len(lists)))) for pick in moved}
    assert [pick.score for pick in found] == [pick.score for pick in moved]
    assert all(pick.core is not None and pick.page in pick.core.hubs for pick in moved)


@settings(deadline=None, max_examples=80)
@given(st.one_of(page_lists(most_pages=16), uneven()), st.integers(1, 3), st.integers(1, 3), st.data())
def test_whether_trawling_finds_a_core_does_not_depend_on_names(
    lists: Lists, hubs: int, authorities: int, data: st.DataObject
) -> None:
    """Which of several that share a page does: the search goes by page number."""
    lists = [[target for target in row if target != page] for page, row in enumerate(lists)]
    moved = relabelled(lists, data.draw(labels(lists)))
    found, other = (trawl(csr(each), hubs, authorities, None) for each in (lists, moved))
    assert found.passed_over == other.passed_over == 0
    assert bool(found.cores) == bool(other.cores)


@pytest.mark.parametrize("strategy", [outdegree, indegree, pagerank])
@settings(deadline=None, max_examples=30)
@given(lists=page_lists(), k=st.integers(1, 9), data=st.data())
def test_seeds_by_a_ranking_have_the_same_scores(strategy, lists: Lists, k: int, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    label = data.draw(labels(lists))
    found, moved = (strategy(problem_of(each), k) for each in (lists, relabelled(lists, label)))
    assert [pick.score for pick in moved] == pytest.approx([pick.score for pick in found], abs=1e-12)


def test_seeds_by_harmonic_centrality_are_as_good_within_the_error() -> None:
    """Half of a web's pages are reached by hundreds of pages, the others by few: the seeds are among the first."""
    reached = np.random.default_rng(3).integers(0, 400, (400, 6))
    lists = [sorted({*row.tolist()} - {page}) for page, row in enumerate(reached)] + [[] for _ in range(400)]
    label = np.random.default_rng(4).permutation(len(lists)).tolist()
    for each, names in ((lists, list(range(800))), (relabelled(lists, label), label)):
        assert {pick.page for pick in harmonic(problem_of(each), 20)} <= {names[page] for page in range(400)}
