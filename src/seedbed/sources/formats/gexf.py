"""GEXF, Gephi's own format; read by NetworkX."""

from __future__ import annotations

from functools import partial

from seedbed.sources.format import Format
from seedbed.sources.graph_documents import read_xml, root_is

FORMAT = Format(
    name="gexf",
    meaning="Gephi's GEXF",
    detect=partial(root_is, name="gexf"),
    read=partial(read_xml, name="GEXF"),
    raw_urls=True,
)
