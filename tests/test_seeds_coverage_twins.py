"""The fast strategies choose what their naive twins choose, pick for pick."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.links.transpose import transposed_on_disk
from seedbed.seeds.coverage.cover import cover
from seedbed.seeds.coverage.greedy import greedy, maxweight
from seedbed.seeds.coverage.maxout import maxout
from seedbed.seeds.coverage.scc_strategies import maxscc, rootscc
from seedbed.seeds.gain import gain_of
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from tests.reference import coverage as reference
from tests.reference.coverage import Task
from tests.reference.shape_webs import bv_of, csr_of, graphs, random_csr

Fast = Callable[[Problem, int], list[Pick]]
Twin = Callable[[Task, int], list[int]]

PAIRS: dict[str, tuple[Fast, Twin]] = {
    "greedy": (greedy, reference.greedy),
    "maxout": (maxout, reference.maxout),
    "maxweight": (maxweight, lambda task, k: reference.maxweight(task, k, 2)),
    "maxweight, depth 3": (lambda p, k: maxweight(p, k, depth=3), lambda task, k: reference.maxweight(task, k, 3)),
    "maxweight, depth 0": (lambda p, k: maxweight(p, k, depth=0), lambda task, k: reference.maxweight(task, k, 0)),
    "maxscc": (maxscc, lambda task, k: reference.maxscc(task, k, 2)),
    "rootscc": (rootscc, lambda task, k: reference.rootscc(task, k, 2)),
    "rootscc, depth 1": (lambda p, k: rootscc(p, k, depth=1), lambda task, k: reference.rootscc(task, k, 1)),
}


@st.composite
def tasks(draw: st.DrawFn, negative: bool = True, largest: int = 12) -> Task:
    """Webs with values, constraints and seeds that are there already."""
    graph = draw(graphs(largest=largest))
    pages = len(graph)
    lowest = -10 if negative else 0
    values = st.one_of(st.just(1), st.integers(lowest, 10), st.sampled_from([0, 0.25, 1.5, 10]))
    page = st.integers(0, pages - 1) if pages else st.nothing()
    sites = draw(st.lists(st.integers(0, 3), min_size=pages, max_size=pages)) if draw(st.booleans()) else None
    return Task(
        graph,
        draw(st.lists(values, min_size=pages, max_size=pages)),
        draw(st.integers(0, 5)),
        allowed=draw(st.none() | st.sets(page)) if pages else None,
        taken=tuple(sorted(draw(st.sets(page, max_size=2)))) if pages else (),
        sites=sites,
        max_per_site=None if sites is None else draw(st.integers(1, 2)),
    )


def problem_of(task: Task, *, compressed: bool = False, threads: int = 1, seed: int = 1) -> Problem:
    links = csr_of(task.graph)
    allowed = None
    if task.allowed is not None:
        allowed = np.isin(np.arange(len(task.graph)), list(task.allowed))
    quota = Quota()
    if task.sites is not None:
        quota = Quota(np.array(task.sites, np.int32), task.max_per_site)
        for page in task.taken:
            quota.take(page)
    return Problem(
        Web(bv_of(links) if compressed else links),
        np.array(task.values, np.float64),
        task.hops,
        allowed=allowed,
        taken=task.taken,
        quota=quota,
        random=np.random.default_rng(seed),
        threads=threads,
    )


@contextmanager
def in_place() -> Iterator[None]:
    """Compressed links are read where they are, and turned round on disk, as if there were no room for more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("seedbed.seeds.coverage.covered.room_to_decode", lambda links: False)
        patch.setattr(
            "seedbed.seeds.coverage.cover.transposed_within_memory",
            lambda links, **options: transposed_on_disk(links, room=5),
        )
        yield


def pages_of(picks: list[Pick]) -> list[int]:
    return [pick.page for pick in picks]


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=120)
@given(task=tasks(), k=st.integers(0, 6))
def test_fast_and_naive_choose_the_same(name: str, task: Task, k: int) -> None:
    fast, twin = PAIRS[name]
    assert pages_of(fast(problem_of(task), k)) == twin(task, k)


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=15)
@given(task=tasks(largest=40), k=st.integers(1, 12), threads=st.integers(1, 3))
def test_neither_the_store_nor_the_number_of_threads_changes_the_choice(
    name: str, task: Task, k: int, threads: int
) -> None:
    fast, _ = PAIRS[name]
    expected = fast(problem_of(task), k)
    assert fast(problem_of(task, compressed=True, threads=threads), k) == expected
    with in_place():
        assert fast(problem_of(task, compressed=True, threads=threads), k) == expected


@settings(deadline=None, max_examples=40)
@given(task=tasks(largest=30), k=st.integers(1, 8), threads=st.integers(1, 3), seed=st.integers(0, 9))
def test_cover_depends_on_the_seed_alone(task: Task, k: int, threads: int, seed: int) -> None:
    expected = cover(problem_of(task, seed=seed), k)
    assert cover(problem_of(task, compressed=True, threads=threads, seed=seed), k) == expected
    with in_place():
        assert cover(problem_of(task, compressed=True, threads=threads, seed=seed), k) == expected


@settings(deadline=None, max_examples=60)
@given(task=tasks(), k=st.integers(0, 6))
def test_cover_on_a_web_that_it_samples_whole_is_greedy_or_maxweight(task: Task, k: int) -> None:
    """All pages are candidates and all are sampled, so the first seeds of greedy must come out, unless MaxWeight's
    cover more.
    """
    found = pages_of(cover(problem_of(task), k))
    by_greedy = pages_of(greedy(problem_of(task), k))
    by_maxweight = pages_of(maxweight(problem_of(task), k))
    assert found in (by_greedy, by_maxweight)


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=30)
@given(task=tasks(negative=False), k=st.integers(1, 8))
def test_where_no_value_is_negative_coverage_never_falls(name: str, task: Task, k: int) -> None:
    problem = problem_of(task)
    pages = pages_of(PAIRS[name][0](problem, k))
    gain = gain_of(problem.web, pages, problem.values, task.hops, task.taken)
    assert (np.diff(gain.value) >= 0).all()
    assert (np.diff(gain.pages) >= 0).all()


@pytest.mark.parametrize("name", PAIRS)
@settings(deadline=None, max_examples=30)
@given(task=tasks(), k=st.integers(0, 8))
def test_fewer_seeds_are_the_first_of_more(name: str, task: Task, k: int) -> None:
    fast = PAIRS[name][0]
    assert pages_of(fast(problem_of(task), k)) == pages_of(fast(problem_of(task), 9))[:k]


@settings(deadline=None, max_examples=60)
@given(data=st.data(), graph=graphs(), hops=st.integers(0, 4), k=st.integers(1, 5))
def test_relabelling_pages_permutes_the_choice_where_there_are_no_ties(
    data: st.DataObject, graph: reference.Graph, hops: int, k: int
) -> None:
    """Values are distinct powers of two, so that no two sets of pages are worth the same; only pages that cover the
    same tie, and then either covers as much as the other.
    """
    pages = len(graph)
    values = [float(2**page) for page in range(pages)]
    new = data.draw(st.permutations(range(pages)))
    turned: list[set[int]] = [set() for _ in range(pages)]
    new_values = [0.0] * pages
    for page, targets in enumerate(graph):
        turned[new[page]] = {new[target] for target in targets}
        new_values[new[page]] = values[page]
    first = greedy(problem_of(Task(graph, values, hops)), k)
    second = greedy(problem_of(Task(turned, new_values, hops)), k)
    assert [pick.score for pick in first] == [pick.score for pick in second]


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("hops", [1, 3])
def test_lazy_evaluation_agrees_on_a_web_of_hundreds_of_pages(hops: int, negative: bool) -> None:
    links = random_csr(400, 1.6, seed=3)
    rng = np.random.default_rng(5)
    values = rng.choice([1.0, 10.0, -10.0 if negative else 0.0, 2.5], links.page_count, p=[0.7, 0.1, 0.1, 0.1])
    graph = [set(links.successors(page).tolist()) for page in range(links.page_count)]
    for name in ("greedy", "maxweight", "maxscc"):
        fast, twin = PAIRS[name]
        found = fast(Problem(Web(links), values, hops, threads=2), 12)
        assert pages_of(found) == twin(Task(graph, values.tolist(), hops), 12), name
