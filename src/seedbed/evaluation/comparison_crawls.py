"""The crawls of a comparison: every pair several times, in threads, each measured at the same page counts.

In the i-th crawls a share of the pages fails, drawn with the i-th seed and the same for all pairs. The bound from the
same seeds, with the same pages failing, is what no order can beat. An order that can remember is compared twice where
the last crawl is known: with its knowledge, under its name and +last, and without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import chain, product
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import machine_memory
from seedbed.crawling.bound import bound
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.measures import curves, first_visits
from seedbed.crawling.orders import ORDERS, find_order
from seedbed.crawling.orders.order import declared
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from seedbed.evaluation.comparison import CURVES, Floats, Pair

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.crawling.orders.order import Order
    from seedbed.evaluation.compare import Task
    from seedbed.evaluation.comparison_seeds import Choice
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds
    from seedbed.urls.sites import SiteKind

POINTS = 200
BYTES_PER_CRAWL = 100
"""Bytes that a crawl takes per page of the web."""
WITH_LAST = "+last"
"""Ends the name of an order that is given what the last crawl knew."""


@dataclass(frozen=True)
class ComparedOrder:
    """An order as it is compared. `given`: what to crawl with. `with_last`: it is given what the last crawl knew."""

    given: Any
    declared: Order
    with_last: bool = False

    @property
    def name(self) -> str:
        """The name in tables and figures."""
        return f"{self.declared.name}{WITH_LAST if self.with_last else ''}"

    @property
    def meaning(self) -> str:
        """What it does, in one line."""
        return f"{self.declared.meaning}{'; given what the last crawl knew (--last)' if self.with_last else ''}"


def order_of(given: Any) -> ComparedOrder:
    """The order with this name, which may end with +last; a class becomes an order with the class's name."""
    if not isinstance(given, str):
        return ComparedOrder(given, declared(given.__name__, given))
    name = given.removesuffix(WITH_LAST)
    order = find_order(name)
    if name != given and not order.remembers:
        knowing = ", ".join(f"{one}{WITH_LAST}" for one in ORDERS if ORDERS[one].remembers)
        raise OptionError(f"order '{given}': '{name}' cannot use the last crawl. Orders that can: {knowing}.")
    return ComparedOrder(name, order, name != given)


def compared_orders(given: Iterable[Any], *, last_known: bool) -> tuple[ComparedOrder, ...]:
    """The orders to compare: one that can remember both with and without the last crawl, if that is known."""
    found = dict[ComparedOrder, None]()
    for order in map(order_of, given):
        if order.with_last and not last_known:
            raise OptionError(f"order '{order.name}' needs the last crawl. Give it with --last, or --old and --new.")
        if last_known and order.declared.remembers:
            found[replace(order, with_last=True)] = None
        found[order] = None
    return tuple(found)


def crawl_pairs(
    web: Web,
    task: Task,
    choices: Sequence[Choice],
    orders: Sequence[ComparedOrder],
    pagerank: Floats,
    *,
    last: NDArray[np.float32] | None = None,
    bounded: bool = True,
    threads: int,
    memory: int | None,
    progress: Progress,
) -> tuple[tuple[Pair, ...], dict[str, Floats]]:
    """The crawls of all pairs, and if `bounded` the bounds of all strategies. As many at a time as threads and memory
    allow. `last`: what the last crawl knew of each page.

    On Ctrl-C and errors the crawls in flight end soon.
    """
    crawler = _Crawler(web, pagerank, task.budget or web.page_count, last, task.site)
    room = machine_memory() // 2 if memory is None else memory
    workers = max(1, min(threads, room // max(BYTES_PER_CRAWL * web.page_count, 1)))
    crawls: list[tuple[Choice, str, list[Future[Any]]]] = []
    bounds: dict[str, list[Future[Any]]] = {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            for choice, order in product(choices, orders):
                jobs = [pool.submit(crawler.crawl, order, *one) for one in _repeats(task, choice, order.declared)]
                crawls.append((choice, order.name, jobs))
            for choice in choices if bounded else ():
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


def _repeats(task: Task, choice: Choice, order: Order | None = None) -> list[tuple[Seeds, Conditions]]:
    """The seeds and the conditions of each crawl; only one if all crawls would be the same."""
    changes = task.failure > 0 or choice.has_chance or (order is not None and order.chance)
    return [
        (choice.draws[repeat % len(choice.draws)], Conditions(failure=task.failure, seed=task.seed + repeat))
        for repeat in range(task.repeats if changes else 1)
    ]


def _start(seeds: Seeds, conditions: Conditions) -> tuple[Any, Conditions]:
    """What a crawl starts from. If all its seeds are gone it fetches nothing, as if every fetch failed."""
    return (seeds, conditions) if len(seeds) else ([0], replace(conditions, failure=1.0))


class _Stopped(Exception):
    """Ends a crawl whose result is no longer needed."""


class _Crawler:
    """Crawls a web and measures at the same page counts, `at`. Once `stop` is set, crawls end early."""

    def __init__(
        self, web: Web, pagerank: Floats, budget: int, last: NDArray[np.float32] | None, site: SiteKind
    ) -> None:
        self.stop = Event()
        self.at = np.unique(np.linspace(0, budget, min(POINTS, budget) + 1).astype(np.int64)[1:])
        self._web, self._pagerank, self._budget, self._last, self._site = web, pagerank, budget, last, site
        gone = None if last is None else last < 0
        self._gone = gone if gone is not None and gone.any() else None
        labels = web.columns.get("community")
        self._communities = None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int32)

    def _check_stop(self, stage: str, done: int, total: int) -> None:
        if self.stop.is_set():
            raise _Stopped

    def bound(self, seeds: Seeds, conditions: Conditions) -> Floats:
        """The most PageRank that any order can hold from some seeds."""
        first, conditions = _start(seeds, conditions)
        how: Any = {"conditions": conditions, "progress": self._check_stop}
        most = bound(self._web, first, self._pagerank, self._budget, **how)
        return most[np.minimum(self.at, len(most) - 1)]

    def crawl(self, order: ComparedOrder, seeds: Seeds, conditions: Conditions) -> dict[str, Any]:
        """What a pair keeps of a crawl, by name; the run itself, with an entry per page, is dropped."""
        first, conditions = _start(seeds, conditions)
        how: Any = {"conditions": conditions, "scores": self._pagerank, "progress": self._check_stop}
        if order.with_last:
            how["last"] = self._last
        if order.declared.needs_hosts:
            how["site"] = self._site
        run = crawl(self._web, first, order.given, self._budget, **how)
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
            "gone": None if self._gone is None else np.count_nonzero(self._gone[run.pages]),
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
        gone=None if of["gone"][0] is None else np.array(of["gone"], np.float64),
    )


def _summed(depths: Sequence[NDArray[Any]]) -> Floats:
    total = np.zeros(max(len(one) for one in depths))
    for one in depths:
        total[: len(one)] += one
    return total
