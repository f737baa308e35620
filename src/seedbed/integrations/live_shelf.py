"""Where the requests of pages that wait are kept: in the job's database, or in memory where JSON cannot hold them."""

from __future__ import annotations

import logging

from scrapy import Request, Spider
from scrapy.statscollectors import StatsCollector

from seedbed.integrations.live_frontier import Page
from seedbed.integrations.live_requests import RequestWriter
from seedbed.integrations.live_store import Store

logger = logging.getLogger(__name__)


class Shelf:
    """Counts what it is given and gives back as Scrapy's own scheduler does; `warns`: say why one stays in memory."""

    def __init__(self, store: Store, spider: Spider, stats: StatsCollector, *, warns: bool) -> None:
        self.store, self.spider, self.stats = store, spider, stats
        self._writer = RequestWriter(spider, shared=store.path is None)
        self._unwritten: dict[int, Request] = {}
        self._warns = warns

    def put(self, page: Page, request: Request, fingerprint: bytes | None, *, again: bool = False) -> None:
        """Keep the request of a page; `again`: in the place of the one it had."""
        place = "memory" if self.store.path is None else "disk"
        if again:
            self.store.done(page.number)
        try:
            data = self._writer.write(request)
        except ValueError as error:
            self._note(request, error)
            place = "memory"
            self._unwritten[page.number] = request
        else:
            self.store.put(page, fingerprint, data)
        self.stats.inc_value(f"scheduler/enqueued/{place}")
        self.stats.inc_value("scheduler/enqueued")

    def _note(self, request: Request, error: ValueError) -> None:
        if self.store.path is None:
            return
        self.stats.inc_value("scheduler/unserializable")
        if self._warns:
            self._warns = False
            logger.warning(
                "Unable to serialize request: %s - reason: %s - no more unserializable requests will be logged",
                request,
                error,
                extra={"spider": self.spider},
            )

    def is_written(self, number: int) -> bool:
        """Whether the job holds a page."""
        return number not in self._unwritten

    def take(self, number: int) -> Request | None:
        """The request of a page; None where the spider cannot read it any more."""
        request = self._unwritten.pop(number, None)
        place = "memory" if request is not None or self.store.path is None else "disk"
        if request is None:
            try:
                request = self._writer.read(self.store.request(number))
            except ValueError as error:
                logger.error("Request %d left out: %s", number, error, extra={"spider": self.spider})
                self.stats.inc_value("seedbed/unreadable")
                self.store.done(number)
                return None
        self.stats.inc_value(f"scheduler/dequeued/{place}")
        self.stats.inc_value("scheduler/dequeued")
        return request
