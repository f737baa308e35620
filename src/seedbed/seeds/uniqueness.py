"""P_uniq: how likely a page of a site that is crawled for the first time is new, from what past crawls found there.

A URL is newly crawled if this crawl got a page from it and the last crawl, if one is given, did not. What it brought is
known by its content (a digest) and by its canonical URL: the one that the page names, else the normal form of its own
(urls/url_matching.py).

    new(u) = 0       if u redirects, or the last crawl had its content or its canonical URL
    new(u) = 1 / m   otherwise, if m URLs that are newly crawled share its content, or its canonical URL (the larger m)

So m copies count as one new page, wherever they are. A site with n URLs newly crawled has x = Σ new(u). Few of them say
little about a site, so its share is drawn towards that of the web, μ = Σx / Σn (the mean of a beta-binomial posterior):

    P_uniq = (x + κ·μ) / (n + κ)

The prior counts for κ URLs. It comes from how much more the sites differ than by chance (Kleinman 1973, by moments, s
sites with n > 0), and is kept between 1 and 1,000:

    ρ = (Σ n·(x/n − μ)² / (μ·(1 − μ)) − (s − 1)) / (Σn − Σn²/Σn − (s − 1))        κ = 1/ρ − 1

A site without such URLs has μ, one with many has x/n. Cost: one pass over the URLs of both crawls, and sorting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints
from seedbed.common.memory import require
from seedbed.common.messages import counted
from seedbed.common.results import Tabular
from seedbed.errors import NeedsHosts, OptionError
from seedbed.graph.page_contents import CANONICAL, DIGEST, keys_in
from seedbed.urls.sites import Sites
from seedbed.urls.url_matching import BYTES_A_URL, Urls, as_keys, as_written, keys_of, normal_forms

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.sites import SiteKind

Floats = NDArray[np.float64]

COLUMN = "p_uniq"
LEAST_PRIOR, MOST_PRIOR = 1.0, 1000.0
FALLBACK = 1.0
"""Used, with a note, if nothing is known."""
FAILED_FROM, REDIRECTS, NOT_MODIFIED = 400, 300, 304


@dataclass(frozen=True, eq=False)
class Uniqueness(Tabular):
    """P_uniq of each site of a web, `by_site`. `urls`: how many of its URLs are newly crawled, `new`: how many of them
    are new. `mean`: that of the web; `prior`: how many URLs it counts for. `notes`: what the user should know.
    """

    sites: Sites
    by_site: Floats
    urls: Ints
    new: Floats
    mean: float
    prior: float
    notes: tuple[str, ...] = ()

    @property
    def of_page(self) -> Floats:
        """P_uniq of the site of each page."""
        return self.by_site[self.sites.of_page]

    def add_to(self, web: Web) -> Web:
        """The web with the column p_uniq."""
        return replace(web, columns={**web.columns, COLUMN: self.of_page})

    def __repr__(self) -> str:
        return f"Uniqueness({self.mean:.3f} on average, {counted(len(self.sites), 'site')})"

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        count = len(self.sites) if rows is None else min(rows, len(self.sites))
        names = [self.sites.names[k] for k in range(count)]
        return {"site": names, COLUMN: self.by_site[:count], "urls": self.urls[:count], "new": self.new[:count]}


def uniqueness(web: Web, last: Any = None, *, site: SiteKind = "host") -> Uniqueness:
    """How likely a newly crawled page is new, for each site, by a crawl or by a crawl and the `last` one before it.

    `last`: the web of that crawl, or its path. `notes` says what the estimate rests on.

    >>> import seedbed as sb
    >>> old, new = sb.make_web(pages=300, snapshots=2, survival=0.5)
    >>> sb.uniqueness(new, old)
    Uniqueness(1.000 on average, ... sites)
    """
    sites = sites_of(web, site)
    known = None if last is None else _past(last)
    pages, share = newly_crawled(web, known)
    urls = np.bincount(sites.of_page[pages], minlength=len(sites))
    new = np.asarray(np.bincount(sites.of_page[pages], share, minlength=len(sites)), np.float64)
    by_site, mean, prior = shrunk(urls, new)
    notes = (_basis(web, known, by_site, mean, urls),)
    return Uniqueness(sites, by_site, urls, new, mean, prior, notes)


def shrunk(urls: Ints, new: Floats) -> tuple[Floats, float, float]:
    """(P_uniq of each site, μ, κ) from how many URLs of each are newly crawled, and how many of these are new."""
    total = float(urls.sum())
    if not total:
        return np.full(len(urls), FALLBACK), FALLBACK, MOST_PRIOR
    mean = min(float(new.sum()) / total, 1.0)
    prior = _prior(urls[urls > 0].astype(np.float64), new[urls > 0], mean)
    return np.clip((new + prior * mean) / (urls + prior), 0.0, 1.0), mean, prior


def _prior(urls: Floats, new: Floats, mean: float) -> float:
    """κ, by moments."""
    spread, total, others = mean * (1 - mean), urls.sum(), len(urls) - 1
    by_chance = total - (urls**2).sum() / total - others
    if spread <= 0 or by_chance <= 0:
        return MOST_PRIOR
    likeness = ((urls * (new / urls - mean) ** 2).sum() / spread - others) / by_chance
    return float(np.clip(1 / likeness - 1, LEAST_PRIOR, MOST_PRIOR)) if likeness > 0 else MOST_PRIOR


class Past(NamedTuple):
    """What the last crawl had: the URLs it got pages from, and keys of their contents and canonical URLs."""

    source: str
    urls: NDArray[np.uint64]
    content: Ints
    canonical: Ints


def newly_crawled(web: Web, past: Past | None = None) -> tuple[Ints, Floats]:
    """The pages that are newly crawled, and new(u) of each."""
    fetched, redirects = _fetched(web)
    if not _tells_copies(web):
        fetched[:] = False
    if past is not None:
        if web.urls is None:
            raise OptionError(f"the last crawl, {past.source}, is matched with the web by URL, and the web has none.")
        fetched &= ~np.isin(keys_of(web.urls, as_written)[0], past.urls)
    pages = np.flatnonzero(fetched)
    brought = ~redirects[pages]
    share = np.zeros(len(pages))
    copies = np.ones(np.count_nonzero(brought))
    nothing = np.empty(0, np.int64)
    old = (nothing, nothing) if past is None else (past.content, past.canonical)
    for keys, before in zip(_keys(web), old, strict=True):
        here = keys[pages[brought]]
        copies = np.maximum(copies, _how_often(here))
        copies[(here != 0) & np.isin(here, before)] = np.inf
    share[brought] = 1 / copies
    return pages, share


def _tells_copies(web: Web) -> bool:
    return web.urls is not None or any(name in web.columns for name in (*DIGEST, *CANONICAL))


def _fetched(web: Web) -> tuple[Flags, Flags]:
    """Which pages the crawl got an answer for that is no error, and which of these are redirects. All, if unknown."""
    crawled = web.crawled
    fetched = np.ones(web.page_count, np.bool_) if crawled is None else crawled.copy()
    if "embedded" in web.columns:
        fetched &= np.asarray(web.columns["embedded"]) == 0
    if "status" not in web.columns:
        return fetched, np.zeros(web.page_count, np.bool_)
    status = np.asarray(web.columns["status"])
    redirects = (status >= REDIRECTS) & (status < FAILED_FROM) & (status != NOT_MODIFIED)
    return fetched & (status >= 0) & (status < FAILED_FROM), redirects


def _keys(web: Web) -> tuple[Ints, Ints]:
    """(the content of each page, its canonical URL), as numbers; 0 if not known."""
    own = unknown = np.zeros(web.page_count, np.int64)
    content, named = (keys_in(web.columns, names) for names in (DIGEST, CANONICAL))
    if web.urls is not None:
        require(BYTES_A_URL * web.page_count, f"comparing {web.page_count:,} URLs")
        own = as_keys(keys_of(web.urls, normal_forms)[0])
    return unknown if content is None else content, own if named is None else np.where(named != 0, named, own)


def _how_often(keys: Ints) -> Floats:
    """How many have the key of each; 1 if it is not known."""
    _, which, count = np.unique(keys, return_inverse=True, return_counts=True)
    return np.where(keys != 0, count[which], 1).astype(np.float64)


def _past(last: Any) -> Past:
    """The last crawl from its web, from a ranking of it, or from the path of a web or of a file of scores."""
    from seedbed.graph.web import Web
    from seedbed.last_crawl import GONE, LastCrawl, open_last
    from seedbed.ranking.ranking_files import is_ranking

    if isinstance(last, str | Path) and not is_ranking(Path(last)):
        from seedbed.sources.opening import open_web

        last = open_web(Path(last))
    if not isinstance(last, Web):
        scored: LastCrawl = open_last(last)
        fetched = scored.scores != GONE
        return _past_of_urls(scored.source, scored, fetched, fetched)
    if last.urls is None:
        raise OptionError(f"pages are matched with those of the last crawl by URL, and {_name(last)} has none.")
    fetched, redirects = _fetched(last)
    brought = fetched & ~redirects
    content, canonical = (keys[brought] for keys in _keys(last))
    past = _past_of_urls(_name(last), last.urls, fetched, brought)
    return past._replace(content=content, canonical=np.concatenate([canonical, past.canonical]))


def _past_of_urls(source: str, urls: Urls, fetched: Flags, brought: Flags) -> Past:
    """What is known from URLs alone; `brought`: those fetched that do not redirect."""
    require(BYTES_A_URL * len(urls), f"comparing {len(urls):,} URLs")
    written, normal = keys_of(urls, as_written, normal_forms)
    return Past(source, written[fetched], np.empty(0, np.int64), as_keys(normal[brought]))


def _name(web: Web) -> str:
    return web.origin.source or "web"


def sites_of(web: Web, kind: SiteKind) -> Sites:
    """The sites of a web; one for all pages if there are no hosts."""
    try:
        return web.sites(kind)
    except NeedsHosts:
        return Sites(kind, np.zeros(web.page_count, np.int32), [""])


def _basis(web: Web, past: Past | None, by_site: Floats, mean: float, urls: Ints) -> str:
    """What an estimate is and rests on, in words."""
    what = "P_uniq, how likely a newly crawled page is new,"
    count = int(urls.sum())
    if not count:
        why = "no URL is newly crawled" if _tells_copies(web) else "the web has no URLs and no digests to compare"
        return f"{what} is taken to be {FALLBACK:g}, since {why}; say what it is with uniqueness (--uniqueness)"
    seen = by_site[urls > 0]
    spread = "" if len(seen) < 2 else f", {seen.min():.3f} to {seen.max():.3f} by site"
    pages = counted(count, "page") + (" crawled" if past is None else f" that {past.source} had not fetched")
    by = "URL" if not any(name in web.columns for name in DIGEST) else "content and URL"
    caution = "" if by != "URL" else "; without digests, copies under another name count as new"
    return f"{what} is {mean:.3f} on average{spread}, judged by {by} on {pages}{caution}"
