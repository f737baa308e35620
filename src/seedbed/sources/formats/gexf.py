"""GEXF, Gephi's own format; read by NetworkX."""

from __future__ import annotations

import io
from pathlib import Path

from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import checked_xml, parsed, root_is, web_of_graph
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions


def detect(head: Head) -> bool:
    """Whether the file is XML whose first element is gexf."""
    return root_is(head, "gexf")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph."""
    data = checked_xml(path, options)
    from networkx import read_gexf

    graph = parsed(path, "GEXF", lambda: read_gexf(io.BytesIO(data)))
    return web_of_graph(path, "gexf", graph, options)


FORMAT = Format(
    name="gexf",
    meaning="Gephi's GEXF",
    detect=detect,
    read=read,
    raw_urls=True,
)
