"""What a page passes on to the pages it links to, in a live crawl; a redirect is the only link of its page.

Mass. `seedbed/guaranteed_mass` is a lower bound of the PageRank mass fetched, with the seeds as preference, on the web
as the spider sees it: beside its score each page carries the probability that a surfer from the seeds comes to it on
the links fetched so far, d / links a step. Every walk over fetched pages counts at most once, so the sum cannot exceed
the PageRank of the pages fetched. It holds in every order; in `fpr` it is the sum of the scores,
`seedbed/mass_fetched`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.httpobj import urlparse_cached

from seedbed.integrations.live import engine as live_engine
from seedbed.integrations.live.in_flight import EMPTY, LINK, PAGE, Gift, Out, UnderWay
from seedbed.integrations.live.job_store import Store
from seedbed.integrations.live.link_middleware import LinkLog
from seedbed.integrations.live.live_frontier import Frontier
from seedbed.integrations.live.live_orders import DAMPING, LiveOrder
from seedbed.integrations.live.waiting import Waiting

MANY_LINKS = 1_000
"""A page whose callback takes its time is taken to have as many links, or ten times those seen, to rank the first."""

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
        self.order, self.frontier, self.under_way, self.stats = order, frontier, under_way, stats
        self.out, self.fingerprint = under_way.pages, fingerprint
        self.links: LinkLog | None = None

    def open(self, store: Store, waiting: Waiting, links: LinkLog | None) -> None:
        """Begin, or go on."""
        self.store, self.job, self.waiting, self.links = store, store.job, waiting, links
        if self.job.fetched:
            self._publish()

    def seed(self) -> Gift:
        """What one seed more starts with."""
        self.job.seeds += 1
        share = self.job.share or 1
        return Gift(self.order.seed(share), (1 - DAMPING) / share, -1)

    def learn(self, response: Response, requests: list[Request], more: bool = False) -> None:
        """Mark the requests of a response with what they bring along; with `more` its callback has not ended.

        What comes after the callback counts as ended brings nothing.
        """
        out = None if response.request is None else self.out.get(response.request.meta.get(PAGE, -1))
        if out is None or out.learned:
            for request in requests:
                request.meta.pop(PAGE, None)
                request.meta[LINK] = EMPTY
            return
        host = _host(response)
        found: dict[bytes, tuple[str, bool]] = {}
        marks: list[tuple[Request, bytes]] = []
        for request in dict.fromkeys(requests):
            fingerprint = self._fingerprint_of(request)
            if fingerprint == out.fingerprint:
                request.meta[PAGE] = out.page.number
                request.meta.pop(LINK, None)
                continue
            request.meta.pop(PAGE, None)
            if fingerprint is None:
                request.meta[LINK] = EMPTY
                continue
            marks.append((request, fingerprint))
            if fingerprint not in out.early:
                found.setdefault(fingerprint, (request.url, _host(request) != host))
        if more:
            self._let_go(out, found, marks)
        else:
            self._share(out, found, marks)
            if self.links is not None:
                urls = (url for url, _ in (out.early | found).values())
                self.links.write(response.url, urls, response.status)

    def _fingerprint_of(self, request: Request) -> bytes | None:
        """None where the project's fingerprinter fails; it fails again when that one request is queued."""
        try:
            return self.fingerprint(request)
        except Exception:  # noqa: BLE001
            return None

    def _let_go(self, out: Out, found: dict[bytes, tuple[str, bool]], marks: list[tuple[Request, bytes]]) -> None:
        """Mark requests of a callback that goes on, with an estimate."""
        links = max(MANY_LINKS, 10 * (len(out.early) + len(found)))
        gifts = [gift._replace(mass=0.0, early=True) for gift in self._gifts(out, 0, links)]
        _mark(marks, {target: way for target, (_, way) in found.items() if not out.had(target)}, gifts)
        out.early |= found
        out.let_go = live_engine.clock()

    def _share(self, out: Out, found: dict[bytes, tuple[str, bool]], marks: list[tuple[Request, bytes]]) -> None:
        """All links are known: mark the last requests, and give what was let go before its gifts."""
        ways = {target: way for target, (_, way) in (out.early | found).items()}
        across = sum(ways.values())
        gifts = self._gifts(out, len(ways) - across, across)
        _mark(marks, {target: ways[target] for target in found if not out.had(target)}, gifts)
        for target in [target for target in out.early if target in out.reached]:
            again = not self.waiting.is_early(target)
            if self.waiting.add(target, gifts[ways[target]]):
                self.under_way.gave(gifts[ways[target]], target)
                self.stats.inc_value("seedbed/linked_again", int(again))
        self._count(out)

    def redirected(self, request: Request, out: Out) -> Gift:
        """What a page under way passes on to the one that it leads to instead; once."""
        if out.learned:
            return EMPTY
        out.learn()
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
        mass = DAMPING * out.page.mass / (inside + across) if not out.was_learned else 0.0
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
        out.learn()
        if not out.was_learned:
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


def _mark(marks: Iterable[tuple[Request, bytes]], across: dict[bytes, bool], gifts: Sequence[Gift]) -> None:
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
