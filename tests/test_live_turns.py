"""Who goes next, and when nobody may."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request

from tests.live_rig import Rig, all_closed  # noqa: F401

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
    monkeypatch.setattr("seedbed.integrations.live_engine.call_later", lambda delay, call: later.append(call))
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
    monkeypatch.setattr("seedbed.integrations.live_engine.call_later", lambda delay, call: None)
    monkeypatch.setattr("seedbed.integrations.live_engine.PATIENCE", -1.0)
    rig = Rig(concurrency=1)
    rig.engine._start = object()
    rig.seed("http://a.test/")
    assert rig.fetch().url == "http://a.test/"
