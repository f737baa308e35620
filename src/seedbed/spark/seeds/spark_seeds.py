"""Seeds on Spark: the same pages for the same reasons as `sb.select` on the same web.

    harmonic, indegree, outdegree, random   scores on the blocks; each block sends the driver its best pages
    inside each site (per_site)             a task for each block of sites, with the strategy itself inside
    cores, trawling                         links inside sites are left out on the blocks; the rest, which is far
                                            smaller, is gathered, and the driver's own finder runs on it
    cover, maxweight, greedy                the driver's own if the web fits its memory; else searches on the blocks,
                                            and the choice on the driver
    pagerank                                the driver's own if the web fits its memory, since pages whose scores are
                                            equal but for rounding are then in the same order; else on the blocks
    others                                  the driver's own if the web fits its memory; else refused

What the seeds cover is counted on the blocks in any case.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.memory import machine_memory, show_size
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import thread_count
from seedbed.errors import NotEnoughMemory, OptionError
from seedbed.graph.web import CRAWLED, UNCRAWLED
from seedbed.seeds import strategy_of
from seedbed.seeds.heuristics import REASONS, drawn_from_crawled, note_estimate, ranked_pick
from seedbed.seeds.limits import Limits, excluded_pages
from seedbed.seeds.per_site import Importance
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Pick, Seed, Seeds
from seedbed.seeds.select import as_seeds, check_request
from seedbed.seeds.select import select as select_locally
from seedbed.seeds.strategy import Strategy
from seedbed.seeds.values import is_paper, values_of
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.seeds.block_coverage import COVERAGE, coverage_picks
from seedbed.spark.seeds.core_web import core_web
from seedbed.spark.seeds.excluded_pages import Excluded, listed_exclusions
from seedbed.spark.seeds.gain_rounds import gain_on_blocks
from seedbed.spark.seeds.gathered_web import fits, gathered, gathered_size, has_sites, names_of_sites
from seedbed.spark.seeds.page_values import PageValues, page_values
from seedbed.spark.seeds.per_site_tasks import site_picks
from seedbed.spark.seeds.top_pages import BlockScores, RandomDraws, SiteLimit, StoredScores, best_pages, places
from seedbed.spark.tasks import collected, numbers_in, over_blocks
from seedbed.urls.sites import SiteKind, hosts_of
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from seedbed.spark.spark_web import SparkWeb

SCORED = ("pagerank", "indegree", "outdegree", "random", "harmonic")
DRIVER_FIRST = (*COVERAGE, "pagerank")
"""Strategies that run on the blocks only if the web does not fit the driver."""
BETWEEN_SITES = ("cores", "trawling")
"""Strategies that look at links between sites only."""


@dataclass
class Request:
    """What seeds are asked for, and what the user should know about them."""

    strategy: Strategy
    k: int
    hops: int
    values: Any
    until: float | None
    per_site: SiteKind | None
    importance: Importance
    max_per_site: int | None
    site: SiteKind
    exclude: Path | None
    seed: int
    memory: int | None
    options: dict[str, Any]
    progress: Progress
    notes: list[str] = field(default_factory=list)

    def settings(self) -> dict[str, Any]:
        """What a list of seeds says about how it was made."""
        shared = {"per_site": self.per_site, "importance": self.importance} if self.per_site else {}
        return {"k": self.k, "hops": self.hops, "seed": self.seed, "until": self.until, **shared, **self.options}

    def limits(self) -> tuple[SiteLimit, ...]:
        """How many pages of a site may be seeds."""
        Limits(self.max_per_site, self.site)
        return () if self.max_per_site is None else (SiteLimit(self.site, self.max_per_site),)

    def note_strangers(self, strange: list[str]) -> None:
        """Tell of entries of the list of exclusions that name nothing."""
        if strange:
            are = f"{len(strange):,} of its entries are not in the web"
            self.notes.append(f"{self.exclude}: {are}, such as {strange[0]!r}")


def select(
    web: SparkWeb,
    strategy: Any,
    k: int,
    *,
    hops: int = 5,
    values: Any = None,
    until: float | None = None,
    per_site: SiteKind | None = None,
    importance: Importance | None = None,
    max_per_site: int | None = None,
    site: SiteKind = "host",
    exclude: Path | str | None = None,
    seed: int = 1,
    memory: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Seeds:
    """k seeds by a strategy; see `sb.select`. `memory`: what the driver may use, by default all that it has."""
    start, chosen = time.perf_counter(), strategy_of(strategy)
    if importance is not None and per_site is None:
        raise OptionError("importance says how per_site divides the seeds; add per_site='host', or leave it out.")
    if per_site is None and any(option.name == "site" for option in chosen.options):
        options = {"site": site, **options}
    listed = None if exclude is None else Path(exclude)
    request = Request(chosen, k, hops, values, until, per_site, importance or "pages", max_per_site, site, listed, seed,
                      memory, chosen.checked(options), progress)  # fmt: skip
    check_request(web.page_count, k, hops)
    found = _distributed(web, request) if _on_blocks(web.blocks, request) else _in_the_driver(web, request)
    named = replace(found, seeds=tuple(_with_urls(web.session, web.blocks, found.seeds)))
    return replace(named, notes=(*named.notes, *request.notes), seconds=time.perf_counter() - start, web=None)


def _on_blocks(web: BlockedWeb, request: Request) -> bool:
    """Whether the blocks choose; what else there is needs the web in the driver."""
    name = request.strategy.name
    if not _values_on_blocks(web, request.values) or request.options.get("ranking"):
        return False
    if request.per_site is not None:
        return has_sites(web, "host")
    if not _is_ours(request.strategy):
        return False
    if name in DRIVER_FIRST:
        return not fits(web, request.memory, urls=request.exclude is not None or not has_sites(web, "host"))
    return name in SCORED or (name in BETWEEN_SITES and has_sites(web, "host"))


def _is_ours(strategy: Strategy) -> bool:
    """Whether a strategy is built in; others may look at anything."""
    return strategy.choose.__module__.startswith("seedbed.")


def _values_on_blocks(web: BlockedWeb, values: Any) -> bool:
    """Whether blocks know the values by themselves: not those by the paper, or by a file."""
    return not is_paper(values) and (not isinstance(values, str | Path) or str(values) in web.columns)


def _in_the_driver(web: SparkWeb, request: Request) -> Seeds:
    """By the strategy itself, on the gathered web."""
    blocks = web.blocks
    by_file = isinstance(request.values, str | Path) and not _values_on_blocks(blocks, request.values)
    urls = not _is_ours(request.strategy) or by_file or request.exclude is not None or not has_sites(blocks, "host")
    if not fits(blocks, request.memory, urls=urls):
        raise _too_large(blocks, request, urls)
    whole = gathered(blocks, request.memory, urls=urls)
    barred = None
    if request.exclude is not None:
        barred, strange = excluded_pages(whole, request.exclude)
        request.note_strangers(strange)
    worth = values_of(whole, request.values, request.notes.append, site=request.site)
    return select_locally(
        whole,
        request.strategy,
        request.k,
        hops=request.hops,
        values=worth,
        limits=Limits(request.max_per_site, request.site, barred),
        until=request.until,
        per_site=request.per_site,
        importance=request.importance,
        seed=request.seed,
        progress=request.progress,
        **request.options,
    )


def _too_large(web: BlockedWeb, request: Request, urls: bool) -> NotEnoughMemory:
    needed = show_size(2 * gathered_size(web, urls=urls))
    has = show_size(machine_memory() if request.memory is None else request.memory)
    what = f"the strategy '{request.strategy.name}'"
    if not _values_on_blocks(web, request.values):
        what = f"values by {request.values}"
    return NotEnoughMemory(
        f"{what} on Spark works on the web in the driver's memory, about {needed} for {web.link_count:,} links; it has "
        f"{has}. Take a strategy that runs on blocks ({', '.join(SCORED)}), values from a column, or a larger driver."
    )


def _distributed(web: SparkWeb, request: Request) -> Seeds:
    excluded = Excluded()
    if request.exclude is not None:
        excluded, strange = listed_exclusions(web.session, web.blocks, request.exclude)
        request.note_strangers(strange)
    values = page_values(web.session, web.blocks, request.values)
    notes: list[str] = []
    try:
        picks = _picks(web, request, excluded, values, notes)
        pages = [pick.page for pick in picks]
        gain = gain_on_blocks(web.session, web.blocks, pages, values, request.hops, progress=request.progress)
    finally:
        values.discard()
    return as_seeds(request.strategy.name, picks, gain, request.settings(), notes)


def _picks(web: SparkWeb, request: Request, excluded: Excluded, values: PageValues, notes: list[str]) -> list[Pick]:
    """The pages that a strategy chooses on the blocks."""
    if request.per_site is not None:
        return _inside_sites(web, request, request.per_site, excluded, values, notes)
    if request.strategy.name in BETWEEN_SITES:
        return _from_cores(web, request, excluded, notes)
    if request.strategy.name in COVERAGE:
        wanted, name = min(request.k, web.page_count), request.strategy.name
        return coverage_picks(web.session, web.blocks, name, wanted, request.options, values, request.hops,
                              request.limits(), excluded, request.seed, request.memory, request.progress)  # fmt: skip
    return _scored(web, request, excluded, notes)


def _scored(web: SparkWeb, request: Request, excluded: Excluded, notes: list[str]) -> list[Pick]:
    """The best pages by a score, or by draws."""
    name, column = request.strategy.name, None
    scores: BlockScores
    if name == "random":
        column = _crawled_column(web.session, web.blocks)
        scores = RandomDraws(request.seed, column)
    else:
        ranking = web.rank(name, progress=request.progress)
        scores = StoredScores(ranking.values, ranking.scale)
        if name == "harmonic":
            note_estimate(ranking.error_bound, notes.append)
    wanted = min(request.k, web.page_count)
    pages, found = best_pages(web.session, web.blocks, scores, wanted, request.limits(), excluded)
    at_places = places(web.session, web.blocks, scores, pages, found)
    triples = zip(pages.tolist(), found.tolist(), at_places.tolist(), strict=True)
    picks = [ranked_pick(page, score, REASONS[name], at, web.page_count) for page, score, at in triples]
    return picks if column is None else drawn_from_crawled(picks, notes.append)


def _from_cores(web: SparkWeb, request: Request, excluded: Excluded, notes: list[str]) -> list[Pick]:
    """By the strategy itself, on the links between sites."""
    part = core_web(web.session, web.blocks, request.options["site"], request.memory)
    blocks = web.blocks
    kept = np.searchsorted(part.pages, blocks.bounds)
    allowed = [
        excluded.allowed(blocks, block)[part.pages[kept[block] : kept[block + 1]] - blocks.bounds[block]]
        for block in range(blocks.blocks)
    ]
    problem = Problem(
        part.web,
        np.ones(part.web.page_count),
        allowed=np.concatenate(allowed),
        quota=Limits(request.max_per_site, request.site).quota(part.web),
        random=np.random.default_rng(request.seed),
        threads=thread_count(None),
        progress=request.progress,
    )
    picks = request.strategy(problem, min(request.k, web.page_count), **request.options)
    notes += problem.notes
    return [part.in_whole_web(pick) for pick in picks]


def _inside_sites(
    web: SparkWeb, request: Request, kind: SiteKind, excluded: Excluded, values: PageValues, notes: list[str]
) -> list[Pick]:
    """By the strategy itself, inside each site."""
    scores = None
    if request.importance == "pagerank":
        ranking = web.rank("pagerank", progress=request.progress)
        scores = StoredScores(ranking.values, ranking.scale)
    chosen = request.strategy.name if _is_ours(request.strategy) else request.strategy
    limits, wanted = Limits(request.max_per_site, request.site), min(request.k, web.page_count)
    return site_picks(web.session, web.blocks, chosen, wanted, request.options, kind, request.importance, limits,
                      excluded, values, scores, request.hops, request.seed, notes)  # fmt: skip


def _crawled_column(session: SparkSession, web: BlockedWeb) -> tuple[str, float] | None:
    """The column of crawled pages and what it says of them, if some were crawled and some not."""
    name = next((name for name in (CRAWLED, UNCRAWLED) if name in web.columns), None)
    if name is None:
        return None
    yes = float(name == CRAWLED)

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            crawled = int(np.count_nonzero(web.column(name, block) == yes))
            yield pa.record_batch([pa.array([crawled])], ["crawled"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(count, "crawled long"))
    crawled = sum(row["crawled"] for row in rows)
    return (name, yes) if 0 < crawled < web.page_count else None


def _with_urls(session: SparkSession, web: BlockedWeb, seeds: tuple[Seed, ...]) -> list[Seed]:
    """The seeds with their URLs and hosts, as far as they are known."""
    hosts, wanted = has_sites(web, "host"), np.sort([seed.page for seed in seeds])
    if not seeds or not (hosts or web.named):
        return list(seeds)

    def look_up(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            first, last = np.searchsorted(wanted, web.bounds[block : block + 2])
            at = wanted[first:last] - web.bounds[block]
            if len(at):
                urls = web.urls(block).take(pa.array(at)).to_pylist() if web.named else [None] * len(at)
                sites = web.sites("host", block)[at] if hosts else np.full(len(at), -1)
                columns = [pa.array(wanted[first:last]), pa.array(urls, pa.string()), pa.array(sites)]
                yield pa.record_batch(columns, ["page", "url", "host"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(look_up, "page long, url string, host long"))
    found = {row["page"]: row for row in rows}
    if hosts:
        numbers = np.unique([row["host"] for row in rows])
        name_of = dict(zip(numbers.tolist(), names_of_sites(web, "host", numbers), strict=True))
        names = {page: name_of[row["host"]] for page, row in found.items()}
    else:
        sites = hosts_of(UrlTable.from_strings([row["url"] for row in found.values()]))
        names = dict(zip(found, (str(sites.names[int(site)]) for site in sites.of_page), strict=True))
    return [replace(seed, url=found[seed.page]["url"], host=names[seed.page]) for seed in seeds]
