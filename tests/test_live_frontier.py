"""The queue of a live crawl, beside a list that is searched from end to end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.integrations.live_frontier import Frontier, Page
from seedbed.integrations.live_orders import Score, plus

ROOM = 2


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
            found = frontier.take(Counter(under_way), lambda host: ROOM)
            assert (found and found[1]) == expected
            under_way += [expected.host] if expected else []
        elif what == "end" and under_way:
            under_way.pop(rest[0] % len(under_way))
        assert len(frontier) == len(naive.pages)


def test_slots_are_used_again() -> None:
    frontier = Frontier()
    for number in range(100):
        frontier.put(Page(number, "a", 0, Score(1.0, 0), 0.0, 1))
        assert frontier.take({}, lambda host: 8)[1].number == number
    assert len(frontier.number) == 1


def test_pages_of_equal_rank_go_as_they_were_discovered() -> None:
    frontier = Frontier()
    for number in (5, 3, 9, 1):
        frontier.put(Page(number, f"h{number}", 0, Score(1.0, 0), 0.0, 1))
    assert [frontier.take({}, lambda host: 8)[1].number for _ in range(4)] == [1, 3, 5, 9]
