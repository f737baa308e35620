"""The live scheduler: ten million pages that wait in a job on disk, and steps a second, beside Scrapy's own scheduler.

A step is a request queued or handed out. A page that is handed out yields ten requests, five of them to pages that are
known. The job of ten million is written straight into its database, as the scheduler would have; it is then opened and
crawled on. Scrapy's own scheduler keeps a queue of files for each host, so the comparison is on fewer hosts and pages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.measure import Row, peak_bytes

PAGES, HOSTS, FETCHES = 10_000_000, 100_000, 5_000
FETCHED = 10_000_000
LEARNT, LINKS = 1_000_000, 16
FEW, FEW_HOSTS = 100_000, 200
OURS, THEIRS = "seedbed.integrations.scrapy.ImportanceScheduler", "scrapy.core.scheduler.Scheduler"


def rows() -> list[Row]:
    """Memory and steps a second of a large job; steps a second of both schedulers on a small one."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), PAGES)
        large = in_process("--job", folder, "--pages", str(PAGES), "--order", "fpr@100")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        ours = in_process("--job", one, "--scheduler", OURS)
        theirs = in_process("--job", other, "--scheduler", THEIRS)
    with tempfile.TemporaryDirectory() as folder:
        fill_fetched(Path(folder), FETCHED)
        fetched = in_process("--job", folder, "--fetched", str(FETCHED), "--order", "fpr@100")
    with tempfile.TemporaryDirectory() as folder:
        fill_learnt(Path(folder), LEARNT)
        learnt = in_process("--job", folder, "--learnt", str(LEARNT))
    return [
        Row(f"memory, {PAGES:,} pages wait on {HOSTS:,} hosts", large["memory"] / 2**30, "GiB", "4"),
        Row("opening that job", large["open"], "s"),
        Row("steps, the same", large["steps"], "steps/s", "5,000"),
        Row("steps a second of processor time, the same", large["steps_of_processor"], "steps/s", "5,000"),
        Row(f"steps, {FEW:,} pages on {FEW_HOSTS} hosts", ours["steps"], "steps/s", "", "Scrapy", theirs["steps"]),
        Row("queueing those", ours["queued"], "pages/s", "", "Scrapy", theirs["queued"]),
        Row("memory then", ours["memory"] / 2**20, "MiB", "", "Scrapy", theirs["memory"] / 2**20),
        Row(f"the same after {FETCHED:,} pages fetched", fetched["memory"] / 2**20, "MiB"),
        Row("steps, the same", fetched["steps"], "steps/s"),
        Row(f"opening a job of live-pagerank, {LEARNT:,} pages with {LINKS} links", learnt["open"], "s"),
        Row("memory then", learnt["memory"] / 2**20, "MiB"),
    ]


def in_process(*words: str) -> dict[str, float]:
    """One measurement, so that memory is its own."""
    command = [sys.executable, "-m", "benchmarks.live", *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def url_of(page: int, hosts: int) -> str:
    """Pages are dealt out to hosts."""
    return f"http://host-{page % hosts}.test/articles/{page}.html"


def fingerprint(url: str) -> bytes:
    """As Scrapy's, for plain URLs."""
    text = json.dumps({"body": "", "headers": {}, "method": "GET", "url": url}, sort_keys=True)
    return hashlib.sha1(text.encode()).digest()  # noqa: S324


def fill(folder: Path, pages: int) -> None:
    """A job with so many pages that wait."""
    from seedbed.integrations.live.job_store import JobStore

    draw = random.Random(1)  # noqa: S311
    with closing(JobStore(folder / "seedbed.db", "fpr@100")) as store:
        store.job.known, store.job.seeds, store.job.share = pages, 1, 1
        run = store._base.executemany
        for first in range(1, pages + 1, 100_000):
            store._write("delete from request where number < 0", ())  # begins a transaction
            names = [(page, url_of(page, HOSTS)) for page in range(first, min(first + 100_000, pages + 1))]
            run(
                "insert into request values (?, ?)",
                [(page, f'{{"url":"{url}","meta":{{"depth":3}}}}') for page, url in names],
            )
            run(
                "insert into waiting values (?, 0, ?, 0, 1e-9, 1, ?, ?)",
                [(page, draw.random() * 1e-6, f"host-{page % HOSTS}.test", fingerprint(url)) for page, url in names],
            )
            store.commit()


def fill_fetched(folder: Path, pages: int) -> None:
    """A job in which so many pages are done and none waits; their numbers follow those of the few."""
    from seedbed.integrations.live.job_store import JobStore

    with closing(JobStore(folder / "seedbed.db", "fpr@100")) as store:
        store.job.known, store.job.fetched, store.job.seeds, store.job.share = FEW + pages, pages, 1, 1
        found = sorted(fingerprint(url_of(page, FEW_HOSTS)) for page in range(FEW + 1, FEW + pages + 1))
        store._write("delete from known", ())  # begins a transaction
        store._base.executemany("insert into known values (?)", zip(found))


def fill_learnt(folder: Path, pages: int) -> None:
    """A job in which live-pagerank has learnt the links of so many pages; a few are popular."""
    import numpy as np

    from seedbed.integrations.live.job_store import JobStore
    from seedbed.integrations.live.replayed_scores import LINKS_EVENT, SEEDS_EVENT

    draw = np.random.default_rng(1)
    with closing(JobStore(folder / "seedbed.db", "live-pagerank")) as store:
        store.job.known, store.job.fetched, store.job.seeds, store.job.share = pages, pages, 1, 1
        store.note([(SEEDS_EVENT, 0, 1, bytes(4), b"", b"")])
        targets = (draw.random((pages, LINKS)) ** 3 * pages).astype(np.int32)
        store.note((LINKS_EVENT, page + 1, pages, targets[page].tobytes(), b"", b"") for page in range(pages))


class Downloader:
    """Holds what is under way."""

    DOWNLOAD_SLOT = "download_slot"
    total_concurrency, domain_concurrency, ip_concurrency = 16, 8, 0

    def __init__(self) -> None:
        from scrapy.core.downloader import Downloader as Real

        self.active: set[Any] = set()
        self.slots: dict[str, Any] = {}
        self.get_slot_key = lambda request: Real.get_slot_key(self, request)  # type: ignore[arg-type]


def opened(folder: str, scheduler: str, order: str) -> tuple[Any, Any]:
    """(a scheduler, the rest of Scrapy as stand-ins)."""
    from scrapy import Spider
    from scrapy.core.spidermw import SpiderMiddlewareManager
    from scrapy.settings import Settings
    from scrapy.signalmanager import SignalManager
    from scrapy.statscollectors import MemoryStatsCollector
    from scrapy.utils.misc import build_from_crawler, load_object
    from scrapy.utils.request import RequestFingerprinter

    crawler: Any = SimpleNamespace(
        settings=Settings({"JOBDIR": folder, "SEEDBED_ORDER": order}),
        spider=Spider("benchmark"),
        request_fingerprinter=RequestFingerprinter(),
    )
    crawler.signals = SignalManager(crawler)
    crawler.spider.crawler = crawler
    crawler.signals = SignalManager(crawler)
    crawler.stats = MemoryStatsCollector(crawler)
    scraper = SimpleNamespace(
        spidermw=SpiderMiddlewareManager(crawler=crawler), slot=SimpleNamespace(active=set(), queue=[])
    )
    slot = SimpleNamespace(inprogress=set())
    crawler.engine = SimpleNamespace(downloader=Downloader(), scraper=scraper, _slot=slot, _start=None)
    found = build_from_crawler(load_object(scheduler), crawler)
    found.open(crawler.spider)
    return found, crawler


def links(page: int, known: int, hosts: int, draw: random.Random) -> Iterator[Any]:
    """Five requests to pages that are known, five to new ones."""
    from scrapy import Request

    for _ in range(5):
        yield Request(url_of(draw.randrange(1, known), hosts), meta={"depth": 4})
    for new in range(5):
        yield Request(url_of(known + 5 * page + new, hosts), meta={"depth": 4})


def crawl(scheduler: Any, crawler: Any, known: int, hosts: int) -> tuple[float, float]:
    """(steps a second, steps a second of processor time), sixteen pages under way at a time."""
    from scrapy.http import Response

    draw = random.Random(2)  # noqa: S311
    methods = crawler.engine.scraper.spidermw.methods["process_spider_output"]
    through = methods[0].__self__.process_spider_output if methods else lambda response, found: found
    active, in_progress = crawler.engine.downloader.active, crawler.engine._slot.inprogress
    under_way: list[Any] = []
    start, worked = time.perf_counter(), time.process_time()
    for page in range(FETCHES):
        request = scheduler.next_request()
        active.add(request)
        in_progress.add(request)
        under_way.append(request)
        if len(under_way) == 16:
            ended = under_way.pop(0)
            active.remove(ended)
            for found in through(Response(ended.url, request=ended), links(page, known, hosts, draw)):
                scheduler.enqueue_request(found)
            in_progress.remove(ended)
    return 11 * FETCHES / (time.perf_counter() - start), 11 * FETCHES / (time.process_time() - worked)


def main() -> None:
    """One measurement, as JSON."""
    from scrapy import Request

    parser = argparse.ArgumentParser()
    parser.add_argument("--job")
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--fetched", type=int, default=0)
    parser.add_argument("--learnt", type=int, default=0)
    parser.add_argument("--scheduler", default=OURS)
    parser.add_argument("--order", default="live-pagerank")
    options = parser.parse_args()
    start = time.perf_counter()
    scheduler, crawler = opened(options.job, options.scheduler, options.order)
    found = {"open": time.perf_counter() - start, "memory": peak_bytes()}
    if options.learnt:
        scheduler.close("finished")
        print(json.dumps(found))
        return
    known, hosts = (options.pages, HOSTS) if options.pages else (FEW, FEW_HOSTS)
    if not options.pages:
        start = time.perf_counter()
        for page in range(1, FEW + 1):
            scheduler.enqueue_request(Request(url_of(page, hosts), meta={"depth": 3, "is_start_request": True}))
        found["queued"] = FEW / (time.perf_counter() - start)
    assert len(scheduler) == known  # noqa: S101
    known += options.fetched
    found["steps"], found["steps_of_processor"] = crawl(scheduler, crawler, known, hosts)
    scheduler.close("finished")
    found["memory"] = peak_bytes()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
