"""What a run has reached, page by page fetched: PageRank, hosts, value, spam; and depth by depth.

Cumulative figures are taken at up to POINTS numbers of pages fetched, evenly spaced and always the last. O(fetched).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import kernel

if TYPE_CHECKING:
    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web

POINTS = 500
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """Sums over the first `fetched` pages: PageRank (a share of the web's), hosts, value; and the share of spam.

    None where what it needs is not known.
    """

    fetched: NDArray[np.int64]
    pagerank: Floats | None
    hosts: NDArray[np.int64] | None
    value: Floats | None
    spam_share: Floats | None


@dataclass(frozen=True, eq=False)
class Depths:
    """For each depth from 0 on: pages fetched there, and their average PageRank (None where it is not known)."""

    pages: NDArray[np.int64]
    average_pagerank: Floats | None


def curves(
    run: Run,
    web: Web,
    *,
    pagerank: NDArray[Any] | None = None,
    values: NDArray[Any] | None = None,
    spam: NDArray[Any] | None = None,
    points: int = POINTS,
    at: NDArray[np.int64] | None = None,
) -> Curves:
    """The cumulative figures of a run. `pagerank`, `values`, `spam` have an entry a page of the web.

    `at`: the numbers of pages fetched to take them at, instead of `points` even ones; those that the run did not come
    to have the figures of its end.
    """
    if at is None:
        at = np.unique(np.linspace(0, len(run), min(points, len(run)) + 1).astype(np.int64)[1:])
    there = np.minimum(at, len(run))
    has_hosts = web.urls is not None or web.hosts is not None
    return Curves(
        fetched=at,
        pagerank=None if pagerank is None else _sums(run, pagerank, there),
        hosts=_hosts(run, web, there) if has_hosts else None,
        value=None if values is None else _sums(run, values, there),
        spam_share=None if spam is None else _sums(run, np.asarray(spam) != 0, there) / np.maximum(there, 1),
    )


def depths_of(run: Run, pagerank: NDArray[Any] | None = None) -> Depths:
    """Pages and their average PageRank, depth by depth."""
    pages = np.bincount(run.depth, minlength=1)
    if pagerank is None:
        return Depths(pages, None)
    total = np.bincount(run.depth, weights=np.asarray(pagerank)[run.pages], minlength=1)
    return Depths(pages, total / np.maximum(pages, 1))


def _sums(run: Run, scores: NDArray[Any], at: NDArray[np.int64]) -> Floats:
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(scores, np.float64)[run.pages])])
    return sums[at]


def _hosts(run: Run, web: Web, at: NDArray[np.int64]) -> NDArray[np.int64]:
    sites = web.sites("host")
    return first_visits(run.pages, frozen(np.asarray(sites.of_page)), np.zeros(len(sites.names), np.bool_))[at]


@kernel
def first_visits(pages: NDArray[np.int32], host: NDArray[np.int32], seen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of distinct hosts among the first 0, 1, 2, … pages."""
    result = np.zeros(pages.size + 1, np.int64)
    for k in range(pages.size):
        new = not seen[host[pages[k]]]
        seen[host[pages[k]]] = True
        result[k + 1] = result[k] + new
    return result
