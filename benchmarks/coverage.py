"""Seeds by coverage: how near `cover` comes to exact greedy and how long each takes; and `cover` on a large web.

python benchmarks/coverage.py                      every graph below SHARED: k = 10 and 100, h = 1 … 5, as a table
python benchmarks/coverage.py --pages 100000000    cover on a synthetic web of so many pages, 15 links a page, kept as
                                                   BVGraph; writes its table (--scratch DIR: where some GB fit)
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import numpy as np  # noqa: E402

import seedbed as sb  # noqa: E402
from benchmarks.measure import Row, machine, timed  # noqa: E402
from benchmarks.run import write_between_markers  # noqa: E402
from seedbed.graph.web import Web  # noqa: E402
from seedbed.seeds.coverage.cover import cover  # noqa: E402
from seedbed.seeds.coverage.greedy import greedy, maxweight  # noqa: E402
from seedbed.seeds.gain import gain_of  # noqa: E402
from seedbed.seeds.problem import Problem  # noqa: E402

SHARED = HERE.parent.parent / "shared" / "data"
GRAPHS = (
    "hollins",
    "california/gr0.California.gz",
    "openbsd-www/2013-06-01.nodes.tsv.gz",
    "openbsd-www/2016-06-01.nodes.tsv.gz",
    "ukwa-1996-hosts/1996-uk-web-hosts.tsv.gz",
    "najdisi-si/core2.net.gz",
    "cnr-2000/cnr-2000",
)
STRATEGIES = {"maxweight": maxweight, "greedy": greedy, "cover": cover}
LARGE_PAGES, LARGE_LINKS = 10_000_000, 15.0

LARGE = """
import resource, sys, time
import numpy as np, seedbed as sb
from seedbed.seeds.coverage.cover import cover
from seedbed.seeds.gain import gain_of
from seedbed.seeds.coverage.greedy import maxweight
from seedbed.seeds.problem import Problem

def timed(strategy, web, k):
    start = time.perf_counter()
    picks = strategy(Problem(web, np.ones(web.page_count), 5, threads=2), k)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    gain = gain_of(web, [pick.page for pick in picks], np.ones(web.page_count), 5)
    return f"{seconds} {peak} {gain.value[-1]}"

web, small = sb.open(sys.argv[1]), sb.open(sys.argv[2])
timed(cover, small, 2)  # compiled code is loaded before the clock
print(timed(cover, web, 100), timed(maxweight, web, 100), web.link_count)
"""


@dataclass(frozen=True)
class Large:
    """What `cover` took and covers on a large web, and what `maxweight` did after it."""

    pages: int
    links: int
    seconds: float
    peak: float
    value: float
    maxweight_seconds: float
    maxweight_value: float


def rows(graph: Path, pages: int = LARGE_PAGES) -> list[Row]:
    """Seconds on one graph beside greedy's, the value beside greedy's, and the large web."""
    web = sb.open(graph)
    measured(web, 1, 5)
    found = measured(web, 100, 5)
    (mine, seconds), (exact, slow) = found["cover"], found["greedy"]
    large = large_web(pages)
    return [
        Row(f"cover, k = 100, h = 5, {graph.name}, 2 cores", seconds, "s", "", "exact greedy", slow),
        Row("value it covers", mine, "pages", f"{0.99 * exact:,.0f}", "exact greedy", exact),
        Row("maxweight, the same", found["maxweight"][1], "s"),
        Row(
            f"cover, k = 100, h = 5, {pages:,} pages, {LARGE_LINKS:.0f} links a page, 2 cores",
            large.seconds,
            "s",
            "120",
        ),
        Row("its peak memory", large.peak, "GiB", "8"),
    ]


def measured(web: Web, k: int, hops: int) -> dict[str, tuple[float, float]]:
    """(value covered, seconds) of each strategy, every page being worth 1."""
    values = np.ones(web.page_count)
    found = {}
    for name, strategy in STRATEGIES.items():
        seconds, picks = timed(lambda strategy=strategy: strategy(Problem(web, values, hops, threads=2), k))
        gain = gain_of(web, [pick.page for pick in picks], values, hops)
        found[name] = (float(gain.value[-1]) if len(picks) else 0.0, seconds)
    return found


def grid(folder: Path) -> Iterator[str]:
    """The table of all graphs, k and h."""
    yield "| graph | k | h | maxweight | greedy | cover | of greedy | maxweight, s | greedy, s | cover, s |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name in GRAPHS:
        web = sb.open(folder / name)
        measured(web, 1, 1)
        for k in (10, 100):
            for hops in range(1, 6):
                found = measured(web, k, hops)
                values = " | ".join(f"{found[name][0]:,.0f}" for name in STRATEGIES)
                times = " | ".join(f"{found[name][1]:.2f}" for name in STRATEGIES)
                share = 100 * found["cover"][0] / found["greedy"][0]
                yield f"| {name.split('/')[0]} | {k} | {hops} | {values} | {share:.2f} % | {times} |"


def large_web(pages: int, scratch: Path | None = None) -> Large:
    """Measured in a process of its own, on a synthetic web."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        large, small = Path(folder) / "large", Path(folder) / "small"
        sb.make_web(large, pages=pages, links_per_page=LARGE_LINKS, links="bvgraph", threads=2)
        sb.make_web(small, pages=1000, links="bvgraph")
        words = [sys.executable, "-c", LARGE, str(large), str(small)]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    seconds, peak, value, other_seconds, _, other_value, links = done.stdout.split()
    return Large(pages, int(links), float(seconds), float(peak), float(value), float(other_seconds), float(other_value))


def large_table(found: Large) -> str:
    """Markdown."""
    return (
        "| pages | links | cover, s | peak memory, GiB | it covers | maxweight, s | it covers |\n"
        "|---:|---:|---:|---:|---:|---:|---:|\n"
        f"| {found.pages:,} | {found.links:,} | {found.seconds:,.0f} | {found.peak:.2f} | {found.value:,.0f} "
        f"| {found.maxweight_seconds:,.0f} | {found.maxweight_value:,.0f} |"
    )


def main() -> None:
    """The table, or the large web."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=None)
    parser.add_argument("--scratch", type=Path, default=None)
    parser.add_argument("--folder", type=Path, default=SHARED)
    options = parser.parse_args()
    print(f"Measured on: {machine()}.\n")
    if options.pages:
        text = large_table(large_web(options.pages, options.scratch))
        print(text)
        write_between_markers("coverage large", f"Measured on: {machine()}.\n\n{text}")
        return
    for line in grid(options.folder):
        print(line, flush=True)


if __name__ == "__main__":
    main()
