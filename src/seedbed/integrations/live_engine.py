"""What a scheduler asks of the running crawl: what is under way and how much may be, its duplicate filter, an end."""

from __future__ import annotations

import logging
import time
from collections.abc import Set
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object

PATIENCE = 0.1
"""For so many seconds after a seed the next one of start() is waited for, where one page is fetched at a time."""

logger = logging.getLogger(__name__)


class Engine:
    """The parts of Scrapy's engine that a scheduler has to do with."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seeds, self._since, self._calls_again = 0, 0.0, False

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

    @property
    def one_at_a_time(self) -> bool:
        """Whether CONCURRENT_REQUESTS is 1: then a page waits until all links of the last one are known."""
        return getattr(self._engine.downloader, "total_concurrency", 0) == 1

    def seeds_are_coming(self, seeds: int) -> bool:
        """Whether start() goes on and gave a seed a moment ago; then the engine is asked to call again soon."""
        if self._engine._start is None:
            return False
        now = time.monotonic()
        if seeds != self._seeds:
            self._seeds, self._since = seeds, now
        if now - self._since > PATIENCE:
            return False
        if not self._calls_again:
            self._calls_again = True
            call_later(PATIENCE, self._call_again)
        return True

    def _call_again(self) -> None:
        self._calls_again = False
        if self._engine._slot is not None:
            self._engine._slot.nextcall.schedule()

    def close(self, reason: str) -> None:
        """End the crawl, as Scrapy does by itself when nothing is left."""
        deferred_from_coro(self._engine.close_spider_async(reason=reason))


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
