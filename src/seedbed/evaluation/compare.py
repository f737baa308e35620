"""Strategies and orders compared: every order crawls from the seeds of every strategy, several times.

What is compared is in `Task`. In the i-th crawls a share of the pages cannot be fetched: different pages each time, the
same for all pairs. Whatever is random is drawn again each time. So every number has an interval, and pairs are compared
crawl by crawl, where what they have in common cancels out. All start from the same number of seeds
(comparison_seeds.py), and every pair is also compared with what no order could beat (comparison_crawls.py).
comparison.py decides when a result is certain.

With an older web, or a part of the hosts hidden, seeds are chosen there and judged here (out_of_sample.py); the same
strategies' seeds chosen here are crawled as well, to show what a choice gains by having seen the web that judges it.

Cost: PageRank and the shape of the web once, the strategies, pairs × repeats crawls of O(links of the pages fetched)
and strategies × repeats bounds of O(links), in as many threads as memory allows. Out of sample, twice the strategies
and the crawls.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import require
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.common.threads import thread_count
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_plan import checked_budget
from seedbed.crawling.orders import DEFAULT_ORDER, find_order
from seedbed.crawling.simulator import LOOKING_AT_SITES
from seedbed.errors import NeedsHosts, OptionError, UsageError
from seedbed.evaluation.comparison import Comparison, Pair
from seedbed.evaluation.comparison_crawls import (
    BYTES_PER_CRAWL,
    ComparedOrder,
    compared_orders,
    crawl_pairs,
    order_of,
)
from seedbed.evaluation.comparison_seeds import (
    Choice,
    SeedChooser,
    equal_k,
    is_seed_file,
    label,
    notes_on_seeds,
    read_lists,
)
from seedbed.evaluation.out_of_sample import (
    LATER_CRAWL,
    SAME_WEB,
    ChoosingSide,
    judged_choices,
    notes_on_lost,
    older_side,
    seeds_left,
    without_hosts,
)
from seedbed.seeds import STRATEGIES, strategy_of
from seedbed.seeds.seed_files import ENDINGS

if TYPE_CHECKING:
    from seedbed.evaluation.core_distances import CoreDistances
    from seedbed.graph.web import Web
    from seedbed.last_crawl import Remembered
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.seeds import Seeds
    from seedbed.shape.web_shape import Shape
    from seedbed.urls.sites import SiteKind

DEFAULT_STRATEGIES = ("cores", "cover", "pagerank", "maxweight", "random")
DEFAULT_ORDERS = (DEFAULT_ORDER, "fpr@100", "opic", "bfs", "oracle")
MAX_CORES = 100
"""How many cores to measure distances between."""


@dataclass(frozen=True)
class Task:
    """What to compare, and how. `failure`: the share of pages that cannot be fetched, different ones in every crawl.

    `strategies`: names, seed files, or functions as `sb.select` takes them. `orders`: names, or classes as `sb.crawl`
    takes them. `site`: what counts as a site to orders that look at sites. `hide_hosts`: the share of the hosts that
    the choice of seeds does not see.
    """

    strategies: tuple[Any, ...] = DEFAULT_STRATEGIES
    orders: tuple[Any, ...] = DEFAULT_ORDERS
    k: int = 100
    budget: int | None = None
    hops: int = 5
    repeats: int = 10
    failure: float = 0.05
    site: SiteKind = "host"
    seed: int = 1
    hide_hosts: float = 0.0

    def __post_init__(self) -> None:
        for name in ("strategies", "orders"):
            object.__setattr__(self, name, tuple(dict.fromkeys(getattr(self, name))))
            if not getattr(self, name):
                raise OptionError(f"there are no {name} to compare; name at least one.")
        object.__setattr__(self, "strategies", tuple(map(_checked_strategy, self.strategies)))
        names = [label(strategy) for strategy in self.strategies]
        for name in names:
            if names.count(name) > 1:
                raise OptionError(f"two lists or strategies are called '{name}', also in the report; rename one.")
        if all(order_of(order).declared.oracle for order in self.orders):
            raise OptionError("these orders are all oracles, which no crawler can use; name another order as well.")
        if self.site != "host" and not any(order_of(order).declared.needs_hosts for order in self.orders):
            raise OptionError(f"none of these orders looks at sites; leave out --site. {LOOKING_AT_SITES}")
        if self.k < 1:
            raise UsageError(f"k is {self.k}; it must be at least 1.")
        if self.repeats < 1:
            raise OptionError(f"repeats is {self.repeats}; give 1 or more, and 10 for reliable intervals.")
        if not 0 <= self.hide_hosts < 1:
            raise OptionError(f"hide_hosts is {self.hide_hosts:g}; give a share of the hosts, from 0 to below 1.")
        Conditions(failure=self.failure)

    @property
    def has_default_strategies(self) -> bool:
        """Whether the strategies are the default ones, possibly followed by the user's own lists."""
        return self.strategies[: len(DEFAULT_STRATEGIES)] == DEFAULT_STRATEGIES


def _checked_strategy(given: Any) -> Any:
    """A name or seed file as it is, a function as a strategy; anything else is refused."""
    if not isinstance(given, str):
        return strategy_of(given)
    if not is_seed_file(given):
        if Path(given).suffix in ENDINGS:
            raise OptionError(f"{given}: there is no such file. Name an existing seed file, or a strategy.")
        STRATEGIES[given]  # an unknown name is refused
    return given


def compare(
    web: Web,
    task: Task | None = None,
    *,
    old: Web | None = None,
    last: Any = None,
    values: NDArray[Any] | str | None = None,
    old_values: NDArray[Any] | str | None = None,
    shape: Shape | None = None,
    seeds: Iterable[Seeds] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Crawl a web with every order from the seeds of every strategy.

    `old`: an older snapshot, which the seeds are then chosen from. `last`: what the last crawl knew, for orders that
    remember; by default what the older snapshot knows. `values`, `old_values`: what the pages of the two webs are
    worth; if `values` is "last", what the last crawl knew of both. `shape`: the web's, if already known. `seeds`: those
    already chosen on one of the two, if pages are worth 1.
    """
    from seedbed.shape.describe import describe

    threads, seconds = thread_count(threads), dict[str, float]()
    task, notes = _fitted(web, task or Task())
    lists = read_lists(web, task.strategies)
    k, said = equal_k(task.k, lists)
    task = replace(task, k=k)
    require(BYTES_PER_CRAWL * web.page_count, "a comparison of crawls", memory)
    orders = compared_orders(task.orders, last_known=last is not None or old is not None)
    side = _choosing_side(web, old, task)
    with _timed(seconds, "pagerank"):
        known = _known(web, side, last, values, old_values, threads, progress)
    with _timed(seconds, "shape"):
        shape = shape or describe(web, threads=threads, progress=progress)
    with _timed(seconds, "seeds"):
        ready = tuple(seeds) if known.values is None else ()
        found, judged = _chosen(web, task, known, lists, ready, threads, progress)
        choices = tuple(one for one in found if one.strategy in {other.strategy for other in judged})
    with _timed(seconds, "cores"):
        cores = _cores(web, choices, threads, progress)
    with _timed(seconds, "crawls"):
        how: Any = {"threads": threads, "memory": memory, "progress": progress}
        pairs, bounds, in_sample = _crawled(web, task, known, choices, judged, orders, how)
    notes += [f"{name}: finds no seed in this web" for name in _missing(task, found)]
    notes += [*said, *_notes_on_evidence(known, judged, found, k), *notes_on_seeds(choices, k)]
    return Comparison(
        web,
        shape,
        choices,
        pairs,
        bounds,
        cores,
        _facts(web, task, known, orders, judged),
        seconds,
        (*notes, *_notes_on_early_ends(judged, pairs)),
        {order.name: order.meaning for order in orders},
        in_sample,
    )


@dataclass(frozen=True, eq=False)
class Known:
    """What is known before seeds are chosen. `ranking`: of the web that judges. `side`: where seeds are chosen, None if
    on that web; `side_ranking`: its PageRank, if known already. `last`: what the last crawl knew of the pages of the
    web that judges. `values`, `side_values`: what pages are worth.
    """

    ranking: Ranking
    side: ChoosingSide | None
    side_ranking: Ranking | None
    last: Remembered | None
    values: NDArray[Any] | None
    side_values: NDArray[Any] | None


def _known(
    web: Web,
    side: ChoosingSide | None,
    last: Any,
    values: NDArray[Any] | str | None,
    old_values: NDArray[Any] | str | None,
    threads: int,
    progress: Progress,
) -> Known:
    """Rank the web, and ask the last crawl, which is the older web unless another is given."""
    from seedbed.last_crawl import is_values, open_last, where_is_last
    from seedbed.ranking.pagerank import pagerank

    old = side.web if side is not None and side.judged_on == LATER_CRAWL else None
    side_ranking = None
    if old is not None and last is None:
        last = side_ranking = replace(pagerank(old, threads=threads, progress=progress), web=old)
    opened = None if last is None else open_last(last, threads=threads, progress=progress)
    about = None if opened is None else opened.about(web)
    if is_values(values):
        if opened is None or about is None:
            raise where_is_last()
        values, old_values = about.values(), None if old is None else opened.about(old).values()
    if side is not None and old is None and values is not None:
        old_values = np.asarray(values)[side.page_there]
    ranking = pagerank(web, threads=threads, progress=progress)
    return Known(ranking, side, side_ranking, about, values, old_values)  # type: ignore[arg-type]


def _chosen(
    web: Web,
    task: Task,
    known: Known,
    lists: Mapping[str, tuple[list[int], int]],
    ready: Sequence[Seeds],
    threads: int,
    progress: Progress,
) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
    """What every strategy chooses on the web that judges, and the seeds to judge: these, or those chosen elsewhere, as
    far as they are there in this web; the user's own lists as they are.
    """
    found = tuple(SeedChooser(web, task, known.values, known.ranking, lists, ready, threads, progress).choices())
    own, side = tuple(one for one in task.strategies if not is_seed_file(one)), known.side
    if side is None or not own:
        return found, found
    there = replace(task, strategies=own)
    chooser = SeedChooser(side.web, there, known.side_values, known.side_ranking, {}, ready, threads, progress)
    return found, judged_choices(side, list(chooser.choices()), found, web)


def _crawled(
    web: Web,
    task: Task,
    known: Known,
    choices: Sequence[Choice],
    judged: Sequence[Choice],
    orders: Sequence[ComparedOrder],
    how: Any,
) -> tuple[tuple[Pair, ...], dict[str, Any], tuple[Pair, ...]]:
    """The crawls from the seeds to judge, their bounds, and those from seeds chosen on the web that judges them."""
    given = {**how, "last": None if known.last is None else known.last.scores}
    pairs, bounds = crawl_pairs(web, task, judged, orders, known.ranking.scores, **given)
    if known.side is None:
        return pairs, bounds, ()
    in_sample, _ = crawl_pairs(web, task, choices, orders, known.ranking.scores, bounded=False, **given)
    return tuple(_without_mark(pair, known.side) for pair in pairs), bounds, in_sample


def _missing(task: Task, found: Sequence[Choice]) -> list[str]:
    """Strategies that find no seed."""
    names = {choice.strategy for choice in found}
    return [name for name in map(label, task.strategies) if name not in names]


def _name(strategy: Any) -> str:
    return strategy if isinstance(strategy, str) else str(strategy.name)


@contextmanager
def _timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[part] = time.perf_counter() - start


def _choosing_side(web: Web, old: Web | None, task: Task) -> ChoosingSide | None:
    """Where seeds are chosen, if not on the web that judges them."""
    if old is not None and task.hide_hosts:
        raise OptionError("with an older web no hosts need to be hidden; leave out --hide-hosts.")
    if old is not None:
        return older_side(old, web)
    return without_hosts(web, task.hide_hosts, task.seed) if task.hide_hosts else None


def _without_mark(pair: Pair, side: ChoosingSide) -> Pair:
    """A pair judged by the PageRank of a later crawl: that PageRank did not choose its seeds."""
    return replace(pair, chosen_by_pagerank=pair.oracle) if side.judged_on == LATER_CRAWL else pair


def _notes_on_evidence(known: Known, judged: Sequence[Choice], found: Sequence[Choice], k: int) -> Iterator[str]:
    """Notes on what pages are worth, on where the seeds were chosen, and on what the last crawl knew."""
    if known.values is not None:
        yield "page values choose the seeds and measure what they cover; crawls are judged by PageRank"
    if known.side is not None:
        yield known.side.note
        yield from notes_on_lost(judged, found, k)
    if known.last is not None:
        yield from known.last.notes()


def _facts(
    web: Web, task: Task, known: Known, orders: Sequence[ComparedOrder], judged: Sequence[Choice]
) -> dict[str, Any]:
    """What was compared and how; what the seeds were chosen from and judged on; what the orders knew."""
    side, last = known.side, known.last
    return {
        **vars(task),
        "strategies": tuple(map(_name, task.strategies)),
        "orders": tuple(order.name for order in orders),
        "pages": web.page_count,
        "with_values": known.values is not None,
        "judged_on": SAME_WEB if side is None else side.judged_on,
        "chosen_on": [] if side is None else [side.source],
        "snapshots": 1,
        "seeds_left": {choice.strategy: seeds_left(choice) for choice in judged},
        "seeds_added": {choice.strategy: choice.added for choice in judged},
        "last": None if last is None else last.source,
        "gone_then": 0 if last is None else last.comes_last,
    }


def _fitted(web: Web, task: Task) -> tuple[Task, list[str]]:
    """The task as the web allows it, and notes: k and budget are capped by its pages, defaults depend on its hosts."""
    notes, pages = [], web.page_count
    for name, asked in (("k", task.k), ("the budget", task.budget or 0)):
        if asked > pages:
            notes.append(f"{name} is {asked:,}, more than the web's {pages:,} pages, so it means all of them")
    # By default a fifth of the web: crawls that fetch all of it end the same.
    budget = max(1, pages // 5) if task.budget is None else checked_budget(web, task.budget)
    task = replace(task, k=min(task.k, pages), budget=budget)
    try:
        web.sites("host")
    except NeedsHosts:
        strategies, orders = task.strategies, task.orders
        # What the user named stays, and is refused later.
        if task.has_default_strategies:
            strategies = tuple(one for one in strategies if not (one in STRATEGIES and STRATEGIES[one].needs_hosts))
        if orders == DEFAULT_ORDERS:
            orders = tuple(name for name in orders if not find_order(name).needs_hosts)
        missing = [name for name in (*task.strategies, *task.orders) if name not in (*strategies, *orders)]
        if missing:
            notes.insert(0, f"left out: {' and '.join(missing)}; the web has no hosts, which they need")
        return replace(task, strategies=strategies, orders=orders), notes
    return task, notes


def _cores(web: Web, choices: Sequence[Choice], threads: int, progress: Progress) -> Mapping[str, CoreDistances]:
    """Distances between the first cores of each strategy that has them."""
    from seedbed.evaluation.core_distances import core_distances

    found = {}
    for choice in choices:
        cores = [seed.core for seed in choice.seeds if seed.core is not None][:MAX_CORES]
        if len(cores) > 1:
            found[choice.strategy] = core_distances(web, cores, threads=threads, progress=progress)
    return found


def _notes_on_early_ends(choices: Sequence[Choice], pairs: Sequence[Pair]) -> Iterator[str]:
    """Notes on strategies whose seeds reach fewer pages than the budget."""
    for choice in choices:
        pages = max(float(pair.pages.mean()) for pair in pairs if pair.strategy == choice.strategy)
        budget = int(pairs[0].fetched[-1])
        if pages < budget:
            yield (
                f"{choice.strategy}: its crawls end after {pages:,.0f} of {counted(budget, 'page')} on average; no "
                "more can be reached from its seeds"
            )
