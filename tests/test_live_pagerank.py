"""live-pagerank live: the simulator's order with a last crawl, the same scores after a crash, what filters drop."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse

from seedbed.crawling.simulator import crawl
from seedbed.errors import InputError, OptionError
from seedbed.integrations.live.replayed_scores import LINKS_EVENT, LivePageRank
from seedbed.last_crawl import open_last
from seedbed.sources.saving import save
from tests.graphs import page_lists, web_of
from tests.live_rig import Rig, all_closed  # noqa: F401
from tests.test_live_halves import yields

pytestmark = pytest.mark.usefixtures("all_closed")
A, B, C, D = (f"http://{letter}.test/" for letter in "abcd")


def graph_of(pages: int, seed: int) -> tuple[list[list[int]], list[str]]:
    """A web with popular pages, so that residuals are passed on many times; and its URLs on a few hosts."""
    random = np.random.default_rng(seed)
    lists = [
        sorted({int(target) for target in random.random(random.integers(12)) ** 2 * pages} - {page})
        for page in range(pages)
    ]
    return lists, [f"http://h{random.integers(9)}.test/{page}" for page in range(pages)]


def served(lists: list[list[int]], urls: list[str]) -> dict[str, list[str]]:
    return {urls[page]: [urls[target] for target in links] for page, links in enumerate(lists)}


def write_last(path: Path, urls: list[str], seed: int, share: float = 0.7) -> Path:
    """What a last crawl knew of some of these pages."""
    random = np.random.default_rng(seed)
    rows = [f"{url},{random.pareto(1.5) + 0.2}" for url in urls if random.random() < share]
    path.write_text("\n".join(["url,score", *rows, "http://else.test/,1", ""]))
    return path


@pytest.mark.parametrize("order", ["live-pagerank", "live-pagerank@7"])
@pytest.mark.parametrize("kept", [False, True])
def test_with_a_last_crawl_it_goes_in_the_simulators_order_and_learns_trust_when_that_does(
    tmp_path: Path, order: str, kept: bool
) -> None:
    lists, urls = graph_of(400, 3)
    last = write_last(tmp_path / "last.csv", urls, 5)
    web = web_of(lists, urls)
    seeds = [0, 9, 30]
    expected = crawl(web, seeds, order, last=open_last(last).about(web).scores)
    assert len(expected) > 200
    assert expected.pages.tolist() != crawl(web, seeds, order).pages.tolist()
    rig = Rig(tmp_path / "job" if kept else None, order, SEEDBED_LAST=str(last))
    rig.seed(*(urls[page] for page in seeds))
    assert rig.crawl(served(lists, urls)) == [urls[page] for page in expected.pages]
    assert rig.scheduler.ranks._order.due[0] > 200
    rig.close()
    known = {target for page in expected.pages for target in lists[page]} | set(seeds)
    listed = last.read_text()
    assert rig.stats["seedbed/last/known"] == sum(f"{urls[page]}," in listed for page in known)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_crawl_that_ends_at_any_moment_goes_on_in_the_simulators_order(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """One page at a time, killed again and again; with and without a last crawl and hosts."""
    folder = tmp_path_factory.mktemp("crash")
    lists, urls = graph_of(90, data.draw(st.integers(0, 20)))
    order = data.draw(st.sampled_from(["live-pagerank", "live-pagerank@7"]))
    web, seeds = web_of(lists, urls), [0, 1, 2]
    more: dict[str, Any] = {}
    scores = None
    if data.draw(st.booleans()):
        more["SEEDBED_LAST"] = str(write_last(folder / "last.csv", urls, 1))
        scores = open_last(Path(more["SEEDBED_LAST"])).about(web).scores
    expected = [urls[page] for page in crawl(web, seeds, order, last=scores).pages]
    fetched: list[str] = []
    graph = served(lists, urls)
    while not fetched or len(set(fetched)) < len(expected):
        rig = Rig(folder / "job", order, **more)
        rig.seed(*(urls[page] for page in seeds))
        fetched += rig.crawl(graph, data.draw(st.integers(1, 40)))
        request = rig.fetch()
        if request is not None:
            fetched.append(request.url)
            links = graph[request.url]
            arrive(rig, request, links, data.draw(st.integers(0, len(links))))
            if data.draw(st.booleans()):
                rig.scheduler._commit()
        rig.crash()
    assert list(dict.fromkeys(fetched)) == expected


def arrive(rig: Rig, request: Request, links: list[str], count: int) -> None:
    """The links of a page are learnt, and only some of the requests come."""
    rig.downloader.active.discard(request)
    rig.scraping.active.add(request)
    requests = [Request(link) for link in links]
    rig.middleware.learn(HtmlResponse(request.url, request=request), requests, False)
    for one in requests[:count]:
        rig.scheduler.enqueue_request(one)


def scores_of(rig: Rig) -> dict[str, tuple[float, float, int]]:
    """The place of each page that waits, the mass that has come to it, the links seen to it; in sequence."""
    found = {}
    ranks = rig.scheduler.ranks
    while (request := rig.fetch()) is not None:
        number = request.meta["seedbed_page"]
        page = rig.scheduler.in_flight.pages[number].page
        found[request.url] = (page.score.plain(), ranks.walks(number), ranks.linked(number))
    return found


@settings(max_examples=40, deadline=None)
@given(lists=page_lists(12).filter(len), data=st.data())
def test_several_pages_under_way_have_the_same_scores_after_a_crash(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]], data: st.DataObject
) -> None:
    """Whatever was committed of them, no link counts twice, and none is lost once its page was fetched again."""
    folder = tmp_path_factory.mktemp("job")
    urls = [f"http://h{page % 3}.test/{page}" for page in range(len(lists))]
    graph = served(lists, urls)
    seeds = urls[:3]
    whole, parts = Rig(None, "live-pagerank@7"), Rig(folder, "live-pagerank@7")
    for rig in (whole, parts):
        rig.seed(*seeds, priority=1)
    for request in [whole.fetch() for _ in seeds]:
        whole.respond(request, *graph[request.url])
    for request in [parts.fetch() for _ in seeds]:
        arrive(parts, request, graph[request.url], data.draw(st.integers(0, 5)))
        if data.draw(st.booleans()):
            parts.scheduler._commit()
    parts.crash()
    parts = Rig(folder, "live-pagerank@7")
    parts.seed(*seeds, priority=1)
    for request in sorted([parts.fetch() for _ in seeds], key=lambda request: seeds.index(request.url)):
        parts.respond(request, *graph[request.url])
    assert parts.scheduler.job.fetched == len(seeds)
    assert parts.stats["seedbed/guaranteed_mass"] == pytest.approx(whole.stats["seedbed/guaranteed_mass"])
    assert scores_of(parts) == scores_of(whole)
    for rig in (whole, parts):
        rig.close()


def test_a_page_that_a_filter_drops_keeps_its_number_until_it_is_requested(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "live-pagerank")
    rig.seed(A)
    request = rig.fetch()
    arrive(rig, request, [B, C], 1)
    rig.fail(request)
    request = rig.fetch()
    arrive(rig, request, [C], 0)
    rig.fail(request)
    rig.close()
    rig = Rig(tmp_path, "live-pagerank")
    assert not rig.scheduler.has_pending_requests()
    rig.scheduler.enqueue_request(Request(C))
    request = rig.fetch()
    assert request.meta["seedbed_page"] == 3
    assert rig.scheduler.ranks.linked(3) == 2
    rig.respond(request, D)
    assert rig.fetch().meta["seedbed_page"] == 4


def test_a_page_that_is_never_filtered_leaves_its_number_to_no_other(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "live-pagerank")
    rig.seed(A, priority=1)
    request = rig.fetch()
    arrive(rig, request, [B], 0)
    rig.scheduler._commit()
    for _ in range(2):
        assert rig.scheduler.enqueue_request(Request(B, dont_filter=True))
    assert rig.scheduler.enqueue_request(Request(B))
    assert not rig.scheduler.enqueue_request(Request(B))
    assert [rig.fetch().meta["seedbed_page"] for _ in range(3)] == [2, 3, 4]


def test_a_seed_that_comes_late_has_as_much_as_the_others_also_after_a_crash(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "live-pagerank")
    rig.seed(A, B)
    rig.respond(rig.fetch(), *(f"http://c.test/{k}" for k in range(20)))
    rig.scheduler._finish()
    for seed in (C, D):
        rig.scheduler.enqueue_request(Request(seed))
    # 22 pages known: the seeds were given 2.2 in all.
    assert {rig.fetch().url: None for _ in range(3)}.keys() == {B, C, D}
    received = rig.scheduler.ranks._order.mass["received"].copy()
    assert received[[1, 22, 23]].tolist() == pytest.approx([2.1] * 3)
    rig.scheduler._commit()
    rig.crash()
    rig = Rig(tmp_path, "live-pagerank")
    again = rig.scheduler.ranks._order
    assert again.mass["received"].tolist() == received.tolist()
    assert again.numbers[0] == pytest.approx(4.4)


def test_a_page_requested_before_its_links_are_known_has_what_every_page_has() -> None:
    rig = Rig(order="live-pagerank")
    rig.seed(A)
    page = rig.fetch()
    yields(rig, page, [B, C], more=True)
    child = rig.fetch()
    assert rig.scheduler.in_flight.pages[child.meta["seedbed_page"]].page.score.plain() == 1.0
    yields(rig, page, [D], more=False)
    third = 1 + 0.85 * 1.1 / 3
    assert {url: place for url, (place, _, _) in scores_of(rig).items()} == pytest.approx({C: third, D: third})


def test_a_redirect_is_the_only_link_of_its_page(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "live-pagerank")
    rig.seed(A)
    request = rig.fetch()
    rig.replaced(request, request.replace(url=B))
    assert {url: place for url, (place, _, _) in scores_of(rig).items()} == pytest.approx({B: 1 + 0.85 * 1.1})
    assert rig.stats.get("seedbed/fetched") is None


def test_a_page_that_failed_passes_nothing_on_and_one_that_is_tried_again_has_risen_meanwhile() -> None:
    rig = Rig(order="live-pagerank")
    rig.seed(A, B)
    first, second = rig.fetch(), rig.fetch()
    rig.fail(first)
    again = second.replace(dont_filter=True)
    third = Request(C)
    rig.scheduler.enqueue_request(third)
    rig.respond(rig.fetch(), B)
    rig.replaced(second, again)
    ((url, (place, _, _)),) = scores_of(rig).items()
    assert (url, place) == (B, pytest.approx(1.1 + 0.85 * 1.1))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("pages", np.array([7], np.int32).tobytes()),
        ("pages", np.array([-1], np.int32).tobytes()),
        ("pages", b"abc"),
        ("pages", "text"),
        ("number", 9),
        ("number", 0),
        ("known", 2**40),
        ("known", 0),
        ("kind", None),
    ],
)
def test_a_damaged_list_of_links_is_refused_in_one_line(tmp_path: Path, column: str, value: Any) -> None:
    rig = Rig(tmp_path, "live-pagerank")
    rig.seed(A)
    rig.respond(rig.fetch(), B)
    rig.close()
    with sqlite3.connect(tmp_path / "seedbed.db") as base:
        base.execute(f"update event set {column} = ? where kind = ?", (value, LINKS_EVENT))  # noqa: S608
    base.close()
    with pytest.raises(InputError, match=r"seedbed\.db: its list of links is damaged\. Begin again in another JOBDIR"):
        Rig(tmp_path, "live-pagerank")


def test_a_job_goes_on_with_a_last_crawl_only_if_it_began_with_one(tmp_path: Path) -> None:
    last = str(write_last(tmp_path / "last.csv", [A, B], 1))
    Rig(tmp_path / "with", "live-pagerank", SEEDBED_LAST=last).close()
    Rig(tmp_path / "without", "live-pagerank").close()
    with pytest.raises(OptionError, match=r"begun with SEEDBED_LAST\. Set it again, or give another JOBDIR"):
        Rig(tmp_path / "with", "live-pagerank")
    with pytest.raises(OptionError, match=r"begun without SEEDBED_LAST\. Leave it out, or give another JOBDIR"):
        Rig(tmp_path / "without", "live-pagerank", SEEDBED_LAST=last)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, r"SEEDBED_LAST: .*last\.csv"),
        ("url,score\n", r"SEEDBED_LAST: .*has no score above 0"),
        ("url,score\nhttp://a.test/,0\n", r"SEEDBED_LAST: .*has no score above 0"),
        ("url,score\nhttp://a.test/,x\n", r"SEEDBED_LAST: .*last\.csv"),
    ],
)
def test_a_last_crawl_that_cannot_be_read_is_refused_before_a_job_is_begun(
    tmp_path: Path, text: str | None, line: str
) -> None:
    last = tmp_path / "last.csv"
    if text is not None:
        last.write_text(text)
    with pytest.raises(OptionError, match=line) as error:
        Rig(tmp_path / "job", "live-pagerank", SEEDBED_LAST=str(last))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "job" / "seedbed.db").exists()


def test_other_orders_have_no_use_for_a_last_crawl(tmp_path: Path) -> None:
    last = write_last(tmp_path / "last.csv", [A], 1)
    with pytest.raises(OptionError, match=r"the order 'fpr' has no use for it\. Orders that have: live-pagerank"):
        Rig(None, "fpr", SEEDBED_LAST=str(last))


def test_a_last_crawl_of_another_web_is_noted_at_the_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    last = write_last(tmp_path / "last.csv", [], 1)
    rig = Rig(None, "live-pagerank", SEEDBED_LAST=str(last))
    rig.seed(A)
    rig.drain()
    rig.close()
    assert rig.stats["seedbed/last/known"] == 0
    (record,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert "shares no URL with the 1 page of this crawl" in record.getMessage()


def test_urls_that_repeat_are_noted_and_the_first_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    last = tmp_path / "last.csv"
    last.write_text(f"url,score\n{B},1\n{C},2\n{B},9\n")
    rig = Rig(None, "live-pagerank", SEEDBED_LAST=str(last))
    (record,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert record.getMessage() == f"SEEDBED_LAST: {last}: 1 URL repeats one before; the first score counts"
    rig.seed(A)
    rig.respond(rig.fetch(), B, C)
    assert rig.drain() == [C, B]


def test_pages_that_were_gone_come_last_whatever_they_were_worth(tmp_path: Path) -> None:
    web = web_of([[], [0], [0], [0]], [D, C, B, "http://e.test/"])
    web = replace(web, columns={"status": np.array([404, 200, 200, 200])})
    save(web, tmp_path / "last.web")
    rig = Rig(None, "live-pagerank", SEEDBED_LAST=str(tmp_path / "last.web"))
    rig.seed(A)
    rig.respond(rig.fetch(), B, D, "http://x.test/", C)
    assert rig.drain() == ["http://x.test/", B, C, D]


def test_rows_that_are_replayed_in_one_go_give_the_scores_of_rows_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lists, urls = graph_of(300, 8)
    live = LivePageRank(1, None, kept=True)
    live.discover(urls, [""] * 300)
    live.seed(1)
    for page, links in enumerate(lists):
        live.learn(page + 1, [target + 1 for target in links], 0)
        if page == 100:
            live.seed(250)
    events = live.events()
    for size in (1, 7, 10_000):
        monkeypatch.setattr("seedbed.integrations.live.replayed_scores.EVENTS_AT_ONCE", size)
        again = LivePageRank(1, None, kept=True)
        again.replay(iter(events), "job")
        assert again.places.tolist() == live.places.tolist()
        assert again._order.mass["passed"].tolist()[:300] == live._order.mass["passed"].tolist()[:300]
        assert again.events() == []
