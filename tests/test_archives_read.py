"""Archives as webs: what is a page, what is a link, and that neither packing, number nor processes change it."""

from __future__ import annotations

import gc
import gzip
import io
import os
import signal
import subprocess
from pathlib import Path

import brotli
import numpy as np
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from seedbed.archives import archive_workers as workers
from seedbed.errors import InputError
from seedbed.graph.native_store import write_store
from seedbed.graph.web import Web
from seedbed.seeds.select import select
from seedbed.seeds.values import paper_values
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import arc_record, arc_start, crawled, http, packed, page, warc_record, wat_record
from tests.sources import url_links_of

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
PAGES = [
    (A, f"<a href='{B}#top'>b</a><a href=/x rel=nofollow>x</a><a href='{A}'>self</a>"),
    (B, f"<p><a href='{C}'>c</a><a href='{C}'>again</a>"),
]
LINKS = [(A, A + "x"), (A, B), (B, C)]


def web_of(folder: Path, *records: bytes, name: str = "web.warc", **options: object) -> Web:
    (folder / name).write_bytes(b"".join(records))
    return open_web(folder / name, options=ReadOptions(**options))  # type: ignore[arg-type]


def status_of(web: Web, url: str) -> int:
    assert web.urls is not None
    found = web.urls.find(url)
    assert found is not None
    return int(web.columns["status"][found])


def test_pages_links_and_columns_of_a_small_archive(tmp_path: Path) -> None:
    web = web_of(tmp_path, *(page(url, html) for url, html in PAGES))
    assert web.origin.format == "archive"
    assert list(web.urls or ()) == [A, A + "x", B, C]
    assert url_links_of(web) == LINKS
    assert web.columns["crawled"].tolist() == [True, False, True, False]
    assert web.columns["status"].tolist() == [200, 0, 200, 0]
    assert web.columns["nofollow_links"].tolist() == [1, 0, 0, 0]
    assert (web.origin.self_links, web.origin.duplicate_links, web.origin.notes) == (1, 0, ())


def test_nofollow_links_can_be_left_out_and_are_counted_all_the_same(tmp_path: Path) -> None:
    web = web_of(tmp_path, *(page(url, html) for url, html in PAGES), drop_nofollow=True)
    assert url_links_of(web) == [(A, B), (B, C)]
    assert web.columns["nofollow_links"].tolist() == [1, 0, 0]


def test_links_to_pages_not_crawled_add_value_by_the_rule_of_the_paper(tmp_path: Path) -> None:
    web = web_of(tmp_path, *(page(url, html) for url, html in PAGES))
    assert paper_values(web, 0.5).tolist() == [1.5, 0, 1.5, 0]


def test_pages_of_the_same_content_or_canonical_url_have_a_number_in_common(tmp_path: Path) -> None:
    """By the archive's digest, or by the body if there is none; by the page, or by its header."""
    known = {"WARC_Payload_Digest": "sha1:LNHK6DZVT4Q"}
    canonical = "<link rel=canonical href='http://www.a.example/index.html'>"
    web = web_of(
        tmp_path,
        page(A, "<p>one"),
        page(A + "same", "<p>one"),
        page(A + "other", canonical),
        warc_record(B, http("<p>two"), **known),
        warc_record(C, http("<p>three", Link='<http://a.example/>; rel="canonical"'), **known),
        page(C + "x", "<base href=http://a.example/x/><link rel=canonical href=..#part><link rel=canonical href=/no>"),
    )
    fetched = {url: k for k, url in enumerate(web.urls or ()) if web.columns["crawled"][k]}
    a, other, same, b, c, x = (fetched[url] for url in (A, A + "other", A + "same", B, C, C + "x"))
    digest, named = web.columns["digest"], web.columns["canonical"]
    assert digest[a] == digest[same] > 0 and digest[b] == digest[c] > 0
    assert len({digest[page] for page in fetched.values()}) == 4
    assert named[other] == named[c] == named[x] > 0 == named[a] == named[same] == named[b]
    assert not digest[~web.columns["crawled"]].any()


def test_redirects_are_links_and_other_answers_only_have_a_status(tmp_path: Path) -> None:
    web = web_of(
        tmp_path,
        page(A, "<a href=/moved></a><a href=/gone></a><a href=/photo></a><a href=/seen></a>"),
        warc_record(A + "moved", http("", "301 Moved", Location="new#part")),
        warc_record(A + "gone", http("<a href=/lost></a>", "404 Not Found")),
        warc_record(A + "photo", http(b"\x89PNG", Content_Type="image/png")),
        warc_record(A + "embedded", http(b"\x89PNG", Content_Type="image/png")),
        warc_record(A + "seen", http(""), "revisit"),
        warc_record(A + "asked", b"GET / HTTP/1.1\r\n\r\n", "request"),
        warc_record("dns:a.example", b"20080430 a.example", Content_Type="text/dns"),
    )
    known = [A, A + "gone", A + "moved", A + "new", A + "photo", A + "seen"]
    assert list(web.urls or ()) == known
    assert web.columns["status"].tolist() == [200, 404, 301, 0, 200, 200]
    assert web.columns["crawled"].tolist() == [True, True, True, False, True, True]
    assert (A + "moved", A + "new") in url_links_of(web)


def test_a_page_captured_twice_has_the_links_of_both_and_its_best_status(tmp_path: Path) -> None:
    web = web_of(tmp_path, page(A, "<a href=/x></a>"), warc_record(A, http("", "503 Busy")), page(A, "<a href=/y></a>"))
    assert url_links_of(web) == [(A, A + "x"), (A, A + "y")]
    assert status_of(web, A) == 200


def test_what_http_headers_say(tmp_path: Path) -> None:
    web = web_of(
        tmp_path,
        warc_record(A, http("<a href=/x></a>", X_Robots_Tag="noindex, nofollow", Refresh="0; url=/r")),
        warc_record(B, http("<html><a href=/y></a>", Content_Type="")),
        warc_record(C, http("plain text <a href=/z></a>", Content_Type="")),
    )
    assert url_links_of(web) == [(A, A + "r"), (A, A + "x"), (B, B + "y")]
    assert web.columns["nofollow_links"].sum() == 2


def test_bodies_are_unpacked_whatever_they_were_sent_in(tmp_path: Path) -> None:
    html = b"<a href=/x></a>"
    chunked = b"5\r\n" + html[:5] + b"\r\nA\r\n" + html[5:] + b"\r\n0\r\n\r\n"
    answers = [
        http(gzip.compress(html), Content_Encoding="gzip"),
        http(brotli.compress(html), Content_Encoding="br"),
        http(chunked, Transfer_Encoding="chunked"),
        http(html, Content_Encoding="gzip", Transfer_Encoding="chunked"),
        http(gzip.compress(gzip.compress(html)), Content_Encoding="gzip, gzip"),
    ]
    web = web_of(tmp_path, *(warc_record(f"http://h{k}.example/", answer) for k, answer in enumerate(answers)))
    assert url_links_of(web) == [(f"http://h{k}.example/", f"http://h{k}.example/x") for k in range(len(answers))]
    assert web.origin.notes == ()


@pytest.mark.parametrize("pack", ["plain", "members", "whole"])
@pytest.mark.parametrize("kind", ["warc", "arc", "wat"])
def test_every_kind_of_archive_holds_the_same_web(tmp_path: Path, kind: str, pack: str) -> None:
    wat_links = [
        [{"path": "A@/href", "url": B + "#top"}, {"path": "A@/href", "url": "/x", "rel": "nofollow"}],
        [{"path": "A@/href", "url": C}, {"path": "IMG@/src", "url": "/i.png"}],
    ]
    records = {
        "warc": [page(url, html) for url, html in PAGES],
        "arc": [arc_start(), *(arc_record(url, http(html)) for url, html in PAGES)],
        "wat": [wat_record(url, links) for (url, _), links in zip(PAGES, wat_links, strict=True)],
    }[kind]
    data = packed(records) if pack == "members" else b"".join(records)
    web = web_of(tmp_path, gzip.compress(data) if pack == "whole" else data, name="no-name-that-tells")
    assert url_links_of(web) == LINKS
    assert web.columns["nofollow_links"].tolist() == [1, 0, 0, 0]
    assert (crawled(web), web.origin.notes) == ([A, B], ())


def test_the_head_of_a_wat_record_has_links_too(tmp_path: Path) -> None:
    head = {
        "Base": "/base/",
        "Link": [{"url": "next", "rel": "next"}, {"url": "style", "rel": "stylesheet"}],
        "Metas": [{"http-equiv": "refresh", "content": "3; url=later"}, {"name": "robots", "content": "none"}],
    }
    web = web_of(tmp_path, wat_record(A, [{"path": "AREA@/href", "url": "spot"}], **head))
    assert url_links_of(web) == [(A, f"{A}base/{name}") for name in ("later", "next", "spot")]
    assert web.columns["nofollow_links"].max() == 3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_archives_written_by_warcio_are_read(tmp_path: Path) -> None:
    for compressed in (True, False):
        out = io.BytesIO()
        writer = WARCWriter(out, gzip=compressed)
        writer.write_record(writer.create_warcinfo_record("web.warc", {"software": "test"}))
        for url, html in PAGES:
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            body = io.BytesIO(html.encode())
            writer.write_record(writer.create_warc_record(url, "response", payload=body, http_headers=headers))
            writer.write_record(writer.create_revisit_record(url, "sha1:X", url, "2020-01-01T00:00:00Z"))
        web = web_of(tmp_path, out.getvalue())
        assert (url_links_of(web), crawled(web)) == (LINKS, [A, B])
    del writer, body
    gc.collect()  # warcio leaves temporary files open, and the warnings belong to this test


def archives(folder: Path, count: int) -> list[Path]:
    files = []
    for k in range(count):
        file = folder / "deep" / f"part-{k}.warc.gz"
        file.parent.mkdir(exist_ok=True)
        pages = [(f"http://h{k}.example/{j}", f"<a href='http://h{j}.example/{k}'></a>") for j in range(20)]
        file.write_bytes(packed([page(url, html) for url, html in pages]))
        files.append(file)
    return files


def test_many_archives_are_one_web_however_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = archives(tmp_path, 3)
    (tmp_path / "deep" / "notes.txt").write_text("not an archive")
    (tmp_path / "list").write_text("# a comment\n\n" + "".join(f"deep/{file.name}\n" for file in files))
    monkeypatch.chdir(tmp_path)
    webs = [open_web(path) for path in (tmp_path, tmp_path / "deep" / "*.warc.gz", "deep/part-?.warc.gz", "list")]
    assert {tuple(url_links_of(web)) for web in webs} == {tuple(url_links_of(webs[0]))}
    assert [web.link_count for web in webs] == [3 * 20 - 3] * 4
    assert {web.origin.format for web in webs} == {"archive"}


def test_a_list_with_a_missing_file_is_refused_with_its_line(tmp_path: Path) -> None:
    archives(tmp_path, 1)
    (tmp_path / "list").write_text("deep/part-0.warc.gz\ndeep/part-9.warc.gz\n")
    with pytest.raises(InputError, match=r"list, line 2: no such file: deep/part-9"):
        open_web(tmp_path / "list")


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\*\.warc\.gz: no file matches\.$"):
        open_web(tmp_path / "*.warc.gz")


def test_a_sound_archive_without_a_page_is_a_web_without_pages(tmp_path: Path) -> None:
    """One archive of thousands may hold images only. The web says so, and is kept and opened like any other."""
    web = web_of(tmp_path, warc_record(A, b"GET / HTTP/1.1\r\n\r\n", "request"))
    assert (web.page_count, web.link_count) == (0, 0)
    assert "no page in it" in web.origin.notes[0]
    write_store(web, tmp_path / "kept.web")
    assert open_web(tmp_path / "kept.web").page_count == 0
    with pytest.raises(InputError, match="no pages to choose from"):
        select(web, "cover", 1)


def test_a_damaged_archive_without_a_page_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cut.warc").write_bytes(page(A, "x")[:-30])
    with pytest.raises(InputError, match=r"no page in it.*Found: "):
        open_web(tmp_path / "cut.warc")


@pytest.mark.parametrize("memory", [None, 1 << 12])
def test_neither_processes_nor_memory_change_the_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int | None
) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    archives(tmp_path, 5)
    (tmp_path / "deep" / "part-3.warc.gz").write_bytes(b"\x1f\x8b damaged")
    alone, together = (open_web(tmp_path, options=ReadOptions(processes=count, memory=memory)) for count in (1, 2))
    assert url_links_of(alone) == url_links_of(together)
    assert alone.origin == together.origin
    assert "files without an intact record: 1" in alone.origin.notes[0]
    assert list(alone.columns) == ["crawled", "status", "digest", "nofollow_links"]
    assert all(np.array_equal(alone.columns[name], together.columns[name]) for name in alone.columns)


def test_a_reader_that_dies_costs_only_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    archives(tmp_path, 4)
    monkeypatch.setattr(workers, "_MODULE", "tests.dying_worker")
    web = open_web(tmp_path, options=ReadOptions(processes=2))
    assert crawled(web) == sorted(f"http://h{k}.example/{j}" for k in (0, 2, 3) for j in range(20))
    assert web.origin.notes == ("files left unread from some place on, where the reader died: 1 (deep/part-1.warc.gz)",)


def test_workers_are_ended_with_their_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    archives(tmp_path, 1)
    endless = tmp_path / "a.warc"
    os.mkfifo(endless)
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *args, **options: started.append(popen(*args, **options)) or started[-1]
    )
    parts = workers.parts_of_all([endless, tmp_path / "deep" / "part-0.warc.gz"], workers.Settings(), 2)
    assert next(iter(parts))[0].name == "part-0.warc.gz"
    assert [worker.poll() for worker in started] == [None, None]
    parts.close()  # type: ignore[attr-defined]
    assert [worker.poll() for worker in started] == [-signal.SIGKILL] * 2
