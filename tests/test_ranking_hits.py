"""HITS: by hand, by its twin, by NetworkX, and what holds on every web."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.ranking.hits import hits, iterations_to_settle
from tests.graphs import Lists, page_lists, web_of
from tests.reference import ranking as reference
from tests.reference.shape_webs import bv_of, random_csr
from tests.test_ranking_pagerank import digraph, quick, sets


def test_one_hub_and_two_authorities_have_the_scores_found_by_hand() -> None:
    """After the first iteration nothing changes: hub 0 has 1, authorities 1 and 2 have 1/√2 each."""
    hubs, authorities = hits(web_of([[1, 2], [], []]), iterations=3)
    assert hubs.scores.tolist() == pytest.approx([1, 0, 0])
    assert authorities.scores.tolist() == pytest.approx([0, 0.5**0.5, 0.5**0.5])
    assert hubs.converged
    assert authorities.converged
    assert (hubs.name, authorities.name, hubs.iterations, hubs.error_bound) == ("hubs", "authorities", 3, None)


def test_one_iteration_is_counted_out() -> None:
    """a = in-degrees (0, 1, 2)/√5; h = (1 + 2, 2, 0)/√13."""
    hubs, authorities = hits(web_of([[1, 2], [2], []]), iterations=1)
    assert authorities.scores.tolist() == pytest.approx([0, 1 / 5**0.5, 2 / 5**0.5])
    assert hubs.scores.tolist() == pytest.approx([3 / 13**0.5, 2 / 13**0.5, 0])
    assert not hubs.converged


@quick
@given(page_lists(), st.sampled_from([1, 2, 5, 60]))
def test_iterations_are_those_of_the_twin(lists: Lists, iterations: int) -> None:
    found = hits(web_of(lists), iterations=iterations)
    for ranking, twin in zip(found, reference.hits(sets(lists), iterations), strict=True):
        assert ranking.scores.tolist() == pytest.approx(twin, abs=1e-12)


@settings(deadline=None, max_examples=15)
@given(page_lists().filter(lambda lists: any(lists) and len(lists) > 1))
def test_directions_agree_with_networkx_once_converged(lists: Lists) -> None:
    """NetworkX needs two pages at least."""
    found = hits(web_of(lists), iterations=1500, threads=1)
    matrix = nx.to_numpy_array(digraph(lists), nodelist=range(len(lists)))
    first, second, *_ = *np.linalg.svd(matrix, compute_uv=False), 0.0
    assume(first - second > 0.05)
    for ranking, known in zip(found, nx.hits(digraph(lists), max_iter=10_000, tol=1e-14), strict=True):
        direction = np.array([known[page] for page in range(len(lists))])
        assert ranking.converged
        assert ranking.scores.tolist() == pytest.approx((direction / np.linalg.norm(direction)).tolist(), abs=1e-7)


@quick
@given(page_lists())
def test_scores_have_norm_1_or_0_and_none_is_negative(lists: Lists) -> None:
    for ranking in hits(web_of(lists), iterations=7):
        assert np.linalg.norm(ranking.scores) == pytest.approx(1.0 if any(lists) else 0.0)
        assert ranking.scores.min(initial=0) >= 0


@settings(deadline=None, max_examples=15)
@given(page_lists())
def test_authorities_are_the_hubs_of_the_transposed_web(lists: Lists) -> None:
    """h of the transposed web starts half a step later: a = Aᵀh from h = A·1 there, so only the limit is the same."""
    matrix = nx.to_numpy_array(digraph(lists), nodelist=range(len(lists))) if lists else np.zeros((1, 1))
    first, second, *_ = *np.linalg.svd(matrix, compute_uv=False), 0.0
    assume(first - second > 0.1)
    web = web_of(lists)
    _, authorities = hits(web, iterations=1000, threads=1)
    transposed, _ = hits(web.transpose(), iterations=1000, threads=1)
    assert transposed.scores.tolist() == pytest.approx(authorities.scores.tolist(), abs=1e-9)


@quick
@given(page_lists())
def test_small_webs_rank_the_same_compressed_and_streamed(lists: Lists) -> None:
    web = web_of(lists)
    compressed = Web(bv_of(web.links))
    known = hits(web, iterations=9)
    streamed = (hits(store, iterations=9, memory=0) for store in (compressed, web))
    for other in (hits(compressed, iterations=9), *streamed):
        for ranking, same in zip(known, other, strict=True):
            assert same.scores.tolist() == pytest.approx(ranking.scores.tolist(), abs=1e-12)


def test_a_web_of_many_parts_ranks_the_same_whatever_the_threads_and_the_store() -> None:
    links = random_csr(70_000, 4, seed=3)
    one = hits(Web(links), threads=1)
    streams = [hits(Web(bv_of(links)), memory=0, threads=threads) for threads in (1, 2)]
    for k in range(2):
        for threads in (2, 3):
            assert hits(Web(links), threads=threads)[k].scores.tobytes() == one[k].scores.tobytes()
        assert streams[0][k].scores.tobytes() == streams[1][k].scores.tobytes()
        assert np.abs(streams[0][k].scores - one[k].scores).max() < 1e-12


def test_a_web_without_pages_or_links_has_scores_of_0() -> None:
    for lists in ([], [[], []]):
        for ranking in hits(web_of(lists)):
            assert ranking.scores.tolist() == [0.0] * len(lists)
            assert ranking.converged


def test_fewer_than_one_iteration_is_refused() -> None:
    with pytest.raises(OptionError, match="iterations is 0"):
        hits(web_of([[0]]), iterations=0)


@settings(deadline=None, max_examples=5)
@given(st.integers(1, 5))
def test_progress_counts_the_iterations(iterations: int) -> None:
    seen: list[tuple[str, int, int]] = []
    hits(web_of([[1], [0]]), iterations=iterations, progress=lambda *step: seen.append(step))
    assert seen == [("hits", done, iterations) for done in range(1, iterations + 1)]


@quick
@given(page_lists().filter(len), st.sampled_from([0.1, 1e-3]))
def test_it_has_settled_when_the_twin_moves_no_more(lists: Lists, tolerance: float) -> None:
    found = iterations_to_settle(web_of(lists), tolerance, most=6, threads=1)
    before = [1 / len(lists) ** 0.5] * len(lists), [0.0] * len(lists)
    steps = [before, *(reference.hits(sets(lists), done) for done in range(1, 7))]
    moves = [
        max(float(np.linalg.norm(np.subtract(new[side], old[side]))) for side in range(2))
        for old, new in pairwise(steps)
    ]
    assume(all(abs(move - tolerance) > 1e-12 for move in moves))
    assert found == next((done for done, move in enumerate(moves, 1) if move < tolerance), None)


def test_two_equal_communities_settle_at_once_and_nearly_equal_ones_late() -> None:
    """Scores of complete cores of equal size never move; one with a link more wins, iteration by iteration."""
    equal = [[4, 5], [4, 5], [6, 7], [6, 7], [], [], [], []]
    assert iterations_to_settle(web_of(equal)) == 2
    nearly = [[4, 5], [4, 5, 8], [6, 7], [6, 7], [], [], [], [], []]
    assert (iterations_to_settle(web_of(nearly)) or 0) > 10
    assert iterations_to_settle(web_of(nearly), most=3) is None
