"""The pages that wait in a live crawl: their scores in the frontier, their requests in the request store, and which
fingerprints are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seedbed.integrations.live.in_flight import Contribution, Fetch
from seedbed.integrations.live.job_store import JobStore
from seedbed.integrations.live.live_frontier import Frontier, Page
from seedbed.integrations.live.live_orders import Score, plus

if TYPE_CHECKING:
    from seedbed.integrations.live.request_store import RequestStore


class LiveQueue:
    """`rises`: whether links change the score of a page that waits. `score_of`: the score of one that the job holds."""

    def __init__(
        self,
        store: JobStore,
        requests: RequestStore,
        frontier: Frontier,
        *,
        rises: bool,
        score_of: Callable[[Page], Score] = lambda page: page.score,
    ) -> None:
        self._store, self._requests, self._frontier, self._rises = store, requests, frontier, rises
        self._seen: dict[bytes, int] = {}
        """The slot + 1 of a page that waits, minus the number of one in flight; the store has those that are done."""
        self._linked: dict[bytes, int] = {}
        """The numbers of pages that were linked and not requested yet; from the next commit on the store has them."""
        self._provisional: dict[int, tuple[Contribution, Score]] = {}
        """By slot, of pages that are ranked by an estimate: the estimate, and the score without it."""
        for page, fingerprint in store.waiting():
            slot = frontier.put(page._replace(score=score_of(page)))
            if fingerprint is not None:
                self._seen[fingerprint] = slot + 1

    def knows(self, fingerprint: bytes) -> bool:
        """Whether there is or was such a page."""
        if fingerprint in self._seen:
            return True
        return fingerprint not in self._linked and self._store.number_of(fingerprint) > 0

    def number_of(self, fingerprint: bytes) -> int:
        """The number of a page, requested or not; 0 where it has none."""
        at = self._seen.get(fingerprint, 0)
        if at:
            return self._frontier.number[at - 1] if at > 0 else -at
        return self._linked.get(fingerprint) or abs(self._store.number_of(fingerprint))

    def link(self, fingerprint: bytes, number: int) -> None:
        """A page is linked, and has a number before it is requested."""
        self._linked[fingerprint] = number

    def requested(self, fingerprint: bytes, *, once: bool) -> int:
        """The number of a page that was linked and is requested now; 0 where it has none.

        If it is nobody's duplicate (not `once`), the next link leads to a page of its own.
        """
        if (number := self._linked.pop(fingerprint, 0)) == 0:
            number = max(0, -self._store.number_of(fingerprint))
            if number and not once:
                self._store.forget_linked(fingerprint)
        return number

    def waits(self, fingerprint: bytes) -> bool:
        """Whether a page waits."""
        return self._seen.get(fingerprint, 0) > 0

    def save(self) -> None:
        """Have the store keep the numbers of pages that were linked and not requested."""
        for fingerprint, number in self._linked.items():
            self._store.know(fingerprint, -number)
        self._linked.clear()

    def put(self, page: Page, request: Any, fingerprint: bytes | None, estimate: Contribution | None = None) -> None:
        """A page waits; without a fingerprint it is nobody's duplicate. `estimate`: what to rank it by for now."""
        self._requests.put(page, request, fingerprint)
        slot = self._frontier.put(page)
        if estimate is not None:
            self._provisional[slot] = estimate, page.score
            if self._rises:
                self._frontier.lift(slot, estimate.score)
        if fingerprint is not None:
            self._seen[fingerprint] = slot + 1

    def put_again(self, page: Page, request: Any, fingerprint: bytes) -> None:
        """A page that was taken waits once more."""
        own = self._seen.get(fingerprint) == -page.number
        self._requests.put(page, request, fingerprint if own else None, again=True)
        slot = self._frontier.put(page)
        if own:
            self._seen[fingerprint] = slot + 1

    def done(self, number: int, fingerprint: bytes, *, stored: bool) -> None:
        """A page that was taken is done."""
        self._store.done(number, stored=stored)
        if self._seen.get(fingerprint) == -number:
            del self._seen[fingerprint]
            self._store.know(fingerprint, number)

    def add(self, fingerprint: bytes, contribution: Contribution) -> bool:
        """A page was linked again and rises; False if it does not wait."""
        slot = self._seen.get(fingerprint, 0) - 1
        if slot < 0:
            return False
        frontier, score = self._frontier, contribution.score if self._rises else None
        if slot not in self._provisional:
            frontier.add(slot, score, contribution.mass)
            self._write(slot, frontier.score(slot))
            return True
        estimate, without = self._provisional[slot]
        without = without if score is None else plus(without, score)
        if estimate.source == contribution.source:
            frontier.add(slot, None, contribution.mass)
            if self._rises:
                frontier.lift(slot, without)
            del self._provisional[slot]
            self._write(slot, frontier.score(slot))
        else:
            frontier.add(slot, score, contribution.mass)
            self._provisional[slot] = estimate, without
            self._write(slot, without)
        return True

    def is_provisional(self, fingerprint: bytes) -> bool:
        """Whether a page waits that is ranked by an estimate."""
        return self._seen.get(fingerprint, 0) - 1 in self._provisional

    def _write(self, slot: int, score: Score) -> None:
        number = self._frontier.number[slot]
        if self._requests.is_written(number):
            self._store.score(number, score, self._frontier.mass[slot], self._frontier.links[slot])

    def take(self, choose: Callable[[], tuple[int, Page] | None]) -> tuple[Fetch, Contribution | None] | None:
        """(the page that the frontier chooses, the estimate that it was ranked by and now keeps); None if none may go.

        One that cannot be read is passed over.
        """
        while self._frontier and (found := choose()) is not None:
            slot, page = found
            estimate, _ = self._provisional.pop(slot, (None, None))
            written = self._requests.is_written(page.number)
            request, fingerprint = self._requests.take(page.number)
            if fingerprint is not None and self._seen.get(fingerprint) == slot + 1:
                self._seen[fingerprint] = -page.number
            if request is not None and fingerprint is not None:
                if estimate is not None:
                    page = page._replace(links=page.links + 1)
                    if written:
                        self._store.score(page.number, page.score, page.mass, page.links)
                return Fetch(request, fingerprint, page, written), estimate
        return None


def why_next(page: Page) -> str:
    """Why a page came next, for the log."""
    came = f"{page.links} link{'' if page.links == 1 else 's'} seen to it" if page.links else "a seed"
    return f"{page.score.plain():.4g}, {came}, priority {page.priority}, page {page.number} discovered"
