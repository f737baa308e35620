"""What a run reached: curves and depths, by hand and against sums in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.measures import curves, depths_of
from seedbed.crawling.simulator import crawl
from tests.graphs import Lists, page_lists, web_of

URLS = ["http://a/", "http://a/x", "http://b/", "http://c/", "http://c/y"]
WEB = web_of([[1, 2], [3], [4], [], []], URLS)


def test_the_curves_of_a_small_crawl_by_hand() -> None:
    run = crawl(WEB, [0], "bfs")
    found = curves(
        run,
        WEB,
        pagerank=np.array([0.1, 0.2, 0.3, 0.25, 0.15]),
        values=np.array([1, -10, 1, 1, 5]),
        spam=np.array([0, 1, 0, 0, 1]),
    )
    assert found.fetched.tolist() == [1, 2, 3, 4, 5]
    assert found.pagerank is not None
    assert found.hosts is not None
    assert found.value is not None
    assert found.spam_share is not None
    np.testing.assert_allclose(found.pagerank, [0.1, 0.3, 0.6, 0.85, 1.0])
    assert found.hosts.tolist() == [1, 1, 2, 3, 3]
    assert found.value.tolist() == [1, -9, -8, -7, -2]
    np.testing.assert_allclose(found.spam_share, [0, 1 / 2, 1 / 3, 1 / 4, 2 / 5])


def test_curves_at_places_that_a_run_did_not_come_to_stay_at_its_end() -> None:
    pagerank, spam = np.array([0.1, 0.2, 0.3, 0.25, 0.15]), np.array([0, 1, 0, 0, 1])
    found = curves(crawl(WEB, [2], "bfs"), WEB, pagerank=pagerank, spam=spam, at=np.array([1, 2, 4]))
    assert found.fetched.tolist() == [1, 2, 4]
    assert found.pagerank is not None
    assert found.hosts is not None
    assert found.spam_share is not None
    np.testing.assert_allclose(found.pagerank, [0.3, 0.45, 0.45])
    assert found.hosts.tolist() == [1, 2, 2]
    assert found.spam_share.tolist() == [0, 0.5, 0.5]


def test_depths_count_pages_and_average_their_pagerank() -> None:
    depths = depths_of(crawl(WEB, [0], "bfs"), np.array([0.1, 0.2, 0.3, 0.25, 0.15]))
    assert depths.pages.tolist() == [1, 2, 2]
    assert depths.average_pagerank is not None
    np.testing.assert_allclose(depths.average_pagerank, [0.1, 0.25, 0.2])
    assert depths_of(crawl(WEB, [0], "bfs")).average_pagerank is None


def test_what_is_not_known_is_none() -> None:
    bare = web_of([[1], []])
    found = curves(crawl(bare, [0], "bfs"), bare)
    assert found.pagerank is None
    assert found.hosts is None
    assert found.value is None
    assert found.spam_share is None


@settings(deadline=None, max_examples=40)
@given(page_lists(30).filter(len), st.integers(1, 20))
def test_curves_end_at_the_last_page_and_sum_what_was_fetched(lists: Lists, points: int) -> None:
    web = web_of(lists, [f"http://{page % 3}/{page}" for page in range(len(lists))])
    values = np.arange(len(lists)) ** 2.0
    run = crawl(web, [0], "fpr")
    found = curves(run, web, pagerank=values, points=points)
    assert found.fetched[-1] == len(run)
    assert len(found.fetched) == min(points, len(run))
    assert found.pagerank is not None
    assert found.hosts is not None
    for fetched, mass, hosts in zip(found.fetched, found.pagerank, found.hosts, strict=True):
        first = run.pages[:fetched].tolist()
        assert mass == sum(values[page] for page in first)
        assert hosts == len({page % 3 for page in first})
