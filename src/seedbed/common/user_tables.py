"""Tables that users give along with a web: values of pages, probabilities of sites. CSV, TSV, Parquet; read whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.parquet_files import read_parquet
from seedbed.common.user_lists import check_is_table
from seedbed.errors import InputError


def user_table(path: Path) -> Any:
    """The table in a file, as a pyarrow.Table; its columns have different names."""
    import pyarrow as pa
    from pyarrow import csv

    check_is_table(path)
    try:
        if path.suffix == ".parquet":
            table = read_parquet(path)
        else:
            cut = csv.ParseOptions(delimiter="\t" if ".tsv" in path.suffixes else ",")
            table = csv.read_csv(path, parse_options=cut)
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read as a table: {reason}") from None
    twice = [name for name, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise InputError(f"{path}: has two columns named '{twice[0]}'. Rename one of them.")
    return table


def key_column(path: Path, table: Any, names: tuple[str, ...], described: str) -> str:
    """The first of these names that is a column of the table."""
    key = next((name for name in names if name in table.column_names), None)
    if key is None:
        raise InputError(f"{path}: has the columns {', '.join(table.column_names)}; one must be {described}.")
    return key


def number_column(path: Path, table: Any, key: str, wanted: str | None) -> str:
    """The column of numbers that is wanted, else the first one."""
    numeric = [name for name in table.column_names if name != key and _is_number(table.schema.field(name).type)]
    name = wanted or next(iter(numeric), None)
    if name is None or name not in numeric:
        raise InputError(f"{path}: no column of numbers {f'named {wanted!r} ' if wanted else ''}besides '{key}'.")
    return name


def finite_numbers(path: Path, table: Any, name: str) -> NDArray[np.float64]:
    """A column of numbers; refuses missing and infinite ones."""
    numbers = np.asarray(table.column(name).to_numpy(), np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        found = numbers[row] if table.column(name)[row].is_valid else "missing or nan"
        raise InputError(f"{path}, row {row + 1}: {name} is {found}; values must be finite numbers.")
    return numbers


def text_column(path: Path, table: Any, name: str) -> list[str]:
    """A column of text; missing ones are empty."""
    texts = table.column(name).to_pylist()
    if not all(text is None or isinstance(text, str) for text in texts):
        raise InputError(f"{path}: the column '{name}' holds {table.column(name).type}, expected text in UTF-8.")
    return [text or "" for text in texts]


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))
