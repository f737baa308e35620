"""How a live crawl learns the links of a page, and writes them down.

A scheduler is given requests one by one and is not told what page they were found on, nor how many there are. So a
spider middleware, the nearest to the spider, holds back the requests that a response yields until the callback has
ended, and has the scheduler say what each of them brings along. Items go on at once. Where the callback fails half-way,
what it had yielded goes on, then the failure.

The link log has a line of JSON for each page fetched, which `seedbed convert` reads: url, links, status.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from seedbed.errors import OptionError

MOST_LINKS = 100_000
"""A page with more is a trap or a list without end: its links beyond these bring nothing along."""

Learn = Callable[[Response, list[Request], bool], None]
NAME = "seedbed.integrations.scrapy.LinkMiddleware"


class LinkMiddleware:
    """Gives the scheduler all requests of a response at once. The scheduler adds it to the crawl by itself."""

    def __init__(self) -> None:
        self.learn: Learn | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkMiddleware:
        """For those who name it in SPIDER_MIDDLEWARES."""
        return cls()

    def _learned(self, response: Response, held: list[Request], more: bool = False) -> list[Request]:
        if self.learn is not None:
            self.learn(response, held, more)
        return held

    def process_spider_output(
        self, response: Response, result: Iterable[Any], spider: Spider | None = None
    ) -> Iterator[Any]:
        """For callbacks that are plain generators, in versions of Scrapy that ask for it."""
        held: list[Request] = []
        count, failure = 0, None
        try:
            for one in result:
                count += isinstance(one, Request)
                if not isinstance(one, Request):
                    yield one
                elif count <= MOST_LINKS:
                    held.append(one)
                else:
                    yield from self._learned(response, [*held, one], more=count > MOST_LINKS + 1)
                    held = []
        except Exception as error:  # noqa: BLE001
            failure = error
        if count <= MOST_LINKS:
            yield from self._learned(response, held)
        if failure is not None:
            raise failure

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """The same for all callbacks."""
        held: list[Request] = []
        count, failure = 0, None
        try:
            async for one in result:
                count += isinstance(one, Request)
                if not isinstance(one, Request):
                    yield one
                elif count <= MOST_LINKS:
                    held.append(one)
                else:
                    for request in self._learned(response, [*held, one], more=count > MOST_LINKS + 1):
                        yield request
                    held = []
        except Exception as error:  # noqa: BLE001
            failure = error
        if count <= MOST_LINKS:
            for request in self._learned(response, held):
                yield request
        if failure is not None:
            raise failure


def watch_links(crawler: Crawler, learn: Learn) -> None:
    """Have the running crawl tell the links of each response."""
    engine = crawler.engine
    manager: Any = None if engine is None else getattr(engine.scraper, "spidermw", None)
    for middleware in getattr(manager, "middlewares", ()):
        if isinstance(middleware, LinkMiddleware):
            middleware.learn = learn
            return
    middleware = LinkMiddleware()
    middleware.learn = learn
    try:
        manager._add_middleware(middleware)
        nearest = manager.methods["process_spider_output"][0]
        added = any(
            getattr(one, "__self__", None) is middleware
            for one in (nearest if isinstance(nearest, tuple) else (nearest,))
        )
    except (AttributeError, LookupError, TypeError):
        added = False
    if not added:
        raise OptionError(
            "the scheduler cannot add its spider middleware in this version of Scrapy. Add it yourself: "
            f'SPIDER_MIDDLEWARES = {{"{NAME}": 10000}}.'
        )


class LinkLog:
    """Lines of JSON; those of pages that count as fetched are with the system before that is written down."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        if self._file.tell():
            self._file.seek(-1, 2)
            # A crawl that was killed may have left half a line.
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def write(self, url: str, links: Iterable[str], status: int | None) -> None:
        """One page."""
        known = {} if status is None else {"status": status}
        line = json.dumps({"url": url, "links": list(dict.fromkeys(links)), **known}, separators=(",", ":"))
        self._file.write(line.encode() + b"\n")

    def flush(self) -> None:
        """Give all lines to the system."""
        self._file.flush()

    def close(self) -> None:
        """The end."""
        self._file.close()
