"""All pages of a ranking for a crawler, written by tasks, a part file per block; see exports/ranking_entries.py.

The first pass counts scores in bins, block by block. In the second, each block adds them up and looks the ranks of its
pages up. Memory of a task: 32 MiB for the bins, and the lines of its block. Unlike in one file, a URL that only becomes
equal to another when it is written, such as a host with and without a scheme, is written twice.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import Ints, TextChunk, chunk_of
from seedbed.errors import OptionError
from seedbed.exports.export import Export, check_takes_ranking, export_of
from seedbed.exports.ranking_entries import Floats, Scored, counted, ranked
from seedbed.exports.seed_entries import Listed, Sieve, Some
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Values
from seedbed.spark.scores.ranking_rounds import RUNS
from seedbed.spark.tasks import in_each_block

if TYPE_CHECKING:
    from seedbed.spark.scores.spark_ranking import SparkRanking

WHOLE = "_SUCCESS"
COUNTED = ("left_out", "merged", "completed")


@dataclass(frozen=True)
class BlockEntries:
    """The pages of each block with their scores, and the bins of all blocks, kept as files while an export runs."""

    web: BlockedWeb
    values: Values
    scale: float
    source: str
    scheme: str
    strict: bool
    bins: Values

    def scored(self, block: int) -> Scored:
        """The URLs and scores of a block."""

        def chunks() -> Iterator[tuple[TextChunk, Floats]]:
            scores, done = self.values.block(block) * self.scale, 0
            for chunk in self.web.urls(block).chunks:
                yield chunk_of(chunk), scores[done : done + len(chunk)]
                done += len(chunk)

        return chunks

    def sieve(self) -> Sieve:
        """What leaves out pages that no crawler can fetch."""
        return Sieve(self.source, self.scheme, self.strict)

    def count(self, block: int) -> dict[str, Any]:
        """Count the scores of a block."""
        sieve = self.sieve()
        bins, pages, total = counted(self.scored(block), sieve)
        used = np.flatnonzero(bins)
        self.bins.write(block, np.concatenate([used, bins[used]]))
        return {"pages": pages, "total": total, "bins": len(bins)} | {
            name: vars(getattr(sieve, name)) for name in COUNTED
        }

    def all_bins(self, size: int) -> Ints:
        """The bins of all blocks together."""
        bins = np.zeros(size, np.int64)
        for block in range(self.web.blocks):
            used, counts = self.bins.block(block).reshape(2, -1)
            bins[used] += counts
        return bins

    def listed(self, block: int, size: int, pages: int, total: float) -> Listed:
        """The pages of a block, ranked among all."""
        return ranked(self.scored(block), self.sieve(), self.all_bins(size), pages, total)


def export_ranking(
    ranking: SparkRanking,
    crawler: str | Export,
    out: str,
    *,
    scheme: str = "http",
    strict: bool = False,
    overwrite: bool = False,
    **options: Any,
) -> list[str]:
    """Write the folder `out`, whole once it has _SUCCESS; returns what the user should know."""
    declared, web, folder = export_of(crawler), ranking.web, Folder(out)
    check_takes_ranking(declared)
    declared.checked(options)
    if not web.named:
        raise OptionError("the ranking has no URLs. Cut a web that has them.")
    if folder.names() and not overwrite:
        raise OptionError(f"{out}: is not empty. Name another folder, or replace it with --overwrite.")
    folder.remove("")
    run = f"{RUNS}/export-{uuid.uuid4().hex[:12]}"
    bins = Values(f"{web.folder}/{run}", "bins", "i64")
    source = f"ranking by {ranking.name}"
    entries = BlockEntries(web, ranking.values, ranking.scale, source, scheme, strict, bins)
    try:
        found = in_each_block(ranking.session, web.blocks, entries.count)
        pages, total = sum(one["pages"] for one in found), math.fsum(one["total"] for one in found)
        sieve, size, place = _together(entries.sieve(), found), found[0]["bins"], folder.uri

        def write(block: int) -> None:
            lines = export_of(crawler).lines(entries.listed(block, size, pages, total), options)[""]
            Folder(place).write_bytes(f"part-{block:05d}", "".join(lines).encode())

        listed = ranked(entries.scored(0), sieve, entries.all_bins(size), pages, total)
        in_each_block(ranking.session, web.blocks, write)
    finally:
        Folder(web.folder).remove(run)
    folder.write_bytes(WHOLE, b"")
    return listed.notes()


def _together(sieve: Sieve, found: list[dict[str, Any]]) -> Sieve:
    """What happened to the pages of all blocks."""
    for name in COUNTED:
        parts = [Some(**one[name]) for one in found]
        first = [url for part in parts for url in part.first][: max(len(part.first) for part in parts)]
        setattr(sieve, name, Some(sum(part.count for part in parts), first))
    return sieve
