"""Small webs for the tests of shape."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import strategies as st

from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from seedbed.links.csr import Csr
from tests.reference.shape import Graph


def csr_of(graph: Graph) -> Csr:
    targets = [target for page in graph for target in sorted(page)]
    return Csr(np.cumsum([0, *map(len, graph)]), np.array(targets, np.int32))


@st.composite
def graphs(draw: st.DrawFn, largest: int = 12) -> Graph:
    """Webs of few pages, from no link to most of all links; self-links too."""
    pages = draw(st.integers(0, largest))
    graph: list[set[int]] = [set() for _ in range(pages)]
    if pages:
        page = st.integers(0, pages - 1)
        for source, target in draw(st.lists(st.tuples(page, page), max_size=3 * pages)):
            graph[source].add(target)
    return graph


def random_csr(pages: int, links_per_page: float, seed: int) -> Csr:
    """Links drawn evenly; duplicates drop out."""
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, pages * pages, int(pages * links_per_page)))
    out_ptr = np.zeros(pages + 1, np.int64)
    np.cumsum(np.bincount(codes // pages, minlength=pages), out=out_ptr[1:])
    return Csr(out_ptr, codes % pages)


def bv_of(links: Csr) -> BvGraph:
    """The same links, compressed. The files are gone, but mapped for as long as the store is used."""
    with TemporaryDirectory() as folder:
        base = Path(folder) / "web"
        write_bvgraph(links.blocks(), base, pages=links.page_count)
        graph = BvGraph.open(base)
        graph.arrays()
        return graph
