"""The pages that wait in a live crawl: their scores in memory, their requests on the shelf, and who is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scrapy import Request

from seedbed.integrations.live.in_flight import Gift
from seedbed.integrations.live.job_store import Store
from seedbed.integrations.live.live_frontier import Frontier, Page
from seedbed.integrations.live.live_orders import Score, plus
from seedbed.integrations.live.request_store import Shelf


class Taken(NamedTuple):
    """A page to fetch. `written`: the job holds it; `early`: the estimate that it was ranked by and now has."""

    page: Page
    request: Request
    fingerprint: bytes
    written: bool
    early: Gift | None


class Waiting:
    """`rises`: whether links change the score of a page that waits."""

    def __init__(
        self,
        store: Store,
        shelf: Shelf,
        frontier: Frontier,
        *,
        rises: bool,
    ) -> None:
        self._store, self._shelf, self._frontier, self._rises = store, shelf, frontier, rises
        self._seen: dict[bytes, int] = {}
        """The slot + 1 of a page that waits, minus the number of one under way; the store has those that are done."""
        self._early: dict[int, tuple[Gift, Score]] = {}
        """By slot, of pages that are ranked by an estimate: the estimate, and the score without it."""

    def load(self) -> None:
        """Go on where the job stands."""
        for page, fingerprint in self._store.waiting():
            slot = self._frontier.put(page)
            if fingerprint is not None:
                self._seen[fingerprint] = slot + 1

    def knows(self, fingerprint: bytes) -> bool:
        """Whether there is or was such a page."""
        return fingerprint in self._seen or self._store.knows(fingerprint)

    def put(self, page: Page, request: Request, fingerprint: bytes | None, early: Gift | None = None) -> None:
        """A page waits; without a fingerprint it is nobody's duplicate. `early`: an estimate to rank it by."""
        self._shelf.put(page, request, fingerprint)
        slot = self._frontier.put(page)
        if early is not None:
            self._early[slot] = early, page.score
            if self._rises:
                self._frontier.lift(slot, early.score)
        if fingerprint is not None:
            self._seen[fingerprint] = slot + 1

    def put_again(self, page: Page, request: Request, fingerprint: bytes) -> None:
        """A page that was taken waits once more."""
        own = self._seen.get(fingerprint) == -page.number
        self._shelf.put(page, request, fingerprint if own else None, again=True)
        slot = self._frontier.put(page)
        if own:
            self._seen[fingerprint] = slot + 1

    def done(self, number: int, fingerprint: bytes, *, stored: bool) -> None:
        """A page that was taken is done."""
        self._store.done(number, stored=stored)
        if self._seen.get(fingerprint) == -number:
            del self._seen[fingerprint]
            self._store.know(fingerprint)

    def add(self, fingerprint: bytes, gift: Gift) -> bool:
        """A page was linked again and rises; False where it does not wait."""
        slot = self._seen.get(fingerprint, 0) - 1
        if slot < 0:
            return False
        frontier = self._frontier
        if slot not in self._early:
            frontier.add(slot, gift.score if self._rises else None, gift.mass)
            self._write(slot, frontier.score(slot))
            return True
        early, without = self._early[slot]
        without = plus(without, gift.score) if self._rises else without
        if early.source == gift.source:
            frontier.add(slot, None, gift.mass)
            if self._rises:
                frontier.lift(slot, without)
            del self._early[slot]
            self._write(slot, frontier.score(slot))
        else:
            frontier.add(slot, gift.score if self._rises else None, gift.mass)
            self._early[slot] = early, without
            self._write(slot, without)
        return True

    def is_early(self, fingerprint: bytes) -> bool:
        """Whether a page waits that is ranked by an estimate."""
        return self._seen.get(fingerprint, 0) - 1 in self._early

    def _write(self, slot: int, score: Score) -> None:
        number = self._frontier.number[slot]
        if self._shelf.is_written(number):
            self._store.score(number, score, self._frontier.mass[slot], self._frontier.links[slot])

    def take(self, choose: Callable[[], tuple[int, Page] | None]) -> Taken | None:
        """The page that the frontier chooses; None where none may go. One that cannot be read is passed over."""
        while self._frontier:
            found = choose()
            if found is None:
                return None
            slot, page = found
            early, _ = self._early.pop(slot, (None, None))
            written = self._shelf.is_written(page.number)
            request, fingerprint = self._shelf.take(page.number)
            if fingerprint is not None and self._seen.get(fingerprint) == slot + 1:
                self._seen[fingerprint] = -page.number
            if request is not None and fingerprint is not None:
                if early is not None:
                    page = page._replace(links=page.links + 1)
                    if written:
                        self._store.score(page.number, page.score, page.mass, page.links)
                return Taken(page, request, fingerprint, written, early)
        return None


def told(page: Page) -> str:
    """Why a page came next."""
    came = f"{page.links} link{'' if page.links == 1 else 's'} seen to it" if page.links else "a seed"
    return f"{page.score.plain():.4g}, {came}, priority {page.priority}, page {page.number} discovered"
