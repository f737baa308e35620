"""What a page passes on to the pages it links to, in a live crawl; a redirect is the only link of its page.

Mass. `seedbed/guaranteed_mass` is a lower bound of the PageRank mass fetched, with the seeds as preference, on the web
as the spider sees it: beside its score each page carries the probability that a surfer from the seeds comes to it on
the links fetched so far, d / links a step. Every walk over fetched pages counts at most once, so the sum cannot exceed
the PageRank of the pages fetched. It holds in every order; in `fpr` it is the sum of the scores,
`seedbed/mass_fetched`.

In the order live-pagerank links bring nothing with their requests: all scores change at once when the links of a page
are known, and the frontier is told which pages have risen (replayed_scores.py).

Nothing here depends on Scrapy: a target is a fingerprint, `stats` anything with inc_value() and set_value().
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from seedbed.integrations.live.in_flight import NO_CONTRIBUTION, Contribution, Fetch, InFlight, Link
from seedbed.integrations.live.job_store import JobStore
from seedbed.integrations.live.live_frontier import Frontier, Page
from seedbed.integrations.live.live_orders import DAMPING, LiveOrder, Score
from seedbed.integrations.live.live_queue import LiveQueue
from seedbed.integrations.live.replayed_scores import LivePageRank

MANY_LINKS = 1_000
"""While a callback goes on, its page is assumed to have so many links, or ten times those seen, to rank the first."""


class NewPage(NamedTuple):
    """A page that is to wait: its number, score, part of the mass, links seen to it, and what to rank it by for now."""

    number: int
    score: Score
    mass: float
    links: int
    estimate: Contribution | None = None


class Contributions:
    """Computes what each link of a page brings to its target."""

    def __init__(
        self, order: LiveOrder, frontier: Frontier, in_flight: InFlight, store: JobStore, queue: LiveQueue, stats: Any
    ) -> None:
        self._order, self._frontier, self._in_flight = order, frontier, in_flight
        self._store, self._job, self._queue, self._stats = store, store.job, queue, stats
        if self._job.fetched:
            self._publish()

    def new_page(self, brought: Contribution | None, target: bytes, link: Link, *, once: bool) -> NewPage:
        """A page that is requested for the first time, by a link or (None) as a seed.

        `once`: others with this fingerprint are duplicates.
        """
        self._job.known += 1
        came = self._seed() if brought is None else brought
        estimate = came if came.provisional else None
        if estimate is not None:
            came = NO_CONTRIBUTION
        score = self._order.first(self._job.known) if self._order.settled else came.score
        return NewPage(self._job.known, score, came.mass, int(brought is not None and estimate is None), estimate)

    def _seed(self) -> Contribution:
        """What one seed more starts with."""
        self._job.seeds += 1
        share = self._job.share or 1
        return Contribution(self._order.seed(share), (1 - DAMPING) / share, -1)

    def score_of(self, page: Page) -> Score:
        """The score of a page that waits again."""
        return page.score

    def links_to(self, page: Page) -> int:
        """The links seen to a page."""
        return page.links

    def choose(self) -> None:
        """A page is about to be chosen."""

    def save(self) -> None:
        """Give the store what it does not have, for the next commit."""

    def release(self, fetch: Fetch, found: Mapping[bytes, Link], now: float) -> dict[bytes, Contribution]:
        """What new links bring that are released while the callback goes on: estimates."""
        links = max(MANY_LINKS, 10 * (len(fetch.released) + len(found)))
        estimates = [one._replace(mass=0.0, provisional=True) for one in self._shares(fetch, 0, links)]
        fetch.released |= found
        fetch.released_at = now
        return {target: estimates[link.across] for target, link in found.items() if target not in fetch.before}

    def share(self, fetch: Fetch, found: Collection[bytes], links: Mapping[bytes, Link]) -> dict[bytes, Contribution]:
        """All links are known: what the last ones, `found`, bring. Those released earlier receive their share now."""
        across = sum(link.across for link in links.values())
        shares = self._shares(fetch, len(links) - across, across)
        for target in [target for target in fetch.released if target in fetch.arrived]:
            again, share = not self._queue.is_provisional(target), shares[links[target].across]
            if self._queue.add(target, share):
                self._in_flight.deliver(share, target)
                self._stats.inc_value("seedbed/linked_again", int(again))
        self._count(fetch)
        return {target: shares[links[target].across] for target in found if target not in fetch.before}

    def redirect(self, fetch: Fetch, target: bytes, link: Link) -> Contribution:
        """What a page in flight that has passed nothing on yet brings to the one that it leads to instead."""
        fetch.completed()
        across = link.across
        return NO_CONTRIBUTION if target in fetch.before else self._shares(fetch, int(not across), int(across))[across]

    def _shares(self, fetch: Fetch, inside: int, across: int) -> tuple[Contribution, Contribution]:
        """What a page passes on through a link inside its host, and through one to another host."""
        if not self._job.share:
            self._settle_seeds()
        if inside + across == 0:
            return NO_CONTRIBUTION, NO_CONTRIBUTION
        near, far = self._order.shares(fetch.page.score, inside, across)
        # A page that was fetched before may have had other links then; without mass the bound stays one.
        mass = DAMPING * fetch.page.mass / (inside + across) if not fetch.was_complete else 0.0
        return Contribution(near, mass, fetch.page.number), Contribution(far, mass, fetch.page.number)

    def _settle_seeds(self) -> None:
        """The first score is passed on: all pages known are seeds, and share the initial value."""
        self._job.share = max(1, self._job.seeds)
        score = None if self._order.settled else self._order.seed(self._job.share)
        mass = (1 - DAMPING) / self._job.share
        self._frontier.level(score, mass)
        self._store.level(score, mass)
        for fetch in self._in_flight.pages.values():
            fetch.page = fetch.page._replace(score=score or fetch.page.score, mass=mass)

    def _count(self, fetch: Fetch) -> None:
        """A page is fetched; one that was fetched before is not counted again."""
        fetch.completed()
        if not fetch.was_complete:
            self._job.fetched += 1
            self._job.mass += fetch.page.mass
            self._job.score += fetch.page.score.plain() if self._order.shares_mass else 0.0
        self._publish()

    def _publish(self) -> None:
        self._stats.set_value("seedbed/fetched", self._job.fetched)
        # Seeds that came after the share was settled make all parts smaller.
        part = self._job.share / max(self._job.share, self._job.seeds)
        self._stats.set_value("seedbed/guaranteed_mass", self._job.mass * part)
        if self._order.shares_mass:
            self._stats.set_value("seedbed/mass_fetched", self._job.score * part)


class PageRankContributions(Contributions):
    """The same for live-pagerank: pages are numbered when they are linked, and no request brings anything.

    A page that is requested before all links of its page are known has what every page known has. A page that was
    fetched before is not learnt again: links that it had not are pages known, no more.
    """

    def __init__(self, ranks: LivePageRank, *given: Any) -> None:
        self._ranks = ranks
        super().__init__(*given)

    def new_page(self, brought: Contribution | None, target: bytes, link: Link, *, once: bool) -> NewPage:
        """A page that is requested for the first time; it may be known from links."""
        number = self._queue.requested(target, once=once) or self._discover([link])
        if brought is None:
            self._job.seeds += 1
            self._ranks.seed(number)
        return NewPage(number, self._ranks.score(number), 0.0, int(brought is not None))

    def _discover(self, links: Collection[Link]) -> int:
        """Pages become known; the number of the first."""
        first = self._ranks.discover([link.url for link in links], [link.host for link in links])
        self._job.known = self._ranks.known
        return first

    def score_of(self, page: Page) -> Score:
        """What the page is ordered by now; one whose links are known keeps what it had."""
        return page.score if self._ranks.has_links(page.number) else self._ranks.score(page.number)

    def links_to(self, page: Page) -> int:
        """Those of all pages fetched."""
        return max(page.links, self._ranks.linked(page.number))

    def choose(self) -> None:
        """Trust in old scores is learnt before a page is chosen."""
        places = self._ranks.renew_trust()
        if places is not None:
            self._frontier.rescore(places)

    def release(self, fetch: Fetch, found: Mapping[bytes, Link], now: float) -> dict[bytes, Contribution]:
        """Links are released while the callback goes on; they count when it has ended."""
        self._count_waiting(found)
        fetch.released |= found
        fetch.released_at = now
        return {}

    def share(self, fetch: Fetch, found: Collection[bytes], links: Mapping[bytes, Link]) -> dict[bytes, Contribution]:
        """All links are known."""
        self._count_waiting(found)
        if self._learn(fetch, links):
            self._job.fetched += 1
            self._job.mass += self._ranks.walks(fetch.page.number)
        self._publish()
        return {}

    def redirect(self, fetch: Fetch, target: bytes, link: Link) -> Contribution:
        """A page in flight leads to another instead."""
        self._learn(fetch, {target: link})
        return NO_CONTRIBUTION

    def _learn(self, fetch: Fetch, links: Mapping[bytes, Link]) -> bool:
        """Pass on what the page has; False if it did so before."""
        fetch.complete = True
        if self._ranks.has_links(fetch.page.number):
            return False
        self._job.share = self._job.share or max(1, self._job.seeds)
        numbers = {target: self._queue.number_of(target) for target in links}
        new = [target for target, number in numbers.items() if not number]
        first = self._discover([links[target] for target in new])
        for number, target in enumerate(new, first):
            numbers[target] = number
            self._queue.link(target, number)
        self._frontier.lift_pages(*self._ranks.learn(fetch.page.number, list(numbers.values()), len(new)))
        return True

    def _count_waiting(self, targets: Collection[bytes]) -> None:
        self._stats.inc_value("seedbed/linked_again", sum(map(self._queue.waits, targets)))

    def _publish(self) -> None:
        self._stats.set_value("seedbed/fetched", self._job.fetched)
        self._stats.set_value("seedbed/guaranteed_mass", (1 - DAMPING) * self._job.mass / max(1, self._job.seeds))

    def save(self) -> None:
        """The numbers of pages that were linked, and what has happened."""
        self._queue.save()
        self._store.note(self._ranks.events())
