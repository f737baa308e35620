"""What a comparison keeps of each crawl, and what the crawls of a pair come to together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.bound import bound
from seedbed.crawling.measures import curves, first_visits
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.comparison import Crawls, Floats

if TYPE_CHECKING:
    from seedbed.crawling.conditions import Conditions
    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

POINTS = 200
SPAM, COMMUNITY = "spam", "community"


@dataclass(frozen=True, eq=False)
class Measured:
    """One crawl, measured; the run itself, an entry a page, is let go."""

    strategy: str
    order: str
    oracle: bool
    pagerank: Floats
    hosts: NDArray[np.int64] | None
    communities: NDArray[np.int64] | None
    spam_share: Floats | None
    depth_pages: NDArray[np.int64]
    depth_mass: Floats
    pages: int
    seconds: float
    exhausted: bool


class Stopped(Exception):
    """Ends a crawl whose outcome nobody waits for any more."""


class Measures:
    """Measures crawls of a web at the same numbers of pages fetched, `at`. Once `stop` is set, crawls end early."""

    def __init__(self, web: Web, pagerank: NDArray[np.float64], budget: int, stop: Event) -> None:
        self._stop = stop
        self.at = np.unique(np.linspace(0, budget, min(POINTS, budget) + 1).astype(np.int64)[1:])
        self._web, self._pagerank, self._budget = web, pagerank, budget
        self._spam = web.columns.get(SPAM)
        labels = web.columns.get(COMMUNITY)
        self._communities = None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int32)

    def job(self, strategy: str, seeds: Seeds, order: str, conditions: Conditions) -> Callable[[], Measured]:
        """A crawl to be made and measured."""

        def run() -> Measured:
            made = crawl(
                self._web,
                seeds,
                order,
                self._budget,
                conditions=conditions,
                scores=self._pagerank,
                progress=self._go_on,
            )
            return self._measured(strategy, made)

        return run

    def bound_job(self, seeds: Seeds, conditions: Conditions) -> Callable[[], Floats]:
        """The most PageRank that any order can hold from some seeds, at the same numbers of pages."""

        def run() -> Floats:
            most = bound(self._web, seeds, self._pagerank, self._budget, conditions=conditions, progress=self._go_on)
            return most[np.minimum(self.at, len(most) - 1)]

        return run

    def _go_on(self, stage: str, done: int, total: int) -> None:
        if self._stop.is_set():
            raise Stopped

    def _measured(self, strategy: str, run: Run) -> Measured:
        found = curves(run, self._web, pagerank=self._pagerank, spam=self._spam, at=self.at)
        assert found.pagerank is not None  # noqa: S101
        return Measured(
            strategy=strategy,
            order=run.order,
            oracle=run.oracle,
            pagerank=found.pagerank,
            hosts=found.hosts,
            communities=self._reached(run),
            spam_share=found.spam_share,
            depth_pages=np.bincount(run.depth, minlength=1),
            depth_mass=np.bincount(run.depth, self._pagerank[run.pages], 1).astype(np.float64),
            pages=len(run),
            seconds=run.seconds,
            exhausted=run.exhausted,
        )

    def _reached(self, run: Run) -> NDArray[np.int64] | None:
        if self._communities is None:
            return None
        seen = np.zeros(int(self._communities.max(initial=-1)) + 1, np.bool_)
        return first_visits(run.pages, self._communities, seen)[np.minimum(self.at, len(run))]


def crawl_pair(strategy: str, order: str, at: NDArray[np.int64], measured: Sequence[Measured]) -> Crawls:
    """All crawls of a pair."""
    own = [one for one in measured if (one.strategy, one.order) == (strategy, order)]
    pages = _summed([one.depth_pages for one in own])
    mass = _summed([one.depth_mass for one in own])
    return Crawls(
        strategy=strategy,
        order=order,
        oracle=own[0].oracle,
        fetched=at,
        pagerank=np.array([one.pagerank for one in own]),
        hosts=_rows([one.hosts for one in own]),
        communities=_rows([one.communities for one in own]),
        spam_share=_rows([one.spam_share for one in own]),
        depth_pages=pages / len(own),
        depth_pagerank=mass / np.maximum(pages, 1),
        pages=np.array([one.pages for one in own], np.float64),
        seconds=float(np.median([one.seconds for one in own])),
        exhausted=all(one.exhausted for one in own),
    )


def _rows(curves_of: Sequence[NDArray[np.float64] | NDArray[np.int64] | None]) -> Floats | None:
    return None if any(one is None for one in curves_of) else np.array(curves_of, np.float64)


def _summed(depths: Sequence[NDArray[np.float64] | NDArray[np.int64]]) -> Floats:
    total = np.zeros(max(len(one) for one in depths))
    for one in depths:
        total[: len(one)] += one
    return total
