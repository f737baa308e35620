"""Webs from NetworkX graphs and SciPy matrices. String labels become URLs."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.web import Origin, Web
from seedbed.links.link_builder import LinkBuilder, Pairs
from seedbed.urls.url_table import UrlTable


def from_networkx(graph: Any, *, keep_self_links: bool = False) -> Web:
    """The web of a NetworkX graph, with pages in node order; an undirected edge becomes a link in each direction.

    If all nodes are strings, these are the URLs; if they are 0 … n − 1, each is its own page id.

    >>> import networkx as nx, seedbed as sb
    >>> sb.from_networkx(nx.DiGraph([("http://a.example/", "http://b.example/")]))
    Web(2 pages, 1 links, csr)
    """
    nodes = list(graph)
    if all(isinstance(node, int) for node in nodes) and sorted(nodes) == list(range(len(nodes))):
        nodes = list(range(len(nodes)))
    builder = LinkBuilder(len(nodes), keep_self_links=keep_self_links)
    builder.add(*graph_ends(graph, nodes), both_ways=not graph.is_directed())
    named = bool(nodes) and all(isinstance(node, str) for node in nodes)
    return _web(builder, "networkx", keep_self_links, UrlTable.from_strings(nodes) if named else None)


def graph_ends(graph: Any, nodes: list[Any] | None = None) -> Pairs:
    """The two ends of every edge, as positions in the list of nodes."""
    page_of = {node: page for page, node in enumerate(graph if nodes is None else nodes)}
    ends = np.fromiter(
        (page_of[node] for edge in graph.edges() for node in edge), np.int64, 2 * graph.number_of_edges()
    )
    return ends[::2], ends[1::2]


def from_scipy(matrix: Any, *, keep_self_links: bool = False) -> Web:
    """The web of a sparse matrix: a non-zero entry in row i and column j is a link from page i to page j.

    >>> import seedbed as sb
    >>> sb.from_scipy([[0, 1], [1, 0]])
    Web(2 pages, 2 links, csr)
    """
    from scipy.sparse import coo_array

    entries = coo_array(matrix)
    rows, columns = entries.shape
    if rows != columns:
        raise InputError(f"a matrix of {rows} × {columns} is not a web; rows and columns must be the same pages.")
    kept = entries.data != 0
    builder = LinkBuilder(rows, keep_self_links=keep_self_links)
    builder.add(entries.row[kept], entries.col[kept])
    return _web(builder, "scipy", keep_self_links, None)


def _web(builder: LinkBuilder, kind: str, keep_self_links: bool, urls: UrlTable | None) -> Web:
    built = builder.finish()
    origin = Origin("", kind, built.self_links, built.duplicate_links, not keep_self_links)
    return Web(built.links, urls, origin=origin)
