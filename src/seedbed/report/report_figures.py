"""The figures of a report: what its script draws, and the same as tables for those who cannot see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.evaluation.comparison import CHOSEN_BY_COVERAGE, Comparison
from seedbed.evaluation.intervals import mean_interval

BOUND = "bound: no order can hold more"
ROWS = 10
DEEPEST = 30


@dataclass(frozen=True)
class Table:
    """Heads and rows, ready to be shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def drawn(comparison: Comparison) -> dict[str, Any]:
    """All numbers that the script draws. Of texts only names of strategies and orders; URLs stay out of it."""
    best = comparison.recommendation.best
    return {
        "best": {"strategy": best.strategy, "order": best.order},
        "strategies": [choice.strategy for choice in comparison.choices],
        "orders": list(dict.fromkeys(pair.order for pair in comparison.crawls)),
        "folded": DEEPEST if _goes_deeper(comparison) else 0,
        "fetched": comparison.crawls[0].fetched.tolist(),
        "bound": _short(100 * comparison.bound.mean(axis=0)),
        "bounds": {name: _short(100 * curves.mean(axis=0)) for name, curves in comparison.bounds.items()},
        "pairs": [
            {
                "strategy": pair.strategy,
                "order": pair.order,
                "oracle": pair.oracle,
                **_band(100 * pair.pagerank),
                "depth": _short(folded(pair.depth_pages)),
            }
            for pair in comparison.crawls
        ],
        "gain": [
            {
                "strategy": choice.strategy,
                "chosen_by": choice.strategy in CHOSEN_BY_COVERAGE,
                **_band(100 * choice.covered),
            }
            for choice in comparison.choices
        ],
        "cores": {
            strategy: [[None if np.isinf(one) else int(one) for one in row] for row in cores.matrix]
            for strategy, cores in comparison.cores.items()
        },
    }


def _band(curves: NDArray[np.float64]) -> dict[str, Any]:
    """The mean of shares in per cent and its interval, place by place; what no share can be is not drawn."""
    if len(curves) == 1:
        return {"mean": _short(curves[0]), "low": None, "high": None}
    places = [mean_interval(curves[:, at]) for at in range(curves.shape[1])]
    return {
        "mean": _short([place.mean for place in places]),
        "low": _short([max(place.low or 0.0, 0.0) for place in places]),
        "high": _short([min(place.high or 0.0, 100.0) for place in places]),
    }


def _short(numbers: Any) -> list[float]:
    """Six digits are more than a figure shows, and keep the file small."""
    return [float(f"{number:.6g}") for number in numbers]


def curve_table(comparison: Comparison) -> Table:
    """PageRank held at a tenth, two tenths, … of the budget."""
    fetched = comparison.crawls[0].fetched
    places = np.unique(np.linspace(0, len(fetched) - 1, min(ROWS, len(fetched)) + 1).astype(int)[1:])
    if len(fetched) == 1:
        places = np.array([0])
    heads = ("strategy", "order", *(counted(int(fetched[place]), "page") for place in places))
    rows = [
        (pair.strategy, pair.order, *(f"{100 * pair.pagerank[:, place].mean():.1f} %" for place in places))
        for pair in comparison.crawls
    ]
    rows += [
        (strategy, BOUND, *(f"{100 * curves[:, place].mean():.1f} %" for place in places))
        for strategy, curves in comparison.bounds.items()
    ]
    return Table(heads, tuple(rows))


def gain_table(comparison: Comparison) -> Table:
    """Value covered after some of the seeds."""
    longest = max(choice.covered.shape[1] for choice in comparison.choices)
    places = np.unique(np.geomspace(1, max(longest, 1), ROWS).round().astype(int))
    rows = []
    for choice in comparison.choices:
        mean = choice.covered.mean(axis=0)
        rows.append((choice.strategy, *(f"{100 * mean[n - 1]:.1f} %" if n <= len(mean) else "" for n in places)))
    return Table(("strategy", *(counted(int(n), "seed") for n in places)), tuple(rows))


def depth_table(comparison: Comparison) -> Table:
    """Pages fetched at each depth."""
    counts = [folded(pair.depth_pages) for pair in comparison.crawls]
    deepest = max(len(one) for one in counts)
    heads = [f"depth {depth}" for depth in range(deepest)]
    if _goes_deeper(comparison):
        heads[-1] += " and more"
    rows = tuple(
        (pair.strategy, pair.order, *(f"{pages:,.0f}" for pages in own), *([""] * (deepest - len(own))))
        for pair, own in zip(comparison.crawls, counts, strict=True)
    )
    return Table(("strategy", "order", *heads), rows)


def _goes_deeper(comparison: Comparison) -> bool:
    return any(len(pair.depth_pages) > DEEPEST + 1 for pair in comparison.crawls)


def folded(pages: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pages by depth, what is deeper than DEEPEST counted there: depth-first crawls go down for thousands of links."""
    if len(pages) <= DEEPEST + 1:
        return pages
    return np.append(pages[:DEEPEST], pages[DEEPEST:].sum())


def core_table(comparison: Comparison, strategy: str) -> Table:
    """Links from each core (row) to each other (column)."""
    matrix = comparison.cores[strategy].matrix
    names = tuple(f"core {core}" for core in range(1, len(matrix) + 1))
    rows = tuple(
        (name, *("no way" if np.isinf(one) else f"{one:.0f}" for one in row))
        for name, row in zip(names, matrix, strict=True)
    )
    return Table(("from \\ to", *names), rows)
