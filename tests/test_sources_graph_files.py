"""GraphML, GEXF, GML, DOT and MATLAB files: what other programs write, by hand, and what is refused."""

from __future__ import annotations

import gzip
import io
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pydot
import pytest
import scipy.io
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from seedbed.errors import InputError, NotEnoughMemory
from seedbed.graph.web import Web
from seedbed.sources import graph_documents as graph_files
from seedbed.sources.opening import ReadOptions, open_web
from tests.sources import links_of, url_links_of

WRITERS: dict[str, Callable[[nx.Graph, Any], None]] = {
    "graphml": nx.write_graphml,
    "gexf": nx.write_gexf,
    "gml": nx.write_gml,
}
PACKERS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def small_graph() -> nx.DiGraph:
    graph = nx.DiGraph()
    for k, name in enumerate("abc"):
        graph.add_node(name, url=f"http://{name}.example/", rank=k / 4, crawled=k % 2, topic=f"about {name}")
    graph.add_edges_from([("a", "b"), ("b", "c"), ("c", "a"), ("c", "c")])
    return graph


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("kind", WRITERS)
def test_what_networkx_writes_is_read(tmp_path: Path, kind: str, packed: str) -> None:
    file = io.BytesIO()
    WRITERS[kind](small_graph(), file)
    (tmp_path / "web").write_bytes(PACKERS[packed](file.getvalue()))
    web = open_web(tmp_path / "web")
    assert (web.origin.format, web.origin.self_links) == (kind, 1)
    assert web.urls is not None
    assert list(web.urls) == [f"http://{name}.example/" for name in "abc"]
    assert links_of(web) == [(0, 1), (1, 2), (2, 0)]
    assert web.columns["rank"].tolist() == [0, 0.25, 0.5]
    assert web.columns["crawled"].tolist() == [False, True, False]
    assert set(web.columns) == {"rank", "crawled"}


@pytest.mark.parametrize("kind", WRITERS)
def test_an_undirected_edge_is_a_link_both_ways(tmp_path: Path, kind: str) -> None:
    graph = nx.Graph([("http://a.example/", "http://b.example/"), ("http://b.example/", "http://b.example/")])
    WRITERS[kind](graph, tmp_path / "web")
    web = open_web(tmp_path / "web", options=ReadOptions(keep_self_links=True))
    assert sorted(source[7] + target[7] for source, target in url_links_of(web)) == ["ab", "ba", "bb"]


def test_nodes_that_are_only_numbers_have_no_urls(tmp_path: Path) -> None:
    nx.write_graphml(nx.path_graph(4, create_using=nx.DiGraph), tmp_path / "web")
    assert open_web(tmp_path / "web").urls is None


def test_names_of_nodes_are_kept_where_there_are_no_urls(tmp_path: Path) -> None:
    nx.write_graphml(nx.DiGraph([("ann", "bob")]), tmp_path / "web")
    assert url_links_of(open_web(tmp_path / "web")) == [("ann", "bob")]


def test_missing_numbers_are_nan(tmp_path: Path) -> None:
    graph = small_graph()
    del graph.nodes["b"]["rank"]
    nx.write_graphml(graph, tmp_path / "web")
    assert np.isnan(open_web(tmp_path / "web").columns["rank"]).tolist() == [False, True, False]


@pytest.mark.parametrize("root", ["graphml", "gexf"])
@pytest.mark.parametrize("doctype", ["<!DOCTYPE g [<!ENTITY a 'ha'>]>", "<!DOCTYPE g SYSTEM 'file:///etc/passwd'>"])
def test_document_types_are_refused(tmp_path: Path, root: str, doctype: str) -> None:
    path = put(tmp_path, "web", f"<?xml version='1.0'?>\n{doctype}\n<{root}><graph/></{root}>")
    with pytest.raises(InputError, match="web, line 2: found a DOCTYPE"):
        open_web(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<graphml><graph edgedefault='directed'><node id='a'></graph></graphml>", "line 1: is not well-formed XML"),
        ("<graphml><graph edgedefault='directed'/><graph edgedefault='directed'/></graphml>", "several graphs"),
        ("<gexf xmlns='http://www.gexf.net/1.2draft'/>", "cannot be read as GEXF"),
        ("graph [ node [ id 0 ] node [ id 0 ] ]", "cannot be read as GML"),
        ("graph [ directed 1 ]", "has no nodes"),
        ("digraph {\n a -> \n}", "line 3: found '}'; an edge has no end"),
        ("digraph {\n a -- b \n}", "line 2: found '--"),
        ("digraph { a -> b } digraph { c }", "expected one graph"),
        ('digraph { a -> "b }', "line 1: found"),
        ("digraph { a -> b", "found the end"),
    ],
)
def test_what_is_no_graph_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match="web") as error:
        open_web(put(tmp_path, "web", text))
    assert said in str(error.value)


@pytest.mark.parametrize("text", ["<graphml>{}</graphml>", "graph [ {} ]", "digraph {{ {} }}"])
def test_large_files_are_refused_with_a_hint(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "web", text.format(" " * 100_000))
    with pytest.raises(NotEnoughMemory, match="Allow more with --memory, or save the graph as an edge list"):
        open_web(path, options=ReadOptions(memory=1 << 20))
    monkeypatch.setattr(graph_files, "MOST_BYTES", 1 << 10)
    with pytest.raises(InputError, match=r"larger than 1\.0 KiB.*edge list"):
        open_web(path)


def test_dot_by_hand(tmp_path: Path) -> None:
    text = """
    /* a comment */ strict digraph "the web" {
      graph [rankdir=LR]; node [shape=box] // defaults
      label = "not a page"
    # a line of the preprocessor
      subgraph cluster_0 { x -> y; z; }
      {p q} -> {r s}
      "a b":north -> c:port:n -> "say \\"hi\\"" [weight=3, label=<b <i>c</i>>]
      c [URL="http://c.example/" size=2.5]; "con" + "cat"
      subgraph cluster_0 -> c
    }"""
    web = open_web(put(tmp_path, "web.dot", text))
    assert web.urls is not None
    assert list(web.urls) == ["x", "y", "z", "p", "q", "r", "s", "a b", "c", 'say "hi"', "concat"]
    expected = 'x>y p>r p>s q>r q>s a b>c c>say "hi" x>c y>c z>c'.replace("a b", "a_b").replace("say ", "say_")
    assert {f"{a}>{b}".replace(" ", "_") for a, b in url_links_of(web)} == set(expected.split())


def test_urls_of_dot_nodes(tmp_path: Path) -> None:
    web = open_web(
        put(tmp_path, "g", 'graph { a [URL="http://a.example/"]; b [href="x", URL="http://b.example/"]; a--b }')
    )
    assert web.urls is not None
    assert (list(web.urls), web.link_count) == (["http://a.example/", "http://b.example/"], 2)


NAMES = st.text(alphabet='ab1 ->"{', min_size=1, max_size=4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot calls pyparsing by its older names
@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6), st.booleans())
@settings(deadline=None, max_examples=25)
def test_dot_is_what_pydot_makes_of_it(edges: list[tuple[str, str]], in_subgraph: bool) -> None:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '\\"') + '"'

    body = "; ".join(f"{quoted(a)} -> {quoted(b)}" for a, b in edges)
    text = f"digraph {{ subgraph s {{ {body} }} }}" if in_subgraph else f"digraph {{ {body} }}"
    graph = pydot.graph_from_dot_data(text)[0]
    graph = graph.get_subgraphs()[0] if in_subgraph else graph
    expected = {(edge.get_source()[1:-1], edge.get_destination()[1:-1]) for edge in graph.get_edges()}
    with tempfile.TemporaryDirectory() as folder:
        web = open_web(put(Path(folder), "g", text), options=ReadOptions(keep_self_links=True))
    if web.urls is not None and all(name == name.strip() for edge in edges for name in edge):
        assert set(url_links_of(web)) == {tuple(end.replace('\\"', '"') for end in edge) for edge in expected}


def test_a_product_of_subgraphs_beyond_memory_is_refused(tmp_path: Path) -> None:
    many = " ".join(f"n{k}" for k in range(3_000))
    path = put(tmp_path, "g", f"digraph {{ {{ {many} }} -> {{ {many} }} }}")
    with pytest.raises(NotEnoughMemory, match="9,000,000 edges"):
        open_web(path, options=ReadOptions(memory=1 << 22))


def test_brackets_and_blanks_without_end_are_read_in_linear_time(tmp_path: Path) -> None:
    for text in ("digraph {" + "<>" * 50_000, " " * 60_000 + "digraph", "digraph {" + "{" * 50_000, "/*" * 30_000):
        with pytest.raises(InputError):
            open_web(put(tmp_path, "g", text), format="dot")


def matrix() -> sparse.csc_matrix:
    return sparse.csc_matrix(([1.0, 2.0, 1.0, 0.0], ([0, 1, 2, 2], [1, 2, 0, 1])), (4, 4))


def written(folder: Path, **variables: Any) -> Web:
    scipy.io.savemat(folder / "web.mat", variables, do_compression=True)
    return open_web(folder / "web.mat")


def test_the_only_square_sparse_matrix_is_the_web(tmp_path: Path) -> None:
    web = written(tmp_path, A=matrix(), B=matrix()[:, :2], x=np.arange(9))
    assert (web.page_count, links_of(web), web.origin.format) == (4, [(0, 1), (1, 2), (2, 0)], "matlab")


def test_a_matrix_inside_a_structure(tmp_path: Path) -> None:
    web = written(tmp_path, Problem={"A": matrix(), "name": "a web", "b": matrix()[:, :1]})
    assert links_of(web) == [(0, 1), (1, 2), (2, 0)]


def test_old_and_packed_matrices(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "old.mat", {"A": matrix()}, format="4")
    assert open_web(tmp_path / "old.mat").link_count == 3
    scipy.io.savemat(tmp_path / "new.mat", {"A": matrix()})
    (tmp_path / "new.mat.gz").write_bytes(gzip.compress((tmp_path / "new.mat").read_bytes()))
    assert open_web(tmp_path / "new.mat.gz").link_count == 3


def test_matrices_that_are_not_one_web_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"several square sparse matrices, A, B\."):
        written(tmp_path, A=matrix(), B=matrix())
    with pytest.raises(InputError, match=r"no square sparse matrix, .*found C \(4 × 4 double\)"):
        written(tmp_path, C=matrix().toarray())


def test_matlab_7_3_is_told(tmp_path: Path) -> None:
    (tmp_path / "web.mat").write_bytes(
        b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b"\0") + b"\x89HDF\r\n\x1a\n"
    )
    with pytest.raises(InputError, match=r"web\.mat: is MATLAB 7\.3, which is HDF5.*'-v7'"):
        open_web(tmp_path / "web.mat")


def test_a_variable_that_unpacks_without_bounds_is_refused(tmp_path: Path) -> None:
    packed = zlib.compress(bytes(64 << 20))
    element = np.array([15, len(packed)], "<u4").tobytes() + packed
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    (tmp_path / "web.mat").write_bytes(header + element)
    assert len(packed) < 1 << 17
    with pytest.raises(NotEnoughMemory, match="Allow more with --memory"):
        open_web(tmp_path / "web.mat", options=ReadOptions(memory=1 << 24))
