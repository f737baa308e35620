"""What a page passes on to the pages it links to, in a live crawl; a redirect is the only link of its page.

Mass. `seedbed/guaranteed_mass` is a lower bound of the PageRank mass fetched, with the seeds as preference, on the web
as the spider sees it: beside its score each page carries the probability that a surfer from the seeds comes to it on
the links fetched so far, d / links a step. Every walk over fetched pages counts at most once, so the sum cannot exceed
the PageRank of the pages fetched. It holds in every order; in `fpr` it is the sum of the scores,
`seedbed/mass_fetched`.

Nothing here depends on Scrapy: a target is a fingerprint, `stats` anything with inc_value() and set_value().
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from seedbed.integrations.live.in_flight import NO_CONTRIBUTION, Contribution, Fetch, InFlight, Link
from seedbed.integrations.live.job_store import JobStore
from seedbed.integrations.live.live_frontier import Frontier
from seedbed.integrations.live.live_orders import DAMPING, LiveOrder
from seedbed.integrations.live.live_queue import LiveQueue

MANY_LINKS = 1_000
"""While a callback goes on, its page is assumed to have so many links, or ten times those seen, to rank the first."""


class Contributions:
    """Computes what each link of a page brings to its target."""

    def __init__(
        self, order: LiveOrder, frontier: Frontier, in_flight: InFlight, store: JobStore, queue: LiveQueue, stats: Any
    ) -> None:
        self._order, self._frontier, self._in_flight = order, frontier, in_flight
        self._store, self._job, self._queue, self._stats = store, store.job, queue, stats
        if self._job.fetched:
            self._publish()

    def seed(self) -> Contribution:
        """What one seed more starts with."""
        self._job.seeds += 1
        share = self._job.share or 1
        return Contribution(self._order.seed(share), (1 - DAMPING) / share, -1)

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

    def redirect(self, fetch: Fetch, target: bytes, *, across: bool) -> Contribution:
        """What a page in flight that has passed nothing on yet brings to the one that it leads to instead."""
        fetch.completed()
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
