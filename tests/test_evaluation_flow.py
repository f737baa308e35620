"""Flow communities: by hand, against all sets of pages, against networkx; and the halves of cores."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seedbed.evaluation.flow_communities import (
    FlowCommunity,
    HeldOut,
    LinkedPages,
    flow_community,
    nearest,
    other_half_inside,
)
from seedbed.seeds.seeds import Core
from tests.graphs import Lists, labels, page_lists, relabelled, web_of
from tests.reference import flow_communities as reference


def core(hubs: list[int], authorities: list[int]) -> Core:
    empty = np.empty(0)
    return Core(np.array(hubs, np.int64), np.array(authorities, np.int64), 100.0, 1, empty, empty)


def community(lists: Lists, seeds: list[int], max_pages: int = 1000) -> FlowCommunity:
    found = flow_community(LinkedPages(web_of(lists)), np.array(seeds), max_pages)
    assert found is not None
    return found


@st.composite
def with_seeds(draw: st.DrawFn, most_pages: int) -> tuple[Lists, list[int]]:
    lists = draw(page_lists(most_pages))
    assume(lists)
    return lists, draw(st.lists(st.integers(0, len(lists) - 1), min_size=1, max_size=4, unique=True))


def test_a_community_by_hand() -> None:
    """Seeds 0 and 1, so a link carries 2. Page 2 is linked with both: 4 flow in, 1 to the sink, and 3 pages behind it
    take 1 each, so nothing is left over. Page 6 is linked with one: 2 flow in and 1 on. Page 7 is three links away.
    """
    lists: Lists = [[2, 6], [2], [3, 4, 5], [], [], [7], [], []]
    found = community(lists, [0, 1])
    assert found.around.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found.pages.tolist() == [0, 1, 6]
    assert found.cut == 4 + 1
    # With one page less behind it, page 2 and what is behind it join.
    fewer = community([[2, 6], [2], [3, 4], [], [], [7], [], []], [0, 1])
    assert (fewer.pages.tolist(), fewer.cut) == ([0, 1, 2, 3, 4, 6], 4)


def test_links_count_once_and_both_ways_and_not_to_oneself() -> None:
    once, again = community([[1], [2, 3], [], []], [0]), community([[0, 1], [0, 1, 2, 3], [1], [1]], [0])
    assert once.pages.tolist() == again.pages.tolist() == [0]
    assert once.cut == again.cut == 1


@given(with_seeds(9))
def test_communities_are_the_smallest_sets_with_the_least_cut(case: tuple[Lists, list[int]]) -> None:
    lists, seeds = case
    found = community(lists, seeds)
    assert (set(found.pages.tolist()), found.cut) == reference.flow_community(lists, set(seeds))


@given(with_seeds(40))
def test_the_flow_is_the_least_cut_of_networkx_and_the_cut_of_the_community(case: tuple[Lists, list[int]]) -> None:
    lists, seeds = case
    found = community(lists, seeds)
    inside, around = set(found.pages.tolist()), set(found.around.tolist())
    pairs = [pair for pair in reference.undirected(lists) if pair <= around]
    assert set(seeds) <= inside <= around == reference.within_two_links(lists, set(seeds))
    assert found.cut == len(inside - set(seeds)) + len(seeds) * sum(len(pair & inside) == 1 for pair in pairs)
    graph = nx.Graph((*pair, {"capacity": len(seeds)}) for pair in map(tuple, pairs)).to_directed()
    graph.add_edges_from(("source", page) for page in seeds)
    graph.add_nodes_from(["source", "sink"])
    graph.add_edges_from(((page, "sink") for page in around - set(seeds)), capacity=1)
    assert found.cut == nx.minimum_cut_value(graph, "source", "sink")


@given(st.data())
def test_communities_do_not_depend_on_page_ids(data: st.DataObject) -> None:
    lists, seeds = data.draw(with_seeds(20))
    label = data.draw(labels(lists))
    found, moved = community(lists, seeds), community(relabelled(lists, label), [label[page] for page in seeds])
    assert sorted(label[page] for page in found.pages.tolist()) == moved.pages.tolist()


def test_too_many_pages_around_give_no_community() -> None:
    links = LinkedPages(web_of([[1, 2], [3], [], []]))
    assert flow_community(links, np.array([0]), 3) is None
    assert flow_community(links, np.array([0]), 4) is not None


def crowded(hubs: int, authorities: int, beside: int) -> Lists:
    """A complete core, and a page that hub 0 alone links to, which links to `beside` other pages."""
    first = hubs + authorities
    fringe = list(range(first + 1, first + 1 + beside))
    lists = [list(range(hubs, first)) for _ in range(hubs)] + [[] for _ in range(authorities)]
    lists[0] = [*lists[0], first]
    return [*lists, fringe, *([] for _ in fringe)]


def test_a_dense_core_is_found_from_its_half_and_the_page_next_to_it_is_not() -> None:
    lists = crowded(6, 6, beside=30)
    links = LinkedPages(web_of(lists))
    whole = core(list(range(6)), list(range(6, 12)))
    drawn = [other_half_inside(links, replace_number(whole, number)) for number in range(1, 30)]
    found = [one for one in drawn if one is not None]
    assert 0 < len(found) < len(drawn)  # Some halves lack hub 0, and nothing but the core is next to them.
    assert {one.inside for one in found} == {1.0}
    assert {one.similar_inside for one in found} == {0.0}
    assert {(one.seeds, one.around, one.community) for one in found} == {(6, 43, 12)}
    assert other_half_inside(links, whole, max_pages=12) is None


def replace_number(one: Core, number: int) -> Core:
    return Core(one.hubs, one.authorities, one.density, number, one.hub_scores, one.authority_scores)


def test_halves_depend_on_the_seed_and_the_core_only() -> None:
    links = LinkedPages(web_of([*([4, 5, 6, 7, 8 + hub] for hub in range(4)), *([] for _ in range(8))]))
    whole = core([0, 1, 2, 3], [4, 5, 6, 7])
    assert isinstance(first := other_half_inside(links, whole, 5), HeldOut)
    assert other_half_inside(links, whole, 5) == first


def test_a_core_with_nothing_left_to_look_for_gives_nothing() -> None:
    links = LinkedPages(web_of([[1, 2], [], []]))
    assert other_half_inside(links, core([0], [1])) is None


@pytest.mark.parametrize("numbers", [[7], [1, 2, 4, 4, 9, 9, 30], [5] * 6])
def test_thenearest_number_is_taken_and_any_of_equal_ones(numbers: list[int]) -> None:
    wanted = np.tile(np.arange(35), 40)
    known = np.array(numbers)
    taken = nearest(known, wanted, np.random.default_rng(3))
    assert np.array_equal(np.abs(known[taken] - wanted), np.abs(known[:, None] - wanted).min(axis=0))
    assert set(taken.tolist()) == set(range(len(numbers)))
