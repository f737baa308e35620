"""Spark as our tasks need it: settings, a row for each block, and errors of tasks as one clear line."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from seedbed.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    # A round is one job of two stages; replanning between them would cost more than it finds.
    "spark.sql.adaptive.enabled": "false",
    # A row is what one block sends to another, megabytes: a few at a time.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "8",
}
TOLD = "seedbed.errors.InputError: "


def with_settings(session: SparkSession) -> SparkSession:
    """The same Spark application with our own SQL settings; the user's session keeps its own."""
    own = session.newSession()
    for name, value in SETTINGS.items():
        own.conf.set(name, value)
    return own


def over_blocks(session: SparkSession, blocks: int) -> DataFrame:
    """A row for each block, each in a task of its own."""
    return session.range(0, blocks, 1, blocks)


def numbers_in(batches: Iterator[pa.RecordBatch]) -> Iterator[int]:
    """The blocks, or whatever else is numbered, that a task is to work on."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


@cache
def keep_libraries() -> None:
    """Take what is loaded so far from the garbage collector, once per process.

    Spark's workers collect garbage after every task; looking through all that NumPy, Numba and Arrow made while they
    loaded takes longer than most tasks.
    """
    gc.freeze()


def collected(table: DataFrame) -> list[Any]:
    """The rows of a table; what went wrong in a task is raised here, in one line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        return table.collect()
    except (PySparkException, Py4JJavaError) as error:
        raise InputError(in_one_line(str(error))) from error


def in_each_block(session: SparkSession, blocks: int, work: Callable[[int], Any]) -> list[Any]:
    """What a function returns for each block, in tasks: small facts, as JSON knows them."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            facts = [pa.array([block], pa.int32()), pa.array([json.dumps(work(block))])]
            yield pa.record_batch(facts, ["block", "facts"])
        keep_libraries()

    rows = collected(over_blocks(session, blocks).mapInArrow(run, "block int, facts string"))
    return [json.loads(row["facts"]) for row in sorted(rows, key=lambda row: int(row["block"]))]


def in_one_line(trace: str) -> str:
    """What a user needs to know of the trace of a failed task."""
    if told := re.findall(rf"{re.escape(TOLD)}(.+)", trace):
        return str(told[-1]).strip()
    if missing := re.findall(r"ModuleNotFoundError: No module named '([\w.]+)'", trace):
        return (
            f"the workers cannot import {missing[-1]}. Install seedbed[spark] on each of them, or ship an environment "
            "with the job: docs/spark.md shows both."
        )
    if "No space left on device" in trace:
        place = re.findall(r"No space left on device:? ?'?([^\s'\])]*)", trace)
        where = f": {place[-1]}" if place and place[-1] else ""
        return f"the disk of a worker is full{where}. Make room there, or set spark.local.dir."
    if "OutOfMemoryError" in trace or "exit code 137" in trace:
        return "a worker ran out of memory. Cut the web into more blocks, or give spark.executor.memory more."
    lines = [line.strip() for line in trace.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception): ", line)]
    return f"Spark stopped: {(named or lines or ['no reason given'])[-1 if named else 0]}"
