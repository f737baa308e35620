"""What the formats of graph programs share: a whole file in memory, within bounds; a web from nodes with attributes.

NetworkX reads them into Python objects: 15 to 30 bytes per byte of text, at about a megabyte per second. So files
larger than MOST_BYTES, or whose objects would exceed the memory allowed, are refused before they are parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.memory import show_size
from seedbed.errors import InputError, NotEnoughMemory, SeedbedError
from seedbed.graph.web import Web
from seedbed.sources.page_tables import column_name, column_of
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import blocks, not_utf8
from seedbed.sources.text_tables import kind_of
from seedbed.urls.url_table import BadUrl, text_chunk

MOST_BYTES = 1 << 27
_OBJECTS = 30
"""Bytes of memory per byte of text."""
_URL_KEYS = ("url", "uri", "href", "label", "name")
_LOOKED_AT = 500
_GENERATED = re.compile(r"(?:n|node|v)?[-_ ]?-?\d+(\.0)?", re.IGNORECASE)

Attributes = Mapping[Any, Any]


def whole_file(
    path: Path, options: ReadOptions, *, decode: bool = True, objects: int = _OBJECTS, bounded: bool = True
) -> bytes:
    """All bytes of a file, decompressed; refused if they, or the objects made from them, would be too large."""
    found, size = [], 0
    for block in blocks(path, encoding=options.encoding if decode else None, progress=options.progress):
        found.append(block)
        size += len(block)
        if bounded and size > MOST_BYTES:
            raise InputError(
                f"{path}: is larger than {show_size(MOST_BYTES)}, which is too much for this format, read as Python "
                "objects. Save the graph as an edge list, a Pajek file or Matrix Market."
            )
        require_room(size, objects, options.allowed_memory)
    return b"".join(found)


def require_room(size: int, times: int, allowed: int) -> None:
    """Refuse data that would take more memory than is allowed: `times` its size."""
    if times * size > allowed:
        raise NotEnoughMemory(
            f"its {show_size(size)} or more take {times} times as much memory to read; {show_size(allowed)} may be "
            "used. Allow more with --memory, or save the graph as an edge list."
        )


def whole_text(path: Path, options: ReadOptions, *, objects: int = _OBJECTS) -> str:
    """All of a file as text."""
    data = whole_file(path, options, objects=objects)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, 1 + data.count(b"\n", 0, error.start), data[error.start]) from None


def parsed(path: Path, what: str, parse: Callable[[], Any]) -> Any:
    """The result of a library's parser; any error it raises is blamed on the file."""
    try:
        return parse()
    except (SeedbedError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - third-party parsers raise all kinds
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: cannot be read as {what} ({reason}).") from None


def web_of_nodes(
    path: Path,
    kind: str,
    nodes: Sequence[tuple[str, Attributes]],
    ends: tuple[Ints, Ints],
    options: ReadOptions,
    *,
    both_ways: bool,
) -> Web:
    """The web of nodes with names and attributes, and edges given as positions of nodes."""
    if not nodes:
        raise InputError(f"{path}: has no nodes.")
    builder = options.builder(len(nodes))
    builder.add(*ends, both_ways=both_ways)
    urls, table = _urls(nodes), None
    try:
        if urls is not None:
            table = options.url_table([text_chunk(urls)])
    except BadUrl as wrong:
        raise InputError(f"{path}: node {wrong.id + 1}: {wrong}") from None
    return options.web(path, kind, builder, urls=table, columns=_columns(nodes))


def _urls(nodes: Sequence[tuple[str, Attributes]]) -> list[str] | None:
    """Names of pages: an attribute that holds URLs, else the nodes' names, else labels; None: they are only numbers."""
    names = [name for name, _ in nodes]
    candidates: list[list[str]] = []
    for key in _URL_KEYS:
        values = [_text_of(data, key) for _, data in nodes]
        if 2 * sum(value is not None for value in values) >= len(nodes):
            candidates.append([value or name for value, name in zip(values, names, strict=True)])
    for called in (*candidates, names):
        if all(called) and kind_of(called[:_LOOKED_AT]) == "url":
            return called
    for called in (names, *candidates):
        if all(called) and not all(map(_GENERATED.fullmatch, called)):
            return called
    return None


def _text_of(data: Attributes, key: str) -> str | None:
    for spelt in (key, key.upper(), key.capitalize()):
        if isinstance(value := data.get(spelt), str) and value.strip():
            return value.strip()
    return None


def _columns(nodes: Sequence[tuple[str, Attributes]]) -> dict[str, NDArray[Any]]:
    """Attributes that are numbers on at least half of the nodes, NaN on the others."""
    counts = Counter(key for _, data in nodes for key, value in data.items() if isinstance(value, bool | int | float))
    columns: dict[str, NDArray[Any]] = {}
    for key, count in counts.items():
        name = column_name(str(key))
        if 2 * count < len(nodes) or name is None or name in columns:
            continue
        found = (data.get(key) for _, data in nodes)
        values = np.array([value if isinstance(value, bool | int | float) else np.nan for value in found])
        if values.dtype.kind in "biuf":
            columns[name] = column_of([values])
    return columns
