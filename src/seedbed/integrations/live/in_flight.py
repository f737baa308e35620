"""Pages in flight in a live crawl: handed out and not yet finished; the downloads of each host; who received what.

A page passes its score on to the pages it links to, one request after another, and other pages are committed in
between. So the job records which targets have received theirs: a page that is fetched again, after a crash or because
its callback asks for it, passes its score on to the others only, and is counted once.

The requests of a slow callback are released before it has ended, when nobody knows yet among how many links the score
is shared (link_middleware.py). Until then such a target has no score of its own, in the job neither, and is ranked by a
provisional one. It keeps that if it is handed out before the callback ends; if not, it receives its share then.

Nothing here depends on Scrapy: a request is any hashable object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seedbed.integrations.live.job_store import JobStore
from seedbed.integrations.live.live_frontier import Page
from seedbed.integrations.live.live_orders import NOTHING, Score

COMPLETE = b""
"""Stands among the targets of a page that has passed its score on; no target has such a fingerprint."""


class Contribution(NamedTuple):
    """What a link brings to its target: a score, a part of the mass, and the number of the page that they come from.

    `provisional`: the score is an estimate, since the callback of that page has not ended.
    """

    score: Score
    mass: float
    source: int
    provisional: bool = False


NO_CONTRIBUTION = Contribution(NOTHING, 0.0, -1)


class Link(NamedTuple):
    """A link of a page: its URL, its host, and whether that is another one than the page's."""

    url: str
    host: str
    across: bool


@dataclass
class Fetch:
    """A page that was handed out. `written`: the job holds it; `complete`: it has passed its score on.

    `before`: the targets that received theirs before the page was handed out once more; `delivered`: those that
    received theirs since, the first `saved` of which the job knows.
    `released`: the links that were released before the callback had ended, by fingerprint; `arrived`: those of them
    that came to the scheduler; `released_at`: when the last of them were released.
    """

    request: Any
    fingerprint: bytes
    page: Page
    written: bool
    before: set[bytes] = field(default_factory=set)
    complete: bool = False
    downloading: bool = True
    delivered: list[bytes] = field(default_factory=list)
    saved: int = 0
    released: dict[bytes, Link] = field(default_factory=dict)
    arrived: set[bytes] = field(default_factory=set)
    released_at: float | None = None

    @property
    def was_complete(self) -> bool:
        """Whether the page had passed its score on before it was handed out once more."""
        return COMPLETE in self.before

    def completed(self) -> None:
        """All its links are known."""
        self.complete = True
        self.delivered.append(COMPLETE)


class InFlight:
    """`pages` by number; `busy`: the downloads of each host that has some."""

    def __init__(self, store: JobStore) -> None:
        self.pages: dict[int, Fetch] = {}
        self.busy: Counter[str] = Counter()
        self._store, self._before = store, store.delivered()

    def add(self, fetch: Fetch) -> None:
        """A page is handed out."""
        fetch.before = self._before.pop(fetch.page.number, set())
        self.pages[fetch.page.number] = fetch
        self.busy[fetch.page.host] += 1

    def deliver(self, contribution: Contribution, target: bytes) -> None:
        """A target has come; one with a provisional score receives its share when the callback has ended."""
        fetch = self.pages.get(contribution.source)
        if fetch is not None and contribution.provisional:
            fetch.arrived.add(target)
        elif fetch is not None:
            fetch.delivered.append(target)
            fetch.arrived.discard(target)

    def finished(self, in_progress: Set[Any], downloads: Set[Any]) -> list[Fetch]:
        """Take out the pages that are finished, given the requests in progress and those that the downloader has."""
        for fetch in self.pages.values():
            if fetch.downloading and fetch.request not in downloads:
                self._downloaded(fetch)
        found = [fetch for fetch in self.pages.values() if fetch.request not in in_progress]
        for fetch in found:
            self._remove(fetch)
            if fetch.saved or fetch.before:
                self._store.forget(fetch.page.number)
        return found

    def again(self, fetch: Fetch) -> None:
        """A page is to be fetched once more, and waits."""
        self._remove(fetch)
        if fetch.delivered or fetch.before:
            self._before[fetch.page.number] = fetch.before.union(fetch.delivered)
            self._store.deliver(fetch.page.number, fetch.delivered)

    def save(self) -> None:
        """Tell the job which targets have received theirs, for the next commit."""
        for number, fetch in self.pages.items():
            if len(fetch.delivered) > fetch.saved:
                self._store.deliver(number, fetch.delivered[fetch.saved :])
                fetch.saved = len(fetch.delivered)

    def _remove(self, fetch: Fetch) -> None:
        del self.pages[fetch.page.number]
        if fetch.downloading:
            self._downloaded(fetch)

    def _downloaded(self, fetch: Fetch) -> None:
        fetch.downloading = False
        self.busy[fetch.page.host] -= 1
        if not self.busy[fetch.page.host]:
            del self.busy[fetch.page.host]
