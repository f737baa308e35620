"""Orders written in Python, by anyone: a small class, seen by the simulator through three methods.

    class NewestFirst:
        oracle = False
        def __init__(self): self.waiting = []
        def discover(self, page, view): self.waiting.append(page)
        def next(self): return self.waiting.pop() if self.waiting else None

`discover` is called once for each page that becomes known, `next` gives one of these that it has not given before.
`learn(page, links, view)`, where there is one, is called for each page fetched, with its links. An order of this kind
takes some microseconds a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.crawling.crawl_state import FETCHED, UNAVAILABLE, CrawlState, discover, fetch, new_crawl_state
from seedbed.crawling.orders.order import declared
from seedbed.crawling.run import Run, Trace, finished_run
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.crawling.crawl_plan import Plan


class CrawlView:
    """What a crawler knows: the pages it has seen, and the links of those it has fetched."""

    def __init__(self, plan: Plan, state: CrawlState) -> None:
        self._web, self._state = plan.web, state
        self._was_fetched = np.zeros(plan.web.page_count, np.bool_)

    @property
    def fetched(self) -> NDArray[np.int32]:
        """The pages fetched so far, in that order."""
        view = self._state.fetched[: self._state.counts[FETCHED]]
        view.flags.writeable = False
        return view

    def is_known(self, page: int) -> bool:
        """Whether a page has been seen: a seed, or a link on a page fetched."""
        return 0 <= page < self._web.page_count and bool(self._state.number[page])

    def links(self, page: int) -> NDArray[Any]:
        """The links of a page that was fetched."""
        if not (self.is_known(page) and self._was_fetched[page]):
            raise OptionError(f"page {page} has not been fetched; an order sees the links of fetched pages only.")
        return self._web.links.successors(page)

    def parent(self, page: int) -> int:
        """The page whose link led to a known page; −1 for a seed."""
        self._known(page)
        return int(self._state.parent[page])

    def url(self, page: int) -> str | None:
        """The URL of a known page, where the web has URLs."""
        self._known(page)
        return None if self._web.urls is None else self._web.urls[page]

    def host(self, page: int) -> int:
        """The number of a known page's host."""
        self._known(page)
        return int(self._web.sites("host").of_page[page])

    def _fetch(self, page: int) -> NDArray[Any]:
        """For the simulator: a page is fetched, here are its links."""
        self._was_fetched[page] = True
        return self.links(page)

    def _known(self, page: int) -> None:
        if not self.is_known(page):
            raise OptionError(f"page {page} has not been seen; an order knows seeds and the links of fetched pages.")


class PythonOrder(Protocol):
    """Picks the next page to fetch. `oracle`: it uses more than the view shows, and is labelled so."""

    oracle: bool

    def discover(self, page: int, view: CrawlView) -> None:
        """A page has become known."""

    def next(self) -> int | None:
        """The page to fetch next, None where none is left."""


def make_order(make: Callable[..., Any], name: str, number: Any = None) -> PythonOrder:
    """An order of a class, which is given what stands after the @ of its name."""
    try:
        order: PythonOrder = make() if number is None else make(number)
    except (TypeError, ValueError) as error:
        raise OptionError(f"order '{name}' cannot be made: {error}.") from error
    return order


def _check(order: Any, name: str) -> None:
    """Refuse what is not an order before the work begins."""
    missing = [part for part in ("oracle", "discover", "next") if not hasattr(order, part)]
    if missing:
        raise OptionError(f"order '{name}' has no {' and no '.join(missing)}; see CONTRIBUTING, Adding an order.")


def run_python_order(plan: Plan, name: str, order: PythonOrder, progress: Progress) -> Run:
    """A crawl by an order that is an object."""
    _check(order, name)
    if plan.conditions.fetches_per_tick is not None or np.isfinite(plan.until_mass):
        raise OptionError(f"order '{name}' is an object: politeness and --until-mass are for the built-in orders.")
    state = new_crawl_state(plan.web.page_count, plan.budget, scored=False)
    limits = plan.conditions.limits(plan.web)
    view, trace = CrawlView(plan, state), Trace()
    trace.resume()
    learned = getattr(order, "learn", None)
    _announce(order, view, newly_known(state, limits, plan.seeds, -1))
    exhausted = False
    while state.counts[FETCHED] < plan.budget:
        page = order.next()
        if page is None:
            exhausted = True
            break
        if not isinstance(page, int | np.integer):
            raise OptionError(
                f"order '{name}' gave {page!r}; a page is a whole number, and None says that none is left."
            )
        if not (view.is_known(page) and state.number[page] > 0):
            raise OptionError(f"order '{name}' gave page {page}, which is not known or was given before.")
        if fetch_page(state, limits, page):
            links = view._fetch(page)
            _announce(order, view, newly_known(state, limits, links, page))
            if learned is not None:
                learned(page, links, view)
            if state.counts[FETCHED] % plan.stage == 0:
                trace.sample(state)
                progress(name, int(state.counts[FETCHED]), plan.budget)
    if exhausted or state.counts[FETCHED] % plan.stage:
        trace.sample(state)
    own = replace(declared(name, type(order)), oracle=bool(order.oracle))
    return finished_run(plan, own, state, trace, exhausted=exhausted)


def _announce(order: PythonOrder, view: CrawlView, pages: NDArray[Any]) -> None:
    for page in pages.tolist():
        order.discover(page, view)


@kernel
def newly_known(state: Any, limits: Any, targets: Any, source: int) -> Any:
    """The targets of these links that have just become known and can be fetched."""
    new = np.empty(targets.size, np.int64)
    count = 0
    for target in targets:
        if state.number[target] == 0 and discover(state, limits, target, source) != UNAVAILABLE:
            new[count] = target
            count += 1
    return new[:count]


@kernel
def fetch_page(state: Any, limits: Any, page: int) -> bool:
    """Fetch a page."""
    return fetch(state, limits, page, 0.0)
