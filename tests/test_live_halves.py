"""A crawl that ends while a page has passed on a part of what it has: fetched again, it passes on the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse

from tests.live_rig import Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")
A, B, C, D = (f"http://{letter}.test/" for letter in "abcd")


def begin_to_respond(rig: Rig, request: Request, links: list[str], count: int) -> None:
    """The callback has ended, and only some of its requests have come to the scheduler."""
    rig.downloader.active.discard(request)
    rig.scraping.active.add(request)
    response = HtmlResponse(request.url, request=request)
    output = rig.middleware.process_spider_output(response, [Request(link) for link in links])
    for _ in range(count):
        rig.scheduler.enqueue_request(next(output))


def links_of_the_next(rig: Rig) -> tuple[str, int]:
    request = rig.fetch()
    assert request is not None
    return request.url, rig.scheduler.in_flight.pages[request.meta["seedbed_page"]].page.links


def two_pages_under_way(rig: Rig) -> tuple[Request, Request]:
    rig.seed(A, B, priority=1)
    first, second = rig.fetch(), rig.fetch()
    assert first is not None
    assert second is not None
    return first, second


@pytest.mark.parametrize("count", [0, 1, 2])
def test_no_link_counts_twice_however_far_a_page_had_come(tmp_path: Path, count: int) -> None:
    rig = Rig(tmp_path, "backlink")
    first, second = two_pages_under_way(rig)
    begin_to_respond(rig, first, [C, D], count)
    rig.respond(second, C, D)
    rig.scheduler._finish()
    rig.crash()
    rig = Rig(tmp_path, "backlink")
    rig.seed(A, B, priority=1)
    again = rig.fetch()
    assert again.url == A
    rig.respond(again, C, D)
    assert {links_of_the_next(rig), links_of_the_next(rig)} == {(C, 2), (D, 2)}
    assert rig.stats["seedbed/fetched"] == 2
    assert rig.scheduler.store.delivered() == {}


def test_a_redirect_that_was_kept_brings_its_score_once(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "backlink")
    first, second = two_pages_under_way(rig)
    rig.scraping.active.add(first)
    rig.scheduler.enqueue_request(first.replace(url=C, priority=0))
    rig.respond(second)
    rig.scheduler._finish()
    rig.crash()
    rig = Rig(tmp_path, "backlink")
    again = rig.fetch()
    assert again.url == A
    rig.replaced(again, again.replace(url=C, priority=0))
    assert links_of_the_next(rig) == (C, 1)


def test_a_page_that_its_callback_wants_again_is_counted_once(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "backlink")
    rig.seed(A)
    for links in ([C], [C, D]):
        page = rig.fetch()
        assert page.url == A
        rig.respond(page, *links, *([page.replace(dont_filter=True, priority=9)] if links == [C] else []))
    assert {links_of_the_next(rig), links_of_the_next(rig)} == {(C, 1), (D, 1)}
    assert rig.stats["seedbed/fetched"] == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.data())
def test_scores_after_a_crash_are_those_without_one(
    tmp_path_factory: pytest.TempPathFactory, many: int, data: st.DataObject
) -> None:
    """Pages under way side by side, each of which has come some way; then all is lost that was not committed."""
    folder = tmp_path_factory.mktemp("job")
    targets = [f"http://t{k}.test/" for k in range(4)]
    lists = [data.draw(st.lists(st.sampled_from(targets), min_size=1, unique=True)) for _ in range(many)]
    seeds = [f"http://s{k}.test/" for k in range(many)]
    rig = Rig(folder, "fpr")
    rig.seed(*seeds, priority=1)
    under_way = [rig.fetch() for _ in seeds]
    for page, links in zip(under_way, lists, strict=True):
        begin_to_respond(rig, page, links, data.draw(st.integers(0, len(links))))
    if data.draw(st.booleans()):
        rig.scheduler._commit()
    rig.crash()
    rig = Rig(folder, "fpr")
    rig.seed(*seeds, priority=1)
    graph = dict(zip(seeds, lists, strict=True))
    found = {}
    while (page := rig.fetch()) is not None:
        found[page.url] = rig.scheduler.in_flight.pages[page.meta["seedbed_page"]].page.score.plain()
        rig.respond(page, *graph.get(page.url, ()))
    for target in {target for links in lists for target in links}:
        shares = [0.85 * 0.15 / many / len(links) for links in lists if target in links]
        assert found[target] == pytest.approx(sum(shares))
    rig.close()


def yields(rig: Rig, request: Request, links: list[str], *, more: bool) -> None:
    """A callback has yielded these, and goes on (`more`) or has ended."""
    rig.downloader.active.discard(request)
    rig.scraping.active.add(request)
    response = HtmlResponse(request.url, request=request)
    requests = [Request(link) for link in links]
    rig.middleware.learn(response, requests, more)
    for one in requests:
        rig.scheduler.enqueue_request(one)
    if not more:
        rig.scraping.active.discard(request)
        rig.engine._slot.inprogress.discard(request)


def shares(rig: Rig) -> dict[str, tuple[float, int]]:
    """The score of each page that waits, and the links seen to it."""
    found = {}
    while (request := rig.fetch()) is not None:
        page = rig.scheduler.in_flight.pages[request.meta["seedbed_page"]].page
        found[request.url] = (pytest.approx(page.score.plain()), page.links)
    return found


@pytest.mark.parametrize("order", ["fpr", "fpr@100", "opic", "backlink", "bfs", "live-pagerank@7"])
def test_links_that_are_let_go_in_parts_have_the_scores_of_links_that_come_together(order: str) -> None:
    links = [f"http://{name}.test/" for name in "bcdef"]
    whole, parts = Rig(order=order), Rig(order=order)
    for rig in (whole, parts):
        rig.seed(A)
    yields(whole, whole.fetch(), [*links, C], more=False)
    page = parts.fetch()
    yields(parts, page, links[:2], more=True)
    yields(parts, page, [*links[1:3], links[0]], more=True)
    assert parts.stats.get("seedbed/fetched") is None
    yields(parts, page, [C, *links[3:]], more=False)
    assert parts.stats["seedbed/fetched"] == 1
    assert shares(parts) == shares(whole)
    assert parts.stats["seedbed/guaranteed_mass"] == pytest.approx(whole.stats["seedbed/guaranteed_mass"])
    assert parts.stats.get("seedbed/linked_again", 0) == 0


def test_a_page_that_waits_already_rises_once_when_all_links_are_known() -> None:
    rig = Rig(order="backlink")
    rig.seed(A, B, priority=1)
    first, second = rig.fetch(), rig.fetch()
    rig.respond(second, C)
    yields(rig, first, [C, D], more=True)
    rig.scheduler._finish()
    yields(rig, first, [], more=False)
    assert shares(rig) == {C: (pytest.approx(2), 2), D: (pytest.approx(1), 1)}
    assert rig.stats["seedbed/linked_again"] == 1


def test_a_page_that_is_fetched_before_all_links_are_known_has_its_estimate_for_good() -> None:
    rig = Rig(order="fpr")
    rig.seed(A)
    page = rig.fetch()
    yields(rig, page, [B, C], more=True)
    child = rig.fetch()
    assert child.url == B
    out = rig.scheduler.in_flight.pages[child.meta["seedbed_page"]]
    assert (out.page.score.plain(), out.page.links) == (pytest.approx(0.85 * 0.15 / 1000), 1)
    yields(rig, page, [D], more=False)
    assert out.page.score.plain() == pytest.approx(0.85 * 0.15 / 1000)
    rig.fail(child)
    whole = 0.85 * 0.15 / 3
    assert shares(rig) == {C: (pytest.approx(whole), 1), D: (pytest.approx(whole), 1)}


def test_one_at_a_time_a_callback_that_may_wait_for_its_child_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, later = [0.0], []
    monkeypatch.setattr("seedbed.integrations.live.scrapy_adapter.clock", lambda: now[0])
    monkeypatch.setattr("seedbed.integrations.live.scrapy_adapter.call_later", lambda delay, call: later.append(delay))
    rig = Rig(order="fpr", concurrency=1)
    rig.seed(A)
    page = rig.fetch()
    yields(rig, page, [B], more=True)
    assert rig.fetch() is None
    assert later == [1.0]
    now[0] = 1.0
    assert rig.fetch().url == B


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 4), st.data())
def test_scores_after_a_crash_between_parts_are_those_without_one(
    tmp_path_factory: pytest.TempPathFactory, many: int, data: st.DataObject
) -> None:
    """Pages whose callbacks have let some links go, or ended; then all is lost that was not committed."""
    folder = tmp_path_factory.mktemp("job")
    targets = [f"http://t{k}.test/" for k in range(5)]
    lists = [data.draw(st.lists(st.sampled_from(targets), min_size=1, unique=True)) for _ in range(many)]
    seeds = [f"http://s{k}.test/" for k in range(many)]
    rig = Rig(folder, "fpr")
    rig.seed(*seeds, priority=1)
    under_way = [rig.fetch() for _ in seeds]
    for page, links in zip(under_way, lists, strict=True):
        cut = data.draw(st.integers(0, len(links)))
        yields(rig, page, links[:cut], more=True)
        if data.draw(st.booleans()):
            rig.scheduler._finish()
            rig.scheduler._commit()
        if data.draw(st.booleans()):
            yields(rig, page, links[cut:], more=False)
    if data.draw(st.booleans()):
        rig.scheduler._commit()
    rig.crash()
    rig = Rig(folder, "fpr")
    rig.seed(*seeds, priority=1)
    for page in [rig.fetch() for priority in list(rig.scheduler.frontier.priority) if priority == 1]:
        links = lists[seeds.index(page.url)]
        yields(rig, page, links[::2], more=True)
        yields(rig, page, links[1::2], more=False)
    found = shares(rig)
    for target in {target for links in lists for target in links}:
        expected = [0.85 * 0.15 / many / len(links) for links in lists if target in links]
        assert found[target] == (pytest.approx(sum(expected)), len(expected))
    assert rig.scheduler.job.fetched == many
    rig.close()


def test_an_estimate_that_was_handed_out_is_given_once_whenever_the_process_ends(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "fpr")
    rig.seed(A)
    page = rig.fetch()
    yields(rig, page, [B, C], more=True)
    assert rig.fetch().url == B
    rig.scheduler._commit()
    rig.crash()
    rig = Rig(tmp_path, "fpr")
    page = rig.fetch()
    assert page.url == A
    rig.respond(page, B, C, D)
    assert rig.stats["seedbed/fetched"] == 1
    third = 0.85 * 0.15 / 3
    early = (pytest.approx(0.85 * 0.15 / 1000), 1)
    assert shares(rig) == {C: (pytest.approx(third), 1), D: (pytest.approx(third), 1), B: early}
