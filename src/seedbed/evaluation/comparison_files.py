"""A comparison as files: tables (CSV) of all that its report shows, a summary (JSON), the recommended seeds (JSONL).

Tables say the same, byte for byte, whenever the same comparison is made; what took how long is in the summary only.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.evaluation.comparison import CHOSEN_BY_COVERAGE, Comparison, Crawls
from seedbed.evaluation.intervals import Interval, mean_interval
from seedbed.seeds.row_files import csv_lines, json_lines
from seedbed.seeds.seed_files import COLUMNS, rows_of

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Floats

SEEDS = "seeds.jsonl"
SUMMARY = "comparison.json"
Row = dict[str, Any]


def write_files(comparison: Comparison, folder: Path, made: Mapping[str, Any]) -> None:
    """Write all files into a folder."""
    _write_csv(folder / "pairs.csv", [pair_row(comparison, pair) for pair in comparison.crawls])
    _write_csv(folder / "curves.csv", list(all_curves(comparison)))
    _write_csv(folder / "gain.csv", list(gain_rows(comparison)))
    _write_csv(folder / "depths.csv", [row for pair in comparison.crawls for row in depth_rows(pair)])
    (folder / "seeds-of-all.csv").write_text(csv_lines(all_seeds(comparison), COLUMNS), "utf-8")
    _write_csv(folder / "distances.csv", list(distance_rows(comparison)), ("strategy", "from_core", "to_core", "links"))
    best = comparison.choice(comparison.recommendation.best.strategy).seeds
    (folder / SEEDS).write_text(json_lines(rows_of(comparison.web, best), COLUMNS), "utf-8")
    text = json.dumps({**summary(comparison), "made": dict(made)}, indent=2, ensure_ascii=False)
    (folder / SUMMARY).write_text(text + "\n", "utf-8", "backslashreplace")


def summary(comparison: Comparison) -> dict[str, Any]:
    """What to use, how sure that is, and every pair in a few numbers."""
    found = comparison.recommendation
    return {
        "recommended": {
            "strategy": found.best.strategy,
            "order": found.best.order,
            "sure": found.sure,
            "seeds": len(comparison.choice(found.best.strategy).seeds),
        },
        "lead": None if found.ahead is None else vars(found.ahead),
        "next_best": None if found.next_best is None else found.next_best.name,
        "cannot_be_told_apart": [pair.name for pair in found.level],
        "pairs": [pair_row(comparison, pair) for pair in comparison.crawls],
        "bound": {"area": comparison.bound_area, "pagerank": float(comparison.bound[:, -1].mean())},
        "facts": dict(comparison.facts),
        "notes": list(comparison.notes),
        "seconds": {part: round(seconds, 3) for part, seconds in comparison.seconds.items()},
    }


def pair_row(comparison: Comparison, pair: Crawls) -> Row:
    """A pair: means and intervals at the end of its crawls."""
    choice = comparison.choice(pair.strategy)
    return {
        "strategy": pair.strategy,
        "order": pair.order,
        "seeds": len(choice.seeds),
        "seeds_chosen": choice.chosen,
        "oracle": pair.oracle,
        "pagerank_also_chose": pair.used_pagerank,
        "crawls": pair.count,
        "pages": float(pair.pages.mean()),
        **_columns("pagerank", pair.mass),
        **_columns("area", pair.area),
        "how_early": comparison.how_early(pair),
        **_columns("behind", comparison.behind_best(pair)),
        **{name: _end(getattr(pair, name)) for name in ("hosts", "communities", "spam_share")},
    }


def all_curves(comparison: Comparison) -> Iterable[Row]:
    """Every pair at each number of pages fetched, beside the most that any order can hold from its seeds."""
    for pair in comparison.crawls:
        most = comparison.bounds[pair.strategy].mean(axis=0)
        for row, bound in zip(curve_rows(pair), most.tolist(), strict=True):
            yield {**row, "bound": bound}


def curve_rows(pair: Crawls) -> Iterable[Row]:
    """A pair at each number of pages fetched."""
    for at, fetched in enumerate(pair.fetched.tolist()):
        rest = {
            name: None if curve is None else float(curve[:, at].mean())
            for name, curve in (
                ("hosts", pair.hosts),
                ("communities", pair.communities),
                ("spam_share", pair.spam_share),
            )
        }
        mass = _columns("pagerank", mean_interval(pair.pagerank[:, at]))
        yield {"strategy": pair.strategy, "order": pair.order, "fetched": fetched, **mass, **rest}


def gain_rows(comparison: Comparison) -> Iterable[Row]:
    """What each strategy covers after each seed."""
    for choice in comparison.choices:
        for at in range(choice.covered.shape[1]):
            covered = _columns("covered", mean_interval(choice.covered[:, at]))
            also = choice.strategy in CHOSEN_BY_COVERAGE
            yield {"strategy": choice.strategy, "seeds": at + 1, **covered, "coverage_also_chose": also}


def depth_rows(pair: Crawls) -> Iterable[Row]:
    """A pair at each depth."""
    for depth, (pages, average) in enumerate(zip(pair.depth_pages, pair.depth_pagerank, strict=True)):
        yield {
            "strategy": pair.strategy,
            "order": pair.order,
            "depth": depth,
            "pages": float(pages),
            "average_pagerank": float(average),
        }


def distance_rows(comparison: Comparison) -> Iterable[Row]:
    """Links on the shortest way from each core to each other; None where there is no way."""
    for strategy, cores in comparison.cores.items():
        for (one, other), links in np.ndenumerate(cores.matrix):
            steps = int(links) if np.isfinite(links) else None
            yield {"strategy": strategy, "from_core": one + 1, "to_core": other + 1, "links": steps}


def all_seeds(comparison: Comparison) -> list[Row]:
    """The seeds of all strategies, the recommended one's first."""
    best = comparison.recommendation.best.strategy
    ordered = sorted(comparison.choices, key=lambda choice: choice.strategy != best)
    return [row for choice in ordered for row in rows_of(comparison.web, choice.seeds)]


def _columns(name: str, interval: Interval) -> Row:
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _end(curve: Floats | None) -> float | None:
    return None if curve is None else float(curve[:, -1].mean())


def _write_csv(path: Path, rows: Sequence[Row], columns: Sequence[str] | None = None) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
