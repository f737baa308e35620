"""The webs of Daneshpajouh et al.'s experiment, their cores and seeds, and the old seeds that are in the new web."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import crawl
from seedbed.errors import InputError, OptionError
from seedbed.evaluation.crawl_measures import Baseline, DepthProfile, baseline_of, depth_profile
from seedbed.evaluation.experiments.experiment import BaselineSettings
from seedbed.evaluation.intervals import Interval, share_interval
from seedbed.graph.web import Web, how_to_add_urls
from seedbed.ranking.pagerank import pagerank
from seedbed.seeds.cores.core_seeds import READINGS, Density, HubPick, Iterations, MaxHubs, Size, check_growth
from seedbed.seeds.seeds import Core, Seeds
from seedbed.seeds.select import select
from seedbed.shape.distances import Distances, average_distance
from seedbed.shape.link_counts import LinkCounts, count_links

if TYPE_CHECKING:
    from seedbed.urls.url_table import UrlTable

BOTH, FIXED_SIZE = "both", "fixed size"
DRAWN_PAGES = 10_000


@dataclass(frozen=True, kw_only=True)
class Options(BaselineSettings):
    """How large the experiment is, and how cores are grown."""

    cores: Annotated[int, Option("Cores to find on each web.", least=1)] = 100
    draws: Annotated[int, Option("How many times to draw random seeds.", least=1)] = 20
    repeats: Annotated[int, Option("Timed runs of each kind.", least=1)] = 5
    samples: Annotated[int | None, Option("Pages to measure distances from; see seedbed info.", least=1)] = None
    reading: Annotated[str, Option("What ends a core.", choices={BOTH: "one, then the other", **READINGS})] = BOTH
    density: Density = 100.0
    size: Size = None
    max_hubs: MaxHubs = 999
    pick: HubPick = "best"
    iterations: Iterations = 60

    def __post_init__(self) -> None:
        super().__post_init__()
        check_growth(self.size, self.density, "paper" if self.reading == BOTH else self.reading)

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings to follow; what ends a core of a fixed size is no question."""
        if self.size is not None:
            return (FIXED_SIZE,)
        return tuple(READINGS) if self.reading == BOTH else (self.reading,)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One of the two webs, and what is computed on it on demand."""

    name: str
    web: Web
    options: Options
    max_hubs: int | None
    progress: Progress = field(repr=False)

    @property
    def of(self) -> str:
        """What a verdict on this web is about."""
        return f"{self.name} web"

    @cached_property
    def pruned(self) -> Web:
        """Without the links inside sites."""
        return self.web.without_links_inside("host")

    @cached_property
    def counts(self) -> LinkCounts:
        """Degrees and weak components."""
        return count_links(self.web.links, threads=self.options.threads, progress=self.progress)

    @cached_property
    def distance(self) -> Distances:
        """The web's average distance."""
        asked: dict[str, Any] = {name: getattr(self.options, name) for name in ("samples", "seed", "threads")}
        return average_distance(self.web.links, progress=self.progress, **asked)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """PageRank on the whole web."""
        return pagerank(self.web, threads=self.options.threads, progress=self.progress).scores

    def cores(self, **how: Any) -> Seeds:
        """Seeds from cores. `how`: options of the strategy, next to those given by the user."""
        k, asked = min(self.options.cores, self.web.page_count), self.options
        how = {"max_hubs": self.max_hubs, "pick": asked.pick, "iterations": asked.iterations, **how}
        found = select(self.web, "cores", k, seed=asked.seed, threads=asked.threads, progress=self.progress, **how)
        if not len(found):
            source = self.web.origin.source or f"the {self.name} web"
            raise OptionError(f"{source}: no link between sites, so there are no cores. Give a web of several sites.")
        return found

    def crawled(self, *seed_sets: NDArray[Any]) -> DepthProfile:
        """A crawl from each set of seeds."""
        return depth_profile(self.web, seed_sets, self.scores, self.progress)

    def fetched(self, pages: NDArray[Any], budget: int) -> Run:
        """A crawl of some pages of the web from some seeds."""
        return crawl(self.web, pages.tolist(), "bfs", budget)

    def fetched_share(self, pages: NDArray[Any]) -> float:
        """The share of all PageRank in the first hundredth of the web fetched from some seeds; 0 from none."""
        budget = max(self.web.page_count // 100, len(pages))
        return float(self.scores[self.fetched(pages, budget).pages].sum()) if len(pages) else 0.0

    @cached_property
    def baseline(self) -> Baseline:
        """The pages that random seeds are drawn from."""
        return self.options.baseline(self.web)

    def random_sets(self, size: int) -> list[NDArray[np.int64]]:
        """Sets of random seeds, `size` in each."""
        return self.baseline.sets(size, self.options.draws, self.options.seed)

    @cached_property
    def _random(self) -> dict[int, DepthProfile]:
        return {}

    def random_crawls(self, size: int) -> DepthProfile:
        """Crawls from sets of random seeds."""
        if size not in self._random:
            self._random[size] = self.crawled(*self.random_sets(size))
        return self._random[size]


@dataclass(frozen=True, eq=False)
class Extraction:
    """The cores and seeds of a web, by one reading of the paper. `first`: it is the first of them."""

    snapshot: Snapshot
    reading: str
    first: bool

    @property
    def of(self) -> str:
        """What a verdict on it is about."""
        return of(self.snapshot.of, self.reading)

    def name(self, part: str) -> str:
        """The name of a table or figure: that of the paper, for the first reading."""
        return part if self.first else f"{part}-{self.reading.replace(' ', '-')}"

    @cached_property
    def seeds(self) -> Seeds:
        """One per core."""
        asked = self.snapshot.options
        reading = {} if self.reading == FIXED_SIZE else {"reading": self.reading}
        return self.snapshot.cores(density=asked.density, size=asked.size, **reading)

    @property
    def cores(self) -> list[Core]:
        """In the order they were found."""
        return [seed.core for seed in self.seeds if seed.core is not None]


def of(web: str, reading: str) -> str:
    """What a verdict is about."""
    return f"{web} ({reading})" if reading == FIXED_SIZE else f"{web} ({reading} reading)"


@dataclass(frozen=True, eq=False)
class Survival:
    """`pages`: per old seed, the page of the new web with its URL, −1 if there is none. Shares that survive.

    `kind`: what pages in general are: pages, or crawled pages.
    """

    pages: NDArray[np.int64]
    seeds: Interval
    hubs: Interval
    all_pages: Interval
    kind: str = "pages"

    @property
    def survivors(self) -> NDArray[np.int64]:
        """The seeds that are still there, as pages of the new web, in their order, each once."""
        there = self.pages[self.pages >= 0]
        _, first = np.unique(there, return_index=True)
        return there[np.sort(first)]


def survival(
    old: Web,
    new: Web,
    seeds: NDArray[Any],
    hubs: NDArray[Any] | None = None,
    *,
    seed: int = 1,
    baseline: Baseline | None = None,
) -> Survival:
    """The shares of seeds and hubs whose URL is still there, next to that of random pages (all, on a small web).

    `hubs`: those of all cores, by default the seeds. Random pages are drawn from `baseline`, by default the crawled
    pages, if it is known which are.
    """
    before, after = _urls(old), _urls(new)
    pool = baseline or baseline_of(old)
    size = min(DRAWN_PAGES, len(pool.pages))
    sample = np.sort(np.random.default_rng(seed).choice(pool.pages, size, replace=False))
    sets = seeds, seeds if hubs is None else hubs, sample
    found = [after.find_many(before.many(np.asarray(pages, np.int64))) for pages in sets]
    of_seeds, of_hubs, of_pages = (share_interval(int(np.count_nonzero(one >= 0)), len(one)) for one in found)
    return Survival(found[0], of_seeds, of_hubs, of_pages, pool.kind)


def _urls(web: Web) -> UrlTable:
    if web.urls is None:
        source = web.origin.source or "this web"
        hint = how_to_add_urls(web.origin.format)
        raise InputError(f"{source}: has no URLs, by which pages of two snapshots are matched. {hint}")
    return web.urls
