"""Seeds inside each site on Spark: the sites with a share of the seeds are dealt out to tasks.

    1. each block counts pages, eligible pages and importance by site; the driver divides the seeds, as per_site.py says
    2. a round: each block keeps the links inside those sites                   (moved: 8 bytes per page needed)
    3. each block sends the pages and links of a site to the task that has it   (moved: 33 bytes per page, 16 per link)
    4. the task runs the strategy on each of its sites, and returns the picks

A task holds the sites that it has; the driver a few numbers per site. The random numbers of a site depend on the seed
and the site's number, so results depend neither on blocks nor on tasks.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.kernels import kernel
from seedbed.graph.web import CRAWLED, UNCRAWLED, Web
from seedbed.links.link_builder import LinkBuilder
from seedbed.seeds import strategy_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.per_site import Importance, WithinSites, in_turns, links_by_site, refuse_per_site, shares
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import Strategy
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.numbering import MOVED, moved
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import Run
from seedbed.spark.seeds.excluded_pages import Excluded
from seedbed.spark.seeds.gathered_web import names_of_sites, number_of_sites
from seedbed.spark.seeds.page_values import PageValues
from seedbed.spark.seeds.top_pages import BlockScores
from seedbed.spark.tasks import collected, numbers_in, over_blocks
from seedbed.urls.sites import SiteKind, Sites

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

COUNTS = ("site", "inner", "pages", "eligible", "weight")


@dataclass(frozen=True)
class InsideStep(Step):
    """For each page the number of its links inside its site, if that is chosen, and then their targets."""

    kind: SiteKind
    chosen: Ints
    direction: Direction = "out"
    dtype: ClassVar[str] = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The kept links."""
        counts, targets = np.zeros(web.pages(block), np.int64), np.empty(len(links.idx), np.int64)
        wanted = np.isin(values, self.chosen)
        used = keep_inside_sites(links.ptr, links.idx, links.needs, received, values, wanted, counts, targets)
        return np.concatenate([counts, targets[:used]]), []


@kernel
def keep_inside_sites(
    ptr: Any, idx: Any, needs: Any, other: Any, site: Any, wanted: Any, counts: Any, targets: Any
) -> int:
    """Write the links inside wanted sites, and count them for each page; returns their number."""
    used = 0
    for k in range(counts.size):
        if wanted[k]:
            for j in range(ptr[k], ptr[k + 1]):
                if other[idx[j]] == site[k]:
                    targets[used] = needs[idx[j]]
                    counts[k] += 1
                    used += 1
    return used


@dataclass(frozen=True)
class SiteWork:
    """What tasks need to choose inside sites. `chosen`: the sites, ascending, `share`: how many seeds each gets."""

    web: BlockedWeb
    strategy: str | Strategy
    options: dict[str, Any]
    kind: SiteKind
    chosen: Ints
    share: Ints
    max_per_site: int | None
    limit_kind: SiteKind
    excluded: Excluded
    values: PageValues
    hops: int
    seed: int


def site_picks(
    session: SparkSession,
    web: BlockedWeb,
    strategy: str | Strategy,
    k: int,
    options: dict[str, Any],
    kind: SiteKind,
    importance: Importance,
    limits: Limits,
    excluded: Excluded,
    values: PageValues,
    scores: BlockScores | None,
    hops: int,
    seed: int,
    notes: list[str],
) -> list[Pick]:
    """Up to k pages, divided among sites by importance and chosen inside each; `scores`: importance by page."""
    refuse_per_site(strategy_of(strategy), kind, limits)
    weights, eligible = _counted(session, web, kind, importance, limits, excluded, values, scores)
    share = shares(weights, k, eligible)
    chosen = np.flatnonzero(share)
    run = Run.of(web, "links-inside-sites", kind=kind, chosen=chosen.tolist())
    sites, inside = Values(web.folder, kind, "i64"), Values(run.folder.uri, "inside", "i64")
    run_round(session, web, InsideStep(kind, chosen), sites, sites, inside)
    work = SiteWork(web, strategy, options, kind, chosen, share[chosen], limits.max_per_site, limits.site, excluded,
                    values, hops, seed)  # fmt: skip
    found = _chosen_in_tasks(session, work, inside)
    run.folder.remove("")
    for site in chosen.tolist():
        notes += [note for note in found[site][1] if note not in notes]
    return in_turns([found[site][0] for site in chosen.tolist()], weights[chosen])


def _counted(
    session: SparkSession,
    web: BlockedWeb,
    kind: SiteKind,
    importance: Importance,
    limits: Limits,
    excluded: Excluded,
    values: PageValues,
    scores: BlockScores | None,
) -> tuple[NDArray[Any], Ints]:
    """The importance of each site, and how many of its pages are eligible."""
    inner_kind = limits.site if limits.max_per_site is not None else kind

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            pairs = np.column_stack([web.sites(kind, block), web.sites(inner_kind, block)])
            distinct, at = np.unique(pairs, axis=0, return_inverse=True)
            at = at.reshape(-1)
            worth = values.floats(web, block) if scores is None else scores.of_block(web, block)
            counts = [np.bincount(at, part, len(distinct)) for part in (None, excluded.allowed(web, block), worth)]
            rows = [*distinct.T, counts[0].astype(np.int64), counts[1].astype(np.int64), counts[2]]
            yield pa.record_batch([pa.array([row.tobytes()]) for row in rows], [*COUNTS])

    schema = ", ".join(f"{name} binary" for name in COUNTS)
    rows = collected(over_blocks(session, web.blocks).mapInArrow(count, schema))
    types = (np.int64, np.int64, np.int64, np.int64, np.float64)
    site, inner, pages, may, weight = (
        np.concatenate([np.frombuffer(row[name], dtype) for row in rows])
        for name, dtype in zip(COUNTS, types, strict=True)
    )
    count_of_sites = number_of_sites(web, kind)
    eligible = np.bincount(site, may, count_of_sites)
    if limits.max_per_site is not None:
        of_inner = np.bincount(inner, may)
        site_of = np.zeros(len(of_inner), np.int64)
        site_of[inner] = site
        eligible = np.bincount(site_of, np.minimum(of_inner, limits.max_per_site), count_of_sites)
    if importance == "pages":
        return np.bincount(site, pages, count_of_sites).astype(np.int64), eligible.astype(np.int64)
    return _sums(site, weight, count_of_sites, clip=importance == "value"), eligible.astype(np.int64)


def _sums(site: Ints, weight: NDArray[np.float64], count: int, *, clip: bool) -> NDArray[Any]:
    sums = np.bincount(site, weight, count)
    return np.maximum(sums, 0) if clip else sums


def _chosen_in_tasks(session: SparkSession, work: SiteWork, inside: Values) -> dict[int, tuple[list[Pick], list[str]]]:
    """The picks of each site, and notes."""

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for block in numbers_in(batches):
            for to, part in site_parts(work, block, inside.block(block)):
                yield moved(to, block, part)

    def choose(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        parts = [row for batch in batches for row in batch.column(2).to_pylist()]
        for site, picks, notes in picks_of_sites(work, parts) if parts else ():
            lists = [[pick.page for pick in picks]], [[pick.score for pick in picks]], [[pick.reason for pick in picks]]
            types = pa.list_(pa.int64()), pa.list_(pa.float64()), pa.list_(pa.string())
            columns = [pa.array(one, dtype) for one, dtype in zip(lists, types, strict=True)]
            columns += [pa.array([notes], pa.list_(pa.string()))]
            yield pa.record_batch([pa.array([site]), *columns], ["site", "pages", "scores", "reasons", "notes"])

    schema = "site long, pages array<long>, scores array<double>, reasons array<string>, notes array<string>"
    sent = over_blocks(session, work.web.blocks).mapInArrow(send, MOVED)
    rows = collected(sent.repartitionById(work.web.blocks, "to").mapInArrow(choose, schema))
    found = {}
    for row in rows:
        triples = zip(row["pages"], row["scores"], row["reasons"], strict=True)
        found[row["site"]] = [Pick(*one) for one in triples], row["notes"]
    return found


def site_parts(work: SiteWork, block: int, inside: Ints) -> Iterator[tuple[int, bytes]]:
    """What a block knows of the chosen sites, for each task that has some of them."""
    web, first = work.web, work.web.bounds[block]
    site, host = web.sites(work.kind, block), web.sites("host", block)
    counts, targets = inside[: len(site)], inside[len(site) :]
    sources = np.repeat(np.arange(len(site)), counts)
    crawled = next((name for name in (CRAWLED, UNCRAWLED) if name in web.columns), None)
    allowed, worth = work.excluded.allowed(web, block), work.values.floats(web, block)
    task = np.where(np.isin(site, work.chosen), site % web.blocks, -1)
    for to in range(web.blocks):
        own = np.flatnonzero(task == to)
        if len(own):
            part: dict[str, NDArray[Any]] = {
                "page": own + first,
                "site": site[own],
                "host": host[own],
                "worth": worth[own],
            }
            part["allowed"] = allowed[own]
            if crawled is not None:
                part["crawled"] = web.column(crawled, block)[own] == (crawled == CRAWLED)
            own_links = task[sources] == to
            part["source"], part["target"] = sources[own_links] + first, targets[own_links]
            packed = io.BytesIO()
            np.savez(packed, **part)  # type: ignore[arg-type]
            yield to, packed.getvalue()


def picks_of_sites(work: SiteWork, parts: list[bytes]) -> Iterator[tuple[int, list[Pick], list[str]]]:
    """The picks of each site of a task, from what the blocks know of them."""
    by_name: dict[str, list[NDArray[Any]]] = defaultdict(list)
    for part in parts:
        for name, array in np.load(io.BytesIO(part)).items():
            by_name[name].append(array)
    whole = {name: np.concatenate(arrays) for name, arrays in by_name.items()}
    order = np.argsort(whole["page"])
    pages, worth, allowed = (whole[name][order] for name in ("page", "worth", "allowed"))
    sites = _own_sites(work.web, work.kind, whole["site"][order])
    hosts = _own_sites(work.web, "host", whole["host"][order])
    builder = LinkBuilder(len(pages), keep_self_links=True)
    builder.add(np.searchsorted(pages, whole["source"]), np.searchsorted(pages, whole["target"]))
    columns = {CRAWLED: whole["crawled"][order]} if "crawled" in whole else {}
    web = Web(builder.finish().links, hosts=hosts[0], columns=columns)
    problem = Problem(web, worth, hops=work.hops, allowed=allowed)
    inside = links_by_site(web.links, sites[0].of_page, np.ones(len(sites[1]), np.bool_))
    limits = Limits(work.max_per_site, work.limit_kind)
    within = WithinSites(problem, strategy_of(work.strategy), work.options, sites[0], inside, limits, work.seed)
    for site, number in enumerate(sites[1].tolist()):
        share = int(work.share[np.searchsorted(work.chosen, number)])
        picks, notes = within.picks(site, share, number)
        yield number, [Pick(int(pages[pick.page]), pick.score, pick.reason) for pick in picks], notes


def _own_sites(web: BlockedWeb, kind: SiteKind, of_page: Ints) -> tuple[Sites, Ints]:
    """The sites of some pages, renumbered in their order, and their numbers in the whole web."""
    numbers, own = np.unique(of_page, return_inverse=True)
    return Sites(kind, own.astype(np.int32), names_of_sites(web, kind, numbers)), numbers
