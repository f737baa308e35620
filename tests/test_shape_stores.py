"""One kernel source serves both link stores: what it finds in one it finds in the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from seedbed.common.arrays import frozen
from seedbed.errors import InputError
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from seedbed.links.csr import Csr
from seedbed.links.link_store import room_to_decode
from seedbed.shape.bow_tie import bow_tie
from seedbed.shape.components import strong_components
from seedbed.shape.distances import search_from
from seedbed.shape.link_counts import count_links
from tests.graphs import csr
from tests.reference import shape as reference
from tests.reference.shape_webs import bv_of, csr_of, graphs, random_csr


def everything(links: Csr | BvGraph) -> list[list[int]]:
    strong, found = strong_components(links), count_links(links, memory=0)
    tie = bow_tie(links, strong, found.weak)
    sources = np.arange(0, links.page_count, max(1, links.page_count // 20))
    arrays = (
        *(strong.of_page, found.weak.of_page, tie.of_page),
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
    kept = count_links(packed).links
    assert isinstance(kept, Csr)
    assert all(np.array_equal(*pair) for pair in zip(kept.arrays(), links.arrays(), strict=True))
    size = 8 * links.page_count + 4 * links.link_count
    assert room_to_decode(packed, 4 * size)
    assert not room_to_decode(packed, 4 * size - 1)
    assert count_links(packed, memory=4 * size - 1).links is packed
    assert count_links(links).links is links


@pytest.mark.shared
def test_cnr_2000_has_the_components_that_are_known(shared_data: Path) -> None:
    base = shared_data / "cnr-2000" / "cnr-2000"
    found = strong_components(BvGraph.open(base))
    known = np.fromfile(base.with_name("cnr-2000.scc"), ">i4")
    assert found.count == 100_977
    assert len(np.unique(found.of_page.astype(np.int64) * found.count + known)) == found.count
    assert len(np.unique(known)) == found.count


def test_damage_met_by_a_kernel_in_place_is_one_line_that_names_the_file(tmp_path: Path) -> None:
    """Offsets that point into the middle of records pass every check but decoding."""
    write_bvgraph(csr([[1, 2], [0], [0, 1, 2]] * 20).blocks(), tmp_path / "g", pages=60)
    graph = BvGraph.open(tmp_path / "g")
    offsets = graph.arrays().offsets.copy()
    offsets[1:-1] += 1
    graph.__dict__["_arrays"] = graph.arrays()._replace(offsets=frozen(offsets))
    graph.__dict__["_survey"] = (frozen(np.zeros(graph.page_count + 1, np.int64)), 3, 3)
    with pytest.raises(InputError, match=r"g\.graph: page \d+ is damaged"):
        strong_components(graph)
