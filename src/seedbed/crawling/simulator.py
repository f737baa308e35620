"""Crawls simulated on a known web.

A crawl starts with its seeds known. Again and again the order picks a page among those known and not yet picked, the
page is fetched, and its links become known. An order sees the links of fetched pages only. It ends when `budget` pages
are fetched, when the guaranteed mass reaches `until_mass`, or when no page is left to pick.

Memory: 20 bytes a page and mostly up to 20 for the order, beside the web. The run is sampled at the end of each stage.
Work is done in stretches of a fraction of a second: between them progress is reported, Ctrl-C is noticed and, if asked
for, a checkpoint is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_loop import EMPTY, advance, enter_all
from seedbed.crawling.crawl_plan import Plan, checked_budget, checked_mass, first_pages
from seedbed.crawling.crawl_state import FETCHED, named_arrays, new_crawl_state
from seedbed.crawling.orders import DEFAULT_ORDER, ORDERS, find_order
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.python_orders import PythonOrder, make_order, run_python_order
from seedbed.crawling.run import Run, Trace, finished_run
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds
    from seedbed.urls.sites import SiteKind

LOOKING_AT_SITES = "Orders that do: fpr@M and live-pagerank@M with an M above 1, largest-site-first."
STRETCH = 1 << 16
BYTES_A_PAGE_OF_A_RUN = 8


def crawl(
    web: Web,
    seeds: Seeds | Iterable[Any],
    order: str | PythonOrder | type[PythonOrder] | None = None,
    budget: int | None = None,
    *,
    conditions: Conditions | None = None,
    until_mass: float | None = None,
    damping: float = 0.85,
    scores: NDArray[Any] | None = None,
    last: NDArray[np.float32] | None = None,
    site: SiteKind = "host",
    checkpoint: Checkpoint | None = None,
    progress: Progress = no_progress,
) -> Run:
    """Fetch up to `budget` pages (by default all that can be reached) from the seeds, in an order.

    `seeds`: Seeds, page ids or URLs. `order`: a name, or an object or class with the methods of PythonOrder; by default
    live-pagerank. A budget beyond the web means all of it. `scores`: the true PageRank where it is known already; only
    oracles use it. `last`: what the last crawl knew of each page, for orders that remember. `site`: what counts as a
    site to orders that look at sites. `checkpoint`: where the
    crawl is kept while it runs, if its order is a built-in one; one that stands there already goes on. It is removed
    when the crawl has ended, unless it is `lasting`.
    """
    plan = Plan(
        web,
        first_pages(web, seeds),
        checked_budget(web, budget),
        conditions or Conditions(),
        checked_mass(until_mass),
        damping,
        scores,
        last,
        site,
    )
    order = DEFAULT_ORDER if order is None else order
    if last is not None and not (isinstance(order, str) and find_order(order).remembers):
        knowing = ", ".join(name for name in ORDERS if ORDERS[name].remembers)
        raise OptionError(f"order '{_name(order)}' cannot use the last crawl. Orders that can: {knowing}.")
    if site != "host" and not (isinstance(order, str) and find_order(order).needs_hosts):
        raise OptionError(f"order '{_name(order)}' does not look at sites; leave out --site. {LOOKING_AT_SITES}")
    if not isinstance(order, str):
        made = make_order(order, order.__name__) if isinstance(order, type) else order
        return run_python_order(plan, type(made).__name__, made, progress)
    found = find_order(order)
    if found.python is not None:
        return run_python_order(plan, found.name, make_order(found.python, found.name, found.number), progress)
    return Simulation(plan, found).run(checkpoint, progress)


def _name(order: Any) -> str:
    return order if isinstance(order, str) else str(getattr(order, "__name__", type(order).__name__))


class Simulation:
    """A crawl by an order that runs in kernels: its state, its limits, the order's state."""

    def __init__(self, plan: Plan, order: Order) -> None:
        self.plan, self.order, self.name = plan, order, order.name
        polite = plan.conditions.fetches_per_tick or 0
        if polite and not order.polite:
            raise OptionError(f"order '{order.name}' cannot fetch politely: it passes scores on without fetching.")
        if not order.guarantees and np.isfinite(plan.until_mass):
            raise OptionError(f"order '{order.name}' guarantees no mass; --until-mass works with the RankMass orders.")
        self.state = new_crawl_state(plan.web.page_count, plan.budget, scored=order.scored, polite=polite > 0)
        self.limits = plan.conditions.limits(plan.web)
        self.order_state = order.prepare(self._context(polite)) if order.prepare else None
        self.trace = Trace()
        require(self._bytes(), f"a crawl by {order.name}")  # no page of these arrays has been touched yet

    def _bytes(self) -> int:
        """What the crawl takes beside the web: its record, and the order's state or, after that, the run."""
        record = {id(array): array.nbytes for _, array in named_arrays("", (self.state, self.limits))}
        own = {id(array): array.nbytes for _, array in named_arrays("", self.order_state) if id(array) not in record}
        return sum(record.values()) + max(sum(own.values()), BYTES_A_PAGE_OF_A_RUN * self.plan.budget)

    def _context(self, fetches_per_tick: int) -> CrawlContext:
        web = self.plan.web
        return CrawlContext(
            pages=web.page_count,
            number=float(self.order.number or 0),
            damping=self.plan.damping,
            seeds=self.plan.seeds,
            seed=self.plan.conditions.seed,
            fetches_per_tick=fetches_per_tick,
            site=self.plan.site,
            sites=lambda: web.sites(self.plan.site).of_page,
            frontier=self._frontier,
            scores=self._scores,
            last=self.plan.last,
        )

    def _frontier(self) -> Any:
        from seedbed.crawling.frontier.heap import make_heap

        if self.plan.conditions.fetches_per_tick is None:
            return make_heap(self.plan.web.page_count)
        from seedbed.crawling.frontier.host_heaps import make_host_heaps

        hosts = self.plan.web.sites("host")
        return make_host_heaps(hosts.of_page, len(hosts.names), self.plan.conditions.fetches_per_tick)

    def _scores(self) -> NDArray[np.float64]:
        if self.plan.scores is not None:
            return np.ascontiguousarray(self.plan.scores, np.float64)
        from seedbed.ranking.pagerank import pagerank

        return pagerank(self.plan.web, damping=self.plan.damping).scores

    def run(self, checkpoint: Checkpoint | None = None, progress: Progress = no_progress) -> Run:
        """Crawl to the end, from the start or from where the checkpoint stands."""
        if checkpoint is None or not checkpoint.load(self):
            enter_all(self.order_state, self.state, self.limits, self.plan.seeds)
        try:
            empty = self._stages(checkpoint, progress)
        except KeyboardInterrupt:
            if checkpoint is not None:
                self._note()
                checkpoint.keep(self, now=True)
            raise
        self.order_state = None  # the order's memory is free before the run needs some
        run = finished_run(self.plan, self.order, self.state, self.trace, exhausted=empty)
        if checkpoint is not None and not checkpoint.lasting:
            checkpoint.remove()
        return run

    def _stages(self, checkpoint: Checkpoint | None, progress: Progress) -> bool:
        """Stretch after stretch; whether nothing was left to fetch."""
        links, budget, counts = self.plan.web.links, self.plan.budget, self.state.counts
        arrays, buffer = links.arrays(), links.buffer()
        stage, mass = self.plan.stage, self.plan.until_mass
        self.trace.resume()
        while counts[FETCHED] < budget and self.state.mass[0] < mass:
            until = min(budget, (int(counts[FETCHED]) // stage + 1) * stage)
            with links.guarded(buffer.at):
                status = advance(self.order_state, self.state, self.limits, arrays, buffer, until, mass, STRETCH)
            if status == EMPTY:
                self.trace.sample_once(self.state, float(self.state.mass[0]))
                progress(self.name, int(counts[FETCHED]), budget)
                return True
            self._note()
            progress(self.name, int(counts[FETCHED]), budget)
            if checkpoint is not None:
                checkpoint.keep(self)
        return False

    def _note(self) -> None:
        """Sample the run where a stage, or all of it, has ended."""
        fetched = int(self.state.counts[FETCHED])
        if self.state.mass[0] >= self.plan.until_mass:
            self.trace.sample_once(self.state, self.plan.until_mass)
        elif fetched == self.plan.budget or (fetched and fetched % self.plan.stage == 0):
            self.trace.sample_once(self.state)
