"""Pages that may not be seeds, by a list of URLs, hosts and domains; found block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seedbed.common.arrays import Flags, Ints
from seedbed.common.user_lists import numbered_lines
from seedbed.errors import InputError
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.seeds.gathered_web import site_names
from seedbed.spark.tasks import collected, numbers_in, over_blocks
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Excluded:
    """The numbers of pages and of whole sites; by default none."""

    pages: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    sites: tuple[tuple[SiteKind, Ints], ...] = ()

    def allowed(self, web: BlockedWeb, block: int) -> Flags:
        """Which pages of a block are not excluded."""
        allowed = np.ones(web.pages(block), np.bool_)
        first, last = np.searchsorted(self.pages, web.bounds[block : block + 2])
        allowed[self.pages[first:last] - web.bounds[block]] = False
        for kind, sites in self.sites:
            allowed &= ~np.isin(web.sites(kind, block), sites)
        return allowed


def listed_exclusions(session: SparkSession, web: BlockedWeb, path: Path) -> tuple[Excluded, list[str]]:
    """What a list excludes, and its entries that match nothing; see seeds.limits.excluded_pages."""
    names = list(dict.fromkeys(line.strip() for _, line in numbered_lines(path)))
    urls = [name for name in names if "://" in name]
    if urls and not web.named:
        raise InputError(f"{path}: lists URLs, and the web has none.")
    pages = pages_of(session, web, urls) if urls else {}
    entries = {name.lower(): name for name in names if "://" not in name}
    left, sites = dict(entries), []
    kinds: tuple[SiteKind, SiteKind] = ("host", "domain")
    for kind in kinds if entries else ():
        web.sites(kind, 0)
        found = dict(zip(entries, site_names(web, kind).find_many(list(entries)).tolist(), strict=True))
        sites.append((kind, np.array([site for site in found.values() if site >= 0], np.int64)))
        for name, number in found.items():
            if number >= 0:
                left.pop(name, None)
    unknown = [url for url in urls if url not in pages]
    return Excluded(np.array(sorted(pages.values()), np.int64), tuple(sites)), unknown + list(left.values())


def pages_of(session: SparkSession, web: BlockedWeb, urls: list[str]) -> dict[str, int]:
    """The pages that some URLs name; those that the web does not have are left out."""

    def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyarrow import compute

        wanted = pa.array(urls, pa.string())
        for block in numbers_in(batches):
            known = web.urls(block)
            places = compute.indices_nonzero(compute.is_in(known, value_set=wanted))
            ids = pa.array(places.to_numpy().astype(np.int64) + web.bounds[block])
            yield pa.record_batch([known.take(places).combine_chunks(), ids], ["url", "id"])

    rows = collected(over_blocks(session, web.blocks).mapInArrow(find, "url string, id long"))
    return {row["url"]: row["id"] for row in rows}
