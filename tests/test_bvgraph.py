"""BVGraph read and written: against a bit-by-bit twin, against the real cnr-2000, and against damage."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.common.arrays import frozen
from seedbed.common.kernels import kernel
from seedbed.errors import InputError, OptionError, SeedbedError
from seedbed.links.bit_codes import UNARY, ZETA
from seedbed.links.bvgraph_links import BvGraph, beside
from seedbed.links.bvgraph_properties import CODES, BvProperties
from seedbed.links.bvgraph_writer import BvWriter, write_bvgraph
from seedbed.links.csr import Csr
from seedbed.links.link_store import PAGES_PER_BLOCK, page_count, successors
from seedbed.links.transpose import transposed
from tests.graphs import Lists, csr, lists_of, page_lists
from tests.reference import bvgraph as reference

USUAL = BvProperties(nodes=0, arcs=0)


@st.composite
def properties(draw: st.DrawFn) -> BvProperties:
    return BvProperties(
        nodes=0,
        arcs=0,
        window=draw(st.sampled_from([0, 1, 3, 7, 40])),
        max_references=draw(st.sampled_from([-1, 0, 1, 3, 100])),
        min_interval=draw(st.sampled_from([0, 1, 2, 4, 9])),
        zeta_k=draw(st.integers(1, 7)),
        **{part: draw(st.sampled_from(codes)) for part, codes in CODES.items()},
    )


def written(base: Path, lists: Lists, coding: BvProperties = USUAL, threads: int = 1) -> BvGraph:
    links = csr(lists)
    write_bvgraph(links.blocks(), base, pages=links.page_count, properties=coding, threads=threads)
    return BvGraph.open(base)


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(page_lists(), properties())
def test_what_is_written_is_read_back_however_it_is_coded(lists: Lists, coding: BvProperties) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = written(Path(folder) / "g", lists, coding)
        assert lists_of(graph) == lists
        assert lists_of(graph.to_csr()) == lists
        assert lists_of(graph.to_csr(threads=2)) == lists
        assert [graph.successors(page).tolist() for page in range(graph.page_count)] == lists
        offsets = graph.arrays().offsets
        beside(graph.base, ".offsets").unlink()
        np.testing.assert_array_equal(BvGraph.open(graph.base).arrays().offsets, offsets)


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(page_lists(), properties())
def test_the_twin_reads_what_is_written(lists: Lists, coding: BvProperties) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = written(Path(folder) / "g", lists, coding)
        content = beside(graph.base, ".graph").read_bytes()
    bits = "".join(f"{byte:08b}" for byte in content)
    assert reference.decode(bits, graph.properties) == lists


def test_a_record_worked_out_by_hand(tmp_path: Path) -> None:
    """Page 0 links to 1, 2, 3, 4 and 9: an interval of four from 1 on, and the residual 9."""
    graph = written(tmp_path / "g", [[1, 2, 3, 4, 9], [1, 2, 3, 4, 9], *[[]] * 8])
    first = "00110" + "1" + "010" + "011" + "1" + "01010011"
    #        5 in γ, no reference, one interval, left end 1 as +1 = 2, length 4 − 4 = 0, residual 9 as +9 = 18 in ζ₃
    second = "00110" + "01" + "1"
    #        5 in γ, reference 1, no block: all is copied
    bits = "".join(f"{byte:08b}" for byte in beside(graph.base, ".graph").read_bytes())
    assert bits.startswith(first + second + "1" * 8)
    assert graph.arrays().offsets[:3].tolist() == [0, len(first), len(first) + len(second)]


def many_pages(pages: int) -> Lists:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, pages, (pages, 4))
    return [sorted(set(row)) for row in rows.tolist()]


def test_bytes_do_not_depend_on_threads_or_on_the_size_of_pieces(tmp_path: Path) -> None:
    lists = many_pages(PAGES_PER_BLOCK + 777)
    links = csr(lists)
    one = written(tmp_path / "one", lists, threads=1)
    two = written(tmp_path / "two", lists, threads=2)
    with BvWriter(tmp_path / "pieces", pages=links.page_count) as writer:
        for start in range(0, links.page_count, 1000):
            pointers = links.arrays().out_ptr[start : start + 1001]
            writer.append(pointers - pointers[0], links.arrays().out_idx[pointers[0] : pointers[-1]])
    for ending in (".graph", ".offsets", ".properties"):
        content = {beside(base, ending).read_bytes() for base in (one.base, two.base, tmp_path / "pieces")}
        assert len(content) == 1
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(two.to_csr(threads).arrays().out_idx, links.arrays().out_idx)


@kernel
def weighted_sum(links, buffer):  # type: ignore[no-untyped-def]
    total = 0
    for page in range(page_count(links)):
        for target in successors(links, page, buffer):
            total += (page + 1) * (target + 1)
    return total


def test_one_kernel_serves_both_stores(tmp_path: Path) -> None:
    lists = many_pages(500)
    links = csr(lists)
    graph = written(tmp_path / "g", lists)
    expected = sum((page + 1) * (target + 1) for page, row in enumerate(lists) for target in row)
    assert weighted_sum(links.arrays(), links.buffer()) == expected
    assert weighted_sum(graph.arrays(), graph.buffer()) == expected


def test_an_empty_web_is_written_and_read(tmp_path: Path) -> None:
    graph = written(tmp_path / "g", [])
    assert (graph.page_count, graph.link_count, lists_of(graph)) == (0, 0, [])


def test_properties_survive_writing(tmp_path: Path) -> None:
    coding = replace(USUAL, window=3, max_references=-1, min_interval=0, zeta_k=5, block_count=UNARY)
    assert written(tmp_path / "g", [[0], [0, 1]], coding).properties == replace(coding, nodes=2, arcs=3, self_links=2)
    assert "compressionflags=BLOCK_COUNT_UNARY\n" in (tmp_path / "g.properties").read_text()


def test_a_page_that_is_not_there_is_refused(tmp_path: Path) -> None:
    graph = written(tmp_path / "g", [[0]])
    for page in (-1, 1):
        with pytest.raises(IndexError, match="not in 0 … 0"):
            graph.successors(page)


# --- damage ---------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(min_size=1, max_size=60), st.integers(1, 60), properties(), st.data())
def test_any_bytes_give_a_graph_or_an_error(
    content: bytes, nodes: int, coding: BvProperties, data: st.DataObject
) -> None:
    """Also where arcs fit the bytes by chance or by malice: then every list is one of pages, ascending."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "g"
        beside(base, ".graph").write_bytes(content)
        if data.draw(st.booleans()):
            beside(base, ".offsets").write_bytes(data.draw(st.binary(max_size=60)))
        arcs = 0
        for _ in range(2):
            beside(base, ".properties").write_text(replace(coding, nodes=nodes, arcs=arcs).text(0))
            try:
                lists = lists_of(BvGraph.open(base))
                assert all(row == sorted(set(row)) for row in lists)
                assert all(0 <= target < nodes for row in lists for target in row)
            except SeedbedError as error:
                assert "\n" not in str(error)
                words = str(error).split("the graph has ")
                arcs = int(words[1].split()[0]) if len(words) > 1 else arcs
            with contextlib.suppress(SeedbedError):
                [BvGraph.open(base).successors(page) for page in range(nodes)]


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(page_lists(), properties(), st.integers(0, 10**6))
def test_a_turned_bit_gives_another_graph_or_an_error(lists: Lists, coding: BvProperties, place: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = written(Path(folder) / "g", lists, coding)
        file = beside(graph.base, ".graph")
        content = bytearray(file.read_bytes())
        if not content:
            return
        content[place // 8 % len(content)] ^= 1 << place % 8
        del graph
        file.write_bytes(content)
        try:
            found = lists_of(BvGraph.open(file.with_suffix("")))
        except InputError as error:
            assert str(file.with_suffix("")) in str(error)
            return
        assert all(row == sorted(set(row)) for row in found)


def damaged(tmp_path: Path, **changes: str) -> Path:
    base = written(tmp_path / "g", many_pages(300)).base
    path = beside(base, ".properties")
    lines = dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)
    lines.update(changes)
    path.write_text("\n".join(f"{key}={value}" for key, value in lines.items() if value != "none"))
    return base


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arcs": "none"}, "'arcs' is missing"),
        ({"nodes": "many"}, "nodes=many is not a whole number"),
        ({"nodes": "-1"}, "nodes is -1"),
        ({"nodes": "999999999"}, "has only"),
        ({"arcs": "17"}, "arcs=17, but the graph has"),
        ({"arcs": "99999999999"}, "more than 300 nodes can have"),
        ({"zetak": "0"}, "zeta_k is 0"),
        ({"windowsize": "-3"}, "window is -3"),
        ({"compressionflags": "RESIDUALS_MORSE"}, "RESIDUALS_MORSE, which is not known"),
        ({"compressionflags": "OUTDEGREES_ZETA"}, "outdegrees cannot be coded as ZETA"),
        ({"graphclass": "it.unimi.dsi.webgraph.EFGraph"}, "not BVGraph"),
        ({"endianness": "little"}, "little-endian"),
    ],
)
def test_properties_that_lie_are_refused(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        lists_of(BvGraph.open(damaged(tmp_path, **changes)))
    assert "g.properties" in str(caught.value)


def test_a_truncated_graph_is_refused(tmp_path: Path) -> None:
    base = written(tmp_path / "g", many_pages(300)).base
    file = beside(base, ".graph")
    content = file.read_bytes()
    beside(base, ".offsets").unlink()
    for length in (len(content) // 2, len(content) - 3):
        file.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"g\.graph: page \d+ is damaged"):
            lists_of(BvGraph.open(base))


def test_offsets_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    base = written(tmp_path / "g", many_pages(300)).base
    other = written(tmp_path / "other", many_pages(299)).base
    beside(base, ".offsets").write_bytes(beside(other, ".offsets").read_bytes())
    with pytest.raises(InputError, match=r"g\.offsets: does not fit"):
        BvGraph.open(base).arrays()
    beside(base, ".offsets").write_bytes(b"")
    with pytest.raises(InputError, match=r"g\.offsets: does not fit"):
        BvGraph.open(base).arrays()


def test_codes_that_cannot_be_are_refused_when_writing() -> None:
    with pytest.raises(OptionError, match="references cannot be coded as ZETA"):
        replace(USUAL, references=ZETA)


def test_csr_that_is_not_ascending_is_refused_before_a_kernel_sees_it() -> None:
    for out_ptr, out_idx in (([0, 2], [0, 0]), ([0, 1], [5]), ([0, 1], [-1]), ([0, 5], [0]), ([1, 1], [0])):
        store = Csr(np.array(out_ptr), np.array(out_idx))
        with pytest.raises(InputError, match="the links of page 0"):
            store.arrays()


def test_stores_cannot_be_changed(tmp_path: Path) -> None:
    for links in (csr([[0]]), written(tmp_path / "g", [[0]])):
        for array in (part for part in links.arrays() if isinstance(part, np.ndarray)):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
    assert not frozen(np.arange(3)).flags.writeable


# --- the real thing -------------------------------------------------------------------------------------------------


@pytest.mark.shared
def test_cnr_2000_comes_out_exact_and_so_does_its_transpose(shared_data: Path) -> None:
    graph = BvGraph.open(shared_data / "cnr-2000" / "cnr-2000")
    turned = BvGraph.open(shared_data / "cnr-2000" / "cnr-2000-t").to_csr().arrays()
    assert (graph.page_count, graph.link_count) == (325557, 3216152)
    mine = transposed(graph).arrays()
    np.testing.assert_array_equal(mine.out_ptr, turned.out_ptr)
    np.testing.assert_array_equal(mine.out_idx, turned.out_idx)


@pytest.mark.shared
def test_cnr_2000_is_written_as_small_as_the_original(shared_data: Path, tmp_path: Path) -> None:
    graph = BvGraph.open(shared_data / "cnr-2000" / "cnr-2000")
    write_bvgraph(graph.blocks(), tmp_path / "again", pages=graph.page_count)
    again = BvGraph.open(tmp_path / "again")
    assert again.bits_per_link == pytest.approx(2.897, rel=0.002)
    np.testing.assert_array_equal(again.to_csr().arrays().out_idx, graph.to_csr().arrays().out_idx)
