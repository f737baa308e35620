"""Synthetic webs of any size: hosts, communities, cores, link farms; and a second snapshot, changed by time.

The plan knows hosts only (`plan`); pages, their links and URLs are made host by host from random numbers that count
(`rng`), so that threads may make them in any order and the store is the same. docs/synth.md says what is planted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from seedbed.errors import OptionError, unknown
from seedbed.graph.progress import Progress, no_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seedbed.synth.plan import Snapshot

LINKS_PER_PAGE = 16.0
SURVIVAL = 0.11  # of URLs over three years: Daneshpajouh, Nasiri, Ghodsi 2008
MOST_PAGES = 1 << 36


def make_web(
    out: Path,
    *,
    pages: int,
    links_per_page: float = LINKS_PER_PAGE,
    snapshots: int = 1,
    seed: int = 1,
    survival: float = SURVIVAL,
    links: Literal["csr", "bvgraph"] = "csr",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Make a web of `pages` pages and store it in `out`, or in out/old and out/new; the stores made.

    Same arguments, same bytes, whatever the threads. O(links) time; memory O(hosts) and the pages of the largest host.
    """
    out = Path(out)
    _check(pages, links_per_page, snapshots, seed, survival)
    if links not in ("csr", "bvgraph"):
        raise unknown("link store", links, ("csr", "bvgraph"))
    _check_place(out)
    from seedbed.synth.write import worker_pool, write_snapshots

    with worker_pool(threads) as pool:
        plan = _plan(pages, min(links_per_page, pages), snapshots, seed, survival, pool)
        return write_snapshots(out, plan, links, pool, progress or no_progress)
