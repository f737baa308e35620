"""PageRank: by hand, by its twin, by NetworkX, and what holds on every web."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.ranking.pagerank import iterations_at_worst, pagerank
from tests.graphs import Lists, page_lists, web_of
from tests.reference import ranking as reference
from tests.reference.shape_webs import bv_of, random_csr

quick = settings(deadline=None, max_examples=40)
some_pages = page_lists().filter(len)


def sets(lists: Lists) -> list[set[int]]:
    return [set(row) for row in lists]


def digraph(lists: Lists) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(lists)))
    graph.add_edges_from((page, target) for page, row in enumerate(lists) for target in row)
    return graph


def test_pages_of_a_cycle_are_equal_after_one_iteration() -> None:
    found = pagerank(web_of([[1], [2], [0]]))
    assert found.scores.tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert found.iterations == 1
    assert found.converged


def test_the_middle_of_a_star_has_the_score_found_by_hand() -> None:
    """Leaves 1, 2, 3 link to 0, which links nowhere: leaf = α·m/4 + (1 − α)/4, m = leaf + 3·α·leaf, m + 3·leaf = 1."""
    leaf = 1 / (4 + 3 * 0.85)
    found = pagerank(web_of([[], [0], [0], [0]]), tolerance=1e-14)
    assert found.scores.tolist() == pytest.approx([1 - 3 * leaf, leaf, leaf, leaf], abs=1e-14)


def test_a_preference_for_one_page_still_spreads_dangling_mass_evenly() -> None:
    """Page 0 is preferred and links to 1, which dangles: x0 = α·x1/2 + 0.15, x1 = α·(x0 + x1/2), x0 + x1 = 1."""
    second = 0.85 / (1 + 0.85 / 2)
    found = pagerank(web_of([[1], []]), preference=np.array([7, 0]), tolerance=1e-14)
    assert found.scores.tolist() == pytest.approx([1 - second, second], abs=1e-14)


@quick
@given(
    page_lists(most_pages=7).filter(len), st.sampled_from([0.0, 0.85, 0.9999]), st.sampled_from([1e-6, 1e-13, 1e-300])
)
def test_the_exact_scores_are_within_the_error_bound_whatever_the_tolerance(
    lists: Lists, damping: float, tolerance: float
) -> None:
    found = pagerank(web_of(lists), damping=damping, tolerance=tolerance, max_iterations=20_000)
    exact = reference.exact_pagerank(sets(lists), Fraction(damping))
    off = sum(abs(Fraction(score) - right) for score, right in zip(found.scores.tolist(), exact, strict=True))
    assert found.error_bound is not None
    assert off <= Fraction(found.error_bound)
    assert not found.converged or found.error_bound <= tolerance + 1e-10


@quick
@given(some_pages, st.sampled_from([0.0, 0.5, 0.85, 0.99]), st.integers(1, 30), st.booleans())
def test_iterations_are_those_of_the_twin(lists: Lists, damping: float, iterations: int, prefer: bool) -> None:
    preference = np.arange(1.0, len(lists) + 1) if prefer else None
    found = pagerank(web_of(lists), damping=damping, tolerance=1e-300, max_iterations=iterations, preference=preference)
    if found.iterations < iterations:
        assert found.error_bound < 1e-12
    twin = reference.pagerank(sets(lists), damping, iterations, None if preference is None else preference.tolist())
    assert found.scores.tolist() == pytest.approx(twin, abs=1e-13)


@quick
@given(some_pages)
def test_scores_agree_with_networkx(lists: Lists) -> None:
    found = pagerank(web_of(lists), tolerance=1e-13)
    known = nx.pagerank(digraph(lists), alpha=0.85, tol=1e-14 / len(lists), max_iter=1000)
    assert found.scores.tolist() == pytest.approx([known[page] for page in range(len(lists))], abs=1e-12)


@quick
@given(some_pages, st.sampled_from([1e-2, 1e-6, 1e-10]))
def test_the_error_is_within_its_bound_and_the_bound_within_the_tolerance(lists: Lists, tolerance: float) -> None:
    found = pagerank(web_of(lists), tolerance=tolerance)
    best = pagerank(web_of(lists), tolerance=1e-15).scores
    assert found.converged
    assert found.error_bound is not None
    assert np.abs(found.scores - best).sum() <= found.error_bound + 1e-14
    assert found.error_bound <= tolerance
    assert found.iterations <= iterations_at_worst(0.85, tolerance)


@quick
@given(some_pages)
def test_scores_sum_to_1_and_are_above_0(lists: Lists) -> None:
    scores = pagerank(web_of(lists)).scores
    assert scores.sum() == pytest.approx(1, abs=1e-13)
    assert scores.min() > 0


@quick
@given(some_pages, st.randoms(use_true_random=False))
def test_relabelling_pages_permutes_scores(lists: Lists, random: object) -> None:
    label = list(range(len(lists)))
    random.shuffle(label)  # type: ignore[attr-defined]
    moved: Lists = [[] for _ in lists]
    for page, row in enumerate(lists):
        moved[label[page]] = [label[target] for target in row]
    scores, other = pagerank(web_of(lists)).scores, pagerank(web_of(moved)).scores
    assert other[label].tolist() == pytest.approx(scores.tolist(), abs=1e-13)


@quick
@given(some_pages)
def test_small_webs_rank_the_same_compressed_and_streamed(lists: Lists) -> None:
    web = web_of(lists)
    known = pagerank(web).scores
    packed = Web(bv_of(web.links))
    assert pagerank(packed).scores.tolist() == known.tolist()
    assert pagerank(packed, memory=0).scores.tolist() == pytest.approx(known.tolist(), abs=1e-12)
    assert pagerank(web, memory=0).scores.tolist() == pytest.approx(known.tolist(), abs=1e-12)


def test_a_web_of_many_parts_ranks_the_same_whatever_the_threads_and_the_store() -> None:
    links = random_csr(70_000, 4, seed=3)
    one = pagerank(Web(links), threads=1)
    for threads in (2, 3):
        assert pagerank(Web(links), threads=threads).scores.tobytes() == one.scores.tobytes()
    streams = [pagerank(Web(bv_of(links)), memory=0, threads=threads).scores for threads in (1, 2)]
    assert streams[0].tobytes() == streams[1].tobytes()
    assert np.abs(streams[0] - one.scores).max() < 1e-12
    assert one.scores.sum() == pytest.approx(1, abs=1e-12)


def test_a_page_with_many_links_in_is_summed_right() -> None:
    """Long lists go another way than short ones."""
    lists: Lists = [[0, 1] if page % 3 else [0, 2, 5] for page in range(3000)]
    twin = reference.pagerank(sets(lists), 0.85, 20)
    found = pagerank(web_of(lists), tolerance=1e-300, max_iterations=20)
    assert found.scores.tolist() == pytest.approx(twin, rel=1e-11)


def test_too_few_iterations_are_told() -> None:
    found = pagerank(web_of([[1], [2], []]), max_iterations=2)
    assert not found.converged
    assert found.iterations == 2
    assert found.error_bound is not None
    assert found.error_bound > 1e-9


def test_a_web_without_pages_has_no_scores_and_one_without_links_even_ones() -> None:
    empty = pagerank(web_of([]))
    assert empty.scores.tolist() == []
    assert empty.converged
    assert pagerank(web_of([[], []])).scores.tolist() == [0.5, 0.5]


def test_progress_ends_at_or_before_its_total() -> None:
    seen: list[tuple[str, int, int]] = []
    found = pagerank(web_of([[1], [2], []]), progress=lambda *step: seen.append(step))
    assert [done for _, done, _ in seen] == list(range(1, found.iterations + 1))
    assert all(done <= total for _, done, total in seen)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"damping": 1.0}, "damping is 1.0"),
        ({"damping": float("nan")}, "damping is nan"),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"max_iterations": 0}, "max_iterations is 0"),
        ({"threads": 0}, "0 threads"),
        ({"preference": np.ones(2)}, "one weight per page"),
        ({"preference": np.array([1, -1, 0])}, "page 1 is -1"),
        ({"preference": np.array([1, 0, np.nan])}, "page 2 is nan"),
        ({"preference": np.zeros(3)}, "0 on every page"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        pagerank(web_of([[1], [2], []]), **options)  # type: ignore[arg-type]


@pytest.mark.shared
def test_cnr_2000_ranks_the_same_in_place_and_solves_the_equation(shared_data: Path) -> None:
    graph = BvGraph.open(shared_data / "cnr-2000" / "cnr-2000")
    found = pagerank(Web(graph), tolerance=1e-13)
    assert np.abs(pagerank(Web(graph), tolerance=1e-13, memory=0).scores - found.scores).max() < 1e-12
    out_ptr, out_idx = graph.to_csr().arrays()
    links = scipy.sparse.csr_array(
        (np.ones(graph.link_count), out_idx, out_ptr), shape=(graph.page_count, graph.page_count)
    )
    degrees = np.diff(out_ptr)
    shared = np.divide(found.scores, degrees, out=np.zeros(graph.page_count), where=degrees > 0)
    dangling = found.scores[degrees == 0].sum()
    right = 0.85 * (links.T @ shared + dangling / graph.page_count) + 0.15 / graph.page_count
    assert np.abs(right - found.scores).sum() < 1e-12
