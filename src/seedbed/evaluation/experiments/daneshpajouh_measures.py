"""What the claims of Daneshpajouh et al. are judged by, as far as no other part of seedbed measures it.

Seconds are processor time on one thread, in interleaved runs: what else the machine does then matters least. Numba
compiles before the first of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.seeds.refresh.refreshed_seeds import KEPT, MOVED, RENAMED, SIMILAR
from seedbed.seeds.select import select
from seedbed.shape.bow_tie import PARTS, bow_tie
from seedbed.shape.components import strong_components
from seedbed.shape.degrees import Distribution
from seedbed.shape.link_counts import LinkCounts
from seedbed.shape.power_law import Fit, fit_power_law
from seedbed.shape.tail_comparison import TailComparison, compare_tail

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.links.csr import Csr
    from seedbed.seeds.refresh.refreshed_seeds import Refreshed
    from seedbed.seeds.seeds import Core

SHARES = (0.125, 0.25, 0.5, 1.0)
IN_PLACE = (KEPT, RENAMED, MOVED, SIMILAR)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def first_incomplete_steps(links: Csr, cores: Sequence[Core]) -> list[float]:
    """For each core grown to a size: the first step after which a hub lacks a link to an authority; inf if none does.

    After step s, a core has its first s hubs and its first s + 1 authorities.
    """
    return [_first_incomplete(links, core) for core in cores]


def _first_incomplete(links: Csr, core: Core) -> float:
    linked = np.array([np.isin(core.authorities, links.successors(hub)) for hub in core.hubs.tolist()], np.bool_)
    hubs, authorities = np.nonzero(~linked)
    return float(np.min(np.maximum(hubs + 1.0, authorities), initial=np.inf))


def cores_of_one_community(cores: Sequence[Core], communities: NDArray[Any] | None) -> tuple[int | None, int]:
    """How many of the complete cores with two authorities or more have those in one community, and of how many."""
    complete = [core for core in cores if core.density >= 100 and len(core.authorities) > 1]
    if communities is None:
        return None, len(complete)
    of_each = [np.unique(communities[core.authorities]) for core in complete]
    return sum(len(one) == 1 and int(one[0]) >= 0 for one in of_each), len(complete)


@dataclass(frozen=True)
class DegreeLaw:
    """The law of the degrees of the pages that have any links."""

    fit: Fit
    comparison: TailComparison | None
    pages: int


def degree_law(degrees: Distribution) -> DegreeLaw:
    """The power law of some degrees, against other laws."""
    fit = fit_power_law(degrees)
    comparison = None if fit.law is None else compare_tail(degrees, fit.law)
    return DegreeLaw(fit, comparison, int(degrees.pages.sum()) - degrees.zero)


@dataclass(frozen=True)
class InCoreAndOut:
    """How many of the top pages are in the largest strong component or what it leads to; the share of all pages."""

    there: int
    top: int
    share: float


def in_core_and_out(counts: LinkCounts, scores: Floats, top_share: float) -> InCoreAndOut:
    """Where the pages with the highest scores are; equal scores: the smaller page."""
    parts = bow_tie(counts.links, strong_components(counts.links), counts.weak).of_page
    there = np.isin(parts, [PARTS.index("largest_component"), PARTS.index("out")])
    best = np.argsort(-scores, kind="stable")[: max(int(top_share * len(scores)), 1)]
    return InCoreAndOut(int(np.count_nonzero(there[best])), len(best), float(there.mean()))


def timed(works: Sequence[Callable[[], object]], repeats: int) -> list[list[float]]:
    """Processor seconds of some works, each run several times, in turns."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, found in zip(works, seconds, strict=True):
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
    return seconds


@dataclass(frozen=True)
class TrawlingTimes:
    """Seconds for `cores` cores, by HITS and by trawling; 0 cores: trawling found none."""

    cores: int
    by_hits: list[float]
    by_trawling: list[float]


def time_against_trawling(web: Web, most: int, repeats: int, **how: Any) -> TrawlingTimes:
    """Both strategies, as many cores as both find, at most `most`. `how`: options of `cores`."""
    found = min(len(select(web, "trawling", most, threads=1)), len(select(web, "cores", most, threads=1, **how)))
    if not found:
        return TrawlingTimes(0, [], [])
    works = (
        lambda: select(web, "cores", found, threads=1, hops=0, **how),
        lambda: select(web, "trawling", found, threads=1, hops=0),
    )
    return TrawlingTimes(found, *timed(works, repeats))


@dataclass(frozen=True)
class SeedTimes:
    """Seconds for one seed, on a part of the web: its pages, its links between sites, and each run."""

    pages: list[int]
    links: list[int]
    seconds: list[list[float]]

    @property
    def sizes(self) -> list[int]:
        """Pages and links together."""
        return [pages + links for pages, links in zip(self.pages, self.links, strict=True)]


def time_one_seed(web: Web, repeats: int, seed: int, **how: Any) -> SeedTimes:
    """One seed of parts of a web, random pages and the links among them, each part within the next."""
    order = np.random.default_rng([seed, web.page_count]).permutation(web.page_count)
    parts = [web.subgraph(np.sort(order[: max(int(share * len(order)), 1)])) for share in SHARES[:-1]] + [web]
    works = [lambda part=part: select(part, "cores", 1, threads=1, hops=0, **how) for part in parts]
    works[0]()
    seconds = timed(works, repeats)
    links = [part.without_links_inside("host").link_count for part in parts]
    return SeedTimes([part.page_count for part in parts], links, seconds)


@dataclass(frozen=True)
class Replaced:
    """PageRank fetched from draws of old seeds: without those that are lost, and with similar pages for them."""

    dropped: list[float]
    replaced: list[float]
    lost: float


def with_similar_pages(
    fetched: Callable[[Ints], float], there: Ints, refreshed: Refreshed, size: int, draws: int, seed: int
) -> Replaced:
    """What is fetched from draws of `size` old seeds. `there`: each one's page in the new web by URL, −1 if none."""
    similar = np.array([-1 if row.page is None or row.how not in IN_PLACE else row.page for row in refreshed.rows])
    rng = np.random.default_rng([seed, len(there)])
    found = []
    for _ in range(draws):
        some = np.sort(rng.choice(len(there), min(size, len(there)), replace=False))
        found.append([fetched(np.unique(pages[some][pages[some] >= 0])) for pages in (there, similar)])
    dropped, replaced = np.array(found).T.tolist()
    return Replaced(dropped, replaced, float(np.mean(there < 0)))
