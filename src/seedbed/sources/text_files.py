"""Text files, plain or compressed (judged by their first bytes), in pieces of whole lines.

Lines end with LF, CRLF or, as on old Macs, CR alone, which becomes LF. Memory is bounded whatever the file holds: a
piece is a few MiB, a line at most LONGEST_LINE, a decoder's window 128 MiB.
Each piece carries its line number, so that every error can name its line.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import numpy as np

from seedbed.common.arrays import Bytes
from seedbed.common.compression import decompressed
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, UsageError
from seedbed.urls.url_table import TextChunk

PIECE = 1 << 22
LONGEST_LINE = 1 << 24
THREADS = 2
_NEWLINE, _RETURN = ord("\n"), ord("\r")

T = TypeVar("T")
R = TypeVar("R")


def count_lines(text: Bytes) -> int:
    """The number of newlines in a text."""
    return int(np.count_nonzero(text == _NEWLINE))


class NotUtf8(InputError):
    """Text that should be UTF-8 but is not."""


class DamagedCompression(InputError):
    """A compressed file that is truncated or corrupt. Everything before that place has been read."""


class TooLongLine(InputError):
    """A line that is longer than allowed."""


class Piece(NamedTuple):
    """Whole lines of a file; the last byte is a newline. `line` is the number of the first line."""

    path: Path
    line: int
    text: Bytes

    def error(self, row: int, message: str) -> InputError:
        """The error with this message on line `row` of this piece, counted from 0."""
        return InputError(f"{self.path}, line {self.line + row}: {message}")

    def from_byte(self, offset: int) -> Piece:
        """The rest of the piece from the start of a line."""
        return Piece(self.path, self.line + count_lines(self.text[:offset]), self.text[offset:])

    def checked(self) -> Piece:
        """The piece itself, if it is UTF-8; otherwise raises NotUtf8."""
        try:
            codecs.utf_8_decode(self.text, "strict", True)  # type: ignore[arg-type]
        except UnicodeDecodeError as error:
            line = self.line + count_lines(self.text[: error.start])
            raise not_utf8(self.path, line, self.text[error.start]) from None
        return self


def not_utf8(path: Path, line: int, byte: int) -> NotUtf8:
    """The error for an invalid byte on a line."""
    return NotUtf8(
        f"{path}, line {line}: the byte 0x{byte:02x} is not UTF-8. If the file is in another encoding, name it, "
        "for example --encoding latin-1."
    )


def pieces(
    path: Path,
    *,
    encoding: str | None = None,
    progress: Progress = no_progress,
    block: int = PIECE,
    longest_line: int | None = None,
) -> Iterator[Piece]:
    """The file in pieces of whole lines, about a block each; converted to UTF-8 if `encoding` is given."""
    return whole_lines_of(path, blocks(path, encoding=encoding, progress=progress, block=block), longest_line)


def whole_lines_of(path: Path, blocks: Iterable[bytes], longest_line: int | None = None) -> Iterator[Piece]:
    """The blocks of a file, split anywhere, as pieces of whole lines."""
    line, rest, longest = 1, b"", longest_line or LONGEST_LINE
    for data in _without_lone_returns(blocks):
        rest += data
        cut = rest.rfind(b"\n", len(rest) - len(data)) + 1
        if cut:
            piece = Piece(path, line, np.frombuffer(rest, np.uint8, cut))
            yield piece
            line, rest = line + count_lines(piece.text), rest[cut:]
        if len(rest) > longest:
            raise TooLongLine(f"{path}, line {line}: longer than {longest >> 20} MiB without a line end. Is it text?")
    if rest:
        yield Piece(path, line, np.frombuffer(rest + b"\n", np.uint8))


def _without_lone_returns(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same text with LF in place of every CR that no LF follows."""
    held = b""
    for block in blocks:
        data, held = held + block, b""
        if block.endswith(b"\r"):
            data, held = data[:-1], b"\r"
        if data.count(b"\r") != data.count(b"\r\n"):
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield data
    if held:
        yield b"\n"


def blocks(
    path: Path, *, encoding: str | None = None, progress: Progress = no_progress, block: int = PIECE
) -> Iterator[bytes]:
    """The text of the file in blocks split anywhere, converted to UTF-8 if `encoding` is given; the last is empty."""
    size = path.stat().st_size
    with path.open("rb", buffering=0) as raw:
        for data in opened_blocks(raw, path, encoding, block):
            progress(f"reading {path.name}", raw.tell(), size)
            yield data


def opened_blocks(raw: IO[bytes], path: Path, encoding: str | None, size: int) -> Iterator[bytes]:
    """The same for an open file, about `size` bytes each."""
    blocks = _decompressed(raw, path, size)
    if encoding is None:
        yield from blocks
        return
    try:
        "".encode(encoding)
        decoder = codecs.getincrementaldecoder(encoding)()
    except (LookupError, UnicodeError):
        raise UsageError(f"unknown encoding '{encoding}'. Known ones include latin-1, cp1252 and utf-16.") from None
    try:
        for block in blocks:
            yield decoder.decode(block, final=not block).encode()
    except UnicodeError as error:
        raise InputError(f"{path}: is not in the encoding {encoding} ({error}).") from None


def text_chunks(path: Path, *, encoding: str | None = None, progress: Progress = no_progress) -> Iterator[TextChunk]:
    """The lines of a list, one string per line, including blank ones."""
    for piece in pieces(path, encoding=encoding, progress=progress):
        yield lines_of(piece.checked())


def lines_of(piece: Piece) -> TextChunk:
    """The lines of a piece without newlines, including blank ones."""
    ends = np.flatnonzero(piece.text == _NEWLINE)
    returns = ends[piece.text[ends - 1] == _RETURN] - 1
    text = np.delete(piece.text, np.concatenate([ends, returns]))
    dropped = np.arange(len(ends)) + np.searchsorted(returns, ends)
    return text, np.concatenate([[0], ends - dropped])


def _decompressed(raw: IO[bytes], path: Path, size: int) -> Iterator[bytes]:
    """The bytes of the file; the last block is empty."""
    mark = codecs.BOM_UTF8
    try:
        for data in filter(None, decompressed(raw, size)):
            yield data.removeprefix(mark)
            mark = b""
    except OSError as error:
        if error.errno is not None:
            raise
        raise DamagedCompression(
            f"{path}: damaged near compressed byte {raw.tell()} ({error}). Was it cut short? Fetch it again."
        ) from None
    yield b""


def in_order(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """work(item) for every item, in order, a few at a time in threads while the next items are fetched."""
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
