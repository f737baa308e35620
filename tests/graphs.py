"""Small graphs for tests, and Hypothesis strategies that make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.links.csr import Csr

Lists = list[list[int]]


def csr(lists: Sequence[Iterable[int]]) -> Csr:
    """A link store from the successors of each page."""
    rows = [sorted(set(row)) for row in lists]
    out_ptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Csr(out_ptr, np.array([target for row in rows for target in row], np.int64))


def lists_of(links: object) -> Lists:
    """The successors of each page of any link store, by blocks."""
    found: Lists = []
    for block in links.blocks():  # type: ignore[attr-defined]
        for start, stop in zip(block.out_ptr, block.out_ptr[1:], strict=False):
            found.append(block.out_idx[start:stop].tolist())
    return found


def web_of(lists: Sequence[Iterable[int]], urls: Sequence[str] | None = None) -> Web:
    """A web from the successors of each page."""
    from seedbed.urls.url_table import UrlTable

    return Web(csr(lists), urls=None if urls is None else UrlTable.from_strings(list(urls)))


def relabelled(lists: Lists, label: Sequence[int]) -> Lists:
    """The same graph, page p called label[p]."""
    moved: Lists = [[] for _ in lists]
    for page, row in enumerate(lists):
        moved[label[page]] = sorted(label[target] for target in row)
    return moved


def labels(lists: Sequence[object]) -> st.SearchStrategy[list[int]]:
    """New names for the pages of a graph."""
    return st.permutations(range(len(lists)))


@st.composite
def page_lists(draw: st.DrawFn, most_pages: int = 40) -> Lists:
    """Successors of each page: sparse and dense, runs of consecutive pages, lists like the one before."""
    pages = draw(st.integers(0, most_pages))
    lists: Lists = []
    for _ in range(pages):
        row = set(draw(st.lists(st.integers(0, pages - 1), max_size=8)))
        if draw(st.booleans()):
            start = draw(st.integers(0, pages - 1))
            row |= set(range(start, min(pages, start + draw(st.integers(0, 12)))))
        if lists and draw(st.booleans()):
            row ^= set(lists[-1])
        lists.append(sorted(row))
    return lists
