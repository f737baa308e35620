"""Orders that a user writes: objects, and classes found by their entry point."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.orders import ORDERS
from seedbed.crawling.python_orders import CrawlView
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from tests.crawls import Case, cases, facts
from tests.graphs import web_of

LISTS = [[1, 2, 3], [4], [], [4], [0]]
URLS = [f"http://{host}.example/{page}" for page, host in enumerate("ababa")]


class Queue:
    """Breadth-first."""

    oracle = False

    def __init__(self) -> None:
        self.waiting: deque[int] = deque()

    def discover(self, page: int, view: CrawlView) -> None:
        self.waiting.append(page)

    def next(self) -> int | None:
        return self.waiting.popleft() if self.waiting else None


class Asking(Queue):
    """Breadth-first, and does something with its view after each fetch."""

    def __init__(self, ask: Any) -> None:
        super().__init__()
        self.ask = ask
        self.heard: list[Any] = []

    def learn(self, page: int, links: Any, view: CrawlView) -> None:
        self.heard.append(self.ask(page, links, view))


@settings(max_examples=60, deadline=None)
@given(case=cases(polite=False))
def test_a_queue_in_python_is_bfs(case: Case) -> None:
    own, built_in = case.run(Queue()), case.run("bfs")
    assert facts(own) == facts(built_in)
    assert (own.order, own.oracle) == ("Queue", False)


def test_the_view_shows_what_was_fetched_and_what_is_known() -> None:
    asking = Asking(
        lambda page, links, view: (
            view.fetched.tolist(), view.links(page).tolist(), links.tolist(),
            [known for known in range(5) if view.is_known(known)],
        )
    )  # fmt: skip
    crawl(web_of(LISTS), [0], asking, 2)
    assert asking.heard == [
        ([0], [1, 2, 3], [1, 2, 3], [0, 1, 2, 3]),
        ([0, 1], [4], [4], [0, 1, 2, 3, 4]),
    ]


def test_the_view_tells_parent_url_and_host_of_known_pages() -> None:
    asking = Asking(lambda page, links, view: (view.parent(1), view.parent(0), view.url(1), view.host(0), view.host(1)))
    crawl(web_of(LISTS, URLS), [0], asking, 1)
    assert asking.heard == [(0, -1, "http://b.example/1", 0, 1)]


def test_the_view_has_no_url_where_the_web_has_none() -> None:
    asking = Asking(lambda page, links, view: view.url(0))
    crawl(web_of(LISTS), [0], asking, 1)
    assert asking.heard == [None]


@pytest.mark.parametrize("page", [1, 4, -1, 5])
def test_the_view_refuses_links_of_pages_that_were_not_fetched(page: int) -> None:
    with pytest.raises(OptionError, match=f"page {page} has not been fetched"):
        crawl(web_of(LISTS), [0], Asking(lambda _, links, view: view.links(page)), 1)


@pytest.mark.parametrize("page", [4, -1, 5])
@pytest.mark.parametrize("what", ["parent", "url", "host"])
def test_the_view_tells_nothing_of_pages_that_were_not_seen(page: int, what: str) -> None:
    with pytest.raises(OptionError, match=f"page {page} has not been seen"):
        crawl(web_of(LISTS, URLS), [0], Asking(lambda _, links, view: getattr(view, what)(page)), 1)


def test_the_view_refuses_links_of_pages_that_cannot_be_fetched_or_failed() -> None:
    barred = replace(web_of(LISTS), columns={"crawled": [True, False, True, True, True]})
    with pytest.raises(OptionError, match="page 1 has not been fetched"):
        crawl(
            barred, [0], Asking(lambda _, links, view: view.links(1)), conditions=Conditions(crawled_only=True)
        )  # fmt: skip
    failing = Asking(lambda page, links, view: view.links(1) if page == 2 else None)
    with pytest.raises(OptionError, match="page 1 has not been fetched"):
        crawl(web_of(LISTS, URLS), [0], failing, conditions=Conditions(failure={"b.example": 1.0}))


def test_what_the_view_shows_cannot_be_written_to() -> None:
    def write(page: int, links: Any, view: CrawlView) -> None:
        view.fetched[0] = 3

    with pytest.raises(ValueError, match="read-only"):
        crawl(web_of(LISTS), [0], Asking(write), 1)


@pytest.mark.parametrize("page", [0, 4, -1, 5])
def test_an_order_that_gives_a_page_it_may_not_is_stopped(page: int) -> None:
    class Wrong(Queue):
        def next(self) -> int | None:
            first = super().next()
            return 0 if first == 0 else page

    with pytest.raises(OptionError, match=f"order 'Wrong' gave page {page}, which is not known or was given before"):
        crawl(web_of(LISTS), [0], Wrong())


def test_an_object_cannot_be_polite_or_stop_at_a_mass() -> None:
    for options in ({"conditions": Conditions(fetches_per_tick=1)}, {"until_mass": 0.5}):
        with pytest.raises(OptionError, match="order 'Queue' is an object"):
            crawl(web_of(LISTS, URLS), [0], Queue(), **options)  # type: ignore[arg-type]


def test_an_oracle_in_python_is_labelled_so() -> None:
    order = Queue()
    order.oracle = True
    assert crawl(web_of(LISTS), [0], order).oracle


MODULE = """
class Nth:
    '''The n-th of the pages that wait.'''

    oracle = False

    def __init__(self, nth="1"):
        self.nth, self.waiting = int(nth), []

    def discover(self, page, view):
        self.waiting.append(page)

    def next(self):
        return self.waiting.pop(min(self.nth, len(self.waiting)) - 1) if self.waiting else None
"""


@pytest.fixture(autouse=True)
def fresh_orders() -> Iterator[None]:
    """Entry points are read once in a process; here what is installed changes from test to test."""
    ORDERS.__dict__.pop("_points", None)
    yield
    ORDERS.__dict__.pop("_points", None)
    ORDERS._loaded.pop("nth", None)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings an order, as pip would install it."""
    (tmp_path / "nth_order.py").write_text(MODULE)
    info = tmp_path / "nth_order-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nth-order\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[seedbed.orders]\nnth = nth_order:Nth\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("nth_order", None)


@pytest.mark.usefixtures("installed")
def test_an_order_is_found_by_its_entry_point() -> None:
    web = web_of(LISTS)
    assert crawl(web, [0], "nth").pages.tolist() == crawl(web, [0], "bfs").pages.tolist()
    run = crawl(web, [0], "nth@2")
    assert run.pages.tolist() == [0, 2, 3, 4, 1]
    assert run.order == "nth@2"
    with pytest.raises(OptionError, match="Did you mean 'nth'"):
        crawl(web, [0], "nthh")
    assert (ORDERS["nth"].meaning, ORDERS["nth"].live) == ("The n-th of the pages that wait", False)
    assert list(ORDERS)[-1] == "nth"


def test_an_order_is_not_found_where_its_package_is_not() -> None:
    with pytest.raises(OptionError, match="unknown order 'nth'"):
        crawl(web_of(LISTS), [0], "nth")


def test_a_class_is_made_into_an_order_and_keeps_its_name() -> None:
    run = crawl(web_of(LISTS), [0], Queue)
    assert (run.order, len(run)) == ("Queue", 5)
    with pytest.raises(OptionError, match="order 'Asking' cannot be made"):
        crawl(web_of(LISTS), [0], Asking)


def test_what_is_no_order_is_refused_before_the_work() -> None:
    with pytest.raises(OptionError, match="order 'object' has no oracle and no discover and no next"):
        crawl(web_of(LISTS), [0], object())  # type: ignore[arg-type]


@pytest.mark.parametrize("page", ["0", 0.0, [0]])
def test_an_order_that_gives_no_page_is_stopped(page: Any) -> None:
    class Wrong(Queue):
        def next(self) -> int | None:
            return page  # type: ignore[no-any-return]

    with pytest.raises(OptionError, match=r"order 'Wrong' gave .*; a page is a whole number"):
        crawl(web_of(LISTS), [0], Wrong())


@pytest.mark.parametrize("budget", [3, 5])
def test_a_queue_in_python_is_sampled_as_bfs_is(budget: int) -> None:
    own, built_in = (crawl(web_of(LISTS), [0], order, budget) for order in (Queue(), "bfs"))
    assert own.samples.fetched.tolist() == built_in.samples.fetched.tolist()


@pytest.mark.usefixtures("installed")
def test_a_parameter_that_an_installed_order_does_not_take_is_named() -> None:
    with pytest.raises(OptionError, match="order 'nth@x' cannot be made: invalid literal"):
        crawl(web_of(LISTS), [0], "nth@x")


def test_an_installed_order_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[seedbed.orders]\nbroken = no_such_module:Order\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match="order 'broken': no_such_module:Order cannot be loaded"):
        crawl(web_of(LISTS), [0], "broken")
