"""The scheduler with stand-ins for the rest of Scrapy: a downloader and a scraper that hold requests, and no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.request import RequestFingerprinter

from seedbed.integrations.live.link_middleware import LinkMiddleware
from seedbed.integrations.scrapy import ImportanceScheduler

RIGS: list[Rig] = []


class AnySpider(Spider):
    name = "any"

    def parse(self, response: Any) -> None:
        """Nothing."""

    def failed(self, failure: Any) -> None:
        """Nothing."""


class StandInDownloader:
    def __init__(self, concurrency: int, per_host: int) -> None:
        self.active: set[Request] = set()
        self.slots: dict[str, Any] = {}
        self.total_concurrency, self.domain_concurrency, self.ip_concurrency = concurrency, per_host, 0

    DOWNLOAD_SLOT = Downloader.DOWNLOAD_SLOT
    get_slot_key = Downloader.get_slot_key


class Rig:
    """`fetch` hands a request to the downloader, `respond` has its callback yield requests, `fail` ends it."""

    def __init__(
        self,
        folder: Path | None = None,
        order: str = "fpr@100",
        concurrency: int = 16,
        per_host: int = 8,
        spider: Spider | None = None,
        **settings: Any,
    ) -> None:
        given = {"SEEDBED_ORDER": order, "JOBDIR": folder and str(folder), **settings}
        self.crawler: Any = SimpleNamespace(
            settings=Settings(given), spider=None, request_fingerprinter=RequestFingerprinter(), engine=None
        )
        self.crawler.signals = SignalManager(self.crawler)
        self.crawler.stats = MemoryStatsCollector(self.crawler)
        self.downloader = StandInDownloader(concurrency, per_host)
        self.scraping = SimpleNamespace(active=set(), queue=deque())
        self.manager = SpiderMiddlewareManager(crawler=self.crawler)
        scraper = SimpleNamespace(spidermw=self.manager, slot=self.scraping)
        self.engine: Any = SimpleNamespace(
            downloader=self.downloader,
            scraper=scraper,
            _slot=SimpleNamespace(inprogress=set(), nextcall=SimpleNamespace(schedule=lambda: None)),
            _start=None,
        )
        self.crawler.engine = self.engine
        self.spider = spider or AnySpider()
        self.spider.crawler = self.crawler
        self.crawler.spider = self.spider
        self.scheduler = ImportanceScheduler.from_crawler(self.crawler)
        self.scheduler.begin(self.spider)
        self.open = True
        RIGS.append(self)

    @property
    def stats(self) -> dict[str, Any]:
        return self.crawler.stats.get_stats()

    @property
    def middleware(self) -> LinkMiddleware:
        nearest: Any = self.manager.methods["process_spider_output"][0]
        return (nearest[0] if isinstance(nearest, tuple) else nearest).__self__

    def seed(self, *urls: str, **more: Any) -> None:
        for url in urls:
            self.scheduler.enqueue_request(Request(url, meta={"is_start_request": True}, **more))

    def fetch(self) -> Request | None:
        request = self.scheduler.next_request()
        if request is not None:
            self.downloader.active.add(request)
            self.engine._slot.inprogress.add(request)
        return request

    def respond(self, request: Request, *found: Request | str) -> list[bool]:
        """What the scheduler says of each request yielded."""
        self.downloader.active.discard(request)
        self.scraping.active.add(request)
        response = HtmlResponse(request.url, request=request)
        output = [Request(one) if isinstance(one, str) else one for one in found]
        taken = [
            self.scheduler.enqueue_request(one)
            for one in self.middleware.process_spider_output(response, output)
            if isinstance(one, Request)
        ]
        self.scraping.active.discard(request)
        self.engine._slot.inprogress.discard(request)
        return taken

    def replaced(self, request: Request, by: Request) -> bool:
        """A downloader middleware gives another request instead of a response."""
        self.downloader.active.discard(request)
        taken = self.scheduler.enqueue_request(by)
        self.engine._slot.inprogress.discard(request)
        return taken

    def fail(self, request: Request) -> None:
        self.downloader.active.discard(request)
        self.engine._slot.inprogress.discard(request)

    def crawl(self, graph: dict[str, list[str]], most: int = 10**9) -> list[str]:
        """Page after page, as served by a graph; the URLs fetched."""
        urls: list[str] = []
        while len(urls) < most and (request := self.fetch()) is not None:
            urls.append(request.url)
            self.respond(request, *graph.get(request.url, ()))
        return urls

    def drain(self) -> list[str]:
        """All that waits, without links."""
        return self.crawl({})

    def close_reason(self) -> str | None:
        """What Scrapy is told as the reason to close when nothing is left; None: its own."""
        told = self.crawler.signals.send_catch_log(signals.spider_idle, spider=self.spider, dont_log=CloseSpider)
        (reason,) = [getattr(getattr(answer, "value", None), "reason", None) for _, answer in told]
        return reason

    def close(self) -> None:
        self.open = False
        self.scheduler.close("finished")

    def crash(self) -> None:
        """What is not committed is lost."""
        self.open = False
        self.scheduler.store._base.close()
        if self.scheduler.link_log is not None:
            self.scheduler.link_log.close()


@pytest.fixture
def all_closed() -> Iterator[None]:
    """Closes what a test has left open."""
    yield
    for rig in RIGS:
        if rig.open:
            rig.close()
    RIGS.clear()
