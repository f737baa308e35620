"""A comparison as files: tables (CSV) of everything its report shows, a summary (JSON), the recommended seeds (JSONL).

The same comparison gives the same tables, byte for byte; seconds are in the summary only.
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
from seedbed.evaluation.comparison import CURVES, Comparison, Pair, recommend
from seedbed.evaluation.comparison_seeds import ADDED, Choice
from seedbed.evaluation.intervals import Interval, mean_interval
from seedbed.evaluation.out_of_sample import SAME_WEB
from seedbed.evaluation.tables_and_figures import csv_text
from seedbed.seeds import STRATEGIES
from seedbed.seeds.seed_files import COLUMNS, load_seeds, rows_of
from seedbed.seeds.seeds import Gain, Seeds

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.strategy import Strategy

SUMMARY, CRAWLS = "comparison.json", "crawls.parquet"
FILES = {
    SUMMARY: "the answer, every pair, how it was made",
    CRAWLS: "every crawl of every pair, for: sb.load",
    "curves.csv": "PageRank held (out of sample also in-sample), hosts, communities, spam against pages fetched",
    "depths.csv": "pages fetched and their average PageRank, by depth",
    "distances.csv": "links from each core to each other",
    "gain.csv": "coverage after each seed",
    "pairs.csv": "every strategy with every order: means and 95 % intervals",
    "seeds-of-all.csv": "the seeds of all strategies",
    "seeds.jsonl": "the recommended seeds, for: seedbed crawl, seedbed refresh",
}
"""What is in each file."""
_DEPTHS = ("depth_pages", "depth_pagerank")
IN_OLD_FILES = {"judged_on": SAME_WEB, "snapshots": 1, "seeds_left": {}, "last": None}
"""Facts of comparisons saved when there was nothing else to judge seeds on."""
_ABOUT = ("strategy", "order", "oracle", "exhausted", "chosen_by_pagerank")
Row = dict[str, Any]


def write_files(comparison: Comparison, folder: Path, made: Mapping[str, Any]) -> None:
    """Write all files into a folder."""
    best = comparison.choice(comparison.recommendation.best.strategy).seeds
    texts = {
        "pairs.csv": _csv([pair_row(comparison, pair) for pair in comparison.pairs]),
        "curves.csv": _csv([row for pair in comparison.pairs for row in curve_rows(comparison, pair)]),
        "gain.csv": _csv(list(gain_rows(comparison))),
        "depths.csv": _csv([row for pair in comparison.pairs for row in depth_rows(pair)]),
        "distances.csv": _csv(list(distance_rows(comparison)), ("strategy", "from_core", "to_core", "links")),
        "seeds-of-all.csv": csv_lines(all_seeds(comparison), COLUMNS),
        "seeds.jsonl": json_lines(rows_of(comparison.web, best)),
        SUMMARY: json.dumps({**summary(comparison), "made": dict(made)}, indent=2, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", "backslashreplace", newline="")
    _write_crawls(comparison, folder / CRAWLS)


def save_comparison(comparison: Comparison, folder: Path, *, overwrite: bool = False) -> None:
    """Write all files, but no report page; they appear together once all are complete."""
    check_output_folder(folder)
    there = names_in(folder)
    if not overwrite and SUMMARY not in there:
        refuse_other_files(folder, there & FILES.keys(), "a comparison")
    with moved_into(folder) as work:
        write_files(comparison, work, {})


def _write_crawls(comparison: Comparison, path: Path) -> None:
    """One row for every crawl of every pair; and the bounds of each strategy, in rows without an order."""
    import pyarrow as pa

    rows: list[Row] = []
    for pair in (*comparison.pairs, *comparison.in_sample):
        about = {name: getattr(pair, name) for name in _ABOUT} | {"in_sample": pair in comparison.in_sample}
        about |= {name: getattr(pair, name).tolist() for name in ("fetched", *_DEPTHS)}
        for k in range(pair.count):
            curves = {name: None if (one := getattr(pair, name)) is None else one[k].tolist() for name in CURVES}
            gone = None if pair.gone is None else float(pair.gone[k])
            rows.append({**about, "pages": float(pair.pages[k]), "gone": gone, **curves})
    for strategy, bounds in comparison.bounds.items():
        rows += [{"strategy": strategy, "pagerank": bound.tolist()} for bound in bounds]
    floats = {name: pa.list_(pa.float64()) for name in (*CURVES, *_DEPTHS)}
    kinds = {"strategy": pa.string(), "order": pa.string()} | dict.fromkeys((*_ABOUT[2:], "in_sample"), pa.bool_())
    numbers = {"fetched": pa.list_(pa.int64()), "pages": pa.float64(), "gone": pa.float64()}
    schema = pa.schema({**kinds, **numbers, **floats})
    write_parquet(pa.Table.from_pylist(rows, schema=schema), path)


def load_comparison(folder: Path, web: Web | None = None) -> Comparison:
    """The comparison in a folder. Without the shape and the distances between cores; of several draws, only the first.

    What seeds cover is the mean over all draws.
    """
    try:
        about = json.loads((folder / SUMMARY).read_text("utf-8"))
        rows = read_parquet(folder / CRAWLS).to_pylist()
        names = dict.fromkeys((row["strategy"], row["order"]) for row in rows if row["order"] is not None)
        rows = _with_all_columns(rows, about["pairs"])
        crawls: dict[bool, tuple[Pair, ...]] = {}
        for in_sample in (False, True):
            own = [row for row in rows if bool(row["in_sample"]) == in_sample]
            found = ([row for row in own if (row["strategy"], row["order"]) == name] for name in names)
            crawls[in_sample] = tuple(_pair(one) for one in found if one)
        pairs = crawls[False]
        strategies = dict.fromkeys(strategy for strategy, _ in names)
        bounds = {
            one: np.array([row["pagerank"] for row in rows if row["strategy"] == one and row["order"] is None])
            for one in strategies
        }
        best = recommend(pairs).best.strategy
        choices = _choices(folder, sorted(strategies, key=lambda one: one != best), about, web)
        ordered = tuple(next(one for one in choices if one.strategy == strategy) for strategy in strategies)
        made: tuple[Any, Any] = (web, None)
        facts, seconds, notes = {**IN_OLD_FILES, **about["facts"]}, about["seconds"], tuple(about["notes"])
        return Comparison(*made, ordered, pairs, bounds, {}, facts, seconds, notes, in_sample=crawls[True])
    except (OSError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{folder}: is not a comparison, or a part of it is missing ({error}).") from None


def _with_all_columns(rows: list[Row], pairs: list[Row]) -> list[Row]:
    """The rows of crawls.parquet; those of files written before there were older webs lack some columns."""
    marks = {(pair["strategy"], pair["order"]): pair["pagerank_also_chose"] for pair in pairs}
    return [
        {"in_sample": False, "gone": None, "chosen_by_pagerank": marks.get((row["strategy"], row["order"])), **row}
        for row in rows
    ]


def _pair(rows: list[Row]) -> Pair:
    first = rows[0]
    parts: dict[str, Any] = {name: first[name] for name in _ABOUT}
    parts |= {name: np.array(first[name], np.float64) for name in _DEPTHS}
    for name in CURVES:
        parts[name] = None if first[name] is None else np.array([row[name] for row in rows], np.float64)
    return Pair(
        **parts,
        fetched=np.array(first["fetched"], np.int64),
        pages=np.array([row["pages"] for row in rows]),
        seconds=0.0,
        gone=None if first["gone"] is None else np.array([row["gone"] for row in rows]),
    )


def _declared(name: str) -> Strategy | None:
    return next((one for one in STRATEGIES.values() if one.name == name), None)


def _choices(folder: Path, strategies: Iterable[str], about: Mapping[str, Any], web: Web | None) -> list[Choice]:
    """What the strategies chose, in the order of the file; ranks restart at 1 for each."""
    with (folder / "gain.csv").open(encoding="utf-8", newline="") as file:
        gains = list(csv.DictReader(file))
    listed = load_seeds(folder / "seeds-of-all.csv")
    starts = [k for k, seed in enumerate(listed) if seed.rank == 1]
    choices = []
    for strategy, first, end in zip(strategies, starts, [*starts[1:], len(listed)], strict=True):
        covered = np.array([float(row["covered"]) for row in gains if row["strategy"] == strategy])
        chosen = next(row["seeds_chosen"] for row in about["pairs"] if row["strategy"] == strategy)
        facts = {**about["facts"], ADDED: end - first - chosen}
        gain = Gain(np.zeros(len(covered), np.int64), covered, 0, 1.0)
        seeds = Seeds(strategy, listed.seeds[first:end], facts, gain, web=web)
        choices.append(Choice(strategy, (seeds,), _declared(strategy)))
    return choices


def summary(comparison: Comparison) -> dict[str, Any]:
    """What to use, how certain that is, and every pair in a few numbers."""
    found = comparison.recommendation
    return {
        "recommended": {
            "strategy": found.best.strategy,
            "order": found.best.order,
            "sure": found.sure,
            "seeds": len(comparison.choice(found.best.strategy).seeds),
        },
        "judged_on": comparison.facts["judged_on"],
        "lead": None if found.lead is None else vars(found.lead),
        "next_best": None if found.next_best is None else found.next_best.name,
        "cannot_be_told_apart": [pair.name for pair in found.ties],
        "pairs": [pair_row(comparison, pair) for pair in comparison.pairs],
        "bound": {"area": comparison.bound_area, "pagerank": float(comparison.bound[:, -1].mean())},
        "facts": dict(comparison.facts),
        "notes": list(comparison.notes),
        "seconds": {part: round(seconds, 3) for part, seconds in comparison.seconds.items()},
    }


def pair_row(comparison: Comparison, pair: Pair) -> Row:
    """A pair: means and intervals at the end of its crawls."""
    choice = comparison.choice(pair.strategy)
    return {
        "strategy": pair.strategy,
        "order": pair.order,
        "seeds": len(choice.seeds),
        "seeds_chosen": choice.chosen,
        "seeds_left": comparison.facts["seeds_left"].get(pair.strategy, len(choice.seeds)),
        "oracle": pair.oracle,
        "pagerank_also_chose": pair.chosen_by_pagerank,
        "crawls": pair.count,
        "pages": float(pair.pages.mean()),
        **_columns("pagerank", pair.mass),
        **_columns("area", pair.area),
        "how_early": comparison.how_early(pair),
        **_columns("behind", comparison.behind_best(pair)),
        **{name: pair.at_end(name) for name in CURVES[1:]},
        "spam_share_low": None if pair.spam is None else pair.spam.low,
        "spam_share_high": None if pair.spam is None else pair.spam.high,
        "gone_then": None if pair.gone is None else float(pair.gone.mean()),
        **_in_sample(comparison, pair),
    }


def _in_sample(comparison: Comparison, pair: Pair) -> Row:
    """What the pair holds with seeds chosen on the web that judges them, and how much more that is."""
    found, lead = comparison.in_sample_pair(pair), comparison.in_sample_lead(pair)
    if found is None or lead is None:
        return {}
    held = {"in_sample_pagerank": found.mass.mean, "in_sample_area": found.area.mean}
    return {**held, **_columns("in_sample_lead", lead)}


def curve_rows(comparison: Comparison, pair: Pair) -> Iterable[Row]:
    """A pair at each number of pages fetched, next to the most that any order can hold from its seeds."""
    bound = comparison.bounds[pair.strategy].mean(axis=0).tolist()
    others = {name: getattr(pair, name) for name in CURVES[1:]}
    found = comparison.in_sample_pair(pair)
    in_sample = None if found is None else found.pagerank.mean(axis=0).tolist()
    for at, fetched in enumerate(pair.fetched.tolist()):
        yield {
            "strategy": pair.strategy,
            "order": pair.order,
            "fetched": fetched,
            **_columns("pagerank", mean_interval(pair.pagerank[:, at])),
            **{name: None if rows is None else float(rows[:, at].mean()) for name, rows in others.items()},
            "bound": bound[at],
            **({} if in_sample is None else {"in_sample_pagerank": in_sample[at]}),
        }


def gain_rows(comparison: Comparison) -> Iterable[Row]:
    """What each strategy covers after each seed."""
    for choice in comparison.choices:
        also = comparison.chosen_by_coverage(choice.strategy)
        for at in range(choice.covered.shape[1]):
            covered = _columns("covered", mean_interval(choice.covered[:, at]))
            yield {"strategy": choice.strategy, "seeds": at + 1, **covered, "coverage_also_chose": also}


def depth_rows(pair: Pair) -> Iterable[Row]:
    """A pair at each depth."""
    for depth, (pages, average) in enumerate(zip(pair.depth_pages, pair.depth_pagerank, strict=True)):
        numbers = {"depth": depth, "pages": float(pages), "average_pagerank": float(average)}
        yield {"strategy": pair.strategy, "order": pair.order, **numbers}


def distance_rows(comparison: Comparison) -> Iterable[Row]:
    """Links on the shortest path from each core to each other; None if there is no path."""
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


def _csv(rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    return csv_text(columns or list(rows[0]), (list(row.values()) for row in rows))
