"""Real crawls: Scrapy in a process of its own, a web of hundreds of hosts on loopback, kill -9."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from seedbed.crawling.simulator import crawl
from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.last_crawl import open_last
from seedbed.ranking.pagerank import pagerank
from seedbed.sources.opening import open_web
from seedbed.synth import make_web
from tests.graphs import lists_of
from tests.live import Answer, Served, killed, numbers, page, put_web, scrapy, server

PAGES, SEEDS, FETCHES = 300, (0, 7), 300


@pytest.fixture
def served() -> Iterator[Served]:
    with server() as found:
        yield found


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[list[int]], list[int]]:
    """A synthetic web with its hosts dealt out to more names, so that there are hundreds."""
    (path,) = make_web(tmp_path_factory.mktemp("web") / "web", pages=PAGES, links_per_page=8, threads=1)
    web = open_store(path)
    hosts = (web.sites("host").of_page * 8 + np.arange(PAGES) % 8).tolist()
    assert len(set(hosts)) > 100
    return lists_of(web.links), hosts


def start(web: Web) -> list[str]:
    return [web.urls[seed] for seed in SEEDS]


@pytest.mark.parametrize(
    ("order", "spider"),
    [("fpr@100", "Links"), ("opic", "AsyncLinks"), ("live-pagerank", "AsyncLinks"), ("live-pagerank@7", "Links")],
)
def test_one_request_at_a_time_goes_in_the_simulators_order(
    served: Served, graph: tuple[list[list[int]], list[int]], tmp_path: Path, order: str, spider: str
) -> None:
    web = put_web(served, *graph)
    job = tmp_path / "job"
    done = scrapy(start(web), tmp_path, spider, SEEDBED_ORDER=order, CONCURRENT_REQUESTS=1, JOBDIR=str(job))
    run = crawl(web, SEEDS, order)
    assert numbers(served) == run.pages.tolist(), done.log
    assert len(run) > 100
    assert done.stats["finish_reason"] == "finished"
    assert done.stats["seedbed/fetched"] == done.stats["scheduler/dequeued/disk"] == len(run)
    if "pagerank" not in order:
        assert done.stats["seedbed/mass_fetched"] == pytest.approx(run.score.sum())
    assert done.stats["seedbed/queued"] == 0
    assert_same_links(open_web(job / "links.jsonl"), web, run.pages.tolist())


def assert_same_links(found: Web, web: Web, fetched: list[int]) -> None:
    """The link log has the links of the pages fetched, and no others."""
    urls = list(found.urls)
    lists = lists_of(web.links)
    expected = {(web.urls[source], web.urls[target]) for source in fetched for target in lists[source]}
    links = {(urls[source], urls[target]) for source, row in enumerate(lists_of(found.links)) for target in row}
    assert links == expected
    assert found.columns["crawled"].sum() == len(fetched)


def test_important_pages_come_earlier_than_in_scrapys_own_order(served: Served, tmp_path: Path) -> None:
    (path,) = make_web(tmp_path / "web", pages=20_000, links_per_page=8, threads=1)
    made = open_store(path)
    hosts = made.sites("host").of_page.tolist()
    assert len(set(hosts)) > 200
    web = put_web(served, lists_of(made.links), hosts)
    rank = pagerank(web).scores
    reached = {}
    for name in ("seedbed.integrations.scrapy.ImportanceScheduler", "scrapy.core.scheduler.Scheduler"):
        served.asked.clear()
        seeds = [web.urls[page] for page in range(0, 20_000, 1000)]
        done = scrapy(seeds, tmp_path, "OwnSeeds", SCHEDULER=name, CLOSESPIDER_PAGECOUNT=FETCHES)
        fetched = numbers(served)
        assert len(fetched) == len(set(fetched)) >= FETCHES, done.log
        reached[name] = np.cumsum(rank[fetched[:FETCHES]])
    ours, theirs = reached.values()
    assert ours[-1] > 1.2 * theirs[-1]
    assert ours.mean() > 1.2 * theirs.mean()


@pytest.mark.parametrize("remembers", [False, True])
def test_a_crawl_that_is_killed_goes_on_in_the_same_order(
    served: Served, graph: tuple[list[list[int]], list[int]], tmp_path: Path, remembers: bool
) -> None:
    web = put_web(served, *graph)
    settings = {"CONCURRENT_REQUESTS": 1, "JOBDIR": str(tmp_path / "job")}
    last = None
    if remembers:
        settings["SEEDBED_LAST"] = str(write_last(tmp_path / "last.csv", web))
        last = open_last(tmp_path / "last.csv").about(web).scores
    for until in (25, 70):
        killed(start(web), tmp_path, lambda until=until: len(served.asked) >= until, **settings)
    done = scrapy(start(web), tmp_path, **settings)
    run = crawl(web, SEEDS, "live-pagerank", last=last)
    fetched = numbers(served)
    assert list(dict.fromkeys(fetched)) == run.pages.tolist(), done.log
    assert len(fetched) - len(run) <= 2
    assert_same_links(open_web(tmp_path / "job" / "links.jsonl"), web, run.pages.tolist())
    if remembers:
        assert run.pages.tolist() != crawl(web, SEEDS, "live-pagerank").pages.tolist()
        assert 0 < done.stats["seedbed/last/known"] <= PAGES // 2


def write_last(path: Path, web: Web) -> Path:
    """What the last crawl knew of every other page."""
    scores = np.random.default_rng(1).pareto(1.5, PAGES)
    rows = [f"{web.urls[page]},{scores[page]}\n" for page in range(0, PAGES, 2)]
    path.write_text("url,score\n" + "".join(rows))
    return path


def test_kill_loses_no_page_and_repeats_only_what_was_under_way(
    served: Served, graph: tuple[list[list[int]], list[int]], tmp_path: Path
) -> None:
    web = put_web(served, *graph)
    served.delay = 0.04
    settings = {"CONCURRENT_REQUESTS": 4, "JOBDIR": str(tmp_path / "job"), "SEEDBED_ORDER": "backlink"}
    kills = []
    for until in (1, 20, 60, 100):
        killed(start(web), tmp_path, lambda until=until: len(served.asked) >= until, **settings)
        kills.append(len(served.asked))
    done = scrapy(start(web), tmp_path, **settings)
    fetched = numbers(served)
    assert set(fetched) == set(crawl(web, SEEDS, "bfs").pages.tolist()), done.log
    first = 0
    for kill in kills:
        repeated = set(fetched[first:kill]) & set(fetched[kill:])
        # Four were being downloaded; older versions of Scrapy let a tenth of a second pass before a callback runs.
        assert repeated <= set(fetched[max(first, kill - 16) : kill])
        first = kill
    assert done.stats["finish_reason"] == "finished"


def test_redirects_retries_robots_domains_and_failures_are_as_in_scrapy(served: Served, tmp_path: Path) -> None:
    flaky = iter([Answer(status=500), Answer(page("/late"))])
    url = served.url
    served.answers |= {
        "a.test/robots.txt": Answer("User-agent: *\nDisallow: /private", headers={"Content-Type": "text/plain"}),
        "a.test/": Answer(page(*["/moved", "/flaky", "/gone", "/private", "/half"], url("b.test/"), "/first", "/loop")),
        "a.test/moved": Answer(status=301, headers={"Location": "/there"}),
        "a.test/there": Answer(page("/after")),
        "a.test/flaky": lambda: next(flaky),
        "a.test/half": Answer("<b></b>" + page("/kept")),
        "a.test/loop": Answer(status=302, headers={"Location": "/loop2"}),
        "a.test/loop2": Answer(status=302, headers={"Location": "/loop"}),
        **{f"a.test/{name}": Answer(page()) for name in ("late", "after", "kept", "first", "gone-instead")},
    }
    settings = {"ROBOTSTXT_OBEY": True, "CONCURRENT_REQUESTS": 1, "JOBDIR": str(tmp_path / "job")}
    done = scrapy([url("a.test/")], tmp_path, "Allowed", **settings)
    asked = served.pages()
    assert asked[:2] == ["a.test/", "a.test/first"], done.log
    assert asked.count("a.test/flaky") == 2
    once = ["moved", "there", "late", "after", "kept", "gone", "gone-instead", "loop", "loop2"]
    assert [asked.count(f"a.test/{name}") for name in once] == [1] * len(once)
    assert not {"b.test/", "a.test/private"} & set(asked)
    stats = done.stats
    assert (stats["offsite/filtered"], stats["robotstxt/forbidden"], stats["retry/count"]) == (1, 2, 1)
    assert stats["spider_exceptions/RuntimeError"] == 1
    assert stats["test/failed/gone"] == stats["test/failed/private"] == 1
    assert stats["finish_reason"] == "finished"
    lines = [json.loads(line) for line in (tmp_path / "job" / "links.jsonl").read_text().splitlines()]
    assert {"url": url("a.test/moved"), "links": [url("a.test/there")], "status": 301} in lines


def test_closing_early_keeps_what_waits(
    served: Served, graph: tuple[list[list[int]], list[int]], tmp_path: Path
) -> None:
    web = put_web(served, *graph)
    settings = {"CONCURRENT_REQUESTS": 1, "JOBDIR": str(tmp_path / "job")}
    done = scrapy(start(web), tmp_path, CLOSESPIDER_PAGECOUNT=20, **settings)
    assert done.stats["finish_reason"] == "closespider_pagecount"
    done = scrapy(start(web), tmp_path, CLOSESPIDER_PAGECOUNT=20, **settings)
    assert "Resuming crawl" in done.log
    assert numbers(served) == crawl(web, SEEDS, "live-pagerank").pages.tolist()[: len(served.asked)]


def test_an_order_that_cannot_run_live_ends_with_one_line_that_says_so(served: Served, tmp_path: Path) -> None:
    done = scrapy([served.url("a.test/")], tmp_path, SEEDBED_ORDER="oracle")
    (line,) = [line for line in done.log.splitlines() if "ERROR" in line]
    assert line.endswith(
        "SEEDBED_ORDER is 'oracle', which cannot run live. Orders that can: live-pagerank, fpr, opic, bfs, dfs, "
        "random, backlink."
    )
    assert "Traceback" not in done.log
    assert done.stats["finish_reason"] == "seedbed_refused"
    assert served.asked == []


def test_the_log_says_why_a_page_came_next(served: Served, tmp_path: Path) -> None:
    served.answers["a.test/"] = Answer(page("/x"))
    done = scrapy(
        [served.url("a.test/")], tmp_path, LOG_LEVEL="DEBUG", SEEDBED_LINK_LOG=str(tmp_path / "log" / "l.jsonl")
    )
    assert (
        f"Next <GET {served.url('a.test/x')}>: live-pagerank 1.935, 1 link seen to it, priority 0, page 2 discovered"
        in done.log
    )
    assert (tmp_path / "log" / "l.jsonl").exists()


@pytest.mark.parametrize("at_once", [1, 16])
def test_a_callback_may_wait_for_a_page_that_it_has_asked_for(served: Served, tmp_path: Path, at_once: int) -> None:
    served.answers |= {"a.test/": Answer(page("/child")), "a.test/child": Answer(), "a.test/after": Answer()}
    done = scrapy([served.url("a.test/")], tmp_path, "Waits", CONCURRENT_REQUESTS=at_once)
    assert served.pages() == ["a.test/", "a.test/child", "a.test/after"], done.log
    assert done.stats["finish_reason"] == "finished"
    assert done.stats["seedbed/fetched"] == 3


@pytest.mark.parametrize("name", ["scrapy.core.scheduler.Scheduler", "seedbed.integrations.scrapy.ImportanceScheduler"])
@pytest.mark.parametrize("settings", [{}, {"DOWNLOAD_DELAY": 0.02}, {"CONCURRENT_REQUESTS": 1}], ids=str)
def test_a_start_that_gives_requests_as_they_are_needed_fills_no_queue(
    served: Served, tmp_path: Path, name: str, settings: dict[str, float]
) -> None:
    places = [f"a.test/{number}" for number in range(60)]
    served.answers |= {place: Answer() for place in places}
    done = scrapy([served.url(place) for place in places], tmp_path, "Lazy", SCHEDULER=name, **settings)
    assert sorted(served.pages()) == sorted(places), done.log
    assert done.stats["test/most"] <= 1
