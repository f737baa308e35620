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
    return request.url, rig.scheduler.out[request.meta["seedbed_page"]].page.links


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
    assert rig.scheduler.store.given() == {}


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
        found[page.url] = rig.scheduler.out[page.meta["seedbed_page"]].page.score.plain()
        rig.respond(page, *graph.get(page.url, ()))
    for target in {target for links in lists for target in links}:
        shares = [0.85 * 0.15 / many / len(links) for links in lists if target in links]
        assert found[target] == pytest.approx(sum(shares))
    rig.close()
