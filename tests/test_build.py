"""Links from pairs in any order."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from seedbed.common.spill import Spill
from seedbed.errors import InputError, NotEnoughMemory
from seedbed.links.csr import first_fault
from seedbed.links.link_builder import Built, LinkBuilder
from tests.reference.build import build

SMALL = 1 << 16
PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


def built(pairs: list[tuple[int, int]], pages: int | None, parts: int = 1, **options: object) -> Built:
    builder = LinkBuilder(pages, **options)  # type: ignore[arg-type]
    for part in np.array_split(np.array(pairs, np.int64).reshape(-1, 2), parts):
        builder.add(part[:, 0], part[:, 1])
    return builder.finish()


def rows(links: Built) -> list[list[int]]:
    return [links.links.successors(page).tolist() for page in range(links.links.page_count)]


def many_pairs(count: int = 20_000, pages: int = 700) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    return random.integers(0, pages, count), random.integers(0, pages, count)


def test_a_hand_checked_example() -> None:
    result = built([(2, 0), (0, 2), (0, 1), (0, 2), (1, 1), (1, 1)], 3)
    assert rows(result) == [[1, 2], [], [0]]
    assert (result.self_links, result.duplicate_links) == (2, 1)


def test_self_links_are_kept_when_asked_and_repeats_of_them_are_duplicates() -> None:
    result = built([(1, 1), (1, 1), (1, 0)], 2, keep_self_links=True)
    assert rows(result) == [[], [0, 1]]
    assert (result.self_links, result.duplicate_links) == (2, 1)


def test_without_a_number_of_pages_the_largest_id_decides() -> None:
    assert built([(0, 5), (3, 1)], None).links.page_count == 6
    assert built([], None).links.page_count == 0


def test_pages_without_links_are_there() -> None:
    assert rows(built([], 3)) == [[], [], []]
    assert rows(LinkBuilder(2).finish()) == [[], []]


@given(PAIRS, st.integers(1, 4), st.booleans())
@settings(deadline=None, max_examples=80)
def test_links_are_those_of_the_plain_twin(pairs: list[tuple[int, int]], parts: int, keep: bool) -> None:
    result = built(pairs, 13, parts, keep_self_links=keep)
    assert (rows(result), result.self_links, result.duplicate_links) == build(pairs, 13, keep_self_links=keep)
    links = result.links.arrays()
    assert first_fault(links.out_ptr, links.out_idx) == -1


@given(PAIRS)
@settings(deadline=None, max_examples=40)
def test_the_order_of_pairs_does_not_matter(pairs: list[tuple[int, int]]) -> None:
    assert rows(built(pairs, 13)) == rows(built(pairs[::-1], 13, parts=3))


def test_links_are_those_of_scipy() -> None:
    sources, targets = many_pairs()
    builder = LinkBuilder(700, keep_self_links=True)
    builder.add(sources, targets)
    links = builder.finish().links.arrays()
    matrix = sparse.coo_array((np.ones(len(sources)), (sources, targets)), shape=(700, 700)).tocsr()
    matrix.sum_duplicates()
    assert np.array_equal(links.out_ptr, matrix.indptr)
    assert np.array_equal(links.out_idx, matrix.indices)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.int16])
def test_ids_of_any_whole_type_are_taken(dtype: type) -> None:
    builder = LinkBuilder(3)
    builder.add(np.array([0, 2], dtype), np.array([1, 0], dtype))
    assert rows(builder.finish()) == [[1], [], [0]]


def test_pairs_are_copied_so_the_caller_may_reuse_the_arrays() -> None:
    sources, targets = np.array([0]), np.array([1])
    builder = LinkBuilder(3)
    builder.add(sources, targets)
    sources[0] = 2
    assert rows(builder.finish()) == [[1], [], []]


@pytest.mark.parametrize(("pair", "named"), [((-1, 0), "-1 → 0"), ((0, 3), "0 → 3"), ((7, 7), "7 → 7")])
def test_a_pair_outside_the_pages_is_named(pair: tuple[int, int], named: str) -> None:
    builder = LinkBuilder(3)
    with pytest.raises(InputError, match=rf"the link {named} .*0 … 2"):
        builder.add(np.array([1, pair[0]]), np.array([1, pair[1]]))


def test_an_absurd_id_is_refused_before_memory_is_used() -> None:
    with pytest.raises(NotEnoughMemory, match="1,000,000,000,001 pages"):
        LinkBuilder().add(np.array([10**12]), np.array([0]))
    with pytest.raises(InputError, match="has an id that is not in"):
        LinkBuilder().add(np.array([2**40]), np.array([0]))
    with pytest.raises(NotEnoughMemory, match="--memory allows"):
        LinkBuilder(10**6, memory=SMALL)


def test_through_disk_gives_the_same_links(tmp_path: Path) -> None:
    sources, targets = many_pairs()
    results = []
    for memory in (None, SMALL):
        builder = LinkBuilder(700, memory=memory, scratch=tmp_path)
        for part in range(0, len(sources), 3000):
            builder.add(sources[part : part + 3000], targets[part : part + 3000])
        assert bool(list(tmp_path.iterdir())) is (memory is not None)
        results.append(builder.finish())
    in_memory, on_disk = results
    assert in_memory[1:] == on_disk[1:]
    for one, other in zip(in_memory.links.arrays(), on_disk.links.arrays(), strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype
    assert on_disk.duplicate_links > 0
    assert on_disk.self_links > 0


def test_links_on_disk_leave_no_files_behind(tmp_path: Path) -> None:
    builder = LinkBuilder(700, memory=SMALL, scratch=tmp_path)
    builder.add(*many_pairs())
    links = builder.finish().links
    assert list(tmp_path.iterdir()) == []
    assert links.link_count > 0
    assert len(links.successors(0)) == links.out_degrees()[0]


def test_a_builder_given_up_leaves_no_files_behind(tmp_path: Path) -> None:
    builder = LinkBuilder(700, memory=SMALL, scratch=tmp_path)
    builder.add(*many_pairs())
    assert list(tmp_path.iterdir())
    del builder
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_only_self_links_on_disk_give_a_web_without_links(tmp_path: Path) -> None:
    builder = LinkBuilder(5000, memory=100_000, scratch=tmp_path)
    builder.add(np.arange(5000), np.arange(5000))
    assert list(tmp_path.iterdir())
    result = builder.finish()
    assert (result.links.link_count, result.self_links) == (0, 5000)


def test_what_goes_wrong_on_disk_is_said_in_one_line(tmp_path: Path) -> None:
    spill = Spill(SMALL, tmp_path)
    with pytest.raises(InputError, match=r"cannot be written .*Is the disk full\?") as error:
        spill.run(f"copy (select 1) to '{tmp_path}/no/folder/x.csv'")
    assert "\n" not in str(error.value)
    spill.run("set memory_limit = '1MB'")
    with pytest.raises(NotEnoughMemory, match="Allow more with --memory"):
        spill.run("create table big as select list(range) from range(10000000)")
    spill.close()
    assert list(tmp_path.iterdir()) == []


def test_sorting_on_disk_prints_no_progress_of_its_own() -> None:
    spill = Spill(1 << 27)
    batches = spill.batches("select current_setting('enable_progress_bar')")
    assert [row for batch in batches for row in batch.column(0).to_pylist()] == [False]
    spill.close()
