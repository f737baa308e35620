"""Who goes next, and when nobody may."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals

from seedbed.integrations.live import scrapy_adapter
from tests.live_rig import AnySpider, Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")


def test_idle_hosts_go_ahead_of_better_pages_on_busy_ones() -> None:
    rig = Rig()
    rig.seed("http://a.test/1", "http://a.test/2", "http://b.test/1", priority=1)
    rig.seed("http://c.test/1")
    assert [rig.fetch().url for _ in range(4)] == [
        f"http://{page}" for page in ("a.test/1", "b.test/1", "c.test/1", "a.test/2")
    ]


def test_no_host_is_given_more_than_it_may_download() -> None:
    rig = Rig(per_host=2)
    rig.seed(*(f"http://a.test/{k}" for k in range(4)))
    first, second = rig.fetch(), rig.fetch()
    assert rig.fetch() is None
    assert rig.scheduler.has_pending_requests()
    rig.respond(first)
    assert rig.fetch().url == "http://a.test/2"
    assert rig.fetch() is None
    rig.fail(second)
    assert rig.fetch().url == "http://a.test/3"


def test_the_downloaders_slot_is_the_host() -> None:
    rig = Rig(per_host=1)
    for k in range(2):
        rig.scheduler.enqueue_request(Request(f"http://{k}.test/", meta={"download_slot": "both"}))
    request = rig.fetch()
    assert rig.fetch() is None
    rig.respond(request)
    assert rig.fetch() is not None


def test_one_at_a_time_waits_for_all_seeds_and_for_the_links_of_the_last_page(monkeypatch: pytest.MonkeyPatch) -> None:
    later = []
    monkeypatch.setattr("seedbed.integrations.live.scrapy_adapter.call_later", lambda delay, call: later.append(call))
    rig = Rig(order="dfs", concurrency=1)
    rig.engine._start = object()
    rig.seed("http://a.test/")
    assert rig.fetch() is None
    rig.seed("http://b.test/")
    assert rig.fetch() is None
    assert len(later) == 1
    rig.engine._start = None
    request = rig.fetch()
    assert request.url == "http://b.test/"
    rig.downloader.active.clear()
    rig.scraping.active.add(request)
    assert rig.fetch() is None
    rig.respond(request, "http://c.test/")
    assert rig.fetch().url == "http://c.test/"


def test_a_page_rises_whenever_it_is_linked_again_and_stays_risen(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "backlink")
    rig.seed("http://a.test/", "http://b.test/")
    rig.respond(rig.fetch(), "http://c.test/", "http://d.test/")
    rig.respond(rig.fetch(), "http://b.test/x", "http://d.test/")
    assert rig.stats["seedbed/linked_again"] == 1
    rig.close()
    rig = Rig(tmp_path, "backlink")
    assert rig.drain() == ["http://d.test/", "http://b.test/x", "http://b.test/"]


def test_a_request_from_elsewhere_is_not_lost_whenever_the_process_ends(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.scheduler.enqueue_request(Request("http://a.test/"))
    rig.crash()
    assert Rig(tmp_path).drain() == ["http://a.test/"]


@pytest.mark.parametrize("steps", range(12))
def test_wherever_it_crashes_no_page_is_lost_and_one_at_most_is_fetched_twice(tmp_path: Path, steps: int) -> None:
    graph = {f"http://a.test/{k}": [f"http://a.test/{2 * k + 1}", f"http://a.test/{2 * k + 2}"] for k in range(6)}
    rig = Rig(tmp_path)
    rig.seed("http://a.test/0")
    before = rig.crawl(graph, most=steps)
    rig.crash()
    rig = Rig(tmp_path)
    rig.seed("http://a.test/0")
    after = rig.crawl(graph)
    assert set(before) | set(after) == {f"http://a.test/{k}" for k in range(13)}
    assert len(set(before) & set(after)) <= 1
    assert sorted(set(before) & set(after)) == before[-1:]


def test_seeds_that_take_their_time_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedbed.integrations.live.scrapy_adapter.call_later", lambda delay, call: None)
    monkeypatch.setattr("seedbed.integrations.live.scrapy_adapter.PATIENCE", -1.0)
    rig = Rig(concurrency=1)
    rig.engine._start = object()
    rig.seed("http://a.test/")
    assert rig.fetch().url == "http://a.test/"


@dataclass
class Clock:
    """Time as a test has it pass, and what is to be called then."""

    now: float = 1000.0
    calls: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[[], None]) -> Any:
        entry = (self.now + delay, call)
        self.calls.append(entry)
        return SimpleNamespace(cancel=lambda: self.calls.remove(entry))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    for name in ("clock", "seen_clock"):
        monkeypatch.setattr(scrapy_adapter, name, found)
    monkeypatch.setattr(scrapy_adapter, "call_later", found.call_later)
    return found


def slot(rig: Rig, host: str, delay: float, seen: float, **more: Any) -> Any:
    """A slot of the downloader, whose last request went out at `seen`."""
    made = SimpleNamespace(
        concurrency=8, delay=delay, jitter=0.0, lastseen=seen, queue=deque(), transferring=set(), active=set()
    )
    vars(made).update(more)
    rig.downloader.slots[host] = made
    return made


def test_a_host_is_busy_until_its_delay_is_over_and_the_engine_is_called_then(clock: Clock) -> None:
    rig = Rig()
    rig.seed("http://a.test/1", "http://b.test/1", priority=1)
    rig.seed("http://c.test/1")
    slot(rig, "a.test", 2.0, clock.now - 0.5)
    slot(rig, "b.test", 1.0, clock.now - 0.25)
    assert rig.fetch().url == "http://c.test/1"
    assert rig.fetch() is None
    assert rig.scheduler.has_pending_requests()
    assert [at - clock.now for at, _ in clock.calls] == [0.75]
    clock.now += 0.75
    assert rig.fetch().url == "http://b.test/1"
    assert rig.fetch() is None
    clock.now += 0.75
    assert rig.fetch().url == "http://a.test/1"


def test_a_timer_that_is_no_longer_needed_is_taken_back(clock: Clock) -> None:
    rig = Rig()
    rig.seed("http://a.test/", "http://b.test/")
    slot(rig, "a.test", 9.0, clock.now)
    assert rig.fetch().url == "http://b.test/"
    assert rig.fetch() is None
    assert len(clock.calls) == 1
    slot(rig, "c.test", 1.0, clock.now)
    rig.seed("http://c.test/")
    assert rig.fetch() is None
    assert [at - clock.now for at, _ in clock.calls] == [1.0]
    rig.close()
    assert clock.calls == []


def test_a_delay_that_autothrottle_shortens_is_over_earlier(clock: Clock) -> None:
    rig = Rig()
    rig.seed("http://a.test/1", "http://a.test/2")
    first = rig.fetch()
    throttled = slot(rig, "a.test", 5.0, clock.now, transferring={first})
    assert rig.fetch() is None
    throttled.delay = 0.5
    throttled.transferring.clear()
    rig.respond(first)
    clock.now += 0.25
    assert rig.fetch() is None
    clock.now += 0.25
    assert rig.fetch().url == "http://a.test/2"


def test_a_delay_that_is_shortened_while_the_downloader_waits_for_the_longer_one_is_over_with_that(
    clock: Clock,
) -> None:
    rig = Rig()
    rig.seed("http://a.test/")
    timer = SimpleNamespace(_delayed_call=SimpleNamespace(getTime=lambda: 1005.0, seconds=clock))
    throttled = slot(rig, "a.test", 0.5, clock.now, latercall=timer)
    clock.now = 1004.0
    assert rig.fetch() is None
    clock.now = 1005.0
    throttled.latercall = None
    assert rig.fetch().url == "http://a.test/"


@pytest.mark.parametrize("settings", [{"DOWNLOAD_DELAY": 3}, {"DOWNLOAD_SLOTS": {"a.test": {"delay": 3}}}])
def test_a_host_that_has_no_slot_yet_is_given_one_page(clock: Clock, settings: dict[str, Any]) -> None:
    rig = Rig(**settings)
    rig.downloader.per_slot_settings = settings.get("DOWNLOAD_SLOTS", {})
    rig.seed("http://a.test/1", "http://a.test/2")
    assert rig.fetch().url == "http://a.test/1"
    assert rig.fetch() is None


def test_a_request_that_waits_in_the_downloader_comes_before_the_next(clock: Clock) -> None:
    rig = Rig()
    rig.seed("http://a.test/1", "http://a.test/2")
    delayed = slot(rig, "a.test", 1.0, clock.now - 5)
    first = rig.fetch()
    assert rig.fetch() is None
    delayed.transferring.add(first)
    delayed.lastseen = clock.now
    assert rig.fetch() is None
    clock.now += 1
    assert rig.fetch().url == "http://a.test/2"


def test_robots_txt_that_waits_for_the_host_comes_before_a_page(clock: Clock) -> None:
    rig = Rig()
    rig.seed("http://a.test/1")
    delayed = slot(rig, "a.test", 1.0, clock.now - 5, queue=deque(["robots.txt"]))
    assert rig.fetch() is None
    delayed.queue.clear()
    clock.now += 1
    assert rig.fetch().url == "http://a.test/1"


@pytest.mark.parametrize("random", [{"jitter": 0.5}, {"randomize_delay": True}])
def test_of_random_delays_one_that_is_over_for_certain_goes_first(clock: Clock, random: dict[str, Any]) -> None:
    rig = Rig()
    rig.seed("http://a.test/", "http://b.test/", priority=1)
    rig.seed("http://c.test/")
    for host, passed in {"a.test": 1.25, "b.test": 1.75, "c.test": 3.0}.items():
        made = slot(rig, host, 2.0, clock.now - passed, **random)
        if "jitter" not in random:
            del made.jitter
    assert [rig.fetch().url for _ in range(3)] == ["http://c.test/", "http://b.test/", "http://a.test/"]


def test_while_a_start_of_the_spiders_own_goes_on_nothing_stays_behind(clock: Clock) -> None:
    class Own(AnySpider):
        async def start(self) -> Any:
            yield Request("http://a.test/")

    rig = Rig(per_host=1, spider=Own())
    rig.engine._start = object()
    rig.seed("http://a.test/1", "http://a.test/2", "http://b.test/")
    slot(rig, "b.test", 2.0, clock.now)
    assert [rig.fetch().url for _ in range(3)] == ["http://a.test/1", "http://b.test/", "http://a.test/2"]
    rig.seed("http://a.test/3")
    rig.engine._start = None
    assert rig.fetch() is None


def test_where_somebody_listens_for_an_empty_scheduler_it_is_empty(clock: Clock) -> None:
    rig = Rig(concurrency=1, per_host=1)
    rig.seed("http://a.test/1", "http://a.test/2")

    def hear() -> None:
        """Nothing."""

    rig.crawler.signals.connect(hear, signals.scheduler_empty)
    assert [rig.fetch().url for _ in range(2)] == ["http://a.test/1", "http://a.test/2"]
    rig.crawler.signals.disconnect(hear, signals.scheduler_empty)
    rig.seed("http://a.test/3")
    assert rig.fetch() is None
