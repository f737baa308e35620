"""What crawlers leave behind: Heritrix's log, Nutch's link database, Scrapy's items, URLFrontier's dumps."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, SeedbedError
from seedbed.graph.web import Web
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import crawled
from tests.reference import archives as plain
from tests.sources import url, url_links_of

PAGES = st.integers(0, 8).map(url)
FORM = "2016-03-31T14:35:37.711Z {:>5} {:>10} {} {} {} text/html #661 20160331143536323+981 - - {{}}\n"


def read(folder: Path | str, text: str, name: str = "file", **options: object) -> Web:
    path = Path(folder) / name
    path.write_text(text)
    return open_web(path, options=ReadOptions(**options))  # type: ignore[arg-type]


def column(web: Web, name: str) -> dict[str, int]:
    assert web.urls is not None
    return {url: int(value) for url, value in zip(web.urls, web.columns[name], strict=True)}


LOG = "".join(
    FORM.format(*fields)
    for fields in [
        (1, 93, "dns:a.example", "P", "http://a.example/"),
        (200, 50, "http://a.example/robots.txt", "P", "http://a.example/"),
        (200, 999, "http://a.example/", "-", "-"),
        (200, 999, "http://a.example/x", "L", "http://a.example/"),
        (404, 10, "http://a.example/y", "LL", "http://a.example/x"),
        (200, 10, "http://a.example/i.png", "LE", "http://a.example/x"),
        (-9998, "-", "http://B.example", "51+" + "L" * 50, "http://a.example/x"),
        (302, 0, "http://a.example/old#f", "LR", "http://a.example/y"),
        (-5000, "-", "data:image/png;x", "LX", "http://a.example/x"),
    ]
)


def test_a_crawl_log_by_hand(tmp_path: Path) -> None:
    web = read(tmp_path, LOG, "crawl.log")
    a = "http://a.example/"
    assert web.origin.format == "crawl-log"
    assert url_links_of(web) == sorted(
        [(a, a + "x"), (a + "x", a + "y"), (a + "x", a + "i.png"), (a + "x", "http://b.example/"), (a + "y", a + "old")]
    )
    names = ["", "i.png", "old", "x", "y"]
    assert column(web, "status") == {a + n: s for n, s in zip(names, (200, 200, 302, 200, 404), strict=True)} | {
        "http://b.example/": -9998
    }
    assert column(web, "hops") == {a: 0, a + "i.png": 2, a + "old": 2, a + "x": 1, a + "y": 2, "http://b.example/": 101}
    assert crawled(web) == [a + name for name in names]
    assert [url for url, seed in column(web, "seed").items() if seed] == [a]
    assert [url for url, embedded in column(web, "embedded").items() if embedded] == [a + "i.png"]


def test_urls_of_the_same_content_have_a_number_in_common(tmp_path: Path) -> None:
    digests = ["sha1:Y6S5LXRS27BYEWJA667VZCV3FD77EW4N", "SHA1:y6s5lxrs27byewja667vzcv3fd77ew4n", "-"]
    line = FORM.replace(" - - {{", " {} - - {{")
    urls = [f"http://a.example/{k}" for k in range(3)]
    text = "".join(line.format(200, 9, url, "-", "-", digest) for url, digest in zip(urls, digests, strict=True))
    found = column(read(tmp_path, text, "crawl.log"), "digest")
    assert found[urls[0]] == found[urls[1]] > 0 == found[urls[2]]
    assert "digest" not in read(tmp_path, LOG, "crawl.log").columns


def test_lines_of_a_log_that_are_cut_or_damaged_are_counted(tmp_path: Path) -> None:
    web = read(tmp_path, LOG + "some other text on a line of its own\n" + LOG[:45])
    assert web.page_count == 6
    (note,) = web.origin.notes
    assert note == "lines that are not of this log left out: 2 (file, line 10; file, line 11)"


@given(st.lists(st.tuples(PAGES, st.sampled_from(["-", "L", "LR", "LLE", "P", "EX"]), PAGES), min_size=1, max_size=12))
@settings(deadline=None, max_examples=60)
def test_a_crawl_log_is_read_like_its_plain_twin(lines: list[tuple[str, str, str]]) -> None:
    text = "".join(FORM.format(200, 1, *line) for line in lines)
    pages, links, seeds = plain.crawl_log(text)
    with tempfile.TemporaryDirectory() as folder:
        if not pages:
            with pytest.raises(InputError):
                read(folder, text)
            return
        web = read(folder, text, keep_self_links=True)
    assert set(web.urls or ()) == pages
    assert set(url_links_of(web)) == links
    assert {url for url, seed in column(web, "seed").items() if seed} == seeds


def test_through_disk_the_columns_are_the_same(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rows = zip(*random.integers(0, 300, (3, 4000)), strict=True)
    text = "".join(FORM.format(100 + s, 1, url(int(a)), "LE"[s % 2] * (s % 9 + 1), url(int(b))) for a, b, s in rows)
    small, large = read(tmp_path, text, memory=1 << 14), read(tmp_path, text)
    assert url_links_of(small) == url_links_of(large)
    assert list(small.columns) == list(large.columns) == ["crawled", "status", "seed", "hops", "embedded"]
    assert all(np.array_equal(small.columns[name], large.columns[name]) for name in large.columns)
    assert large.columns["hops"].min() == 1
    assert large.columns["status"].max() > 200


LINKDB = (
    "http://a.example/\tInlinks:\n fromUrl: http://b.example/ anchor: words fromUrl: here\n"
    " fromUrl: http://C.example anchor: \n\nhttp://b.example/\tInlinks:\n fromUrl: http://a.example/ anchor: a\n"
    "second line of an anchor fromUrl: http://no.example/\n\n"
)


def test_a_link_database_by_hand(tmp_path: Path) -> None:
    web = read(tmp_path, LINKDB, "dump")
    a, b, c = (f"http://{name}.example/" for name in "abc")
    assert web.origin.format == "linkdb"
    assert url_links_of(web) == [(a, b), (b, a), (c, a)]
    assert crawled(web) == [a, b, c]
    assert web.origin.notes == ("lines that are not of a link database left out: 1 (dump, line 7)",)


@given(st.lists(st.tuples(PAGES, st.lists(PAGES, min_size=1, max_size=5)), min_size=1, max_size=6), st.integers(20, 90))
@settings(deadline=None, max_examples=40)
def test_a_link_database_is_read_like_its_plain_twin(lists: list[tuple[str, list[str]]], block: int) -> None:
    text = "".join(
        f"{target}\tInlinks:\n" + "".join(f" fromUrl: {source} anchor: words\n" for source in sources) + "\n"
        for target, sources in lists
    )
    from seedbed.sources import text_files as reading

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Pieces of a line or two: a target holds for the sources in the next piece.
        patch.setattr(reading.pieces, "__kwdefaults__", {**reading.pieces.__kwdefaults__, "block": block})
        web = read(folder, text, keep_self_links=True)
    assert set(url_links_of(web)) == plain.linkdb(text)


def test_items_of_a_spider_by_hand(tmp_path: Path) -> None:
    items = [
        {"url": "http://a.example", "links": ["x", "/y#f", "mailto:m@a.example", 7], "status": 200, "title": "words"},
        {"url": "http://a.example/x", "links": [{"url": "/z", "nofollow": True}, {"url": "/y", "text": "words"}]},
    ]
    lines = [*map(json.dumps, items), '{"url": "http://a.example/cut", "li', "null", '{"url": 5, "links": []}', ""]
    web = read(tmp_path, "\n".join(lines), "items.jl")
    a = "http://a.example/"
    assert web.origin.format == "scrapy"
    assert url_links_of(web) == [(a, a + "x"), (a, a + "y"), (a + "x", a + "y"), (a + "x", a + "z")]
    assert column(web, "status") == {a: 200, a + "x": 0, a + "y": 0, a + "z": 0}
    assert column(web, "nofollow_links") == {a: 0, a + "x": 1, a + "y": 0, a + "z": 0}
    assert web.origin.notes == (
        "links that are neither text nor have a url left out: 1 (items.jl, line 1)",
        "lines that are not as expected left out: 3 (items.jl, line 3; items.jl, line 4; items.jl, line 5)",
    )
    assert (a + "x", a + "z") not in url_links_of(read(tmp_path, "\n".join(lines), "items.jl", drop_nofollow=True))


@given(
    st.lists(
        st.tuples(PAGES, st.lists(PAGES | st.sampled_from(["x", "../y?z", "#"]), max_size=4)), min_size=1, max_size=8
    )
)
@settings(deadline=None, max_examples=40)
def test_items_are_read_like_their_plain_twin(pages: list[tuple[str, list[str]]]) -> None:
    text = "".join(json.dumps({"url": page, "links": links}) + "\n" for page, links in pages)
    with tempfile.TemporaryDirectory() as folder:
        web = read(folder, text, keep_self_links=True)
    assert set(url_links_of(web)) == plain.items(text)
    assert set(crawled(web)) == {page for page, _ in pages}


def test_a_dump_of_a_frontier_by_hand(tmp_path: Path) -> None:
    a = "http://a.example/"
    way = {"url.path": {"values": [a, a + "m"]}, "depth": {"values": ["2"]}}
    fetched = {"fetch.statusCode": {"values": ["200"]}}
    lines = [
        {"known": {"info": {"url": a + "x", "key": "a.example", "metadata": way}, "refetchableFromDate": "1700000000"}},
        {"known": {"info": {"url": a, "key": "a.example"}}, "ID": "7"},
        {"discovered": {"info": {"url": a + "y", "crawlID": "DEFAULT"}}},
        {"known": {"info": {"url": a + "z", "metadata": fetched}, "refetchableFromDate": "5"}},
        {"other": 1},
    ]
    web = read(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "dump.jsonl")
    assert web.origin.format == "urlfrontier"
    assert url_links_of(web) == [(a, a + "m"), (a + "m", a + "x")]
    assert crawled(web) == [a, a + "z"]
    assert column(web, "refetch_date") == {a: 0, a + "m": 0, a + "x": 1_700_000_000, a + "y": 0, a + "z": 5}
    assert web.origin.notes == ("lines that are not as expected left out: 1 (dump.jsonl, line 5)",)


def test_session_parameters_go_from_every_kind_where_asked(tmp_path: Path) -> None:
    item = json.dumps({"url": "http://a.example/?sid=1", "links": ["/x?a=1&sid=2"]})
    for text in (LOG.replace("/x", "/x?sid=9"), LINKDB.replace("b.example/", "b.example/?sid=9"), item):
        assert any("sid=" in url for url in read(tmp_path, text).urls or ())
        assert not any("sid=" in url for url in read(tmp_path, text, drop_sessions=True).urls or ())


@pytest.mark.parametrize("text", [LOG, LINKDB, '{"url": "http://a.example/", "links": ["/x", "/y"]}\n'])
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 9), st.text(max_size=6)), min_size=1, max_size=4))
@settings(deadline=None, max_examples=40)
def test_any_text_changed_gives_a_web_or_an_error(text: str, edits: list[tuple[int, int, str]]) -> None:
    for at, removed, added in edits:
        place = at % (len(text) + 1)
        text = text[:place] + added + text[place + removed :]
    data = text.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(data)
        for kind in ("crawl-log", "linkdb", "scrapy", "urlfrontier"):
            try:
                web = open_web(Path(folder) / "file", format=kind)
            except SeedbedError as error:
                assert "\n" not in str(error)
            else:
                assert all(
                    np.issubdtype(values.dtype, np.number) or values.dtype == bool for values in web.columns.values()
                )
