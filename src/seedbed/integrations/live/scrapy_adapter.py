"""Everything of Scrapy that is not its documented interface: whatever changes there is mended here, and here alone.

The scheduler needs to know which requests are in progress, what each host's download slot is doing, whether start()
goes on, and which spider middleware is the nearest to the spider. Scrapy documents none of that, so these names may
change with any version. Written for Scrapy 2.14 and later, tried with 2.16, 2.17 and 2.19. A name that is missing is
reported in one line before the crawl begins; a later version of Scrapy is tried, with a warning.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Set
from typing import Any, TypeVar

import scrapy
from pydispatch.dispatcher import getReceivers, liveReceivers
from scrapy import Request, signals
from scrapy.core import downloader as downloading
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object

from seedbed.errors import OptionError
from seedbed.integrations.live.live_frontier import NO_WAIT, Wait

__all__ = ["BaseScheduler", "Engine", "add_spider_middleware", "check_scrapy", "duplicate_filter"]

TRIED = "2.16, 2.17 and 2.19"
NEWEST = (2, 19)
PRIVATE = (
    *("_slot", "_start", "downloader.active", "downloader.slots", "downloader.get_slot_key"),
    *("scraper.slot", "scraper.spidermw"),
)
"""What the engine must have, beside what is looked up with a default."""

PAGE, LINK = "seedbed_page", "seedbed_link"
"""In a request's meta: the number of the page in flight that it stands for; what the link contributes to its target."""

PATIENCE = 0.1
"""The next seed of start() is waited for so many seconds, if one page is fetched at a time."""

clock = time.monotonic
seen_clock: Callable[[], float] = getattr(downloading, "monotonic", time.time)
"""The clock of a downloader slot's `lastseen`; Scrapy 2.14 and 2.15 take the time of day."""

M = TypeVar("M")
logger = logging.getLogger(__name__)


def check_scrapy(crawler: Crawler) -> None:
    """Refuse an engine that lacks a name that is needed here; warn once of a version that was not tried."""
    for path in PRIVATE:
        found: Any = crawler.engine
        for name in path.split("."):
            if not hasattr(found, name):
                raise OptionError(
                    f"the engine of Scrapy {scrapy.__version__} has no '{path}', which seedbed's scheduler needs. It "
                    f"was tried with Scrapy {TRIED}; install one of these, or take a newer seedbed."
                )
            found = getattr(found, name)
    if scrapy.version_info[:2] > NEWEST and not _WARNED:
        _WARNED.append(scrapy.__version__)
        logger.warning("seedbed's scheduler was tried with Scrapy %s; this is %s", TRIED, scrapy.__version__)


_WARNED: list[str] = []


def add_spider_middleware(crawler: Crawler, middleware: M) -> M:
    """Put a spider middleware nearest to the spider of a running crawl; the one that is there, if there is one."""
    manager: Any = getattr(getattr(crawler.engine, "scraper", None), "spidermw", None)
    for one in getattr(manager, "middlewares", ()):
        if isinstance(one, type(middleware)):
            return one
    try:
        manager._add_middleware(middleware)
        nearest = manager.methods["process_spider_output"][0]
        added = any(
            getattr(one, "__self__", None) is middleware
            for one in (nearest if isinstance(nearest, tuple) else (nearest,))
        )
    except (AttributeError, LookupError, TypeError):
        added = False
    if not added:
        raise OptionError(
            "the scheduler cannot add its spider middleware in this version of Scrapy. Add it yourself: "
            f'SPIDER_MIDDLEWARES = {{"seedbed.integrations.scrapy.{type(middleware).__name__}": 10000}}.'
        )
    return middleware


class Engine:
    """What the scheduler asks of Scrapy's engine, downloader and scraper."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seeds, self._since = 0, 0.0
        self._timer: Any = None
        self._timer_at = math.inf

    @property
    def _engine(self) -> Any:
        return self._crawler.engine

    @property
    def in_progress(self) -> Set[Request]:
        """The requests handed out, from then until their callback has ended."""
        return self._engine._slot.inprogress

    @property
    def downloads(self) -> Set[Request]:
        """The requests that the downloader has, of the scheduler or others."""
        return self._engine.downloader.active

    def is_scraped(self, request: Request) -> bool:
        """Whether the response to a request has come to the spider, whose callback has not ended."""
        slot = self._engine.scraper.slot
        return request in slot.active or any(request is one for _, one, _ in slot.queue)

    def host(self, request: Request) -> str:
        """The downloader's slot of a request: its host, unless meta says otherwise."""
        return self._engine.downloader.get_slot_key(request)

    def room(self, host: str, ours: int) -> int:
        """How many downloads of the scheduler's a host may have, where it has `ours` now."""
        downloader = self._engine.downloader
        slot = downloader.slots.get(host)
        if slot is not None and hasattr(slot, "concurrency"):
            return int(slot.concurrency) - max(0, len(slot.active) - ours)
        settings = getattr(downloader, "per_slot_settings", {}).get(host, {})
        return int(settings.get("concurrency", getattr(downloader, "domain_concurrency", 8)))

    def wait(self, host: str, ours: int) -> Wait:
        """How long a host's delay goes on, where the scheduler has `ours` downloads there now.

        What was handed out and is not being transferred comes before the next.
        """
        slot = self._engine.downloader.slots.get(host)
        if slot is None:
            delay = self._delay_of_new(host) if ours else 0.0
            return Wait(delay, delay)
        delay = getattr(slot, "delay", 0.0)
        if not delay:
            return NO_WAIT
        if len(slot.queue) or ours > sum(PAGE in request.meta for request in slot.transferring):
            return Wait(delay, delay)
        passed, jitter = seen_clock() - slot.lastseen, delay * _jitter(slot)
        # AutoThrottle shortens a delay while the downloader goes on to wait for the end of the longer one.
        least = most = _seconds_left(getattr(slot, "latercall", None))
        if most <= delay + jitter - passed:
            least, most = delay - jitter - passed, delay + jitter - passed
        return Wait(least, most)

    def _delay_of_new(self, host: str) -> float:
        """The delay of a slot that the downloader has yet to make."""
        downloader = self._engine.downloader
        default = getattr(downloader, "_delay", None)
        if default is None:
            default = self._crawler.settings.getfloat("DOWNLOAD_DELAY")
            default = getattr(self._crawler.spider, "download_delay", default)
        return float(getattr(downloader, "per_slot_settings", {}).get(host, {}).get("delay", default))

    @property
    def empty_is_heard(self) -> bool:
        """Whether anyone listens to the signal `scheduler_empty`, which the engine sends when it gets no request."""
        receivers = getReceivers(self._crawler.signals.sender, signals.scheduler_empty)
        return next(liveReceivers(receivers), None) is not None

    @property
    def starting(self) -> bool:
        """Whether start() goes on."""
        return self._engine._start is not None

    @property
    def one_at_a_time(self) -> bool:
        """Whether CONCURRENT_REQUESTS is 1: then a page waits until all links of the last one are known."""
        return getattr(self._engine.downloader, "total_concurrency", 0) == 1

    def seeds_are_coming(self, seeds: int) -> bool:
        """Whether start() goes on and gave a seed a moment ago; if so, the engine is asked to call again soon."""
        if not self.starting:
            return False
        now = clock()
        if seeds != self._seeds:
            self._seeds, self._since = seeds, now
        if now - self._since > PATIENCE:
            return False
        self.call_again(PATIENCE)
        return True

    def call_again(self, seconds: float) -> None:
        """Have the engine ask for a request once so much time has passed, or earlier."""
        at = clock() + seconds
        if at < self._timer_at:
            self.stop_calling()
            self._timer, self._timer_at = call_later(seconds, self._call_again), at

    def _call_again(self) -> None:
        self._timer, self._timer_at = None, math.inf
        if self._engine._slot is not None:
            self._engine._slot.nextcall.schedule()

    def stop_calling(self) -> None:
        """Cancel what `call_again` asked for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, math.inf

    def close(self, reason: str) -> None:
        """End the crawl, as Scrapy does by itself when nothing is left."""
        deferred_from_coro(self._engine.close_spider_async(reason=reason))


def _seconds_left(timer: Any) -> float:
    """Until a timer of the downloader's is over; none without one."""
    if (of_asyncio := getattr(timer, "_timer_handle", None)) is not None:
        return float(of_asyncio.when() - asyncio.get_running_loop().time())
    if (of_twisted := getattr(timer, "_delayed_call", None)) is not None:
        return float(of_twisted.getTime() - of_twisted.seconds())
    return -math.inf


def _jitter(slot: Any) -> float:
    """The part by which a delay may be longer or shorter at random; before Scrapy 2.19 a half or nothing."""
    return float(slot.jitter if hasattr(slot, "jitter") else 0.5 * slot.randomize_delay)


def duplicate_filter(crawler: Crawler, *, kept: bool) -> tuple[BaseDupeFilter, bool]:
    """(the filter, whether the scheduler keeps the fingerprints itself). `kept`: the job outlives the process."""
    kind: Any = load_object(crawler.settings["DUPEFILTER_CLASS"])
    if kind is RFPDupeFilter:
        return RFPDupeFilter(None, crawler.settings.getbool("DUPEFILTER_DEBUG")), True
    own = issubclass(kind, RFPDupeFilter) and all(
        getattr(kind, name) is getattr(RFPDupeFilter, name) for name in ("request_seen", "request_fingerprint")
    )
    if kept and not own:
        logger.warning(
            "%s tells duplicates, and not the job: should the process be killed, links that it has seen and the job "
            "has not are lost",
            crawler.settings["DUPEFILTER_CLASS"],
        )
    return build_from_crawler(kind, crawler), own
