"""What Python users have today for a round of PageRank or HITS: each made ready beforehand, then asked for k rounds.

A peer's round is what its own loop does where it has one (networkit, scikit-network). Where it offers products of a
matrix and a vector (scipy.sparse, python-graphblas) it is the product alone, without the work on scores that a round
also needs: that favours the peer. scipy.sparse and scikit-network use one thread whatever they are told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from seedbed.graph.web import Web
from seedbed.links.csr import Csr

THREADS = 2
Rounds = Callable[[int], None]
"""Does so many rounds; what it does only once does not count."""


def repeated(work: Callable[[], Any]) -> Rounds:
    """Rounds of something that is called for each."""

    def rounds(count: int) -> None:
        for _ in range(count):
            work()

    return rounds


def scipy_matrix(links: Csr) -> Any:
    """The links as a sparse matrix of float64, which SciPy needs for a product without conversion."""
    ptr, idx = links.arrays()
    shape = (links.page_count, links.page_count)
    return scipy.sparse.csr_array((np.ones(links.link_count), idx, ptr.astype(idx.dtype)), shape=shape)


def scipy_pagerank(web: Web, in_links: Csr) -> Rounds:
    """The product alone."""
    matrix, values = scipy_matrix(in_links), np.full(web.page_count, 1 / web.page_count)
    return repeated(lambda: matrix @ values)


def scipy_hits(web: Web, in_links: Csr) -> Rounds:
    """The two products alone."""
    turned, matrix = scipy_matrix(in_links), scipy_matrix(web.links.to_csr())
    values = np.full(web.page_count, 1 / web.page_count)
    return repeated(lambda: matrix @ (turned @ values))


def graphblas_matrix(links: Csr) -> Any:
    """The links as a matrix by rows whose values are all 1 and stored once."""
    import graphblas

    graphblas.ss.config["nthreads"] = THREADS
    ptr, idx = links.arrays()
    return graphblas.Matrix.ss.import_csr(
        nrows=links.page_count, ncols=links.page_count, indptr=ptr.astype(np.uint64), col_indices=idx.astype(np.uint64),
        values=np.ones(1), is_iso=True, sorted_cols=True,
    )  # fmt: skip


def graphblas_product(matrix: Any, values: Any) -> Any:
    """By the semiring that does not look at the matrix's values."""
    from graphblas import semiring

    return matrix.mxv(values, semiring.plus_second).new()


def graphblas_values(web: Web) -> Any:
    """A full vector."""
    import graphblas

    return graphblas.Vector.from_dense(np.full(web.page_count, 1 / web.page_count))


def graphblas_pagerank(web: Web, in_links: Csr) -> Rounds:
    """The product alone."""
    matrix, values = graphblas_matrix(in_links), graphblas_values(web)
    return repeated(lambda: graphblas_product(matrix, values))


def graphblas_hits(web: Web, in_links: Csr) -> Rounds:
    """The two products alone."""
    turned, matrix, values = graphblas_matrix(in_links), graphblas_matrix(web.links.to_csr()), graphblas_values(web)
    return repeated(lambda: graphblas_product(matrix, graphblas_product(turned, values)))


def networkit_pagerank(web: Web, in_links: Csr) -> Rounds:
    """Its own rounds, the scores of dangling pages spread as ours are."""
    import networkit

    networkit.setNumberOfThreads(THREADS)
    out_ptr, out_idx = web.links.to_csr().arrays()
    sources = np.repeat(np.arange(web.page_count, dtype=np.uint64), np.diff(out_ptr))
    graph = networkit.GraphFromCoo((sources, out_idx.astype(np.uint64)), n=web.page_count, directed=True)
    spread = networkit.centrality.SinkHandling.DistributeSinks

    def rounds(count: int) -> None:
        run = networkit.centrality.PageRank(graph, damp=0.85, tol=1e-300, distributeSinks=spread)
        run.norm = networkit.centrality.Norm.L1_NORM
        run.maxIterations = count
        run.run()

    return rounds


def scikit_network_pagerank(web: Web, in_links: Csr) -> Rounds:
    """Its power iteration."""
    from sknetwork.ranking import PageRank

    matrix = scipy.sparse.csr_matrix(scipy_matrix(web.links.to_csr()))

    def rounds(count: int) -> None:
        PageRank(0.85, "piteration", n_iter=count, tol=0).fit_predict(matrix)

    return rounds


PAGERANK: dict[str, Callable[[Web, Csr], Rounds]] = {
    "scipy.sparse, product alone, 1 thread": scipy_pagerank,
    "python-graphblas, product alone": graphblas_pagerank,
    "networkit": networkit_pagerank,
    "scikit-network, 1 thread": scikit_network_pagerank,
}
HITS: dict[str, Callable[[Web, Csr], Rounds]] = {
    "scipy.sparse, two products, 1 thread": scipy_hits,
    "python-graphblas, two products": graphblas_hits,
}
