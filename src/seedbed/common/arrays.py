"""Arrays in the form kernels expect, and text chunks as pairs of arrays that Arrow shares without copying."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Ids = NDArray[Any]
"""Page ids, of page_dtype()."""

TextChunk = tuple[Bytes, Ints]
"""(text, text_ptr): string k is text[text_ptr[k] : text_ptr[k + 1]], in UTF-8."""

LONGEST_TEXT = 1 << 21
"""The longest URL that is read, in bytes; anything longer means a missing line end."""


def page_dtype(pages: int) -> type[np.int32] | type[np.int64]:
    """The smallest type that holds every page id."""
    return np.int32 if pages <= np.iinfo(np.int32).max else np.int64


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array as a plain read-only view, so that kernels are compiled for a single array type."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


def arrow_bytes(chunk: TextChunk) -> Any:
    """A chunk as an Arrow array of byte strings."""
    import pyarrow as pa

    text, text_ptr = chunk
    buffers = [None, pa.py_buffer(text_ptr), pa.py_buffer(text)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(text_ptr) - 1, buffers)


def arrow_strings(chunk: TextChunk) -> Any:
    """A chunk known to be UTF-8 as an Arrow array of strings."""
    import pyarrow as pa

    return arrow_bytes(chunk).view(pa.large_string())


def chunk_of(strings: Any) -> TextChunk:
    """An Arrow array of strings or byte strings as a chunk."""
    import pyarrow as pa

    strings = strings.cast(pa.large_binary())
    _, pointers, text = strings.buffers()
    text_ptr = np.frombuffer(pointers, np.int64, len(strings) + 1, 8 * strings.offset)
    return frozen(np.frombuffer(text or b"", np.uint8)), frozen(text_ptr)
