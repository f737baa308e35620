"""HTTP answers: where one starts, what its headers say of links, and what is counted as none."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedbed.archives.captures import LONGEST_RECORD, http_capture
from seedbed.archives.http_messages import LONGEST_PAGE
from seedbed.archives.page_links import header_says_nofollow, says_nofollow
from seedbed.graph.web import Web
from seedbed.sources.opening import open_web
from tests.archives import arc_record, arc_start, crawled, http, page, warc_record
from tests.sources import url_links_of

A = "http://a.example/"
LINK = b"<a href=/x></a>"
CUT = "pages read in part (too long, too deep or badly encoded): 1 (http://a.example/)"


def web_of(folder: Path, *records: bytes, name: str = "web.warc") -> Web:
    (folder / name).write_bytes(b"".join(records))
    return open_web(folder / name)


def answer(*lines: bytes, body: bytes = b"", status: bytes = b"200 OK") -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status, b"Content-Type: text/html", *lines, b"", body])


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"\r\n",
        b"\n \n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </s>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_an_answer_is_found_behind_blank_lines_and_interim_ones(tmp_path: Path, before: bytes) -> None:
    web = web_of(tmp_path, warc_record(A, before + answer(body=LINK)))
    assert (url_links_of(web), web.columns["status"].max(), web.origin.notes) == ([(A, A + "x")], 200, ())


def test_an_interim_answer_alone_has_its_status() -> None:
    assert http_capture(A, b"HTTP/1.1 100 Continue\r\n\r\n").status == 100
    assert http_capture(A, b"HTTP/1.1 204\n").status == 204


@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_records_that_are_no_answer_are_counted(tmp_path: Path, kind: str) -> None:
    make = warc_record if kind == "warc" else arc_record
    first = [] if kind == "warc" else [arc_start()]
    start = len(b"".join(first)) + len(make(A, http(LINK)))
    web = web_of(
        tmp_path,
        *first,
        make(A, http(LINK)),
        make(A + "no-answer", b"<html>" + LINK),
        make("dns:a.example", b"20080430 a.example"),
        make("whois://whois.example/a", b"a.example"),
        name=f"web.{kind}",
    )
    assert crawled(web) == [A]
    assert web.origin.notes == (f"records left out that are not HTTP answers: 1 (web.{kind} at byte {start:,})",)


def test_records_without_the_url_of_a_page_are_counted(tmp_path: Path) -> None:
    odd = [warc_record(url, http(LINK)) for url in ("", "/relative", "http://", A + "x" * 9000)]
    normal = [
        warc_record("urn:x", b"words", "metadata", Content_Type="text/plain"),
        warc_record("ftp://a.example/", b"words", "resource", Content_Type="text/html"),
        warc_record(A, b"", "revisit"),
    ]
    web = web_of(tmp_path, page(A, LINK), *odd, *normal)
    (note,) = web.origin.notes
    assert note.startswith("records left out because their URL is not a page's: 4 (web.warc at byte ")


def test_an_answer_whose_headers_do_not_end_is_none(tmp_path: Path) -> None:
    endless = b"HTTP/1.1 200 OK\r\nX: " + b"x" * LONGEST_RECORD + b"\r\nContent-Type: text/html\r\n\r\n" + LINK
    web = web_of(tmp_path, page(A, LINK), warc_record(A + "endless", endless))
    assert crawled(web) == [A]
    assert web.origin.notes[0].startswith("records left out that are not HTTP answers: 1 ")


def test_a_page_cut_because_its_headers_are_long_is_counted(tmp_path: Path) -> None:
    body = LINK + b" " * (LONGEST_PAGE - 100) + b"<a href=/last></a>"
    web = web_of(tmp_path, warc_record(A, answer(b"X: " + b"x" * (1 << 20), body=body)))
    assert (url_links_of(web), web.origin.notes) == ([(A, A + "x")], (CUT,))


@pytest.mark.parametrize(
    ("line", "target"),
    [
        (b"Location: /1", "1"),
        (b"Location:\r\n /1", "1"),
        (b"Location: /1\r\nLocation: /2", "1"),
        (b"Location: /caf\xe9?\xe9", "caf%E9?%E9"),
        ("Location: /café?é".encode(), "caf%C3%A9?%C3%A9"),
    ],
)
def test_a_location_is_read_as_a_browser_reads_it(tmp_path: Path, line: bytes, target: str) -> None:
    web = web_of(tmp_path, warc_record(A, answer(line, status=b"302 Found")))
    assert url_links_of(web) == [(A, A + target)]


def test_a_type_named_twice_is_one(tmp_path: Path) -> None:
    web = web_of(tmp_path, warc_record(A, http(LINK, Content_Type="text/html, text/html")))
    assert url_links_of(web) == [(A, A + "x")]


def test_the_link_header_has_links_too(tmp_path: Path) -> None:
    lines = [
        b'Link: </c?a,b>; rel="canonical", <style.css>; rel=stylesheet; title="<x>, y"',
        b"Link: <http://b.example/>; title=x; rel=next; type=text/html, </none>",
        b'Link: <p>; rel="x Prev"',
    ]
    web = web_of(tmp_path, warc_record(A, answer(*lines, body=b"<base href=/d/>")))
    assert [target for _, target in url_links_of(web)] == [A + "c?a,b", A + "p", "http://b.example/"]


@pytest.mark.parametrize(
    ("content", "nofollow"),
    [
        ("noindex, NoFollow", True),
        ("none", True),
        ("index nofollow", True),
        ("max-image-preview: none", False),
        ("max-image-preview:none, max-snippet: 20", False),
        ("max-image-preview: none, nofollow", True),
        ("nofollowing", False),
        ("", False),
    ],
)
def test_only_whole_directives_count(content: str, nofollow: bool) -> None:
    assert says_nofollow(content) == nofollow
    assert header_says_nofollow(content) == nofollow


@pytest.mark.parametrize(
    ("header", "nofollow"),
    [
        ("googlebot: nofollow", False),
        ("googlebot: noindex, nofollow", False),
        ("*: nofollow", True),
        ("noindex\nnofollow", True),
        ("googlebot: noindex\nnone", True),
        ("nofollow\ngooglebot: index", True),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", True),
    ],
)
def test_a_robots_header_may_be_for_another_crawler(header: str, nofollow: bool) -> None:
    assert header_says_nofollow(header) == nofollow


def test_where_headers_lead_is_marked_where_the_page_says_nofollow(tmp_path: Path) -> None:
    headers = [b"Refresh: 0; url=/r", b"Link: </c>; rel=canonical"]
    by_header = answer(*headers, b"X-Robots-Tag: noindex", b"X-Robots-Tag: nofollow", body=LINK)
    by_meta = answer(*headers, body=LINK + b"<meta name=robots content=nofollow>")
    for k, block in enumerate((by_header, by_meta)):
        web = web_of(tmp_path, warc_record(A, block), name=f"web-{k}.warc")
        assert url_links_of(web) == [(A, A + name) for name in "crx"]
        assert web.columns["nofollow_links"].max() == 3


def test_links_of_a_page_to_itself_are_not_counted_as_nofollow(tmp_path: Path) -> None:
    web = web_of(
        tmp_path, page(A, "<a rel=nofollow href=#x></a><a rel=nofollow href=/></a><a rel=nofollow href=/y></a>")
    )
    assert (web.link_count, web.columns["nofollow_links"].tolist()) == (1, [1, 0])
