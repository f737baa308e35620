"""The crawls of a comparison: every pair several times, in threads, each measured at the same page counts.

In the i-th crawls a share of the pages fails, drawn with the i-th seed and the same for all pairs. The bound from the
same seeds, with the same pages failing, is what no order can beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from itertools import chain, product
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import machine_memory
from seedbed.crawling.bound import bound
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.measures import curves, first_visits
from seedbed.crawling.orders import find_order
from seedbed.crawling.orders.order import declared
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.comparison import CURVES, Floats, Pair

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.crawling.orders.order import Order
    from seedbed.evaluation.compare import Task
    from seedbed.evaluation.comparison_seeds import Choice
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

POINTS = 200
BYTES_PER_CRAWL = 100
"""Bytes that a crawl takes per page of the web."""


def crawl_pairs(
    web: Web,
    task: Task,
    choices: Sequence[Choice],
    pagerank: Floats,
    *,
    threads: int,
    memory: int | None,
    progress: Progress,
) -> tuple[tuple[Pair, ...], dict[str, Floats]]:
    """The crawls of all pairs, and the bounds of all strategies. As many at a time as threads and memory allow.

    On Ctrl-C and errors the crawls in flight end soon.
    """
    crawler = _Crawler(web, pagerank, task.budget or web.page_count)
    room = machine_memory() // 2 if memory is None else memory
    workers = max(1, min(threads, room // max(BYTES_PER_CRAWL * web.page_count, 1)))
    crawls: list[tuple[Choice, str, list[Future[Any]]]] = []
    bounds: dict[str, list[Future[Any]]] = {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            for choice, given in product(choices, task.orders):
                order = order_of(given)
                jobs = [pool.submit(crawler.crawl, given, *one) for one in _repeats(task, choice, order)]
                crawls.append((choice, order.name, jobs))
            for choice in choices:
                bounds[choice.strategy] = [pool.submit(crawler.bound, *one) for one in _repeats(task, choice)]
            waiting = list(chain(*(jobs for _, _, jobs in crawls), *bounds.values()))
            for done, future in enumerate(as_completed(waiting), 1):
                future.result()
                progress("crawls", done, len(waiting))
        finally:
            crawler.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    pairs = (_pair(choice, name, crawler.at, [one.result() for one in jobs]) for choice, name, jobs in crawls)
    return tuple(pairs), {name: np.array([one.result() for one in jobs]) for name, jobs in bounds.items()}


def order_of(given: Any) -> Order:
    """The order with this name; a class becomes an order with the class's name."""
    return find_order(given) if isinstance(given, str) else declared(given.__name__, given)


def _repeats(task: Task, choice: Choice, order: Order | None = None) -> list[tuple[Seeds, Conditions]]:
    """The seeds and the conditions of each crawl; only one if all crawls would be the same."""
    changes = task.failure > 0 or choice.has_chance or (order is not None and order.chance)
    return [
        (choice.draws[repeat % len(choice.draws)], Conditions(failure=task.failure, seed=task.seed + repeat))
        for repeat in range(task.repeats if changes else 1)
    ]


class _Stopped(Exception):
    """Ends a crawl whose result is no longer needed."""


class _Crawler:
    """Crawls a web and measures at the same page counts, `at`. Once `stop` is set, crawls end early."""

    def __init__(self, web: Web, pagerank: Floats, budget: int) -> None:
        self.stop = Event()
        self.at = np.unique(np.linspace(0, budget, min(POINTS, budget) + 1).astype(np.int64)[1:])
        self._web, self._pagerank, self._budget = web, pagerank, budget
        labels = web.columns.get("community")
        self._communities = None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int32)

    def _check_stop(self, stage: str, done: int, total: int) -> None:
        if self.stop.is_set():
            raise _Stopped

    def bound(self, seeds: Seeds, conditions: Conditions) -> Floats:
        """The most PageRank that any order can hold from some seeds."""
        how: Any = {"conditions": conditions, "progress": self._check_stop}
        most = bound(self._web, seeds, self._pagerank, self._budget, **how)
        return most[np.minimum(self.at, len(most) - 1)]

    def crawl(self, order: Any, seeds: Seeds, conditions: Conditions) -> dict[str, Any]:
        """What a pair keeps of a crawl, by name; the run itself, with an entry per page, is dropped."""
        how: Any = {"conditions": conditions, "scores": self._pagerank, "progress": self._check_stop}
        run = crawl(self._web, seeds, order, self._budget, **how)
        found = curves(run, self._web, pagerank=self._pagerank, spam=self._web.columns.get("spam"), at=self.at)
        communities = None
        if self._communities is not None:
            seen = np.zeros(int(self._communities.max(initial=-1)) + 1, np.bool_)
            communities = first_visits(run.pages, self._communities, seen)[np.minimum(self.at, len(run))]
        return {
            **{name: getattr(found, name) for name in ("pagerank", "hosts", "spam_share")},
            "communities": communities,
            "depth_pages": np.bincount(run.depth, minlength=1),
            "depth_mass": np.bincount(run.depth, self._pagerank[run.pages], 1),
            "pages": len(run),
            **{name: getattr(run, name) for name in ("oracle", "seconds", "exhausted")},
        }


def _pair(choice: Choice, order: str, at: NDArray[np.int64], crawls: Sequence[dict[str, Any]]) -> Pair:
    """All crawls of a pair."""
    of = {name: [one[name] for one in crawls] for name in crawls[0]}
    pages = _summed(of["depth_pages"])
    rows: dict[str, Any] = {name: None if of[name][0] is None else np.array(of[name], np.float64) for name in CURVES}
    return Pair(
        strategy=choice.strategy,
        order=order,
        oracle=of["oracle"][0],
        fetched=at,
        **rows,
        depth_pages=pages / len(crawls),
        depth_pagerank=_summed(of["depth_mass"]) / np.maximum(pages, 1),
        pages=np.array(of["pages"], np.float64),
        seconds=float(np.median(of["seconds"])),
        exhausted=all(of["exhausted"]),
        chosen_by_pagerank=of["oracle"][0] or choice.chooses_by("pagerank"),
    )


def _summed(depths: Sequence[NDArray[Any]]) -> Floats:
    total = np.zeros(max(len(one) for one in depths))
    for one in depths:
        total[: len(one)] += one
    return total
