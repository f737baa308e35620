"""Where the requests of pages that wait are kept: with JOBDIR in the job's database, without it as objects in memory.

Whoever made a request may hold on to it, as `scrapy shell` does. Without JOBDIR the very object that was queued is
handed out, as Scrapy's own queue in memory does. With JOBDIR a request that cannot be stored stays in memory too; the
job notes it, so that the next run can tell what was lost.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from itertools import islice

from scrapy import Request, Spider
from scrapy.statscollectors import StatsCollector

from seedbed.integrations.live.job_store import JobStore
from seedbed.integrations.live.live_frontier import Page
from seedbed.integrations.live.stored_requests import RequestWriter, Serializer, Unstorable

NAMED = 3
"""The log names so many of the requests that are lost."""

MAX_KINDS = 20
"""So many kinds of faults are reported, each at its first request; more are only counted."""

logger = logging.getLogger(__name__)


class RequestStore:
    """Counts what it is given and gives back as Scrapy's own scheduler does.

    `unreadable`: requests in the job that could not be read, and so were left out of this run.
    """

    def __init__(
        self,
        store: JobStore,
        spider: Spider,
        stats: StatsCollector,
        fingerprint: Callable[[Request], bytes],
        serializers: Mapping[str, Serializer],
    ) -> None:
        self.store, self.stats, self.fingerprint = store, stats, fingerprint
        self._extra = {"spider": spider}
        self._writer = RequestWriter(spider, serializers)
        self._objects: dict[int, tuple[Request, bytes | None]] = {}
        self._reported: set[str] = set()
        self.unreadable = 0

    def put(self, page: Page, request: Request, fingerprint: bytes | None, *, again: bool = False) -> None:
        """Keep the request of a page; `again`: in the place of the one it had."""
        if again:
            self.store.done(page.number, stored=True)
            self.store.done(page.number, stored=False)
        stored = self.store.path is not None and self._stored(page, request, fingerprint)
        if not stored:
            self._objects[page.number] = (request, fingerprint)
        self.stats.inc_value(f"scheduler/enqueued/{'disk' if stored else 'memory'}")
        self.stats.inc_value("scheduler/enqueued")

    def _stored(self, page: Page, request: Request, fingerprint: bytes | None) -> bool:
        try:
            data = self._writer.write(request)
        except Unstorable as error:
            self.store.put_unstored(page.number, fingerprint or self.fingerprint(request), request.url)
            self.stats.inc_value("scheduler/unserializable")
            self.stats.inc_value(f"seedbed/unserializable/{error.kind}")
            if self._is_new(error.kind):
                logger.warning(
                    "%s cannot be written to the job: %s. It stays in memory, and is lost if the crawl stops before it "
                    "is fetched. %s More of them are only counted, in seedbed/unserializable/%s",
                    *(request, error, error.remedy, error.kind),
                    extra=self._extra,
                )
            return False
        self.store.put(page, fingerprint, data)
        return True

    def _is_new(self, fault: str) -> bool:
        if fault in self._reported or len(self._reported) >= MAX_KINDS:
            return False
        self._reported.add(fault)
        return True

    def is_written(self, number: int) -> bool:
        """Whether the job holds a page."""
        return number not in self._objects

    def take(self, number: int) -> tuple[Request | None, bytes | None]:
        """(the request of a page, None where it cannot be read; its fingerprint, where it is known)"""
        if number in self._objects:
            request, fingerprint = self._objects.pop(number)
            return self._dequeued(request, "memory"), fingerprint or self.fingerprint(request)
        data, fingerprint = self.store.request(number)
        try:
            request = self._writer.read(data)
            found = fingerprint or self.fingerprint(request)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001
            self._left_out(number, data, error)
            return None, fingerprint
        return self._dequeued(request, "disk"), found

    def _left_out(self, number: int, data: str, error: Exception) -> None:
        self.unreadable += 1
        self.stats.inc_value("seedbed/unreadable")
        why = _shown(str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}")
        if self._is_new(why):
            where = f"Page {number}{_url_in(data)}"
            logger.error("%s left out, and kept in the job: %s", where, why, extra=self._extra)

    def _dequeued(self, request: Request, place: str) -> Request:
        self.stats.inc_value(f"scheduler/dequeued/{place}")
        self.stats.inc_value("scheduler/dequeued")
        return request

    def begin(self) -> None:
        """Say what was lost with the last run."""
        if self.store.lost:
            lost = self._lost()
            logger.error("Could not be stored, and lost when an earlier run stopped: %s", lost, extra=self._extra)

    def close(self) -> None:
        """Say what a job does not hold, and what was not fetched of it."""
        self.stats.set_value("seedbed/lost", self.store.lost)
        if self.store.lost:
            lost = self._lost()
            logger.error(
                "The crawl is not complete. Lost in an earlier run, and not requested again: %s",
                lost,
                extra=self._extra,
            )
        if self._objects and self.store.path is not None:
            urls = [request.url for request, _ in islice(self._objects.values(), NAMED)]
            waited = _counted(len(self._objects), urls)
            logger.error("Could not be stored, and lost as the crawl stops: %s", waited, extra=self._extra)
        if self.unreadable:
            pages = "1 page was" if self.unreadable == 1 else f"{self.unreadable} pages were"
            logger.error("%s left out whose requests cannot be read; the job keeps them", pages, extra=self._extra)

    def _lost(self) -> str:
        return _counted(self.store.lost, self.store.lost_urls(NAMED))


def _counted(count: int, urls: list[str]) -> str:
    named = ", ".join(map(_shown, urls))
    return f"{count} request{'s' * (count != 1)}: {named}{', …' if count > len(urls) else ''}"


def _shown(text: str) -> str:
    """What a job says, in a line of a log: it may be a stranger's."""
    return text[:500] if text.isprintable() else repr(text[:500])


def _url_in(data: str) -> str:
    """The URL of a request that could not be read, where that much can be."""
    try:
        return f" ({_shown(str(json.loads(data)['url']))})"
    except (ValueError, TypeError, LookupError, RecursionError):
        return ""
