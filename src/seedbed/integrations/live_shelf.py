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
    """Counts what it is given and gives back as Scrapy's own scheduler does."""

    def __init__(self, store: Store, spider: Spider, stats: StatsCollector) -> None:
        self.store, self.spider, self.stats = store, spider, stats
        self._writer = RequestWriter(spider, shared=store.path is None)
        self._unwritten: dict[int, tuple[Request, bytes | None]] = {}
        self._unserializable = self._unreadable = 0

    def put(self, page: Page, request: Request, fingerprint: bytes | None, *, again: bool = False) -> None:
        """Keep the request of a page; `again`: in the place of the one it had."""
        kept = self.store.path is not None
        if again:
            self.store.done(page.number)
        try:
            data = self._writer.write(request)
        except ValueError as error:
            self._unwritten[page.number] = (request, fingerprint)
            if kept:
                self._note(request, error)
                kept = False
        else:
            self.store.put(page, fingerprint, data)
        self.stats.inc_value(f"scheduler/enqueued/{'disk' if kept else 'memory'}")
        self.stats.inc_value("scheduler/enqueued")

    def _note(self, request: Request, error: ValueError) -> None:
        self.stats.inc_value("scheduler/unserializable")
        self._unserializable += 1
        if self._unserializable == 1:
            logger.warning(
                "%s cannot be written to the job and ends with the process (%s). More of them are only counted, in "
                "scheduler/unserializable",
                request,
                error,
                extra={"spider": self.spider},
            )

    def is_written(self, number: int) -> bool:
        """Whether the job holds a page."""
        return number not in self._unwritten

    def take(self, number: int) -> tuple[Request | None, bytes | None]:
        """(the request of a page, None where the spider cannot read it any more; its fingerprint, where it is known)"""
        if number in self._unwritten:
            request, fingerprint = self._unwritten.pop(number)
            return self._counted(request, "memory"), fingerprint
        data, fingerprint = self.store.request(number)
        try:
            request = self._writer.read(data)
        except ValueError as error:
            self._unreadable += 1
            self.stats.inc_value("seedbed/unreadable")
            if self._unreadable == 1:
                logger.error("Page %d left out, and kept in the job: %s", number, error, extra={"spider": self.spider})
            return None, fingerprint
        return self._counted(request, "memory" if self.store.path is None else "disk"), fingerprint

    def _counted(self, request: Request, place: str) -> Request:
        self.stats.inc_value(f"scheduler/dequeued/{place}")
        self.stats.inc_value("scheduler/dequeued")
        return request

    def close(self) -> None:
        """Say what a job does not hold."""
        if self.store.path is not None and self._unwritten:
            logger.warning(
                "%d pages that wait end with the process", len(self._unwritten), extra={"spider": self.spider}
            )
        if self._unreadable:
            logger.error(
                "%d pages were left out whose requests the spider cannot read; they are kept in the job",
                self._unreadable,
                extra={"spider": self.spider},
            )
