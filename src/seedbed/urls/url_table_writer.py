"""Writing URL tables: ascending URLs in, coded segments out, in memory that does not grow with the table."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from seedbed.common.arrays import LONGEST_TEXT, TextChunk, frozen
from seedbed.common.memory import show_size
from seedbed.errors import InputError
from seedbed.urls.front_coding_reader import SEGMENT, SYMBOL, Bytes, Offsets
from seedbed.urls.front_coding_writer import encode, first_descent, first_longer, first_not_utf8, shared_prefixes, train

"""(text, text_ptr): string k is text[text_ptr[k] : text_ptr[k + 1]], in UTF-8."""


class BadUrl(InputError):
    """A URL that no table takes; `id` counts the URLs ahead of it, so that a reader can name the line."""

    def __init__(self, message: str, url_id: int) -> None:
        super().__init__(message)
        self.id = url_id


class Sink(Protocol):
    """Where coded bytes go."""

    def write(self, data: bytes, /) -> Any:
        """Take the next bytes."""


def checked_chunk(text: Bytes, text_ptr: Offsets, first: int) -> TextChunk:
    """The chunk, its ids from `first` on, as kernels need it; a BadUrl for one too long or not UTF-8."""
    text, text_ptr = frozen(np.asarray(text, np.uint8)), frozen(np.asarray(text_ptr, np.int64))
    if text_ptr[0] < 0 or text_ptr[-1] > text.size or (text_ptr[1:] < text_ptr[:-1]).any():
        raise ValueError("text_ptr must ascend from 0 or more to at most the length of the text")
    bad = first_longer(text_ptr, LONGEST_TEXT)
    if bad >= 0:
        size = show_size(int(text_ptr[bad + 1] - text_ptr[bad]))
        raise BadUrl(
            f"URL {first + bad} is {size} long; the most is {show_size(LONGEST_TEXT)}. Is a line end missing?",
            first + bad,
        )
    bad = first_not_utf8(text, text_ptr)
    if bad >= 0:
        found = bytes(text[text_ptr[bad] : text_ptr[bad + 1]])[:80]
        raise BadUrl(
            f"URL {first + bad} is not UTF-8: {found!r}. Name the encoding of the file, or convert it.",
            first + bad,
        )
    return text, text_ptr


class Coder:
    """Codes ascending strings a segment at a time; equal ones may follow each other."""

    def __init__(self, text: Sink, ptr: Sink, symbols: Sink, name: str = "URLs") -> None:
        self.count = 0
        self.size = 0
        self._text, self._ptr, self._symbols, self._name = text, ptr, symbols, name
        self._held: list[TextChunk] = []
        self._held_count = 0
        self._last = b""
        ptr.write(np.zeros(1, np.int64).tobytes())

    def descent(self, text: Bytes, text_ptr: Offsets) -> int:
        """The first string of the chunk that breaks the ascending order, −1 where none does."""
        if len(text_ptr) > 1 and bytes(text[text_ptr[0] : text_ptr[1]]) < self._last:
            return 0
        return int(first_descent(text, text_ptr))

    def append(self, text: Bytes, text_ptr: Offsets) -> None:
        """Add a chunk that checked_chunk() has passed and descent() found in order."""
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
        """Write what is held; nothing can be added any more."""
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
    """Several chunks as one whose pointers start at 0."""
    texts = [text[ptr[0] : ptr[-1]] for text, ptr in chunks]
    bases = np.cumsum([0, *(len(text) for text in texts)])
    pointers = [ptr[1:] - ptr[0] + base for (_, ptr), base in zip(chunks, bases, strict=False)]
    return frozen(np.concatenate([np.empty(0, np.uint8), *texts])), frozen(
        np.concatenate([np.zeros(1, np.int64), *pointers])
    )


class _ArrayFile:
    """A .npy file whose rows come piece by piece; its header is written again when their number is known."""

    def __init__(self, path: Path, dtype: type, row: tuple[int, ...] = ()) -> None:
        self._file = path.open("wb")
        self._dtype, self._row = np.dtype(dtype), row
        self._size = 0
        self._write_header(0)

    def _write_header(self, rows: int) -> None:
        # NumPy pads the header for a longer number of rows, so that it can be replaced in place.
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (rows, *self._row)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def write(self, data: bytes) -> None:
        self._size += self._file.write(data)

    def close(self, *, whole: bool) -> None:
        with self._file:
            if whole:
                self._file.seek(0)
                self._write_header(self._size // (self._dtype.itemsize * int(np.prod(self._row))))


class UrlTableWriter:
    """Writes the files of a UrlTable from URLs in ascending byte order, in constant memory."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._name = str(folder / stem)
        self._text = (folder / f"{stem}.text").open("wb")
        self._ptr = _ArrayFile(folder / f"{stem}.ptr.npy", np.int64)
        self._symbols = _ArrayFile(folder / f"{stem}.symbols.npy", np.uint8, (256, SYMBOL + 1))
        self._coder = Coder(self._text, self._ptr, self._symbols)

    def __len__(self) -> int:
        return self._coder.count

    def append(self, text: Bytes, text_ptr: Offsets) -> None:
        """Add the next URLs."""
        text, text_ptr = checked_chunk(text, text_ptr, len(self))
        wrong = self._coder.descent(text, text_ptr)
        if wrong >= 0:
            found = bytes(text[text_ptr[wrong] : text_ptr[wrong + 1]])[:200].decode(errors="replace")
            raise BadUrl(
                f"{self._name}: URL {len(self) + wrong} '{found}' comes before the one ahead of it. URLs "
                "must ascend by their bytes; sort them first.",
                len(self) + wrong,
            )
        self._coder.append(text, text_ptr)

    def close(self, *, whole: bool = True) -> None:
        """Finish the files; with whole=False only let go of them."""
        try:
            if whole:
                self._coder.finish()
        except BaseException:
            whole = False
            raise
        finally:
            self._text.close()
            self._ptr.close(whole=whole)
            self._symbols.close(whole=whole)

    def __enter__(self) -> UrlTableWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(whole=kind is None)
