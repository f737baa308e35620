"""Links transposed on disk are those transposed in memory, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, NotEnoughMemory
from seedbed.links import transpose
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.csr import Csr
from seedbed.links.link_store import Block
from seedbed.links.transpose import transposed, transposed_on_disk, transposed_within_memory
from tests.graphs import Lists, csr, lists_of, page_lists, web_of
from tests.reference import web as reference
from tests.reference.shape_webs import bv_of, random_csr

LISTS = [[1, 2], [0, 3], [0, 3], [2], []]


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges may end after any two pages."""
    monkeypatch.setattr(transpose, "PAGES_PER_BLOCK", 2)


@pytest.mark.usefixtures("small_ranges")
def test_a_hand_checked_example(tmp_path: Path) -> None:
    found = transposed_on_disk(csr(LISTS), room=1, scratch=tmp_path)
    assert isinstance(found, BvGraph)
    assert lists_of(found) == [[1, 2], [0], [0, 3], [1, 2], []]
    assert (found.page_count, found.link_count) == (5, 7)


@settings(deadline=None, max_examples=80)
@given(lists=page_lists(), room=st.integers(1, 300), size=st.integers(1, 7), threads=st.integers(1, 2))
def test_on_disk_the_links_are_those_of_the_twin_from_both_stores(
    lists: Lists, room: int, size: int, threads: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transpose, "PAGES_PER_BLOCK", size)
        for links in (csr(lists), bv_of(csr(lists))):
            found = transposed_on_disk(links, room, threads=threads)
            assert lists_of(found) == reference.transpose(lists)
            assert [found.successors(page).tolist() for page in range(found.page_count)] == reference.transpose(lists)


def test_ranges_are_whole_blocks_that_fit_or_one_block() -> None:
    links = random_csr(100_000, 3, seed=4)
    in_ptr = np.concatenate([[0], np.cumsum(np.bincount(links.arrays().out_idx, minlength=links.page_count))])
    assert transpose._cuts(in_ptr, links.link_count) == [0, 100_000]
    assert transpose._cuts(in_ptr, 1) == [0, 32768, 65536, 98304, 100_000]
    for room in (1, int(in_ptr[65536]), int(in_ptr[65536]) - 1):
        assert lists_of(transposed_on_disk(links, room)) == lists_of(transposed(links))
    assert transpose._cuts(in_ptr, int(in_ptr[65536])) == [0, 65536, 100_000]
    assert transpose._cuts(in_ptr, int(in_ptr[65536]) - 1)[:2] == [0, 32768]


def test_the_memory_allowed_says_where_links_are_transposed(tmp_path: Path) -> None:
    links = random_csr(3000, 4, seed=5)
    enough = 4 * links.link_count + 16 * links.page_count
    in_memory = transposed_within_memory(links, memory=enough, scratch=tmp_path)
    on_disk = transposed_within_memory(links, memory=enough - 1, scratch=tmp_path)
    assert (in_memory.kind, on_disk.kind) == ("csr", "bvgraph")
    assert lists_of(in_memory) == lists_of(on_disk)
    assert transposed_within_memory(links).kind == "csr"
    with pytest.raises(NotEnoughMemory, match=r"transposing the links needs about 46\.9 KiB, --memory allows"):
        transposed_within_memory(links, memory=1000)


@pytest.mark.usefixtures("small_ranges")
def test_nothing_is_left_in_the_scratch_folder_and_the_links_stay(tmp_path: Path) -> None:
    seen = []
    found = transposed_on_disk(
        csr(LISTS), 3, tmp_path, progress=lambda stage, done, total: seen.append(len(list(tmp_path.iterdir())))
    )
    assert set(seen) == {1}
    assert not list(tmp_path.iterdir())
    assert lists_of(found) == reference.transpose(LISTS)
    assert lists_of(transposed_on_disk(found, 3, tmp_path)) == LISTS


class Stopped(Csr):
    """Links whose second pass does not come to an end."""

    failure: type[BaseException] = KeyboardInterrupt
    passes = 0

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        self.passes += 1
        yield from super().blocks(first, last)
        if self.passes == 2:
            raise self.failure(28, "No space left on device")


def stopped(failure: type[BaseException]) -> Stopped:
    arrays = csr(LISTS).arrays()
    links = Stopped(arrays.out_ptr, arrays.out_idx)
    links.failure = failure
    return links


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        transposed_on_disk(stopped(KeyboardInterrupt), 3, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_in_a_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\).*Set TMPDIR"):
        transposed_on_disk(stopped(OSError), 3, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_web_transposed_on_disk_is_the_web_transposed() -> None:
    links = random_csr(2000, 4, seed=6)
    web = web_of(lists_of(links))
    packed = web.transpose(memory=40_000, threads=2)
    assert packed.links.kind == "bvgraph"
    assert lists_of(packed.links) == lists_of(web.transpose().links)


def test_what_a_store_gives_back_it_finds_anew() -> None:
    links = random_csr(300, 4, seed=7)
    packed = bv_of(links)
    degrees = packed.out_degrees()
    for store in (links, packed):
        store.buffer()
        store.release()
        assert lists_of(store) == lists_of(links)
        assert store.successors(7).tolist() == links.successors(7).tolist()
        assert store.out_degrees().tolist() == degrees.tolist()
