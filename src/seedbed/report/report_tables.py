"""The tables of a report: pairs, seeds, the shape of the web, how the report was made. Plain text and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from seedbed.common.memory import show_size
from seedbed.evaluation.comparison import Comparison, Pair
from seedbed.evaluation.comparison_files import all_seeds
from seedbed.evaluation.intervals import Interval
from seedbed.shape.shape_text import PART_WORDS, part_title, with_error
from seedbed.shape.web_shape import Shape

MAX_SEED_BYTES = 1_200_000
"""Seeds are listed up to this size, since a report stays below 8 MB; a file next to it has them all."""

Fact = tuple[str, str, str]


@dataclass(frozen=True)
class PairRow:
    """A row of the table of pairs; numbers to sort by come with their text. `added`: seeds the strategy lacked.

    `left`: seeds that are still there in the web that judges them, on average. `in_sample`: how much more it holds with
    seeds chosen on the web that judges them. `spam_text`: the share of spam, empty if the web does not know it.
    """

    pair: Pair
    best: bool
    mass_text: str
    how_early: float
    against_best: float
    against_best_text: str
    added: int
    left: float
    in_sample: float | None = None
    in_sample_text: str = ""
    in_sample_mass: str = ""
    spam_text: str = ""


def pair_rows(comparison: Comparison) -> list[PairRow]:
    """All pairs, those that hold the most PageRank over the crawl first, oracles last."""
    best, rows = comparison.recommendation.best, []
    for pair in sorted(comparison.pairs, key=lambda pair: (pair.oracle, -pair.area.mean)):
        behind, facts = comparison.behind_best(pair), comparison.facts
        rows.append(
            PairRow(
                pair=pair,
                best=pair is best,
                mass_text=f"{100 * pair.mass.mean:.1f} %{_plus_minus(pair.mass, 1)}",
                how_early=comparison.how_early(pair),
                against_best=0.0 - behind.mean,
                against_best_text="best" if pair is best else _signed(behind),
                added=facts["seeds_added"][pair.strategy],
                left=facts["seeds_left"][pair.strategy],
                **_in_sample(comparison, pair),
                spam_text="" if pair.spam is None else f"{100 * pair.spam.mean:.1f} %{_plus_minus(pair.spam, 1)}",
            )
        )
    return rows


def _in_sample(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    found, lead = comparison.in_sample_pair(pair), comparison.in_sample_lead(pair)
    if found is None or lead is None:
        return {}
    return {
        "in_sample": lead.mean,
        "in_sample_text": _points(lead.mean) + _plus_minus(lead, 2),
        "in_sample_mass": f"{100 * found.mass.mean:.1f} %",
    }


def _signed(behind: Interval) -> str:
    return _points(0.0 - behind.mean) + _plus_minus(behind, 2)


def _points(share: float) -> str:
    return f"{100 * share:+z.2f}".replace("-", "−")


def _plus_minus(one: Interval, digits: int) -> str:
    return "" if one.high is None else f" ± {100 * (one.high - one.mean):.{digits}f}"


def listed_seeds(comparison: Comparison) -> tuple[list[dict[str, Any]], int]:
    """(seeds to list, how many are left out): the first of each strategy, as many as fit."""
    rows = sorted(all_seeds(comparison), key=lambda row: row["rank"])
    best = comparison.recommendation.best.strategy
    kept, size = [], 0
    for row in rows:
        size += 2 * len(escape(str(row["url"])).encode()) + len(escape(row["reason"]).encode()) + 300
        if size > MAX_SEED_BYTES:
            break
        kept.append({**row, "link": link_of(row["url"])})
    kept.sort(key=lambda row: row["strategy"] != best)
    return kept, len(rows) - len(kept)


def link_of(url: str | None) -> str | None:
    """The URL if it may become a link: http and https, and nothing else."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else None


def shape_rows(shape: Shape) -> Iterable[Fact]:
    """The web in numbers: name, number, remark."""
    yield "Pages", f"{shape.pages:,}", ""
    yield "Links", f"{shape.links:,}", f"{shape.out_degree.mean:.1f} per page"
    for name, count, links in (
        ("Hosts", shape.hosts, shape.inter_host_links),
        ("Domains", shape.domains, shape.inter_domain_links),
    ):
        if count is not None and links is not None:
            yield name, f"{count:,}", f"{_share(links, shape.links)} of all links lead to another one"
    if shape.average_distance is not None and shape.connected_pairs is not None:
        distance = with_error(shape.average_distance, shape.average_distance_error)
        remark = f"from a page to one it reaches; the longest seen is {shape.longest_distance:,}"
        yield "Average distance", f"{distance} links", remark
        pairs = with_error(100 * shape.connected_pairs, shape.connected_pairs_error, scale=100)
        yield "Connected pairs", f"{pairs} %", "of two pages, the first reaches the second"
    yield "Dangling pages", _share(shape.dangling, shape.pages), "link to no page"
    yield "Unreachable pages", _share(shape.unreachable, shape.pages), "no page links to them"
    yield "Most links on a page", f"{shape.out_degree.largest:,}", ""
    yield "Most links to a page", f"{shape.in_degree.largest:,}", ""


def bow_tie_rows(shape: Shape) -> list[tuple[str, int, float, str]]:
    """Part, pages, share, what it is."""
    return [
        (part_title(part), pages, pages / max(shape.pages, 1), PART_WORDS[part])
        for part, pages in shape.bow_tie.to_dict().items()
    ]


def made_rows(comparison: Comparison, made: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """How the report was made."""
    facts = comparison.facts
    yield "Web", str(made["web"].get("path") or comparison.shape.source)
    if made["web"].get("checksum"):
        yield "Checksum of the web", str(made["web"]["checksum"])
    for one in made["chosen_on"]:
        checksum = f", checksum {one['checksum']}" if one.get("checksum") else ""
        yield "Seeds judged were chosen on", f"{one['path']}{checksum}"
    if facts["hide_hosts"]:
        yield "Seeds judged were chosen on", str(facts["chosen_on"][0])
    if facts["last"]:
        yield "Last crawl", str(facts["last"])
    yield "Crawls", f"{sum(pair.count for pair in comparison.pairs):,}, of up to {facts['budget']:,} pages each"
    if facts["failure"] == 0:
        yield "Fetches that fail", "none"
    else:
        others = f", other pages in each of the {facts['repeats']} repeats" if facts["repeats"] > 1 else ""
        yield "Fetches that fail", f"{100 * facts['failure']:g} %{others}"
    yield "Random seed", f"{facts['seed']}"
    spent = ", ".join(f"{part} {seconds:.1f}" for part, seconds in comparison.seconds.items())
    yield "Seconds", f"{sum(comparison.seconds.values()):.1f} ({spent})"
    yield "Peak memory", show_size(made["peak_memory"])
    yield "Versions", ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    yield "Machine", f"{made['cores']} cores, {show_size(made['memory'])}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
