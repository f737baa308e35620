"""GML, a language for graphs: `graph [ node [ id 0 label "…" ] edge [ source 0 target 1 ] ]`; read by NetworkX."""

from __future__ import annotations

import re
from pathlib import Path

from seedbed.graph.web import Web
from seedbed.sources.graph_documents import head_of, parsed, web_of_graph, whole_file
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import not_utf8

_START = re.compile(
    r'\ufeff?(?:\s*+(?:#[^\n]*+\n|[A-Za-z]\w*+\s++(?:"[^"]*+"|[-+.\w]++)(?=\s)))*+\s*+graph\s*+\[', re.ASCII
)


def detect(path: Path) -> bool:
    """Whether the text is `graph [`, perhaps behind comments and a creator and version."""
    return _START.match(head_of(path)) is not None


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph."""
    text = decoded(path, whole_file(path, options))
    from networkx import parse_gml

    graph = parsed(path, "GML", lambda: parse_gml(text, label="id"))
    return web_of_graph(path, "gml", graph, options)


def decoded(path: Path, data: bytes) -> str:
    """Bytes as UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, 1 + data.count(b"\n", 0, error.start), data[error.start]) from None
