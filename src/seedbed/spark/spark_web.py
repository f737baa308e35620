"""A web on Spark, with the words of `seedbed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import unknown
from seedbed.spark.blocks.blocked_web import BlockedWeb, open_blocks
from seedbed.spark.tasks import with_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from seedbed.seeds.seeds import Seeds
    from seedbed.shape.web_shape import Shape
    from seedbed.spark.blocks.saving import SavedAs
    from seedbed.spark.scores.spark_ranking import SparkRanking
    from seedbed.urls.sites import SiteKind

SCORES = ("pagerank", "hits", "hubs", "authorities", "indegree", "outdegree", "harmonic")


class SparkWeb:
    """The blocks of a web and the session that works on them."""

    def __init__(self, session: SparkSession, path: str) -> None:
        self.session = with_settings(session)
        self.blocks: BlockedWeb = open_blocks(path)
        self.page_count, self.link_count = self.blocks.page_count, self.blocks.link_count

    def __repr__(self) -> str:
        return f"SparkWeb({self.page_count:,} pages, {self.link_count:,} links, {self.blocks.blocks} blocks)"

    def rank(
        self,
        by: str = "pagerank",
        *,
        between: SiteKind | None = None,
        progress: Progress = no_progress,
        **options: Any,
    ) -> SparkRanking:
        """Rank the pages, as `sb.rank`. A run that was stopped goes on after its last whole round."""
        from seedbed.spark.scores import ranking_rounds

        if by not in SCORES:
            raise unknown("score on Spark", by, SCORES)
        if between is not None:
            pruned = self.without_links_inside(between, progress=progress)
            return pruned.rank(by, progress=progress, **options)
        if by.endswith("degree"):
            return ranking_rounds.degree(self.session, self.blocks, "in" if by == "indegree" else "out")
        if by == "pagerank":
            return ranking_rounds.pagerank(self.session, self.blocks, progress=progress, **options)
        if by == "harmonic":
            from seedbed.spark.scores.harmonic_rounds import harmonic

            return harmonic(self.session, self.blocks, progress=progress, **options)
        hubs, authorities = ranking_rounds.hits(self.session, self.blocks, progress=progress, **options)
        return hubs if by == "hubs" else authorities

    def select(self, strategy: Any = "cover", k: int = 100, **request: Any) -> Seeds:
        """Choose seeds, as `sb.select`; see `spark_seeds`."""
        from seedbed.spark.seeds.spark_seeds import select

        return select(self, strategy, k, **request)

    def describe(self, *, domains: bool | None = None, progress: Progress = no_progress) -> Shape:
        """The shape of the web, as `sb.describe`; distances are not measured."""
        from seedbed.spark.shape.spark_shape import describe

        return describe(self.session, self.blocks, domains=domains, progress=progress)

    def without_links_inside(
        self, kind: SiteKind = "host", path: str | None = None, *, progress: Progress = no_progress
    ) -> SparkWeb:
        """All pages, but only the links between sites; made once, in the folder `path` or in the web's own."""
        from seedbed.spark.blocks.pruning import without_links_inside

        return SparkWeb(
            self.session, without_links_inside(self.session, self.blocks, kind, path, progress=progress).folder
        )

    def save(self, path: str, format: SavedAs = "store", *, progress: Progress = no_progress) -> None:  # noqa: A002
        """Write the web as one native store on this machine, or as Parquet; see `seedbed.spark.blocks.saving`."""
        from seedbed.spark.blocks.saving import save_web

        save_web(self.session, self.blocks, path, format, progress)

    def pages(self) -> DataFrame:
        """A row per page: id, and url if it is known."""
        from seedbed.spark.blocks.page_rows import page_rows

        return page_rows(self.session, self.blocks, {})
