"""A web without hosts says how to give it some in the format that it came from."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

import seedbed as sb
from seedbed.errors import InputError, NeedsHosts
from seedbed.sources.opening import open_web

FORMATS = {
    "edges": ("web.txt", "0 1\n", "Put a table of pages next to it"),
    "adjacency": ("web.adj", "0 1 2\n1\n", "Put a table of pages next to it"),
    "matrix-market": (
        "web.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
        "To add them, give one host per line",
    ),
    "pajek": ("web.net", "*Vertices 2\n*Arcs\n1 2\n", "labels"),
    "gml": ("web.gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]", "an attribute 'url'"),
}


@pytest.mark.parametrize("kind", FORMATS)
def test_the_hint_fits_the_format(tmp_path: Path, kind: str) -> None:
    name, text, said = FORMATS[kind]
    (tmp_path / name).write_text(text)
    web = open_web(tmp_path / name)
    assert web.origin.format == kind
    with pytest.raises(NeedsHosts) as error:
        web.sites()
    assert said in str(error.value)
    assert "with --hosts FILE" in str(error.value)
    assert ".urls" not in str(error.value)
    with pytest.raises(InputError, match=r"has no URLs, and snapshots are joined by URL\. \w+"):
        web.union(web)


def test_what_the_hint_for_lists_says_works(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0 1\n")
    (tmp_path / "pages.txt").write_text("0 http://a.example/\n1 http://b.example/\n")
    assert open_web(tmp_path / "links.txt").sites().names[0] == "a.example"


def test_bvgraph_has_its_file_of_urls(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text("0 1\n")
    sb.save(open_web(tmp_path / "web.txt"), tmp_path / "web.graph")
    with pytest.raises(NeedsHosts, match=r"Put a \.urls file next to the graph"):
        open_web(tmp_path / "web.graph").sites()


def test_graphs_in_python_name_their_nodes() -> None:
    with pytest.raises(NeedsHosts, match="Use the URLs as nodes"):
        sb.from_networkx(nx.path_graph(3)).sites()
