"""Pages under way in a live crawl: handed out, and not yet worked off; the downloads of each host; who has had a share.

A page passes its score on to the pages it links to, one request after another, and other pages are committed in
between. So the job is told which targets have had theirs: a page that is fetched again, after a crash or because its
callback wants it so, passes on to the others only, and is counted once.

Where a callback takes its time, its requests are let go before it has ended, and nobody knows yet among how many links
the score is shared (live_links.py). Such a target has no score of its own until then, in the job neither, and is ranked
by an estimate. It has the estimate for good if it is handed out before; if not, its gift when the callback has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

from scrapy import Request

from seedbed.integrations.live.job_store import Store
from seedbed.integrations.live.live_frontier import Page
from seedbed.integrations.live.live_orders import NOTHING, Score

PAGE, LINK = "seedbed_page", "seedbed_link"
"""In a request's meta: the number of the page under way that it stands for; what the link to it brings along."""

LEARNED = b""
"""Stands among the targets of a page that has passed on; no target has such a fingerprint."""


class Gift(NamedTuple):
    """What a link brings along: a score, a part of the mass, and the number of the page that they come from.

    `early`: the score is an estimate, since the callback of that page has not ended.
    """

    score: Score
    mass: float
    source: int
    early: bool = False


EMPTY = Gift(NOTHING, 0.0, -1)


@dataclass
class Out:
    """A page that was handed out. `written`: the job holds it; `learned`: it has passed its score on.

    `earlier`: the targets that had their gifts of it before it was handed out once more, None where it was not fetched
    before; `given`: those that have had theirs since, the first `kept` of which the job knows.
    `early`: the links that were let go before the callback had ended, as target: (URL, whether on another host);
    `reached`: those of them that came to the scheduler; `let_go`: when the last of them were.
    """

    request: Request
    fingerprint: bytes
    page: Page
    written: bool
    earlier: set[bytes] | None = None
    learned: bool = False
    downloading: bool = True
    given: list[bytes] = field(default_factory=list)
    kept: int = 0
    early: dict[bytes, tuple[str, bool]] = field(default_factory=dict)
    reached: set[bytes] = field(default_factory=set)
    let_go: float | None = None

    def had(self, target: bytes) -> bool:
        """Whether a target has had its gift already."""
        return self.earlier is not None and target in self.earlier

    @property
    def was_learned(self) -> bool:
        """Whether it had passed on before it was handed out once more."""
        return self.had(LEARNED)

    def learn(self) -> None:
        """All its links are known."""
        self.learned = True
        self.given.append(LEARNED)


class UnderWay:
    """`pages` by number; `busy`: the downloads of each host that has some."""

    def __init__(self) -> None:
        self.pages: dict[int, Out] = {}
        self.busy: Counter[str] = Counter()
        self._earlier: dict[int, set[bytes]] = {}

    def open(self, store: Store) -> None:
        """Begin, or go on."""
        self._store = store
        self._earlier = store.given()

    def add(self, request: Request, fingerprint: bytes, page: Page, *, written: bool) -> None:
        """A page is handed out."""
        self.pages[page.number] = Out(request, fingerprint, page, written, self._earlier.pop(page.number, None))
        self.busy[page.host] += 1

    def gave(self, gift: Gift, target: bytes) -> None:
        """A target has its gift."""
        out = self.pages.get(gift.source)
        if out is not None:
            out.given.append(target)
            out.reached.discard(target)

    def reached(self, gift: Gift, target: bytes) -> None:
        """A target has come that will have its gift when the callback has ended."""
        out = self.pages.get(gift.source)
        if out is not None:
            out.reached.add(target)

    def ended(self, in_progress: Set[Request], downloads: Set[Request]) -> list[Out]:
        """Take out the pages that are worked off, by what the engine has in progress and the downloader has."""
        for out in self.pages.values():
            if out.downloading and out.request not in downloads:
                self._downloaded(out)
        ended = [out for out in self.pages.values() if out.request not in in_progress]
        for out in ended:
            self._remove(out)
            if out.kept or out.earlier is not None:
                self._store.forget(out.page.number)
        return ended

    def again(self, out: Out) -> None:
        """A page is to be fetched once more, and waits."""
        self._remove(out)
        if out.given or out.earlier is not None:
            self._earlier[out.page.number] = (out.earlier or set()).union(out.given)
            self._store.give(out.page.number, out.given)

    def keep(self) -> None:
        """Tell the job what pages have passed on, for the next commit."""
        for number, out in self.pages.items():
            if len(out.given) > out.kept:
                self._store.give(number, out.given[out.kept :])
                out.kept = len(out.given)

    def _remove(self, out: Out) -> None:
        del self.pages[out.page.number]
        if out.downloading:
            self._downloaded(out)

    def _downloaded(self, out: Out) -> None:
        out.downloading = False
        self.busy[out.page.host] -= 1
        if not self.busy[out.page.host]:
            del self.busy[out.page.host]
