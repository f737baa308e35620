"""Comparisons on several pairs of snapshots, put together: the pairs of snapshots are the sample.

Crawls of one web, with other pages failing each time, say how far chance moves the numbers on that web. What the next
web will be like, only other webs can say. So the crawls of a pair of snapshots are averaged to one row, and intervals
are taken over the rows: they are wider, and they mean more. All crawls fetch the same number of pages from the same
number of seeds. The seeds to use, the shape and the cores are those of the last pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError
from seedbed.evaluation.compare import Task, compare
from seedbed.evaluation.comparison import CURVES, Comparison, Floats, Pair

if TYPE_CHECKING:
    from seedbed.graph.web import Web


@dataclass(frozen=True, eq=False)
class Snapshots:
    """An older web to choose seeds from, a newer one to judge them, and what their pages are worth."""

    old: Web
    new: Web
    old_values: NDArray[Any] | str | None = None
    new_values: NDArray[Any] | str | None = None


def compare_snapshots(snapshots: Sequence[Snapshots], task: Task, **how: Any) -> Comparison:
    """Compare on one pair of snapshots, or on several; `how`: further options of `compare`."""
    if len(snapshots) > 1:
        pages = min(one.new.page_count for one in snapshots)
        budget = max(1, pages // 5) if task.budget is None else min(task.budget, pages)
        task = replace(task, k=min(task.k, pages), budget=budget)
    found = [
        compare(one.new, task, old=one.old, values=one.new_values, old_values=one.old_values, **how)
        for one in snapshots
    ]
    return found[0] if len(found) == 1 else together(found)


def together(found: Sequence[Comparison]) -> Comparison:
    """One comparison of several, with a row for each of them."""
    names = [{pair.name for pair in one.pairs} for one in found]
    common = reduce(set.intersection, names)
    last = found[-1]
    pairs = tuple(
        _averaged([one.pair(pair.strategy, pair.order) for one in found]) for pair in last.pairs if pair.name in common
    )
    if not pairs:
        raise OptionError("no strategy finds seeds on every pair of snapshots; name others, or give fewer pairs.")
    strategies = {pair.strategy for pair in pairs}
    in_sample = tuple(
        _averaged([one for each in found for one in each.in_sample if one.name == pair.name]) for pair in pairs
    )
    facts = {
        **last.facts,
        "snapshots": len(found),
        "chosen_on": [source for one in found for source in one.facts["chosen_on"]],
        "seeds_left": {
            name: float(np.mean([one.facts["seeds_left"][name] for one in found])) for name in sorted(strategies)
        },
        "gone_then": float(np.mean([one.facts["gone_then"] for one in found])),
    }
    notes = [f"pair {place}: {note}" for place, one in enumerate(found, 1) for note in one.notes]
    if left_out := sorted(set().union(*names) - common):
        notes.append(f"left out, since not every pair of snapshots has them: {', '.join(left_out)}")
    return replace(
        last,
        choices=tuple(choice for choice in last.choices if choice.strategy in strategies),
        pairs=pairs,
        bounds={
            name: np.array([one.bounds[name].mean(axis=0) for one in found])
            for name in last.bounds
            if name in strategies
        },
        facts=facts,
        seconds={part: sum(one.seconds[part] for one in found) for part in last.seconds},
        notes=tuple(notes),
        in_sample=in_sample,
    )


def _averaged(pairs: Sequence[Pair]) -> Pair:
    """The same strategy and order on several webs: a row for each, the mean of its crawls."""

    def rows(name: str) -> Floats | None:
        found = [getattr(pair, name) for pair in pairs]
        return None if any(one is None for one in found) else np.array([one.mean(axis=0) for one in found])

    curves: dict[str, Any] = {name: rows(name) for name in (*CURVES, "pages", "gone")}
    deepest = max(len(pair.depth_pages) for pair in pairs)
    pages = np.mean([_padded(pair.depth_pages, deepest) for pair in pairs], axis=0)
    mass = np.mean([_padded(pair.depth_pages * pair.depth_pagerank, deepest) for pair in pairs], axis=0)
    return replace(
        pairs[-1],
        **curves,
        depth_pages=pages,
        depth_pagerank=np.divide(mass, pages, out=np.zeros_like(mass), where=pages > 0),
        seconds=float(np.median([pair.seconds for pair in pairs])),
        exhausted=all(pair.exhausted for pair in pairs),
        chosen_by_pagerank=any(pair.chosen_by_pagerank for pair in pairs),
    )


def _padded(depths: Floats, length: int) -> Floats:
    return np.pad(depths, (0, length - len(depths)))
