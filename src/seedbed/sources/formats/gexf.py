"""GEXF, Gephi's own format; read by NetworkX."""

from __future__ import annotations

from pathlib import Path

from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import read_xml, root_is
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions


def detect(head: Head) -> bool:
    """Whether the file is XML whose first element is gexf."""
    return root_is(head, "gexf")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph."""
    from networkx import read_gexf

    return read_xml(path, options, "GEXF", read_gexf)


FORMAT = Format(name="gexf", meaning="Gephi's GEXF", detect=detect, read=read, raw_urls=True)
