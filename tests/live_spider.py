"""Runs one of some spiders in Scrapy, with host names that all lead to loopback; told by JSON in the command."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import scrapy
import scrapy.signals
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import default_settings
from scrapy_playwright.page import PageMethod
from twisted.internet.defer import Deferred, succeed

# Scrapy 2.19 has another name for it.
RESOLVER = "TWISTED_DNS_RESOLVER" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else "DNS_RESOLVER"
SCHEDULER = "seedbed.integrations.scrapy.ImportanceScheduler"


class Loopback(CachingThreadedResolver):
    """Every name is this machine."""

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: N802
        return succeed("127.0.0.1")


class Links(scrapy.Spider):
    """Follows all links."""

    name = "links"

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)


class AsyncLinks(Links):
    """The same with an asynchronous callback."""

    name = "async"

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)


class OwnSeeds(Links):
    """Its start requests are filtered as others are."""

    name = "own"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.start_urls:
            yield scrapy.Request(url)


class Allowed(Links):
    """Stays on one domain, copies meta, hears of failures."""

    name = "allowed"
    allowed_domains = ("a.test",)

    async def start(self) -> AsyncIterator[Any]:
        for url in self.start_urls:
            yield scrapy.Request(url, errback=self.failed, meta={"kept": ["x"]})

    def parse(self, response: Response) -> Iterator[Any]:
        self.crawler.stats.inc_value("test/kept", len(response.meta["kept"]))
        for href in response.css("a::attr(href)").getall():
            first = "first" in href
            yield response.follow(href, errback=self.failed, meta=dict(response.meta), priority=5 * first)
        if response.css("b"):
            raise RuntimeError("half-way")

    def failed(self, failure: Any) -> Iterator[Any]:
        self.crawler.stats.inc_value("test/failed")
        self.crawler.stats.inc_value(f"test/failed/{failure.request.url.rpartition('/')[2]}")
        if "-instead" not in failure.request.url:
            yield scrapy.Request(failure.request.url + "-instead", meta={"kept": []}, errback=self.failed)


class Kind(Enum):
    PAGE = "page"


class Place(NamedTuple):
    row: int
    column: int


class Carrying(Links):
    """Its requests carry values of many types, all of which can be stored."""

    name = "carrying"
    carried: ClassVar[dict[str, Any]] = {
        "folder": Path("/some/where"),
        "kind": Kind.PAGE,
        "place": Place(1, 2),
        "recent": deque([1, 2], maxlen=3),
    }

    def parse(self, response: Response) -> Iterator[Any]:
        if response.meta.get("carried") == self.carried and response.meta["methods"][0].args == ("p",):
            self.crawler.stats.inc_value("test/carried")
        for href in response.css("a::attr(href)").getall():
            methods = [PageMethod("wait_for_selector", "p", timeout=5)]
            yield response.follow(href, meta={"carried": self.carried, "methods": methods})


class Unstored(Links):
    """Its requests hold what cannot be stored."""

    name = "unstored"

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, meta={"lock": Lock()})


class UnstoredStart(Unstored):
    """So do its first requests, which come again in each run."""

    name = "unstored-start"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.start_urls:
            yield scrapy.Request(url, meta={"lock": Lock()})


class Waits(Links):
    """Its callback waits for a page that it has asked for."""

    name = "waits"

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        self.came = asyncio.Event()
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.child)
        await self.came.wait()
        yield response.follow("/after", callback=self.child)

    def child(self, response: Response) -> None:
        self.came.set()


class Lazy(Links):
    """Gives its start requests as they are needed, and notes how many ever wait."""

    name = "lazy"

    async def start(self) -> AsyncIterator[Any]:
        self.crawler.signals.connect(self.queued, scrapy.signals.request_scheduled)
        async for request in super().start():
            if self.crawler.engine.needs_backout():
                await self.crawler.signals.wait_for(scrapy.signals.scheduler_empty)
            yield request

    def queued(self, request: scrapy.Request, spider: scrapy.Spider) -> None:
        self.crawler.stats.max_value("test/most", len(self.crawler.engine._slot.scheduler))


class Priorities(OwnSeeds):
    """The second link of a page has a higher priority than the first."""

    name = "priorities"

    def parse(self, response: Response) -> Iterator[Any]:
        if response.url.endswith("/"):
            yield response.follow("/x", priority=-1)
            yield response.follow("/y", priority=1)


class Fed(scrapy.Spider):
    """Is given a URL whenever it is idle, and closed when there are no more."""

    name = "fed"

    async def start(self) -> AsyncIterator[Any]:
        self.left = self.settings.getlist("FED")
        self.crawler.signals.connect(self.feed, scrapy.signals.spider_idle)
        return
        yield

    def feed(self, spider: scrapy.Spider) -> None:
        if not self.left:
            raise CloseSpider("fed")
        self.crawler.engine.crawl(scrapy.Request(self.left.pop(0), callback=self.parse))
        raise DontCloseSpider

    def parse(self, response: Response) -> None:
        """Nothing."""


class Heard(OwnSeeds):
    """Counts what it hears of its requests."""

    name = "heard"
    names: ClassVar[dict[str, Any]] = {
        "scheduled": scrapy.signals.request_scheduled,
        "dropped": scrapy.signals.request_dropped,
        "sent": scrapy.signals.request_reached_downloader,
        "left": scrapy.signals.request_left_downloader,
        "empty": scrapy.signals.scheduler_empty,
    }

    async def start(self) -> AsyncIterator[Any]:
        self.hear = [partial(self.crawler.stats.inc_value, f"test/{name}") for name in self.names]
        for signal, count in zip(self.names.values(), self.hear, strict=True):
            self.crawler.signals.connect(self.counting(count), signal, weak=False)
        async for request in super().start():
            yield request

    @staticmethod
    def counting(count: Any) -> Any:
        return lambda: count()  # noqa: PLW0108 (signals look at what a receiver takes)


class Paused(OwnSeeds):
    """Has the engine pause for a moment, after its first page."""

    name = "paused"
    paused = False

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
        if not self.paused:
            self.paused = True
            self.crawler.engine.pause()
            sent = self.crawler.stats.get_value("downloader/request_count")
            await asyncio.sleep(0.5)
            now = self.crawler.stats.get_value("downloader/request_count")
            self.crawler.stats.set_value("test/sent_while_paused", now - sent)
            self.crawler.engine.unpause()


class OneSlot(Links):
    """All hosts share a slot of the downloader."""

    name = "one-slot"

    async def start(self) -> AsyncIterator[Any]:
        self.crawler.signals.connect(self.downloaded, scrapy.signals.response_downloaded)
        for url in self.start_urls:
            yield scrapy.Request(url, meta={"download_slot": "one"})

    def downloaded(self, response: Response, request: scrapy.Request, spider: scrapy.Spider) -> None:
        self.crawler.stats.max_value("test/slots", len(self.crawler.engine.downloader.slots))

    def parse(self, response: Response) -> None:  # type: ignore[override]
        """Nothing."""


SPIDERS = (
    Links,
    AsyncLinks,
    OwnSeeds,
    Allowed,
    Carrying,
    Unstored,
    UnstoredStart,
    Waits,
    Lazy,
    Priorities,
    Fed,
    Heard,
    Paused,
    OneSlot,
)


def main() -> None:
    given = json.loads(sys.argv[1])
    settings = {
        "SCHEDULER": SCHEDULER,
        RESOLVER: "tests.live_spider.Loopback",
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "LOG_LEVEL": "INFO",
        **given["settings"],
    }
    process = CrawlerProcess(settings)
    spider = {kind.__name__: kind for kind in SPIDERS}[given["spider"]]
    crawler = process.create_crawler(spider)
    process.crawl(crawler, start_urls=given["start"])
    process.start()
    Path(given["stats"]).write_text(json.dumps(crawler.stats.get_stats(), default=str))


if __name__ == "__main__":
    main()
