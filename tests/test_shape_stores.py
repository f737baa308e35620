"""One kernel source serves both link stores: what it finds in one it finds in the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from seedbed.graph.bvgraph import BvGraph
from seedbed.graph.csr import Csr
from seedbed.shape.bow_tie import bow_tie
from seedbed.shape.components import strong_components, weak_components
from seedbed.shape.degrees import degrees
from seedbed.shape.distances import search_from
from seedbed.shape.walk import room_to_decode, walk
from tests.reference import shape as reference
from tests.reference.shape_webs import bv_of, csr_of, graphs, random_csr


def everything(links: Csr | BvGraph) -> list[list[int]]:
    strong, weak = strong_components(links), weak_components(links)
    tie, found = bow_tie(links, strong, weak), degrees(links)
    sources = np.arange(0, links.pages, max(1, links.pages // 20))
    arrays = (
        *(strong.of_page, weak.of_page, tie.of_page),
        *(found.out.degrees, found.out.pages, found.in_.degrees, found.in_.pages),
        *search_from(links, sources, threads=2),
    )
    return [array.tolist() for array in arrays]


@settings(deadline=None, max_examples=40)
@given(graphs(largest=14))
def test_small_webs_look_the_same_compressed(graph: reference.Graph) -> None:
    links = csr_of(graph)
    assert everything(bv_of(links)) == everything(links)


def test_a_web_of_several_blocks_looks_the_same_compressed() -> None:
    links = random_csr(70_000, 2, seed=1)
    assert everything(bv_of(links)) == everything(links)


def test_the_walk_keeps_decoded_links_where_there_is_room() -> None:
    links = random_csr(70_000, 2, seed=1)
    packed = bv_of(links)
    kept = walk(packed).links
    assert isinstance(kept, Csr)
    assert all(np.array_equal(*pair) for pair in zip(kept.arrays(), links.arrays(), strict=True))
    size = 8 * links.pages + 4 * links.links
    assert room_to_decode(packed, 4 * size)
    assert not room_to_decode(packed, 4 * size - 1)
    assert walk(packed, memory=4 * size - 1).links is packed
    assert walk(links).links is links


@pytest.mark.shared
def test_cnr_2000_has_the_components_that_are_known(shared_data: Path) -> None:
    base = shared_data / "cnr-2000" / "cnr-2000"
    found = strong_components(BvGraph.open(base))
    known = np.fromfile(base.with_name("cnr-2000.scc"), ">i4")
    assert found.count == 100_977
    assert len(np.unique(found.of_page.astype(np.int64) * found.count + known)) == found.count
    assert len(np.unique(known)) == found.count
