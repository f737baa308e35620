"""The few words of Spark that our tasks use, without Spark: the same functions on the same rows, in this process.

For tests on many small webs, which would spend their time starting tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa


class Row(dict[str, Any]):
    """A row as Spark gives it."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Settings(dict[str, str]):
    """Settings of a session, which make no difference here."""

    set = dict.__setitem__


class Table(NamedTuple):
    """Partitions of a table, each a list of record batches."""

    partitions: list[list[pa.RecordBatch]]

    def mapInArrow(self, function: Callable[..., Iterator[pa.RecordBatch]], schema: str) -> Table:  # noqa: N802
        """Each partition through a function, whose rows must have the columns that the schema says."""
        parts = [list(function(iter(batches))) for batches in self.partitions]
        names = [column.split()[0] for column in schema.split(", ")]
        for batch in (batch for batches in parts for batch in batches):
            assert batch.schema.names == names, f"{batch.schema.names} instead of {schema}"
        return Table(parts)

    def repartitionById(self, count: int, column: str) -> Table:  # noqa: N802
        """Rows to the partition that a column names; the last rows come first, since Spark promises no order."""
        parts: list[list[pa.RecordBatch]] = [[] for _ in range(count)]
        for batch in (batch for batches in reversed(self.partitions) for batch in batches):
            for row in range(len(batch)):
                parts[batch.column(column)[row].as_py()].append(batch.slice(row, 1))
        return Table(parts)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as the first batch has them."""
        return list(self.partitions[0][0].schema.names)

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        """The columns and their types, by Spark's names."""
        schema = self.partitions[0][0].schema
        return [(field.name, "bigint" if field.type == pa.int64() else str(field.type)) for field in schema]

    def inputFiles(self) -> list[str]:  # noqa: N802
        """None: the rows are in memory."""
        return []

    def select(self, *names: str) -> Table:
        """Some columns."""
        return Table([[batch.select(list(names)) for batch in batches] for batches in self.partitions])

    def collect(self) -> list[Row]:
        """All rows."""
        return [Row(row) for batches in self.partitions for batch in batches for row in batch.to_pylist()]


class InProcess:
    """A session."""

    def __init__(self, parallelism: int = 2) -> None:
        self.conf: dict[str, str] = Settings()
        self.sparkContext = SimpleNamespace(defaultParallelism=parallelism)

    def newSession(self) -> InProcess:  # noqa: N802
        """The same session."""
        return self

    def range(self, start: int, stop: int, step: int, count: int) -> Table:
        """Numbers, one per partition."""
        assert (stop - start, step) == (count, 1)
        return Table([[pa.record_batch([pa.array([number])], ["id"])] for number in range(start, stop)])
