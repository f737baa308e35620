"""Building URL tables from URLs in any order.

URLs that ascend are coded as they come, in one pass. At the first that does not, what is coded so far is read
back and sorted with the rest. What grows with the table lies in memory up to a limit, past it in unnamed
files that vanish when nothing maps them any more.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from seedbed.common.arrays import TextChunk, frozen
from seedbed.errors import InputError
from seedbed.urls.front_coding_reader import SYMBOL, Coded, decode
from seedbed.urls.url_sorting import STRINGS_PER_CHUNK, sorted_chunks
from seedbed.urls.url_table_writer import Coder, checked_chunk

Permutation = NDArray[np.uint32]
Built = tuple[Coded, Permutation | None, Permutation | None]

MOST_UNSORTED = 1 << 32


class Spool:
    """Bytes in memory up to `limit`, past that in an unnamed file in `folder`."""

    def __init__(self, limit: int, folder: Path | None) -> None:
        self._limit = max(1, limit)
        self._file = tempfile.SpooledTemporaryFile(max_size=self._limit, dir=None if folder is None else str(folder))  # noqa: SIM115
        self._size = 0

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        self._size += self._file.write(data)

    def array(self, dtype: DTypeLike) -> NDArray[Any]:
        """All that was written, which outlives the spool."""
        if self._size > self._limit:
            self._file.flush()
            return np.frombuffer(mmap.mmap(self._file.fileno(), 0), dtype)
        self._file.seek(0)
        return np.frombuffer(bytearray(self._file.read()), dtype)

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def build(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Built:
    """(coded strings, rank of each id, id of each rank); no permutations where the strings ascend."""
    chunks = _all_checked(chunks)
    with ExitStack() as stack:
        spools = [stack.enter_context(Spool(memory // 8, scratch)) for _ in range(3)]
        coder = Coder(spools[0], spools[1], spools[2])
        for text, text_ptr in chunks:
            if coder.descent(text, text_ptr) >= 0:
                break
            coder.append(text, text_ptr)
        else:
            return _coded(coder, spools), None, None
        ahead = _chunks(_coded(coder, spools), coder.count)
    return _build_sorted(chain(ahead, [(text, text_ptr)], chunks), memory, scratch)


def _all_checked(chunks: Iterable[TextChunk]) -> Iterator[TextChunk]:
    count = 0
    for text, text_ptr in chunks:
        yield checked_chunk(text, text_ptr, count)
        count += len(text_ptr) - 1


def _coded(coder: Coder, spools: list[Spool]) -> Coded:
    coder.finish()
    text, ptr, symbols = spools
    return Coded(
        frozen(text.array(np.uint8)),
        frozen(ptr.array(np.int64)),
        frozen(symbols.array(np.uint8).reshape(-1, 256, SYMBOL + 1)),
    )


def _chunks(coded: Coded, count: int) -> Iterator[TextChunk]:
    for start in range(0, count, STRINGS_PER_CHUNK):
        text, text_ptr, _ = decode(coded, start, min(start + STRINGS_PER_CHUNK, count))
        yield frozen(text), frozen(text_ptr)


def _build_sorted(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Built:
    with ExitStack() as stack:
        *spools, id_spool, rank_spool = (stack.enter_context(Spool(memory // 8, scratch)) for _ in range(5))
        coder = Coder(spools[0], spools[1], spools[2])
        for ids, (text, text_ptr) in sorted_chunks(chunks, memory, scratch):
            if coder.count + len(ids) > MOST_UNSORTED:
                raise InputError(f"more than {MOST_UNSORTED:,} URLs out of order; sort the web by URL first.")
            coder.append(text, text_ptr)
            # Zeros to be filled in below: an id's rank is known only when all are sorted.
            rank_spool.write(bytes(4 * len(ids)))
            id_spool.write(ids.astype(np.uint32).tobytes())
        rank_of_id, id_of_rank = rank_spool.array(np.uint32), id_spool.array(np.uint32)
        for start in range(0, coder.count, STRINGS_PER_CHUNK):
            ids = id_of_rank[start : start + STRINGS_PER_CHUNK]
            rank_of_id[ids] = np.arange(start, start + len(ids), dtype=np.uint32)
        return _coded(coder, spools), frozen(rank_of_id), frozen(id_of_rank)
