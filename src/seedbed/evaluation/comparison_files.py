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

from seedbed.common.atomic_files import moved_into
from seedbed.common.outputs import check_output_folder, names_in, refuse_other_files
from seedbed.common.parquet_files import read_parquet, write_parquet
from seedbed.common.row_files import csv_lines, json_lines
from seedbed.errors import InputError
from seedbed.evaluation.comparison import CHOSEN_BY_COVERAGE, Choice, Comparison, Crawls, recommend
from seedbed.evaluation.fill import FILLED
from seedbed.evaluation.intervals import Interval, mean_interval
from seedbed.seeds.seed_files import COLUMNS, load_seeds, rows_of
from seedbed.seeds.seeds import Gain, Seeds

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Floats
    from seedbed.graph.web import Web

SEEDS = "seeds.jsonl"
SUMMARY = "comparison.json"
CRAWLS = "crawls.parquet"
TABLES = ("pairs.csv", "curves.csv", "gain.csv", "depths.csv", "seeds-of-all.csv", "distances.csv")
FILES = (*TABLES, CRAWLS, SEEDS, SUMMARY)
_CURVES = ("pagerank", "hosts", "communities", "spam_share")
_DEPTHS = ("depth_pages", "depth_pagerank")
Row = dict[str, Any]


def write_files(comparison: Comparison, folder: Path, made: Mapping[str, Any]) -> None:
    """Write all files into a folder."""
    _write_csv(folder / "pairs.csv", [pair_row(comparison, pair) for pair in comparison.crawls])
    _write_csv(folder / "curves.csv", list(all_curves(comparison)))
    _write_csv(folder / "gain.csv", list(gain_rows(comparison)))
    _write_csv(folder / "depths.csv", [row for pair in comparison.crawls for row in depth_rows(pair)])
    (folder / "seeds-of-all.csv").write_text(csv_lines(all_seeds(comparison), COLUMNS), "utf-8")
    _write_csv(folder / "distances.csv", list(distance_rows(comparison)), ("strategy", "from_core", "to_core", "links"))
    _write_crawls(comparison, folder / CRAWLS)
    best = comparison.choice(comparison.recommendation.best.strategy).seeds
    (folder / SEEDS).write_text(json_lines(rows_of(comparison.web, best)), "utf-8")
    text = json.dumps({**summary(comparison), "made": dict(made)}, indent=2, ensure_ascii=False)
    (folder / SUMMARY).write_text(text + "\n", "utf-8", "backslashreplace")


def save_comparison(comparison: Comparison, folder: Path, *, overwrite: bool = False) -> None:
    """Write all files, but no page to look at; they appear when all are whole."""
    check_output_folder(folder)
    there = names_in(folder)
    if not overwrite and SUMMARY not in there:
        refuse_other_files(folder, there & set(FILES), "a comparison")
    with moved_into(folder) as work:
        write_files(comparison, work, {})


def _write_crawls(comparison: Comparison, path: Path) -> None:
    """Every crawl of every pair, a row each; and the bounds of each strategy, in rows without an order."""
    import pyarrow as pa

    rows: list[Row] = []
    for pair in comparison.crawls:
        about = {name: getattr(pair, name) for name in ("strategy", "order", "oracle", "exhausted")}
        about |= {name: getattr(pair, name).tolist() for name in ("fetched", *_DEPTHS)}
        for k in range(pair.count):
            curves = {name: None if (one := getattr(pair, name)) is None else one[k].tolist() for name in _CURVES}
            rows.append({**about, "pages": float(pair.pages[k]), **curves})
    for strategy, bounds in comparison.bounds.items():
        rows += [{"strategy": strategy, "pagerank": bound.tolist()} for bound in bounds]
    floats = {name: pa.list_(pa.float64()) for name in (*_CURVES, *_DEPTHS)}
    kinds = {"strategy": pa.string(), "order": pa.string(), "oracle": pa.bool_(), "exhausted": pa.bool_()}
    schema = pa.schema({**kinds, "fetched": pa.list_(pa.int64()), "pages": pa.float64(), **floats})
    write_parquet(pa.Table.from_pylist(rows, schema=schema), path)


def load_comparison(folder: Path, web: Web | None = None) -> Comparison:
    """The comparison in a folder. Without the shape and the distances between cores; of several draws, the first.

    What seeds cover is the mean over all draws.
    """
    try:
        about = json.loads((folder / SUMMARY).read_text("utf-8"))
        rows = read_parquet(folder / CRAWLS).to_pylist()
        names = dict.fromkeys((row["strategy"], row["order"]) for row in rows if row["order"] is not None)
        crawls = tuple(_crawls([row for row in rows if (row["strategy"], row["order"]) == name]) for name in names)
        strategies = dict.fromkeys(strategy for strategy, _ in names)
        bounds = {
            one: np.array([row["pagerank"] for row in rows if row["strategy"] == one and row["order"] is None])
            for one in strategies
        }
        best = recommend(crawls).best.strategy
        choices = _choices(folder, sorted(strategies, key=lambda one: one != best), about, web)
        ordered = tuple(next(one for one in choices if one.strategy == strategy) for strategy in strategies)
        made: tuple[Any, Any] = (web, None)
        return Comparison(*made, ordered, crawls, bounds, {}, about["facts"], about["seconds"], tuple(about["notes"]))
    except (OSError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{folder}: is not a comparison, or a part of it is missing ({error}).") from None


def _crawls(rows: list[Row]) -> Crawls:
    first = rows[0]
    parts: dict[str, Any] = {name: first[name] for name in ("strategy", "order", "oracle", "exhausted")}
    parts |= {name: np.array(first[name], np.float64) for name in _DEPTHS}
    for name in _CURVES:
        parts[name] = None if first[name] is None else np.array([row[name] for row in rows], np.float64)
    return Crawls(
        **parts,
        fetched=np.array(first["fetched"], np.int64),
        pages=np.array([row["pages"] for row in rows]),
        seconds=0.0,
    )


def _choices(folder: Path, strategies: Iterable[str], about: Mapping[str, Any], web: Web | None) -> list[Choice]:
    """What the strategies chose, in the order of the file, where the seeds of each start again at rank 1."""
    with (folder / "gain.csv").open(encoding="utf-8", newline="") as file:
        gains = list(csv.DictReader(file))
    listed = load_seeds(folder / "seeds-of-all.csv")
    starts = [k for k, seed in enumerate(listed) if seed.rank == 1]
    choices = []
    for strategy, first, end in zip(strategies, starts, [*starts[1:], len(listed)], strict=True):
        covered = np.array([float(row["covered"]) for row in gains if row["strategy"] == strategy])
        chosen = next(row["seeds_chosen"] for row in about["pairs"] if row["strategy"] == strategy)
        facts = {**about["facts"], FILLED: end - first - chosen}
        gain = Gain(np.zeros(len(covered), np.int64), covered, 0, 1.0)
        choices.append(Choice(strategy, (Seeds(strategy, listed.seeds[first:end], facts, gain, web=web),)))
    return choices


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
