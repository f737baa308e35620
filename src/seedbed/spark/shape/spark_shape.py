"""What `seedbed info` reports about a web in blocks: the counts of the local engine, exactly.

A pass over the blocks counts degrees, self-links, columns and sites and finds the components of each block; an exchange
for each kind of site counts the links between sites; block_components.py and bow_tie_rounds.py do the rest. Histograms
of degrees are added up, and the driver fits the power laws to their sum. Distances are not measured: the local engine
searches from thousands of pages, and on Spark every step of every search would be a round.

Memory of the driver, besides the collapsed web: a byte per host.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from seedbed.common.arrays import Ints
from seedbed.common.memory import require
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import InputError
from seedbed.graph.web import CRAWLED, UNCRAWLED
from seedbed.shape.bow_tie import BowTie
from seedbed.shape.degrees import Distribution, distribution
from seedbed.shape.describe import HOSTS_FOR_DOMAINS, column_shape, degree_shape, dropped_links
from seedbed.shape.link_counts import count_between
from seedbed.shape.web_shape import ColumnShape, Shape, UrlShape
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import RUNS
from seedbed.spark.shape.block_components import (
    BlockComponents,
    ComponentFiles,
    collapsed,
    find_in_block,
    write_members,
)
from seedbed.spark.shape.bow_tie_rounds import bow_tie
from seedbed.spark.tasks import in_each_block
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KIND = "blocks"
NO_DISTANCES = "Distances are not measured on Spark: every step of every search would be a round."


@dataclass(frozen=True)
class SiteStep(Step):
    """Each page learns the sites of the pages it links to. Total: the links to another site."""

    direction: Direction = "out"
    dtype: ClassVar[str] = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Ints, values: Ints
    ) -> tuple[Ints, list[float]]:
        """The sites of a block."""
        return np.unique(values), [float(links_between(links, received, values))]


def links_between(links: LinkBlock, theirs: Ints, own: Ints) -> int:
    """The links of a block whose ends differ: in `own` of the page, in `theirs` of the page needed."""
    return int(count_between(len(theirs), links.ptr, links.idx, np.concatenate([theirs, own])))


def describe(
    session: SparkSession, web: BlockedWeb, *, domains: bool | None = None, progress: Progress = no_progress
) -> Shape:
    """The shape of a web in blocks; see seedbed.shape.describe. What it has no number for is None."""
    run = f"{web.folder}/{RUNS}/describe-{uuid.uuid4().hex[:12]}"
    try:
        return _described(session, web, run, domains, progress)
    finally:
        Folder(web.folder).remove(run.removeprefix(f"{web.folder}/"))


def _described(session: SparkSession, web: BlockedWeb, run: str, domains: bool | None, progress: Progress) -> Shape:
    weak, strong = ComponentFiles(run, "weak"), ComponentFiles(run, "strong")
    facts = in_each_block(session, web.blocks, lambda block: facts_of(web, block, weak, strong))
    progress("links", web.page_count, web.page_count)
    sites = _sites(session, web, run, domains)
    weak_ones = collapsed(session, web, weak, [one["weak"] for one in facts])
    strong_ones = collapsed(session, web, strong, [one["strong"] for one in facts])
    progress("strong components", web.page_count, web.page_count)
    parts = _bow_tie(session, web, (weak, weak_ones), (strong, strong_ones), progress)
    return _shape(web, facts, sites, weak_ones, strong_ones, parts)


def facts_of(web: BlockedWeb, block: int, weak: ComponentFiles, strong: ComponentFiles) -> dict[str, Any]:
    """What a task finds in one block; small, but for the files of its components."""
    links, pages = web.links("out", block), np.arange(web.bounds[block], web.bounds[block + 1])
    directions: tuple[Direction, ...] = get_args(Direction)
    degrees = {direction: distribution(web.degrees(direction, block)) for direction in directions}
    return {
        "self_links": len(links.idx) - links_between(links, links.needs, pages),
        "degrees": {name: [one.degrees.tolist(), one.pages.tolist()] for name, one in degrees.items()},
        "columns": {name: _column(web, name, block) for name in web.columns},
        **find_in_block(web, block, weak, strong),
    }


def _column(web: BlockedWeb, name: str, block: int) -> dict[str, Any]:
    values = web.typed_column(name, block)
    binary = not np.any((values != 0) & (values != 1))
    return {**vars(column_shape(values)), "known": int(np.isfinite(values).sum()), "binary": binary}


def _sites(session: SparkSession, web: BlockedWeb, run: str, domains: bool | None) -> dict[SiteKind, tuple[int, int]]:
    """The number of hosts and of domains, if they are known and wanted, and of links between them."""
    found: dict[SiteKind, tuple[int, int]] = {}
    kinds: tuple[SiteKind, ...] = ("host", "domain")
    for kind in kinds:
        wanted = kind == "host" or (found["host"][0] <= HOSTS_FOR_DOMAINS if domains is None else domains)
        if not wanted or not Folder(web.folder).has(kind):
            break
        sites, own = Values(web.folder, kind, "i64"), Values(run, kind, "i64")
        (links,) = run_round(session, web, SiteStep(), sites, sites, own)
        found[kind] = count_distinct(own, web.blocks), int(links)
    return found


def count_distinct(values: Values, blocks: int) -> int:
    """How many different numbers the files of all blocks have, each file in ascending order."""
    count = max((int(own[-1]) + 1 for own in map(values.block, range(blocks)) if len(own)), default=0)
    require(count, f"counting {count:,} sites")
    seen = np.zeros(count, bool)
    for block in range(blocks):
        seen[values.block(block)] = True
    return int(np.count_nonzero(seen))


def _bow_tie(
    session: SparkSession,
    web: BlockedWeb,
    weak: tuple[ComponentFiles, BlockComponents],
    strong: tuple[ComponentFiles, BlockComponents],
    progress: Progress,
) -> BowTie:
    """The bow-tie around the largest strong component."""
    page = strong[1].main
    block = int(np.searchsorted(web.bounds, page, side="right")) - 1
    for files, components in (weak, strong):
        if page < 0:
            write_members(web, files, np.empty(0, np.int64))
        else:
            name = int(files.names.block(block)[page - web.bounds[block]])
            write_members(web, files, components.joined_with(max(name, ~name)))
    return bow_tie(session, web, weak[0], strong[0], progress)


def _shape(
    web: BlockedWeb,
    facts: Sequence[dict[str, Any]],
    sites: dict[SiteKind, tuple[int, int]],
    weak: BlockComponents,
    strong: BlockComponents,
    parts: BowTie,
) -> Shape:
    out, in_ = (summed(one["degrees"][name] for one in facts) for name in ("out", "in"))
    columns = {name: _whole_column([one["columns"][name] for one in facts]) for name in web.columns}
    hosts, domains = (sites.get(kind, (None, None)) for kind in get_args(SiteKind))
    return Shape(
        source=web.folder,
        format=KIND,
        store=KIND,
        bits_per_link=None,
        pages=web.page_count,
        crawled=_crawled(web, facts, columns),
        links=web.link_count,
        nofollow_links=None,
        hosts=hosts[0],
        inter_host_links=hosts[1],
        domains=domains[0],
        inter_domain_links=domains[1],
        **dropped_links(web.origin, sum(one["self_links"] for one in facts)),
        dangling=out.zero,
        unreachable=in_.zero,
        out_degree=degree_shape(out),
        in_degree=degree_shape(in_),
        scc_count=strong.count,
        largest_scc=strong.largest,
        scc_sizes=strong.bins,
        wcc_count=weak.count,
        largest_wcc=weak.largest,
        wcc_sizes=weak.bins,
        bow_tie=parts,
        average_distance=None,
        average_distance_error=None,
        longest_distance=None,
        connected_pairs=None,
        connected_pairs_error=None,
        distance_samples=0,
        urls=_url_shape(web),
        columns=columns,
        notes=(*web.origin.notes, _how(web, weak, strong), NO_DISTANCES),
    )


def _how(web: BlockedWeb, weak: BlockComponents, strong: BlockComponents) -> str:
    """How components were found."""
    left = (
        f"{counted(len(one.names), 'node')} and {counted(one.links, 'link')} ({kind})"
        for kind, one in (("weak", weak), ("strong", strong))
    )
    return f"Components are exact: {counted(web.blocks, 'block')} collapsed to {', '.join(left)}, solved by the driver."


def summed(histograms: Iterable[Sequence[Sequence[int]]]) -> Distribution:
    """The degrees of all blocks together."""
    parts = [np.array(one, np.int64).reshape(2, -1) for one in histograms]
    degrees, place = np.unique(np.concatenate([one[0] for one in parts]), return_inverse=True)
    pages = np.zeros(len(degrees), np.int64)
    np.add.at(pages, place, np.concatenate([one[1] for one in parts]))
    return Distribution(degrees, pages)


def _whole_column(parts: Sequence[dict[str, Any]]) -> ColumnShape:
    """A column of the whole web, from its blocks."""
    known = [one for one in parts if one["known"]]
    total = sum(one["known"] for one in known)
    kind = str(parts[0]["type"])
    if not total:
        return ColumnShape(kind, 0, None, None, None)
    nonzero, low, high = (
        sum(one["nonzero"] for one in known),
        min(o["min"] for o in known),
        max(o["max"] for o in known),
    )
    return ColumnShape(kind, nonzero, low, high, math.fsum(one["mean"] * (one["known"] / total) for one in known))


def _crawled(web: BlockedWeb, facts: Sequence[dict[str, Any]], columns: dict[str, ColumnShape]) -> int | None:
    """The number of crawled pages, if a column says it."""
    name = next((name for name in (CRAWLED, UNCRAWLED) if name in columns), None)
    if name is None:
        return None
    if not all(one["columns"][name]["binary"] for one in facts):
        raise InputError(f"{web.folder}: the column '{name}' must be 0 or 1 for every page. If it says something else, "
                         "rename it.")  # fmt: skip
    nonzero = columns[name].nonzero or 0
    return nonzero if name == CRAWLED else web.page_count - nonzero


def _url_shape(web: BlockedWeb) -> UrlShape | None:
    if not web.named:
        return None
    folder = Folder(web.folder)
    size = sum(folder.size(f"urls/{block:05d}.parquet") for block in range(web.blocks))
    return UrlShape(size, size / max(web.page_count, 1))
