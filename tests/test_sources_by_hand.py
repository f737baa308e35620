"""Formats with a structure of their own, on examples checked by hand, and what they refuse."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedbed.errors import InputError
from seedbed.sources.opening import open_web
from tests.reference import sources as plain
from tests.sources import links_of, url

PAJEK = """% comment
*Network small
*Vertices 4
 3 "http://c.example/ it" 0.1 0.2 0.5 box ic Red
 1 "http://a.example/x"y"
 2 http://b.example/ 0.3
 4 "http://d.example/""
*Arcs :1 "first"
 1 2 1
*Edges
 2 3
 4 4
*Arcslist
 4 1 2
*Edgeslist
 1 3
*Partition kinds
*Vertices 4
1
2
"""


def test_pajek_by_hand(tmp_path: Path) -> None:
    (tmp_path / "web.net").write_text(PAJEK, newline="")
    web = open_web(tmp_path / "web.net")
    assert web.urls is not None
    assert list(web.urls) == ['http://a.example/x"y', "http://b.example/", "http://c.example/ it", 'http://d.example/"']
    assert links_of(web) == [(0, 1), (0, 2), (1, 2), (2, 0), (2, 1), (3, 0), (3, 1)]
    assert web.origin.self_links == 1
    expected = plain.pajek(PAJEK.partition("*Partition")[0])
    assert (list(web.urls), web.page_count) == (expected.names, expected.pages)
    assert links_of(web) == sorted({(a, b) for a, b in expected.links if a != b})


def test_pajek_labels_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "web.net").write_text("*vertices 3\n*arcs\n1 3\n")
    web = open_web(tmp_path / "web.net")
    assert (web.urls, web.page_count, links_of(web)) == (None, 3, [(0, 2)])


def test_pajek_in_latin_1_is_told_from_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "web.net").write_bytes('*Vertices 1\n1 "http://münchen.example/"\n*Arcs\n'.encode("latin-1"))
    web = open_web(tmp_path / "web.net")
    assert web.urls is not None
    assert web.urls[0] == "http://münchen.example/"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("*Vertices x\n", r"line 1: found '\*Vertices x', expected the number"),
        ('*Vertices 3\n1 "a"\n2 "b"\n', "2 vertices are listed, expected those in 1 … 3"),
        ('*Vertices 2\n1 "a"\n1 "b"\n', "the id 1 is given to two pages"),
        ('*Vertices 2\n1 "a"\n2\n', "line 3: found nothing in column 2"),
        ("*Vertices 2\n*Arcs\n1 3\n", "line 3: the link 1 → 3 has an id that is not in 1 … 2"),
        ("*Vertices 2\n*Arcslist\n1 2\n2 0\n", "line 4: the link 2 → 0"),
        ("*Vertices 2\n*Arcslist\n1 b\n", "line 3: found 'b', expected page ids"),
        ("*Vertices 2\n*Matrix\n0 1\n1 0\n", r"line 2: found '\*matrix', expected"),
        ("*Vertices 2\n*Arcs\n*Vertices 2\n", r"line 3: found '\*vertices', expected .*of one network"),
        ('*Vertices 1\n1 "a\n', "line 2: a field starts with a double quote"),
        ("*Network a\n", "has no .Vertices line"),
        ("*Vertices 1\n" + "*Arcs\n" * 10_001, "more than 10000 headings"),
    ],
)
def test_pajek_refuses(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "web.net").write_text(text)
    with pytest.raises(InputError, match=what):
        open_web(tmp_path / "web.net")


def test_kleinberg_by_hand(tmp_path: Path) -> None:
    text = "e 7 3\nn 3 http://c.example/a b \nn 7 http://d.example/\nn 1 http://a.example/\ne 1 7\n"
    (tmp_path / "gr0").write_text(text)
    web = open_web(tmp_path / "gr0")
    assert web.urls is not None
    expected = plain.kleinberg(text)
    assert list(web.urls) == expected.names == ["http://a.example/", "http://c.example/a b", "http://d.example/"]
    assert links_of(web) == sorted(expected.links) == [(0, 2), (2, 1)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("x 1 2", "line 12: starts with 'x', expected 'n id url'"),
        ("e 0 99", "line 12: the link 0 → 99 has an id that is not in 0 … 10"),
        ("n 3 http://again.example/", "the id 3 is given to two pages"),
        ("n 11", "line 12: found nothing in column 3"),
    ],
)
def test_kleinberg_refuses(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "gr0").write_text("".join(f"n {k} {url(k)}\n" for k in range(11)) + line + "\n")
    with pytest.raises(InputError, match=what):
        open_web(tmp_path / "gr0")


def test_ukwa_by_hand(tmp_path: Path) -> None:
    text = "1996|b.ac.uk|a.co.uk\t2\n1996|a.co.uk|a.co.uk\t11\n1997|b.ac.uk|a.co.uk\t1\n"
    (tmp_path / "hosts.tsv").write_text(text)
    web = open_web(tmp_path / "hosts.tsv")
    expected = plain.ukwa(text)
    assert web.urls is not None
    assert (list(web.urls), links_of(web)) == (expected.names, [(1, 0)])
    assert (web.origin.self_links, web.origin.duplicate_links) == (1, 1)
    assert len(web.sites("host")) == 2


def test_tables_by_hand(tmp_path: Path) -> None:
    nodes = "0\t1\thttp://b.example/\n-5\t0\thttp://a.example/\n30\t1\thttp://c.example/\n"
    links = "0\t30\n30\t-5\n"
    (tmp_path / "x.nodes.tsv").write_text(nodes)
    (tmp_path / "x.edges.tsv").write_text(links)
    web = open_web(tmp_path)
    expected = plain.tables(nodes, links, 0, 2)
    assert web.urls is not None
    assert list(web.urls) == expected.names == ["http://a.example/", "http://b.example/", "http://c.example/"]
    assert links_of(web) == sorted(expected.links) == [(1, 2), (2, 0)]
    assert web.columns["crawled"].tolist() == [False, True, True]


def test_columns_of_a_page_table_are_named_by_its_header(tmp_path: Path) -> None:
    (tmp_path / "pages.csv").write_text('url,id,score,note\n"http://a.example/,x",1,0.5,a b\nhttp://b.example/,2,3,c\n')
    (tmp_path / "links.csv").write_text("id,target,source\n1,2,1\n2,1,2\n")
    web = open_web(tmp_path)
    assert web.urls is not None
    assert list(web.urls) == ["http://a.example/,x", "http://b.example/"]
    assert {name: values.tolist() for name, values in web.columns.items()} == {"score": [0.5, 3.0]}
    assert links_of(web) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("given_path", ["", "page.txt.gz", "link.txt.gz"])
def test_two_files_alone_in_a_folder_are_a_pair_whatever_their_names(tmp_path: Path, given_path: str) -> None:
    (tmp_path / "link.txt.gz").write_bytes(
        gzip.compress(b"link url\r\n1 http://a.example/ \r\n2 http://b.example/\r\n")
    )
    (tmp_path / "page.txt.gz").write_bytes(gzip.compress(b"start end\n1 2\n"))
    web = open_web(tmp_path / given_path)
    assert (web.origin.format, web.page_count, links_of(web)) == ("tables", 2, [(0, 1)])


@pytest.mark.parametrize(
    ("nodes", "links", "what"),
    [
        ("1\thttp://a.example/\n2\thttp://b.example/\n", "1\t3\n", "line 1: the link 1 → 3 .*not in 1 … 2"),
        ("1\thttp://a.example/\n5\thttp://b.example/\n", "1\t3\n", "the link 1 → 3 .*not among the 2 ids"),
        ("1\thttp://a.example/\n2\thttp://b.\xfc.example/\n", "1\t2\n", "line 2: .*not UTF-8.*--encoding"),
    ],
)
def test_tables_refuse(tmp_path: Path, nodes: str, links: str, what: str) -> None:
    (tmp_path / "nodes").write_bytes(nodes.encode("latin-1"))
    (tmp_path / "edges").write_text(links)
    with pytest.raises(InputError, match=what):
        open_web(tmp_path)


def test_an_id_given_to_two_pages_is_refused(tmp_path: Path) -> None:
    rows = [f"{k}\t{url(k)}\n" for k in range(600)]
    (tmp_path / "nodes").write_text("".join(rows) + "7\thttp://z.example/\n")
    (tmp_path / "edges").write_text("1\t2\n")
    with pytest.raises(InputError, match="the id 7 is given to two pages"):
        open_web(tmp_path, format="tables")


VERTICES = ["com.example", "com.example.www", "org.sample", "org.sample.a.b"]
"""Both regimes of www. in one list: kept in the second, stripped in the third."""


def common_crawl(folder: Path, parts: bool, ranks: str | None = None) -> None:
    if parts:
        for word in ("vertices", "edges"):
            (folder / word).mkdir()
        for k in range(2):
            lines = "".join(f"{n}\t{VERTICES[n]}\n" for n in (2 * k, 2 * k + 1))
            (folder / "vertices" / f"part-0000{k}-x.txt.gz").write_bytes(gzip.compress(lines.encode()))
            (folder / "edges" / f"part-0000{k}-x.txt.gz").write_bytes(gzip.compress(b"0\t2\n" if k else b"3\t1\n"))
        (folder / "cc-main-x-host-vertices.paths.gz").write_bytes(gzip.compress(b"vertices/part-00000-x.txt.gz\n"))
    else:
        lines = "".join(f"{k}\t{name}\t{k + 3}\n" for k, name in enumerate(VERTICES))
        (folder / "cc-main-x-domain-vertices.txt.gz").write_bytes(gzip.compress(lines.encode()))
        (folder / "cc-main-x-domain-edges.txt").write_text("0\t2\n3\t1\n")
        if ranks is not None:
            (folder / "cc-main-x-domain-ranks.txt").write_text(ranks)


NAMES = ["example.com", "www.example.com", "sample.org", "b.a.sample.org"]


@pytest.mark.parametrize("at", ["", "vertices/part-00000-x.txt.gz", "edges/part-00001-x.txt.gz"])
def test_common_crawl_in_parts(tmp_path: Path, at: str) -> None:
    common_crawl(tmp_path, parts=True)
    web = open_web(tmp_path / at)
    assert web.urls is not None
    assert (web.origin.format, list(web.urls), links_of(web)) == ("common-crawl", NAMES, [(0, 2), (3, 1)])
    assert [web.sites("host").names[int(k)] for k in web.sites("host").of_page] == NAMES
    assert len(web.sites("domain")) == 2


@pytest.mark.parametrize(
    "at", ["", "cc-main-x-domain", "cc-main-x-domain-edges.txt", "cc-main-x-domain-vertices.txt.gz"]
)
def test_common_crawl_with_ranks(tmp_path: Path, at: str) -> None:
    ranks = (
        "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts\n"
        "1\t3.4626736E7\t2\t0.005384977821460953\torg.sample.a.b\t6\n2\t2\t1\t0.25\tcom.example\t3\n"
    )
    common_crawl(tmp_path, parts=False, ranks=ranks)
    web = open_web(tmp_path / at)
    assert web.urls is not None
    assert list(web.urls) == NAMES
    assert web.columns["n_hosts"].tolist() == [3, 4, 5, 6]
    assert web.columns["harmonic_position"].tolist() == [2, -1, -1, 1]
    assert web.columns["pagerank_position"].tolist() == [1, -1, -1, 2]
    assert np.nan_to_num(web.columns["harmonic_value"]).tolist() == [2.0, 0, 0, 3.4626736e7]
    assert np.nan_to_num(web.columns["pagerank_value"]).tolist() == [0.25, 0, 0, 0.005384977821460953]


def test_a_ranked_name_that_is_no_vertex_is_refused(tmp_path: Path) -> None:
    common_crawl(tmp_path, parts=False, ranks="#harmonicc_pos\n1\t3.0\t1\t0.1\tnet.other\n")
    with pytest.raises(InputError, match=r"ranks\.txt, line 2: 'net\.other' is not among the vertices"):
        open_web(tmp_path)


def test_plain_names_in_files_called_vertices_are_not_turned_round(tmp_path: Path) -> None:
    (tmp_path / "vertices.txt").write_text("0\ta.example.com\n1\tb.example.com\n2\tc.sample.org\n")
    (tmp_path / "edges.txt").write_text("0\t1\n")
    web = open_web(tmp_path)
    assert web.urls is not None
    assert (web.origin.format, web.urls[0]) == ("tables", "a.example.com")


def test_parquet_refuses(tmp_path: Path) -> None:
    file = tmp_path / "web.parquet"

    def refused(table: pa.Table, what: str) -> None:
        pq.write_table(table, file)
        with pytest.raises(InputError, match=what):
            open_web(file)

    refused(pa.table({"from": [1, 2]}), "expected at least two")
    refused(pa.table({"from": [1], "to": ["x"]}), "hold int64 and string, expected whole numbers or strings")
    refused(pa.table({"from": [1, None], "to": [1, 2]}), "row 2: 'from' is null")
    refused(pa.table({"from": [0, 3], "to": [1, -2]}), "row 2: the link 3 → -2")
    large = pa.array([2**63], pa.uint64())
    refused(pa.table({"from": large, "to": large}), "not read as Parquet .*9223372036854775808")
    refused(pa.table({"from": pa.array([], pa.int64()), "to": pa.array([], pa.int64())}), "no links")
    refused(pa.table({"from": [[1]], "to": [[2]]}), "expected whole numbers or strings")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InputError, match="not read as Parquet"):
        open_web(file)


def test_parquet_takes_coded_strings_and_small_integers(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array(["y", "x"]).dictionary_encode(), "b": ["x", "z"]}), tmp_path / "a.parquet")
    web = open_web(tmp_path / "a.parquet")
    assert web.urls is not None
    assert (list(web.urls), links_of(web)) == (["x", "y", "z"], [(0, 2), (1, 0)])
    pq.write_table(pa.table({"a": pa.array([1], pa.uint8()), "b": pa.array([0], pa.int32())}), tmp_path / "b.parquet")
    assert links_of(open_web(tmp_path / "b.parquet")) == [(1, 0)]
