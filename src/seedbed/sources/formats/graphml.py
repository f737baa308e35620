"""GraphML, as Gephi, yEd, igraph and NetworkX write it; read by NetworkX."""

from __future__ import annotations

from functools import partial
from typing import Any

from seedbed.common.compression import written_compressed
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import read_xml, root_is
from seedbed.sources.writing import WriteJob, names, refuse_urls, texts, write_lines

# XML 1.0 has no way to write these, not even escaped.
_NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\x{fffe}|\x{ffff}"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_TYPES = {"b": "boolean", "f": "double", "i": "long", "u": "long"}


def write(job: WriteJob) -> None:
    """Write nodes n0, n1, … with URLs and the web's columns as data, and edges."""
    urls, columns = job.web.urls, job.web.columns
    if urls is not None:
        refuse_urls(urls, _NOT_IN_XML, "a control character in it, which XML cannot hold")
    with written_compressed(job.files[0]) as out:
        out.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        keys = {name: _TYPES[values.dtype.kind] for name, values in columns.items()}
        for name, kind in (keys | ({"url": "string"} if urls is not None else {})).items():
            out.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'.encode())
        out.write(b'<graph edgedefault="directed">\n')
        for pages in job.page_ranges():
            data: list[Any] = []
            if urls is not None:
                data += ['<data key="url">', _escaped(names(urls, pages)), "</data>"]
            for name, values in columns.items():
                data += [f'<data key="{name}">', texts(values[pages]), "</data>"]
            write_lines(out, '<node id="n', texts(pages), '">', *data, "</node>")
        for sources, targets in job.pairs():
            write_lines(out, '<edge source="n', texts(sources), '" target="n', texts(targets), '"/>')
        out.write(b"</graph>\n</graphml>\n")


def _escaped(text: Any) -> Any:
    import pyarrow.compute as pc

    for sign, escape in _ESCAPES.items():
        text = pc.replace_substring(text, sign, escape)
    return text


FORMAT = Format(
    name="graphml",
    meaning="GraphML",
    detect=partial(root_is, name="graphml"),
    read=partial(read_xml, name="GraphML"),
    write=write,
    endings=(".graphml",),
    holds=("urls", "columns"),
    raw_urls=True,
)
