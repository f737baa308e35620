"""Webs from NetworkX graphs and SciPy matrices."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from seedbed.errors import InputError
from seedbed.sources.graph_objects import from_networkx, from_scipy
from tests.sources import links_of, url_links_of

LINKS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30)


@given(LINKS)
@settings(deadline=None, max_examples=30)
def test_a_directed_graph_keeps_its_links(links: list[tuple[int, int]]) -> None:
    graph = nx.DiGraph(links)
    graph.add_nodes_from(range(8))
    web = from_networkx(graph)
    assert (web.page_count, links_of(web)) == (8, sorted({(a, b) for a, b in links if a != b}))
    assert web.origin.self_links == nx.number_of_selfloops(graph)


@given(LINKS)
@settings(deadline=None, max_examples=30)
def test_an_undirected_graph_links_both_ways(links: list[tuple[int, int]]) -> None:
    graph = nx.Graph(links)
    graph.add_nodes_from(range(8))
    assert links_of(from_networkx(graph)) == sorted((a, b) for a, b in graph.to_directed().edges() if a != b)


def test_strings_become_urls_in_the_order_of_the_nodes() -> None:
    graph = nx.MultiDiGraph([("http://b.example/", "http://a.example/")] * 2)
    web = from_networkx(graph)
    assert web.urls is not None
    assert list(web.urls) == ["http://b.example/", "http://a.example/"]
    assert url_links_of(web) == [("http://b.example/", "http://a.example/")]
    assert web.origin.duplicate_links == 1


def test_other_labels_are_numbered_in_the_order_of_the_nodes() -> None:
    web = from_networkx(nx.DiGraph([(30, 10), (10, ("x", 1))]))
    assert (web.urls, links_of(web)) == (None, [(0, 1), (1, 2)])


def test_an_empty_graph_is_an_empty_web() -> None:
    assert from_networkx(nx.DiGraph()).page_count == 0


@given(LINKS, st.booleans())
@settings(deadline=None, max_examples=30)
def test_a_matrix_keeps_its_entries(links: list[tuple[int, int]], keep: bool) -> None:
    dense = np.zeros((8, 8))
    for source, target in links:
        dense[source, target] = 2.5
    expected = sorted({(a, b) for a, b in links if keep or a != b})
    for matrix in (sparse.csr_array(dense), sparse.csc_matrix(dense), sparse.lil_array(dense)):
        assert links_of(from_scipy(matrix, keep_self_links=keep)) == expected


def test_entries_that_are_stored_as_zero_are_no_links() -> None:
    matrix = sparse.coo_array(([0.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert links_of(from_scipy(matrix)) == [(1, 0)]


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(InputError, match="2 × 3"):
        from_scipy(sparse.coo_array((2, 3)))
