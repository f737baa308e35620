"""How links are gathered from a callback, and the log they are written to."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from seedbed.errors import OptionError
from seedbed.integrations.live import link_middleware as live_links
from seedbed.integrations.live import scrapy_adapter
from seedbed.integrations.live.job_store import LinkLog
from seedbed.integrations.live.link_middleware import LinkMiddleware, watch_links
from seedbed.sources.opening import open_web
from tests.live_rig import Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")
RESPONSE = Response("http://a.test/")


def through(middleware: LinkMiddleware, output: Iterator[Any], way: str) -> tuple[list[Any], Exception | None]:
    """What a callback's output becomes, and how it ended."""
    found: list[Any] = []

    async def as_async() -> AsyncIterator[Any]:
        for one in output:
            yield one

    async def gathered() -> None:
        async for one in middleware.process_spider_output_async(RESPONSE, as_async()):
            found.append(one)

    try:
        if way == "async":
            asyncio.run(gathered())
        else:
            found.extend(middleware.process_spider_output(RESPONSE, output))
    except RuntimeError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("way", ["plain", "async"])
def test_items_go_on_at_once_and_requests_when_the_callback_has_ended(way: str) -> None:
    middleware, told = LinkMiddleware(), []
    middleware.learn = lambda response, requests, more: told.append((len(requests), more))
    one, two = Request("http://a.test/1"), Request("http://a.test/2")
    found, error = through(middleware, iter([one, {"item": 1}, two, None]), way)
    assert (found, error) == ([{"item": 1}, None, one, two], None)
    assert told == [(2, False)]


@pytest.mark.parametrize("way", ["plain", "async"])
def test_what_a_callback_yields_before_it_fails_goes_on(way: str) -> None:
    def failing() -> Iterator[Any]:
        yield Request("http://a.test/1")
        raise RuntimeError("half-way")

    middleware, told = LinkMiddleware(), []
    middleware.learn = lambda response, requests, more: told.append(len(requests))
    if way == "plain":
        # A failure comes out behind what went on, so the list is taken one by one.
        output = middleware.process_spider_output(RESPONSE, failing())
        assert next(output).url == "http://a.test/1"
        with pytest.raises(RuntimeError, match="half-way"):
            next(output)
    else:
        found, error = through(middleware, failing(), way)
        assert [request.url for request in found] == ["http://a.test/1"]
        assert str(error) == "half-way"
    assert told == [1]


@pytest.mark.parametrize("way", ["plain", "async"])
def test_what_a_slow_callback_has_yielded_goes_on_before_it_has_ended(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, told, seen = [0.0], [], []
    monkeypatch.setattr(scrapy_adapter, "clock", lambda: now[0])
    middleware = LinkMiddleware()
    middleware.learn = lambda response, requests, more: told.append((len(requests), more))

    def slow() -> Iterator[Any]:
        for number in range(7):
            now[0] += live_links.PATIENCE / 2
            seen.append(list(told))
            yield Request(f"http://a.test/{number}")

    found, _ = through(middleware, slow(), way)
    assert [request.url[-1] for request in found] == list("0123456")
    assert told[-1][1] is False
    assert all(more for _, more in told[:-1])
    assert sum(count for count, _ in told) == 7
    assert seen[-1], "the first ones went on while the callback was running"


def test_a_callback_that_waits_for_its_own_child_ends() -> None:
    middleware, told = LinkMiddleware(), []
    middleware.learn = lambda response, requests, more: told.append((len(requests), more))

    async def crawl() -> list[str]:
        child = asyncio.get_running_loop().create_future()

        async def parse() -> AsyncIterator[Any]:
            yield Request("http://a.test/child")
            yield Request(await child)

        urls = []
        async for request in middleware.process_spider_output_async(RESPONSE, parse()):
            urls.append(request.url)
            if not child.done():
                child.set_result("http://a.test/after")
        return urls

    assert asyncio.run(asyncio.wait_for(crawl(), 60)) == ["http://a.test/child", "http://a.test/after"]
    assert told == [(1, True), (1, False)]


def test_a_callback_is_stopped_with_the_crawl() -> None:
    ended = []

    async def crawl() -> None:
        async def parse() -> AsyncIterator[Any]:
            try:
                yield {"item": 1}
                await asyncio.get_running_loop().create_future()
            finally:
                ended.append(True)

        output = LinkMiddleware().process_spider_output_async(RESPONSE, parse())
        assert await anext(output) == {"item": 1}
        await output.aclose()
        await asyncio.sleep(0)

    asyncio.run(crawl())
    assert ended == [True]


def test_a_callback_whose_task_is_cancelled_by_others_ends_and_its_links_go_on() -> None:
    middleware, told, urls = LinkMiddleware(), [], []
    middleware.learn = lambda response, requests, more: told.append((len(requests), more))

    async def crawl() -> None:
        async def parse() -> AsyncIterator[Any]:
            yield Request("http://a.test/1")
            helper = asyncio.ensure_future(asyncio.sleep(60))
            asyncio.get_running_loop().call_soon(helper.cancel)
            await helper

        async for request in middleware.process_spider_output_async(RESPONSE, parse()):
            urls.append(request.url)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(crawl(), 10))
    assert urls == ["http://a.test/1"]
    assert told[-1][1] is False


@pytest.mark.parametrize("way", ["plain", "async"])
def test_a_page_without_end_is_not_held_in_memory(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_links, "MAX_LINKS", 3)
    middleware, told = LinkMiddleware(), []
    middleware.learn = lambda response, requests, more: told.append((len(requests), more))
    found, _ = through(middleware, (Request(f"http://a.test/{k}") for k in range(6)), way)
    assert [request.url[-1] for request in found] == list("012345")
    assert told == [(4, False), (1, True), (1, True)]


def test_links_beyond_the_limit_wait_behind_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_links, "MAX_LINKS", 2)
    rig = Rig(order="fpr")
    rig.seed("http://a.test/")
    rig.respond(rig.fetch(), *(f"http://{name}.test/" for name in "zyxw"))
    assert rig.drain() == [f"http://{name}.test/" for name in "zyxw"]
    assert rig.scheduler.job.seeds == 1


def test_a_middleware_that_the_user_names_is_used() -> None:
    middleware = LinkMiddleware.from_crawler(None)
    manager = SimpleNamespace(middlewares=(object(), middleware))
    watch_links(SimpleNamespace(engine=SimpleNamespace(scraper=SimpleNamespace(spidermw=manager))), print)
    assert middleware.learn is print


@pytest.mark.parametrize(
    "manager", [None, SimpleNamespace(), SimpleNamespace(_add_middleware=lambda one: None, methods={})]
)
def test_where_it_cannot_be_added_the_error_says_what_to_do(manager: Any) -> None:
    crawler = SimpleNamespace(engine=SimpleNamespace(scraper=SimpleNamespace(spidermw=manager)))
    with pytest.raises(OptionError, match=r'SPIDER_MIDDLEWARES = {"seedbed\..*LinkMiddleware": 10000}'):
        watch_links(crawler, print)


def test_the_log_goes_on_behind_half_a_line_and_is_read_as_a_web(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    for urls in (["http://b.test/", "http://a.test/x", "http://b.test/"], ["http://c.test/"]):
        log = LinkLog(path)
        log.write("http://a.test/", urls, 200)
        log.flush()
        log.close()
        with path.open("ab") as file:
            file.write(b'{"url":"http://half.test/","links":["http')
    web = open_web(path)
    assert list(web.urls) == ["http://a.test/", "http://a.test/x", "http://b.test/", "http://c.test/"]
    assert web.link_count == 3
    assert path.read_bytes().count(b"\n") == 3


def test_a_page_that_is_fetched_again_is_one_page_of_the_web(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.seed("http://a.test/")
    rig.respond(rig.fetch(), "http://b.test/", "http://a.test/#x")
    rig.crash()
    rig = Rig(tmp_path)
    rig.seed("http://a.test/")
    rig.respond(rig.fetch(), "http://b.test/")
    rig.close()
    web = open_web(tmp_path / "links.jsonl")
    assert (web.page_count, web.link_count) == (2, 1)


WITHOUT_ASYNCIO = """
from twisted.internet import selectreactor
selectreactor.install()
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from scrapy import Request
from scrapy.http import Response
from seedbed.integrations.live.link_middleware import LinkMiddleware

found = []

async def crawl():
    async def parse():
        later = Deferred()
        reactor.callLater(0.12, later.callback, None)
        await later
        yield {"item": 1}
        yield Request("http://a.test/1")

    async for one in LinkMiddleware().process_spider_output_async(Response("http://a.test/"), parse()):
        found.append(getattr(one, "url", one))

done = Deferred.fromCoroutine(crawl())
done.addErrback(lambda failure: found.append(failure.getErrorMessage()))
done.addBoth(lambda _: reactor.stop())
reactor.callLater(20, lambda: reactor.stop())
reactor.run()
print(found)
"""


def test_a_callback_that_waits_before_it_yields_ends_without_asyncio_too() -> None:
    command = [sys.executable, "-c", WITHOUT_ASYNCIO]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "[{'item': 1}, 'http://a.test/1']\n"
