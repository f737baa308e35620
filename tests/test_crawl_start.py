"""What a crawl is asked to do: seeds, order, budget, and what is said where that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.crawling.crawl_plan import first_pages
from seedbed.crawling.orders import ORDERS
from seedbed.crawling.orders.order import Order, number_option
from seedbed.crawling.simulator import crawl
from seedbed.errors import NeedsHosts, OptionError
from seedbed.seeds.select import select
from tests.graphs import web_of

LISTS = [[1, 2], [2], [0], [0]]
URLS = [f"http://a.example/{name}" for name in "wxyz"]
WEB = web_of(LISTS, URLS)


def test_seeds_are_page_ids_urls_or_seeds() -> None:
    seeds = select(WEB, "outdegree", k=2)
    assert first_pages(WEB, seeds).tolist() == seeds.pages.tolist()
    assert first_pages(WEB, [3, 1]).tolist() == [3, 1]
    assert first_pages(WEB, np.array([3, 1], np.int32)).tolist() == [3, 1]
    assert first_pages(WEB, (URLS[page] for page in (3, 1))).tolist() == [3, 1]


@given(st.lists(st.integers(0, 3), min_size=1))
def test_a_seed_counts_once_where_it_comes_first(seeds: list[int]) -> None:
    assert first_pages(WEB, seeds).tolist() == list(dict.fromkeys(seeds))


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([], "there are no seeds"),
        ([4], "seed 4 is not in the web, whose pages are 0 to 3"),
        ([0, -1], "seed -1 is not in the web"),
        (
            ["http://a.example/w", "http://b.example/"],
            r"1 of 2 seeds are not in the web, the first is http://b\.example/",
        ),
        (["http://a.example/w", 1], "URLs and page ids mixed"),
        ("http://a.example/w", "seeds are 'http://a.example/w'; give a list"),
        (3, "seeds are 3; give a list"),
    ],
)
def test_seeds_that_cannot_be_are_refused(seeds: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        crawl(WEB, seeds, "bfs")


def test_urls_as_seeds_need_a_web_with_urls() -> None:
    with pytest.raises(OptionError, match="the web has none"):
        crawl(web_of(LISTS), URLS[:1], "bfs")


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("bsf", "unknown order 'bsf'. Did you mean 'bfs'"),
        ("page-rank", "Did you mean 'pagerank'"),
        ("", "unknown order ''"),
        ("bfs@3", "'bfs' takes no number. Leave out '@3'"),
        (
            "fpr@0.5",
            "order 'fpr@0.5': M is out of range. M is the weight of a link to another host: at least 1",
        ),
        ("fpr@-1", "M is out of range"),
        ("fpr@nan", "M is out of range"),
        ("fpr@inf", "M is out of range"),
        ("fpr@many", "'many' is not a number"),
        ("fpr@", "'' is not a number"),
        ("pagerank@0", "G is out of range"),
    ],
)
def test_an_order_that_cannot_be_is_refused_with_a_hint(order: str, message: str) -> None:
    with pytest.raises(OptionError) as refusal:
        crawl(WEB, [0], order)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_unknown_order_is_told_all_that_there_are() -> None:
    with pytest.raises(OptionError) as refusal:
        crawl(WEB, [0], "zzz")
    assert all(name in str(refusal.value) for name in ORDERS)


def test_a_number_without_a_default_has_to_be_given() -> None:
    with pytest.raises(OptionError, match=r"needs a number, such as mine@5\. W is the width: at least 1 and at most 9"):
        width = number_option("W", "the width", least=1, most=9)
        Order(name="mine", meaning="", parameter=width).with_number(None)


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_below_one_is_refused(budget: int) -> None:
    with pytest.raises(OptionError, match=f"budget is {budget}; it must be at least 1"):
        crawl(WEB, [0], "bfs", budget)


def test_a_budget_beyond_the_web_means_all_of_it() -> None:
    beyond, all_of_it = crawl(WEB, [0], "bfs", 5), crawl(WEB, [0], "bfs")
    assert beyond.pages.tolist() == all_of_it.pages.tolist()
    assert beyond.options["budget"] == 4


def test_without_an_order_it_is_live_pagerank_with_and_without_hosts() -> None:
    assert crawl(WEB, [0]).order == "live-pagerank"
    assert crawl(web_of(LISTS), [0]).order == "live-pagerank"


def test_an_order_that_needs_hosts_names_one_that_does_not() -> None:
    with pytest.raises(NeedsHosts, match="Or leave out the number after the @"):
        crawl(web_of(LISTS), [0], "fpr@100")


def test_without_a_budget_all_that_can_be_reached_is_fetched() -> None:
    run = crawl(WEB, [0], "bfs")
    assert run.pages.tolist() == [0, 1, 2]
    assert run.exhausted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.0}, "damping is 1; a number from 0 up to, but not, 1"),
        ({"damping": -0.1}, "damping is -0.1"),
        ({"damping": float("nan")}, "damping is nan"),
        ({"until_mass": 0.0}, "until_mass is 0; a share above 0 and below 1"),
        ({"until_mass": 1.0}, "until_mass is 1"),
        ({"until_mass": 0.5}, "order 'bfs' guarantees no mass"),
        ({"scores": np.zeros(3)}, "scores are of shape \\(3,\\), the web has 4 pages"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        crawl(WEB, [0], "bfs", **options)
