"""The pages that wait in a live crawl: a heap for each host, and a heap of the hosts that are ready.

A page is better than another if its priority is higher, else if its score is, else if it was discovered first. The page
taken is the best one on a host without a download and not in its delay; if there is none, the best one on the hosts
with the fewest downloads that have room for one more and are not in their delay. Scores can rise while a page waits.

If delays are random, nobody knows when one is over, and a page that is handed out too early waits in the downloader, in
a place that another could use. So hosts come first whose delay is certainly over. If there is none, nothing better can
be done with a free place, and the host goes whose delay ends soonest, once it may be over.

A host is in one of three places: in the heap of hosts that are ready, aside while it has downloads, or asleep until its
delay is over. Pages stand in slots of plain arrays, 52 bytes each, that are reused. heapq would hold an entry of 176
bytes for each page, and one more for each link that raises it. Cost: O(log pages) a step, and O(hosts with downloads)
to take a page.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.wide_floats import alike, to_32_bits
from seedbed.integrations.live.live_orders import Score, plus

_LARGEST = 2**63 - 1


class Wait(NamedTuple):
    """Seconds until the delay of a host is over, at least and at most, as far as chance plays; 0 or less: it is."""

    least: float
    most: float


NO_WAIT = Wait(0.0, 0.0)


def bounded(priority: int) -> int:
    """The same priority, or the nearest that 64 bits hold."""
    return max(-_LARGEST, min(_LARGEST, priority))


class Page(NamedTuple):
    """A page that waits. `mass`: what has come to it of a lower bound of its PageRank; `links`: links seen to it."""

    number: int
    host: str
    priority: int
    score: Score
    mass: float
    links: int


class Heap:
    """Items, the best first, that may get better; `place[item]` is where it stands, −1 where it does not."""

    __slots__ = ("ahead", "items", "place")

    def __init__(self, ahead: Callable[[int, int], bool], place: array[int]) -> None:
        self.ahead, self.place = ahead, place
        self.items = array("i")

    def push(self, item: int) -> None:
        """Add one."""
        self.items.append(item)
        self.place[item] = len(self.items) - 1
        self.rise(item)

    def rise(self, item: int) -> None:
        """One has got better."""
        items, place, ahead = self.items, self.place, self.ahead
        at = place[item]
        while at > 0:
            above = items[(at - 1) >> 1]
            if not ahead(item, above):
                break
            items[at] = above
            place[above] = at
            at = (at - 1) >> 1
        items[at] = item
        place[item] = at

    def pop(self) -> int:
        """Take the best."""
        items = self.items
        best, last = items[0], items.pop()
        self.place[best] = -1
        if items:
            self._sink(last)
        return best

    def _sink(self, item: int) -> None:
        items, place, ahead = self.items, self.place, self.ahead
        at, size = 0, len(items)
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and ahead(items[child + 1], items[child]):
                child += 1
            if ahead(item, items[child]):
                break
            items[at] = items[child]
            place[items[at]] = at
            at = child
        items[at] = item
        place[item] = at


class Frontier:
    """Pages by slot, hosts by number; a host waits in `ready` with its best page, or is set aside while it is busy.

    `slot_of`: by the number of a page, for orders that raise pages by number; −1 where it does not wait.
    """

    def __init__(self) -> None:
        self.slot_of: array[int] | None = None
        self.number, self.priority = array("q"), array("q")
        self.mantissa, self.block, self.mass = array("d"), array("i"), array("d")
        self.links, self.host, self._place = array("i"), array("i"), array("i")
        self._unused = array("i")
        self._names: list[str] = []
        self._hosts: dict[str, int] = {}
        self._queues: list[Heap] = []
        self._host_place = array("i")
        self._ready = Heap(self._host_ahead, self._host_place)
        self._aside: set[int] = set()
        self._asleep: list[tuple[float, int]] = []
        self._sleepers: set[int] = set()

    def __len__(self) -> int:
        return len(self.number) - len(self._unused)

    def _ahead(self, one: int, other: int) -> bool:
        if self.priority[one] != self.priority[other]:
            return self.priority[one] > self.priority[other]
        if self.block[one] != self.block[other]:
            return self.block[one] > self.block[other]
        if not alike(self.mantissa[one], self.mantissa[other]):
            return self.mantissa[one] > self.mantissa[other]
        return self.number[one] < self.number[other]

    def _host_ahead(self, one: int, other: int) -> bool:
        return self._ahead(self._queues[one].items[0], self._queues[other].items[0])

    def put(self, page: Page) -> int:
        """Queue a page; its slot."""
        host = self._host_number(page.host)
        slot = self._slot()
        self.number[slot], self.host[slot], self.links[slot] = page.number, host, page.links
        self.priority[slot] = page.priority
        self.mantissa[slot], self.block[slot] = page.score
        self.mass[slot] = page.mass
        if self.slot_of is not None:
            if page.number >= len(self.slot_of):
                self.slot_of.extend([-1] * (page.number + 1 - len(self.slot_of)))
            self.slot_of[page.number] = slot
        self._queues[host].push(slot)
        self._moved(host, slot)
        return slot

    def add(self, slot: int, score: Score | None, mass: float) -> None:
        """A page was linked again; without a score, one that keeps its own."""
        self.links[slot] += 1
        self.mass[slot] += mass
        if score is not None:
            self.lift(slot, plus(self.score(slot), score))

    def lift(self, slot: int, score: Score) -> None:
        """Give a page a score that is higher than its own; a lower one does nothing."""
        if (score.block, score.mantissa) > (self.block[slot], self.mantissa[slot]):
            self.mantissa[slot], self.block[slot] = score
            host = self.host[slot]
            self._queues[host].rise(slot)
            self._moved(host, slot)

    def lift_pages(self, numbers: Iterable[int], places: Iterable[float]) -> None:
        """Pages have got better scores; those that do not wait are passed over."""
        assert self.slot_of is not None  # noqa: S101
        size = len(self.slot_of)
        for number, place in zip(numbers, places, strict=True):
            slot = self.slot_of[number] if number < size else -1
            if slot >= 0:
                self.mantissa[slot] = place
                host = self.host[slot]
                self._queues[host].rise(slot)
                self._moved(host, slot)

    def rescore(self, places: NDArray[np.float64]) -> None:
        """Give pages new scores, by number − 1, that may be lower; where they are nan, pages keep theirs.

        O(pages that wait · log).
        """
        slots = np.flatnonzero(np.frombuffer(self._place, np.int32) >= 0)
        if not len(slots):
            return
        numbers = np.frombuffer(self.number, np.int64)[slots]
        priorities = np.frombuffer(self.priority, np.int64)[slots]
        hosts = np.frombuffer(self.host, np.int32)[slots]
        mantissas = np.frombuffer(self.mantissa, np.float64)
        scores = np.where(np.isnan(places[numbers - 1]), mantissas[slots], places[numbers - 1])
        mantissas[slots] = scores
        order = np.lexsort((numbers, -to_32_bits(scores), -priorities, hosts))
        firsts = np.flatnonzero(np.diff(hosts[order], prepend=-1))
        # Sorted is a heap.
        place = np.frombuffer(self._place, np.int32)
        for first, end in zip(firsts.tolist(), [*firsts[1:].tolist(), len(order)], strict=True):
            queue = slots[order[first:end]].astype(np.int32)
            self._queues[hosts[order[first]]].items = array("i", queue.tobytes())
            place[queue] = np.arange(len(queue), dtype=np.int32)
        ready = self._ready.items
        self._ready.items = array("i")
        for host in ready:
            self._ready.push(host)

    def score(self, slot: int) -> Score:
        """The score of the page in a slot."""
        return Score(self.mantissa[slot], self.block[slot])

    def level(self, score: Score | None, mass: float) -> None:
        """Give all pages the same score, where they have equal ones already."""
        for slot in range(len(self.number)):
            self.mass[slot] = mass
            if score is not None:
                self.mantissa[slot], self.block[slot] = score

    def take(
        self,
        busy: Mapping[str, int],
        room: Callable[[str], int],
        wait: Callable[[str], Wait],
        now: float,
        *,
        anyhow: bool = False,
    ) -> tuple[int, Page] | None:
        """(the slot, the page) to fetch next; None where none waits that may go.

        `busy`: downloads of each host that has some; `room(host)`: how many it may have; `wait(host)`: how long its
        delay goes on from `now`; `anyhow`: a page that can only wait for its host is given rather than none.
        """
        self._wake(busy, now)
        while self._ready.items:
            host = self._ready.pop()
            name = self._names[host]
            if name in busy:
                self._aside.add(host)
            elif (seconds := wait(name).most) > 0:
                self._sleep(host, now + seconds)
            else:
                return self._take_from(host)
        open_hosts = self._with_room(busy, room)
        over = [host for host in open_hosts if wait(self._names[host]).most <= 0]
        if over:
            return self._take_from(self._best(over, busy))
        if self._asleep and (anyhow or wait(self._names[self._asleep[0][1]]).least <= 0):
            return self._take_from(self._woken())
        if anyhow:
            maybe = open_hosts or list(self._aside)
        else:
            maybe = [host for host in open_hosts if wait(self._names[host]).least <= 0]
        return self._take_from(self._best(maybe, busy)) if maybe else None

    def pause(self, busy: Mapping[str, int], room: Callable[[str], int], wait: Callable[[str], Wait]) -> float:
        """Where `take` has nothing: seconds until the delay of some host may be over; infinite without one."""
        hosts = [host for _, host in self._asleep[:1]] + self._with_room(busy, room)
        return min((wait(self._names[host]).least for host in hosts), default=math.inf)

    def _wake(self, busy: Mapping[str, int], now: float) -> None:
        """Hosts whose delay is over or whose downloads have ended may be ready."""
        while self._asleep and self._asleep[0][0] <= now:
            self._ready.push(self._woken())
        for host in [host for host in self._aside if self._names[host] not in busy]:
            self._aside.remove(host)
            self._ready.push(host)

    def _sleep(self, host: int, until: float) -> None:
        self._sleepers.add(host)
        heapq.heappush(self._asleep, (until, host))

    def _woken(self) -> int:
        _, host = heapq.heappop(self._asleep)
        self._sleepers.remove(host)
        return host

    def _with_room(self, busy: Mapping[str, int], room: Callable[[str], int]) -> list[int]:
        return [host for host in self._aside if busy[self._names[host]] < room(self._names[host])]

    def _best(self, hosts: list[int], busy: Mapping[str, int]) -> int:
        """The host with the best page, of those with fewest downloads."""
        fewest = min(busy[self._names[host]] for host in hosts)
        best = -1
        for host in hosts:
            if busy[self._names[host]] == fewest and (best < 0 or self._host_ahead(host, best)):
                best = host
        return best

    def _take_from(self, host: int) -> tuple[int, Page]:
        slot = self._queues[host].pop()
        # The page is about to be downloaded: until the next call its host counts as busy.
        (self._aside.add if self._queues[host].items else self._aside.discard)(host)
        self._unused.append(slot)
        if self.slot_of is not None:
            self.slot_of[self.number[slot]] = -1
        return slot, Page(
            self.number[slot],
            self._names[host],
            self.priority[slot],
            self.score(slot),
            self.mass[slot],
            self.links[slot],
        )

    def _moved(self, host: int, slot: int) -> None:
        """A page came or got better: the host rises with it, where it is its best and the host waits."""
        if host in self._aside or host in self._sleepers or self._queues[host].items[0] != slot:
            return
        if self._host_place[host] < 0:
            self._ready.push(host)
        else:
            self._ready.rise(host)

    def _slot(self) -> int:
        if self._unused:
            return self._unused.pop()
        for values in (self.number, self.priority, self.block, self.links, self.host, self._place):
            values.append(0)
        self.mantissa.append(0.0)
        self.mass.append(0.0)
        return len(self.number) - 1

    def _host_number(self, name: str) -> int:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = len(self._names)
            self._names.append(name)
            self._queues.append(Heap(self._ahead, self._place))
            self._host_place.append(-1)
        return host
