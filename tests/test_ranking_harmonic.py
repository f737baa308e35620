"""Harmonic centrality and in-degree: by hand, by their twins, by NetworkX, and what holds on every web."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.ranking.degree_rankings import indegree
from seedbed.ranking.harmonic import harmonic, sigma_table
from seedbed.ranking.hyperball_kernels import estimated_size
from tests.graphs import Lists, page_lists, web_of
from tests.reference import ranking as reference
from tests.reference.shape_webs import bv_of, random_csr
from tests.test_ranking_pagerank import digraph, quick, sets


def test_the_end_of_a_chain_has_the_score_found_by_hand() -> None:
    found = harmonic(web_of([[1], [2], [3], []]), exact=True)
    assert found.scores.tolist() == pytest.approx([0, 1, 1 + 1 / 2, 1 + 1 / 2 + 1 / 3])
    assert found.error_bound == 0


@quick
@given(page_lists())
def test_exact_scores_are_those_of_the_twin_and_of_networkx(lists: Lists) -> None:
    scores = harmonic(web_of(lists), exact=True).scores.tolist()
    assert scores == pytest.approx(reference.harmonic(sets(lists)))
    known = nx.harmonic_centrality(digraph(lists))
    assert scores == pytest.approx([known[page] for page in range(len(lists))])


@quick
@given(page_lists(), st.integers(0, 2**63 - 1))
def test_tiny_webs_are_estimated_closely_with_many_registers(lists: Lists, seed: int) -> None:
    """40 pages in 16,384 registers hardly ever share one, and then a ball of 40 loses one page."""
    found = harmonic(web_of(lists), precision=14, seed=seed)
    exact = reference.harmonic(sets(lists))
    assert found.converged
    assert np.abs(found.scores - exact).max(initial=0) <= 0.02 * (max(exact, default=0) + 1) + 1.1


def test_estimates_are_within_the_stated_error_on_most_pages() -> None:
    """95 % of scores should lie within two standard errors; those of one web are not independent, so 90 % will do."""
    links = random_csr(3000, 3, seed=5)
    exact = harmonic(Web(links), exact=True).scores
    inside = []
    for seed in range(1, 6):
        found = harmonic(Web(links), precision=7, seed=seed)
        assert found.error_bound == pytest.approx(1.0389 / 2**3.5, rel=1e-3)
        inside.append(np.abs(found.scores - exact) <= 2 * found.error_bound * (exact + 1))
    assert np.mean(inside) > 0.9


def test_more_registers_give_a_smaller_error() -> None:
    links = random_csr(3000, 3, seed=5)
    exact = harmonic(Web(links), exact=True).scores
    errors = [np.abs(harmonic(Web(links), precision=p).scores - exact).mean() for p in (4, 8, 12)]
    assert errors[0] > errors[1] > errors[2]


def test_pages_at_distance_1_are_counted_exactly() -> None:
    lists: Lists = [[0, 100] for _ in range(100)] + [[]]
    assert harmonic(web_of(lists), precision=4).scores[100] == 100


@pytest.mark.parametrize("registers", [[1] + [0] * 15, [3, 1, 0, 2] * 4, [48, 7, 5, 9] * 4, [1] * 16])
def test_the_size_of_a_ball_is_that_of_the_twin(registers: list[int]) -> None:
    counter = np.array(registers, np.uint8)
    assert estimated_size(counter, 0, 16, sigma_table(16)) == pytest.approx(reference.ball_size(registers))


def test_a_full_counter_is_read_without_bias() -> None:
    """The mean over sixty seeds of a ball of 1,002 pages lies within four standard errors of its size."""
    pages, trials = 1000, 60
    lists: Lists = [[pages] for _ in range(pages)] + [[pages + 1], []]
    found = [harmonic(web_of(lists), precision=6, seed=seed).scores[pages + 1] for seed in range(trials)]
    expected = 1 + pages / 2
    assert np.mean(found) == pytest.approx(expected, rel=4 * 1.04 / 8 / trials**0.5)


@quick
@given(page_lists())
def test_small_webs_rank_the_same_compressed_and_streamed(lists: Lists) -> None:
    web = web_of(lists)
    known = harmonic(web, precision=5)
    for other in (harmonic(Web(bv_of(web.links)), precision=5), harmonic(Web(bv_of(web.links)), precision=5, memory=0)):
        assert other.scores.tolist() == known.scores.tolist()
        assert other.iterations == known.iterations


def test_a_web_of_many_parts_ranks_the_same_whatever_the_threads_and_the_store() -> None:
    links = random_csr(70_000, 2, seed=3)
    one = harmonic(Web(links), precision=4, threads=1)
    for other in (
        harmonic(Web(links), precision=4, threads=2),
        harmonic(Web(bv_of(links)), precision=4, memory=0, threads=2),
    ):
        assert other.scores.tobytes() == one.scores.tobytes()
    assert harmonic(Web(links), precision=4, seed=2).scores.tobytes() != one.scores.tobytes()


@quick
@given(page_lists())
def test_scores_are_at_least_the_in_degree_without_self_links(lists: Lists) -> None:
    near = reference.indegree([row - {page} for page, row in enumerate(sets(lists))])
    assert np.all(harmonic(web_of(lists), precision=6).scores >= np.array(near) - 1e-12)


def test_too_few_iterations_are_told() -> None:
    found = harmonic(web_of([[1], [2], [3], []]), max_iterations=1)
    assert not found.converged
    assert found.scores.tolist() == [0, 1, 1, 1]


def test_webs_without_pages_or_links_have_scores_of_0() -> None:
    for exact in (False, True):
        assert harmonic(web_of([]), exact=exact).scores.tolist() == []
        assert harmonic(web_of([[], []]), exact=exact).scores.tolist() == [0, 0]


@pytest.mark.parametrize("options", [{"precision": 3}, {"precision": 15}, {"max_iterations": 0}])
def test_options_that_cannot_be_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(OptionError, match="it must be"):
        harmonic(web_of([[0]]), **options)  # type: ignore[arg-type]


@quick
@given(page_lists())
def test_in_degrees_are_those_of_the_twin_on_both_stores(lists: Lists) -> None:
    web = web_of(lists)
    assert indegree(web).scores.tolist() == reference.indegree(sets(lists))
    assert indegree(Web(bv_of(web.links))).scores.tolist() == reference.indegree(sets(lists))
    assert indegree(web).error_bound == 0
