"""Scores computed on Spark, one file per block: the best of them, all of them, or a folder of Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import Ints
from seedbed.common.memory import require
from seedbed.ranking.ranking import Ranking
from seedbed.spark.blocks.blocked_web import BlockedWeb, urls_of
from seedbed.spark.rounds import Floats, Values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, eq=False)
class SparkRanking:
    """As `Ranking`; the scores are `values` times `scale`."""

    name: str
    session: SparkSession
    web: BlockedWeb
    values: Values
    scale: float
    iterations: int
    error_bound: float | None
    converged: bool
    seconds: float

    def block(self, number: int) -> Floats:
        """The scores of a block."""
        return self.values.block(number) * self.scale

    def top(self, count: int) -> tuple[Ints, Floats]:
        """The best pages and their scores; equal scores in page order."""
        best: list[tuple[Ints, Floats]] = []
        for number in range(self.web.blocks):
            scores = self.block(number)
            places = np.lexsort((np.arange(len(scores)), -scores))[:count]
            best.append((places + self.web.bounds[number], scores[places]))
        pages, scores = (np.concatenate(part) for part in zip(*best, strict=True))
        order = np.lexsort((pages, -scores))[:count]
        return pages[order], scores[order]

    def __len__(self) -> int:
        return self.web.page_count

    def rows(self, count: int) -> list[tuple[int, str | None, float]]:
        """The best pages: id, URL if known, and score."""
        pages, scores = self.top(count)
        return list(zip(pages.tolist(), urls_of(self.web, pages), scores.tolist(), strict=True))

    def to_ranking(self) -> Ranking:
        """All scores in the memory of this machine."""
        require(8 * self.web.page_count, f"the scores of {self.web.page_count:,} pages")
        scores = [self.block(number) for number in range(self.web.blocks)]
        facts: dict[str, Any] = {name: getattr(self, name) for name in ("iterations", "error_bound", "converged")}
        return Ranking(self.name, np.concatenate(scores), **facts, seconds=self.seconds)

    def to_dataframe(self) -> DataFrame:
        """Columns id, url (if known) and score, read by tasks."""
        from seedbed.spark.blocks.page_rows import page_rows

        return page_rows(self.session, self.web, {"score": (self.values, self.scale)})

    def save(self, path: str, *, overwrite: bool = False) -> None:
        """A folder of files, one per block: Parquet, or as its ending says, .csv or .jsonl."""
        from seedbed.spark.blocks.page_rows import write_rows

        write_rows(self.to_dataframe(), path, overwrite=overwrite)

    def export(self, crawler: str, path: str, **how: Any) -> list[str]:
        """All pages for a crawler that takes a score for any URL, as `sb.export`: a folder of part files.

        Returns what you should know about them.
        """
        from seedbed.spark.scores.ranking_export import export_ranking

        return export_ranking(self, crawler, path, **how)
