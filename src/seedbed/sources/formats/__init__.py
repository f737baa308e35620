"""All formats by name, one file each, in the order in which they are tried.

The last ones accept any lines that look like links. Formats of other packages are tried before those, and after our
formats that are certain: recognised by a magic word, a name or the form of every line.
"""

from __future__ import annotations

from collections.abc import Iterator

from seedbed.common.declarations import Registry
from seedbed.sources.format import Format, checked_format

_CERTAIN = {
    "store": "store",
    "bvgraph": "bvgraph",
    "parquet": "parquet",
    "archive": "archive",
    "matlab": "matlab",
    "crawl-log": "crawl_log",
    "linkdb": "linkdb",
    "scrapy": "scrapy_items",
    "urlfrontier": "urlfrontier_dump",
    "matrix-market": "matrix_market",
    "pajek": "pajek",
    "graphml": "graphml",
    "gexf": "gexf",
    "gml": "gml",
    "dot": "dot",
    "kleinberg": "kleinberg",
    "ukwa": "ukwa",
    "common-crawl": "common_crawl",
    "wdc": "wdc",
}
_ANY_LINKS = {"tables": "tables", "adjacency": "adjacency", "url-edges": "url_edges", "edges": "edges"}

FORMATS: Registry[Format] = Registry(
    "format",
    "seedbed.formats",
    {name: f"{__name__}.{module}:FORMAT" for name, module in (_CERTAIN | _ANY_LINKS).items()},
    checked_format,
)


def formats_in_order() -> Iterator[Format]:
    """The formats in the order they are tried; those of other packages are not looked up before their turn."""
    yield from (FORMATS[name] for name in _CERTAIN)
    yield from (FORMATS[name] for name in FORMATS if name not in _CERTAIN and name not in _ANY_LINKS)
    yield from (FORMATS[name] for name in _ANY_LINKS)
