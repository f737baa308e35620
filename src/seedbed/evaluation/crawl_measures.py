"""Measures of crawls: how early they fetch what counts, how pages spread over depths, what else they reach.

**Area.** One number for how early a crawl gets what it gets: the area under its cumulative curve, as a share of the
area under a bound.

    share = ∫₀ᴮ mass(x) dx / ∫₀ᴮ bound(x) dx        bound(x): the most that x pages can hold, see crawling/bound.py

Curves start at zero and are linear between their points. One that ends before the budget B stays flat from there:
nothing was left to fetch.

**Depth.** Breadth-first crawls from several sets of seeds, compared as in Daneshpajouh et al. 2008 (§3.5.3): depth d is
d links from the nearest seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.measures import depths_of
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web

Floats = NDArray[np.float64]


def area(fetched: NDArray[Any], mass: NDArray[Any], budget: float) -> float:
    """The area under a cumulative curve, from no page fetched up to the budget."""
    if len(fetched) != len(mass):
        raise OptionError(f"a curve has {len(fetched)} points and {len(mass)} values; the numbers must be equal.")
    places, heights = (np.concatenate([[0.0], np.asarray(axis, np.float64)]) for axis in (fetched, mass))
    inside = np.append(places[places < budget], budget)
    levels = np.interp(inside, places, heights)
    return float(np.sum(np.diff(inside) * (levels[1:] + levels[:-1]) / 2))


def area_share(
    fetched: NDArray[Any], mass: NDArray[Any], bound_fetched: NDArray[Any], bound_mass: NDArray[Any]
) -> float:
    """The area under a curve as a share of the bound's, up to the end of the longer one; 1 if there is nothing."""
    end = max((float(places[-1]) for places in (fetched, bound_fetched) if len(places)), default=0.0)
    most = area(bound_fetched, bound_mass, end)
    return area(fetched, mass, end) / most if most else 1.0


@dataclass(frozen=True)
class Reached:
    """Hosts and communities with at least one page fetched, and the share of pages fetched that are spam.

    None if the web does not know.
    """

    hosts: int | None
    communities: int | None
    spam_share: float | None


def reached(run: Run, web: Web) -> Reached:
    """What a run has reached. Communities and spam are columns of the web; a community below 0 means none."""
    communities, spam = (web.columns.get(name) for name in ("community", "spam"))
    has_hosts = web.urls is not None or web.hosts is not None
    numbers = None if communities is None else np.asarray(communities)[run.pages]
    return Reached(
        hosts=len(np.unique(web.sites("host").of_page[run.pages])) if has_hosts else None,
        communities=None if numbers is None else len(np.unique(numbers[numbers >= 0])),
        spam_share=None if spam is None else float(np.mean(np.asarray(spam)[run.pages] != 0)) if len(run) else 0.0,
    )


@dataclass(frozen=True, eq=False)
class DepthProfile:
    """A row per crawl, a column per depth. `pagerank`: the average over the pages fetched there, nan if none."""

    pages: Floats
    pagerank: Floats

    @property
    def pages_so_far(self) -> Floats:
        """Pages fetched up to each depth."""
        return np.cumsum(self.pages, axis=1)

    @property
    def depths(self) -> int:
        """How many depths the deepest crawl has reached."""
        return self.pages.shape[1]


def depth_profile(
    web: Web, seed_sets: Sequence[NDArray[Any]], pagerank: NDArray[Any], progress: Progress = no_progress
) -> DepthProfile:
    """A breadth-first crawl of everything reachable from each set of seeds."""
    found = []
    for done, seeds in enumerate(seed_sets):
        progress("crawls by depth", done, len(seed_sets))
        found.append(depths_of(crawl(web, seeds.tolist(), "bfs"), pagerank))
    shape = len(found), max((len(one.pages) for one in found), default=0)
    pages, average = np.zeros(shape), np.full(shape, np.nan)
    for row, one in enumerate(found):
        there = np.flatnonzero(one.pages)
        pages[row, there], average[row, there] = one.pages[there], one.average_pagerank[there]  # type: ignore[index]
    return DepthProfile(pages, average)


@dataclass(frozen=True, eq=False)
class Baseline:
    """The pages that random ones are drawn from. `of`: how many pages the web has."""

    pages: NDArray[np.int64]
    of: int

    @property
    def kind(self) -> str:
        """What they are called: the pages, or the crawled pages if others are left out."""
        return "pages" if len(self.pages) == self.of else "crawled pages"

    @property
    def seeds(self) -> str:
        """What seeds drawn from them are called."""
        return "random seeds" if self.kind == "pages" else "random crawled pages"

    @property
    def note(self) -> str | None:
        """Which pages random ones are drawn from, if not from all."""
        return None if len(self.pages) == self.of else f"drawn from {len(self.pages):,} crawled pages of {self.of:,}"

    def sets(self, size: int, draws: int, seed: int) -> list[NDArray[np.int64]]:
        """Sets of `size` pages drawn at random without replacement; the same for the same seed."""
        size = min(size, len(self.pages))
        return [np.random.default_rng([seed, draw]).choice(self.pages, size, replace=False) for draw in range(draws)]


def baseline_of(web: Web, *, crawled_only: bool = True) -> Baseline:
    """The crawled pages, if it is known which are and `crawled_only` asks for them; else all pages."""
    return Baseline(web.baseline_pages() if crawled_only else np.arange(web.page_count), web.page_count)
