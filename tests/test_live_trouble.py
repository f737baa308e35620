"""What goes wrong in a live crawl: full disks, damaged jobs, spiders that change, requests made in odd ways."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter
from scrapy.http import HtmlResponse
from scrapy.utils.request import RequestFingerprinter

from tests.live_rig import AnySpider, Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")
A, B, C, D = (f"http://{name}.test/" for name in "abcd")


class SameFilter(RFPDupeFilter):
    """Tells duplicates as Scrapy's own does."""


class OtherFilter(RFPDupeFilter):
    """Tells them in its own way."""

    def request_seen(self, request: Request) -> bool:
        return super().request_seen(request)


class OwnStart(AnySpider):
    async def start(self) -> Any:
        yield Request(A)


def opened(folder: Path, caplog: pytest.LogCaptureFixture, **settings: Any) -> Rig:
    """A crawl that goes through `open`, which tells in the log why it cannot begin."""
    rig = Rig(folder / "elsewhere")
    rig.close()
    scheduler = type(rig.scheduler)
    rig.crawler.settings.setdict({"JOBDIR": str(folder), **settings})
    rig.scheduler = scheduler.from_crawler(rig.crawler)
    closed: list[str] = []
    rig.scheduler.engine.close = closed.append
    with caplog.at_level(logging.ERROR):
        rig.scheduler.open(rig.spider)
    assert rig.scheduler.next_request() is None
    assert closed == ["seedbed_refused"]
    rig.scheduler.close("seedbed_refused")
    return rig


def run_on(path: Path, statement: str) -> None:
    base = sqlite3.connect(path)
    base.execute(statement)
    base.commit()
    base.close()


@pytest.mark.parametrize("room", range(0, 12, 2))
def test_a_full_disk_ends_the_crawl_and_loses_nothing(
    tmp_path: Path, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    urls = [f"{A}{number}?{'x' * 900}" for number in range(124)]
    graph = {urls[k]: urls[3 * k + 1 : 3 * k + 4] for k in range(41)}
    rig = Rig(tmp_path)
    closed: list[str] = []
    rig.scheduler.engine.close = closed.append
    rig.seed(urls[0])
    used = rig.scheduler.store._base.execute("pragma page_count").fetchone()[0]
    rig.scheduler.store._base.execute(f"pragma max_page_count = {used + room}")
    with caplog.at_level(logging.ERROR):
        before = rig.crawl(graph)
    assert closed == ["seedbed_failed"]
    (line,) = [record.message for record in caplog.records]
    assert "the job cannot be written (database or disk is full)" in line
    rig.close()
    rig = Rig(tmp_path)
    rig.seed(urls[0])
    after = rig.crawl(graph)
    assert set(before) | set(after) == set(urls)
    assert len(set(before) & set(after)) <= 1


def test_a_link_log_that_cannot_be_written_ends_the_crawl_and_loses_nothing(tmp_path: Path) -> None:
    links = [f"{A}{number}?{'x' * 900}" for number in range(20)]
    rig = Rig(tmp_path, SEEDBED_LINK_LOG="/dev/full")
    closed: list[str] = []
    rig.scheduler.engine.close = closed.append
    rig.seed(A)
    assert rig.crawl({A: links}) == [A]
    assert closed == ["seedbed_failed"]
    rig.close()
    rig = Rig(tmp_path)
    rig.seed(A)
    assert set(rig.crawl({A: links})) == {A, *links}


def test_a_request_that_is_gone_from_the_job_is_passed_over(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed(A, B)
    rig.close()
    run_on(tmp_path / "seedbed.db", "delete from request where number = 1")
    rig = Rig(tmp_path)
    assert rig.drain() == [B]
    assert rig.stats["seedbed/unreadable"] == 1


def test_pages_whose_callback_is_gone_stay_in_the_job(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Later(AnySpider):
        def parse_more(self, response: Any) -> None:
            """Nothing."""

    spider = Later()
    rig = Rig(tmp_path, spider=spider)
    for url in (A, B):
        rig.scheduler.enqueue_request(Request(url, callback=spider.parse_more))
    rig.close()
    with caplog.at_level(logging.ERROR):
        rig = Rig(tmp_path)
        assert rig.drain() == []
        rig.close()
    assert len([record for record in caplog.records if "left out" in record.message]) == 2
    assert "2 pages were left out" in caplog.records[-1].message
    assert sorted(Rig(tmp_path, spider=Later()).drain()) == [A, B]


def spoilt(folder: Path, change: str, *values: object) -> Rig:
    """A job in which the request of A was changed, and that of B was not."""
    rig = Rig(folder)
    rig.scheduler.enqueue_request(Request(A))
    rig.scheduler.enqueue_request(Request(B))
    rig.close()
    base = sqlite3.connect(folder / "seedbed.db")
    base.execute(change, values)
    base.commit()
    base.close()
    return Rig(folder)


@pytest.mark.parametrize(
    "data",
    [
        {"url": A, "_class": "shop.requests:OldRequest"},
        {"url": A, "_class": "scrapy.http.request:OldRequest"},
        {"url": A, "_class": "builtins:dict"},
        {"url": A, "meta": {"x": {"!enum": ["http:HTTPStatus", "GONE_FOR_EVER"]}}},
        {"url": A, "meta": {"x": {"!timedelta": [10**30, 0, 0]}}},
        {"url": A, "meta": {"x": {"!pairs": [[[], 1]]}}},
        {"url": A, "headers": 5},
        {"url": A, "_class": "x\nERROR: forged:Class"},
        {"url": A, "callback": "name"},
        {"url": "no URL at all"},
        {},
        [],
        5,
        None,
        '"' + "[" * 100_000,
    ],
    ids=lambda data: str(data)[:40],
)
def test_a_request_that_cannot_be_read_for_any_reason_is_named_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, data: Any
) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    rig = spoilt(tmp_path, "update request set data = ? where number = 1", text)
    assert rig.drain() == [B]
    assert rig.stats["seedbed/unreadable"] == 1
    (line,) = [record.message for record in caplog.records if "left out, and kept in the job" in record.message]
    assert "Page 1" in line
    assert "\n" not in line
    assert ("http://a.test/" in line) is (isinstance(data, dict) and data.get("url") == A)
    assert rig.close_reason() == "seedbed_incomplete"
    rig.close()
    assert Rig(tmp_path).drain() == []


@pytest.mark.parametrize("value", [None, 5, b"\xff"])
def test_a_request_that_is_no_text_is_left_out(tmp_path: Path, value: object) -> None:
    assert spoilt(tmp_path, "update request set data = ? where number = 1", value).drain() == [B]


@pytest.mark.parametrize("way", ["next_request", "enqueue_request", "close"])
def test_a_fault_that_concerns_all_requests_ends_the_crawl_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    rig = Rig(tmp_path)
    closed: list[str] = []
    rig.scheduler.engine.close = closed.append
    rig.seed(A, B)
    rig.fetch()
    del rig.engine._slot
    del rig.engine.downloader
    if way == "enqueue_request":
        assert not rig.scheduler.enqueue_request(Request(C))
    if way == "close":
        rig.close()
    else:
        assert rig.scheduler.next_request() is None
        assert closed == ["seedbed_failed"]
    (line,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "the scheduler cannot go on (AttributeError(" in line.message
    assert line.exc_info is not None
    rig.close()
    rig = Rig(tmp_path)
    rig.seed(A, B)
    assert rig.drain() == [A, B]


def test_a_job_with_numbers_that_are_none_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.close()
    run_on(tmp_path / "seedbed.db", "update waiting set priority = 'x', mantissa = null")
    opened(tmp_path, caplog)
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "the crawl cannot begin (TypeError(" in record.message


class NoFingerprint(RequestFingerprinter):
    """Fails for one page."""

    def fingerprint(self, request: Request) -> bytes:
        if request.url == B:
            raise KeyError(B)
        return super().fingerprint(request)


def test_what_the_projects_fingerprinter_raises_concerns_its_request_alone() -> None:
    rig = Rig()
    rig.crawler.request_fingerprinter = NoFingerprint()
    rig.seed(A)
    with pytest.raises(KeyError):
        rig.seed(B)
    rig.seed(C)
    assert rig.drain() == [A, C]


def test_a_link_without_a_fingerprint_does_not_cost_the_other_links_of_its_page() -> None:
    rig = Rig()
    rig.crawler.request_fingerprinter = NoFingerprint()
    rig.seed(A)
    page = rig.fetch()
    found = list(rig.middleware.process_spider_output(HtmlResponse(A, request=page), [Request(B), Request(C)]))
    assert [request.url for request in found] == [B, C]
    with pytest.raises(KeyError):
        rig.scheduler.enqueue_request(found[0])
    assert rig.scheduler.enqueue_request(found[1])
    rig.fail(page)
    assert rig.drain() == [C]


def test_a_job_that_cannot_be_written_while_links_are_told_ends_the_crawl_and_loses_nothing(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    closed: list[str] = []
    rig.scheduler.engine.close = closed.append
    rig.seed(A, B)
    page = rig.fetch()
    rig.scheduler.store._base.execute("drop table waiting")
    assert rig.respond(page, C) == [False]
    assert rig.fetch() is None
    assert closed == ["seedbed_failed"]
    rig.close()
    rig = Rig(tmp_path)
    rig.seed(A, B)
    assert set(rig.crawl({A: [C]})) == {A, B, C}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda job: run_on(job / "seedbed.db", "delete from job"), "not a job of seedbed"),
        (lambda job: run_on(job / "seedbed.db", "pragma user_version = 99"), "newer version of seedbed"),
        (lambda job: (job / "seedbed.db").write_bytes(b"nothing of the kind" * 100), "damaged"),
        (lambda job: ((job / "seedbed.db").unlink(), (job / "seedbed.db").mkdir()), "may you write there"),
        (lambda job: ((job / "links.jsonl").unlink(), (job / "links.jsonl").mkdir()), "links.jsonl"),
    ],
    ids=["no row", "newer", "damaged", "folder", "log is a folder"],
)
def test_a_job_that_cannot_go_on_is_refused_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Any, message: str
) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.close()
    spoil(tmp_path)
    opened(tmp_path, caplog)
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert message in record.message


def test_a_setting_that_is_no_number_is_refused_in_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    opened(tmp_path, caplog, SEEDBED_SEED="x")
    assert "'x'" in caplog.records[-1].message


def test_a_start_url_behind_a_cookie_wall_is_fetched_after_the_bounce() -> None:
    rig = Rig()
    rig.seed(A, dont_filter=True)
    first = rig.fetch()
    assert rig.replaced(first, first.replace(url=B))
    second = rig.fetch()
    assert rig.replaced(second, second.replace(url=A))
    assert rig.fetch().url == A


def test_a_copy_of_a_start_requests_meta_makes_no_start_request() -> None:
    rig = Rig()
    rig.seed(A, dont_filter=True)
    page = rig.fetch()
    assert rig.respond(page, Request(A, dont_filter=True, meta=dict(page.meta))) == [True]
    page = rig.fetch()
    assert page.url == A


def test_requests_that_somebody_makes_with_a_pages_meta_are_seeds_and_no_redirects() -> None:
    rig = Rig(order="fpr")
    rig.seed(A)
    page = rig.fetch()
    rig.downloader.active.discard(page)
    rig.scraping.active.add(page)
    for url in (B, C, D):
        rig.scheduler.enqueue_request(Request(url, meta=dict(page.meta)))
    rig.respond(page)
    rig.drain()
    assert rig.scheduler.job.seeds == 4
    assert rig.stats["seedbed/guaranteed_mass"] <= 0.15 + 1e-12


def test_a_page_that_links_to_itself_has_one_line_in_the_log(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.respond(rig.fetch(), A, B, f"{B}?b=1&a=2", f"{B}?a=2&b=1")
    rig.close()
    (line,) = (tmp_path / "links.jsonl").read_text().splitlines()
    assert json.loads(line)["links"] == [B, f"{B}?b=1&a=2"]


@pytest.mark.parametrize(("name", "own"), [("SameFilter", True), ("OtherFilter", False)])
def test_a_filter_that_tells_duplicates_as_scrapys_does_is_done_by_the_job(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, own: bool
) -> None:
    rig = Rig(tmp_path, DUPEFILTER_CLASS=f"tests.test_live_trouble.{name}")
    assert rig.scheduler.own_filter is own
    assert ("tells duplicates" in caplog.text) is not own
    rig.seed(A, A)
    assert rig.drain() == [A]


def test_what_a_start_of_the_spiders_own_gives_is_kept_at_once(tmp_path: Path) -> None:
    rig = Rig(tmp_path, spider=OwnStart())
    rig.seed(A, B)
    rig.crash()
    assert Rig(tmp_path, spider=OwnStart()).drain() == [A, B]


def test_stats_tell_how_the_job_stands_at_both_ends(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.respond(rig.fetch(), B, C, D)
    rig.close()
    assert rig.stats["seedbed/queued"] == 3
    rig = Rig(tmp_path)
    assert rig.stats["seedbed/fetched"] == 1
    assert 0 < rig.stats["seedbed/guaranteed_mass"] <= 1


def test_downloads_of_others_take_room_on_a_host() -> None:
    from types import SimpleNamespace

    rig = Rig(per_host=2)
    rig.seed(f"{A}1", f"{A}2", f"{A}3")
    rig.downloader.slots["a.test"] = SimpleNamespace(concurrency=2, active={Request(f"{A}robots.txt")})
    assert rig.fetch() is not None
    rig.downloader.slots["a.test"].active.update(rig.downloader.active)
    assert rig.fetch() is None
