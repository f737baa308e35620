"""A Scrapy scheduler that fetches important pages first.

    SCHEDULER = "seedbed.integrations.scrapy.ImportanceScheduler"
    SEEDBED_ORDER = "fpr@100"         the order; bfs, dfs, random, backlink, opic, fpr, fpr@M
    SEEDBED_LINK_LOG = "links.jsonl"  where the links of pages fetched are written; by default JOBDIR/links.jsonl
    SEEDBED_SEED = 1                  what chance depends on in the order `random`

Any spider, no other change. How it works:

Links. An order needs all links of a page fetched. A spider middleware (live_links.py), which the scheduler adds to the
running crawl, gathers the requests of each response; `learn` shares the page's score out among them, each target once
and the page itself not, and marks each request with what it brings along. `enqueue_request` takes the mark off: a page
that is new is queued with it, one that waits gets it added (and rises), any other is a duplicate. What has no mark and
stands for no page under way is a seed. Seeds share the initial value; they come one by one, so the share is settled
when the first page passes its score on, and a seed that comes later has as much as the others.

Pages under way. A request handed out carries its page's number in meta. A retry comes back with it: the page waits
again as it was. A redirect comes back with another fingerprint: it is the only link of the page.

Turns. The best page on an idle host goes first (live_frontier.py). With CONCURRENT_REQUESTS = 1 a page goes out only
when all seeds are in and the callback of the last one has ended, and the crawl has the simulator's order, ties and
all.

Jobs. With JOBDIR everything is in JOBDIR/seedbed.db (live_store.py). A page is done when neither the downloader nor
the scraper has its request any more; its links came before that. What is done is committed before the next request is
handed out: whenever the process is killed, the pages fetched again are at most those that were under way, and a target
that had its share of such a page does not get it again. A link that is not committed is on a page that is not done; a
seed comes again from the spider's start(). A request from elsewhere (an extension, an errback) is committed at once.
Requests that JSON cannot hold stay in memory, as in Scrapy's own scheduler.

Duplicates. For Scrapy's own RFPDupeFilter, whose file lags behind, the scheduler keeps the fingerprints itself, in the
same transactions. Any other DUPEFILTER_CLASS is asked. URLs of start_urls are fetched once in a job, though Scrapy
marks them dont_filter; a request that a spider marks so itself is always fetched.

Mass. `seedbed/guaranteed_mass` is a lower bound of the PageRank mass fetched, with the seeds as preference, on the web
as the spider sees it: beside its score each page carries the probability that a surfer from the seeds comes to it on
the links fetched so far, d / links a step. Every walk over fetched pages counts at most once, so the sum cannot exceed
the PageRank of the pages fetched. It holds in every order; in `fpr` it is the sum of the scores,
`seedbed/mass_fetched`.

Cost: O(log pages) a request. Memory: some 200 bytes a page that waits, 100 a page fetched.
"""

from __future__ import annotations

import logging
from pathlib import Path

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.job import job_dir
from twisted.internet.defer import Deferred

from seedbed.errors import OptionError, SeedbedError
from seedbed.integrations.live_engine import Downloads, close_crawl, duplicate_filter
from seedbed.integrations.live_frontier import Frontier, Page, bounded
from seedbed.integrations.live_links import LinkLog, LinkMiddleware, watch_links
from seedbed.integrations.live_orders import live_order
from seedbed.integrations.live_sharing import EMPTY, LINK, PAGE, Gift, Out, Sharing
from seedbed.integrations.live_shelf import Shelf
from seedbed.integrations.live_store import open_job

__all__ = ["ImportanceScheduler", "LinkMiddleware"]

LINKS = "links.jsonl"
SEEDS_A_COMMIT = 10_000
logger = logging.getLogger(__name__)


class ImportanceScheduler(BaseScheduler):
    """Fetches the page with the highest score first. For the settings see the top of this file, or docs/scrapy.md."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler, self.stats = crawler, crawler.stats
        self.order_name: str = settings.get("SEEDBED_ORDER", "fpr@100")
        self.refused = ""
        self.folder = None if job_dir(settings) is None else Path(settings["JOBDIR"])
        self.downloads = Downloads(crawler)
        self.filter, self.own_filter = duplicate_filter(crawler)
        self.frontier = Frontier()
        self.seen: dict[bytes, int] = {}
        """0 for a page that is known, its slot + 1 while it waits."""
        self.out: dict[int, Out] = {}
        self._pending_seeds = self._seeds_seen = 0

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
        except SeedbedError as error:
            self.refused = str(error)
            logger.error("%s", error, extra={"spider": spider})
            return None

    def begin(self, spider: Spider) -> Deferred[None] | None:
        """The same with errors."""
        settings = self.crawler.settings
        self.spider = spider
        self.order = live_order(self.order_name, settings.getint("SEEDBED_SEED", 1))
        if settings.getint("CONCURRENT_REQUESTS_PER_IP"):
            raise OptionError("CONCURRENT_REQUESTS_PER_IP is set; seedbed's scheduler queues by host. Leave it out.")
        self.sharing = Sharing(self.order, self.frontier, self.out, self._fingerprint, self.stats)
        self._plain_start = type(spider).start is Spider.start
        watch_links(self.crawler, self.sharing.learn)
        self.store = open_job(self.folder, self.order_name)
        self.job = self.store.job
        log = settings.get("SEEDBED_LINK_LOG") or (self.folder and self.folder / LINKS)
        self.links = LinkLog(Path(log)) if log else None
        self.sharing.open(self.store, self.links)
        self.shelf = Shelf(self.store, spider, self.stats, warns=settings.getbool("SCHEDULER_DEBUG"))
        self._load()
        return self.filter.open()

    def _load(self) -> None:
        for page, fingerprint in self.store.waiting():
            slot = self.frontier.put(page)
            if fingerprint is not None:
                self.seen[fingerprint] = slot + 1
        for known in self.store.fingerprints():
            self.seen.setdefault(known, 0)
        if self.frontier:
            logger.info("Resuming crawl (%d requests scheduled)", len(self), extra={"spider": self.spider})

    def close(self, reason: str) -> Deferred[None] | None:
        """Write down what is not yet."""
        if self.refused:
            return None
        self._finish()
        self._commit()
        self.store.close()
        if self.links is not None:
            self.links.close()
        return self.filter.close(reason)

    def _commit(self) -> None:
        if self.links is not None:
            self.links.flush()
        self.sharing.keep()
        self.store.commit()
        self._pending_seeds = 0

    # ── in ──

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request; False where it is a duplicate."""
        if self.refused:
            return False
        gift: Gift | None = request.meta.pop(LINK, None)
        out = self.out.get(request.meta.pop(PAGE, -1))
        fingerprint = self._fingerprint(request)
        if gift is None and out is not None:
            if request.dont_filter and fingerprint == out.fingerprint:
                return self._again(request, out)
            gift = self.sharing.redirected(request, out)
        filtered = not request.dont_filter or (self.own_filter and self._is_start_url(request))
        if filtered and (fingerprint in self.seen if self.own_filter else self.filter.request_seen(request)):
            self._link_again(fingerprint, gift)
            self.filter.log(request, self.spider)
            return False
        self._put(request, fingerprint, gift, filtered=filtered)
        return True

    def _fingerprint(self, request: Request) -> bytes:
        assert self.crawler.request_fingerprinter is not None  # noqa: S101
        return self.crawler.request_fingerprinter.fingerprint(request)

    def _is_start_url(self, request: Request) -> bool:
        return self._plain_start and bool(request.meta.get("is_start_request"))

    def _put(self, request: Request, fingerprint: bytes, gift: Gift | None, *, filtered: bool) -> None:
        self.job.known += 1
        number = self.job.known
        links = 0 if gift is None else 1
        came = self.sharing.seed() if gift is None else gift
        score = self.order.first(number) if self.order.settled else came.score
        page = Page(number, self.downloads.host(request), bounded(request.priority), score, came.mass, links)
        self.shelf.put(page, request, fingerprint if filtered else None)
        slot = self.frontier.put(page)
        if filtered:
            self.seen[fingerprint] = slot + 1
        if gift is None:
            self._keep_seed(request)
        else:
            self.sharing.gave(gift, fingerprint)

    def _keep_seed(self, request: Request) -> None:
        """Start requests come again after a crash; nobody repeats a request from elsewhere."""
        self._pending_seeds += 1
        if not request.meta.get("is_start_request") or self._pending_seeds >= SEEDS_A_COMMIT:
            self._commit()

    def _link_again(self, fingerprint: bytes, gift: Gift | None) -> None:
        """A page that waits was linked again: it rises."""
        slot = self.seen.get(fingerprint, 0) - 1
        if slot < 0 or gift is None or gift == EMPTY:
            return
        frontier, number = self.frontier, self.frontier.number[slot]
        frontier.add(slot, None if self.order.settled else gift.score, gift.mass)
        self.sharing.gave(gift, fingerprint)
        self.stats.inc_value("seedbed/linked_again")
        if self.shelf.is_written(number):
            self.store.score(number, frontier.score(slot), frontier.mass[slot], frontier.links[slot])

    def _again(self, request: Request, out: Out) -> bool:
        """A page is to be fetched once more: it waits as before, and passes nothing on twice."""
        page = out.page._replace(priority=bounded(request.priority), mass=0.0 if out.learned else out.page.mass)
        self.sharing.waits_again(self.out.pop(page.number))
        self.shelf.put(page, request, None, again=True)
        slot = self.frontier.put(page)
        if self.seen.get(out.fingerprint) == 0:
            self.seen[out.fingerprint] = slot + 1
        return True

    # ── out ──

    def next_request(self) -> Request | None:
        """The request to send next; None where none may go now."""
        if self.refused:
            close_crawl(self.crawler, "seedbed_refused")
            return None
        self._finish()
        self.stats.set_value("seedbed/queued", len(self))
        if self.downloads.one_at_a_time and (self.out or self._seeds_are_coming()):
            return None
        while self.frontier:
            busy = self.downloads.busy()
            taken = self.frontier.take(busy, self.downloads.room)
            if taken is None:
                return None
            slot, page = taken
            request = self._request(slot, page)
            if request is not None:
                self._explain(request, page, len(busy))
                return request
        return None

    def _seeds_are_coming(self) -> bool:
        """Whether one came since the last call, ahead of the first page: Scrapy calls after each."""
        coming = not self.job.share and self.job.seeds != self._seeds_seen
        self._seeds_seen = self.job.seeds
        return coming

    def _finish(self) -> None:
        """Note the pages that are done; all of that is committed before more is handed out."""
        if not self.out:
            return
        under_way = self.downloads.under_way()
        done = [number for number, out in self.out.items() if out.request not in under_way]
        for number in done:
            out = self.out.pop(number)
            self.store.done(number)
            self.sharing.done(out)
            if not out.written and out.fingerprint in self.seen:
                self.store.know(number, out.fingerprint)
        if done:
            self._commit()

    def _request(self, slot: int, page: Page) -> Request | None:
        written = self.shelf.is_written(page.number)
        request = self.shelf.take(page.number)
        if request is None:
            lost = [known for known, place in self.seen.items() if place == slot + 1]
            self.seen.update(dict.fromkeys(lost, 0))
            return None
        fingerprint = self._fingerprint(request)
        if self.seen.get(fingerprint) == slot + 1:
            self.seen[fingerprint] = 0
        request.meta[PAGE] = page.number
        self.out[page.number] = self.sharing.handed_out(request, fingerprint, page, written=written)
        return request

    def _explain(self, request: Request, page: Page, busy: int) -> None:
        if not logger.isEnabledFor(logging.DEBUG):
            return
        came = f"{page.links} link{'' if page.links == 1 else 's'} seen to it" if page.links else "a seed"
        logger.debug(
            "Next %s: %s %.4g, %s, priority %d, page %d discovered; %d wait, %d hosts are busy",
            request,
            self.order_name,
            page.score.plain(),
            came,
            page.priority,
            page.number,
            len(self),
            busy,
            extra={"spider": self.spider},
        )
