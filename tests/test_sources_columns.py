"""Columns that the user names, and those that a table without a header is known by."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedbed.errors import InputError, OptionError
from seedbed.sources.opening import ReadOptions, open_web
from tests.commands import refused, seedbed
from tests.sources import links_of, url_links_of

PAGES = "0\t1\thttp://a.example/\t5\n1\t0\thttp://b.example/\t6\n2\t1\thttp://c.example/\t7\n"
LINKS = "0\t1\n1\t2\n"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "web.nodes.tsv").write_text(PAGES)
    (tmp_path / "web.edges.tsv").write_text(LINKS)
    return tmp_path / "web"


def test_columns_of_pages_are_named(tables: Path) -> None:
    web = open_web(tables, columns="id,crawled,url,depth")
    assert {name: values.tolist() for name, values in web.columns.items()} == {
        "crawled": [True, False, True],
        "depth": [5, 6, 7],
    }
    assert set(open_web(tables, columns="id,_,url,depth").columns) == {"depth"}
    assert set(open_web(tables, options=ReadOptions(columns=["id", "crawled", "url"])).columns) == {"crawled"}


def test_named_columns_decide_which_is_the_url(tmp_path: Path) -> None:
    (tmp_path / "web.nodes.tsv").write_text(
        "http://x.example/\t0\thttp://a.example/\nhttp://y.example/\t1\thttp://b.example/\n"
    )
    (tmp_path / "web.edges.tsv").write_text("0\t1\n")
    web = open_web(tmp_path / "web", columns="-,id,url")
    assert url_links_of(web) == [("http://a.example/", "http://b.example/")]


@pytest.mark.parametrize("columns", ["source,weight,target", "from,_,to", "src,-,dst"])
def test_columns_of_links_are_named(tmp_path: Path, columns: str) -> None:
    (tmp_path / "web").write_text("0 0.5 1\n1 0.25 2\n")
    web = open_web(tmp_path / "web", columns=columns)
    assert (web.origin.format, links_of(web)) == ("edges", [(0, 1), (1, 2)])


def test_columns_of_urls_are_named(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("http://b.example/,7,http://a.example/\n")
    web = open_web(tmp_path / "web", columns="to,count,from")
    assert url_links_of(web) == [("http://a.example/", "http://b.example/")]


def test_links_of_tables_are_named(tables: Path) -> None:
    (tables.parent / "web.edges.tsv").write_text("0\t0.5\t1\n1\t0.25\t2\n")
    web = open_web(tables, columns="from,weight,to")
    assert (web.origin.format, links_of(web)) == ("tables", [(0, 1), (1, 2)])


def test_a_table_of_ids_flags_and_urls_knows_its_crawled_pages(tmp_path: Path) -> None:
    (tmp_path / "web.nodes.tsv").write_text("0\t1\thttp://a.example/\n1\t0\thttp://b.example/\n")
    (tmp_path / "web.edges.tsv").write_text("0\t1\n")
    assert open_web(tmp_path / "web").columns["crawled"].tolist() == [True, False]
    (tmp_path / "web.nodes.tsv").write_text("0\t1\thttp://a.example/\n1\t2\thttp://b.example/\n")
    assert open_web(tmp_path / "web").columns["column_2"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("a,b", "from and to"),
        ("id,id,url", "'id' twice"),
        ("id,In Degree,url", "'In Degree' is not a column name"),
        ("id,_,url,x,y", "names 5 columns, but the first lines have 4"),
    ],
)
def test_names_that_cannot_be_are_told(tables: Path, columns: str, said: str) -> None:
    with pytest.raises((OptionError, InputError)) as error:
        open_web(tables, columns=columns)
    assert said in str(error.value)


def test_text_in_a_column_that_is_named_is_refused_with_its_line(tables: Path) -> None:
    (tables.parent / "web.nodes.tsv").write_text(PAGES.replace("\t6\n", "\tsix\n"))
    with pytest.raises(InputError, match=r"nodes\.tsv, line 2: found 'six', expected a value of 'depth'"):
        open_web(tables, columns="id,crawled,url,depth")


def test_formats_without_columns_say_so(tmp_path: Path) -> None:
    (tmp_path / "web.net").write_text("*Vertices 2\n*Arcs\n1 2\n")
    with pytest.raises(OptionError, match=r"web\.net: is pajek; --columns is for text tables"):
        open_web(tmp_path / "web.net", format="pajek", columns="from,to")


def test_the_command_names_columns(tables: Path, tmp_path: Path) -> None:
    done = seedbed("info", tables, "--columns", "id,crawled,url,depth")
    assert done.returncode == 0, done.stderr
    assert "depth" in done.stdout
    refused(seedbed("convert", tables, tmp_path / "out.web", "--columns", "x,y"), "--columns x,y", "from and to")


def test_columns_of_several_files_are_refused_and_not_ignored(tmp_path: Path) -> None:
    items = [tmp_path / "a.jl", tmp_path / "b.jl"]
    for file in items:
        file.write_text('{"url": "http://a.example/", "links": ["http://b.example/"]}\n')
    assert open_web(items).page_count == 2
    with pytest.raises(OptionError, match="--columns is for text tables"):
        open_web(items, columns="from,to")
