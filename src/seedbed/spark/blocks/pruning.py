"""The web without the links inside a site, as blocks of its own: a round in which each page passes on its site.

Each block is sent the sites of the pages it needs, keeps the links whose ends are on different ones, and copies what is
known of its pages. Once for each direction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, NeedsHosts
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock, has_blocks, open_blocks, write_rows
from seedbed.spark.blocks.building import BUILDING, Building
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Step, Values, run_round
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSIDE = "between"
"""The folder in a web's own where its pruned webs are, if no other is named."""


def without_links_inside(
    session: SparkSession, web: BlockedWeb, kind: SiteKind, out: str | None = None, progress: Progress = no_progress
) -> BlockedWeb:
    """All pages, but only the links that lead from one site to another; made once, in `out` or in the web's folder."""
    out = out or f"{web.folder}/{INSIDE}/{kind}"
    identity = hashlib.blake2b(f"{web.id} between {kind}".encode(), digest_size=16).hexdigest()
    if has_blocks(out):
        found = open_blocks(out)
        if found.id != identity:
            raise InputError(f"{out}: holds another web, not this one between {kind}s. Name a new folder.")
        return found
    if not Folder(web.folder).has(f"{kind}s.parquet"):
        raise NeedsHosts(f"{web.folder}: hosts are needed, and the web it was cut from has none.")
    building = Building(out, {"web": web.id, "between": kind}, 2, progress)
    links = building.step("in", lambda: _prune(session, web, kind, "in", out, identity))
    building.step("out", lambda: _prune(session, web, kind, "out", out, identity))
    for name in _shared_files(web):
        building.folder.copy(name, Folder(web.folder))
    return building.finish(replace(web, folder=building.folder.uri, id=identity, link_count=links))


def _prune(
    session: SparkSession, web: BlockedWeb, kind: SiteKind, direction: Direction, out: str, identity: str
) -> int:
    """Write the links of one direction; returns how many are kept."""
    sites = Values(web.folder, kind, "i64")
    step = _Between(direction, kind, out, identity)
    (links,) = run_round(session, web, step, sites, sites, Values(out, f"{BUILDING}/{direction}", "i64"))
    return int(links)


@dataclass(frozen=True)
class _Between(Step):
    """Each page passes on its site; each block keeps the links from others."""

    direction: Direction
    kind: SiteKind
    out: str
    web: str
    dtype = "<i8"

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], list[float]]:
        """Write the links between sites; there are no new values."""
        kept = np.repeat(values, np.diff(links.ptr)) != received[links.idx]
        ptr = np.concatenate(([0], np.cumsum(kept)))[links.ptr]
        used = np.zeros(len(links.needs), np.bool_)
        idx = links.idx[kept]
        used[idx] = True
        place = (np.cumsum(used) - 1).astype(np.uint32)
        folder = Folder(self.out)
        write_rows(folder, f"{self.direction}/{block:05d}", web.bounds, self.web, ptr, place[idx], links.needs[used])
        if self.direction == "in":
            for name in _files_of_block(web, block):
                folder.copy(name, Folder(web.folder))
        return np.empty(0, np.int64), [float(len(idx))]


def _files_of_block(web: BlockedWeb, block: int) -> Iterator[str]:
    """What is known of the pages of a block."""
    if web.named:
        yield f"urls/{block:05d}.parquet"
    yield f"host/{block:05d}.i64"
    yield f"domain/{block:05d}.i64"
    for column in web.columns:
        yield f"columns/{column}/{block:05d}.f64"


def _shared_files(web: BlockedWeb) -> Iterator[str]:
    yield from ("hosts.parquet", "domains.parquet")
    for column in web.columns:
        yield f"columns/{column}/type.json"
