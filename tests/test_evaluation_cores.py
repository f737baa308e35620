from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seedbed.evaluation.core_distances import (
    CoreDistances,
    core_distances,
    core_map,
    mean_without_each,
    round_correlation,
    undirected,
)
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from seedbed.seeds.seeds import Core
from tests.graphs import Lists, page_lists, web_of
from tests.reference import evaluation as reference


def core(hubs: list[int], authorities: list[int]) -> Core:
    empty = np.empty(0)
    return Core(np.array(hubs, np.int64), np.array(authorities, np.int64), 100.0, 1, empty, empty)


def as_lists(found: CoreDistances) -> list[list[int | None]]:
    return [[int(one) if np.isfinite(one) else None for one in row] for row in found.matrix]


@st.composite
def graphs_with_cores(draw: st.DrawFn) -> tuple[Lists, list[Core]]:
    lists = draw(page_lists(30))
    assume(len(lists) >= 2)
    pages = st.lists(st.integers(0, len(lists) - 1), min_size=1, max_size=4, unique=True)
    return lists, [core(draw(pages), draw(pages)) for _ in range(draw(st.integers(1, 5)))]


def test_distances_drawn_by_hand() -> None:
    # {0, 1} → 2 → {3, 4} → 5 = {5}, and 5 → 1, which ends there; nothing leads to {6}.
    web = web_of([[2], [], [3], [4], [5], [1], [0]])
    found = core_distances(web, [core([0], [1]), core([3], [4]), core([5], [5]), core([6], [6])])
    assert as_lists(found) == [[0, 2, 4, None], [2, 0, 1, None], [1, None, 0, None], [1, 3, 5, 0]]
    assert (found.minimum, found.maximum) == (1, 5)
    assert found.mean == pytest.approx((2 + 4 + 2 + 1 + 1 + 1 + 3 + 5) / 8)
    assert found.connected == 8 / 12


def test_cores_without_a_way_have_no_mean() -> None:
    found = core_distances(web_of([[], []]), [core([0], [0]), core([1], [1])])
    assert (found.minimum, found.mean, found.maximum, found.connected) == (None, None, None, 0.0)
    assert len(core_distances(web_of([[]]), []).matrix) == 0


@settings(deadline=None, max_examples=60)
@given(graphs_with_cores())
def test_distances_are_those_of_the_naive_twin(case: tuple[Lists, list[Core]]) -> None:
    lists, cores = case
    members = [set(one.hubs.tolist()) | set(one.authorities.tolist()) for one in cores]
    assert as_lists(core_distances(web_of(lists), cores, threads=2)) == reference.core_distances(lists, members)


def test_networkx_finds_the_same_distances_on_both_link_stores(tmp_path: Path) -> None:
    graph = nx.gnp_random_graph(300, 0.008, seed=5, directed=True)
    lists = [sorted(graph.successors(page)) for page in range(300)]
    draw = np.random.default_rng(5)
    cores = [core(*(draw.choice(300, 3, replace=False).tolist() for _ in range(2))) for _ in range(12)]
    write_bvgraph(web_of(lists).links.blocks(), tmp_path / "g", pages=300)
    found = [core_distances(Web(links), cores) for links in (web_of(lists).links, BvGraph.open(tmp_path / "g"))]
    assert np.array_equal(found[0].matrix, found[1].matrix)
    for row, one in enumerate(cores):
        sources = {*one.hubs.tolist(), *one.authorities.tolist()}
        away = nx.multi_source_dijkstra_path_length(graph, sources)
        for column, other in enumerate(cores):
            targets = {*other.hubs.tolist(), *other.authorities.tolist()}
            expected = min((away[page] for page in targets if page in away), default=np.inf)
            assert found[0].matrix[row, column] == expected


def stress(places: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    apart = np.sqrt(np.square(places[:, None] - places[None]).sum(axis=2))
    return float(np.square(apart - wanted).sum() / 2)


def test_places_in_a_plane_are_found_again() -> None:
    places = np.array([[0, 0], [3, 0], [0, 4], [3, 4], [8, 2]], float)
    wanted = np.sqrt(np.square(places[:, None] - places[None]).sum(axis=2))
    assert stress(core_map(wanted), wanted) == pytest.approx(0, abs=1e-9)


def test_the_map_is_never_worse_than_no_map_at_all() -> None:
    draw = np.random.default_rng(3)
    matrix = draw.integers(1, 9, (12, 12)).astype(float)
    matrix[draw.random((12, 12)) < 0.2] = np.inf
    np.fill_diagonal(matrix, 0)
    wanted = undirected(matrix)
    assert stress(core_map(matrix), wanted) < 0.3 * stress(np.zeros((12, 2)), wanted)
    assert np.array_equal(core_map(matrix), core_map(matrix))


def test_distances_without_direction() -> None:
    inf = np.inf
    found = undirected(np.array([[0, 2, inf], [4, 0, inf], [5, inf, 0]]))
    # There and back: 3. One way only: 5. None: one beyond the largest, 5.
    assert found.tolist() == [[0, 3, 5], [3, 0, 6], [5, 6, 0]]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_map_of_few_cores_is_finite(count: int) -> None:
    matrix = np.full((count, count), np.inf)
    np.fill_diagonal(matrix, 0)
    found = core_map(matrix)
    assert found.shape == (count, 2)
    assert np.isfinite(found).all()


def test_means_without_each_core_by_hand() -> None:
    matrix = np.array([[0, 2, np.inf], [4, 0, 6], [np.inf, 8, 0]])
    assert mean_without_each(matrix).tolist() == [7.0, 3.0]  # without core 1, no pair has a path


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 8), st.integers(0, 10**6))
def test_the_correlation_with_rounds_is_spearmans(count: int, seed: int) -> None:
    from scipy.stats import spearmanr

    matrix = np.random.default_rng(seed).integers(1, 6, (count, count)).astype(float)
    np.fill_diagonal(matrix, 0)
    first, second = np.triu_indices(count, 1)
    far = undirected(matrix)[first, second]
    found = round_correlation(matrix, shuffles=9)
    if found is None:
        assert len(set(far.tolist())) == 1
        return
    assert found.correlation == pytest.approx(spearmanr(far, second - first).statistic, abs=1e-9)
    assert 0.1 <= found.as_low <= 1
    assert found.as_low + found.as_high >= 1


def test_cores_on_a_line_and_their_reverse_are_told_from_chance() -> None:
    line = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    along = round_correlation(line)
    assert along is not None
    assert along.correlation == pytest.approx(1)
    assert along.as_high < 0.01
    against = round_correlation(np.where(line > 0, 13 - line, 0))
    assert against is not None
    assert against.correlation == pytest.approx(-1)
    assert against.as_low < 0.01
    shuffled = np.random.default_rng(3).permutation(12)
    by_chance = round_correlation(line[np.ix_(shuffled, shuffled)])
    assert by_chance is not None
    assert min(by_chance.as_low, by_chance.as_high) > 0.025


def test_cores_that_are_all_equally_far_have_no_correlation() -> None:
    assert round_correlation(np.ones((5, 5))) is None
    assert round_correlation(np.zeros((1, 1))) is None
    assert round_correlation(np.zeros((0, 0))) is None
