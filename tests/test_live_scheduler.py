"""What Scrapy expects of a scheduler, and what this one adds."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.downloadermiddlewares.retry import get_retry_request

from seedbed.errors import InputError, OptionError
from seedbed.integrations.scrapy import ImportanceScheduler
from tests.live_rig import AnySpider, Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")
A, B, C, D = (f"http://{name}.test/" for name in "abcd")


def test_it_is_a_scheduler() -> None:
    assert issubclass(ImportanceScheduler, BaseScheduler)


@pytest.mark.parametrize("kept", [False, True])
def test_length_and_pending_follow_what_is_queued(tmp_path: Path, kept: bool) -> None:
    rig = Rig(tmp_path if kept else None)
    assert not rig.scheduler.has_pending_requests()
    assert rig.fetch() is None
    rig.seed(A, B)
    assert len(rig.scheduler) == 2
    assert rig.scheduler.has_pending_requests()
    assert {rig.fetch().url, rig.fetch().url} == {A, B}
    assert len(rig.scheduler) == 0
    assert not rig.scheduler.has_pending_requests()
    place = "disk" if kept else "memory"
    for way in ("enqueued", "dequeued"):
        assert rig.stats[f"scheduler/{way}"] == rig.stats[f"scheduler/{way}/{place}"] == 2


@pytest.mark.parametrize("kept", [False, True])
def test_higher_priority_comes_first_whatever_the_score(tmp_path: Path, kept: bool) -> None:
    rig = Rig(tmp_path if kept else None)
    urls = {f"http://a.test/{priority}": priority for priority in (0, -10, 5, 2**70, -(2**70), 1)}
    for url, priority in urls.items():
        rig.seed(url, priority=priority)
    assert rig.drain() == sorted(urls, key=lambda url: -urls[url])


def test_duplicates_are_filtered_and_counted_unless_they_ask_not_to_be() -> None:
    rig = Rig()
    rig.seed(A)
    request = rig.fetch()
    again = Request(B, dont_filter=True)
    assert rig.respond(request, B, B, A, again) == [True, False, False, True]
    assert rig.stats["dupefilter/filtered"] == 2
    assert rig.drain() == [B, B]


def test_a_page_that_waits_rises_though_its_twin_that_is_not_filtered_was_fetched() -> None:
    rig = Rig(order="backlink")
    rig.seed(A)
    rig.respond(rig.fetch(), B, C, Request(C, dont_filter=True, priority=1))
    assert rig.fetch().url == C
    rig.respond(rig.fetch(), C)
    assert rig.stats["seedbed/linked_again"] == 1
    assert rig.drain() == [C]


def test_the_same_resource_is_one_page_however_its_url_is_spelt() -> None:
    rig = Rig()
    rig.seed("http://a.test/?x=1&y=2", "http://a.test/?y=2&x=1#part")
    assert rig.drain() == ["http://a.test/?x=1&y=2"]


def test_a_url_of_start_urls_is_fetched_once_though_scrapy_marks_it_dont_filter(tmp_path: Path) -> None:
    for _ in range(2):
        rig = Rig(tmp_path)
        rig.seed(A, dont_filter=True)
        fetched = rig.crawl({A: [B], B: [A]})
        rig.close()
    assert fetched == []
    assert rig.scheduler.job.known == 2


def test_a_spider_that_marks_its_start_requests_itself_has_them_fetched_each_time(tmp_path: Path) -> None:
    class Own(AnySpider):
        async def start(self):
            yield Request(A, dont_filter=True)

    for _ in range(2):
        rig = Rig(tmp_path, spider=Own())
        rig.seed(A, dont_filter=True)
        assert rig.drain() == [A]
        rig.close()


def test_start_requests_of_the_spiders_own_count_as_such_in_versions_of_scrapy_that_call_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Own(AnySpider):
        def start_requests(self):
            yield Request(A, dont_filter=True)

    monkeypatch.setattr(Spider, "start_requests", lambda self: iter(()), raising=False)
    for _ in range(2):
        rig = Rig(tmp_path, spider=Own())
        rig.seed(A, A, dont_filter=True)
        rig.crash()
        rig = Rig(tmp_path, spider=Own())
        assert rig.drain() == [A, A]
        rig.close()


@pytest.mark.parametrize("name", ["scrapy.dupefilters.BaseDupeFilter", "tests.test_live_scheduler.NoB"])
@pytest.mark.filterwarnings("ignore:Calling BaseDupeFilter.log")
def test_another_duplicate_filter_is_asked(name: str) -> None:
    rig = Rig(DUPEFILTER_CLASS=name)
    rig.seed(A, A, B)
    assert rig.drain() == ([A, A, B] if name.endswith("BaseDupeFilter") else [A, A])


class NoB:
    """A filter that holds B to be seen."""

    def request_seen(self, request: Request) -> bool:
        return request.url == B

    def open(self) -> None:
        """Nothing."""

    def close(self, reason: str) -> None:
        """Nothing."""

    def log(self, request: Request, spider: Spider) -> None:
        """Nothing."""


def test_a_job_goes_on_where_it_was_closed(tmp_path: Path) -> None:
    graph = {A: [B, C, A + "1"], B: [D, C], C: [A, A + "1"]}
    whole = Rig()
    whole.seed(A)
    parts = []
    for _ in range(4):
        rig = Rig(tmp_path)
        rig.seed(A)
        parts += rig.crawl(graph, most=2)
        rig.close()
    assert parts == whole.crawl(graph)
    assert rig.scheduler.job.fetched == 5


def test_pages_under_way_wait_again_after_a_crash(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.respond(rig.fetch(), B, C)
    under_way = rig.fetch().url
    rig.crash()
    rig = Rig(tmp_path)
    assert under_way == B
    assert rig.drain() == [B, C]
    assert rig.scheduler.job.fetched == 3


def test_requests_come_back_from_disk_as_they_were(tmp_path: Path) -> None:
    spider = AnySpider()
    form = FormRequest(
        A, callback=spider.parse, errback=spider.failed, formdata={"q": "ä"}, meta={"t": (1, b"\xff")}, flags=["x"]
    )
    plain = Request(
        B, method="PUT", body=b"\x00\xff", headers={"X": ["1", "2"]}, cookies={"a": "b"}, cb_kwargs={"k": 1}
    )
    rig = Rig(tmp_path, spider=spider)
    rig.scheduler.enqueue_request(form)
    rig.scheduler.enqueue_request(plain)
    rig.close()
    rig = Rig(tmp_path, spider=spider)
    for request in (form, plain):
        found = rig.fetch()
        assert type(found) is type(request)
        del found.meta["seedbed_page"]
        assert found.to_dict(spider=spider) == request.to_dict(spider=spider)


def test_what_json_cannot_hold_stays_in_memory_and_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig(tmp_path)
    with caplog.at_level(logging.WARNING):
        for url, callback in ((A, lambda response: None), (B, lambda response: None)):
            rig.scheduler.enqueue_request(Request(url, callback=callback))
    rig.scheduler.enqueue_request(Request(C, meta={"object": object()}))
    rig.seed(D)
    told = [record.message for record in caplog.records if "cannot be written to the job" in record.message]
    assert len(told) == 2
    assert "<GET http://a.test/>" in told[0]
    assert "Make the callback a method of the spider" in told[0]
    assert "<GET http://c.test/> cannot be written to the job: meta['object'] is of type object." in told[1]
    assert rig.stats["seedbed/unserializable/function"] == 2
    assert rig.stats["seedbed/unserializable/object"] == 1
    assert rig.stats["scheduler/unserializable"] == rig.stats["scheduler/enqueued/memory"] == 3
    assert rig.stats["scheduler/enqueued/disk"] == 1
    rig.respond(rig.fetch())
    rig.close()
    rig = Rig(tmp_path)
    rig.seed(A, B)
    assert sorted(rig.drain()) == [B, D]


def test_without_a_job_folder_the_very_request_that_was_queued_is_handed_out() -> None:
    rig = Rig()
    requests = [Request(A), FormRequest(B, cb_kwargs={"found": []}), Request(C, callback=lambda response: None)]
    for request in requests:
        rig.scheduler.enqueue_request(request)
    found = [rig.fetch() for _ in requests]
    assert all(one is other for one, other in zip(found, requests, strict=True))
    assert "scheduler/unserializable" not in rig.stats


@pytest.mark.parametrize("kept", [False, True])
def test_a_page_is_known_while_it_waits_while_it_is_fetched_and_afterwards(tmp_path: Path, kept: bool) -> None:
    rig = Rig(tmp_path if kept else None)
    rig.seed(A)
    seed = rig.fetch()
    assert rig.respond(seed, B, B) == [True, False]
    page = rig.fetch()
    assert not rig.scheduler.enqueue_request(Request(B))
    rig.respond(page, C)
    assert rig.fetch().url == C
    assert not rig.scheduler.enqueue_request(Request(B))
    assert not rig.scheduler.enqueue_request(Request(A))
    assert len(rig.scheduler.queue._seen) == 1


def test_a_page_that_was_retried_is_known_in_the_next_run(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed(A)
    rig.respond(rig.fetch(), B)
    page = rig.fetch()
    rig.replaced(page, page.replace(dont_filter=True))
    assert not rig.scheduler.enqueue_request(Request(B))
    rig.close()
    rig = Rig(tmp_path)
    assert not rig.scheduler.enqueue_request(Request(B))
    assert rig.drain() == [B]
    assert not rig.scheduler.enqueue_request(Request(B))


def test_what_is_lost_with_the_process_is_told_until_it_is_requested_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def unstorable(url: str, **more: object) -> Request:
        return Request(url, meta={"object": object()}, **more)

    rig = Rig(tmp_path)
    for request in (unstorable(A), unstorable(B), unstorable(C, dont_filter=True)):
        rig.scheduler.enqueue_request(request)
    rig.respond(rig.fetch())
    under_way = rig.fetch()
    assert under_way.url == B
    rig.crash()
    rig = Rig(tmp_path)
    assert f"lost when an earlier run stopped: 2 requests: {B}, {C}\n" in caplog.text
    assert rig.close_reason() == "seedbed_incomplete"
    assert not rig.scheduler.enqueue_request(Request(A))
    assert rig.scheduler.enqueue_request(Request(B))
    assert rig.close_reason() == "seedbed_incomplete"
    rig.drain()
    rig.close()
    assert rig.stats["seedbed/lost"] == 1
    rig = Rig(tmp_path)
    assert rig.scheduler.enqueue_request(Request(C, dont_filter=True))
    rig.drain()
    assert rig.close_reason() is None
    rig.close()
    assert rig.stats["seedbed/lost"] == 0


def test_a_callback_that_the_spider_has_no_more_is_named_and_left_out(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.scheduler.enqueue_request(Request(A, callback=rig.spider.parse))
    rig.seed(B)
    rig.scheduler.store._write("update request set data = replace(data, '\"parse\"', '\"gone\"')", ())
    assert rig.crawl({B: [C, A, D], C: [A]}) == [B, C, D]
    assert rig.stats["seedbed/unreadable"] == 1


def test_a_job_of_another_order_is_refused(tmp_path: Path) -> None:
    Rig(tmp_path, "opic").close()
    with pytest.raises(OptionError, match=r"begun with SEEDBED_ORDER = 'opic'"):
        Rig(tmp_path, "fpr")


def test_a_job_of_scrapys_own_scheduler_is_refused(tmp_path: Path) -> None:
    (tmp_path / "requests.queue").mkdir()
    (tmp_path / "requests.queue" / "active.json").write_text("[0]")
    with pytest.raises(OptionError, match="Scrapy's own scheduler"):
        Rig(tmp_path)


def test_a_job_that_another_crawl_uses_is_refused(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    with pytest.raises(OptionError, match="another crawl uses this job"):
        Rig(tmp_path)
    rig.close()


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"\x00" * 5000])
def test_a_job_that_is_damaged_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "seedbed.db").write_bytes(content)
    with pytest.raises(InputError, match=r"seedbed\.db"):
        Rig(tmp_path)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pagerank", "cannot run live. Orders that can: live-pagerank, fpr, opic, bfs, dfs, random, backlink"),
        ("oracle", "cannot run live"),
        ("rankmass", "cannot run live"),
        ("fpt", "Did you mean 'fpr'"),
        ("fpr@x", "'x' is not a number"),
        ("fpr@0.5", "out of range"),
        ("bfs@3", "takes no number"),
    ],
)
def test_orders_that_cannot_run_live_are_refused(name: str, line: str) -> None:
    with pytest.raises(OptionError, match=line):
        Rig(order=name)


@pytest.mark.filterwarnings("ignore:The CONCURRENT_REQUESTS_PER_IP")
def test_queues_by_address_are_refused() -> None:
    with pytest.raises(OptionError, match="CONCURRENT_REQUESTS_PER_IP"):
        Rig(CONCURRENT_REQUESTS_PER_IP=2)


def test_a_retry_waits_with_the_score_its_page_had() -> None:
    rig = Rig(order="fpr")
    rig.seed(A)
    rig.respond(rig.fetch(), B, C)
    first = rig.fetch()
    rig.replaced(first, get_retry_request(first, spider=rig.spider, reason="x"))
    assert [rig.fetch().url for _ in range(2)] == [C, B]
    assert rig.scheduler.job.known == 3
    scores = [out.page.score.plain() for out in rig.scheduler.in_flight.pages.values()]
    assert scores[0] == scores[1]
    assert [out.page.priority for out in rig.scheduler.in_flight.pages.values()] == [0, -1]


def test_a_redirect_is_the_only_link_of_its_page() -> None:
    rig = Rig(order="fpr")
    rig.seed(A)
    request = rig.fetch()
    assert rig.replaced(request, request.replace(url=B, priority=2))
    (out,) = [rig.scheduler.in_flight.pages[number] for number in [2] if rig.fetch()]
    assert out.page.score.plain() == pytest.approx(0.85 * 0.15)
    assert rig.scheduler.job.seeds == 1


def test_a_redirect_to_a_page_that_waits_adds_to_it() -> None:
    rig = Rig(order="fpr", concurrency=16)
    rig.seed(A, B)
    request = rig.fetch()
    assert not rig.replaced(request, request.replace(url=B))
    rig.fetch()
    (out,) = rig.scheduler.in_flight.pages.values()
    assert out.page.score.plain() == pytest.approx(0.075 + 0.85 * 0.075)
