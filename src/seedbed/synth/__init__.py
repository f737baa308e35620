"""Synthetic webs of any size: sites of four kinds, communities, cores, link farms; and a later snapshot of the web.

A plan (web_plan.py) holds the hosts, each a site of some kind (site_kinds.py). Pages, their links and URLs are
generated host by host (page_making.py, link_making.py, url_making.py) from counter-based random numbers
(random_draws.py), so threads may generate them in any order and the store is the same. docs/synth.md describes what is
planted.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team, thread_count
from seedbed.errors import OptionError, unknown

LINKS_PER_PAGE = 16.0
SURVIVAL = 0.11  # of URLs over three years: Daneshpajouh, Nasiri, Ghodsi 2008
MOST_PAGES = 10**11
MOST_OUTSIDE = 4.0  # at this value every folder's menu leads to another host
BYTES_PER_HOST = 220  # per snapshot, while the plan is made


def make_web(
    out: Path,
    *,
    pages: int,
    links_per_page: float = LINKS_PER_PAGE,
    snapshots: int = 1,
    seed: int = 1,
    survival: float = SURVIVAL,
    outside: float = 1.0,
    links: Literal["csr", "bvgraph"] = "csr",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Make a web of `pages` pages and store it in `out`, or in out/old and out/new; returns the stores made.

    `outside`: how many links lead to other hosts, as a multiple of the usual number, about 7 % of all at 16 per page.
    Same arguments, same bytes, for any number of threads. O(links) time; memory O(hosts + pages of the largest host).
    """
    out, progress = Path(out), progress or no_progress
    threads = thread_count(threads)
    _check(pages, links_per_page, snapshots, seed, survival, outside)
    if links not in ("csr", "bvgraph"):
        raise unknown("link store", links, ("csr", "bvgraph"))
    _check_target(out)
    from seedbed.synth.hosts import host_count
    from seedbed.synth.page_making import link_scale
    from seedbed.synth.snapshot_writer import write_snapshots
    from seedbed.synth.web_plan import make_plan

    require(BYTES_PER_HOST * host_count(pages) * snapshots, f"the plan of a web of {pages} pages")
    progress("plan", 0, 0)
    with Team(threads) as team:
        plan = make_plan(pages, min(links_per_page, pages), snapshots, seed, survival, outside)
        scale = link_scale(plan[0], pages, team)
        return write_snapshots(out, [snapshot._replace(scale=scale) for snapshot in plan], links, team, progress)


def _check(pages: int, links_per_page: float, snapshots: int, seed: int, survival: float, outside: float) -> None:
    most_links = max(pages, LINKS_PER_PAGE)
    for name, value, fits, need in (
        ("pages", pages, 1 <= pages <= MOST_PAGES, f"from 1 to {MOST_PAGES}"),
        (
            "links_per_page",
            links_per_page,
            math.isfinite(links_per_page) and 0 < links_per_page <= most_links,
            f"above 0 and at most {most_links:g}",
        ),
        ("snapshots", snapshots, snapshots in (1, 2), "1 or 2"),
        ("seed", seed, 0 <= seed < 2**64, "from 0 to 2^64 − 1"),
        ("survival", survival, 0 <= survival <= 1, "from 0 to 1"),
        ("outside", outside, 0 <= outside <= MOST_OUTSIDE, f"from 0 to {MOST_OUTSIDE:g}"),
    ):
        if not fits:
            raise OptionError(f"{name} = {value} is not possible; give a number {need}.")


def _check_target(out: Path) -> None:
    """Refuse to replace anything but a store, a pair of snapshots or an empty folder."""
    from seedbed.graph.native_store import check_store_path

    inside = list(out.iterdir()) if out.is_dir() else []
    pair = inside and all(path.name in ("old", "new") for path in inside)
    for path in inside if pair else [out]:
        check_store_path(path)
