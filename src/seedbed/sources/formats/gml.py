"""GML, a language for graphs: `graph [ node [ id 0 label "…" ] edge [ source 0 target 1 ] ]`; read by NetworkX."""

from __future__ import annotations

import re
from pathlib import Path

from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import parsed, web_of_graph, whole_text
from seedbed.sources.read_options import ReadOptions

# `graph [`, possibly after comments, a creator and a version.
_START = re.compile(
    r'\ufeff?(?:\s*+(?:#[^\n]*+\n|[A-Za-z]\w*+\s++(?:"[^"]*+"|[-+.\w]++)(?=\s)))*+\s*+graph\s*+\[', re.ASCII
)


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph."""
    text = whole_text(path, options)
    from networkx import parse_gml

    graph = parsed(path, "GML", lambda: parse_gml(text, label="id"))
    return web_of_graph(path, "gml", graph, options)


FORMAT = Format(
    name="gml",
    meaning="GML",
    detect=lambda head: _START.match(head.text) is not None,
    read=read,
    raw_urls=True,
)
