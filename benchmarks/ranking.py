"""PageRank and HITS: the time of a round beside what Python users have today, same graph and threads, same run.

    python benchmarks/ranking.py WEB            any web that seedbed opens; prints the table

A peer's round is what its own loop does where it counts rounds (networkit, scikit-network); where it offers products of
a matrix and a vector (scipy.sparse, python-graphblas) it is the product alone, without the work on scores that a round
also needs: that favours the peer. igraph solves by other methods and has no rounds: its whole run stands beside our
whole run, setting up included.

The floor of a round is what it must read and write at least once, over the speed at which this machine reads memory.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import Row, machine, median_seconds
from seedbed.graph.csr import Csr
from seedbed.graph.kernel import kernel
from seedbed.graph.transform import transposed
from seedbed.graph.web import Web
from seedbed.ranking.hits import Vector, hits, steps
from seedbed.ranking.pagerank import Walk, even, pagerank
from seedbed.ranking.team import Team

THREADS = 2
ROUNDS = 20
TOLERANCE = 1e-9
MOST_FOR_IGRAPH = 20_000_000
"""Links; igraph is left out on larger graphs, to keep the run short."""


def rows(graph: Path) -> list[Row]:
    """All measurements on one graph."""
    from seedbed.sources import open_web

    web = Web(open_web(graph).links.to_csr())
    in_links = transposed(web.links)
    ours, ours_alone = pagerank_round(web, THREADS), pagerank_round(web, 1)
    both, both_alone = hits_round(web, THREADS), hits_round(web, 1)
    found = [Row(f"links of {graph.name}", web.link_count / 1e6, "M links")]
    for name, peer in PAGERANK_ROUNDS.items():
        found.append(Row("PageRank, a round, 2 threads", ours, "ms", "", name, measured(peer, in_links, web)))
    found.append(Row("PageRank, a round, 1 thread", ours_alone, "ms"))
    for name, peer in HITS_ROUNDS.items():
        found.append(Row("HITS, a round, 2 threads", both, "ms", "", name, measured(peer, in_links, web)))
    found.append(Row("HITS, a round, 1 thread", both_alone, "ms"))
    found.extend(whole_runs(web))
    found.extend(floors(web, ours, both))
    return found


def measured(peer: Callable[[Csr, Web], float], in_links: Csr, web: Web) -> float | None:
    """A peer's milliseconds; None where it is not installed."""
    try:
        return peer(in_links, web)
    except ImportError:
        return None


def milliseconds(work: Callable[[], Any], repeats: int = ROUNDS) -> float:
    """The median of many calls."""
    return 1e3 * median_seconds(work, repeats)


def pagerank_round(web: Web, threads: int) -> float:
    """A round of ours."""
    with Team(threads) as team:
        walk = Walk(web, 0.85, even(web.page_count), team, None)
        return milliseconds(walk.round)


def hits_round(web: Web, threads: int) -> float:
    """A round of ours: authorities from hubs, hubs from authorities."""
    hubs, authorities = Vector(web.page_count, 1.0), Vector(web.page_count, 0.0)
    with Team(threads) as team:
        to_authorities, to_hubs = steps(web, team, None)

        def one() -> None:
            authorities.set(to_authorities, hubs)
            hubs.set(to_hubs, authorities)

        return milliseconds(one)


def scipy_matrix(links: Csr) -> Any:
    """The links as a sparse matrix of float64, which SciPy needs for a product without conversion."""
    ptr, idx = links.arrays()
    shape = (links.pages, links.pages)
    return scipy.sparse.csr_array((np.ones(links.links), idx, ptr.astype(idx.dtype)), shape=shape)


def scipy_pagerank(in_links: Csr, web: Web) -> float:
    """The product alone; SciPy uses one thread."""
    matrix, values = scipy_matrix(in_links), even(web.page_count)
    return milliseconds(lambda: matrix @ values)


def scipy_hits(in_links: Csr, web: Web) -> float:
    """The two products alone."""
    turned, matrix, values = scipy_matrix(in_links), scipy_matrix(web.links.to_csr()), even(web.page_count)
    return milliseconds(lambda: matrix @ (turned @ values))


def graphblas_matrix(links: Csr) -> Any:
    """The links as a matrix by rows whose values are all 1 and stored once."""
    import graphblas

    graphblas.ss.config["nthreads"] = THREADS
    ptr, idx = links.arrays()
    return graphblas.Matrix.ss.import_csr(
        nrows=links.pages, ncols=links.pages, indptr=ptr.astype(np.uint64), col_indices=idx.astype(np.uint64),
        values=np.ones(1), is_iso=True, sorted_cols=True,
    )  # fmt: skip


def graphblas_vector(pages: int) -> Any:
    """A full vector."""
    import graphblas

    return graphblas.Vector.from_dense(even(pages))


def graphblas_pagerank(in_links: Csr, web: Web) -> float:
    """The product alone, by the semiring that does not look at the matrix's values."""
    from graphblas import semiring

    matrix, values = graphblas_matrix(in_links), graphblas_vector(web.page_count)
    return milliseconds(lambda: matrix.mxv(values, semiring.plus_second).new())


def graphblas_hits(in_links: Csr, web: Web) -> float:
    """The two products alone."""
    from graphblas import semiring

    turned, matrix = graphblas_matrix(in_links), graphblas_matrix(web.links.to_csr())
    values = graphblas_vector(web.page_count)

    def one() -> Any:
        middle = turned.mxv(values, semiring.plus_second).new()
        return matrix.mxv(middle, semiring.plus_second).new()

    return milliseconds(one)


def networkit_graph(web: Web) -> Any:
    """The same links."""
    import networkit

    networkit.setNumberOfThreads(THREADS)
    out_ptr, out_idx = web.links.to_csr().arrays()
    sources = np.repeat(np.arange(web.page_count, dtype=np.int64), np.diff(out_ptr))
    return networkit.GraphFromCoo(
        (sources.astype(np.uint64), out_idx.astype(np.uint64)), n=web.page_count, directed=True
    )


def networkit_pagerank(in_links: Csr, web: Web) -> float:
    """Its own rounds, dangling pages spread as ours are, to the same tolerance."""
    import networkit

    graph = networkit_graph(web)
    times = []
    for _ in range(3):
        run = networkit.centrality.PageRank(
            graph, damp=0.85, tol=TOLERANCE, distributeSinks=networkit.centrality.SinkHandling.DistributeSinks
        )
        run.norm = networkit.centrality.Norm.L1_NORM
        start = time.perf_counter()
        run.run()
        times.append((time.perf_counter() - start) / run.numberOfIterations())
    return 1e3 * statistics.median(times)


def scikit_network_pagerank(in_links: Csr, web: Web) -> float:
    """Its power iteration: 25 rounds less 5 rounds, over 20."""
    from sknetwork.ranking import PageRank

    matrix = scipy.sparse.csr_matrix(scipy_matrix(web.links.to_csr()))

    def run(rounds: int) -> float:
        return median_seconds(lambda: PageRank(0.85, "piteration", n_iter=rounds, tol=0).fit_predict(matrix), 3)

    return 1e3 * (run(25) - run(5)) / 20


PAGERANK_ROUNDS: dict[str, Callable[[Csr, Web], float]] = {
    "scipy.sparse, product alone, 1 thread": scipy_pagerank,
    "python-graphblas, product alone": graphblas_pagerank,
    "networkit": networkit_pagerank,
    "scikit-network": scikit_network_pagerank,
}
HITS_ROUNDS: dict[str, Callable[[Csr, Web], float]] = {
    "scipy.sparse, two products, 1 thread": scipy_hits,
    "python-graphblas, two products": graphblas_hits,
}


def whole_runs(web: Web) -> list[Row]:
    """From a graph in the library's own form to scores."""
    ours = median_seconds(lambda: pagerank(web, tolerance=TOLERANCE, threads=THREADS), 3)
    hubs = median_seconds(lambda: hits(web, threads=THREADS), 3)
    try:
        import igraph
    except ImportError:
        igraph = None
    if igraph is None or web.link_count > MOST_FOR_IGRAPH:
        return [Row("PageRank, whole run", ours, "s"), Row("HITS, 60 rounds, whole run", hubs, "s")]
    out_ptr, out_idx = web.links.to_csr().arrays()
    sources = np.repeat(np.arange(web.page_count, dtype=np.int32), np.diff(out_ptr))
    graph = igraph.Graph(n=web.page_count, edges=np.column_stack([sources, out_idx]), directed=True)
    prpack = once(lambda: graph.pagerank(damping=0.85, implementation="prpack"))
    arpack = once(lambda: (graph.hub_score(), graph.authority_score()))
    return [
        Row("PageRank, whole run", ours, "s", "", "igraph (PRPACK), 1 thread", prpack),
        Row("HITS, 60 rounds, whole run", hubs, "s", "", "igraph (ARPACK), 1 thread", arpack),
    ]


def once(work: Callable[[], Any]) -> float:
    """The seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def floors(web: Web, pagerank_ms: float, hits_ms: float) -> list[Row]:
    """What memory alone would take for lists as they are stored, each link 4 bytes, and the scores once."""
    speed = read_speed()
    pages, links = web.page_count, web.link_count
    a_round = 1e3 * (4 * links + (8 + 6 + 48) * pages) / speed
    both = 1e3 * (8 * links + 2 * (8 + 6 + 16) * pages) / speed
    return [
        Row("reading memory, 2 threads", speed / 1e9, "GB/s"),
        Row("PageRank, a round: floor of memory", a_round, "ms"),
        Row("PageRank, a round, over its floor", pagerank_ms / a_round, "times"),
        Row("HITS, a round: floor of memory", both, "ms"),
        Row("HITS, a round, over its floor", hits_ms / both, "times"),
    ]


def read_speed() -> float:
    """Bytes a second that two threads read from arrays far larger than the caches."""
    halves = [np.ones(1 << 26) for _ in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        seconds = median_seconds(lambda: list(pool.map(sum_by_strands, halves)))
    return sum(half.nbytes for half in halves) / seconds


@kernel
def sum_by_strands(values):  # type: ignore[no-untyped-def]  # noqa: D103
    total = np.zeros(8)
    for k in range(0, values.size, 8):
        for strand in range(8):
            total[strand] += values[k + strand]
    return total


def main() -> None:
    """One table for each graph that is named."""
    from benchmarks.run import table

    print(f"Measured on: {machine()}.")
    for graph in sys.argv[1:]:
        print(f"\n{graph}\n\n{table(rows(Path(graph)))}")


if __name__ == "__main__":
    main()
