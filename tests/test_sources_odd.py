"""Files that are well-formed but unlike most: what the readers make of them, or say of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from tests.sources import links_of


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_headers_become_names_that_a_store_can_hold(tmp_path: Path) -> None:
    put(tmp_path / "pages.csv", "id,URL,PageRank,In Degree,rank,rank,2nd\n1,http://a.example/,0.5,3,7,8,9\n")
    put(tmp_path / "links.csv", "source,target\n1,1\n")
    web = sb.open(tmp_path)
    assert {name: values.tolist() for name, values in web.columns.items()} == {
        "pagerank": [0.5],
        "in_degree": [3],
        "rank": [7],
        "column_6": [8],
        "column_7": [9],
    }
    sb.save(web, tmp_path / "my.web")
    assert sb.open(tmp_path / "my.web").columns["in_degree"].tolist() == [3]


def test_a_tab_may_stand_in_the_headings_of_pajek(tmp_path: Path) -> None:
    web = sb.open(put(tmp_path / "a.net", "*Vertices\t2\n*Arcs\t:1\n1 2\n"))
    assert links_of(web) == [(0, 1)]


@pytest.mark.parametrize("written_as", ["edges", "url-edges"])
def test_utf_16_is_read_where_format_and_encoding_are_named(tmp_path: Path, written_as: str) -> None:
    end = "{}" if written_as == "edges" else "http://{}.example/é"
    links = "".join(f"{end.format(a)}\t{end.format(b)}\n" for a, b in ((0, 1), (1, 2)))
    path = put(tmp_path / "links.tsv", links.encode("utf-16"))
    assert links_of(sb.open(path, format=written_as, encoding="utf-16")) == [(0, 1), (1, 2)]
    with pytest.raises(sb.InputError, match=r"UTF-16\. Give --encoding utf-16, and --format"):
        sb.open(path)


def test_an_encoding_that_encodes_nothing_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match="unknown encoding 'undefined'"):
        sb.open(put(tmp_path / "links.txt", "0 1\n"), encoding="undefined")


def test_a_packed_file_of_nothing_is_empty(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match=r"links\.txt\.gz: is empty"):
        sb.open(put(tmp_path / "links.txt.gz", gzip.compress(b"")))


def test_a_url_past_all_bounds_is_said_with_its_file(tmp_path: Path) -> None:
    path = put(tmp_path / "links.tsv", "http://a.example/\thttp://b.example/" + "x" * 3_000_000 + "\n")
    with pytest.raises(sb.InputError, match=r"links\.tsv: URL 1 is 2\.9 MiB long"):
        sb.open(path)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("links.txt", f"0 {2**39}\n", r"links\.txt: a web of .* pages \(the largest id \+ 1\) needs"),
        ("a.net", f"*Vertices {2**39}\n*Arcs\n1 2\n", r"a\.net: a web of .* pages needs"),
    ],
)
def test_too_many_pages_are_said_with_their_file(tmp_path: Path, name: str, text: str, why: str) -> None:
    with pytest.raises(sb.NotEnoughMemory, match=why):
        sb.open(put(tmp_path / name, text))


def test_parquet_takes_views_of_strings(tmp_path: Path) -> None:
    ends = {"from": pa.array(["a.example"], pa.string_view()), "to": pa.array(["b.example"], pa.string_view())}
    pq.write_table(pa.table(ends), tmp_path / "links.parquet")
    assert list(sb.open(tmp_path / "links.parquet").urls or []) == ["a.example", "b.example"]
