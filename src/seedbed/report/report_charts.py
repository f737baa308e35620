"""The charts of a report: the numbers that charts.js draws, and the same as tables for those who cannot see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.evaluation.comparison import Comparison, Pair
from seedbed.evaluation.intervals import mean_interval
from seedbed.evaluation.tables_and_figures import Table

BOUND = "bound: no order can hold more"
IN_SAMPLE = "in-sample"
COLUMNS = 10
DEEPEST = 30


def chart_data(comparison: Comparison) -> dict[str, Any]:
    """All numbers that the script draws. The only text is names of strategies and orders; URLs stay out of it."""
    best = comparison.recommendation.best
    return {
        "best": {"strategy": best.strategy, "order": best.order},
        "strategies": [choice.strategy for choice in comparison.choices],
        "orders": list(dict.fromkeys(pair.order for pair in comparison.pairs)),
        "folded": DEEPEST if _goes_deeper(comparison) else 0,
        "fetched": comparison.pairs[0].fetched.tolist(),
        "bound": _short(100 * comparison.bound.mean(axis=0)),
        "bounds": {name: _short(100 * curves.mean(axis=0)) for name, curves in comparison.bounds.items()},
        "pairs": [
            {
                "strategy": pair.strategy,
                "order": pair.order,
                "oracle": pair.oracle,
                **_band(100 * pair.pagerank),
                "in_sample": _in_sample(comparison, pair),
                "depth": _short(folded(pair.depth_pages)),
            }
            for pair in comparison.pairs
        ],
        "gain": [
            {
                "strategy": choice.strategy,
                "chosen_by": comparison.chosen_by_coverage(choice.strategy),
                **_band(100 * choice.covered),
            }
            for choice in comparison.choices
        ],
        "cores": {
            strategy: [[None if np.isinf(one) else int(one) for one in row] for row in cores.matrix]
            for strategy, cores in comparison.cores.items()
        },
    }


def _in_sample(comparison: Comparison, pair: Pair) -> list[float] | None:
    """The curve of the same pair with seeds chosen on the web that judges them."""
    found = comparison.in_sample_pair(pair)
    return None if found is None else _short(100 * found.pagerank.mean(axis=0))


def _band(curves: NDArray[np.float64]) -> dict[str, Any]:
    """The mean of shares in per cent and its interval at each point, clipped to 0 and 100."""
    if len(curves) == 1:
        return {"mean": _short(curves[0]), "low": None, "high": None}
    places = [mean_interval(column) for column in curves.T]
    return {
        "mean": _short(place.mean for place in places),
        "low": _short(max(place.low or 0.0, 0.0) for place in places),
        "high": _short(min(place.high or 0.0, 100.0) for place in places),
    }


def _short(numbers: Iterable[float]) -> list[float]:
    """Six digits are more than a figure shows, and keep the file small."""
    return [float(f"{number:.6g}") for number in numbers]


def curve_table(comparison: Comparison) -> Table:
    """PageRank held at a tenth, two tenths, … of the budget."""
    fetched = comparison.pairs[0].fetched
    places = np.unique(np.linspace(0, len(fetched) - 1, min(COLUMNS, len(fetched)) + 1).astype(int)[1:])
    columns = ("strategy", "order", *(counted(int(fetched[place]), "page") for place in places))
    curves = [(pair.strategy, pair.order, pair.pagerank) for pair in comparison.pairs]
    curves += [(pair.strategy, f"{pair.order}, {IN_SAMPLE}", pair.pagerank) for pair in comparison.in_sample]
    curves += [(strategy, BOUND, rows) for strategy, rows in comparison.bounds.items()]
    rows = tuple((strategy, order, *_percent(rows.mean(axis=0)[places])) for strategy, order, rows in curves)
    return Table("curves", "The curves as a table", columns, rows)


def gain_table(comparison: Comparison) -> Table:
    """Value covered after some of the seeds."""
    longest = max(choice.covered.shape[1] for choice in comparison.choices)
    places = np.unique(np.geomspace(1, max(longest, 1), COLUMNS).round().astype(int))
    rows = []
    for choice in comparison.choices:
        shown = _percent(choice.covered.mean(axis=0)[places[places <= choice.covered.shape[1]] - 1])
        rows.append((choice.strategy, *shown, *[""] * (len(places) - len(shown))))
    columns = ("strategy", *(counted(int(n), "seed") for n in places))
    return Table("gain", "Coverage as a table", columns, tuple(rows))


def _percent(shares: Sequence[float] | NDArray[np.float64]) -> list[str]:
    return [f"{100 * share:.1f} %" for share in shares]


def depth_table(comparison: Comparison) -> Table:
    """Pages fetched at each depth."""
    counts = [folded(pair.depth_pages) for pair in comparison.pairs]
    deepest = max(len(one) for one in counts)
    depths = [f"depth {depth}" for depth in range(deepest)]
    if _goes_deeper(comparison):
        depths[-1] += " and more"
    rows = tuple(
        (pair.strategy, pair.order, *(f"{pages:,.0f}" for pages in own), *([""] * (deepest - len(own))))
        for pair, own in zip(comparison.pairs, counts, strict=True)
    )
    return Table("depths", "Pages by depth as a table", ("strategy", "order", *depths), rows)


def _goes_deeper(comparison: Comparison) -> bool:
    return any(len(pair.depth_pages) > DEEPEST + 1 for pair in comparison.pairs)


def folded(pages: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pages by depth; those deeper than DEEPEST count there: depth-first crawls go thousands of links deep."""
    if len(pages) <= DEEPEST + 1:
        return pages
    return np.append(pages[:DEEPEST], pages[DEEPEST:].sum())


def core_table(comparison: Comparison, strategy: str) -> Table:
    """Links from each core (row) to each other (column)."""
    matrix = comparison.cores[strategy].matrix
    names = tuple(f"core {core}" for core in range(1, len(matrix) + 1))
    rows = tuple(
        (name, *("no path" if np.isinf(one) else f"{one:.0f}" for one in row))
        for name, row in zip(names, matrix, strict=True)
    )
    return Table("cores", "Distances as a table", ("from \\ to", *names), rows)
