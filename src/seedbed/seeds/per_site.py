"""Seeds inside each site: a strategy on the pages of one site and the links among them, for all sites side by side.

The k seeds are shared out in proportion to the sites' importance, by largest remainder:

    quota(s) = k · importance(s) / Σ importance        share(s) = ⌊quota(s)⌋, and 1 more for the largest remainders

with ties to the smaller site. A site whose quota is at least the number of its pages that may be chosen gets that many,
and the rest is shared out anew among the others. Importance is the number of pages, the sum of their values (0 where it
is below), or the sum of their PageRank on the whole web. A strategy that ends early leaves part of a share unused.

Seeds come in rounds: the first seed of every site, the most important site first (ties to the smaller site), then the
second of every site that has one, and so on. The gain is that on the whole web. The random numbers of a site follow
from the seed and the number of the site, so results do not depend on the number of threads.

Cost: two passes over the links to part them by site, and that of the strategy on each site that has a share.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import thread_count
from seedbed.errors import OptionError, unknown
from seedbed.graph.web import Web
from seedbed.seeds import strategy_of
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick, Seeds
from seedbed.seeds.select import Limits, as_seeds, check_request, checked_values
from seedbed.seeds.site_parts import Parted, part_by_site
from seedbed.seeds.strategy import Choose, Strategy
from seedbed.urls.sites import SiteKind, Sites

Importance = Literal["pages", "value", "pagerank"]
LARGEST = 1 << 62


def shares(importance: NDArray[Any], k: int, most: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """How many of k each site gets, by largest remainder; `most`: no site gets more. The sum is min(k, Σ most).

    Exact for whole numbers; others are taken as whole multiples of a power of two, as fine as 62 bits allow. Sites of
    no importance get something only after all others have their most; then by their most.
    """
    count = len(importance)
    limit = np.full(count, k, np.int64) if most is None else np.asarray(most, np.int64)
    given = np.zeros(count, np.int64)
    rest = min(k, int(limit.sum()))
    for weights in (_whole(importance, max(k, count)), limit):
        open_ = np.flatnonzero((weights > 0) & (given < limit))
        while rest and len(open_):
            quota, remainder = np.divmod(rest * weights[open_], weights[open_].sum())
            full = quota >= limit[open_]
            if not full.any():
                given[open_] = quota
                given[open_[np.argsort(-remainder, kind="stable")[: rest - quota.sum()]]] += 1
                return given
            given[open_[full]] = limit[open_[full]]
            rest -= int(limit[open_[full]].sum())
            open_ = open_[~full]
    return given


def _whole(importance: NDArray[Any], times: int) -> NDArray[np.int64]:
    """Importance in whole numbers so small that `times` of them can be added up; below zero counts as zero."""
    positive = np.maximum(np.asarray(importance), 0)
    largest = positive.max(initial=0)
    if np.issubdtype(positive.dtype, np.integer) and largest <= LARGEST // times:
        return positive.astype(np.int64)
    exponent = int(np.frexp(float(LARGEST // times))[1]) - 1 - int(np.frexp(float(largest))[1])
    return np.ldexp(positive.astype(np.float64), exponent).astype(np.int64)


@dataclass(frozen=True)
class Task:
    """What the sites have in common."""

    web: Web
    sites: Sites
    parted: Parted
    worth: NDArray[np.float64]
    hops: int
    limits: Limits
    taken: NDArray[np.int64]
    seed: int
    threads: int

    def problem(self, site: int) -> Problem:
        """The problem of one site, whose pages are numbered from 0 in their old order."""
        pages = self.parted.pages_of(site)
        hosts = self._hosts(pages)
        taken = self.taken[self.sites.of_page[self.taken] == site]
        own = tuple(np.searchsorted(pages, taken).tolist())
        quota = Quota(hosts.of_page if self.limits.site == "host" else np.zeros(len(pages)), self.limits.most_per_site)
        for page in own:
            quota.take(page)
        return Problem(
            Web(self.parted.links_of(site), hosts=hosts),
            self.worth[pages],
            hops=self.hops,
            allowed=None if self.limits.excluded is None else ~self.limits.excluded[pages],
            taken=own,
            quota=quota,
            random=np.random.default_rng([self.seed, site]),
            threads=self.threads,
        )

    def _hosts(self, pages: NDArray[np.int64]) -> Sites:
        """The hosts of some pages, with names only for them."""
        hosts = self.web.sites("host")
        own, of_page = np.unique(hosts.of_page[pages], return_inverse=True)
        return Sites("host", of_page.astype(np.int32), [hosts.names[int(host)] for host in own])

    def picks(self, function: Callable[[Problem, int], list[Pick]], site: int, k: int) -> tuple[list[Pick], list[str]]:
        """The picks of one site as pages of the whole web, with the name of the site before the reason; and notes."""
        pages = self.parted.pages_of(site)
        name = self.sites.names[site] or "no host"
        problem = self.problem(site)
        found = function(problem, k)
        return [Pick(int(pages[pick.page]), pick.score, f"{name}: {pick.reason}") for pick in found], problem.notes


def select_per_site(
    web: Web,
    strategy: str | Strategy | Choose = "cover",
    k: int = 100,
    *,
    site: SiteKind = "host",
    importance: Importance = "pages",
    hops: int = 5,
    values: NDArray[Any] | None = None,
    limits: Limits | None = None,
    until: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Seeds:
    """k seeds shared out among sites by importance, chosen by a strategy inside each. Options: the strategy's."""
    start = time.perf_counter()
    limits = limits or Limits()
    declared = strategy_of(strategy)
    _refuse(declared, site, limits)
    options = declared.checked(options)
    function = partial(declared, **options)
    worth = checked_values(web, values)
    check_request(web, k, hops, limits)
    taken = np.array(sorted({*limits.held, *limits.required}), np.int64)
    sites, workers = web.sites(site), thread_count(threads)
    weights = site_importance(web, sites, importance, worth, workers)
    share = shares(weights, min(k, web.page_count) - len(limits.required), _open_pages(web, sites, limits, taken))
    chosen = np.flatnonzero(share)
    parted = part_by_site(web.links, sites.of_page, share > 0)
    task = Task(web, sites, parted, worth, hops, limits, taken, seed, max(1, workers // max(len(chosen), 1)))
    with ThreadPoolExecutor(workers) as pool:
        found: list[list[Pick]] = []
        notes: dict[str, None] = {}
        for picks, said in pool.map(lambda one: task.picks(function, int(one), int(share[one])), chosen):
            found.append(picks)
            notes |= dict.fromkeys(said)
            progress("sites", len(found), len(chosen))
    by_importance = np.argsort(-weights[chosen], kind="stable").tolist()
    merged = _rounds([found[at] for at in by_importance])
    settings = {"k": k, "hops": hops, "seed": seed, "until": until, "per_site": site, "importance": importance}
    return as_seeds(web, declared.name, merged, worth, limits, {**settings, **options}, notes, start)


def _refuse(strategy: Strategy, site: SiteKind, limits: Limits) -> None:
    if not strategy.per_site:
        raise OptionError(
            f"the strategy '{strategy.name}' looks at links between sites, and inside a site there are none; "
            "choose without per-site shares, or take another strategy."
        )
    if limits.most_per_site is not None and site == "host" and limits.site == "domain":
        raise OptionError(
            "a limit of seeds a domain does not fit shares by host: hosts of a domain do not know of each other; "
            "share by domain, or limit the seeds a host."
        )


def _open_pages(web: Web, sites: Sites, limits: Limits, taken: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pages of each site may be chosen."""
    may = np.ones(web.page_count, np.bool_) if limits.excluded is None else ~limits.excluded
    may[taken] = False
    if limits.most_per_site is None:
        return np.bincount(sites.of_page[may], minlength=len(sites))
    inner = web.sites(limits.site)
    left = np.maximum(limits.most_per_site - np.bincount(inner.of_page[taken], minlength=len(inner)), 0)
    count = np.minimum(np.bincount(inner.of_page[may], minlength=len(inner)), left)
    site_of = np.zeros(len(inner), np.int64)
    site_of[inner.of_page] = sites.of_page
    return np.bincount(site_of, count, len(sites)).astype(np.int64)


def site_importance(
    web: Web, sites: Sites, importance: Importance, worth: NDArray[np.float64], threads: int = 1
) -> NDArray[Any]:
    """The importance of each site."""
    if importance == "pages":
        return sites.sizes()
    if importance == "value":
        return np.maximum(np.bincount(sites.of_page, worth, len(sites)), 0)
    if importance == "pagerank":
        from seedbed.ranking.pagerank import pagerank

        return np.bincount(sites.of_page, pagerank(web, threads=threads).scores, len(sites))
    raise unknown("importance", importance, ("pages", "value", "pagerank"))


def _rounds(found: list[list[Pick]]) -> Iterator[Pick]:
    """The first pick of each site, then the second, and so on."""
    for rank in range(max(map(len, found), default=0)):
        yield from (picks[rank] for picks in found if rank < len(picks))
