"""Formats of graph programs: Pajek (.net), GraphML (.graphml), Matrix Market (.mtx), adjacency lists (.adj).

All of them hold every page, with links or without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any

import numpy as np

from seedbed.common.atomic_files import moved_into
from seedbed.common.compression import written_compressed
from seedbed.links.link_store import Block
from seedbed.urls.url_table import UrlTable
from seedbed.writers.edges import Quoting
from seedbed.writers.job import Job, Saved
from seedbed.writers.text import LINE_ENDS, names, page_ranges, refuse_repeated, refuse_urls, texts, write_lines

# XML 1.0 has no way to write these, not even escaped.
_NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\x{fffe}|\x{ffff}"
_XML_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_PAGES_OF_LISTS = 1 << 12


def _written(job: Job, kind: str, write: Callable[[IO[bytes]], None], lost: tuple[str, ...]) -> Saved:
    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        with written_compressed(file) as out:
            write(out)
        size = file.stat().st_size
    return Saved(job.path, kind, size, lost)


def write_pajek(job: Job) -> Saved:
    """*Vertices, with URLs as labels, and *Arcs; ids start at 1."""
    urls = job.web.urls
    if urls is not None:
        refuse_urls(urls, LINE_ENDS, "a line end in it, and Pajek has vertices one a line")
        refuse_urls(
            urls,
            r'"\s|^\s|\s$|^$',
            "a blank behind a quote, or at an end, where a label of Pajek's would end",
        )

    def write(out: IO[bytes]) -> None:
        out.write(f"*Vertices {job.web.page_count}\n".encode())
        if urls is not None:
            for pages in page_ranges(job.web):
                write_lines(out, texts(pages + 1), ' "', names(urls, pages), '"')
        out.write(b"*Arcs\n")
        for sources, targets in job.pairs():
            write_lines(out, texts(sources + 1), " ", texts(targets + 1))

    return _written(job, "pajek", write, job.lost("nofollow", "columns"))


def write_matrix_market(job: Job) -> Saved:
    """A pattern: an entry in row i and column j is a link from page i − 1 to page j − 1."""

    def write(out: IO[bytes]) -> None:
        pages = job.web.page_count
        out.write(f"%%MatrixMarket matrix coordinate pattern general\n{pages} {pages} {job.web.link_count}\n".encode())
        for sources, targets in job.pairs():
            write_lines(out, texts(sources + 1), " ", texts(targets + 1))

    return _written(job, "matrix-market", write, job.lost("urls", "nofollow", "columns"))


def write_graphml(job: Job) -> Saved:
    """Nodes n0, n1, … with URLs and the web's columns as data, and edges."""
    urls = job.web.urls
    if urls is not None:
        refuse_urls(urls, _NOT_IN_XML, "a control character in it, which XML cannot hold")

    def write(out: IO[bytes]) -> None:
        out.write(_graphml_head(job).encode())
        for pages in page_ranges(job.web):
            data: list[Any] = []
            if urls is not None:
                data += ['<data key="url">', _escaped(names(urls, pages)), "</data>"]
            for name, values in job.web.columns.items():
                data += [f'<data key="{name}">', texts(values[pages]), "</data>"]
            write_lines(out, '<node id="n', texts(pages), '">', *data, "</node>")
        for sources, targets in job.pairs():
            write_lines(out, '<edge source="n', texts(sources), '" target="n', texts(targets), '"/>')
        out.write(b"</graph>\n</graphml>\n")

    return _written(job, "graphml", write, job.lost("nofollow"))


def _graphml_head(job: Job) -> str:
    kinds = {"b": "boolean", "f": "double", "i": "long", "u": "long"}
    keys = {name: kinds[values.dtype.kind] for name, values in job.web.columns.items()}
    keys |= {"url": "string"} if job.web.urls is not None else {}
    lines = [f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n' for name, kind in keys.items()]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + "".join(lines)
        + '<graph edgedefault="directed">\n'
    )


def _escaped(text: Any) -> Any:
    import pyarrow.compute as pc

    for sign, escape in _XML_ESCAPES.items():
        text = pc.replace_substring(text, sign, escape)
    return text


def write_adjacency(job: Job) -> Saved:
    """A line a page: the page and then all that it links to. Ids have blanks between them, URLs tabs."""
    urls = job.web.urls
    if urls is not None:
        refuse_repeated(urls)
    fields = _Ids() if urls is None else _Urls(urls)

    def write(out: IO[bytes]) -> None:
        for block in job.blocks():
            for first in range(0, len(block.out_ptr) - 1, _PAGES_OF_LISTS):
                _write_lists(out, block, first, fields)

    return _written(job, "adjacency", write, job.lost("nofollow", "columns"))


class _Ids:
    separator = " "

    def names(self, pages: Any) -> Any:
        return texts(pages)


class _Urls(Quoting):
    separator = "\t"

    def __init__(self, urls: UrlTable) -> None:
        super().__init__(urls, self.separator)


def _write_lists(out: IO[bytes], block: Block, first: int, fields: _Ids | _Urls) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    pointers = block.out_ptr[first : first + _PAGES_OF_LISTS + 1]
    targets = block.out_idx[pointers[0] : pointers[-1]].astype(np.int64)
    pages = np.arange(len(pointers) - 1) + block.first + first
    pages_first = np.insert(targets, pointers[:-1] - pointers[0], pages)
    places = pointers - pointers[0] + np.arange(len(pointers))
    lists = pa.LargeListArray.from_arrays(pa.array(places), fields.names(pages_first))
    write_lines(out, pc.binary_join(lists, pa.scalar(fields.separator, pa.large_string())))
