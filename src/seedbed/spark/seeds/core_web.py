"""The links between sites and the pages that have some, gathered in the driver: all that cores and trawling look at.

Three rounds on the blocks; links stay where they are until the last, which writes the few that are kept:

    1. along links into a page     whether a page of another site links to it
    2. along links out of it       whether it links to another site; a page with either is kept
    3. along links out of it       the links between sites, with the new numbers of their targets

Kept pages are renumbered in their old order, by counts of the blocks before. Moved: 8, 8 and 16 bytes per page needed.
The finder then needs about 60 bytes per page kept and 24 per link kept in the driver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import machine_memory, show_size
from seedbed.errors import NotEnoughMemory
from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.seeds.seeds import Pick
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import Run
from seedbed.spark.seeds.gathered_web import site_names
from seedbed.urls.sites import SiteKind, Sites

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BYTES_A_PAGE, BYTES_A_LINK = 60, 24


@dataclass(frozen=True)
class HasOtherSiteStep(Step):
    """1 for a page that had 1, or has a link with a page of another site. Totals: pages with 1, such links."""

    direction: Direction
    kind: SiteKind
    dtype: ClassVar[str] = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The new flags."""
        flags = values.copy()
        between = mark_between(links.ptr, links.idx, received, web.sites(self.kind, block), flags)
        return flags, [float(np.count_nonzero(flags)), float(between)]


@dataclass(frozen=True)
class BetweenStep(Step):
    """The number of links between sites of each kept page of a block, and then the new numbers of their targets."""

    kind: SiteKind
    kept: Values
    starts: tuple[int, ...]
    direction: Direction = "out"
    dtype: ClassVar[str] = "<i8"

    @property
    def row(self) -> tuple[int, ...]:
        """The site of a page and its new number."""
        return (2,)

    def passed(self, web: BlockedWeb, block: int, values: NDArray[Any]) -> NDArray[Any]:
        """The sites, and the new numbers."""
        numbers = np.cumsum(self.kept.block(block), dtype=np.int64) - 1 + self.starts[block]
        return np.column_stack([values, numbers])

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """The kept links."""
        counts, targets = np.zeros(web.pages(block), np.int64), np.empty(len(links.idx), np.int64)
        used = keep_between(links.ptr, links.idx, received, web.sites(self.kind, block), counts, targets)
        return np.concatenate([counts[self.kept.block(block) > 0], targets[:used]]), []


@kernel
def mark_between(ptr: Any, idx: Any, other: Any, site: Any, flags: Any) -> int:
    """Set the flag of each page with a link to another site; returns the number of such links."""
    between = 0
    for k in range(flags.size):
        for j in range(ptr[k], ptr[k + 1]):
            if other[idx[j]] != site[k]:
                flags[k] = 1
                between += 1
    return between


@kernel
def keep_between(ptr: Any, idx: Any, other: Any, site: Any, counts: Any, targets: Any) -> int:
    """Write the links to other sites, and count them for each page; returns their number."""
    used = 0
    for k in range(counts.size):
        for j in range(ptr[k], ptr[k + 1]):
            if other[idx[j], 0] != site[k]:
                targets[used] = other[idx[j], 1]
                counts[k] += 1
                used += 1
    return used


@dataclass(frozen=True)
class CoreWeb:
    """The pages with links between sites, as a web; `pages`: their numbers in the whole web."""

    web: Web
    pages: Ints

    def in_whole_web(self, pick: Pick) -> Pick:
        """A pick with the page numbers of the whole web."""
        core = pick.core
        if core is not None:
            core = replace(core, hubs=self.pages[core.hubs], authorities=self.pages[core.authorities])
        return replace(pick, page=int(self.pages[pick.page]), core=core)


def core_web(session: SparkSession, web: BlockedWeb, kind: SiteKind, memory: int | None = None) -> CoreWeb:
    """Leave out the links inside sites and the pages without others, and gather the rest."""
    run = Run.of(web, "links-between-sites", kind=kind)
    sites = Values(web.folder, kind, "i64")
    none, linked, kept = (Values(run.folder.uri, name, "u8") for name in ("none", "linked", "kept"))
    for block in range(web.blocks):
        none.write(block, np.zeros(web.pages(block), np.uint8))
    run_round(session, web, HasOtherSiteStep("in", kind), sites, none, linked)
    pages, links = run_round(session, web, HasOtherSiteStep("out", kind), sites, linked, kept)
    _require(int(pages), int(links), memory)
    ids = [np.flatnonzero(kept.block(block)) for block in range(web.blocks)]
    starts = tuple(np.cumsum([0, *map(len, ids)]).tolist())
    between = Values(run.folder.uri, "between", "i64")
    run_round(session, web, BetweenStep(kind, kept, starts), sites, sites, between)
    found = _gathered(web, ids, between, int(links))
    run.folder.remove("")
    return found


def _require(pages: int, links: int, memory: int | None) -> None:
    needed, limit = BYTES_A_PAGE * pages + BYTES_A_LINK * links, machine_memory() if memory is None else memory
    if needed > limit:
        raise NotEnoughMemory(
            f"cores of {pages:,} pages with {links:,} links between sites need about {show_size(needed)} in the "
            f"driver, which has {show_size(limit)}. Count domains as sites (site='domain'), which leaves fewer links; "
            "take another strategy, such as indegree; or give the driver more memory."
        )


def _gathered(web: BlockedWeb, ids: list[Ints], between: Values, links: int) -> CoreWeb:
    """The kept links as a web, with the hosts of its pages."""
    pages = sum(map(len, ids))
    counts, out_idx = np.zeros(pages + 1, np.int64), np.empty(links, page_dtype(pages))
    host, used, start = np.empty(pages, np.int32), 0, 0
    for block, own in enumerate(ids):
        stop, found = start + len(own), between.block(block)
        counts[start + 1 : stop + 1] = found[: len(own)]
        targets = found[len(own) :]
        out_idx[used : used + len(targets)] = targets
        host[start:stop] = web.sites("host", block)[own]
        start, used = stop, used + len(targets)
    whole = np.concatenate([own + web.bounds[block] for block, own in enumerate(ids)])
    hosts = Sites("host", host, site_names(web, "host"))
    return CoreWeb(Web(Csr(np.cumsum(counts), out_idx, checked=True), hosts=hosts), whole)
