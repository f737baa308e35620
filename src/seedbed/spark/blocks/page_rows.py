"""The pages of a web as rows: id, URL if known, and values such as scores. Each block is read by one task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from seedbed.errors import InputError, OptionError
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Values
from seedbed.spark.tasks import in_one_line, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1 << 16


def page_rows(session: SparkSession, web: BlockedWeb, columns: Mapping[str, tuple[Values, float]]) -> DataFrame:
    """A row per page; `columns`: values, and what they are multiplied by."""
    named, given = web.named, dict(columns)

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            table = {"id": pa.array(np.arange(web.bounds[block], web.bounds[block + 1]))}
            if named:
                table["url"] = web.urls(block)
            for name, (values, scale) in given.items():
                table[name] = pa.array(values.block(block) * scale)
            yield from pa.table(table).to_batches(ROWS)

    schema = ", ".join(("id long", *(["url string"] if named else []), *(f"{name} double" for name in given)))
    return over_blocks(session, web.blocks).mapInArrow(rows, schema)


def write_rows(rows: DataFrame, path: str, *, overwrite: bool = False) -> None:
    """Rows as a folder of files, written by the tasks: .csv, .jsonl, else Parquet. It is whole once it has _SUCCESS."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    place = path if "://" in path else Path(path).absolute().as_uri()
    if Folder(path).has("") and not overwrite:
        raise OptionError(f"{path}: is already there. Name another folder, or replace it with --overwrite.")
    writer = rows.write.mode("overwrite")
    ending = PurePosixPath(path).suffix
    try:
        if ending == ".csv":
            writer.csv(place, header=True)
        elif ending == ".jsonl":
            writer.json(place)
        else:
            writer.parquet(place)
    except (PySparkException, Py4JJavaError) as error:
        raise InputError(in_one_line(str(error))) from error
