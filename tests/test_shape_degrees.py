from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.links.link_store import PAGES_PER_BLOCK
from seedbed.shape.degrees import Bin, Distribution, distribution, size_bins
from seedbed.shape.link_counts import count_links
from tests.reference import shape as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr


def as_dict(found: Distribution) -> dict[int, int]:
    return dict(zip(found.degrees.tolist(), found.pages.tolist(), strict=True))


def test_degrees_of_a_drawn_web() -> None:
    found = count_links(csr_of([{1, 2, 3}, {2}, {2}, set(), set()]))
    assert as_dict(found.out) == {0: 2, 1: 2, 3: 1}
    assert as_dict(found.in_) == {0: 2, 1: 2, 3: 1}
    assert (found.out.zero, found.in_.zero) == (2, 2)
    assert (found.out.mean, found.out.largest) == (1.0, 3)


@settings(deadline=None, max_examples=100)
@given(graphs())
def test_pages_with_each_degree_are_counted(graph: reference.Graph) -> None:
    found = count_links(csr_of(graph))
    for side, lists in ((found.out, graph), (found.in_, reference.turned(graph))):
        lengths = [len(one) for one in lists]
        assert as_dict(side) == {size: lengths.count(size) for size in sorted(set(lengths))}
        assert side.largest == max(lengths, default=0)
        assert side.zero == lengths.count(0)
        assert side.mean == (sum(lengths) / len(lengths) if lengths else 0.0)


def test_numpy_agrees_on_a_web_of_several_blocks() -> None:
    links = random_csr(2 * PAGES_PER_BLOCK + 5, 3, seed=1)
    out_ptr, out_idx = links.arrays()
    found = count_links(links)
    for side, sizes in (
        (found.out, np.diff(out_ptr)),
        (found.in_, np.bincount(out_idx, minlength=links.page_count)),
    ):
        values, counts = np.unique(sizes, return_counts=True)
        assert (side.degrees.tolist(), side.pages.tolist()) == (values.tolist(), counts.tolist())


def test_bins_are_powers_of_two_with_0_apart() -> None:
    found = distribution(np.array([0, 0, 1, 2, 3, 4, 7, 8, 40]))
    assert found.bins == (
        Bin(0, 0, 2),
        Bin(1, 1, 1),
        Bin(2, 3, 2),
        Bin(4, 7, 2),
        Bin(8, 15, 1),
        Bin(16, 31, 0),
        Bin(32, 63, 1),
    )


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 2**40)))
def test_every_size_is_in_the_bin_that_holds_it(sizes: list[int]) -> None:
    bins = size_bins(np.array(sizes, np.int64))
    assert [one.count for one in bins] == [sum(one.first <= size <= one.last for size in sizes) for one in bins]
    assert sum(one.count for one in bins) == len(sizes)


def test_a_web_without_pages_has_no_degrees() -> None:
    found = count_links(csr_of([]))
    assert (found.out.zero, found.in_.zero, found.out.mean, found.in_.largest) == (0, 0, 0.0, 0)
    assert found.out.bins == ()
