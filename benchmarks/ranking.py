"""PageRank and HITS: the time of a round beside what Python users have today, same graph and threads, same run.

    python benchmarks/ranking.py WEB …          any webs that seedbed opens; prints the table

Ours and a peer take turns, so that whatever else the machine does befalls both; the time of a round is that of many
rounds less that of few, over the difference, and of several such times the median. So each row has a time of ours of
its own. igraph solves by other methods and has no rounds: its whole run stands beside our whole run, setting up
included.

The floor of a round is what it must read and write at least once, over the speed at which this machine reads memory. A
graph that fits the processor's cache has no such floor; it is given all the same.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import Row, machine, median_seconds, timed
from benchmarks.ranking_peers import HITS, PAGERANK, THREADS, Rounds, repeated
from seedbed.common.kernels import kernel
from seedbed.common.threads import Team
from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.links.transpose import transposed
from seedbed.ranking.hits import Vector, both_sums, hits
from seedbed.ranking.link_sums import lay_out
from seedbed.ranking.pagerank import PowerIteration, pagerank, uniform

PAGES = 5_000_000
LINKS_PER_PAGE = 15
LARGE = 20_000_000
"""Links from which on fewer rounds are measured, and igraph is left out: it takes minutes and most of the memory."""


def rows(graph: Path) -> list[Row]:
    """All measurements: on the graph that is given, and on a large synthetic web."""
    from seedbed.synth import make_web

    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / f"synthetic, {PAGES // 10**6} M pages"
        make_web(large, pages=PAGES, links_per_page=LINKS_PER_PAGE)
        return [*rows_of(graph), *rows_of(large)]


def rows_of(graph: Path) -> list[Row]:
    """All measurements on one graph."""
    from seedbed.sources.opening import open_web

    web = Web(open_web(graph).links.to_csr())
    in_links = transposed(web.links)
    found = [Row(f"links of {graph.name}", web.link_count / 1e6, "M links")]
    with Team(THREADS) as team, Team(1) as alone:
        for what, ours, peers in (("PageRank", pagerank_rounds, PAGERANK), ("HITS", hits_rounds, HITS)):
            together = ours(web, team)
            for name, peer in peers.items():
                both = beside(together, peer, web, in_links)
                found.append(Row(f"{what}, a round, {THREADS} threads", both[0], "ms", "", name, both[1]))
            both = turns(together, ours(web, alone), large=web.link_count > LARGE)
            found.append(Row(f"{what}, a round, {THREADS} threads", both[0], "ms", "", "the same, 1 thread", both[1]))
            found.extend(over_floor(what, min(row.value for row in found if row.what.startswith(what)), web, in_links))
    found.extend(whole_runs(web))
    return found


def pagerank_rounds(web: Web, team: Team) -> Rounds:
    """Ours."""
    return repeated(PowerIteration(web, 0.85, uniform(web.page_count), team, None).iterate)


def hits_rounds(web: Web, team: Team) -> Rounds:
    """Ours: authorities from hubs, hubs from authorities."""
    hubs, authorities = Vector(web.page_count, 1.0), Vector(web.page_count, 0.0)
    over_in_links, over_out_links = both_sums(web, team, None)

    def one() -> None:
        authorities.update(over_in_links, hubs)
        hubs.update(over_out_links, authorities)

    return repeated(one)


def beside(ours: Rounds, peer: Callable[[Web, Csr], Rounds], web: Web, in_links: Csr) -> tuple[float, float | None]:
    """Milliseconds of a round, ours and the peer's; None where it is not installed."""
    large = web.link_count > LARGE
    try:
        return turns(ours, peer(web, in_links), large=large)
    except ImportError:
        return turns(ours, ours, large=large)[0], None


def turns(first: Rounds, second: Rounds, *, large: bool) -> tuple[float, float]:
    """Milliseconds of a round of each, measured in turns."""
    few, many, repeats = (1, 6, 3) if large else (5, 45, 7)
    times: tuple[list[float], list[float]] = [], []
    for rounds in (first, second):
        rounds(1)
    for _ in range(repeats):
        for rounds, found in zip((first, second), times, strict=True):
            short, long = (timed(lambda n=n, rounds=rounds: rounds(n))[0] for n in (few, many))
            found.append(1e3 * (long - short) / (many - few))
    return statistics.median(times[0]), statistics.median(times[1])


def whole_runs(web: Web) -> Iterator[Row]:
    """From a graph in the library's own form to scores."""
    work = {
        "PageRank, whole run": lambda: pagerank(web, threads=THREADS),
        "HITS, 60 rounds, whole run": lambda: hits(web, threads=THREADS),
    }
    repeats = 1 if web.link_count > LARGE else 3
    ours = [median_seconds(run, repeats) if repeats > 1 else timed(run)[0] for run in work.values()]
    theirs: list[tuple[str, float | None]] = igraph_runs(web) if web.link_count <= LARGE else [("", None)] * 2
    for what, seconds, (peer, its) in zip(work, ours, theirs, strict=True):
        yield Row(what, seconds, "s", "", peer, its)


def igraph_runs(web: Web) -> list[tuple[str, float | None]]:
    """Seconds of igraph's solvers for PageRank, and for hubs and authorities."""
    try:
        import igraph
    except ImportError:
        return [("", None)] * 2
    out_ptr, out_idx = web.links.to_csr().arrays()
    sources = np.repeat(np.arange(web.page_count, dtype=np.int32), np.diff(out_ptr))
    graph = igraph.Graph(n=web.page_count, edges=np.column_stack([sources, out_idx]), directed=True)
    prpack, _ = timed(lambda: graph.pagerank(damping=0.85, implementation="prpack"))
    arpack, _ = timed(lambda: (graph.hub_score(), graph.authority_score()))
    return [("igraph (PRPACK), 1 thread", prpack), ("igraph (ARPACK), 1 thread", arpack)]


def over_floor(what: str, measured: float, web: Web, in_links: Csr) -> list[Row]:
    """What memory alone would take: the lists as laid out, the values they are sums of, and the scores, all once."""
    with Team(THREADS) as team:
        size = sum(array.nbytes for array in lay_out(in_links, team)) + 8 * web.page_count
        if what == "HITS":
            size += sum(array.nbytes for array in lay_out(web.links.to_csr(), team)) + (8 + 2 * 8) * web.page_count
        else:
            size += (16 + 8 + 8) * web.page_count
    floor = 1e3 * size / read_speed()
    return [
        Row(f"{what}, a round: floor of memory", floor, "ms"),
        Row(f"{what}, a round, over its floor", measured / floor, "times"),
    ]


def read_speed() -> float:
    """Bytes a second that the threads together read from arrays far larger than the caches."""
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
        print(f"\n{graph}\n\n{table(rows_of(Path(graph)))}")


if __name__ == "__main__":
    main()
