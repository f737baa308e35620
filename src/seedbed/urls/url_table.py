"""The URLs of a web, both ways: id → URL and URL → id, read in place from memory-mapped files.

URLs are sorted by their UTF-8 bytes and front-coded in blocks, with suffixes cut into symbols (see front_coding). If
page order is not URL order, two permutations are kept as well: the rank of each id and the id of each rank. Ids are
never renumbered, and URLs may repeat.

Memory: 8 to 15 bytes per URL, and 8 more with permutations. Opening: O(1). id → URL: half a block. URL → id:
log₂(blocks) comparisons and half a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedbed.common.arrays import Bytes, Ids, Ints, TextChunk, frozen
from seedbed.common.atomic_files import map_array, map_bytes
from seedbed.common.memory import machine_memory
from seedbed.errors import InputError
from seedbed.urls.front_coding import (
    BLOCK,
    CORRUPT,
    MISSING,
    SEGMENT,
    SYMBOL,
    Coded,
    find,
    find_one,
    string_at,
    strings_at,
    strings_in_last_block,
)
from seedbed.urls.url_table_writer import STRINGS_PER_CHUNK, BadUrl, UrlTableWriter, build

__all__ = ["BadUrl", "TextChunk", "UrlTable", "UrlTableWriter", "text_chunk"]

_AGAIN = "The table is damaged; convert the web again."


def text_chunk(strings: Iterable[str]) -> TextChunk:
    """Strings as (text, text_ptr). Lone surrogates are kept; a table refuses them, or does not find them."""
    coded = [string.encode("utf-8", "surrogatepass") for string in strings]
    lengths = np.fromiter((len(string) for string in coded), np.int64, len(coded))
    return frozen(np.frombuffer(b"".join(coded), np.uint8)), frozen(np.concatenate([[0], np.cumsum(lengths)]))


class UrlTable:
    """A sequence of URLs that can be looked up. Immutable."""

    def __init__(
        self, coded: Coded, rank_of_id: Ids | None = None, id_of_rank: NDArray[Any] | None = None, name: str = "URLs"
    ) -> None:
        self._name = name
        self._coded = Coded(*(frozen(array) for array in coded))
        self._count = self._counted()
        self._rank_of_id = self._permutation(rank_of_id, "rank")
        self._id_of_rank = self._permutation(id_of_rank, "id")

    def _counted(self) -> int:
        text, ptr, symbols = self._coded
        if ptr.dtype != np.int64 or ptr.ndim != 1 or len(ptr) == 0 or ptr[0] != 0 or ptr[-1] != len(text):
            raise InputError(f"{self._name}.ptr.npy: does not fit the {len(text)} bytes of {self._name}.text. {_AGAIN}")
        blocks = len(ptr) - 1
        shape = (-(-blocks * BLOCK // SEGMENT), 256, SYMBOL + 1)
        if symbols.dtype != np.uint8 or symbols.shape != shape:
            raise InputError(f"{self._name}.symbols.npy: has shape {symbols.shape}, expected {shape}. {_AGAIN}")
        if blocks == 0:
            return 0
        last = strings_in_last_block(self._coded)
        if last == CORRUPT:
            raise self._corrupt(blocks - 1)
        return (blocks - 1) * BLOCK + int(last)

    def _permutation(self, array: NDArray[Any] | None, which: str) -> NDArray[Any] | None:
        if array is None:
            return None
        if array.dtype not in (np.uint32, np.uint64) or array.shape != (self._count,):
            raise InputError(f"{self._name}.{which}.npy: expected {self._count} numbers, found {array.shape}. {_AGAIN}")
        return frozen(array)

    def _corrupt(self, block: int) -> InputError:
        return InputError(f"{self._name}.text: block {block} is corrupt. {_AGAIN}")

    def _lost(self) -> InputError:
        return InputError(f"{self._name}.text: a search reached a corrupt block. {_AGAIN}")

    def _wrong_number(self, number: int, which: str) -> InputError:
        return InputError(f"{self._name}.{which}.npy: holds {number}, expected numbers below {self._count}. {_AGAIN}")

    @property
    def bytes(self) -> int:
        """The total size, in bytes."""
        arrays = (*self._coded, self._rank_of_id, self._id_of_rank)
        return sum(array.nbytes for array in arrays if array is not None)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, page: int) -> str:
        if not 0 <= page < self._count:
            raise IndexError(f"ids run from 0 to {self._count - 1}, not {page}")
        rank = page if self._rank_of_id is None else int(self._rank_of_id[page])
        if rank >= self._count:
            raise self._wrong_number(rank, "rank")
        text, corrupt = string_at(self._coded, rank)
        if corrupt >= 0:
            raise self._corrupt(corrupt)
        return _decoded(text.tobytes(), self._name)

    def __iter__(self) -> Iterator[str]:
        for text, text_ptr in self.chunks():
            yield from self._strings(text, text_ptr)

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and self.find(url) is not None

    def __repr__(self) -> str:
        return f"UrlTable({self._count:,} URLs, {self.bytes:,} bytes)"

    def many(self, ids: ArrayLike) -> list[str]:
        """The URLs of the given ids."""
        return self._strings(*self.pick(ids))

    def pick(self, ids: ArrayLike) -> TextChunk:
        """The URLs of the given ids as one chunk of text."""
        ranks = np.asarray(ids, np.int64)
        if ranks.size and (ranks.min() < 0 or ranks.max() >= self._count):
            raise IndexError(f"ids run from 0 to {self._count - 1}")
        if self._rank_of_id is not None:
            ranks = self._within(self._rank_of_id[ranks], "rank")
        return self._sound(*strings_at(self._coded, frozen(ranks)))

    def find(self, url: str) -> int | None:
        """The smallest id with this URL."""
        query = np.frombuffer(url.encode("utf-8", "surrogatepass"), np.uint8)
        rank = find_one(self._coded, self._count, query, 0, query.size)
        if rank == CORRUPT:
            raise self._lost()
        if rank == MISSING or self._id_of_rank is None:
            return None if rank == MISSING else int(rank)
        page = int(self._id_of_rank[rank])
        if page >= self._count:
            raise self._wrong_number(page, "id")
        return page

    def find_many(self, urls: Sequence[str]) -> Ints:
        """The smallest id of each URL, −1 if there is none."""
        return self.find_text(*text_chunk(urls))

    def find_text(self, text: Bytes, text_ptr: Ints) -> Ints:
        """As find_many() for a chunk of text."""
        ranks = find(self._coded, self._count, frozen(text), frozen(text_ptr))
        if (ranks == CORRUPT).any():
            raise self._lost()
        if self._id_of_rank is None or not len(ranks):
            return ranks
        known = ranks >= 0
        ranks[known] = self._within(self._id_of_rank[ranks[known]], "id")
        return ranks

    def in_order(self) -> Iterator[tuple[Ints, Bytes, Ints]]:
        """(ids, text, text_ptr) in ascending order of URLs, a chunk at a time."""
        for start in range(0, self._count, STRINGS_PER_CHUNK):
            stop = min(start + STRINGS_PER_CHUNK, self._count)
            text, text_ptr = self._sound(*strings_at(self._coded, frozen(np.arange(start, stop))))
            of_rank = self._id_of_rank
            ids = np.arange(start, stop) if of_rank is None else self._within(of_rank[start:stop], "id")
            yield frozen(ids), text, text_ptr

    def chunks(self) -> Iterator[TextChunk]:
        """(text, text_ptr) in order of ids, a chunk at a time."""
        if self._rank_of_id is None:
            for _, text, text_ptr in self.in_order():
                yield text, text_ptr
            return
        for start in range(0, self._count, STRINGS_PER_CHUNK):
            yield self.pick(np.arange(start, min(start + STRINGS_PER_CHUNK, self._count)))

    def _within(self, numbers: NDArray[Any], which: str) -> Ints:
        if numbers.size and numbers.max() >= self._count:
            raise self._wrong_number(int(numbers.max()), which)
        return numbers.astype(np.int64)

    def _sound(self, text: Bytes, text_ptr: Ints, corrupt: int) -> TextChunk:
        if corrupt >= 0:
            raise self._corrupt(corrupt)
        return frozen(text), frozen(text_ptr)

    def _strings(self, text: Bytes, text_ptr: Ints) -> list[str]:
        raw = text.tobytes()
        return [_decoded(raw[start:stop], self._name) for start, stop in pairwise(text_ptr.tolist())]

    @classmethod
    def from_strings(cls, urls: Sequence[str]) -> UrlTable:
        """The table of these URLs; their positions are the ids."""
        return cls.build([text_chunk(urls)])

    @classmethod
    def build(cls, chunks: Iterable[TextChunk], *, memory: int | None = None, scratch: Path | None = None) -> UrlTable:
        """The table of these URLs, with ids numbered through all chunks; URLs may come in any order.

        Ascending URLs are encoded as they arrive. Others are sorted, in `memory` bytes (half the machine's by
        default) or, beyond that, on disk in the folder `scratch`; the table is then in unnamed files there.
        """
        memory = machine_memory() // 2 if memory is None else memory
        return cls(*build(chunks, memory, scratch))

    def save(self, folder: Path, stem: str) -> None:
        """Write the table's files, each named `stem` plus an ending."""
        with (folder / f"{stem}.text").open("wb") as file:
            self._coded.text.tofile(file)
        arrays: dict[str, NDArray[Any] | None] = {
            "ptr": self._coded.ptr,
            "symbols": self._coded.symbols,
            "rank": self._rank_of_id,
            "id": self._id_of_rank,
        }
        for ending, array in arrays.items():
            path = folder / f"{stem}.{ending}.npy"
            if array is None:
                path.unlink(missing_ok=True)
            else:
                np.save(path, array, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, stem: str) -> UrlTable:
        """Open a saved table in place."""
        try:
            coded = Coded(
                map_bytes(folder / f"{stem}.text"),
                map_array(folder / f"{stem}.ptr.npy"),
                map_array(folder / f"{stem}.symbols.npy", dimensions=3),
            )
            paths = [folder / f"{stem}.{ending}.npy" for ending in ("rank", "id")]
            rank, page = map(map_array, paths) if any(path.exists() for path in paths) else (None, None)
            return cls(coded, rank, page, str(folder / stem))
        except OSError as error:
            if error.filename is None:  # not about a file
                raise
            raise InputError(f"{error.filename}: {error.strerror}. A URL table needs it.") from None


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name}.text: a URL in it is not UTF-8. {_AGAIN}") from error
