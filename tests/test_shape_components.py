from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from seedbed.links.csr import Csr
from seedbed.links.link_store import PAGES_PER_BLOCK
from seedbed.shape import components
from seedbed.shape.components import Components, strong_components
from seedbed.shape.link_counts import count_links
from tests.reference import shape as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr


def parts(found: Components) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(found.of_page == k).tolist()) for k in range(found.count)}


def same_partition(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    pairs = len(np.unique(np.stack((one, other)), axis=1).T)
    return pairs == len(np.unique(one)) == len(np.unique(other))


def check_sizes(found: Components) -> None:
    assert found.sizes.tolist() == np.bincount(found.of_page, minlength=found.count).tolist()


@settings(deadline=None, max_examples=150)
@given(graphs())
def test_strong_components_are_pages_that_reach_each_other(graph: reference.Graph) -> None:
    found = strong_components(csr_of(graph))
    assert parts(found) == reference.strong(graph)
    check_sizes(found)


@settings(deadline=None, max_examples=150)
@given(graphs())
def test_links_never_lead_to_a_strong_component_with_a_higher_number(graph: reference.Graph) -> None:
    found = strong_components(csr_of(graph)).of_page
    assert all(found[target] <= found[page] for page, targets in enumerate(graph) for target in targets)


@settings(deadline=None, max_examples=150)
@given(graphs())
def test_weak_components_are_pages_that_links_join(graph: reference.Graph) -> None:
    found = count_links(csr_of(graph)).weak
    assert parts(found) == reference.weak(graph)
    check_sizes(found)
    firsts = [int(np.argmax(found.of_page == k)) for k in range(found.count)]
    assert firsts == sorted(firsts)


@settings(deadline=None, max_examples=40)
@given(graphs())
def test_a_walk_in_small_steps_finds_the_same(graph: reference.Graph) -> None:
    links = csr_of(graph)
    whole = strong_components(links)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "LINKS_PER_CALL", 1)
        pieces = strong_components(links)
    assert pieces.of_page.tolist() == whole.of_page.tolist()


@pytest.mark.parametrize("links_per_page", [0.5, 1.5, 4])
def test_scipy_and_networkx_agree_on_a_web_of_several_blocks(links_per_page: float) -> None:
    links = random_csr(2 * PAGES_PER_BLOCK + 77, links_per_page, seed=3)
    out_ptr, out_idx = links.arrays()
    matrix = csr_array((np.ones(len(out_idx), np.int8), out_idx, out_ptr), shape=(links.page_count, links.page_count))
    for name, found in (("strong", strong_components(links)), ("weak", count_links(links).weak)):
        count, labels = connected_components(matrix, directed=True, connection=name)
        assert found.count == count
        assert same_partition(found.of_page, labels)
    graph = nx.DiGraph(list(zip(np.repeat(np.arange(links.page_count), np.diff(out_ptr)), out_idx, strict=True)))
    assert strong_components(links).largest == max(map(len, nx.strongly_connected_components(graph)))
    assert count_links(links).weak.largest == max(map(len, nx.weakly_connected_components(graph)))


def test_a_chain_and_a_ring_of_many_pages_need_no_recursion() -> None:
    pages = 200_000
    chain = Csr(np.append(np.arange(pages), pages - 1), np.arange(1, pages))
    assert strong_components(chain).of_page.tolist() == list(range(pages - 1, -1, -1))
    assert count_links(chain).weak.count == 1
    ring = Csr(np.arange(pages + 1), np.roll(np.arange(pages), -1))
    assert strong_components(ring).sizes.tolist() == [pages]


def test_a_page_with_more_targets_than_the_stack_has_room_for() -> None:
    pages = 5_000
    star = [set(range(1, pages)), *({(page + 1) % pages} for page in range(1, pages))]
    assert strong_components(csr_of(star)).sizes.tolist() == [pages]


def test_of_equally_large_components_the_one_with_the_smallest_page_is_main() -> None:
    found = strong_components(csr_of([{3}, {2}, {1, 0}, {0}, set()]))
    assert found.sizes[found.main] == 2
    assert found.of_page[0] == found.main != found.of_page[1]


def test_webs_of_no_page_no_link_and_one_self_link() -> None:
    for find in (strong_components, lambda links: count_links(links).weak):
        nothing = find(csr_of([]))
        assert (nothing.count, nothing.largest, nothing.main) == (0, 0, -1)
        assert find(csr_of([set(), set(), set()])).sizes.tolist() == [1, 1, 1]
        assert find(csr_of([{0}])).sizes.tolist() == [1]


def test_results_cannot_be_changed() -> None:
    for find in (strong_components, lambda links: count_links(links).weak):
        found = find(csr_of([{1}, {0}]))
        for array in (found.of_page, found.sizes):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
