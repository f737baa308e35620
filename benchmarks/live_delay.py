"""How many pages a polite crawl fetches in a given time: this scheduler's orders beside Scrapy's own scheduler.

    python -m benchmarks.live_delay --hosts 100 --delay 2 --seconds 20 --orders fpr@100 opic bfs
    python -m benchmarks.live_delay --autothrottle

A web on loopback, every page of which links to some pages of its own host and to some of others. With a download delay
the best that anybody can do is a page per host and delay; what costs is a request that waits for its host inside the
downloader, where it holds one of CONCURRENT_REQUESTS places. Counted is what reaches the server in so many seconds from
the first request on. All schedulers run in turn, `--rounds` times, on the same web; the ratios are those of a round.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from tests.live import Served, put_web, scrapy, server

from benchmarks.measure import Row

OURS, THEIRS = "seedbed.integrations.scrapy.ImportanceScheduler", "scrapy.core.scheduler.Scheduler"
ORDERS = ("fpr@100", "opic", "bfs")
SECONDS = 20
NEAR, FAR = 6, 4
"""Links of a page to its own host and to others."""


class Stamped(list[str]):
    """A list that knows when each entry came."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def append(self, one: str) -> None:
        """With the time."""
        super().append(one)
        self.times.append(time.monotonic())


def serve(served: Served, hosts: int, pages: int) -> list[str]:
    """A web of so many hosts and pages; the first page of each host. Pages are dealt out to hosts."""
    draw = random.Random(1)  # noqa: S311
    each = pages // hosts
    lists = [
        [draw.randrange(each) * hosts + page % hosts for _ in range(NEAR)]
        + [int(pages * draw.random() ** 3) for _ in range(FAR)]
        for page in range(pages)
    ]
    web = put_web(served, lists, [page % hosts for page in range(pages)])
    return [web.urls[page] for page in range(hosts)]  # type: ignore[index]


def fetched(served: Served, start: list[str], order: str, settings: dict[str, Any]) -> int:
    """Requests in time, in a crawl by one order or by Scrapy's own scheduler."""
    served.asked = asked = Stamped()
    mine = {"SCHEDULER": THEIRS} if order == "Scrapy" else {"SCHEDULER": OURS, "SEEDBED_ORDER": order}
    with tempfile.TemporaryDirectory() as folder:
        scrapy(start, Path(folder), "OwnSeeds", LOG_LEVEL="ERROR", **mine, **settings)
    return sum(at - asked.times[0] < settings["CLOSESPIDER_TIMEOUT"] - 1 for at in asked.times)


def rows() -> list[Row]:
    """Pages in 20 seconds on 100 hosts with a delay of 2 seconds, and with AutoThrottle; medians of three rounds."""
    found = []
    with server() as served:
        start = serve(served, hosts=100, pages=20_000)
        for what, settings in (
            ("a delay of 2 s", {"DOWNLOAD_DELAY": 2}),
            ("AutoThrottle", {"AUTOTHROTTLE_ENABLED": True}),
        ):
            settings |= {"CLOSESPIDER_TIMEOUT": SECONDS + 1, "CONCURRENT_REQUESTS": 16}
            orders = ("Scrapy", *ORDERS)
            rounds = [[fetched(served, start, order, settings) for order in orders] for _ in range(3)]
            theirs, *ours = np.median(rounds, axis=0) / SECONDS
            found += [
                Row(f"{order}, 100 hosts, {what}", float(pages), "pages/s", f"{theirs:.3g}", "Scrapy", float(theirs))
                for order, pages in zip(ORDERS, ours, strict=True)
            ]
    return found


def main() -> int:
    """Crawl, and print a table: pages of Scrapy's scheduler, pages of each order, their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--delay", type=float, default=2.0)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--places", type=int, default=16, help="CONCURRENT_REQUESTS")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--orders", nargs="+", default=list(ORDERS))
    parser.add_argument("--autothrottle", action="store_true", help="AutoThrottle instead of a fixed delay")
    options = parser.parse_args()
    settings: dict[str, Any] = {"CLOSESPIDER_TIMEOUT": options.seconds + 1, "CONCURRENT_REQUESTS": options.places}
    settings |= {"AUTOTHROTTLE_ENABLED": True} if options.autothrottle else {"DOWNLOAD_DELAY": options.delay}
    print(f"| round | Scrapy | {' | '.join(options.orders)} |")
    print("|---" * (2 + len(options.orders)) + "|")
    with server() as served:
        start = serve(served, options.hosts, options.pages)
        found = []
        for number in range(options.rounds):
            found.append([fetched(served, start, order, settings) for order in ["Scrapy", *options.orders]])
            print(f"| {number + 1} | {' | '.join(f'{pages:,}' for pages in found[-1])} |", flush=True)
    ratios = (np.array(found)[:, 1:] / np.array(found)[:, :1]).mean(axis=0)
    print("| times Scrapy's | 1 |", *(f"{ratio:.2f} |" for ratio in ratios))
    return 0


if __name__ == "__main__":
    sys.exit(main())
