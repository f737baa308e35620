"""Matrix Market coordinate files: an entry in row i and column j is a link from page i − 1 to page j − 1.

Pattern, real, integer and complex matrices are treated alike: values are not read. In symmetric, skew-symmetric and
Hermitian ones, each entry is a link in both directions.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np

from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout, Numbering, Rows, add_links, without_header
from seedbed.sources.writing import WriteJob, texts, write_lines

_MAGIC = b"%%matrixmarket"
_LAYOUT = Layout(quotes=NO_QUOTES, comments=b"%")
_ONE_WAY, _BOTH_WAYS = {"general"}, {"symmetric", "skew-symmetric", "hermitian"}


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the matrix's entries."""
    lines = options.pieces([path])
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path}: is empty.")
    both_ways = _is_symmetric(first)
    for piece in chain([first], lines):
        if len(rows := Rows.cut(piece, _LAYOUT, 3)):
            break
    else:
        raise InputError(f"{path}: has no size line 'rows columns entries'.")
    size = rows.at(slice(0, 1))
    pages, columns, entries = (int(size.integers(k, "a size")[0]) for k in range(3))
    if pages != columns or pages < 0 or entries < 0:
        raise size.error(0, f"a matrix of {pages} × {columns} is not a web; it must be square.")
    builder, body = options.builder(pages), without_header(chain([piece], lines), _LAYOUT)
    found = add_links(builder, body, _LAYOUT, numbering=Numbering(1, pages), both_ways=both_ways)
    if found != entries:
        raise InputError(f"{path}: has {found} entries, but its size line says {entries}. Was it cut short?")
    return options.web(path, "matrix-market", builder)


def _is_symmetric(first: Piece) -> bool:
    line = bytes(first.text[: int(np.argmax(first.text == ord("\n")))]).decode("utf-8", "replace")
    words = line.lower().split()
    if len(words) != 5 or words[1:3] != ["matrix", "coordinate"] or words[4] not in _ONE_WAY | _BOTH_WAYS:
        raise first.error(
            0,
            f"found '{line[:80].strip()}', expected '%%MatrixMarket matrix coordinate' with a field and a symmetry. "
            "Other kinds of Matrix Market files hold no links.",
        )
    return words[4] in _BOTH_WAYS


def write(job: WriteJob) -> None:
    """Write a pattern matrix: an entry in row i and column j is a link from page i − 1 to page j − 1."""
    pages = job.web.page_count
    with written_compressed(job.files[0]) as out:
        out.write(f"%%MatrixMarket matrix coordinate pattern general\n{pages} {pages} {job.web.link_count}\n".encode())
        for sources, targets in job.pairs():
            write_lines(out, texts(sources + 1), " ", texts(targets + 1))


FORMAT = Format(
    name="matrix-market",
    meaning="`%%MatrixMarket matrix coordinate`",
    detect=lambda head: head.data[: len(_MAGIC)].lower() == _MAGIC,
    read=read,
    write=write,
    endings=(".mtx",),
    holds=(),
)
