"""GEXF, Gephi's own format; read by NetworkX."""

from __future__ import annotations

import io
from pathlib import Path

from seedbed.graph.web import Web
from seedbed.sources.graph_documents import parsed, web_of_graph
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.xml_checks import checked_xml, root_is


def detect(path: Path) -> bool:
    """Whether the file is XML whose first element is gexf."""
    return root_is(path, "gexf")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph."""
    data = checked_xml(path, options)
    from networkx import read_gexf

    graph = parsed(path, "GEXF", lambda: read_gexf(io.BytesIO(data)))
    return web_of_graph(path, "gexf", graph, options)
