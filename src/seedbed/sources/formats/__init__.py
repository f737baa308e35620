"""All formats by name, with the place of their declaration, in the order in which they are tried.

The last ones accept any lines that look like links. Formats of other packages are tried before those, and after our
formats that are certain: recognised by a magic word, a name or the form of every line.
"""

from __future__ import annotations

from collections.abc import Iterator

from seedbed.common.declarations import Registry
from seedbed.sources.format import Format, checked_format

_CERTAIN = {
    "store": "store:FORMAT",
    "bvgraph": "bvgraph:FORMAT",
    "parquet": "parquet:FORMAT",
    "archive": "archive:FORMAT",
    "matlab": "matlab:FORMAT",
    "crawl-log": "crawl_log:FORMAT",
    "linkdb": "linkdb:FORMAT",
    "scrapy": "scrapy_items:FORMAT",
    "urlfrontier": "urlfrontier_dump:FORMAT",
    "matrix-market": "matrix_market:FORMAT",
    "pajek": "pajek:FORMAT",
    "graphml": "networkx_files:GRAPHML",
    "gexf": "networkx_files:GEXF",
    "gml": "networkx_files:GML",
    "dot": "dot:FORMAT",
    "kleinberg": "kleinberg:FORMAT",
    "ukwa": "ukwa:FORMAT",
    "common-crawl": "common_crawl:FORMAT",
    "wdc": "wdc:FORMAT",
}
_ANY_LINKS = {
    "tables": "tables:FORMAT",
    "adjacency": "adjacency:FORMAT",
    "url-edges": "edges:URL_EDGES",
    "edges": "edges:EDGES",
}

FORMATS: Registry[Format] = Registry(
    "format",
    "seedbed.formats",
    {name: f"{__name__}.{place}" for name, place in (_CERTAIN | _ANY_LINKS).items()},
    checked_format,
)


def formats_in_order() -> Iterator[Format]:
    """The formats in the order they are tried; those of other packages are not looked up before their turn."""
    yield from (FORMATS[name] for name in _CERTAIN)
    yield from (FORMATS[name] for name in FORMATS if name not in _CERTAIN and name not in _ANY_LINKS)
    yield from (FORMATS[name] for name in _ANY_LINKS)
