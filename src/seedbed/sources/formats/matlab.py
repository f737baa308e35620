"""MATLAB's .mat files with a sparse matrix: an entry in row i and column j is a link from page i to page j.

Versions 4 to 7.2 are read, by SciPy; 7.3 is HDF5. The matrix must be the only square sparse one, by itself or inside a
structure, like SuiteSparse's Problem.A.
"""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import parsed, require_room, whole_file
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions

_VERSION_5, _VERSION_73 = b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"
_HEADER, _TAG, _COMPRESSED = 128, 8, 15
_COPIES = 4
"""The file, the matrix that SciPy reads from it, its entries as pairs, the links."""


def detect(head: Head) -> bool:
    """Whether the file starts like MATLAB's, or is named .mat and is not text."""
    named = ".mat" in [ending.lower() for ending in head.path.suffixes[-2:]]
    return head.data.startswith((_VERSION_5, _VERSION_73)) or (named and b"\0" in head.data)


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the matrix, if what the file's bytes decompress to fits in memory."""
    data = whole_file(path, options, decode=False, objects=_COPIES, bounded=False)
    if data.startswith(_VERSION_73):
        raise InputError(f"{path}: is MATLAB 7.3, which is HDF5 and not read. Save it in MATLAB with save(…, '-v7').")
    if data.startswith(_VERSION_5):
        allowed = options.allowed_memory
        require_room(_decompressed_size(path, data, allowed // _COPIES), _COPIES, allowed)
    from scipy.sparse import coo_array

    entries = coo_array(parsed(path, "a MATLAB file", lambda: _matrix(path, data)))
    kept = entries.data != 0
    builder = options.builder(entries.shape[0])
    builder.add(entries.row[kept], entries.col[kept])
    return options.web(path, "matlab", builder)


def _decompressed_size(path: Path, data: bytes, most: int) -> int:
    """The size of all variables once decompressed; counted only until it exceeds `most`."""
    order = "<" if data[126:128] == b"IM" else ">"
    place, size = _HEADER, 0
    while place + _TAG <= len(data) and size <= most:
        kind, length = np.frombuffer(data, f"{order}u4", 2, place).tolist()
        body = memoryview(data)[place + _TAG : place + _TAG + length]
        size += length if kind != _COMPRESSED else _inflated(path, body, most)
        place += _TAG + length
    return size


def _inflated(path: Path, body: memoryview, most: int) -> int:
    decoder = zlib.decompressobj()
    rest: bytes | memoryview = body
    size = 0
    try:
        while rest and not decoder.eof and size <= most:
            size += len(decoder.decompress(rest, 1 << 20))
            rest = decoder.unconsumed_tail
    except zlib.error as error:
        raise InputError(f"{path}: a variable in it is damaged ({error}). Was it cut short? Fetch it again.") from None
    return size


def _matrix(path: Path, data: bytes) -> Any:
    """The only square sparse matrix: a variable or, if none is sparse, a field of a structure."""
    from scipy.io import loadmat, whosmat
    from scipy.sparse import issparse

    listed = whosmat(io.BytesIO(data))
    sparse = [name for name, _, kind in listed if kind == "sparse"]
    names = sparse or [name for name, _, kind in listed if kind == "struct"]
    found: dict[str, Any] = loadmat(io.BytesIO(data), variable_names=names) if names else {}
    for name in () if sparse else names:
        value = found.pop(name, None)
        if isinstance(value, np.ndarray) and value.dtype.names is not None and value.size == 1:
            found |= {f"{name}.{field}": value.reshape(-1)[0][field] for field in value.dtype.names}
    square = {name: each for name, each in found.items() if issparse(each) and each.shape[0] == each.shape[1]}
    if len(square) == 1:
        return next(iter(square.values()))
    said = ", ".join(f"{name} ({' × '.join(map(str, shape))} {kind})" for name, shape, kind in listed[:10])
    if len(square) > 1:
        raise InputError(
            f"{path}: holds several square sparse matrices, {', '.join(square)}. Save one of them by itself."
        )
    raise InputError(f"{path}: holds no square sparse matrix, which a web needs; found {said or 'no variables'}.")


FORMAT = Format(name="matlab", meaning="a sparse matrix in a `.mat` file", detect=detect, read=read)
