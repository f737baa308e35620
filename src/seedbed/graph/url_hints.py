"""How a web without URLs is given some: that depends on the format it was read from."""

from __future__ import annotations

_BESIDE_THE_LIST = "Put a table of pages beside it, with an id and a URL a line"
_ATTRIBUTE = "Give its nodes an attribute 'url'"
_HINTS = {
    "bvgraph": "Put a .urls file beside the graph, one URL a line, in page order",
    "edges": _BESIDE_THE_LIST,
    "adjacency": _BESIDE_THE_LIST,
    "parquet": "Use two columns of URLs instead of ids",
    "pajek": "Give its vertices their URLs as labels",
    "graphml": _ATTRIBUTE,
    "gexf": _ATTRIBUTE,
    "gml": _ATTRIBUTE,
    "dot": _ATTRIBUTE,
    "networkx": "Use the URLs as nodes",
}
_ELSE = "Convert it to BVGraph and put a .urls file beside that, one URL a line, in page order"


def how_to_add_urls(format: str) -> str:  # noqa: A002 - the word users know
    """A sentence for webs of a format."""
    return f"{_HINTS.get(format, _ELSE)}."


def how_to_add_hosts(format: str) -> str:  # noqa: A002
    """A sentence for webs of a format, of which URLs would do as well."""
    by_file = "give one host a line, in page order, with --hosts FILE."
    return f"{_HINTS[format]}, or {by_file}" if format in _HINTS else f"To add them, {by_file}"
