"""The order live-pagerank in a live crawl: the simulator's kernels, over arrays that grow as pages become known.

Page p of the arrays is the page that was discovered as number p + 1. Scores change on four events only:

    SEEDS    pages enter as seeds
    LINKS    the links of a page are known: crawling/orders/live_pagerank.py passes on what is large enough
    TRUST    old scores are held against what pages have received by now
    KNOWN    nothing but pages that became known; other events make pages known too

The job keeps the list of events and no score (job_store.py). After a crash or a stop they are played again, in the same
sequence and by the same kernels, and give the same scores to the last bit. A page is known, and has a number and a
place, from when its link is seen, even if no request for it ever comes: a filter of Scrapy's may drop that.

A late seed has as much as the others by then. `walks`: the probability that a surfer from one of the seeds comes to a
page on the links fetched so far, once for every seed; it gives the guaranteed mass (contributions.py).

A page that is requested before the links of its page are known starts with 1, however far it lies from the seeds.

Cost: as in the simulator; when a job is opened some seconds for a million pages fetched with 16 links each. Memory: 73
bytes a page known, 4 more with the last crawl and 8 more with M, and 4 for each link of a page fetched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import implements, inlined, kernel
from seedbed.crawling.crawl_loop import learn
from seedbed.crawling.crawl_state import COUNTS, FETCHED, KNOWN
from seedbed.crawling.frontier.heap import add, put, rescore
from seedbed.crawling.orders import live_pagerank
from seedbed.crawling.orders.live_pagerank import (
    ENOUGH,
    GIVEN,
    MASS,
    OLD_WEIGHT,
    SEEDS_PART,
    UNKNOWN,
    place_of,
    renew_trust,
)
from seedbed.errors import InputError
from seedbed.integrations.live.live_frontier import Page
from seedbed.integrations.live.live_orders import Score
from seedbed.links.link_store import successors

DAMPING = 0.85
SEEDS_EVENT, LINKS_EVENT, TRUST_EVENT, KNOWN_EVENT = range(4)
EVENTS_AT_ONCE = 10_000
FIRST = Score(2.0**255, 0)
_FIRST_SIZE = 1024


class Event(NamedTuple):
    """`number`: the page whose links became known; `known`: pages known before its links; `pages`: those linked, or the
    seeds, as 32-bit indices, new ones counting up from `known`; `old`, `hosts`: of the pages that became known since
    the event before.
    """

    kind: int
    number: int
    known: int
    pages: bytes
    old: bytes
    hosts: bytes


class Places(NamedTuple):
    """What stands for the frontier in kernels. `place[p]`: what a page is ordered by. `risen`: the pages whose place
    has risen since `end` was 0, each listed once.
    """

    place: NDArray[np.float64]
    risen: NDArray[np.int32]
    listed: NDArray[np.bool_]
    end: NDArray[np.int64]


@implements(put, Places)
@inlined
def put_place(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """A page is known, with a place."""
    frontier.place[page] = mantissa


@implements(add, Places)
@inlined
def raise_place(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """A page whose links are not known yet rises."""
    frontier.place[page] += mantissa
    if not frontier.listed[page]:
        frontier.listed[page] = True
        frontier.risen[frontier.end[0]] = page
        frontier.end[0] += 1


@implements(rescore, Places)
@inlined
def set_places(frontier: Any, state: Any, scores: Any) -> None:
    """New places, by discovery number."""
    frontier.place[: scores.size] = scores


class Links(NamedTuple):
    """Those of page p: targets[start[p] : start[p] + size[p]]. `end`: where the next ones go."""

    start: NDArray[np.int64]
    size: NDArray[np.int32]
    targets: NDArray[np.int32]
    end: NDArray[np.int64]


implements(successors, Links)(
    lambda links, page, _: links.targets[links.start[page] : links.start[page] + links.size[page]]
)


class Seen(NamedTuple):
    """What stands for the crawl's state. `number[p]`: p + 1, negative once its links are known. `linked[p]`: links seen
    to it.
    """

    number: NDArray[np.int32]
    parent: NDArray[np.int32]
    counts: NDArray[np.int64]
    walks: NDArray[np.float64]
    linked: NDArray[np.int32]


class NoLimits(NamedTuple):
    """What stands for the limits of a crawl: requests that Scrapy's filters drop never come."""

    depth: NDArray[np.int32]
    excluded: NDArray[np.bool_]
    max_depth: int


@kernel
def know(order: Any, state: Any, known: int) -> None:
    """So many pages are known now."""
    for page in range(state.counts[KNOWN], known):
        state.number[page] = page + 1
        order.mass[page].received = 1.0
        order.mass[page].depth = UNKNOWN
        put(order.frontier, state, page, place_of(order, page), 0)
    state.counts[KNOWN] = known


@kernel
def enter_seeds(order: Any, state: Any, known: int, seeds: Any, before: int) -> None:
    """Seeds receive their part: a tenth each before links are known, later as much as the others, `before` of them."""
    know(order, state, known)
    for at, seed in enumerate(seeds):
        if state.counts[FETCHED] == 0:
            each = SEEDS_PART
            order.numbers[GIVEN] = SEEDS_PART * (before + at + 1)
        else:
            each = order.numbers[GIVEN] / max(1, before + at)
            order.numbers[GIVEN] += each
        order.mass[seed].received += each
        order.mass[seed].depth = 0
        state.walks[seed] += 1.0
        put(order.frontier, state, seed, place_of(order, seed), 0)


@kernel
def play(order: Any, state: Any, limits: Any, links: Any, events: Any) -> None:
    """Events one after the other, rows of (kind, page, pages known, links); the links of all follow links.end."""
    for at in range(events.shape[0]):
        kind, page, known, size = events[at]
        know(order, state, known)
        if kind == TRUST_EVENT:
            renew_trust(order, state)
        elif kind == LINKS_EVENT:
            links.start[page], links.size[page] = links.end[0], size
            links.end[0] += size
            state.number[page] = -(page + 1)
            state.counts[FETCHED] += 1
            for target in successors(links, page, None):
                state.linked[target] += 1
                if state.number[target] >= 0:
                    state.walks[target] += DAMPING * state.walks[page] / size
            learn(order, state, limits, links, None, page)


class LivePageRank:
    """`old`: finds the scores of URLs in the last crawl; None without one. `kept`: whether events are noted for the
    job.
    """

    def __init__(self, inter: float, old: Callable[[Sequence[str]], NDArray[np.float32]] | None, *, kept: bool) -> None:
        self._old, self._kept = old, kept
        self.known = self._noted = 0
        self._events: list[Event] = []
        self._seed_pages, self._seeds, self._new_seeds = np.zeros(_FIRST_SIZE, np.int64), 0, 0
        self._has_hosts = inter != 1
        pages, empty = _FIRST_SIZE, np.empty(0, np.int32)
        self._order = live_pagerank.LivePageRank(
            Places(np.zeros(pages), np.zeros(pages, np.int32), np.zeros(pages, np.bool_), np.zeros(1, np.int64)),
            mass=np.zeros(pages, MASS),
            queue=np.zeros(pages + 1, np.int32),
            ends=np.zeros(2, np.int64),
            seeds=self._seed_pages[:0],
            numbers=np.array([0.0, OLD_WEIGHT]),
            due=np.full(1, ENOUGH),
            host=np.zeros(pages if self._has_hosts else 0, np.int64),
            old=np.zeros(pages if old is not None else 0, np.float32),
            damping=DAMPING,
            inter=inter,
        )
        counts = np.zeros(COUNTS, np.int64)
        number, parent, linked = (np.zeros(pages, np.int32) for _ in range(3))
        self._state = Seen(number, parent, counts, np.zeros(pages), linked)
        self._limits = NoLimits(empty, np.empty(0, np.bool_), 0)
        self._links = Links(np.zeros(pages, np.int64), np.zeros(pages, np.int32), empty, np.zeros(1, np.int64))

    # ── events ──

    def discover(self, urls: Sequence[str], hosts: Sequence[str]) -> int:
        """Pages become known; the number of the first of them."""
        first, self.known = self.known, self.known + len(urls)
        self._fit(self.known)
        if self._old is not None:
            self._order.old[first : self.known] = self._old(urls)
        if self._has_hosts:
            self._order.host[first : self.known] = [_host_key(host) for host in hosts]
        return first + 1

    def seed(self, number: int) -> None:
        """A page is a seed."""
        self._enter(np.array([number - 1]))
        self._new_seeds += 1

    def learn(self, number: int, targets: Sequence[int], new: int) -> tuple[list[int], list[float]]:
        """The links of a page are known, which were not: the numbers of pages that have risen, and their places.

        `new`: how many of the targets are; they were discovered last, in this sequence.
        """
        found, known = np.array(targets, np.int32) - np.int32(1), self.known - new
        self._note(LINKS_EVENT, number, found.tobytes(), known)
        self._play(np.array([(LINKS_EVENT, number - 1, known, len(found))]), found)
        return self._risen()

    def renew_trust(self) -> NDArray[np.float64] | None:
        """New places by number − 1, if it is time to learn how far old scores can be trusted; nan for pages whose links
        are known.
        """
        if self._old is None or self._state.counts[FETCHED] < self._order.due[0]:
            return None
        self._note(TRUST_EVENT)
        self._play(np.array([(TRUST_EVENT, 0, self.known, 0)]), np.empty(0, np.int32))
        return np.where(self._state.number[: self.known] > 0, self.places, np.nan)

    # ── what is known ──

    def has_links(self, number: int) -> bool:
        """Whether the links of a page are known."""
        return bool(self._state.number[number - 1] < 0)

    def score(self, number: int) -> Score:
        """What a page is ordered by."""
        return Score(float(self.places[number - 1]), 0)

    def score_of(self, page: Page) -> Score:
        """The same for a page that the job holds. One whose links are known was in flight when the crawl ended, and
        goes first: its requests may not all have come.
        """
        return FIRST if self.has_links(page.number) else self.score(page.number)

    def linked(self, number: int) -> int:
        """The links seen to a page."""
        return int(self._state.linked[number - 1])

    def walks(self, number: int) -> float:
        """How many of the walks from the seeds come to a page."""
        return float(self._state.walks[number - 1])

    @property
    def places(self) -> NDArray[np.float64]:
        """What pages are ordered by, by number − 1."""
        if self._state.counts[KNOWN] < self.known:
            know(self._order, self._state, self.known)
        return self._order.frontier.place[: self.known]

    @property
    def remembered(self) -> int:
        """Pages that the last crawl knew."""
        return int(np.count_nonzero(~np.isnan(self._order.old[: self.known])))

    # ── the job ──

    def events(self) -> list[Event]:
        """What has happened since the last call."""
        self._note(KNOWN_EVENT)
        found, self._events = self._events, []
        return found

    def replay(self, rows: Iterable[tuple[Any, ...]], path: object) -> None:
        """Play the events of a job. The file may be damaged, or a stranger's: what kernels would trip over is
        refused.
        """
        try:
            events = map(Event._make, rows)
            while some := list(islice(events, EVENTS_AT_ONCE)):
                for is_seeds, group in groupby(some, lambda event: event.kind == SEEDS_EVENT):
                    self._replay(list(group), is_seeds=is_seeds)
        except (ValueError, TypeError, OverflowError):
            raise InputError(f"{path}: its list of links is damaged. Begin again in another JOBDIR.") from None
        self._noted = self.known

    def _replay(self, events: list[Event], *, is_seeds: bool) -> None:
        rows = np.array([(e.kind, e.number - 1, e.known, len(e.pages) // 4) for e in events], np.int64)
        kinds, pages, known, sizes = rows.T
        targets = np.frombuffer(b"".join(event.pages for event in events), np.int32)
        after = known + self._new_pages(targets, known, sizes)
        if known[0] < self.known or (known[1:] < after[:-1]).any() or after[-1] >= 2**31:
            raise ValueError("pages known")
        with_links = kinds == LINKS_EVENT
        if not ((pages >= 0) & (pages < known))[with_links].all() or (after > known)[~with_links].any():
            raise ValueError("pages")
        first, self.known = self.known, int(after[-1])
        self._fit(self.known)
        for values, part, wanted in (
            (self._order.old, "old", self._old is not None),
            (self._order.host, "hosts", self._has_hosts),
        ):
            if wanted:
                values[first : self.known] = np.frombuffer(b"".join(getattr(e, part) for e in events), values.dtype)
        if is_seeds:
            self._enter(targets.astype(np.int64))
        else:
            self._play(rows, targets)
            self._risen()

    @staticmethod
    def _new_pages(targets: NDArray[np.int32], known: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of the links of each event lead to new pages; these must count up from the pages known."""
        new = targets >= np.repeat(known, sizes)
        total = np.append(0, np.cumsum(new))
        ends = np.cumsum(sizes)
        before = total[ends - sizes]
        if (targets < 0).any() or (targets[new] != (np.repeat(known - before, sizes) + total[:-1])[new]).any():
            raise ValueError("links")
        return total[ends] - before

    def _note(self, kind: int, number: int = 0, pages: bytes = b"", known: int | None = None) -> None:
        """Write an event down, after the seeds before it."""
        if self._new_seeds:
            new, self._new_seeds = self._new_seeds, 0
            seeds = self._seed_pages[self._seeds - new : self._seeds].astype(np.int32)
            self._note(SEEDS_EVENT, 0, seeds.tobytes(), known)
        if not self._kept or (kind == KNOWN_EVENT and self.known == self._noted):
            return
        known = self.known if known is None else known
        span = slice(self._noted, self.known if kind == LINKS_EVENT else known)
        hosts = self._order.host[span].tobytes() if self._has_hosts else b""
        old = self._order.old[span].tobytes() if self._old is not None else b""
        self._events.append(Event(kind, number, known, pages, old, hosts))
        self._noted = span.stop

    # ── arrays ──

    def _enter(self, seeds: NDArray[np.int64]) -> None:
        before, self._seeds = self._seeds, self._seeds + len(seeds)
        if self._seeds > len(self._seed_pages):
            self._seed_pages = _wider(self._seed_pages, 2 * self._seeds)
        self._seed_pages[before : self._seeds] = seeds
        enter_seeds(self._order, self._state, self.known, seeds, before)

    def _play(self, events: NDArray[np.int64], targets: NDArray[np.int32]) -> None:
        at = int(self._links.end[0])
        if at + len(targets) > len(self._links.targets):
            self._links = self._links._replace(targets=_wider(self._links.targets, 2 * (at + len(targets))))
        self._links.targets[at : at + len(targets)] = targets
        if len(self._order.seeds) != self._seeds:
            self._order = self._order._replace(seeds=self._seed_pages[: self._seeds])
        play(self._order, self._state, self._limits, self._links, events)

    def _risen(self) -> tuple[list[int], list[float]]:
        places = self._order.frontier
        found = places.risen[: places.end[0]]
        places.listed[found] = False
        places.end[0] = 0
        return (found + 1).tolist(), places.place[found].tolist()

    def _fit(self, pages: int) -> None:
        """Make room for so many pages. Between events the queue is empty."""
        size = len(self._order.mass)
        if pages <= size:
            return
        size = max(pages, size + size // 2)
        order, state, places = self._order, self._state, self._order.frontier
        self._order = order._replace(
            frontier=places._replace(
                place=_wider(places.place, size), risen=_wider(places.risen, size), listed=_wider(places.listed, size)
            ),
            mass=_wider(order.mass, size),
            queue=np.zeros(size + 1, np.int32),
            ends=np.zeros(2, np.int64),
            host=_wider(order.host, size) if self._has_hosts else order.host,
            old=_wider(order.old, size) if self._old is not None else order.old,
        )
        self._state = state._replace(
            number=_wider(state.number, size),
            parent=_wider(state.parent, size),
            walks=_wider(state.walks, size),
            linked=_wider(state.linked, size),
        )
        self._links = self._links._replace(start=_wider(self._links.start, size), size=_wider(self._links.size, size))


def _wider(values: NDArray[Any], size: int) -> NDArray[Any]:
    found = np.zeros(size, values.dtype)
    found[: len(values)] = values
    return found


def _host_key(name: str) -> int:
    """A host as a number that is the same in every run of a job."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little", signed=True)
