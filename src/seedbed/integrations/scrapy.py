"""A Scrapy scheduler that fetches important pages first.

    SCHEDULER = "seedbed.integrations.scrapy.ImportanceScheduler"
    SEEDBED_ORDER = "fpr@100"         the order; bfs, dfs, random, backlink, opic, fpr, fpr@M
    SEEDBED_LINK_LOG = "links.jsonl"  where the links of pages fetched are written; by default JOBDIR/links.jsonl
    SEEDBED_SEED = 1                  what chance depends on in the order `random`
    SEEDBED_SERIALIZERS = {…}         how objects of other classes are stored with a request (live_serializers.py)

Any spider, no other change. How it works:

Links. An order needs all links of a page fetched. A spider middleware (live_links.py), which the scheduler adds to the
running crawl, gathers the requests of each response; `learn` shares the page's score out among them, each target once
and the page itself not, and marks each request with what it brings along. `enqueue_request` takes the mark off: a page
that is new is queued with it, one that waits gets it added (and rises), any other is a duplicate. What has no mark and
stands for no page under way is a seed. Seeds share the initial value; they come one by one, so the share is settled
when the first page passes its score on, and a seed that comes later has as much as the others.

Pages under way (live_under_way.py). A request handed out carries its page's number in meta. A retry comes back with it:
the page waits again as it was. A redirect comes back with another fingerprint, and before any response came to the
spider: it is the only link of the page.

Turns. The best page on a host that is idle and not in its download delay goes first (live_frontier.py); a timer has the
engine ask again when a delay is over. With CONCURRENT_REQUESTS = 1 a page goes out only when all seeds are in and the
callback of the last one has ended, and the crawl has the simulator's order, ties and all.

Jobs. With JOBDIR everything is in JOBDIR/seedbed.db (live_store.py). A page is done when neither the downloader nor
the scraper has its request any more; its links came before that. What is done is committed before the next request is
handed out: whenever the process is killed, the pages fetched again are at most those that were under way, and a target
that had its share of such a page does not get it again. A link that is not committed is on a page that is not done; a
seed comes again from start_urls. Any other request (of a start() of the spider's own, an extension, an errback) is
committed at once. Requests that cannot be stored stay in memory and end with the process (live_shelf.py); the next run
says how many were lost, and closes as `seedbed_incomplete`, not `finished`, unless they came again. Where the job
cannot be written, or the scheduler itself fails, the crawl ends with the reason `seedbed_failed`, and the job stands as
it was last committed. Without JOBDIR requests stay the objects they are, in memory.

Duplicates. For Scrapy's own RFPDupeFilter, whose file lags behind, and classes that tell duplicates as it does, the
scheduler keeps the fingerprints itself, in the same transactions. Any other DUPEFILTER_CLASS is asked. URLs of
start_urls are fetched once in a job, though Scrapy marks them dont_filter; without JOBDIR as often as they stand there.
A request that a spider marks so itself is always fetched.

Cost: O(log pages) a request. Memory: some 200 bytes a page that waits, none for pages fetched beyond SQLite's cache of
64 MiB.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.job import job_dir
from twisted.internet.defer import Deferred

from seedbed.errors import OptionError, SeedbedError
from seedbed.integrations.live import engine as live_engine
from seedbed.integrations.live.contributions import Sharing
from seedbed.integrations.live.engine import Engine, duplicate_filter
from seedbed.integrations.live.in_flight import EMPTY, LINK, PAGE, Gift, Out, UnderWay
from seedbed.integrations.live.job_store import open_job
from seedbed.integrations.live.link_middleware import LinkLog, LinkMiddleware, watch_links
from seedbed.integrations.live.live_frontier import Frontier, Page, Wait, bounded
from seedbed.integrations.live.live_orders import live_order
from seedbed.integrations.live.request_store import Shelf
from seedbed.integrations.live.serializers import serializers
from seedbed.integrations.live.waiting import Waiting, told

__all__ = ["ImportanceScheduler", "LinkMiddleware"]

LINKS = "links.jsonl"
SEEDS_A_COMMIT = 10_000
PATIENCE_ALONE = 1.0
"""For so many seconds after its last link a callback is waited for, where one page is fetched at a time."""
_ADVICE = "Does the project change parts of Scrapy, or is Scrapy newer than this version of seedbed?"
logger = logging.getLogger(__name__)


class ImportanceScheduler(BaseScheduler):
    """Fetches the page with the highest score first. For the settings see the top of this file, or docs/scrapy.md."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler, self.stats = crawler, crawler.stats
        self.order_name: str = settings.get("SEEDBED_ORDER", "fpr@100").strip()
        self.ends = ""
        """The reason with which the crawl is to close, where it cannot go on."""
        self.folder = None if job_dir(settings) is None else Path(settings["JOBDIR"])
        self.engine = Engine(crawler)
        self.filter, self.own_filter = duplicate_filter(crawler, kept=self.folder is not None)
        self.frontier = Frontier()
        self.under_way = UnderWay()
        self.store: Any = None
        self.links: LinkLog | None = None
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
        self.spider = spider
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
        settings = self.crawler.settings
        self.spider = spider
        self.order = live_order(self.order_name, settings.getint("SEEDBED_SEED", 1))
        if settings.getint("CONCURRENT_REQUESTS_PER_IP"):
            raise OptionError("CONCURRENT_REQUESTS_PER_IP is set; seedbed's scheduler queues by host. Leave it out.")
        self.sharing = Sharing(self.order, self.frontier, self.under_way, self._fingerprint, self.stats)
        self._plain_start = not _has_own_start(type(spider))
        watch_links(self.crawler, self._learn)
        self.store = open_job(self.folder, self.order_name)
        self.job = self.store.job
        log = settings.get("SEEDBED_LINK_LOG") or (self.folder and self.folder / LINKS)
        self.links = LinkLog(Path(log)) if log else None
        self.under_way.open(self.store)
        self.shelf = Shelf(self.store, spider, self.stats, self._fingerprint, serializers(settings))
        self.waiting = Waiting(self.store, self.shelf, self.frontier, rises=not self.order.settled)
        self.sharing.open(self.store, self.waiting, self.links)
        self.waiting.load()
        self.shelf.begin()
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        if self.frontier:
            logger.info("Resuming crawl (%d requests scheduled)", len(self), extra={"spider": spider})
        return self.filter.open()

    def close(self, reason: str) -> Deferred[None] | None:
        """Write down what is not yet."""
        self.engine.stop_calling()
        if not self.ends:
            try:
                self._finish()
                self._commit()
                self.stats.set_value("seedbed/queued", len(self))
                self.shelf.close()
                self.store.close()
            except Exception as error:  # noqa: BLE001
                self._fail(error)
        if self.links is not None:
            self.links.close()
        return None if self.ends == "seedbed_refused" else self.filter.close(reason)

    def _end(self, reason: str, why: str, fault: Exception | None = None) -> None:
        self.ends = reason
        logger.error("%s", why, exc_info=fault, extra={"spider": self.spider})

    def _idle(self) -> None:
        """Nothing is left to fetch; that is not the end of the job where requests were lost or left out."""
        if not self.ends and (self.store.lost or self.shelf.unreadable):
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
        if self.links is not None:
            self.links.flush()
        self.under_way.keep()
        self.store.commit()
        self._pending_seeds = 0

    # ── in ──

    def _learn(self, response: Response, requests: list[Request], more: bool) -> None:
        """The links of a page. Where they cannot be told, the page is not done, and the next run fetches it again."""
        if self.ends:
            return
        try:
            self.sharing.learn(response, requests, more)
        except Exception as error:  # noqa: BLE001
            self._fail(error)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request; False where it is a duplicate."""
        if self.ends:
            return False
        gift: Gift | None = request.meta.pop(LINK, None)
        out = self.out.get(request.meta.pop(PAGE, -1))
        # What the project's own fingerprinter and filter raise concerns this request alone, as in Scrapy.
        fingerprint = self._fingerprint(request)
        seen = not self.own_filter and not request.dont_filter and self.filter.request_seen(request)
        try:
            return self._enqueue(request, fingerprint, gift, out, seen=seen)
        except Exception as error:  # noqa: BLE001
            self._fail(error)
            return False

    def _enqueue(self, request: Request, fingerprint: bytes, gift: Gift | None, out: Out | None, *, seen: bool) -> bool:
        is_start_url = gift is None and out is None and self._plain_start and bool(request.meta.get("is_start_request"))
        if gift is None and out is not None:
            if request.dont_filter and fingerprint == out.fingerprint:
                return self._again(request, out)
            gift = self._instead(request, fingerprint, out)
        # Without a job nothing of start_urls comes again but what stands there twice.
        is_twice = is_start_url and self.folder is None and request.dont_filter and self.waiting.knows(fingerprint)
        filtered = not request.dont_filter or (self.own_filter and is_start_url and not is_twice)
        if seen or (filtered and self.own_filter and self.waiting.knows(fingerprint)):
            if gift is not None and gift.early:
                self.under_way.reached(gift, fingerprint)
            elif gift is not None and gift != EMPTY and self.waiting.add(fingerprint, gift):
                self.under_way.gave(gift, fingerprint)
                self.stats.inc_value("seedbed/linked_again")
            self.filter.log(request, self.spider)
            return False
        self._put(request, fingerprint, gift, filtered=filtered)
        return True

    @property
    def out(self) -> dict[int, Out]:
        """The pages under way."""
        return self.under_way.pages

    def _instead(self, request: Request, fingerprint: bytes, out: Out) -> Gift | None:
        """What a request brings along that has the number of a page under way; None where it is a seed.

        A redirect comes before the response. Afterwards it is a link of the page to itself, or one that somebody made
        with a copy of the page's meta.
        """
        if fingerprint == out.fingerprint:
            return EMPTY
        if out.learned or self.engine.is_scraped(out.request):
            return None
        return self.sharing.redirected(request, out)

    def _fingerprint(self, request: Request) -> bytes:
        assert self.crawler.request_fingerprinter is not None  # noqa: S101
        return self.crawler.request_fingerprinter.fingerprint(request)

    def _put(self, request: Request, fingerprint: bytes, gift: Gift | None, *, filtered: bool) -> None:
        self.job.known += 1
        number = self.job.known
        came = self.sharing.seed() if gift is None else gift
        early = came if came.early else None
        if early is not None:
            came = EMPTY
        score = self.order.first(number) if self.order.settled else came.score
        host, links = self.engine.host(request), int(gift is not None and early is None)
        page = Page(number, host, bounded(request.priority), score, came.mass, links)
        self.waiting.put(page, request, fingerprint if filtered else None, early)
        self.store.came_again(fingerprint)
        if gift is None:
            self._keep_seed(request)
        else:
            (self.under_way.gave if early is None else self.under_way.reached)(gift, fingerprint)

    def _keep_seed(self, request: Request) -> None:
        """URLs of start_urls come again after a crash; nobody repeats a request from elsewhere."""
        self._pending_seeds += 1
        comes_again = self._plain_start and request.meta.get("is_start_request")
        if not comes_again or self._pending_seeds >= SEEDS_A_COMMIT:
            self._commit()

    def _again(self, request: Request, out: Out) -> bool:
        """A page is to be fetched once more: it waits as before, and passes nothing on twice."""
        self.under_way.again(out)
        page = out.page._replace(priority=bounded(request.priority))
        self.waiting.put_again(page, request, out.fingerprint)
        return True

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
        busy = len(self.under_way.busy)
        taken = self.waiting.take(self._choose)
        if taken is None:
            return None
        request = taken.request
        request.meta[PAGE] = taken.page.number
        self.under_way.add(request, taken.fingerprint, taken.page, written=taken.written)
        if taken.early is not None:
            self.under_way.gave(taken.early, taken.fingerprint)
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug(
                "Next %s: %s %s; %d wait, hosts busy: %d",
                request,
                self.order_name,
                told(taken.page),
                len(self),
                busy,
                extra={"spider": self.spider},
            )
        return request

    def _choose(self) -> tuple[int, Page] | None:
        """The page to fetch next. What could only wait for its host in the downloader stays here, where it can rise."""
        hosts = (self.under_way.busy, self._room, self._wait)
        found = self.frontier.take(*hosts, live_engine.clock(), anyhow=self._all_at_once())
        if found is None and (pause := self.frontier.pause(*hosts)) < math.inf:
            self.engine.call_again(pause)
        return found

    def _all_at_once(self) -> bool:
        """Whether somebody relies on it that no request stays here while the downloader has a place, as in Scrapy.

        That is so while a start() of the spider's own goes on, which may give requests as `engine.needs_backout()` asks
        for them, and where somebody listens to the signal `scheduler_empty`.
        """
        return (self.engine.starting and not self._plain_start) or self.engine.empty_is_heard

    def _room(self, host: str) -> int:
        return self.engine.room(host, self.under_way.busy[host])

    def _wait(self, host: str) -> Wait:
        return self.engine.wait(host, self.under_way.busy[host])

    def _more_is_coming(self) -> bool:
        """Whether links of a page under way are expected, or seeds ahead of the first page, which share its value.

        A callback that has let links go and yields no more for a while may wait for one of them to be fetched.
        """
        for out in self.out.values():
            left = math.inf if out.let_go is None else out.let_go + PATIENCE_ALONE - live_engine.clock()
            if 0 < left < math.inf:
                self.engine.call_again(left)
            if left > 0:
                return True
        return not self.job.share and self.engine.seeds_are_coming(self.job.seeds)

    def _finish(self) -> None:
        """Note the pages that are done; all of that is committed before more is handed out."""
        if not self.out:
            return
        done = self.under_way.ended(self.engine.in_progress, self.engine.downloads)
        for out in done:
            self.waiting.done(out.page.number, out.fingerprint, stored=out.written)
        if done:
            self._commit()


def _has_own_start(kind: type[Spider]) -> bool:
    """Whether a spider's first requests are of its own making; older versions of Scrapy call start_requests()."""
    names = [name for name in ("start", "start_requests") if hasattr(Spider, name)]
    return any(getattr(kind, name) is not getattr(Spider, name) for name in names)
