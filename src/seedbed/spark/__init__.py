"""The same words on Apache Spark, for webs that one machine cannot hold.

    web = seedbed.spark.open(session, "hdfs:///crawl.blocks")
    ranking = web.rank("pagerank")

A web is cut into blocks of consecutive pages, each with the links into it; see `blocked_web`. Spark schedules, moves
and recovers; what runs inside its tasks are the kernels of `ranking`. Links never move: in each round, every block
sends the others the scores they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from seedbed.spark.crawl_cycles import Batch
    from seedbed.spark.spark_web import SparkWeb


def cut(
    session: SparkSession, source: str | DataFrame, out: str, blocks: int | None = None, **options: Any
) -> SparkWeb:
    """Cut a web into blocks, in the folder `out`: the web at a path, or the links in a DataFrame.

    A DataFrame's first two columns are URLs or page numbers. Options as in `cutting.cut_source` and `cut_links`.
    """
    from seedbed.spark.blocks.cutting import cut_links, cut_source

    if isinstance(source, str):
        return open(session, cut_source(session, source, out, blocks, **options).folder)
    return open(session, cut_links(session, source, out, blocks, **options).folder)


def open(session: SparkSession, path: str) -> SparkWeb:  # noqa: A001 - the word users know
    """Open the blocks of a web: a folder on local disk, or wherever pyarrow.fs can read (hdfs://, s3://, gs://)."""
    from seedbed.spark.spark_web import SparkWeb

    return SparkWeb(session, path)


def next_batch(session: SparkSession, state: str, **request: Any) -> Batch:
    """What a batch crawler fetches next, from its state in a folder and what it fetched since; see `crawl_cycles`."""
    from seedbed.spark import crawl_cycles

    return crawl_cycles.next_batch(session, state, **request)
