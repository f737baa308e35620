"""A temporary DuckDB database, in its own folder, for sorting what does not fit in memory.

DuckDB has a memory limit, beyond which it spills to the folder.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.common.memory import show_size
from seedbed.errors import InputError, NotEnoughMemory

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_MEMORY = 64 << 20
"""DuckDB gets at least this much for sorting, even if less is allowed."""

ROWS_PER_BATCH = 1 << 19


class Spill:
    """Tables on disk, written and read as Arrow batches. `folder` may hold other scratch files too."""

    def __init__(self, memory: int, scratch: Path | None = None) -> None:
        import duckdb

        self._memory = max(memory, LEAST_MEMORY)
        self.folder = Path(tempfile.mkdtemp(prefix="seedbed-", dir=scratch))
        rest = ExitStack()
        rest.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.close = weakref.finalize(self, rest.close)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{self._memory >> 20}MiB",
            "temp_directory": str(self.folder / "spill"),
            "threads": 2,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        with self._plain_errors():
            self._database = duckdb.connect(str(self.folder / "spill.duckdb"), config=settings)
        rest.callback(self._database.close)
        # It would be mixed into the command's standard output.
        self.run("set enable_progress_bar = false")

    def run(self, statement: str) -> None:
        """Execute one statement."""
        with self._plain_errors():
            self._database.execute(statement)

    def insert(self, table: str, rows: pa.Table) -> None:
        """Add rows to a table."""
        with self._plain_errors():
            self._database.register("rows", rows)
            self._database.execute(f"insert into {table} select * from rows")  # noqa: S608 - names are our own
            self._database.unregister("rows")

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """The rows of a query, a batch at a time."""
        with self._plain_errors():
            relation = self._database.sql(query)
            # DuckDB renamed the method in 2.0; the old name warns there.
            read: Any = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
            yield from read(ROWS_PER_BATCH)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            raise NotEnoughMemory(
                f"sorting needs more than the {show_size(self._memory)} it may use. Allow more with --memory."
            ) from None
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"{self.folder}: cannot be written ({reason}). Is the disk full? Set TMPDIR.") from None
