"""The queue of a live crawl, beside a list that is searched from end to end."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.integrations.live.live_frontier import NO_WAIT, Frontier, Page, Wait
from seedbed.integrations.live.live_orders import Score, plus

ROOM = 2


def no_wait(host: str) -> Wait:
    return NO_WAIT


@dataclass
class Naive:
    """Every page is looked at."""

    pages: list[Page] = field(default_factory=list)

    def key(self, page: Page) -> tuple[int, int, float, int]:
        return page.priority, page.score.block, page.score.mantissa, -page.number

    def take(self, busy: Counter[str]) -> Page | None:
        open_pages = [page for page in self.pages if busy[page.host] < ROOM]
        if not open_pages:
            return None
        fewest = min(busy[page.host] for page in open_pages)
        best = max((page for page in open_pages if busy[page.host] == fewest), key=self.key)
        self.pages.remove(best)
        return best


scores = st.builds(Score, st.sampled_from([0.25, 0.5, 1.0, 3.0]), st.integers(-2, 1))
hosts = st.sampled_from("abcd")
steps = st.lists(
    st.tuples(st.just("put"), hosts, st.integers(-1, 1), scores)
    | st.tuples(st.just("add"), st.integers(0, 30), scores)
    | st.tuples(st.just("take"))
    | st.tuples(st.just("end"), st.integers(0, 30)),
    max_size=60,
)


@given(steps)
@settings(deadline=None, max_examples=300)
def test_the_best_page_on_the_hosts_with_fewest_downloads_is_next(steps: list[tuple]) -> None:
    frontier, naive = Frontier(), Naive()
    slots: dict[int, int] = {}
    under_way: list[str] = []
    for number, (what, *rest) in enumerate(steps):
        if what == "put":
            host, priority, score = rest
            page = Page(number, host, priority, score, 0.5, 1)
            naive.pages.append(page)
            slots[number] = frontier.put(page)
        elif what == "add" and naive.pages:
            at = rest[0] % len(naive.pages)
            page = naive.pages[at]
            naive.pages[at] = page._replace(
                score=plus(page.score, rest[1]), mass=page.mass + 0.25, links=page.links + 1
            )
            frontier.add(slots[page.number], rest[1], 0.25)
        elif what == "take":
            expected = naive.take(Counter(under_way))
            found = frontier.take(Counter(under_way), lambda host: ROOM, no_wait, 0.0)
            assert (found and found[1]) == expected
            under_way += [expected.host] if expected else []
        elif what == "end" and under_way:
            under_way.pop(rest[0] % len(under_way))
        assert len(frontier) == len(naive.pages)


def test_slots_are_used_again() -> None:
    frontier = Frontier()
    for number in range(100):
        frontier.put(Page(number, "a", 0, Score(1.0, 0), 0.0, 1))
        assert frontier.take({}, lambda host: 8, no_wait, 0.0)[1].number == number
    assert len(frontier.number) == 1


def test_pages_of_equal_rank_go_as_they_were_discovered() -> None:
    frontier = Frontier()
    for number in (5, 3, 9, 1):
        frontier.put(Page(number, f"h{number}", 0, Score(1.0, 0), 0.0, 1))
    assert [frontier.take({}, lambda host: 8, no_wait, 0.0)[1].number for _ in range(4)] == [1, 3, 5, 9]


@dataclass
class NaiveWithDelays(Naive):
    """Every page is looked at, and the delay of every host."""

    least: dict[str, int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def wait(self, host: str, now: int) -> Wait:
        return Wait(self.least.get(host, 0) - now, self.most.get(host, 0) - now)

    def choose(self, busy: Counter[str], now: int, anyhow: bool) -> Page | None:
        free = [page for page in self.pages if not busy[page.host]]
        room = [page for page in self.pages if 0 < busy[page.host] < ROOM]
        for pages in (free, room):
            over = [page for page in pages if self.wait(page.host, now).most <= 0]
            if over:
                return self.best(over, busy)
        if free:
            soonest = min(free, key=lambda page: (self.most[page.host], self.names.index(page.host))).host
            if anyhow or self.wait(soonest, now).least <= 0:
                return self.best([page for page in free if page.host == soonest], busy)
        if anyhow:
            maybe = room or [page for page in self.pages if busy[page.host]]
        else:
            maybe = [page for page in room if self.wait(page.host, now).least <= 0]
        return self.best(maybe, busy) if maybe else None

    def best(self, pages: list[Page], busy: Counter[str]) -> Page:
        fewest = min(busy[page.host] for page in pages)
        return max((page for page in pages if busy[page.host] == fewest), key=self.key)


delayed_steps = st.lists(
    st.tuples(st.just("put"), hosts, st.integers(-1, 1), scores)
    | st.tuples(st.just("take"), st.integers(0, 4), st.integers(0, 4), st.booleans())
    | st.tuples(st.just("end"), st.integers(0, 30))
    | st.tuples(st.just("pass"), st.integers(1, 5)),
    max_size=80,
)


@given(delayed_steps)
@settings(deadline=None, max_examples=400)
def test_hosts_whose_delay_is_over_go_first_then_the_one_whose_delay_is_over_soonest(steps: list[tuple]) -> None:
    frontier, naive, now = Frontier(), NaiveWithDelays(), 0
    under_way: list[str] = []
    for number, (what, *rest) in enumerate(steps):
        if what == "put":
            page = Page(number, *rest, 0.5, 1)
            naive.pages.append(page)
            naive.names += [page.host] if page.host not in naive.names else []
            frontier.put(page)
        elif what == "take":
            least, more, anyhow = rest
            busy = Counter(under_way)
            asked = (lambda host: ROOM, lambda host, now=now: naive.wait(host, now))
            expected = naive.choose(busy, now, anyhow)
            found = frontier.take(busy, *asked, now, anyhow=anyhow)
            assert (found and found[1]) == expected
            if expected is None:
                assert frontier.pause(busy, *asked) > 0
                continue
            naive.pages.remove(expected)
            under_way.append(expected.host)
            naive.least[expected.host], naive.most[expected.host] = now + least, now + least + more
        elif what == "end" and under_way:
            under_way.pop(rest[0] % len(under_way))
        elif what == "pass":
            now += rest[0]
        assert len(frontier) == len(naive.pages)


@given(
    st.lists(st.tuples(hosts, st.integers(-1, 1), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=30),
    st.lists(st.integers(0, 20), max_size=8),
    st.data(),
)
@settings(deadline=None, max_examples=150)
def test_after_all_scores_have_changed_the_best_page_is_next(
    given_pages: list[tuple[str, int, float]], ended: list[int], data: st.DataObject
) -> None:
    """Some pages were taken before, so that slots are free and hosts busy; then scores fall, rise, or (nan) stay."""
    frontier, naive = Frontier(), Naive()
    frontier.slot_of = array("i")
    for number, (host, priority, score) in enumerate(given_pages, 1):
        page = Page(number, host, priority, Score(score, 0), 0.5, 1)
        frontier.put(page)
        naive.pages.append(page)
    busy: Counter[str] = Counter()
    for _ in ended:
        if (taken := frontier.take(busy, lambda host: ROOM, no_wait, 0.0)) is not None:
            assert naive.take(busy) == taken[1]
            busy[taken[1].host] += 1
    new = [data.draw(st.sampled_from([0.25, 0.5, 1.5, 3.0, math.nan])) for _ in given_pages]
    frontier.rescore(np.array(new))
    naive.pages = [
        page if math.isnan(new[page.number - 1]) else page._replace(score=Score(new[page.number - 1], 0))
        for page in naive.pages
    ]
    raised = data.draw(st.lists(st.integers(1, len(new)), unique=True, max_size=5))
    frontier.lift_pages(raised, [4.0] * len(raised))
    naive.pages = [page._replace(score=Score(4.0, 0)) if page.number in raised else page for page in naive.pages]
    idle: Counter[str] = Counter()
    while (taken := frontier.take(idle, lambda host: ROOM, no_wait, 0.0)) is not None:
        assert taken[1] == naive.take(idle)
    assert not naive.pages
