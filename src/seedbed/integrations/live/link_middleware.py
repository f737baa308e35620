"""The spider middleware by which a live crawl learns the links of a page.

A scheduler gets requests one by one and does not know on which page they were found, nor how many there are. So a
spider middleware, the nearest to the spider, holds back the requests that a response yields until the callback has
ended, and lets the scheduler say what each of them brings to its target. Items pass at once. If the callback fails
half-way, what it had yielded passes, then the failure.

A callback that is slow, or waits for a page that it asked for, does not hold up the crawl: what it has yielded is
released after PATIENCE, and the scheduler ranks it by an estimate until all links are known. For this the callback
runs as a task of its own, whose output is looked at from time to time.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from seedbed.integrations.live import scrapy_adapter

MAX_LINKS = 100_000
"""A page with more is a trap or an endless list: its links beyond these bring nothing to their targets."""

PATIENCE = 0.05
"""Requests are held back for so many seconds."""

MAX_HELD = 10_000
"""At most so much of a callback's output is held at a time."""

Learn = Callable[[Response, list[Request], bool], None]


class LinkMiddleware:
    """Gives the scheduler all requests of a response at once. The scheduler adds it to the crawl by itself."""

    def __init__(self) -> None:
        self.learn: Learn | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkMiddleware:
        """For those who name it in SPIDER_MIDDLEWARES."""
        return cls()

    def process_spider_output(
        self, response: Response, result: Iterable[Any], spider: Spider | None = None
    ) -> Iterator[Any]:
        """For callbacks that are plain generators, in versions of Scrapy that ask for it."""
        held, failure = HeldRequests(response, self.learn), None
        try:
            for one in result:
                if isinstance(one, Request):
                    yield from held.add(one)
                else:
                    yield one
        except Exception as error:  # noqa: BLE001
            failure = error
        yield from held.end()
        if failure is not None:
            raise failure

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """The same for all callbacks."""
        held, callback = HeldRequests(response, self.learn), RunningCallback(result)
        try:
            while not callback.ended:
                await callback.wait()
                for one in callback.taken():
                    for ready in held.add(one) if isinstance(one, Request) else (one,):
                        yield ready
                for request in () if callback.ended else held.overdue():
                    yield request
                callback.go_on()
        finally:
            callback.stop()
        for request in held.end():
            yield request
        if callback.failure is not None:
            raise callback.failure


class HeldRequests:
    """The requests of a response that are held back."""

    def __init__(self, response: Response, learn: Learn | None) -> None:
        self._response, self._learn = response, learn
        self._requests: list[Request] = []
        self._count, self._due = 0, math.inf

    def add(self, request: Request) -> list[Request]:
        """Hold one more; those that pass now."""
        self._count += 1
        self._requests.append(request)
        if self._count > MAX_LINKS:
            return self._released(more=self._count > MAX_LINKS + 1)
        if self._due == math.inf:
            self._due = scrapy_adapter.clock() + PATIENCE
        return self.overdue()

    def overdue(self) -> list[Request]:
        """What has been held for too long."""
        return self._released(more=True) if self._requests and scrapy_adapter.clock() >= self._due else []

    def end(self) -> list[Request]:
        """The rest, when the callback has ended."""
        return self._released(more=False) if self._count <= MAX_LINKS else []

    def _released(self, *, more: bool) -> list[Request]:
        requests, self._requests, self._due = self._requests, [], math.inf
        if self._learn is not None:
            self._learn(self._response, requests, more)
        return requests


class RunningCallback:
    """A callback that runs by itself; it goes on to yield while it is quick, then what it yields is taken from it."""

    def __init__(self, result: AsyncIterator[Any]) -> None:
        self.ended = False
        self.failure: BaseException | None = None
        self._result = result
        self._found: list[Any] = []
        self._news: Deferred[None] | None = None
        self._has_news = False
        self._may_go_on: Deferred[None] | None = None
        self._task = deferred_from_coro(self._run())
        # `failure` has what it ends with, and nobody asks how it was stopped.
        self._task.addErrback(lambda failure: None)

    async def _run(self) -> None:
        since = scrapy_adapter.clock()
        try:
            async for one in self._result:
                self._found.append(one)
                is_request = isinstance(one, Request)
                if is_request and len(self._found) < MAX_HELD and scrapy_adapter.clock() < since + PATIENCE:
                    continue
                # Without asyncio all that it yielded is taken inside `_notify`, and it may go on at once.
                may_go_on = self._may_go_on = Deferred()
                self._notify()
                await maybe_deferred_to_future(may_go_on)
                since = scrapy_adapter.clock()
        except BaseException as error:  # noqa: BLE001 - also that a task which it waits for was cancelled
            self.failure = error
        self.ended = True
        self._notify()

    def _notify(self) -> None:
        self._has_news = True
        if self._news is not None:
            news, self._news = self._news, None
            news.callback(None)

    async def wait(self) -> None:
        """Until there is something to take, or some time has passed."""
        if not self._has_news:
            self._news = Deferred()
            timer = call_later(PATIENCE, self._notify)
            await maybe_deferred_to_future(self._news)
            timer.cancel()
        self._has_news = False

    def taken(self) -> list[Any]:
        """What it has yielded since."""
        found, self._found = self._found, []
        return found

    def go_on(self) -> None:
        """It may yield more."""
        if self._may_go_on is not None:
            go_on, self._may_go_on = self._may_go_on, None
            go_on.callback(None)

    def stop(self) -> None:
        """Nobody takes any more."""
        if not self.ended:
            self._task.cancel()


def watch_links(crawler: Crawler, learn: Learn) -> None:
    """Have the running crawl report the links of each response."""
    scrapy_adapter.add_spider_middleware(crawler, LinkMiddleware()).learn = learn
