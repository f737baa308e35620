"""The same words on Apache Spark, for webs that one machine cannot hold.

    web = seedbed.spark.open(session, "hdfs:///crawl.blocks")
    ranking = web.rank("pagerank")

A web is cut into blocks of consecutive pages, each with the links into it; see `blocked_web`. Spark schedules, moves
and recovers; what runs inside its tasks are the kernels of `ranking`. Links never move: in each round, every block
sends the others the scores they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from seedbed.spark.spark_web import SparkWeb


def open(session: SparkSession, path: str) -> SparkWeb:  # noqa: A001 - the word users know
    """Open the blocks of a web: a folder on local disk, or wherever pyarrow.fs can read (hdfs://, s3://, gs://)."""
    from seedbed.spark.spark_web import SparkWeb

    return SparkWeb(session, path)
