"""Crawlers' files that are cut, changed or not quite in their form: what is sound is kept, the rest counted."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError
from seedbed.sources.opening import open_web
from tests.archives import crawled
from tests.reference import archives as plain
from tests.sources import url_links_of
from tests.test_sources_crawlers import FORM, LINKDB, LOG, column, read

A, B, C = (f"http://{name}.example/" for name in "abc")


def test_a_link_database_never_gives_a_link_to_the_target_before(tmp_path: Path) -> None:
    text = (
        f"{A}\tInlinks:\n fromUrl: {B} anchor: w\n\n{B}x y\tInlinks:\n fromUrl: {C} anchor: x\n\n"
        f"{A}cut\n fromUrl: {C} anchor: x\n\n fromUrl: {C} anchor: without a target\n"
    )
    web = read(tmp_path, text)
    assert url_links_of(web) == [(B, A), (C, B + "x%20y")]
    assert web.origin.notes == (
        "lines that are not of a link database left out: 1 (file, line 7)",
        "links whose target cannot be read left out: 2 (file, line 8; file, line 10)",
    )


def test_a_source_of_a_link_database_reaches_to_its_anchor(tmp_path: Path) -> None:
    web = read(tmp_path, f"{A}\tInlinks:\n fromUrl: {B}p q anchor: an anchor: here\n fromUrl: {C}")
    assert url_links_of(web) == [(B + "p%20q", A)]
    assert web.origin.notes == ("lines that are not of a link database left out: 1 (file, line 3)",)


LINES = st.sampled_from(
    [
        f"{A}\tInlinks:",
        f"{B}\tInlinks:",
        f" fromUrl: {B} anchor: w",
        f" fromUrl: {C} anchor: ",
        " fromUrl: htt",
        "",
        "x",
    ]
)


@given(st.lists(LINES, max_size=12))
@settings(deadline=None, max_examples=60)
def test_a_damaged_link_database_is_read_like_its_plain_twin(lines: list[str]) -> None:
    text = "\n".join([f"{A}\tInlinks:", f" fromUrl: {C} anchor: first", "", *lines])
    with tempfile.TemporaryDirectory() as folder:
        assert set(url_links_of(read(folder, text, keep_self_links=True))) == plain.linkdb(text)


def test_a_log_is_told_by_most_of_its_first_lines(tmp_path: Path) -> None:
    web = read(tmp_path, "a line that is none\n" + LOG)
    assert web.origin.format == "crawl-log"
    assert web.origin.notes == ("lines that are not of this log left out: 1 (file, line 1)",)


def test_a_url_with_blanks_makes_a_line_damaged(tmp_path: Path) -> None:
    web = read(tmp_path, LOG + FORM.format(200, 10, A + "a L b", "LL", A))
    assert A + "a" not in (web.urls or ())
    assert web.origin.notes == ("lines that are not of this log left out: 1 (file, line 10)",)


@pytest.mark.parametrize("text", [LOG, LINKDB])
def test_a_line_that_is_not_utf8_is_left_out_and_counted(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text.encode() + b"\xff some bytes \n" + text.encode())
    web = open_web(tmp_path / "file")
    assert url_links_of(web) == url_links_of(read(tmp_path, text, "sound"))
    assert f"lines that are not UTF-8 left out: 1 (file, line {text.count(chr(10)) + 1})" in web.origin.notes


@pytest.mark.parametrize("cut", [8, 200])
def test_a_packed_log_that_is_cut_is_read_up_to_there(cut: int, tmp_path: Path) -> None:
    names = np.random.default_rng(3).random(50)
    lines = [FORM.format(200, 1, f"{A}{name}", "L", A) for name in names]
    (tmp_path / "crawl.log.gz").write_bytes(gzip.compress("".join(lines).encode())[:-cut])
    web = open_web(tmp_path / "crawl.log.gz")
    assert 30 <= web.page_count <= 51
    assert web.origin.notes[0] == "compressed files read up to a damaged place: 1 (crawl.log.gz)"


def test_packed_items_that_are_cut_are_read_up_to_there(tmp_path: Path) -> None:
    items = "".join(json.dumps({"url": f"{A}{k}", "links": [B]}) + "\n" for k in range(100))
    (tmp_path / "items.jl.gz").write_bytes(gzip.compress(items.encode(), 0)[:-200])
    web = open_web(tmp_path / "items.jl.gz")
    assert 90 < web.page_count < 101
    assert "compressed files read up to a damaged place: 1 (items.jl.gz)" in web.origin.notes


def test_of_several_answers_the_lowest_counts_and_of_failures_only_where_there_is_none(tmp_path: Path) -> None:
    logged = [("x", 404), ("x", 200), ("y", -2), ("y", 503), ("z", -9998), ("z", -2), ("w", 0)]
    web = read(tmp_path, "".join(FORM.format(status, 1, A + name, "L", A) for name, status in logged))
    assert column(web, "status") == {A: 0, A + "w": 0, A + "x": 200, A + "y": 503, A + "z": -9998}
    assert crawled(web) == [A + "x", A + "y"]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_items_in_an_array_are_read_like_lines(indent: int | None, tmp_path: Path) -> None:
    items = [
        {"url": A, "title": "no links"},
        {"url": B, "links": [{"href": "/x"}, {"url": "/y", "nofollow": True}, None, 5, {"text": "z"}], "status": "200"},
        {"url": C, "links": None, "status": 404},
    ]
    web = read(tmp_path, json.dumps(items, indent=indent), "items.json")
    assert web.origin.format == "scrapy"
    assert url_links_of(web) == [(B, B + "x"), (B, B + "y")]
    assert crawled(web) == [A, B, C]
    assert column(web, "status") == {A: 0, B: 200, B + "x": 0, B + "y": 0, C: 404}
    (note,) = web.origin.notes
    assert note.startswith("links that are neither text nor have a url left out: 3 (items.json, line ")


def test_an_array_of_a_crawl_that_was_killed_keeps_its_whole_items(tmp_path: Path) -> None:
    items = [{"url": f"{A}{k}", "links": [{"url": B}]} for k in range(5)]
    for indent in (None, 4):
        text = json.dumps(items, indent=indent)
        web = read(tmp_path, text[: text.rindex(B)], "items.json")
        assert crawled(web) == [f"{A}{k}" for k in range(4)]
        assert len(web.origin.notes) == 1


def test_what_a_frontier_lists_as_text_is_read(tmp_path: Path) -> None:
    web = read(tmp_path, f"{A}x;1700000000\n{A};0\n;0\n" + f"{A};0\n" * 9 + f"{A}y;1\n")
    assert web.origin.format == "urlfrontier"
    assert column(web, "refetch_date") == {A: 0, A + "x": 1_700_000_000, A + "y;1": 0}
    assert crawled(web) == [A]
    assert web.origin.notes == ("lines that are not as expected left out: 1 (file, line 3)",)


def test_what_a_frontier_lists_as_json_goes_over_several_lines_and_may_be_mixed_with_urls(tmp_path: Path) -> None:
    way = {"url.path": {"values": [A]}}
    known = {"known": {"info": {"url": A + "x", "metadata": way}, "refetchableFromDate": "1700000000"}}
    web = read(tmp_path, f"{B}\n{json.dumps(known, indent=2)}\n{json.dumps(known)}\n{C}\nwords\n")
    assert web.origin.format == "urlfrontier"
    assert url_links_of(web) == [(A, A + "x")]
    assert list(web.urls or ()) == [A, A + "x", B, C]
    assert column(web, "refetch_date")[A + "x"] == 1_700_000_000
    assert web.origin.notes == ("lines that are not as expected left out: 1 (file, line 19)",)


@pytest.mark.parametrize("kind", ["crawl-log", "linkdb", "scrapy", "urlfrontier"])
def test_a_file_of_another_kind_is_refused_with_what_was_found(kind: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("some words\nand more\n")
    with pytest.raises(InputError, match=r"file: no links in it\. Found: lines .* left out: 2 \(file, line 1; file, "):
        open_web(tmp_path / "file", format=kind)
