"""Revisits of another URL's capture have the links of what they repeat, as seen from their own URL."""

from __future__ import annotations

import gc
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from seedbed.archives import archive_workers as workers
from seedbed.graph.web import Web
from seedbed.sources.formats import archive
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import crawled, http, packed, warc_record
from tests.reference.archives import page_links
from tests.sources import url_links_of

A, B, C = "http://a.example/dir/", "http://b.example/copy/", "http://c.example/"
HTML = "<a href=x>x</a><a href=/y>y</a><a href=http://z.example/ rel=nofollow>z</a>"
UNKNOWN = "revisits of captures that are not in these archives, so that their links are unknown"
OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def original(url: str, html: str = HTML, digest: str = "sha1:ABC", **headers: str) -> bytes:
    return warc_record(url, http(html, **headers), WARC_Payload_Digest=digest, WARC_Date="2026-01-01T00:00:00Z")


def revisit(url: str, of: str, digest: str = "sha1:ABC", block: bytes | str = OK) -> bytes:
    named = {"WARC_Refers_To_Target_URI": of, "WARC_Refers_To_Date": "2026-01-01T00:00:00Z"}
    if digest:
        named["WARC_Payload_Digest"] = digest
    return warc_record(url, block.encode() if isinstance(block, str) else block, "revisit", **named)


def web_of(folder: Path, *files: list[bytes], **options: object) -> Web:
    for k, records in enumerate(files):
        (folder / f"{k}.warc.gz").write_bytes(packed(records))
    return open_web(folder, options=ReadOptions(**options))  # type: ignore[arg-type]


def links_from(web: Web, url: str) -> list[str]:
    return [target for source, target in url_links_of(web) if source == url]


@pytest.mark.parametrize("digest", ["sha1:ABC", ""])
@pytest.mark.parametrize("block", [OK, ""])
@pytest.mark.parametrize("order", ["behind", "before", "other file", "other file before"])
def test_a_revisit_has_the_links_of_the_capture_it_repeats(tmp_path: Path, digest: str, block: str, order: str) -> None:
    first, second = original(A), revisit(B, A, digest, block)
    files = {
        "behind": [[first, second]],
        "before": [[second, first]],
        "other file": [[first], [second]],
        "other file before": [[second], [first]],
    }[order]
    web = web_of(tmp_path, *files)
    assert links_from(web, A) == [A + "x", "http://a.example/y", "http://z.example/"]
    assert links_from(web, B) == [B + "x", "http://b.example/y", "http://z.example/"]
    assert (crawled(web), web.origin.notes) == ([A, B], ())
    assert web.columns["nofollow_links"].sum() == 2


def test_a_base_in_the_page_holds_for_its_revisits_too(tmp_path: Path) -> None:
    web = web_of(tmp_path, [original(A, "<base href=http://c.example/base/><a href=x>"), revisit(B, A)])
    assert links_from(web, B) == [C + "base/x"]


def test_headers_of_a_revisit_are_its_own(tmp_path: Path) -> None:
    own = OK.replace("\r\n\r\n", "\r\nX-Robots-Tag: nofollow\r\nLink: </next>; rel=next\r\n\r\n")
    web = web_of(tmp_path, [original(A, "<a href=x>", Link="</other>; rel=next"), revisit(B, A, block=own)])
    assert links_from(web, B) == [B + "x", "http://b.example/next"]
    assert web.columns["nofollow_links"].sum() == 2


def test_a_revisit_of_what_is_elsewhere_is_a_page_whose_links_are_unknown(tmp_path: Path) -> None:
    web = web_of(tmp_path, [original(A, digest="sha1:OTHER")], [revisit(f"{B}{k}", A) for k in range(5)])
    assert crawled(web) == [A, *(f"{B}{k}" for k in range(5))]
    assert web.origin.notes == (f"{UNKNOWN}: 5 ({B}0; {B}1; {B}2; …)",)


def test_revisits_of_images_and_of_the_same_url_are_none_of_it(tmp_path: Path) -> None:
    image = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    web = web_of(tmp_path, [original(A), revisit(A, A, "sha1:NONE"), revisit(B, A, "sha1:NONE", image)])
    assert (crawled(web), web.origin.notes) == ([A], ())


def test_a_redirect_that_is_a_revisit_leads_where_it_says(tmp_path: Path) -> None:
    web = web_of(tmp_path, [original(A), revisit(B, A, block="HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n")])
    assert links_from(web, B) == ["http://b.example/new"]


def test_neither_processes_nor_the_order_of_files_change_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    pages = [original(f"{A}{k}", f"<a href=x{k}>", f"sha1:{k}") for k in range(20)]
    again = [revisit(f"{B}{k}", f"{A}{k}", f"sha1:{k}") for k in range(25)]
    webs = [web_of(tmp_path, again[:9], pages[:5], again[9:], pages[5:], processes=count) for count in (1, 2)]
    assert url_links_of(webs[0]) == url_links_of(webs[1])
    assert webs[0].origin == webs[1].origin
    assert webs[0].origin.notes == (f"{UNKNOWN}: 5 ({B}20; {B}21; {B}22; …)",)
    assert [links_from(webs[0], f"{B}{k}") for k in range(20)] == [[f"{B}x{k}"] for k in range(20)]


def test_the_room_for_revisits_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "REVISIT_BYTES", 0)
    monkeypatch.setattr(archive, "LEAST_BYTES_A_FILE", 100)
    web = web_of(tmp_path, [original(A), *(revisit(f"{B}{k}", A) for k in range(10))])
    assert len(crawled(web)) == 11
    assert "left without their links because there are too many: " in web.origin.notes[0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_revisits_as_warcio_writes_them_are_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
    stored = writer.create_warc_record(A, "response", payload=io.BytesIO(HTML.encode()), http_headers=headers)
    writer.write_record(stored)
    digest, date = (stored.rec_headers.get_header(name) for name in ("WARC-Payload-Digest", "WARC-Date"))
    writer.write_record(writer.create_revisit_record(B, digest, A, date, http_headers=headers))
    (tmp_path / "web.warc.gz").write_bytes(out.getvalue())
    web = open_web(tmp_path / "web.warc.gz")
    assert links_from(web, B) == [B + "x", "http://b.example/y", "http://z.example/"]
    del writer, stored
    gc.collect()  # warcio leaves temporary files open, and the warnings belong to this test


PAGES = st.lists(st.sampled_from(["x", "/y", "../z", "http://z.example/", "?q=1", "//c.example/w"]), max_size=4)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAGES, min_size=1, max_size=3), st.lists(st.integers(0, 4), min_size=1, max_size=6), st.randoms())
def test_links_of_revisits_are_those_of_the_same_page_at_their_url(
    tmp_path: Path, pages: list[list[str]], repeats: list[int], chance: object
) -> None:
    """Against the naive reader of pages; some revisits repeat what is in no file."""
    htmls = ["".join(f"<a href='{link}'>l</a>" for link in page) for page in pages]
    records = [original(f"http://h{k}.example/d/", html, f"sha1:{k}") for k, html in enumerate(htmls)]
    wanted = {f"http://r{n}.example/e/f/": k for n, k in enumerate(repeats)}
    records += [revisit(url, f"http://h{k}.example/d/", f"sha1:{k}") for url, k in wanted.items()]
    chance.shuffle(records)  # type: ignore[attr-defined]
    web = web_of(tmp_path, records[::2], records[1::2])
    for url, k in wanted.items():
        expected = page_links(htmls[k], url).followed - {url} if k < len(htmls) else set()
        assert set(links_from(web, url)) == expected
    unknown = sum(k >= len(htmls) for k in repeats)
    assert [note.partition(" (")[0] for note in web.origin.notes] == ([f"{UNKNOWN}: {unknown}"] if unknown else [])
