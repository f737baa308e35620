"""Seeds from complete cores (Kumar, Raghavan, Rajagopalan, Tomkins 1999, "Trawling the Web").

A core is a set of at least i hubs and a set of at least j authorities, with a link from each hub to each authority. On
the links between sites, without the links to pages that more than `max_in_links` pages link to:

1. prune: drop hubs with fewer than j links and authorities with fewer than i, until nothing changes;
2. include or exclude: a hub with exactly j links is in a core with those j authorities or in none. The hubs that link
   to all of them form the core if there are at least i; else the hub is dropped. Likewise an authority with exactly i
   links. In ascending order of pages, hubs first, sweep after sweep until none is left;
3. enumerate: for each remaining hub, in ascending order, sets of j of its authorities in lexicographic order. The first
   set that i hubs link to gives a core: all hubs that link to the whole set, and all authorities that all those hubs
   link to. A hub without such a set is dropped; one that takes more than `max_steps` steps is skipped.

The pages of a core are removed at once with all their links, and step 1 is repeated on the rest. So cores share no
page, and unless hubs are skipped no core is left. Cores are sorted by their links (hubs · authorities), most first;
ties go to the one found first. The seed is the hub with the most links between sites; ties go to the smaller page.

Cost: O(pages + links) for step 1; O(pages) per sweep, plus lists to intersect for each page decided, for step 2; at
most (its links + max_steps) · max_in_links for each hub left to step 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.memory import require
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.links.link_store import PAGES_PER_BLOCK
from seedbed.links.transpose import transposed
from seedbed.seeds.cores import trawling_kernels as code
from seedbed.seeds.cores.core_seeds import Site, sizes
from seedbed.seeds.seeds import Core, Pick
from seedbed.seeds.strategy import strategy

if TYPE_CHECKING:
    from seedbed.links.csr import Csr
    from seedbed.seeds.problem import Problem


@dataclass(frozen=True)
class Trawled:
    """Cores, largest first, and the hubs that took too long and were skipped."""

    cores: list[Core]
    passed_over: int


@strategy(
    "one hub of each group of pages that all link to the same pages",
    paper="Kumar, Raghavan, Rajagopalan, Tomkins 1999",
    needs_hosts=True,
    per_site=False,
)
def trawling(
    problem: Problem,
    k: int,
    *,
    hubs: Annotated[int, Option("Minimum number of hubs in a core.", least=1)] = 3,
    authorities: Annotated[int, Option("Minimum number of authorities in a core.", least=1)] = 3,
    max_in_links: Annotated[int | None, Option("Pages with more links to them are not authorities.", least=1)] = 50,
    max_steps: Annotated[int, Option("Steps before a hub is skipped.", least=1)] = 10_000,
    site: Site = "host",
) -> list[Pick]:
    """One seed for each of the k largest complete cores that have an eligible hub."""
    links = problem.web.without_links_inside(site).links.to_csr()
    picks: list[Pick] = []
    found = trawl(links, hubs, authorities, max_in_links, max_steps, problem.progress)
    if found.passed_over:
        problem.note(
            f"hubs skipped, each after {counted(max_steps, 'step')}: {found.passed_over:,}. "
            "Cores may be missing; raise max_steps to find more."
        )
    barred = 0
    for core in found.cores:
        if len(picks) == k:
            break
        free = [at for at, page in enumerate(core.hubs.tolist()) if problem.may_pick(page)]
        if free:
            best = max(free, key=lambda at, core=core: (core.hub_scores[at], -core.hubs[at]))  # type: ignore[misc]
            page = int(core.hubs[best])
            problem.quota.take(page)
            picks.append(Pick(page, float(len(core.hubs) * len(core.authorities)), _reason(core, best), core))
        barred += not free
    if barred:
        problem.note(f"{counted(barred, 'core has', 'cores have')} no eligible hub, and so no seed.")
    return picks


def _reason(core: Core, best: int) -> str:
    return (
        f"complete core {core.number}: {sizes(core)}; "
        f"{counted(int(core.hub_scores[best]), 'link')} to other sites on the page"
    )


def trawl(
    links: Csr,
    hubs: int,
    authorities: int,
    max_in_links: int | None = 50,
    max_steps: int = 10_000,
    progress: Progress = no_progress,
) -> Trawled:
    """All disjoint complete cores with at least this many hubs and authorities, as found by the steps above.

    A hub's score is its number of links, an authority's the number of links to it, both before any page was removed.
    """
    pages = links.page_count
    require(120 * pages, "trawling: the links left on each page")
    into = transposed(links)
    degrees = links.out_degrees(), into.out_degrees()
    authority = np.ones(pages, np.bool_) if max_in_links is None else degrees[1] <= max_in_links
    lists = np.empty((4, pages), np.int64)
    net = code.Net(
        code.Side(code.HUB, authorities, *links.arrays(), np.ones(pages, np.bool_), *lists[:2]),
        code.Side(code.AUTHORITY, hubs, *into.arrays(), authority, degrees[1].copy(), lists[2]),
    )
    space = code.Space(np.zeros(pages, np.int32), np.zeros(pages, np.int32), np.empty(2 * pages, np.int64), lists[3])
    found = code.CoreList(np.empty(pages, np.int64), np.empty((pages // 2 + 1, 2), np.int64), np.zeros(3, np.int64))
    code.prune(net, space.gone)
    while code.sweep(net, *net, space.gone, found) + code.sweep(net, *net[::-1], space.gone, found):
        pass
    for first in range(0, pages, PAGES_PER_BLOCK):
        progress("trawling", first, pages)
        code.enumerate_cores(net, space, found, first, min(first + PAGES_PER_BLOCK, pages), max_steps)
    return Trawled(_cores(found, *degrees), int(found.used[code.PASSED_OVER]))


def _cores(found: code.CoreList, out_links: NDArray[np.int64], in_links: NDArray[np.int64]) -> list[Core]:
    """The cores found, most links first."""
    sizes = found.sizes[: found.used[code.CORES]]
    starts = np.cumsum(sizes.sum(axis=1)) - sizes.sum(axis=1)
    cores: list[Core] = []
    for at in np.argsort(-sizes.prod(axis=1), kind="stable").tolist():
        middle = starts[at] + sizes[at, 0]
        of_hubs = found.pages[starts[at] : middle].copy()
        of_authorities = found.pages[middle : middle + sizes[at, 1]].copy()
        scores = out_links[of_hubs].astype(np.float64), in_links[of_authorities].astype(np.float64)
        cores.append(Core(of_hubs, of_authorities, 100.0, len(cores) + 1, *scores))
    return cores
