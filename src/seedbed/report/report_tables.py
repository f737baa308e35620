"""The tables of a report: pairs, seeds, the shape of the web, how the report was made. Plain texts and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from seedbed.common.memory import show_size
from seedbed.evaluation.comparison import Comparison, Crawls
from seedbed.evaluation.comparison_files import all_seeds
from seedbed.evaluation.intervals import Interval
from seedbed.shape.shape_text import PART_WORDS, notes, with_error
from seedbed.shape.web_shape import Shape

MOST_SEED_BYTES = 1_200_000
"""Seeds are listed up to here, for a report stays below 8 MB; a file beside it has all."""

Fact = tuple[str, str, str]


@dataclass(frozen=True)
class PairRow:
    """A pair as a line of a table; numbers to sort by stand beside their texts.

    `how_early`: PageRank held on the way, as a share of what is possible. `filled`: how many of the seeds fill up.
    """

    pair: Crawls
    best: bool
    mass: Interval
    mass_text: str
    how_early: float
    behind: Interval
    behind_text: str
    filled: int
    hosts: float | None
    communities: float | None
    spam_share: float | None


def pair_rows(comparison: Comparison) -> list[PairRow]:
    """All pairs, the most PageRank on the way first, oracles last."""
    best = comparison.recommendation.best
    ranked = sorted(comparison.crawls, key=lambda pair: (pair.oracle, -pair.area.mean))
    return [
        PairRow(
            pair=pair,
            best=pair is best,
            mass=pair.mass,
            mass_text=_with_interval(pair.mass, 1),
            how_early=comparison.how_early(pair),
            behind=comparison.against_best(pair),
            behind_text="" if pair is best else _signed(comparison.against_best(pair)),
            filled=comparison.facts["k"] - comparison.choice(pair.strategy).chosen,
            hosts=_end(pair.hosts),
            communities=_end(pair.communities),
            spam_share=_end(pair.spam_share),
        )
        for pair in ranked
    ]


def _end(curve: Any) -> float | None:
    return None if curve is None else float(curve[:, -1].mean())


def _with_interval(one: Interval, digits: int) -> str:
    text = f"{100 * one.mean:.{digits}f} %"
    if one.low is None or one.high is None:
        return text
    return f"{text} ± {100 * (one.high - one.mean):.{digits}f}"


def _signed(one: Interval) -> str:
    text = f"{100 * one.mean:+.2f}".replace("-", "−")
    return text if one.high is None else f"{text} ± {100 * (one.high - one.mean):.2f}"


def listed_seeds(comparison: Comparison) -> tuple[list[dict[str, Any]], int]:
    """(seeds to list, how many are left out): of each strategy the first, as many as there is room for."""
    rows = sorted(all_seeds(comparison), key=lambda row: row["rank"])
    best = comparison.recommendation.best.strategy
    kept, size = [], 0
    for row in rows:
        size += 2 * len(escape(str(row["url"])).encode()) + len(escape(row["reason"]).encode()) + 300
        if size > MOST_SEED_BYTES:
            break
        kept.append({**row, "link": link_of(row["url"])})
    kept.sort(key=lambda row: row["strategy"] != best)
    return kept, len(rows) - len(kept)


def link_of(url: str | None) -> str | None:
    """A URL that may be followed: of the web, and of nothing else."""
    if url is None or not url.lower().startswith(("http://", "https://")):
        return None
    return url


def shape_rows(shape: Shape) -> Iterable[Fact]:
    """The web in numbers: name, number, remark."""
    yield "Pages", f"{shape.pages:,}", ""
    yield "Links", f"{shape.links:,}", f"{shape.out_degree.mean:.1f} a page"
    for name, count, links in (
        ("Hosts", shape.hosts, shape.inter_host_links),
        ("Domains", shape.domains, shape.inter_domain_links),
    ):
        if count is not None and links is not None:
            yield name, f"{count:,}", f"{_share(links, shape.links)} of links lead to another"
    if shape.average_distance is not None:
        distance = with_error(shape.average_distance, shape.average_distance_error)
        yield "Average distance", f"{distance} links", f"longest seen {shape.longest_distance:,}"
        pairs = with_error(100 * shape.connected_pairs, 100 * (shape.connected_pairs_error or 0.0))
        yield "Connected pairs", f"{pairs} %", "the first page reaches the second"
    yield "Dangling pages", _share(shape.dangling, shape.pages), "link nowhere"
    yield "Unreachable pages", _share(shape.unreachable, shape.pages), "no page links to them"
    yield "Most links on a page", f"{shape.out_degree.largest:,}", ""
    yield "Most links to a page", f"{shape.in_degree.largest:,}", ""


def bow_tie_rows(shape: Shape) -> list[tuple[str, int, float, str]]:
    """Part, pages, share, what it is."""
    return [
        (part.capitalize(), pages, pages / max(shape.pages, 1), PART_WORDS[part])
        for part, pages in shape.bow_tie.to_dict().items()
    ]


def shape_notes(shape: Shape) -> list[str]:
    """What the numbers do not say by themselves."""
    return list(notes(shape))


def made_rows(comparison: Comparison, made: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """How the report was made."""
    facts = comparison.facts
    yield "Web", str(made["web"].get("path") or comparison.shape.source)
    if made["web"].get("checksum"):
        yield "Checksum of the web", str(made["web"]["checksum"])
    yield "Crawls", f"{sum(pair.count for pair in comparison.crawls):,}, of up to {facts['budget']:,} pages each"
    if facts["failure"] == 0:
        yield "Fetches that fail", "none"
    else:
        others = f", others in each of the {facts['repeats']} repeats" if facts["repeats"] > 1 else ""
        yield "Fetches that fail", f"{100 * facts['failure']:g} %{others}"
    yield "Seed of chance", f"{facts['seed']}"
    spent = ", ".join(f"{part} {seconds:.1f}" for part, seconds in comparison.seconds.items())
    yield "Seconds", f"{sum(comparison.seconds.values()):.1f} ({spent})"
    yield "Most memory", show_size(made["peak_memory"])
    yield "Versions", ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    yield "Machine", f"{made['cores']} cores, {show_size(made['memory'])}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
