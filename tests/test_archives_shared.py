"""The real archives and the real log open with these counts."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from seedbed.sources.opening import open_web
from tests.archives import crawled
from tests.reference import archives as plain
from tests.sources import url_links_of

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(
    ("name", "pages", "links", "fetched", "html"),
    [
        ("aut-example.warc.gz", 18_063, 20_034, 110, 94),
        ("aut-example.arc.gz", 18_063, 20_034, 110, 94),
        ("example-iana.org-chunked.warc", 26, 25, 1, 1),
        ("iipc-link-extraction-test.warc", 17, 14, 6, 6),
        ("whirlwind.warc.gz", 158, 157, 1, 1),
    ],
)
def test_a_real_archive_opens_with_its_counts(
    shared_data: Path, name: str, pages: int, links: int, fetched: int, html: int
) -> None:
    web = open_web(shared_data / "warc" / name)
    # One record of that file has no target URI.
    left_out = ["records left out because their URL is not a page's: 1"] if name.startswith("iipc") else []
    assert [note.partition(" (")[0] for note in web.origin.notes] == left_out
    assert web.origin.format == "archive"
    assert (web.page_count, web.link_count, len(crawled(web))) == (pages, links, fetched)
    out_degrees = web.links.out_degrees()
    assert ((web.columns["status"] == 200) & (out_degrees > 0)).sum() <= html


def test_warc_and_arc_of_the_same_crawl_hold_the_same_web(shared_data: Path) -> None:
    webs = [open_web(shared_data / "warc" / f"aut-example.{kind}.gz") for kind in ("warc", "arc")]
    assert url_links_of(webs[0]) == url_links_of(webs[1])
    assert crawled(webs[0]) == crawled(webs[1])


def test_all_real_archives_are_one_web(shared_data: Path) -> None:
    web = open_web(shared_data / "warc")
    assert (web.page_count, web.link_count, len(crawled(web))) == (18_264, 20_230, 118)


def test_the_real_wat_file_describes_a_request_only(shared_data: Path) -> None:
    web = open_web(shared_data / "warc" / "whirlwind.warc.wat.gz")
    assert (web.page_count, web.link_count) == (0, 0)
    assert web.origin.notes == ("no page in it: no answer with status 200 and HTML, and no redirect",)


def test_the_real_crawl_log_opens_with_its_counts(shared_data: Path) -> None:
    web = open_web(shared_data / "crawl-log")
    assert (web.origin.format, web.page_count, web.link_count) == ("crawl-log", 9_640, 9_574)
    assert (web.columns["seed"].sum(), web.columns["crawled"].sum(), web.columns["embedded"].sum()) == (3, 9_342, 8_180)
    assert ((web.columns["status"] == 404).sum(), web.columns["hops"].max()) == (216, 8)
    text = gzip.decompress((shared_data / "crawl-log" / "ukwa-example.crawl.log.gz").read_bytes()).decode()
    pages, links, seeds = plain.crawl_log(text)
    # The twin leaves URLs as they stand, so that some spellings of one page are two there.
    assert len(seeds) == 3
    assert abs(len(pages) - web.page_count) <= 20
    assert len(set(web.urls or ()) & pages) >= 0.97 * web.page_count
    assert len(set(url_links_of(web)) & links) >= 0.95 * web.link_count
