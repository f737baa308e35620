"""What a page passes on to the pages it links to, in a live crawl; a redirect is the only link of its page.

Mass. `seedbed/guaranteed_mass` is a lower bound of the PageRank mass fetched, with the seeds as preference, on the web
as the spider sees it: beside its score each page carries the probability that a surfer from the seeds comes to it on
the links fetched so far, d / links a step. Every walk over fetched pages counts at most once, so the sum cannot exceed
the PageRank of the pages fetched. It holds in every order; in `fpr` it is the sum of the scores,
`seedbed/mass_fetched`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.httpobj import urlparse_cached

from seedbed.integrations.live_frontier import Frontier
from seedbed.integrations.live_links import LinkLog
from seedbed.integrations.live_orders import DAMPING, LiveOrder
from seedbed.integrations.live_store import Store
from seedbed.integrations.live_under_way import EMPTY, Gift, Out, UnderWay

PAGE, LINK = "seedbed_page", "seedbed_link"
"""In a request's meta: the number of the page under way that it stands for; what the link to it brings along."""

_PORTS = {"http": 80, "https": 443}


class Sharing:
    """Marks requests with what they bring along."""

    def __init__(
        self,
        order: LiveOrder,
        frontier: Frontier,
        under_way: UnderWay,
        fingerprint: Callable[[Request], bytes],
        stats: StatsCollector,
    ) -> None:
        self.order, self.frontier, self.out, self.stats = order, frontier, under_way.pages, stats
        self.fingerprint = fingerprint
        self.links: LinkLog | None = None

    def open(self, store: Store, links: LinkLog | None) -> None:
        """Begin, or go on."""
        self.store, self.job, self.links = store, store.job, links
        if self.job.fetched:
            self._publish()

    def seed(self) -> Gift:
        """What one seed more starts with."""
        self.job.seeds += 1
        share = self.job.share or 1
        return Gift(self.order.seed(share), (1 - DAMPING) / share, -1)

    def learn(self, response: Response, requests: list[Request], more: bool = False) -> None:
        """Mark the requests of a response with what they bring along; with `more` they bring nothing."""
        out = None if response.request is None else self.out.get(response.request.meta.get(PAGE, -1))
        if more or out is None or out.learned:
            for request in requests:
                request.meta.pop(PAGE, None)
                request.meta[LINK] = EMPTY
            return
        host = _host(response)
        across: dict[bytes, bool] = {}
        marks: list[tuple[Request, bytes]] = []
        for request in dict.fromkeys(requests):
            fingerprint = self.fingerprint(request)
            if fingerprint == out.fingerprint:
                request.meta[PAGE] = out.page.number
                request.meta.pop(LINK, None)
                continue
            request.meta.pop(PAGE, None)
            marks.append((request, fingerprint))
            across.setdefault(fingerprint, _host(request) != host)
        gifts = self._gifts(out, len(across) - sum(across.values()), sum(across.values()))
        _mark(marks, {target: way for target, way in across.items() if not out.had(target)}, gifts)
        self._count(out)
        if self.links is not None:
            urls = {fingerprint: request.url for request, fingerprint in reversed(marks)}
            self.links.write(response.url, reversed(urls.values()), response.status)

    def redirected(self, request: Request, out: Out) -> Gift:
        """What a page under way passes on to the one that it leads to instead; once."""
        if out.learned:
            return EMPTY
        out.learned = True
        if self.links is not None:
            reason = (request.meta.get("redirect_reasons") or [None])[-1]
            self.links.write(out.request.url, [request.url], reason if isinstance(reason, int) else None)
        if out.had(self.fingerprint(request)):
            return EMPTY
        across = _host(request) != _host(out.request)
        return self._gifts(out, int(not across), int(across))[across]

    def _gifts(self, out: Out, inside: int, across: int) -> tuple[Gift, Gift]:
        """What a page passes on through a link inside its host, and to another."""
        if not self.job.share:
            self._settle_seeds()
        if inside + across == 0:
            return EMPTY, EMPTY
        near, far = self.order.shares(out.page.score, inside, across)
        # A page that was fetched before may have had other links then; without mass the bound stays one.
        mass = DAMPING * out.page.mass / (inside + across) if out.earlier is None else 0.0
        return Gift(near, mass, out.page.number), Gift(far, mass, out.page.number)

    def _settle_seeds(self) -> None:
        """The first score is passed on: all pages known are seeds, and share the initial value."""
        self.job.share = max(1, self.job.seeds)
        score = None if self.order.settled else self.order.seed(self.job.share)
        mass = (1 - DAMPING) / self.job.share
        self.frontier.level(score, mass)
        self.store.level(score, mass)
        for out in self.out.values():
            out.page = out.page._replace(score=score or out.page.score, mass=mass)

    def _count(self, out: Out) -> None:
        """A page is fetched; one that was before is not counted again."""
        out.learned = True
        if out.earlier is None:
            self.job.fetched += 1
            self.job.mass += out.page.mass
            self.job.score += out.page.score.plain() if self.order.shares_mass else 0.0
        self._publish()

    def _publish(self) -> None:
        self.stats.set_value("seedbed/fetched", self.job.fetched)
        # Seeds that came after the share was settled make all parts smaller.
        part = self.job.share / max(self.job.share, self.job.seeds)
        self.stats.set_value("seedbed/guaranteed_mass", self.job.mass * part)
        if self.order.shares_mass:
            self.stats.set_value("seedbed/mass_fetched", self.job.score * part)


def _mark(marks: Iterable[tuple[Request, bytes]], across: dict[bytes, bool], gifts: tuple[Gift, Gift]) -> None:
    """The first request to a target has its gift, more of them have nothing."""
    for request, fingerprint in marks:
        way = across.pop(fingerprint, None)
        request.meta[LINK] = EMPTY if way is None else gifts[way]


def _host(one: Request | Response) -> str:
    """The host as seedbed's webs have it: with a port that is not the scheme's own."""
    parts = urlparse_cached(one)
    port = parts.port
    name = parts.hostname or ""
    return name if port is None or port == _PORTS.get(parts.scheme) else f"{name}:{port}"
