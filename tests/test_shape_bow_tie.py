from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from seedbed.links.csr import Csr
from seedbed.shape import bow_tie as module
from seedbed.shape.bow_tie import PARTS, BowTie, bow_tie
from seedbed.shape.components import strong_components
from seedbed.shape.link_counts import count_links
from tests.reference import shape as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr


def tie_of(links: Csr) -> BowTie:
    return bow_tie(links, strong_components(links), count_links(links).weak)


def by_part(tie: BowTie) -> dict[str, set[int]]:
    return {name: set(np.flatnonzero(tie.of_page == k).tolist()) for k, name in enumerate(PARTS)}


DRAWN = {
    "in": {0, 1},
    "largest_component": {2, 3, 4},
    "out": {5, 6},
    "tubes": {7, 8},
    "tendrils": {9, 10, 11, 12},
    "disconnected": {13, 14, 15},
}
DRAWN_LINKS = [
    {1, 9},  # 0, in: to the other page of in, and to a tendril
    {2, 7},  # 1, in: to the core, and to a tube
    {3},  # 2 → 3 → 4 → 2, the core
    {4},
    {2, 5},  # 4, core: to out
    {6},  # 5, out
    set(),  # 6, out
    {8},  # 7 → 8, a tube from page 1 to page 6
    {6},
    set(),  # 9, a tendril of in
    {5},  # 10, a tendril of out
    {9},  # 11 links to a tendril: joined, though in neither reaches it nor it out
    {11},  # 12 links to that
    {14},  # 13 → 14, apart
    set(),
    set(),  # 15, alone
]


def test_every_part_of_a_drawn_bow_tie() -> None:
    tie = tie_of(csr_of(DRAWN_LINKS))
    assert by_part(tie) == DRAWN
    assert tie.to_dict() == {name: len(pages) for name, pages in DRAWN.items()}
    assert (tie.largest_component, tie.in_, tie.out, tie.tubes, tie.tendrils, tie.disconnected) == (3, 2, 2, 2, 4, 3)


@settings(deadline=None, max_examples=200)
@given(graphs(largest=14))
def test_parts_follow_their_definitions(graph: reference.Graph) -> None:
    assert by_part(tie_of(csr_of(graph))) == reference.bow_tie(graph)


@settings(deadline=None, max_examples=60)
@given(graphs(largest=14))
def test_turning_every_link_round_swaps_in_and_out(graph: reference.Graph) -> None:
    there, back = by_part(tie_of(csr_of(graph))), by_part(tie_of(csr_of(reference.turned(graph))))
    assert (there["in"], there["out"]) == (back["out"], back["in"])
    assert all(there[name] == back[name] for name in ("largest_component", "tubes", "tendrils", "disconnected"))


@settings(deadline=None, max_examples=40)
@given(graphs(largest=14))
def test_passes_in_small_steps_find_the_same(graph: reference.Graph) -> None:
    links = csr_of(graph)
    whole = tie_of(links)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAGES_PER_CALL", 1)
        assert tie_of(links).of_page.tolist() == whole.of_page.tolist()


def test_networkx_agrees_on_what_reaches_the_core_and_what_it_reaches() -> None:
    links = random_csr(20_000, 1.4, seed=5)
    out_ptr, out_idx = links.arrays()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(links.page_count))
    graph.add_edges_from(zip(np.repeat(np.arange(links.page_count), np.diff(out_ptr)), out_idx, strict=True))
    core = max(nx.strongly_connected_components(graph), key=len)
    page = next(iter(core))
    found = by_part(tie_of(links))
    assert found["largest_component"] == core
    assert found["in"] == nx.ancestors(graph, page) - core
    assert found["out"] == nx.descendants(graph, page) - core
    assert len(found["tubes"]) > 0
    assert sum(map(len, found.values())) == links.page_count


def test_a_web_without_pages_has_an_empty_bow_tie() -> None:
    assert set(tie_of(csr_of([])).to_dict().values()) == {0}


def test_without_links_page_0_is_the_core_and_the_rest_is_disconnected() -> None:
    assert by_part(tie_of(csr_of([set(), set(), set()])))["largest_component"] == {0}
    assert tie_of(csr_of([set(), set(), set()])).disconnected == 2
    assert tie_of(csr_of([{0}])).largest_component == 1
