"""Every format that is written comes back as it was, in our readers and in those of others."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.sources.formats import FORMATS
from seedbed.sources.saving import format_by_ending, written_formats
from seedbed.urls.url_table import UrlTable
from tests.commands import misused, seedbed
from tests.graphs import Lists, csr, lists_of, page_lists, web_of

ENDINGS = {
    "edges": ".tsv",
    "url-edges": ".csv",
    "tables": ".nodes.tsv",
    "adjacency": ".adj",
    "pajek": ".net",
    "graphml": ".graphml",
    "matrix-market": ".mtx",
    "parquet": ".parquet",
    "bvgraph": ".graph",
    "store": ".web",
}
BY_URL = ["url-edges", "tables", "adjacency", "pajek", "graphml", "bvgraph", "store"]
READABLE = [name for name in ENDINGS if name in FORMATS]
LISTS = [[1, 2, 3], [], [0, 3, 4], [1], [0]]
ODD = [
    "http://a.example/?a=1&b=<2>",
    'http://b.example/"q"',
    "http://c.example/it's,x;y|z",
    "http://d.example/é#%",
    "//e.example/x",
]


def url_lists(web: Web) -> dict[str, list[str]]:
    """The URLs that each page links to, by its own."""
    assert web.urls is not None
    urls = list(web.urls)
    return {urls[page]: sorted(urls[target] for target in row) for page, row in enumerate(lists_of(web.links))}


def without_self_links(lists: Lists) -> Lists:
    return [[target for target in row if target != page] for page, row in enumerate(lists)]


def test_every_format_that_is_written_is_tested_here() -> None:
    assert set(ENDINGS) == set(written_formats())


@pytest.mark.parametrize("name", [name for name in READABLE if name not in ("url-edges", "tables")])
@given(page_lists(12).filter(lambda lists: any(without_self_links(lists))))
@settings(deadline=None, max_examples=15)
def test_a_web_without_urls_comes_back(name: str, lists: Lists) -> None:
    lists = without_self_links(lists)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"my{ENDINGS[name]}"
        saved = sb.save(web_of(lists), path, to=name)
        found = lists_of(sb.open(path, format=name).links)
    assert found == lists[: len(found)]
    lost = len(lists) - len(found)
    assert not any(lists[len(found) :])
    assert any(f"the last {lost} pages" in note for note in saved.notes) == (lost > 0)


@pytest.mark.parametrize("name", [name for name in BY_URL if name in READABLE])
@given(page_lists(12).filter(lambda lists: any(without_self_links(lists))), st.data())
@settings(deadline=None, max_examples=15)
def test_a_web_with_urls_comes_back(name: str, lists: Lists, data: st.DataObject) -> None:
    tails = st.text("ab/?&=<>\"',;|%#~ é\t" if name == "store" else "ab/?&=<>\"',;|%#~é", max_size=6)
    urls = [f"http://{page}.example/{data.draw(tails)}x" for page in range(len(lists))]
    web = web_of(without_self_links(lists), urls)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"my{ENDINGS[name]}"
        saved = sb.save(web, path, to=name)
        found = url_lists(sb.open(saved.path, format=name))
    linked = {url for url, row in url_lists(web).items() if row} | {
        url for row in url_lists(web).values() for url in row
    }
    whole = url_lists(web)
    assert found == (whole if name != "url-edges" else {url: row for url, row in whole.items() if url in linked})
    alone = len(lists) - len(linked)
    assert any(f"the {alone} pages that have no links" in note for note in saved.notes) == (
        name == "url-edges" and alone > 0
    )


@pytest.mark.parametrize("packed", ["", ".gz", ".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("name", [name for name in READABLE if FORMATS[name].compressed])
def test_text_is_compressed_as_the_ending_says(tmp_path: Path, name: str, packed: str) -> None:
    web = web_of(LISTS, None if name in ("edges", "matrix-market") else [*ODD[:4], "http://e.example/"])
    saved = sb.save(web, tmp_path / f"my{ENDINGS[name]}{packed}")
    assert saved.format == name
    again = sb.open(saved.path, format=name)
    assert again.link_count == web.link_count
    plain = sb.save(web, tmp_path / "plain" / f"my{ENDINGS[name]}")
    if packed == ".gz":
        assert gzip.decompress(saved.path.read_bytes()) == plain.path.read_bytes()
    first = saved.path.read_bytes()
    sb.save(web, tmp_path / f"my{ENDINGS[name]}{packed}")
    assert saved.path.read_bytes() == first


def written(tmp_path: Path, name: str, web: Web, to: str) -> Path:
    return sb.save(web, tmp_path / name, to=to).path


def test_networkx_reads_graphml(tmp_path: Path) -> None:
    web = Web(
        csr(LISTS),
        UrlTable.from_strings(ODD),
        columns={
            "crawled": np.array([True, False, True, True, False]),
            "score": np.array([0.5, 1e-9, np.nan, np.inf, 3]),
        },
    )
    saved = sb.save(web, tmp_path / "my.graphml")
    assert saved.notes == ()
    graph = nx.read_graphml(saved.path)
    assert graph.is_directed()
    assert list(graph.nodes) == [f"n{page}" for page in range(5)]
    assert [data["url"] for _, data in graph.nodes(data=True)] == ODD
    assert [data["crawled"] for _, data in graph.nodes(data=True)] == [True, False, True, True, False]
    np.testing.assert_equal([data["score"] for _, data in graph.nodes(data=True)], web.columns["score"].tolist())
    assert set(graph.edges) == {(f"n{a}", f"n{b}") for a, row in enumerate(LISTS) for b in row}


def test_networkx_reads_pajek_and_adjacency_lists(tmp_path: Path) -> None:
    urls = [f"http://{name}.example/" for name in "abcde"]
    edges = {(a, b) for a, row in enumerate(LISTS) for b in row}
    graph = nx.DiGraph(nx.read_pajek(written(tmp_path, "my.net", web_of(LISTS, urls), "pajek")))
    assert list(graph.nodes) == urls
    assert {(urls.index(a), urls.index(b)) for a, b in graph.edges} == edges
    path = written(tmp_path, "ids.adj", web_of(LISTS), "adjacency")
    graph = nx.read_adjlist(path, create_using=nx.DiGraph, nodetype=int)
    assert sorted(graph.nodes) == [0, 1, 2, 3, 4]
    assert set(graph.edges) == edges
    path = written(tmp_path, "urls.adj", web_of(LISTS, urls), "adjacency")
    graph = nx.read_adjlist(path, create_using=nx.DiGraph, delimiter="\t")
    assert {(urls.index(a), urls.index(b)) for a, b in graph.edges} == edges
    assert path.read_text().splitlines()[1] == urls[1]


def test_networkx_reads_lists_of_links(tmp_path: Path) -> None:
    urls = [f"http://{name}.example/" for name in "abcde"]
    graph = nx.read_edgelist(written(tmp_path, "u.tsv", web_of(LISTS, urls), "url-edges"), create_using=nx.DiGraph)
    assert {(urls.index(a), urls.index(b)) for a, b in graph.edges} == {
        (a, b) for a, row in enumerate(LISTS) for b in row
    }


def test_scipy_reads_matrix_market(tmp_path: Path) -> None:
    path = written(tmp_path, "my.mtx", web_of([*LISTS, []]), "matrix-market")
    matrix = scipy.io.mmread(path).tocsr()
    assert matrix.shape == (6, 6)
    assert [matrix[page].indices.tolist() for page in range(6)] == [*LISTS, []]


def test_tables_bring_back_columns(tmp_path: Path) -> None:
    columns = {"crawled": np.array([True, False, True, True, False]), "score": np.array([0.5, 1e-9, 3, 7.25, -2])}
    web = Web(csr(LISTS), UrlTable.from_strings([*ODD[:4], "http://e.example/"]), columns=columns)
    for ending in ("tsv", "csv.gz"):
        saved = sb.save(web, tmp_path / ending / f"my.nodes.{ending}")
        assert saved.notes == ()
        again = sb.open(saved.path.parent)
        assert {name: values.tolist() for name, values in again.columns.items()} == {
            name: values.tolist() for name, values in columns.items()
        }
        assert list(again.urls or []) == list(web.urls or [])
        assert lists_of(again.links) == LISTS


def test_a_name_says_which_format_is_written() -> None:
    told = {
        "my.web": "store", "my": "store", "a/.my": "store", "g.graph": "bvgraph", "x.parquet": "parquet",
        "x.tsv": "url-edges", "x.csv.zst": "url-edges", "x.nodes.tsv.xz": "tables", "x.edges.csv": "tables",
        "x.NET": "pajek", "x.graphml.gz": "graphml", "x.mtx": "matrix-market", "x.adjlist.bz2": "adjacency",
    }  # fmt: skip
    assert {name: format_by_ending(Path(name)).name for name in told} == told
    assert format_by_ending(Path("x.tsv"), has_urls=False).name == "edges"
    for name, files in (("x.csv.gz", "x.nodes.csv.gz x.edges.csv.gz"), ("x", "x.nodes.tsv x.edges.tsv")):
        assert [path.name for path in FORMATS["tables"].files_written(Path(name))] == files.split()


@pytest.mark.parametrize("name", ["x.gexf", "x.store", "x.json", "x.gz", "crawl.2024"])
def test_an_unknown_ending_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    if name == "x.gz":
        assert format_by_ending(Path(name)).name == "store"
        with pytest.raises(OptionError, match="compressed as it is"):
            sb.save(web_of(LISTS), tmp_path / name)
        return
    line = misused(
        seedbed("convert", tmp_path / "missing", tmp_path / name), f"no format has the ending '{Path(name).suffix}'"
    )
    assert ".graphml" in line
    assert ".web" in line
    assert list(tmp_path.iterdir()) == []
    sb.save(web_of(LISTS), tmp_path / name, to="store")
    assert sb.open(tmp_path / name).page_count == 5


@pytest.mark.parametrize(
    ("name", "url", "what"),
    [
        ("x.tsv", "http://a.example/\nx", "line end"),
        ("x.adj", "http://a.example/\rx", "line end"),
        ("x.nodes.csv", "http://a.example/\n", "line end"),
        ("x.tsv", " http://a.example/", "blank at an end"),
        ("x.net", 'http://a.example/" x', "blank after a quote"),
        ("x.net", "http://a.example/\nx", "line end"),
        ("x.graphml", "http://a.example/\x01", "control character"),
        ("x.graphml", "http://a.example/\uffff", "control character"),
    ],
)
def test_what_a_format_cannot_carry_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, url: str, what: str
) -> None:
    with pytest.raises(OptionError, match=rf"the URL of page 1 has .*{what}"):
        sb.save(web_of([[1], [0]], ["http://0.example/", url]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x.tsv", "x.adj"])
def test_pages_of_one_url_are_not_made_one_in_silence(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match="two pages have the URL"):
        sb.save(
            web_of([[1], [2], [0]], ["http://a.example/", "http://b.example/", "http://a.example/"]), tmp_path / name
        )


@pytest.mark.parametrize("to", ["url-edges", "tables"])
def test_formats_that_name_pages_by_url_need_urls(tmp_path: Path, to: str) -> None:
    with pytest.raises(OptionError, match="this web has none"):
        sb.save(web_of(LISTS), tmp_path / "x.tsv", to=to)


def test_the_command_keeps_urls_in_text(tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text("http://a.example/\thttp://b.example/\nhttp://b.example/\thttp://a.example/x\n")
    for name in ("x.tsv", "x.csv.gz", "x.nodes.tsv", "x.net"):
        run = seedbed("convert", tmp_path / "links.tsv", tmp_path / name)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""
        run = seedbed("convert", tmp_path / name, tmp_path / "out" / f"{name}.parquet", "--json")
        assert '"pages": 3' in run.stdout
    assert "URLs" in seedbed("convert", tmp_path / "links.tsv", tmp_path / "x.mtx").stderr


def test_graphml_escapes_whatever_xml_gives_a_meaning(tmp_path: Path) -> None:
    urls = ["http://a.example/]]>&amp;", "http://b.example/\ttab\nline\r"]
    path = written(tmp_path, "x.graphml", web_of([[1], [0]], urls), "graphml")
    graph = nx.read_graphml(io.BytesIO(path.read_bytes()))
    assert [data["url"] for _, data in graph.nodes(data=True)] == urls
