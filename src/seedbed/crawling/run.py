"""A run: the pages a simulated crawl fetched, in their order, and how each was come by."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import kernel
from seedbed.common.results import Line, Picture, Plottable
from seedbed.crawling.crawl_state import FAILED, FETCHED, KNOWN, REFUSED, CrawlState
from seedbed.errors import OptionError

QUICK_LINKS = 10**6
"""A notebook shows the PageRank of a run by itself on webs of up to so many links."""

if TYPE_CHECKING:
    from seedbed.crawling.crawl_plan import Plan
    from seedbed.crawling.orders.order import Order
    from seedbed.graph.web import Web


@dataclass(frozen=True, eq=False)
class Samples:
    """Where a run stood at some points: pages fetched, pages known, seconds gone, mass guaranteed."""

    fetched: NDArray[np.int64]
    known: NDArray[np.int64]
    seconds: NDArray[np.float64]
    mass: NDArray[np.float64]


class Trace:
    """Samples as they are taken. Time stands still between a checkpoint and its resumption."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, float, float]] = []
        self._before = 0.0
        self._since = time.perf_counter()

    def restore(self, rows: list[tuple[int, int, float, float]], seconds: float) -> None:
        """Take over what was noted, and the seconds gone by then."""
        self.rows[:] = rows
        self._before = seconds

    def resume(self) -> None:
        """Go on counting seconds."""
        self._since = time.perf_counter()

    def seconds(self) -> float:
        """Those the crawl has taken."""
        return self._before + time.perf_counter() - self._since

    def sample(self, state: CrawlState) -> None:
        """Note where the crawl stands."""
        self.rows.append((int(state.counts[FETCHED]), int(state.counts[KNOWN]), self.seconds(), float(state.mass[0])))

    def sample_once(self, state: CrawlState, mass: float = 0.0) -> None:
        """Note where the crawl stands, unless that is noted, for so many pages and at least this mass."""
        if not self.rows or self.rows[-1][0] != state.counts[FETCHED] or self.rows[-1][3] < mass:
            self.sample(state)

    def samples(self) -> Samples:
        """All of them."""
        fetched, known, seconds, mass = zip(*self.rows, strict=True) if self.rows else ((), (), (), ())
        return Samples(np.array(fetched, np.int64), np.array(known, np.int64), np.array(seconds), np.array(mass))


@dataclass(frozen=True, eq=False, repr=False)
class Run(Plottable):
    """One crawl. Arrays have an entry a page fetched, in that order.

    `parent`: the page that led to it, −1 for a seed; `depth`: links from a seed; `score`: the order's when it was
    picked, None for orders without (a score too small for a float64 is written as 0); `tick`: when, in a polite crawl.
    `guaranteed_mass`: a lower bound of the PageRank mass fetched, with the seeds as preference; None for orders that
    give none. `oracle`: the order used scores of the whole web. `exhausted`: nothing was left to fetch. `notes`: what
    else the user should know.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> run = sb.crawl(web, [0], order="bfs", budget=50)
    >>> len(run), int(run.depth.max()), round(run.pagerank_mass, 2)
    (50, 5, 0.32)
    >>> run.to_arrow().column_names
    ['id', 'url', 'parent', 'depth']
    """

    order: str
    pages: NDArray[np.int32]
    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    samples: Samples
    score: NDArray[np.float64] | None = None
    tick: NDArray[np.int32] | None = None
    known: int = 0
    failed: int = 0
    refused: int = 0
    guaranteed_mass: float | None = None
    oracle: bool = False
    exhausted: bool = False
    seconds: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    web: Web | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("pages", "parent", "depth", "score", "tick"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, frozen(values))

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        return f"Run({self.order}, {len(self):,} pages fetched of {self.known:,} known, {self.seconds:.1f} s)"

    @cached_property
    def pagerank_mass(self) -> float:
        """The share of the web's PageRank, by the damping of the run, that was fetched."""
        return float(self._scores[self.pages].sum())

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        if self.web is None:
            raise OptionError("this run was read from a file without its web. Give it: load(path, web)")
        from seedbed.ranking.pagerank import pagerank

        return pagerank(self.web, damping=self.options.get("damping", 0.85)).scores

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write the run (.parquet): a row a page fetched. `sb.load` reads it."""
        from seedbed.crawling.run_files import save_run

        save_run(self, path, overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        from seedbed.crawling.run_files import columns_of

        return columns_of(self, slice(rows))

    def _picture(self, *, quick: bool = False) -> Picture:
        if self.web is None or (quick and self.web.link_count > QUICK_LINKS and "_scores" not in vars(self)):
            known = Line(self.order, self.samples.fetched, self.samples.known)
            return Picture("pages fetched", "pages known", [known])
        from seedbed.crawling.measures import curves

        curve = curves(self, self.web, pagerank=self._scores)
        fetched, shares = np.append(0, curve.fetched), np.append(0.0, curve.pagerank)  # type: ignore[arg-type]
        return Picture("pages fetched", "share of PageRank fetched", [Line(self.order, fetched, shares)])


def finished_run(plan: Plan, order: Order, state: CrawlState, trace: Trace, *, exhausted: bool) -> Run:
    """The run of a crawl that has ended. To save memory it keeps arrays of the state, and overwrites others."""
    count = int(state.counts[FETCHED])
    pages = state.fetched[:count]
    samples = trace.samples()
    return Run(
        order=order.name,
        pages=pages,
        parent=state.parent[pages],
        depth=depths(pages, state.parent, state.number),
        samples=samples,
        score=state.score[:count] if order.scored else None,
        tick=state.tick[:count] if len(state.tick) else None,
        known=int(state.counts[KNOWN]),
        failed=int(state.counts[FAILED]),
        refused=int(state.counts[REFUSED]),
        guaranteed_mass=float(state.mass[0]) if order.guarantees else None,
        oracle=order.oracle,
        exhausted=exhausted,
        seconds=float(samples.seconds[-1]) if len(samples.seconds) else 0.0,
        options=plan.options(),
        web=plan.web,
    )


@kernel
def depths(fetched: NDArray[np.int32], parent: NDArray[np.int32], of_page: NDArray[np.int32]) -> NDArray[np.int32]:
    """Links from a seed, of each page fetched; a page's parent was fetched before it. `of_page`: space to work in."""
    result = np.empty(fetched.size, np.int32)
    for k in range(fetched.size):
        page = fetched[k]
        of_page[page] = 0 if parent[page] < 0 else of_page[parent[page]] + 1
        result[k] = of_page[page]
    return result
