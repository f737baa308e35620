"""The frontier of polite crawls: heaps by host and ticks, against a scan of all pages that wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.kernels import kernel
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_state import FETCHED, TICK, CrawlState, new_crawl_state
from seedbed.crawling.frontier.host_heaps import host_put, host_raise, host_take, make_host_heaps
from seedbed.crawling.simulator import crawl
from tests.graphs import web_of

PAGES = 24
STEPS = st.lists(st.tuples(st.sampled_from(["add", "add", "add", "take"]), st.integers(0, PAGES - 1)), max_size=120)


@kernel
def put(frontier: Any, state: Any, page: int, score: float) -> None:
    """Queue a page."""
    host_put(frontier, state, page, score, 0)


@kernel
def add(frontier: Any, state: Any, page: int, score: float) -> None:
    """Raise a page."""
    host_raise(frontier, state, page, score, 0)


@kernel
def take(frontier: Any, state: Any) -> int:
    """The next page, which counts as fetched."""
    page, _, _ = host_take(frontier, state)
    if page >= 0:
        state.counts[FETCHED] += 1
    return page


class Scan:
    """The same by looking at every page that waits."""

    def __init__(self, hosts: list[int], most: int) -> None:
        self.hosts, self.most = hosts, most
        self.scores: dict[int, float] = {}
        self.busy: set[int] = set()
        self.fetched = self.tick = 0

    def take(self) -> int:
        free = [page for page in self.scores if self.hosts[page] not in self.busy]
        if self.fetched == self.most or not free:
            free = list(self.scores)
            if not free:
                return -1
            self.busy, self.fetched, self.tick = set(), 0, self.tick + 1
        page = max(free, key=lambda one: (self.scores[one], -one))
        del self.scores[page]
        self.busy.add(self.hosts[page])
        self.fetched += 1
        return page


def numbered() -> CrawlState:
    """A state in which page p was discovered as number p + 1."""
    state = new_crawl_state(PAGES, PAGES)
    state.number[:] = np.arange(1, PAGES + 1)
    return state


@settings(deadline=None, max_examples=150)
@given(STEPS, st.sampled_from([1, 2, 5]), st.integers(1, 7))
def test_any_sequence_of_steps_is_that_of_a_scan(steps: list[tuple[str, int]], hosts: int, most: int) -> None:
    host = np.array([page % hosts for page in range(PAGES)], np.int32)
    frontier, state, scan = make_host_heaps(host, hosts, most), numbered(), Scan(host.tolist(), most)
    taken: set[int] = set()
    for name, page in [*steps, *[("take", 0)] * PAGES]:
        if name == "take":
            found = scan.take()
            assert take(frontier, state) == found
            assert state.counts[TICK] == scan.tick
            taken.add(found)
        elif page in taken:
            continue
        elif page in scan.scores:
            scan.scores[page] += 1.0 + page % 3
            add(frontier, state, page, 1.0 + page % 3)
        else:
            scan.scores[page] = 1.0
            put(frontier, state, page, 1.0)


def test_a_fetch_that_fails_counts_for_its_tick() -> None:
    web = web_of([[1, 2, 3, 4], [], [], [], []], [f"http://{host}.example/" for host in "abcde"])
    conditions = Conditions(fetches_per_tick=2, failure={"b.example": 1.0})
    run = crawl(web, [0], "bfs", conditions=conditions)
    assert run.pages.tolist() == [0, 2, 3, 4]
    assert run.tick is not None
    assert (run.tick - run.tick[0]).tolist() == [0, 1, 1, 2]
