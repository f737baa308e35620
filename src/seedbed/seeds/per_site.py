"""Seeds inside each site: a strategy on the pages of one site and the links among them, for all sites in parallel.

The k seeds are divided in proportion to the sites' importance, by largest remainder:

    quota(s) = k · importance(s) / Σ importance        share(s) = ⌊quota(s)⌋, and 1 more for the largest remainders

with ties to the smaller site. A site whose quota is at least the number of its eligible pages gets that many, and the
rest is divided among the others. Importance is the number of pages, the sum of their values (0 if negative), or the
sum of their PageRank on the whole web. A strategy that stops early leaves part of a share unused.

Seeds come in turns: the first seed of every site, the most important site first (ties to the smaller site), then the
second of every site that has one, and so on. The gain is measured on the whole web. The random numbers of a site
depend only on the seed and the site's number, so results do not depend on the number of threads.

Cost: two passes over the links to split them by site, and that of the strategy on each site that has a share.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import require
from seedbed.errors import OptionError, unknown
from seedbed.graph.web import CRAWLED, Web
from seedbed.links.csr import Csr
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from seedbed.urls.sites import SiteKind, Sites

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.limits import Limits
    from seedbed.seeds.strategy import Strategy

Importance = Literal["pages", "value", "pagerank"]
LARGEST = 1 << 62


def picks_by_site(
    problem: Problem,
    strategy: Strategy,
    k: int,
    options: Mapping[str, Any],
    site: SiteKind,
    importance: Importance,
    limits: Limits,
    seed: int,
) -> list[Pick]:
    """Up to k pages, divided among sites by importance and chosen by a strategy inside each."""
    refuse_per_site(strategy, site, limits)
    web, taken = problem.web, np.array(sorted(problem.taken), np.int64)
    sites = web.sites(site)
    weights = site_importance(web, sites, importance, problem.values, problem.threads)
    share = shares(weights, k, _eligible_pages(web, sites, limits, taken))
    chosen = np.flatnonzero(share)
    inside = links_by_site(web.links, sites.of_page, share > 0)
    threads = max(1, problem.threads // max(len(chosen), 1))
    within = WithinSites(problem, strategy, options, sites, inside, limits, seed, threads)

    by_site: list[list[Pick]] = []
    with ThreadPoolExecutor(problem.threads) as pool:
        for picks, notes in pool.map(lambda site: within.picks(site, int(share[site]), site), chosen.tolist()):
            by_site.append(picks)
            for note in notes:
                problem.note(note)
            problem.progress("sites", len(by_site), len(chosen))
    return in_turns(by_site, weights[chosen])


def in_turns(by_site: list[list[Pick]], weights: NDArray[Any]) -> list[Pick]:
    """The first pick of every site, the heaviest site first, then the second of each, and so on."""
    ordered = [by_site[at] for at in np.argsort(-weights, kind="stable").tolist()]
    return [pick for turn in zip_longest(*ordered) for pick in turn if pick is not None]


@dataclass(frozen=True, eq=False)
class WithinSites:
    """A strategy that is run on one site of a web after another."""

    problem: Problem
    strategy: Strategy
    options: Mapping[str, Any]
    sites: Sites
    inside: SiteLinks
    limits: Limits
    seed: int
    threads: int = 1

    def picks(self, site: int, count: int, number: int) -> tuple[list[Pick], list[str]]:
        """Up to `count` picks as pages of the whole web, with the site's name before the reason; and notes.

        `number`: what its random numbers depend on.
        """
        pages, name = self.inside.pages_of(site), self.sites.names[site] or "no host"
        taken = np.array(sorted(self.problem.taken), np.int64)
        own = np.searchsorted(pages, taken[self.sites.of_page[taken] == site])
        part = _part(self.problem, pages, self.inside.links_of(site), self.limits, tuple(own.tolist()))
        part.random, part.threads = np.random.default_rng([self.seed, number]), self.threads
        found = self.strategy(part, count, **self.options)
        return [Pick(int(pages[pick.page]), pick.score, f"{name}: {pick.reason}") for pick in found], part.notes


def _part(whole: Problem, pages: NDArray[np.int64], links: Csr, limits: Limits, taken: tuple[int, ...]) -> Problem:
    """The problem of one site, whose pages are renumbered from 0 in their old order."""
    hosts = whole.web.sites("host")
    own, of_page = np.unique(hosts.of_page[pages], return_inverse=True)
    own_hosts = Sites("host", of_page.astype(np.int32), [hosts.names[int(host)] for host in own])
    quota = Quota(own_hosts.of_page if limits.site == "host" else np.zeros(len(pages)), limits.max_per_site)
    for page in taken:
        quota.take(page)
    allowed = None if whole.allowed is None else whole.allowed[pages]
    crawled = {} if whole.web.crawled is None else {CRAWLED: whole.web.crawled[pages]}
    web = Web(links, hosts=own_hosts, columns=crawled)
    return Problem(web, whole.values[pages], hops=whole.hops, allowed=allowed, taken=taken, quota=quota)


def refuse_per_site(strategy: Strategy, site: SiteKind, limits: Limits) -> None:
    """Refuse strategies and limits that make no sense inside single sites."""
    if not strategy.per_site:
        raise OptionError(
            f"the strategy '{strategy.name}' looks at links between sites, and inside a site there are none; "
            "choose without per-site shares, or take another strategy."
        )
    if limits.max_per_site is not None and site == "host" and limits.site == "domain":
        raise OptionError(
            "a limit of seeds per domain does not fit shares by host: hosts of a domain are handled independently; "
            "share by domain, or limit the seeds per host."
        )


def shares(importance: NDArray[Any], k: int, most: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """How many of k each site gets, by largest remainder; `most`: no site gets more. The sum is min(k, Σ most).

    Exact for whole numbers; others are rounded to multiples of a power of two, as fine as 62 bits allow. Sites of no
    importance get something only after all others have their maximum; then in proportion to their own maximum.
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
    """Importance in whole numbers small enough that the sum of `times` of them fits; negative counts as zero."""
    positive = np.maximum(np.asarray(importance), 0)
    largest = positive.max(initial=0)
    if np.issubdtype(positive.dtype, np.integer) and largest <= LARGEST // times:
        return positive.astype(np.int64)
    exponent = int(np.frexp(float(LARGEST // times))[1]) - 1 - int(np.frexp(float(largest))[1])
    return np.ldexp(positive.astype(np.float64), exponent).astype(np.int64)


def _eligible_pages(web: Web, sites: Sites, limits: Limits, taken: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pages of each site are eligible."""
    may = np.ones(web.page_count, np.bool_) if limits.excluded is None else ~limits.excluded
    may[taken] = False
    if limits.max_per_site is None:
        return np.bincount(sites.of_page[may], minlength=len(sites))
    inner = web.sites(limits.site)
    left = np.maximum(limits.max_per_site - np.bincount(inner.of_page[taken], minlength=len(inner)), 0)
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


class SiteLinks(NamedTuple):
    """Pages sorted by site, and the links inside sites by place in that order, counted from the site's first page."""

    pages: NDArray[np.int64]
    starts: NDArray[np.int64]
    out_ptr: NDArray[np.int64]
    out_idx: NDArray[Any]

    def pages_of(self, site: int) -> NDArray[np.int64]:
        """The pages of a site, ascending."""
        return self.pages[self.starts[site] : self.starts[site + 1]]

    def links_of(self, site: int) -> Csr:
        """The links among the pages of a site."""
        pointers = self.out_ptr[self.starts[site] : self.starts[site + 1] + 1]
        return Csr(pointers - pointers[0], self.out_idx[pointers[0] : pointers[-1]], checked=True)


def links_by_site(links: LinkStore, of_page: NDArray[Any], wanted: NDArray[np.bool_]) -> SiteLinks:
    """The links inside each wanted site; none for the others. Two passes over the links."""
    dtype = page_dtype(links.page_count)
    require(28 * links.page_count, "splitting the pages by site")
    pages = np.argsort(of_page, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_page, minlength=len(wanted)))]).astype(np.int64)
    place = np.empty(links.page_count, np.int64)
    place[pages] = np.arange(links.page_count)
    out_ptr = np.zeros(links.page_count + 1, np.int64)
    out_idx = np.empty(0, dtype)
    for block in links.blocks():
        keep_inside(*block, of_page, wanted, place, starts, out_ptr, out_idx, True)
    np.cumsum(out_ptr, out=out_ptr)
    require(int(out_ptr[-1]) * np.dtype(dtype).itemsize, "the links inside sites")
    out_idx = np.empty(int(out_ptr[-1]), dtype)
    for block in links.blocks():
        keep_inside(*block, of_page, wanted, place, starts, out_ptr, out_idx, False)
    return SiteLinks(pages, starts, out_ptr, out_idx)


@kernel
def keep_inside(
    first: int, out_ptr: NDArray[np.int64], out_idx: Any, of_page: Any, wanted: Any, place: Any, starts: Any,
    new_ptr: Any, new_idx: Any, counting: bool,
) -> None:  # fmt: skip
    """Write each page's links inside its site, as places counted from the site's first; pages keep their order.

    Or only count them, in new_ptr one place further on.
    """
    for k in range(out_ptr.size - 1):
        site, at = of_page[first + k], place[first + k]
        if wanted[site]:
            free = new_ptr[at]
            for j in range(out_ptr[k], out_ptr[k + 1]):
                if of_page[out_idx[j]] == site:
                    if not counting:
                        new_idx[free] = place[out_idx[j]] - starts[site]
                    free += 1
            if counting:
                new_ptr[at + 1] = free - new_ptr[at]
