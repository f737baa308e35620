"""What a scheduler asks of the running crawl: what is under way and how much may be, its duplicate filter, an end."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Set
from typing import Any

from pydispatch.dispatcher import getReceivers, liveReceivers
from scrapy import Request, signals
from scrapy.core import downloader as downloading
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object

from seedbed.integrations.live.in_flight import PAGE
from seedbed.integrations.live.live_frontier import NO_WAIT, Wait

PATIENCE = 0.1
"""For so many seconds after a seed the next one of start() is waited for, where one page is fetched at a time."""

clock = time.monotonic
seen_clock: Callable[[], float] = getattr(downloading, "monotonic", time.time)
"""The clock of a downloader slot's `lastseen`; Scrapy 2.14 and 2.15 take the time of day."""

logger = logging.getLogger(__name__)


class Engine:
    """The parts of Scrapy's engine that a scheduler has to do with."""

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
        found: Set[Request] = self._engine._slot.inprogress
        return found

    @property
    def downloads(self) -> Set[Request]:
        """The requests that the downloader has, of the scheduler or others."""
        found: Set[Request] = self._engine.downloader.active
        return found

    def is_scraped(self, request: Request) -> bool:
        """Whether the response to a request has come to the spider, whose callback has not ended."""
        slot = self._engine.scraper.slot
        return request in slot.active or any(request is one for _, one, _ in slot.queue)

    def host(self, request: Request) -> str:
        """The downloader's slot of a request: its host, unless meta says otherwise."""
        key: str = self._engine.downloader.get_slot_key(request)
        return key

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
        """Whether somebody waits for the signal `scheduler_empty`, which the engine sends when it is handed none."""
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
        """Whether start() goes on and gave a seed a moment ago; then the engine is asked to call again soon."""
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
        """Forget what `call_again` was told."""
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
    """By what part a delay may be longer or shorter by chance; before Scrapy 2.19 a half or nothing."""
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
