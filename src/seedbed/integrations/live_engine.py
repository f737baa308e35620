"""What a scheduler asks of the running crawl: what is under way and how much may be, its duplicate filter, an end."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object


class Downloads:
    """Requests that were handed out: with the downloader, then with the scraper until their callback has ended."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @property
    def _downloader(self) -> Any:
        return getattr(self._crawler.engine, "downloader", None)

    def under_way(self) -> set[Request]:
        """All of them. Between downloader and scraper no other code runs, so none is missed."""
        found = set(getattr(self._downloader, "active", ()))
        scraping = getattr(getattr(self._crawler.engine, "scraper", None), "slot", None)
        if scraping is not None:
            found |= scraping.active
            found.update(request for _, request, _ in scraping.queue)
        return found

    def busy(self) -> Counter[str]:
        """The downloads of each host that has some."""
        return Counter(self.host(request) for request in getattr(self._downloader, "active", ()))

    def host(self, request: Request) -> str:
        """The downloader's slot of a request: its host, unless meta says otherwise."""
        key: str = self._downloader.get_slot_key(request)
        return key

    def room(self, host: str) -> int:
        """How many downloads a host may have."""
        downloader = self._downloader
        slot = downloader.slots.get(host)
        if slot is not None and hasattr(slot, "concurrency"):
            return int(slot.concurrency)
        settings = getattr(downloader, "per_slot_settings", {}).get(host, {})
        return int(settings.get("concurrency", getattr(downloader, "domain_concurrency", 8)))

    @property
    def one_at_a_time(self) -> bool:
        """Whether CONCURRENT_REQUESTS is 1: then a page waits until all links of the last one are known."""
        return getattr(self._downloader, "total_concurrency", 0) == 1


def duplicate_filter(crawler: Crawler) -> tuple[BaseDupeFilter, bool]:
    """(the filter, whether the scheduler keeps the fingerprints itself)."""
    kind: Any = load_object(crawler.settings["DUPEFILTER_CLASS"])
    if kind is RFPDupeFilter:
        return RFPDupeFilter(None, crawler.settings.getbool("DUPEFILTER_DEBUG")), True
    return build_from_crawler(kind, crawler), False


def close_crawl(crawler: Crawler, reason: str) -> None:
    """End the crawl, as Scrapy does by itself when nothing is left."""
    assert crawler.engine is not None  # noqa: S101
    deferred_from_coro(crawler.engine.close_spider_async(reason=reason))
