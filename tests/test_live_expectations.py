"""What Scrapy, its documentation and its extensions rely on in a scheduler: each holds for Scrapy's own and for ours.

Both run in Scrapy's real engine, downloader and scraper, on a web on loopback, in a process of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import Answer, Served, page, scrapy, server

OURS, THEIRS = "seedbed.integrations.scrapy.ImportanceScheduler", "scrapy.core.scheduler.Scheduler"
SIX = ["a.test/", "a.test/x", "a.test/y", "b.test/", "b.test/x", "b.test/y"]


@pytest.fixture
def served() -> Iterator[Served]:
    with server() as found:
        for host in "ab":
            found.answers |= {
                f"{host}.test/": Answer(page("/x", "/y", "/x")),
                f"{host}.test/x": Answer(page("/y", found.url("b.test/"))),
                f"{host}.test/y": Answer(page("/x")),
            }
        yield found


both = pytest.mark.parametrize("scheduler", [THEIRS, OURS], ids=["Scrapy", "seedbed"])
kept_or_not = pytest.mark.parametrize("kept", [False, True], ids=["memory", "job"])


@both
@kept_or_not
def test_every_page_is_fetched_once_counted_and_the_crawl_finishes(
    served: Served, tmp_path: Path, scheduler: str, kept: bool
) -> None:
    settings = {"JOBDIR": str(tmp_path / "job")} if kept else {}
    done = scrapy([served.url("a.test/")], tmp_path, "OwnSeeds", SCHEDULER=scheduler, **settings)
    assert sorted(served.pages()) == SIX, done.log
    assert done.stats["finish_reason"] == "finished"
    place = "disk" if kept else "memory"
    for way in ("enqueued", "dequeued"):
        assert done.stats[f"scheduler/{way}"] == done.stats[f"scheduler/{way}/{place}"] == 6
    assert done.stats["dupefilter/filtered"] > 0


@both
def test_a_job_that_was_stopped_goes_on_and_one_that_is_done_has_nothing_left(
    served: Served, tmp_path: Path, scheduler: str
) -> None:
    settings = {"SCHEDULER": scheduler, "JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": 1}
    done = scrapy([served.url("a.test/")], tmp_path, "OwnSeeds", CLOSESPIDER_PAGECOUNT=2, **settings)
    assert done.stats["finish_reason"] == "closespider_pagecount"
    assert len(served.pages()) < 6
    done = scrapy([served.url("a.test/")], tmp_path, "OwnSeeds", **settings)
    assert "Resuming crawl" in done.log
    assert sorted(served.pages()) == SIX
    done = scrapy([served.url("a.test/")], tmp_path, "OwnSeeds", **settings)
    assert (len(served.pages()), done.stats["finish_reason"]) == (6, "finished")


@both
def test_what_is_repeated_in_start_urls_is_fetched_as_often(served: Served, tmp_path: Path, scheduler: str) -> None:
    served.answers = {"c.test/": Answer()}
    done = scrapy([served.url("c.test/")] * 3, tmp_path, SCHEDULER=scheduler)
    assert served.pages() == ["c.test/"] * 3, done.log


def test_in_a_job_start_urls_are_fetched_once(served: Served, tmp_path: Path) -> None:
    for _ in range(2):
        scrapy([served.url("a.test/")] * 3, tmp_path, SCHEDULER=OURS, JOBDIR=str(tmp_path / "job"))
    assert sorted(served.pages()) == SIX


@both
def test_higher_priority_goes_first(served: Served, tmp_path: Path, scheduler: str) -> None:
    scrapy([served.url("a.test/")], tmp_path, "Priorities", SCHEDULER=scheduler, CONCURRENT_REQUESTS=1)
    assert served.pages() == ["a.test/", "a.test/y", "a.test/x"]


@both
def test_who_hears_that_the_spider_is_idle_can_add_requests_and_keep_it_open(
    served: Served, tmp_path: Path, scheduler: str
) -> None:
    done = scrapy([], tmp_path, "Fed", SCHEDULER=scheduler, FED=[served.url(place) for place in SIX])
    assert served.pages() == SIX, done.log
    assert done.stats["finish_reason"] == "fed"


@both
def test_signals_tell_of_every_request_that_is_scheduled_dropped_and_sent(
    served: Served, tmp_path: Path, scheduler: str
) -> None:
    done = scrapy([served.url("a.test/")], tmp_path, "Heard", SCHEDULER=scheduler)
    stats = done.stats
    assert stats["test/scheduled"] - stats["test/dropped"] == stats["test/sent"] == stats["test/left"] == 6
    assert stats["test/dropped"] == stats["dupefilter/filtered"]
    assert stats["test/empty"] > 0


@both
def test_a_pause_of_the_engine_lets_nothing_out_and_loses_nothing(
    served: Served, tmp_path: Path, scheduler: str
) -> None:
    done = scrapy([served.url("a.test/")], tmp_path, "Paused", SCHEDULER=scheduler)
    assert done.stats["test/sent_while_paused"] == 0
    assert sorted(served.pages()) == SIX


@both
def test_a_request_names_the_slot_that_it_is_downloaded_in(served: Served, tmp_path: Path, scheduler: str) -> None:
    settings = {"SCHEDULER": scheduler, "DOWNLOAD_SLOTS": {"one": {"concurrency": 1, "delay": 0.01}}}
    done = scrapy([served.url(place) for place in SIX], tmp_path, "OneSlot", **settings)
    assert sorted(set(served.pages())) == SIX, done.log
    assert done.stats["test/slots"] == 1


def test_a_job_of_ours_is_refused_by_scrapys_own_scheduler_and_stays_whole(served: Served, tmp_path: Path) -> None:
    job = {"JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": 1}
    scrapy([served.url("a.test/")], tmp_path, SCHEDULER=OURS, CLOSESPIDER_PAGECOUNT=2, **job)
    before = len(served.pages())
    done = scrapy([served.url("a.test/")], tmp_path, SCHEDULER=THEIRS, **job)
    assert "incompatible priority queue" in done.log
    assert len(served.pages()) == before
    note = (tmp_path / "job" / "requests.queue" / "active.json").read_text()
    assert "begun with the scheduler of seedbed" in json.loads(note)[0]
    scrapy([served.url("a.test/")], tmp_path, SCHEDULER=OURS, **job)
    assert sorted(served.pages()) == SIX
