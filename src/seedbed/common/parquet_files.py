"""Parquet files, as all of seedbed writes and reads them: not a bit can change unnoticed.

Data pages carry Parquet's own checksums, which any program can verify. Those cover neither the page headers nor the
footer, where one bit can turn a column into another. So a seal goes between the last page and the footer, where no
reader looks: `seedbed sha256 ` and the SHA-256 of all other bytes of the file in 64 hex digits. A file rewritten by
another program has no seal and is read without one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

from seedbed.common.arrays import LONGEST_TEXT
from seedbed.common.memory import require
from seedbed.errors import InputError

_WORDS = b"seedbed sha256 "
_SEAL_SIZE = len(_WORDS) + 64
_END_SIZE = 8
"""The length of the footer, in 4 bytes, and PAR1."""
_CHUNK = 1 << 20
MOST_ROWS = 1 << 18
MOST_BYTES = 1 << 28


@contextmanager
def parquet_writer(path: Path, schema: Any) -> Iterator[Any]:
    """A ParquetWriter; the file is sealed at the end."""
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
        yield writer
    _seal(path)


def write_parquet(table: Any, path: Path) -> None:
    """Write a whole table."""
    with parquet_writer(path, table.schema) as writer:
        writer.write_table(table)


def read_parquet(path: Path) -> Any:
    """The whole table; text longer than any URL is refused."""
    import pyarrow as pa

    with opened_parquet(path) as file:
        rows, columns = file.metadata.num_rows, file.metadata.num_columns
        require(8 * rows * columns, f"{path}: a table of {rows:,} rows and {columns:,} columns")
        schema = file.schema_arrow
        return pa.Table.from_batches(batches(path, file, schema.names), _written_out(schema))


@contextmanager
def opened_parquet(path: Path) -> Iterator[Any]:
    """A ParquetFile whose seal, if it has one, has been verified. Failures while reading become one-line errors."""
    from pyarrow import parquet

    with plain_errors(path):
        if seal_fits(path) is False:
            raise InputError(f"{path}: its checksum does not match its content. It is damaged; copy or write it again.")
        text = [field.name for field in parquet.read_schema(path) if _is_text(field.type)]
        with parquet.ParquetFile(path, page_checksum_verification=True, read_dictionary=text) as file:
            yield file


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn Arrow's errors about a file that it cannot read into one-line errors."""
    import pyarrow as pa

    kind = {".csv": "CSV", ".jsonl": "JSON lines"}.get(path.suffix, "Parquet")

    try:
        yield
    except MemoryError:
        raise InputError(
            f"{path}: not read as {kind} (it asks for more memory than there is). Is it damaged, or malicious?"
        ) from None
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise InputError(f"{path}: not read as {kind} ({reason}). Is it damaged or cut short?") from None


def batches(path: Path, file: Any, columns: Sequence[str], *, coded: bool = False) -> Iterator[Any]:
    """The rows of some columns, checked, in batches that fit in memory whatever the file; `coded`: with dictionaries.

    One row group after another: a reader of all of them keeps some of each until its end.
    """
    import pyarrow as pa

    row, rows = 0, _rows_at_once(file)
    groups = range(file.metadata.num_row_groups)
    for batch in chain.from_iterable(file.iter_batches(rows, [group], list(columns)) for group in groups):
        batch.validate(full=True)
        _check_lengths(path, row, batch)
        row += batch.num_rows
        if coded:
            yield batch
            continue
        schema = _written_out(batch.schema)
        for part in _small_parts(batch):
            yield pa.RecordBatch.from_arrays(
                [column.cast(kind) for column, kind in zip(part.columns, schema.types, strict=True)], schema=schema
            )


def _rows_at_once(file: Any) -> int:
    """The number of rows that take about MOST_BYTES, according to the footer.

    The footer's figures for single columns are not used: Arrow aborts if a hostile footer contradicts itself there.
    """
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    rows = [MOST_BYTES * max(group.num_rows, 1) // max(group.total_byte_size, 1) for group in groups]
    return min(MOST_ROWS, max(1, min(rows, default=1)))


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string())


def _written_out(schema: Any) -> Any:
    """The schema without dictionaries, in which text may have any length."""
    import pyarrow as pa

    plain = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in schema]
    wide = [pa.large_string() if kind in (pa.string(), pa.string_view()) else kind for kind in plain]
    fields = [field.with_type(kind) for field, kind in zip(schema, wide, strict=True)]
    return pa.schema(fields, metadata=schema.metadata)


def _check_lengths(path: Path, row: int, batch: Any) -> None:
    """Refuse text longer than any URL: a dictionary can repeat it over millions of rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        text = column.dictionary if pa.types.is_dictionary(column.type) else column
        if _is_text(text.type):
            longest = pc.max(pc.binary_length(text)).as_py() or 0
            if longest > LONGEST_TEXT:
                raise InputError(
                    f"{path}, from row {row + 1}: {name!r} holds a text of {longest:,} bytes; "
                    f"the maximum is {LONGEST_TEXT:,}."
                )


def _small_parts(batch: Any) -> Iterator[Any]:
    """The batch in parts whose text takes at most MOST_BYTES once dictionaries are expanded."""
    if batch.num_rows > 1 and sum(map(_size_of_text, batch.columns)) > MOST_BYTES:
        half = batch.num_rows // 2
        yield from _small_parts(batch.slice(0, half))
        yield from _small_parts(batch.slice(half))
    else:
        yield batch


def _size_of_text(column: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type) or not pa.types.is_string(column.type.value_type):
        return 0
    return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0


def _seal(path: Path) -> None:
    with path.open("r+b") as file:
        end = _footer_start(file)
        file.seek(end)
        footer = file.read()
        digest = _digest(file, end, footer)
        file.seek(end)
        file.write(_WORDS + digest.encode() + footer)


def seal_fits(path: Path) -> bool | None:
    """Whether a file is exactly as seedbed wrote it, to the last bit; None if it has no seal."""
    with path.open("rb") as file:
        start = _footer_start(file) - _SEAL_SIZE
        if start < 0:
            return None
        file.seek(start)
        seal, footer = file.read(_SEAL_SIZE), file.read()
        if not seal.startswith(_WORDS):
            return None
        return seal[len(_WORDS) :] == _digest(file, start, footer).encode()


def _footer_start(file: IO[bytes]) -> int:
    """Where the footer starts, from its length at the end of the file; negative if there cannot be one."""
    size = file.seek(0, os.SEEK_END)
    if size < _END_SIZE:
        return -1
    file.seek(size - _END_SIZE)
    return size - _END_SIZE - int.from_bytes(file.read(4), "little")


def _digest(file: IO[bytes], end: int, footer: bytes) -> str:
    """SHA-256 of the first `end` bytes and the footer, in hex digits."""
    digest = hashlib.sha256()
    file.seek(0)
    left = end
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    digest.update(footer)
    return digest.hexdigest()
