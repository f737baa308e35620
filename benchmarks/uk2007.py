"""The paper's size: a web shaped like uk-2007-05, crawled as a whole with FPR@100 inside 16 GiB. One core crawls.

make bench-uk2007      or      python benchmarks/uk2007.py --pages 5000000 --folder /big/disk

uk-2007-05 has 105,896,555 pages, 3,738,733,648 links and 4 % of them between hosts. The synthetic web has as many pages
and, within 5 %, as many links, and about as many of them between hosts. Each step runs in a process of its own that may
not have more than 16 GiB of addresses, mapped files included. Seeds are the 160 pages with most in-links (the paper:
those of the highest PageRank, which would take longer to find than the crawl takes).
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measure import machine, peak_bytes  # noqa: E402
from benchmarks.run import write_between_markers  # noqa: E402

PAGES, LINKS_PER_PAGE = 105_896_555, 3_738_733_648 / 105_896_555
MEMORY = 16 * 2**30
SEEDS = 160
ORDER = "fpr@100"
OUTSIDE = 0.49  # of the usual links between hosts: makes them 4 %


class Told:
    """Progress on standard error, at most every five seconds."""

    def __init__(self) -> None:
        self.start = self.last = time.perf_counter()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """How far a stage is."""
        now = time.perf_counter()
        if now - self.last >= 5:
            self.last = now
            share = f" of {total:,}" if total else ""
            print(f"{now - self.start:6.0f} s  {stage}: {done:,}{share}", file=sys.stderr, flush=True)


def make(out: Path, pages: int) -> dict[str, Any]:
    """Make and store the web."""
    from seedbed.synth import make_web

    make_web(
        out,
        pages=pages,
        links_per_page=LINKS_PER_PAGE,
        outside=OUTSIDE,
        links="bvgraph",
        threads=2,
        progress=Told(),
    )
    return {}


def crawl_all(out: Path, pages: int) -> dict[str, Any]:
    """Crawl all that can be reached from the seeds."""
    import seedbed as sb
    from seedbed.crawling.simulator import crawl
    from seedbed.ranking.degree_rankings import indegree

    web = sb.open(out)
    seeds = indegree(web, progress=Told()).top(SEEDS).tolist()
    crawl(web, seeds, ORDER, min(1000, pages))  # compiled code is loaded before the clock
    run = crawl(web, seeds, ORDER, progress=Told())
    return {
        "links": web.link_count,
        "bits": web.links.bits_per_link,
        "hosts": len(web.sites("host").names),
        "crawl_seconds": run.seconds,
        "fetched": len(run),
    }


def inter_host(out: Path, pages: int) -> dict[str, Any]:
    """The share of links between hosts."""
    import numpy as np

    import seedbed as sb

    web = sb.open(out)
    host, across = web.sites("host").of_page, 0
    for block in web.links.blocks():
        degrees = np.diff(block.out_ptr)
        sources = np.repeat(host[block.first : block.first + len(degrees)], degrees)
        across += int(np.count_nonzero(host[block.out_idx] != sources))
    return {"inter_host": across / web.link_count}


STEPS = {"make": make, "crawl": crawl_all, "inter-host": inter_host}


def step(name: str, out: Path, pages: int) -> dict[str, Any]:
    """What a step says, its seconds and its peak memory, from a process of its own."""
    print(f"{name} …", file=sys.stderr, flush=True)
    words = [sys.executable, __file__, "--step", name, "--pages", str(pages), "--folder", str(out)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one_step(name: str, out: Path, pages: int) -> None:
    """A step, in its own process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.perf_counter()
    found = STEPS[name](out, pages)
    print(json.dumps({**found, "seconds": time.perf_counter() - start, "peak": peak_bytes()}))


def table(pages: int, found: dict[str, dict[str, Any]]) -> str:
    """Markdown."""
    crawled, made = found["crawl"], found["make"]
    fetched, links, seconds = crawled["fetched"], crawled["links"], crawled["crawl_seconds"]
    return (
        "| | uk-2007-05 (the paper's Table 1) | this web |\n|---|---:|---:|\n"
        f"| pages | 105,896,555 | {pages:,} |\n"
        f"| links | 3,738,733,648 | {links:,} |\n"
        f"| links between hosts | 3.7 % | {100 * found['inter-host']['inter_host']:.1f} % |\n"
        f"| hosts | | {crawled['hosts']:,} |\n"
        f"| bits a link, as BVGraph | | {crawled['bits']:.2f} |\n\n"
        "| step | seconds | pages | pages/s | peak memory, GiB |\n|---|---:|---:|---:|---:|\n"
        f"| make and store, 2 cores | {made['seconds']:,.0f} | {pages:,} | {pages / made['seconds']:,.0f} "
        f"| {made['peak'] / 2**30:.2f} |\n"
        f"| {ORDER} from {SEEDS} seeds, 1 core | {seconds:,.0f} | {fetched:,} | {fetched / seconds:,.0f} "
        f"| {crawled['peak'] / 2**30:.2f} |\n"
        f"| the paper: fpr on uk-2007-05, 4 GB | 7,200 | 80,000,000 | {80e6 / 7200:,.0f} | |"
    )


def main() -> None:
    """Make, crawl, write the table; the web is removed in the end, whatever happens."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--folder", type=Path, default=None, help="where some 10 GB fit; default: the temporary folder")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        one_step(options.step, options.folder, options.pages)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = {name: step(name, Path(folder) / "web", options.pages) for name in STEPS}
    text = table(options.pages, found)
    print(text)
    if options.pages == PAGES:
        write_between_markers("uk2007", f"Measured on: {machine()}.\n\n{text}")


if __name__ == "__main__":
    main()
