"""Crawls depth by depth: pages fetched and their average PageRank, from several sets of seeds side by side.

Breadth-first, as in Daneshpajouh et al. 2008 (§3.5.3): depth d is d links from the nearest seed. Where the seeds are
drawn at random, several draws give a mean and its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.measures import depths_of
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.intervals import Interval, mean_interval

if TYPE_CHECKING:
    from seedbed.graph.web import Web

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ByDepth:
    """A row a crawl, a column a depth. `pagerank`: the average of the pages fetched there, nan where there are none."""

    pages: Floats
    pagerank: Floats

    @property
    def so_far(self) -> Floats:
        """Pages fetched up to each depth."""
        return np.cumsum(self.pages, axis=1)

    @property
    def depths(self) -> int:
        """Depths that some crawl has reached."""
        return self.pages.shape[1]


def by_depth(
    web: Web, seed_sets: Sequence[NDArray[Any]], pagerank: NDArray[Any], progress: Progress = no_progress
) -> ByDepth:
    """A breadth-first crawl of all that can be reached, from each set of seeds."""
    found = []
    for done, seeds in enumerate(seed_sets):
        progress("crawls by depth", done, len(seed_sets))
        found.append(depths_of(crawl(web, seeds.tolist(), "bfs"), pagerank))
    deepest = max((len(one.pages) for one in found), default=0)
    pages = np.zeros((len(found), deepest))
    average = np.full((len(found), deepest), np.nan)
    for row, one in enumerate(found):
        pages[row, : len(one.pages)] = one.pages
        if one.average_pagerank is not None:
            average[row, : len(one.pages)] = np.where(one.pages > 0, one.average_pagerank, np.nan)
    return ByDepth(pages, average)


def column_intervals(rows: Floats) -> list[Interval | None]:
    """The mean of each column and its interval, over the rows that have a number there; None where none has."""
    columns = (column[np.isfinite(column)] for column in rows.T)
    return [mean_interval(column) if len(column) else None for column in columns]


def random_sets(pages: int, size: int, draws: int, seed: int) -> list[NDArray[np.int64]]:
    """Sets of seeds drawn at random without replacement, a set a draw; the same for the same seed."""
    size = min(size, pages)
    return [np.random.default_rng([seed, draw]).choice(pages, size, replace=False) for draw in range(draws)]
