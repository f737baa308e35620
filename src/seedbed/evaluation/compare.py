"""Strategies and orders side by side: every order crawls from the seeds of every strategy, several times.

In the i-th crawls a share of the pages, drawn with the i-th seed and the same for all pairs, cannot be fetched, and
what has chance in it is drawn anew. So every figure has an interval, and pairs are compared crawl by crawl, where what
they have in common cancels out. All start from as many seeds, and every pair is also held against what no order could
beat: the bound from the same seeds with the same pages failing.

PageRank, hosts and the seeds of each draw are made once. Cost: PageRank, the strategies, and pairs × repeats crawls of
O(links of the pages fetched) and strategies × repeats bounds of O(links), in as many threads as there is memory for:
BYTES_A_CRAWL a page of the web and thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import machine_memory, require
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_plan import checked_budget
from seedbed.crawling.orders import find_order
from seedbed.errors import NeedsHosts, OptionError, UsageError
from seedbed.evaluation.comparison import Choice, Comparison, Crawls, Floats
from seedbed.evaluation.comparison_crawls import Measures, crawl_pair
from seedbed.evaluation.comparison_seeds import Choosing, equal_k, is_seed_file, label, notes_on_seeds, read_lists
from seedbed.seeds import STRATEGIES
from seedbed.seeds.seed_files import ENDINGS

if TYPE_CHECKING:
    from seedbed.evaluation.core_distances import CoreDistances
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.seeds import Seeds
    from seedbed.shape.web_shape import Shape

COMPARED_STRATEGIES = ("cores", "cover", "pagerank", "maxweight", "random")
COMPARED_ORDERS = ("fpr@100", "bfs", "opic", "random", "oracle")
NEEDS_HOSTS = frozenset({"cores", "fpr@100"})
"""Those of them that a web without hosts cannot have."""
CHANCE_IN_ORDERS = frozenset({"random"})
REPEATS = 10
FAILURE = 0.05
MOST_CORES = 100
BYTES_A_CRAWL = 100


@dataclass(frozen=True)
class Task:
    """What to compare, and how. `failure`: the share of pages that cannot be fetched, others in every crawl."""

    strategies: tuple[str, ...] = COMPARED_STRATEGIES
    orders: tuple[str, ...] = COMPARED_ORDERS
    k: int = 100
    budget: int | None = None
    hops: int = 5
    repeats: int = REPEATS
    failure: float = FAILURE
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("strategies", "orders"):
            object.__setattr__(self, name, tuple(dict.fromkeys(getattr(self, name))))
            if not getattr(self, name):
                raise OptionError(f"there are no {name} to compare; name at least one.")
        for strategy in self.strategies:
            if is_seed_file(strategy):
                continue
            if Path(strategy).suffix in ENDINGS:
                raise OptionError(f"{strategy}: there is no such file. Name a seed file that is there, or a strategy.")
            STRATEGIES[strategy]
        names = [label(strategy) for strategy in self.strategies]
        for name in names:
            if names.count(name) > 1:
                raise OptionError(f"two seed files are called '{name}'; rename one, for the report names them so.")
        if not any(_can_be_used(order) for order in self.orders):
            raise OptionError("only oracles are named, which no crawler can use; name another order beside them.")
        if self.k < 1:
            raise UsageError(f"k is {self.k}; give 1 or more.")
        if self.repeats < 1:
            raise OptionError(f"repeats is {self.repeats}; give 1 or more, 10 for intervals that can be trusted.")


def _can_be_used(order: str) -> bool:
    return not find_order(order).oracle


@dataclass(eq=False)
class Clock:
    """Seconds by part of the work."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what is done inside for a part."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def compare(
    web: Web,
    task: Task | None = None,
    *,
    values: NDArray[Any] | None = None,
    shape: Shape | None = None,
    seeds: Iterable[Seeds] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Crawl a web with every order from the seeds of every strategy.

    `shape`, `seeds`: those of the web, where they are known already; seeds only for pages that are worth 1 each.
    """
    from seedbed.common.threads import thread_count
    from seedbed.ranking.pagerank import pagerank
    from seedbed.shape.describe import describe

    task, threads, clock = task or Task(), thread_count(threads), Clock()
    beyond = list(_beyond(web, task))
    task, notes = _fitting(web, task)
    notes += beyond
    lists = read_lists(web, task.strategies)
    k, said = equal_k(min(task.k, web.page_count), lists)
    task = replace(task, k=k, budget=_budget(web, task.budget))
    require(BYTES_A_CRAWL * web.page_count, "a comparison of crawls", memory)
    with clock.part("shape"):
        shape = shape or describe(web, threads=threads, progress=progress)
    with clock.part("pagerank"):
        ranking = pagerank(web, threads=threads, progress=progress)
    with clock.part("seeds"):
        made = tuple(seeds) if values is None else ()
        choosing = Choosing(web, task, values, ranking, lists, made, threads, progress)
        choices = tuple(choosing.choices(COMPARED_STRATEGIES))
    with clock.part("cores"):
        cores = _cores(web, choices, threads, progress)
    with clock.part("crawls"):
        crawls, bounds = _crawls(web, task, choices, ranking, _workers(web, threads, memory), progress)
    facts = {**vars(task), "pages": web.page_count, "with_values": values is not None}
    chosen = {choice.strategy for choice in choices}
    notes += [f"{name}: finds no seed in this web" for name in map(label, task.strategies) if name not in chosen]
    if values is not None:
        said.append("values choose seeds and measure what they cover; crawls are judged by PageRank")
    told = (*notes, *said, *notes_on_seeds(choices, task.k), *_notes_on_ends(choices, crawls))
    return Comparison(web, shape, choices, crawls, bounds, cores, facts, clock.seconds, told)


def _beyond(web: Web, task: Task) -> Iterator[str]:
    """What was asked for that the web does not have."""
    for name, asked in (("k", task.k), ("the budget", task.budget or 0)):
        if asked > web.page_count:
            yield f"{name} is {asked:,}, more than the web's {web.page_count:,} pages, and so means all of them"


def _budget(web: Web, budget: int | None) -> int:
    """As asked for; by default a fifth of the web, for crawls that fetch all of it end the same."""
    return checked_budget(web, budget) if budget is not None else max(1, web.page_count // 5)


def _fitting(web: Web, task: Task) -> tuple[Task, list[str]]:
    """The task as the web allows it: defaults that need hosts are left out where there are none."""
    Conditions(failure=task.failure)
    try:
        web.sites("host")
    except NeedsHosts:
        strategies = _without_hosts(task.strategies, COMPARED_STRATEGIES)
        orders = _without_hosts(task.orders, COMPARED_ORDERS)
        missing = [name for name in (*task.strategies, *task.orders) if name not in (*strategies, *orders)]
        notes = [f"left out: {' and '.join(missing)}; the web has no hosts, which they need"] if missing else []
        return replace(task, strategies=strategies, orders=orders), notes
    return task, []


def _without_hosts(names: tuple[str, ...], defaults: tuple[str, ...]) -> tuple[str, ...]:
    """What was named stays, for its user should know; of the defaults those that need no hosts."""
    return tuple(name for name in names if name not in NEEDS_HOSTS) if names == defaults else names


def _cores(web: Web, choices: Sequence[Choice], threads: int, progress: Progress) -> Mapping[str, CoreDistances]:
    """Distances between the cores of each strategy that has them; of the first MOST_CORES."""
    from seedbed.evaluation.core_distances import core_distances

    found = {}
    for choice in choices:
        cores = [seed.core for seed in choice.seeds if seed.core is not None][:MOST_CORES]
        if len(cores) > 1:
            found[choice.strategy] = core_distances(web, cores, threads=threads, progress=progress)
    return found


def _workers(web: Web, threads: int, memory: int | None) -> int:
    """Crawls at a time: one a thread, fewer where half of the memory does not hold as many."""
    room = machine_memory() // 2 if memory is None else memory
    return max(1, min(threads, room // max(BYTES_A_CRAWL * web.page_count, 1)))


def _crawls(
    web: Web, task: Task, choices: Sequence[Choice], ranking: Ranking, workers: int, progress: Progress
) -> tuple[tuple[Crawls, ...], dict[str, Floats]]:
    """The crawls of all pairs, and the bounds of all strategies."""
    stop = Event()
    measures = Measures(web, ranking.scores, task.budget or web.page_count, stop)
    pairs = [(choice, order) for choice in choices for order in task.orders]
    jobs: list[Callable[[], Any]] = [
        measures.job(choice.strategy, seeds, order, conditions)
        for choice, order in pairs
        for seeds, conditions in _repeats(task, choice, order)
    ]
    most = [measures.bound_job(*one) for choice in choices for one in _repeats(task, choice)]
    found = _run([*jobs, *most], workers, stop, progress)
    crawled, curves = found[: len(jobs)], iter(found[len(jobs) :])
    bounds = {choice.strategy: np.array([next(curves) for _ in _repeats(task, choice)]) for choice in choices}
    return tuple(crawl_pair(choice.strategy, order, measures.at, crawled) for choice, order in pairs), bounds


def _repeats(task: Task, choice: Choice, order: str = "") -> list[tuple[Seeds, Conditions]]:
    """The seeds and the conditions of each crawl; one where all crawls would be the same."""
    changes = task.failure > 0 or choice.has_chance or order.partition("@")[0] in CHANCE_IN_ORDERS
    return [
        (choice.draws[repeat % len(choice.draws)], Conditions(failure=task.failure, seed=task.seed + repeat))
        for repeat in range(task.repeats if changes else 1)
    ]


def _notes_on_ends(choices: Sequence[Choice], crawls: Sequence[Crawls]) -> Iterable[str]:
    """Strategies from whose seeds fewer pages can be reached than may be fetched."""
    for choice in choices:
        pages = max(float(pair.pages.mean()) for pair in crawls if pair.strategy == choice.strategy)
        budget = int(crawls[0].fetched[-1])
        if pages < budget:
            yield (
                f"{choice.strategy}: its crawls end after {pages:,.0f} of {counted(budget, 'page')} on average; no "
                "more can be reached from its seeds"
            )


def _run(jobs: Sequence[Callable[[], Any]], workers: int, stop: Event, progress: Progress) -> list[Any]:
    """What the jobs give, in their order, whichever ends first. On Ctrl-C and errors those under way end soon."""
    with ThreadPoolExecutor(workers) as pool:
        try:
            waiting = [pool.submit(job) for job in jobs]
            for done, future in enumerate(as_completed(waiting), 1):
                future.result()
                progress("crawls", done, len(jobs))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    return [future.result() for future in waiting]
