"""A web: pages, the links between them, their URLs and hosts. Immutable; every change returns a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ids, Ints, frozen
from seedbed.common.results import MissingPackage
from seedbed.errors import InputError, NeedsHosts, unknown

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.links.nofollow import Marks
    from seedbed.urls.sites import SiteKind, Sites
    from seedbed.urls.url_table import UrlTable


CRAWLED, UNCRAWLED = "crawled", "uncrawled"
"""Columns that say which pages were crawled, one by yes and one by no; the first counts if a web has both."""

_BESIDE_THE_LIST = "Put a table of pages next to it, with one id and URL per line"
_ATTRIBUTE = "Give its nodes an attribute 'url'"
_URL_HINTS = {
    "bvgraph": "Put a .urls file next to the graph, one URL per line, in page order",
    "edges": _BESIDE_THE_LIST,
    "adjacency": _BESIDE_THE_LIST,
    "parquet": "Use two columns of URLs instead of ids",
    "pajek": "Give its vertices their URLs as labels",
    "graphml": _ATTRIBUTE,
    "gexf": _ATTRIBUTE,
    "gml": _ATTRIBUTE,
    "dot": _ATTRIBUTE,
    "blocks": "Cut the blocks again, from a web that has URLs",
    "networkx": "Use the URLs as nodes",
}
_OTHER_HINT = "Convert it to BVGraph and put a .urls file next to that, one URL per line, in page order"


@dataclass(frozen=True)
class Origin:
    """Where a web came from, and counts from reading it (None: not counted). `notes`: what was left out, and why."""

    source: str = ""
    format: str = ""
    self_links: int | None = None
    duplicate_links: int | None = None
    removed: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(self.notes))


@dataclass(frozen=True, eq=False)
class Web:
    """Pages 0 … page_count − 1 and their links, with URLs, hosts and columns of page attributes if known.

    `nofollow`: which links are marked nofollow; None if unknown.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> web.page_count, web.urls.find(web.urls[7])
    (200, 7)
    >>> web.to_scipy().shape
    (200, 200)
    """

    links: LinkStore
    urls: UrlTable | None = None
    hosts: Sites | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    origin: Origin = Origin()
    nofollow: Marks | None = None

    def __post_init__(self) -> None:
        for what, length in self._lengths():
            if length != self.page_count:
                raise InputError(
                    f"{self.origin.source or 'web'}: {what} has {length} entries, but the web has {self.page_count} "
                    "pages. One entry per page is needed; is a file truncated, or from another graph?"
                )
        if self.nofollow is not None and self.nofollow.pages != self.page_count:
            raise ValueError(f"nofollow is of {self.nofollow.pages} pages, the web has {self.page_count}")
        columns = {name: frozen(np.asarray(values)) for name, values in self.columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def _lengths(self) -> list[tuple[str, int]]:
        lengths = [(f"the column '{name}'", len(values)) for name, values in self.columns.items()]
        if self.urls is not None:
            lengths.append(("the URL list", len(self.urls)))
        if self.hosts is not None:
            lengths.append(("the host list", len(self.hosts.of_page)))
        return lengths

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return self.links.page_count

    @property
    def link_count(self) -> int:
        """The number of links."""
        return self.links.link_count

    def __repr__(self) -> str:
        return f"Web({self.page_count:,} pages, {self.link_count:,} links, {self.links.kind})"

    @cached_property
    def crawled(self) -> Flags | None:
        """Which pages were crawled: their links were read. The others are only linked to. None if that is not known.

        Taken from the column `crawled`, or from its opposite `uncrawled`.
        """
        name = next((name for name in (CRAWLED, UNCRAWLED) if name in self.columns), None)
        if name is None:
            return None
        values = self.columns[name]
        wrong = np.flatnonzero((values != 0) & (values != 1))
        if len(wrong):
            raise InputError(
                f"{self.origin.source or 'this web'}: the column '{name}' is {values[wrong[0]]} for page {wrong[0]}; "
                "expected 0 or 1, which say whether a page was crawled. If it says something else, rename it."
            )
        return frozen(values == (name == CRAWLED))

    def baseline_pages(self) -> Ints:
        """The pages that random baselines are drawn from: those crawled; all if that is not known, or none was.

        The links of other pages are unknown, so any choice of seeds would look good next to them.
        """
        if self.crawled is None or not self.crawled.any():
            return np.arange(self.page_count)
        return np.flatnonzero(self.crawled)

    def sites(self, kind: SiteKind = "host") -> Sites:
        """The site of each page: its host, or its registered domain."""
        if kind == "host":
            return self._hosts
        if kind == "domain":
            return self._domains
        raise unknown("kind of site", kind, ("host", "domain"))

    @cached_property
    def _hosts(self) -> Sites:
        if self.hosts is not None:
            self.hosts.check()
            return self.hosts
        if self.urls is None:
            raise NeedsHosts(
                f"{self.origin.source or 'this web'}: hosts are needed, and the web has no URLs. "
                f"{how_to_add_hosts(self.origin.format)}"
            )
        from seedbed.urls.sites import hosts_of

        return hosts_of(self.urls)

    @cached_property
    def _domains(self) -> Sites:
        from seedbed.urls.sites import domains_of

        return domains_of(self._hosts)

    def transpose(self, *, memory: int | None = None, threads: int = 1) -> Web:
        """The same pages, every link reversed; on disk beyond `memory` bytes (default: a quarter of the machine's)."""
        from seedbed.links.transpose import transposed_within_memory

        links = transposed_within_memory(self.links, memory=memory, threads=threads)
        return replace(self, links=links, nofollow=None if self.nofollow is None else self.nofollow.transpose())

    def subgraph(self, pages: Ids) -> Web:
        """The given pages (ids or a mask), in their old order, and the links among them."""
        from seedbed.graph.transforms import subweb

        return subweb(self, pages)

    def without_links_inside(self, kind: SiteKind = "host") -> Web:
        """All pages, but only the links that lead from one site to another."""
        from seedbed.graph.transforms import links_between

        of_page = self.sites(kind).of_page
        nofollow = None if self.nofollow is None else self.nofollow.between(of_page)
        return replace(self, links=links_between(self.links, of_page), nofollow=nofollow)

    def without_nofollow(self, *, memory: int | None = None) -> Web:
        """The web without links marked nofollow and without the pages that only they name: those not `crawled` that
        no other link leads to or from. On disk beyond `memory` bytes (default: half the machine's).
        """
        from seedbed.graph.transforms import without_marked

        return without_marked(self, memory=memory)

    def union(self, *others: Web) -> Web:
        """The pages and links of this snapshot and the others, pages matched by URL and sorted by it."""
        from seedbed.graph.transforms import union_by_url

        return union_by_url((self, *others))

    def to_scipy(self) -> Any:
        """The links as a scipy.sparse.csr_array: entry (i, j) is 1 if page i links to page j."""
        from scipy.sparse import csr_array

        out_ptr, out_idx = self.links.to_csr().arrays()
        return csr_array((np.ones(self.link_count, np.int8), out_idx, out_ptr), shape=(self.page_count,) * 2)

    def to_networkx(self) -> Any:
        """A networkx.DiGraph; its nodes are the URLs, or the page ids if there are no URLs."""
        import networkx as nx

        graph = nx.DiGraph()
        names = self._names()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[a], names[b]) for a, b in self._pairs())
        return graph

    def to_igraph(self) -> Any:
        """A directed igraph.Graph, its vertices named by URL if known; igraph is not installed with seedbed."""
        try:
            import igraph
        except ImportError:
            raise MissingPackage("igraph") from None
        graph = igraph.Graph(n=self.page_count, edges=self._pairs(), directed=True)
        if self.urls is not None:
            graph.vs["name"] = self._names()
        return graph

    def _names(self) -> list[Any]:
        return list(range(self.page_count)) if self.urls is None else list(self.urls)

    def _pairs(self) -> list[tuple[int, int]]:
        links = self.to_scipy().tocoo()
        return list(zip(links.row.tolist(), links.col.tolist(), strict=True))


def how_to_add_urls(format: str) -> str:  # noqa: A002 - the word users know
    """A sentence that says how to add URLs to a web of this format."""
    return f"{_URL_HINTS.get(format, _OTHER_HINT)}."


def how_to_add_hosts(format: str) -> str:  # noqa: A002
    """The same for hosts, which URLs would also provide."""
    by_file = "give one host per line, in page order, with --hosts FILE."
    return f"{_URL_HINTS[format]}, or {by_file}" if format in _URL_HINTS else f"To add them, {by_file}"
