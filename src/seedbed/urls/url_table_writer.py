"""Writing URL tables, in memory that does not grow with the table, from URLs in any order.

Ascending URLs are encoded as they arrive, in one pass. At the first one out of order, everything encoded so far is read
back and sorted with the rest by bytes, equal URLs by id: in memory by Arrow or, beyond a limit, on disk by DuckDB.
Whatever grows with the table stays in memory up to a limit, then in unnamed files that vanish once nothing maps them.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from seedbed.common.arrays import LONGEST_TEXT, Bytes, Ints, TextChunk, arrow_bytes, chunk_of, frozen
from seedbed.common.atomic_files import ArrayFile
from seedbed.common.memory import show_size
from seedbed.common.spill import Spill
from seedbed.errors import InputError
from seedbed.urls.front_coding import (
    SEGMENT,
    SYMBOL,
    Coded,
    cut_out,
    encode,
    shared_prefixes,
    strings_at,
    train,
)


class BadUrl(InputError):
    """A URL that cannot be stored; `id` is the number of URLs before it, so that a reader can name the line."""

    def __init__(self, message: str, url_id: int) -> None:
        super().__init__(message)
        self.id = url_id


def checked_chunk(text: Bytes, text_ptr: Ints, first: int) -> TextChunk:
    """The chunk, with ids from `first`, as kernels need it; raises BadUrl if a URL is too long or not UTF-8."""
    text, text_ptr = frozen(np.asarray(text, np.uint8)), frozen(np.asarray(text_ptr, np.int64))
    if text_ptr[0] < 0 or text_ptr[-1] > text.size or (text_ptr[1:] < text_ptr[:-1]).any():
        raise ValueError("text_ptr must ascend from 0 or more to at most the length of the text")
    lengths = np.diff(text_ptr)
    if lengths.max(initial=0) > LONGEST_TEXT:
        bad = int(np.argmax(lengths > LONGEST_TEXT))
        size = show_size(int(lengths[bad]))
        raise BadUrl(
            f"URL {first + bad} is {size} long; the maximum is {show_size(LONGEST_TEXT)}. Is a line end missing?",
            first + bad,
        )
    bad = first_not_utf8(text, text_ptr)
    if bad >= 0:
        found = bytes(text[text_ptr[bad] : text_ptr[bad + 1]])[:80]
        raise BadUrl(
            f"URL {first + bad} is not UTF-8: {found!r}. Name the encoding of the file, or convert it.", first + bad
        )
    return text, text_ptr


def first_not_utf8(text: Bytes, text_ptr: Ints) -> int:
    """The first string that is not UTF-8 (RFC 3629: shortest form, no surrogates), −1 if there is none."""
    import pyarrow as pa

    strings = arrow_bytes((text, text_ptr))
    try:
        strings.cast(pa.large_string())
    except pa.ArrowInvalid:
        found = enumerate(strings.to_pylist())
        return next(k for k, string in found if string.decode(errors="ignore").encode() != string)
    return -1


class Coder:
    """Encodes ascending strings, a segment at a time; equal strings are allowed."""

    def __init__(self, text: IO[bytes], ptr: IO[bytes] | ArrayFile, symbols: IO[bytes] | ArrayFile) -> None:
        self.count = 0
        self.size = 0
        self._text, self._ptr, self._symbols = text, ptr, symbols
        self._held: list[TextChunk] = []
        self._held_count = 0
        self._last = b""
        ptr.write(np.zeros(1, np.int64).tobytes())

    def descent(self, text: Bytes, text_ptr: Ints) -> int:
        """The first string of the chunk that breaks ascending order, −1 if none does."""
        import pyarrow.compute as pc

        if len(text_ptr) > 1 and bytes(text[text_ptr[0] : text_ptr[1]]) < self._last:
            return 0
        strings = arrow_bytes((text, text_ptr))
        before: int = pc.index(pc.greater(strings[:-1], strings[1:]), True).as_py()
        return before + 1 if before >= 0 else -1

    def append(self, text: Bytes, text_ptr: Ints) -> None:
        """Add a chunk that has passed checked_chunk() and that descent() found in order."""
        count = len(text_ptr) - 1
        done = 0
        while done < count:
            take = min(count - done, SEGMENT - self._held_count)
            self._held.append((text, text_ptr[done : done + take + 1]))
            self._held_count += take
            done += take
            if self._held_count == SEGMENT:
                self._flush()
        if count:
            self._last = bytes(text[text_ptr[-2] : text_ptr[-1]])
        self.count += count

    def finish(self) -> None:
        """Write what is held; nothing can be added after this."""
        if self._held:
            self._flush()

    def _flush(self) -> None:
        text, text_ptr = joined(self._held)
        self._held, self._held_count = [], 0
        shared = shared_prefixes(text, text_ptr)
        symbols = train(text, text_ptr, shared)
        coded, ends = encode(text, text_ptr, shared, symbols)
        self._text.write(coded.tobytes())
        self._ptr.write((ends + self.size).tobytes())
        self._symbols.write(symbols.tobytes())
        self.size += len(coded)


def joined(chunks: list[TextChunk]) -> TextChunk:
    """Several chunks as one."""
    import pyarrow as pa

    return chunk_of(pa.chunked_array(map(arrow_bytes, chunks), pa.large_binary()).combine_chunks())


class UrlTableWriter:
    """Writes the files of a UrlTable from URLs in ascending byte order, in constant memory."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._name = str(folder / stem)
        self._text = (folder / f"{stem}.text").open("wb")
        self._ptr = ArrayFile(folder / f"{stem}.ptr.npy", np.int64)
        self._symbols = ArrayFile(folder / f"{stem}.symbols.npy", np.uint8, (256, SYMBOL + 1))
        self._coder = Coder(self._text, self._ptr, self._symbols)

    def __len__(self) -> int:
        return self._coder.count

    def append(self, text: Bytes, text_ptr: Ints) -> None:
        """Add the next URLs."""
        text, text_ptr = checked_chunk(text, text_ptr, len(self))
        wrong = self._coder.descent(text, text_ptr)
        if wrong >= 0:
            found = bytes(text[text_ptr[wrong] : text_ptr[wrong + 1]])[:200].decode(errors="replace")
            raise BadUrl(
                f"{self._name}: URL {len(self) + wrong} '{found}' sorts before the one preceding it. URLs "
                "must ascend by their bytes; sort them first.",
                len(self) + wrong,
            )
        self._coder.append(text, text_ptr)

    def close(self, *, whole: bool = True) -> None:
        """Finish the files; with whole=False, just close them."""
        try:
            if whole:
                self._coder.finish()
        except BaseException:
            whole = False
            raise
        finally:
            self._text.close()
            for file in (self._ptr, self._symbols):
                file.close() if whole else file.abandon()

    def __enter__(self) -> UrlTableWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close(whole=error[0] is None)


STRINGS_PER_CHUNK = 1 << 15
BYTES_A_STRING = 40


def sorted_chunks(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Iterator[tuple[Ints, TextChunk]]:
    """(ids, strings) in ascending order, a chunk at a time; ids number the strings in input order."""
    chunks = iter(chunks)
    held: list[TextChunk] = []
    need = 0
    for text, text_ptr in chunks:
        held.append((text, text_ptr))
        need += 2 * int(text_ptr[-1] - text_ptr[0]) + BYTES_A_STRING * len(text_ptr)
        if need > memory:
            return _sorted_on_disk(chain(_drained(held), chunks), memory, scratch)
    return _sorted_in_memory(held)


def _drained(held: list[TextChunk]) -> Iterator[TextChunk]:
    held.reverse()
    while held:
        yield held.pop()


def _sorted_in_memory(held: list[TextChunk]) -> Iterator[tuple[Ints, TextChunk]]:
    import pyarrow.compute as pc

    text, text_ptr = joined(held)
    held.clear()
    order = pc.array_sort_indices(arrow_bytes((text, text_ptr))).to_numpy().astype(np.int64)
    for start in range(0, len(order), STRINGS_PER_CHUNK):
        ids = frozen(order[start : start + STRINGS_PER_CHUNK])
        yield ids, cut_out(text, frozen(text_ptr[ids]), frozen(text_ptr[ids + 1]))


def _sorted_on_disk(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Iterator[tuple[Ints, TextChunk]]:
    import pyarrow as pa

    spill = Spill(memory // 2, scratch)
    spill.run("create table urls (id bigint, url blob)")
    count = 0
    for chunk in chunks:
        strings = arrow_bytes(chunk)
        spill.insert("urls", pa.table({"id": np.arange(count, count + len(strings)), "url": strings}))
        count += len(strings)
    for batch in spill.batches("select id, url from urls order by url, id"):
        yield frozen(batch.column(0).to_numpy()), chunk_of(batch.column(1))
    spill.close()


Permutation = NDArray[np.uint32]
Built = tuple[Coded, Permutation | None, Permutation | None]

MOST_UNSORTED = 1 << 32


class Spool(tempfile.SpooledTemporaryFile[bytes]):
    """Bytes in memory up to `limit`, beyond that in an unnamed file in `folder`."""

    def __init__(self, limit: int, folder: Path | None) -> None:
        self._limit = max(1, limit)
        super().__init__(self._limit, dir=None if folder is None else str(folder))

    def array(self, dtype: DTypeLike) -> NDArray[Any]:
        """Everything written, as an array that outlives the spool."""
        if self.tell() > self._limit:
            self.flush()
            return np.frombuffer(mmap.mmap(self.fileno(), 0), dtype)
        self.seek(0)
        return np.frombuffer(bytearray(self.read()), dtype)


def build(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Built:
    """(coded strings, rank of each id, id of each rank); no permutations if the strings ascend."""
    chunks = _all_checked(chunks)
    with ExitStack() as stack:
        spools = [stack.enter_context(Spool(memory // 8, scratch)) for _ in range(3)]
        coder = Coder(*spools)
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
        text, text_ptr, _ = strings_at(coded, frozen(np.arange(start, min(start + STRINGS_PER_CHUNK, count))))
        yield frozen(text), frozen(text_ptr)


def _build_sorted(chunks: Iterable[TextChunk], memory: int, scratch: Path | None) -> Built:
    with ExitStack() as stack:
        *spools, id_spool, rank_spool = (stack.enter_context(Spool(memory // 8, scratch)) for _ in range(5))
        coder = Coder(*spools)
        for ids, (text, text_ptr) in sorted_chunks(chunks, memory, scratch):
            if coder.count + len(ids) > MOST_UNSORTED:
                raise InputError(f"more than {MOST_UNSORTED:,} URLs out of order; sort the web by URL first.")
            coder.append(text, text_ptr)
            # Zeros, to be filled in below: an id's rank is known only once all are sorted.
            rank_spool.write(bytes(4 * len(ids)))
            id_spool.write(ids.astype(np.uint32).tobytes())
        rank_of_id, id_of_rank = rank_spool.array(np.uint32), id_spool.array(np.uint32)
        for start in range(0, coder.count, STRINGS_PER_CHUNK):
            ids = id_of_rank[start : start + STRINGS_PER_CHUNK]
            rank_of_id[ids] = np.arange(start, start + len(ids), dtype=np.uint32)
        return _coded(coder, spools), frozen(rank_of_id), frozen(id_of_rank)
