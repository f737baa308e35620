"""A Scrapy scheduler that fetches important pages first.

    SCHEDULER = "seedbed.integrations.scrapy.ImportanceScheduler"
    SEEDBED_ORDER = "live-pagerank"   the order; live-pagerank@M, fpr, fpr@M, opic, backlink, bfs, dfs, random
    SEEDBED_LAST = "last.web"         a web or a ranking file: what the last crawl knew, for the order live-pagerank
    SEEDBED_SITE = "host"             what M counts as a site: "host", or "domain" for registered domains
    SEEDBED_LINK_LOG = "links.jsonl"  where the links of pages fetched are written; by default JOBDIR/links.jsonl
    SEEDBED_SEED = 1                  what chance depends on in the order `random`
    SEEDBED_SERIALIZERS = {…}         how objects of other classes are stored with a request (stored_requests.py)

Any spider, no other change. How it works:

Links. An order needs all links of a page fetched. A spider middleware (link_middleware.py), which the scheduler adds to
the running crawl, gathers the requests of each response; `_learn` shares the page's score out among them, each target
once and the page itself not, and marks each request with what it contributes. `enqueue_request` takes the mark off: a
page that is new is queued with the contribution, one that waits gets it added (and rises), any other is a duplicate. A
request without a mark that stands for no page in flight is a seed. Seeds share the initial value; they come one by one,
so the share is settled when the first page passes its score on, and a seed that comes later has as much as the others.
In the order live-pagerank requests carry nothing: `_learn` changes all scores at once (replayed_scores.py).

Pages in flight (in_flight.py). A request handed out carries its page's number in meta. A retry comes back with it: the
page waits again as it was. A redirect comes back with another fingerprint, and before any response reaches the spider:
it is the only link of the page.

Turns. The best page on a host that is idle and not in its download delay goes first (live_frontier.py); a timer makes
the engine ask again when a delay is over. With CONCURRENT_REQUESTS = 1 a page goes out only when all seeds are in and
the callback of the last one has ended, and the crawl has the simulator's order, ties and all.

Jobs. With JOBDIR everything is in JOBDIR/seedbed.db (job_store.py). A page is done when neither the downloader nor the
scraper has its request any more; its links came before that. What is done is committed before the next request is
handed out: whenever the process is killed, at most the pages in flight are fetched again, and a target that received
its share of such a page does not receive it twice. A link that is not committed is on a page that is not done; a seed
comes again from start_urls. Any other request (of a start() of the spider's own, an extension, an errback) is committed
at once. Requests that cannot be stored stay in memory and end with the process (request_store.py); the next run says
how many were lost, and closes as `seedbed_incomplete`, not `finished`, unless they came again. If the job cannot be
written, or the scheduler itself fails, the crawl ends with the reason `seedbed_failed`, and the job stays as it was
last committed. Without JOBDIR requests stay the objects they are, in memory.

Duplicates. For Scrapy's own RFPDupeFilter, whose file lags behind, and classes that tell duplicates as it does, the
scheduler keeps the fingerprints itself, in the same transactions. Any other DUPEFILTER_CLASS is asked. URLs of
start_urls are fetched once in a job, though Scrapy marks them dont_filter; without JOBDIR as often as they stand there.
A request that a spider marks so itself is always fetched.

Whatever is not part of Scrapy's documented interface is in live/scrapy_adapter.py.

Cost: O(log pages) a request. Memory: some 200 bytes a page that waits, none for pages fetched beyond SQLite's cache of
64 MiB.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.job import job_dir
from twisted.internet.defer import Deferred

from seedbed.crawling.orders import DEFAULT_ORDER, ORDERS, find_order
from seedbed.errors import OptionError, SeedbedError
from seedbed.integrations.live import scrapy_adapter
from seedbed.integrations.live.contributions import Contributions, PageRankContributions
from seedbed.integrations.live.in_flight import NO_CONTRIBUTION, Contribution, Fetch, InFlight, Link
from seedbed.integrations.live.job_store import LinkLog, open_job
from seedbed.integrations.live.link_middleware import LinkMiddleware, watch_links
from seedbed.integrations.live.live_frontier import Frontier, Page, bounded
from seedbed.integrations.live.live_orders import LivePageRankOrder, live_order, order_with_site, site_kind
from seedbed.integrations.live.live_queue import LiveQueue, why_next
from seedbed.integrations.live.replayed_scores import LivePageRank
from seedbed.integrations.live.request_store import RequestStore
from seedbed.integrations.live.scrapy_adapter import LINK, PAGE, BaseScheduler, Engine, duplicate_filter
from seedbed.integrations.live.stored_requests import serializers
from seedbed.last_crawl import LastCrawl, open_last, repeated
from seedbed.urls.sites import registered_domain

__all__ = ["ImportanceScheduler", "LinkMiddleware"]

LINKS = "links.jsonl"
SEEDS_A_COMMIT = 10_000
PATIENCE_ALONE = 1.0
"""A callback is waited for so many seconds after its last link, if one page is fetched at a time."""
_PORTS = {"http": 80, "https": 443}
_ADVICE = "Does the project change parts of Scrapy, or is Scrapy newer than this version of seedbed?"
logger = logging.getLogger(__name__)


class ImportanceScheduler(BaseScheduler):
    """Fetches the page with the highest score first. For the settings see the top of this file, or docs/scrapy.md."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler, self.stats = crawler, crawler.stats
        self.order_name: str = settings.get("SEEDBED_ORDER", DEFAULT_ORDER).strip()
        self.ends = ""
        """The reason with which the crawl closes, if it cannot go on."""
        self.folder = None if job_dir(settings) is None else Path(settings["JOBDIR"])
        self.engine = Engine(crawler)
        self.filter, self.own_filter = duplicate_filter(crawler, kept=self.folder is not None)
        self.frontier = Frontier()
        self.store: Any = None
        self.link_log: LinkLog | None = None
        self._pending_seeds = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ImportanceScheduler:
        """As Scrapy makes it."""
        return cls(crawler)

    def __len__(self) -> int:
        return len(self.frontier)

    def has_pending_requests(self) -> bool:
        """Whether a page waits."""
        return len(self) > 0

    # ── the beginning and the end ──

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Begin, or go on where the job stands; where that cannot be, the log says why and the crawl closes."""
        try:
            return self.begin(spider)
        except CloseSpider:
            raise
        except Exception as error:  # noqa: BLE001
            expected = isinstance(error, SeedbedError | sqlite3.Error | OSError | ValueError)
            if expected:
                self._end("seedbed_refused", str(error))
            else:
                self._end("seedbed_refused", f"the crawl cannot begin ({error!r}). {_ADVICE}", error)
            if self.store is not None:
                self.store.abandon()
            return None

    def begin(self, spider: Spider) -> Deferred[None] | None:
        """The same with errors."""
        self.spider = spider
        settings = self.crawler.settings
        self.order = live_order(self.order_name, settings.getint("SEEDBED_SEED", 1))
        self.last = open_last_crawl(self.order_name, settings.get("SEEDBED_LAST"))
        self.site = site_kind(self.order, self.order_name, settings.get("SEEDBED_SITE", "host"))
        if settings.getint("CONCURRENT_REQUESTS_PER_IP"):
            raise OptionError("CONCURRENT_REQUESTS_PER_IP is set; seedbed's scheduler queues by host. Leave it out.")
        scrapy_adapter.check_scrapy(self.crawler)
        self._plain_start = not _has_own_start(type(spider))
        watch_links(self.crawler, self._learn)
        self.store = open_job(self.folder, order_with_site(self.order_name, self.site), remembers=self.last is not None)
        self.job = self.store.job
        self.in_flight = InFlight(self.store)
        self.requests = RequestStore(self.store, spider, self.stats, self._fingerprint, serializers(settings))
        self._begin_order()
        log = settings.get("SEEDBED_LINK_LOG") or (self.folder and self.folder / LINKS)
        self.link_log = LinkLog(Path(log)) if log else None
        self.requests.begin()
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        if self.frontier:
            logger.info("Resuming crawl (%d requests scheduled)", len(self), extra={"spider": spider})
        return self.filter.open()

    def _begin_order(self) -> None:
        """The queue, and what computes scores; for live-pagerank from all that the job has learnt."""
        given = (self.order, self.frontier, self.in_flight, self.store)
        rises = not self.order.settled
        if not isinstance(self.order, LivePageRankOrder):
            self.queue = LiveQueue(self.store, self.requests, self.frontier, rises=rises)
            self.contributions = Contributions(*given, self.queue, self.stats)
            return
        lookup = None if self.last is None else self.last.lookup()
        if self.last is not None and lookup is not None and lookup.twice:
            logger.warning("SEEDBED_LAST: %s", repeated(self.last.source, lookup.twice))
        old = None if lookup is None else lookup.scores
        self.ranks = LivePageRank(self.order.weight, old, kept=self.folder is not None)
        self.ranks.replay(self.store.events(), self.store.path)
        self.frontier.slot_of = array("i")
        self.queue = LiveQueue(self.store, self.requests, self.frontier, rises=rises, score_of=self.ranks.score_of)
        self.contributions = PageRankContributions(self.ranks, *given, self.queue, self.stats)

    def close(self, reason: str) -> Deferred[None] | None:
        """Write down what is not yet."""
        self.engine.stop_calling()
        if not self.ends:
            try:
                self._finish()
                self._commit()
                self.stats.set_value("seedbed/queued", len(self))
                self._say_what_was_remembered()
                self.requests.close()
                self.store.close()
            except Exception as error:  # noqa: BLE001
                self._fail(error)
        if self.link_log is not None:
            self.link_log.close()
        return None if self.ends == "seedbed_refused" else self.filter.close(reason)

    def _end(self, reason: str, why: str, fault: Exception | None = None) -> None:
        self.ends = reason
        logger.error("%s", why, exc_info=fault, extra={"spider": self.spider})

    def _say_what_was_remembered(self) -> None:
        if self.last is None:
            return
        known = self.ranks.remembered
        self.stats.set_value("seedbed/last/known", known)
        if not known and self.job.known:
            logger.warning(
                "SEEDBED_LAST, %s, shares no URL with the %d page%s of this crawl and was of no use",
                *(self.last.source, self.job.known, "s" * (self.job.known != 1)),
                extra={"spider": self.spider},
            )

    def _idle(self) -> None:
        """Nothing is left to fetch; that is not the end of the job where requests were lost or left out."""
        if not self.ends and (self.store.lost or self.requests.unreadable):
            raise CloseSpider("seedbed_incomplete")

    def _fail(self, error: Exception) -> None:
        """The job cannot be written, or there is a fault here: it is left as last committed, and the crawl ends."""
        self.store.abandon()
        where = self.folder or "the temporary database"
        if isinstance(error, sqlite3.Error | OSError):
            self._end("seedbed_failed", f"{where}: the job cannot be written ({error}). What was committed is safe.")
        else:
            why = f"{where}: the scheduler cannot go on ({error!r}). What was committed is safe. {_ADVICE}"
            self._end("seedbed_failed", why, error)

    def _commit(self) -> None:
        if self.link_log is not None:
            self.link_log.flush()
        self.in_flight.save()
        self.contributions.save()
        self.store.commit()
        self._pending_seeds = 0

    # ── in ──

    def _learn(self, response: Response, requests: list[Request], more: bool) -> None:
        """The links of a page. If they cannot be learnt, the page is not done, and the next run fetches it again."""
        if self.ends:
            return
        try:
            self._mark(response, requests, more)
        except Exception as error:  # noqa: BLE001
            self._fail(error)

    def _mark(self, response: Response, requests: list[Request], more: bool) -> None:
        """Mark the requests of a response with what they contribute; with `more` its callback has not ended.

        What comes after the callback counts as ended contributes nothing.
        """
        fetch = None if response.request is None else self.in_flight.pages.get(response.request.meta.get(PAGE, -1))
        if fetch is None or fetch.complete:
            for request in requests:
                request.meta.pop(PAGE, None)
                request.meta[LINK] = NO_CONTRIBUTION
            return
        host = self._host(response)
        found: dict[bytes, Link] = {}
        targets: list[tuple[Request, bytes | None]] = []
        for request in dict.fromkeys(requests):
            fingerprint = None
            # What the project's fingerprinter raises, it raises again when that one request is queued.
            with suppress(Exception):
                fingerprint = self._fingerprint(request)
            if fingerprint == fetch.fingerprint:
                request.meta[PAGE] = fetch.page.number
                request.meta.pop(LINK, None)
                continue
            request.meta.pop(PAGE, None)
            targets.append((request, fingerprint))
            if fingerprint is not None and fingerprint not in fetch.released:
                found.setdefault(fingerprint, self._link(request, host))
        if more:
            contributions = self.contributions.release(fetch, found, scrapy_adapter.clock())
        else:
            links = fetch.released | found
            contributions = self.contributions.share(fetch, found, links)
            if self.link_log is not None:
                self.link_log.write(response.url, (link.url for link in links.values()), response.status)
        # The first request to a target brings its contribution, others nothing.
        for request, fingerprint in targets:
            request.meta[LINK] = contributions.pop(fingerprint or b"", NO_CONTRIBUTION)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request; False if it is a duplicate."""
        if self.ends:
            return False
        contribution: Contribution | None = request.meta.pop(LINK, None)
        fetch = self.in_flight.pages.get(request.meta.pop(PAGE, -1))
        # What the project's own fingerprinter and filter raise concerns this request alone, as in Scrapy.
        fingerprint = self._fingerprint(request)
        seen = not self.own_filter and not request.dont_filter and self.filter.request_seen(request)
        try:
            return self._enqueue(request, fingerprint, contribution, fetch, seen=seen)
        except Exception as error:  # noqa: BLE001
            self._fail(error)
            return False

    def _enqueue(
        self, request: Request, fingerprint: bytes, brought: Contribution | None, fetch: Fetch | None, *, seen: bool
    ) -> bool:
        is_start = brought is None and fetch is None and self._plain_start
        is_start_url = is_start and bool(request.meta.get("is_start_request"))
        if brought is None and fetch is not None:
            if request.dont_filter and fingerprint == fetch.fingerprint:
                # The page is to be fetched once more: it waits as before, and passes nothing on twice.
                self.in_flight.again(fetch)
                score = self.contributions.score_of(fetch.page)
                page = fetch.page._replace(priority=bounded(request.priority), score=score)
                self.queue.put_again(page, request, fingerprint)
                return True
            brought = self._instead(request, fingerprint, fetch)
        # Without a job nothing of start_urls comes again but what stands there twice.
        is_twice = is_start_url and self.folder is None and request.dont_filter and self.queue.knows(fingerprint)
        filtered = not request.dont_filter or (self.own_filter and is_start_url and not is_twice)
        if seen or (filtered and self.own_filter and self.queue.knows(fingerprint)):
            if brought is not None and brought.provisional:
                self.in_flight.deliver(brought, fingerprint)
            elif brought is not None and brought != NO_CONTRIBUTION and self.queue.add(fingerprint, brought):
                self.in_flight.deliver(brought, fingerprint)
                self.stats.inc_value("seedbed/linked_again")
            self.filter.log(request, self.spider)
            return False
        self._put(request, fingerprint, brought, filtered=filtered)
        return True

    def _instead(self, request: Request, fingerprint: bytes, fetch: Fetch) -> Contribution | None:
        """What a request brings that has the number of a page in flight; None if it is a seed.

        A redirect comes before the response. Afterwards it is a link of the page to itself, or one that somebody made
        with a copy of the page's meta.
        """
        if fingerprint == fetch.fingerprint:
            return NO_CONTRIBUTION
        if fetch.complete or self.engine.is_scraped(fetch.request):
            return None
        if self.link_log is not None:
            reason = (request.meta.get("redirect_reasons") or [None])[-1]
            self.link_log.write(fetch.request.url, [request.url], reason if isinstance(reason, int) else None)
        return self.contributions.redirect(fetch, fingerprint, self._link(request, self._host(fetch.request)))

    def _link(self, request: Request, source: str = "") -> Link:
        """A link on a page of the host `source`."""
        host = self._host(request)
        return Link(request.url, host, host != source)

    def _host(self, one: Request | Response) -> str:
        """The host as seedbed's webs have it, with a port that is not the scheme's own, or its domain. Empty for orders
        that treat links to all hosts alike: a URL takes as long to parse as a link to be learnt.
        """
        if not self.order.needs_hosts:
            return ""
        parts = urlparse_cached(one)
        port = parts.port
        name = parts.hostname or ""
        host = name if port is None or port == _PORTS.get(parts.scheme) else f"{name}:{port}"
        return host if self.site == "host" else registered_domain(host)

    def _fingerprint(self, request: Request) -> bytes:
        assert self.crawler.request_fingerprinter is not None  # noqa: S101
        return self.crawler.request_fingerprinter.fingerprint(request)

    def _put(self, request: Request, fingerprint: bytes, brought: Contribution | None, *, filtered: bool) -> None:
        new = self.contributions.new_page(brought, fingerprint, self._link(request), once=filtered)
        host = self.engine.host(request)
        page = Page(new.number, host, bounded(request.priority), new.score, new.mass, new.links)
        self.queue.put(page, request, fingerprint if filtered else None, new.estimate)
        self.store.came_again(fingerprint)
        if brought is not None:
            self.in_flight.deliver(brought, fingerprint)
            return
        self._pending_seeds += 1
        # URLs of start_urls come again after a crash; nobody repeats a request from elsewhere.
        comes_again = self._plain_start and request.meta.get("is_start_request")
        if not comes_again or self._pending_seeds >= SEEDS_A_COMMIT:
            self._commit()

    # ── out ──

    def next_request(self) -> Request | None:
        """The request to send next; None where none may go now."""
        try:
            if not self.ends:
                return self._next()
        except Exception as error:  # noqa: BLE001
            self._fail(error)
        self.engine.close(self.ends)
        return None

    def _next(self) -> Request | None:
        self._finish()
        self.stats.set_value("seedbed/queued", len(self))
        if self.engine.one_at_a_time and not self._all_at_once() and self._more_is_coming():
            return None
        busy = len(self.in_flight.busy)
        self.contributions.choose()
        taken = self.queue.take(self._choose)
        if taken is None:
            return None
        fetch, estimate = taken
        request: Request = fetch.request
        request.meta[PAGE] = fetch.page.number
        self.in_flight.add(fetch)
        if estimate is not None:
            self.in_flight.deliver(estimate._replace(provisional=False), fetch.fingerprint)
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug(
                "Next %s: %s %s; %d wait, hosts busy: %d",
                request,
                self.order_name,
                why_next(fetch.page._replace(links=self.contributions.links_to(fetch.page))),
                len(self),
                busy,
                extra={"spider": self.spider},
            )
        return request

    def _choose(self) -> tuple[int, Page] | None:
        """The page to fetch next. What could only wait for its host in the downloader stays here, where it can rise."""
        busy = self.in_flight.busy
        hosts = (
            busy,
            lambda host: self.engine.room(host, busy[host]),
            lambda host: self.engine.wait(host, busy[host]),
        )
        found = self.frontier.take(*hosts, scrapy_adapter.clock(), anyhow=self._all_at_once())
        if found is None and (pause := self.frontier.pause(*hosts)) < math.inf:
            self.engine.call_again(pause)
        return found

    def _all_at_once(self) -> bool:
        """Whether somebody relies on Scrapy's way, that no request stays here while the downloader has a place.

        That is so while a start() of the spider's own goes on, which may give requests as `engine.needs_backout()` asks
        for them, and if anyone listens to the signal `scheduler_empty`.
        """
        return (self.engine.starting and not self._plain_start) or self.engine.empty_is_heard

    def _more_is_coming(self) -> bool:
        """Whether links of a page in flight are expected, or seeds before the first page, which share its value.

        A callback that has released links and yields no more for a while may wait for one of them to be fetched.
        """
        for fetch in self.in_flight.pages.values():
            at = fetch.released_at
            left = math.inf if at is None else at + PATIENCE_ALONE - scrapy_adapter.clock()
            if 0 < left < math.inf:
                self.engine.call_again(left)
            if left > 0:
                return True
        return not self.job.share and self.engine.seeds_are_coming(self.job.seeds)

    def _finish(self) -> None:
        """Note the pages that are done; all of that is committed before more is handed out."""
        if not self.in_flight.pages:
            return
        done = self.in_flight.finished(self.engine.in_progress, self.engine.downloads)
        for fetch in done:
            self.queue.done(fetch.page.number, fetch.fingerprint, stored=fetch.written)
        if done:
            self._commit()


def _has_own_start(kind: type[Spider]) -> bool:
    """Whether a spider's first requests are of its own making; older versions of Scrapy call start_requests()."""
    names = [name for name in ("start", "start_requests") if hasattr(Spider, name)]
    return any(getattr(kind, name) is not getattr(Spider, name) for name in names)


def open_last_crawl(order: str, path: str | None) -> LastCrawl | None:
    """What SEEDBED_LAST names; None where it is not set."""
    if not path:
        return None
    if not find_order(order).remembers:
        can = ", ".join(name for name in ORDERS if ORDERS[name].live and ORDERS[name].remembers)
        raise OptionError(f"SEEDBED_LAST is set, and the order '{order}' has no use for it. Orders that have: {can}.")
    try:
        return open_last(path)
    except SeedbedError as error:
        raise OptionError(f"SEEDBED_LAST: {error}") from error
