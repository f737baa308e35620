"""What Daneshpajouh et al. claim of their seeds, put to the test on the numbers found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from seedbed.evaluation.by_depth import ByDepth, column_intervals
from seedbed.evaluation.core_distances import CoreDistances
from seedbed.evaluation.experiments.experiment import Verdict, larger
from seedbed.evaluation.intervals import Interval, difference, mean_interval
from seedbed.evaluation.survival import Survival

ON_PAGERANK = "Pages crawled first from seeds from cores have a higher average PageRank than from random seeds"
ON_PAGES = "A crawl from seeds from cores has more pages after as many depths than one from random seeds"


def on_distance(averages: Sequence[float | None]) -> Verdict:
    """Table 1: pages are about 15 links apart (14.9 and 15.7)."""
    claim = "Pages are about 15 links apart on average"
    known = [one for one in averages if one is not None]
    if not known:
        return Verdict(claim, None, "no page reaches another")
    return Verdict(claim, all(10 <= one <= 20 for one in known), f"{_listed(known)} links; 10 to 20 counts as about 15")


def on_pruning(shares: Sequence[float]) -> Verdict:
    """Table 2: 92 % and 80 % of the links went."""
    percent = [100 * share for share in shares]
    return Verdict(
        "Most links are inside sites", all(one > 50 for one in percent), f"{_listed(percent)} % of the links are"
    )


def _listed(numbers: Sequence[float]) -> str:
    return " and ".join(f"{number:.1f}" for number in numbers)


def on_sizes(hubs: Sequence[int], authorities: Sequence[int]) -> Verdict:
    """Figures 4 and 5."""
    more = sum(one > other for one, other in zip(hubs, authorities, strict=True))
    mean = f"{np.mean(hubs):.1f} hubs and {np.mean(authorities):.1f} authorities on average"
    return Verdict(
        "Cores normally have more hubs than authorities", 2 * more > len(hubs), f"{more} of {len(hubs)} do; {mean}"
    )


def on_core_distances(distances: CoreDistances, average: float | None) -> Verdict:
    """Figure 6: the paper's cores were 1 to 13 links apart, 7.15 on average, where pages are 14.9 apart."""
    claim = "Cores of successive rounds are at least as far apart as pages are on average"
    following = np.diagonal(distances.matrix, 1)
    known = following[np.isfinite(following)]
    if len(distances.matrix) < 2:
        return Verdict(claim, None, "there is one core only")
    if not len(known) or average is None or distances.mean is None:
        return Verdict(claim, None, "there is no way between such cores")
    found = (
        f"{known.mean():.2f} links against {average:.2f}; all cores are {distances.minimum} to {distances.maximum} "
        f"apart, {distances.mean:.2f} on average, and {100 * distances.connected:.0f} % of the pairs have a way"
    )
    return Verdict(claim, bool(known.mean() >= average), found)


def on_pagerank(ours: ByDepth, random: ByDepth, span: tuple[int, int]) -> Verdict:
    """Figures 7, 9 (depths 1 to 3) and 11 (depths 0 to 2)."""
    claim = f"{ON_PAGERANK} (depths {span[0]} to {span[1] - 1})"
    means = column_intervals(random.pagerank)
    depths = [
        depth
        for depth in range(span[0], min(span[1], ours.depths, random.depths))
        if np.isfinite(ours.pagerank[0, depth]) and means[depth] is not None
    ]
    ratios = [float(ours.pagerank[0, depth]) / _mean(means[depth]) for depth in depths]
    above = [_above(float(ours.pagerank[0, depth]), means[depth]) for depth in depths]
    return _verdict(claim, depths, ratios, above, "the average PageRank")


def on_pages(ours: ByDepth, random: ByDepth, span: tuple[int, int] | None) -> Verdict:
    """Figures 8, 10 (every depth) and 12 (depths 3 to 14).

    Pages are counted up to each depth: at each depth alone, a crawl that is ahead must fall behind once little is left.
    """
    last = min(ours.depths, random.depths)
    first, stop = span or (1, last)
    claim = f"{ON_PAGES} (depths {first} to {span[1] - 1})" if span else f"{ON_PAGES} (all depths)"
    means = column_intervals(random.so_far)
    depths = list(range(first, min(stop, last)))
    ratios = [float(ours.so_far[0, depth]) / _mean(means[depth]) for depth in depths]
    above = [_above(float(ours.so_far[0, depth]), means[depth]) for depth in depths]
    return _verdict(claim, depths, ratios, above, "the number of pages so far")


def _mean(one: Interval | None) -> float:
    return one.mean if one is not None and one.mean > 0 else float("nan")


def _above(value: float, one: Interval | None) -> bool | None:
    """Whether a value is above an interval; None where there is none, for one draw alone cannot tell."""
    return None if one is None or one.high is None else value > one.high


def _verdict(claim: str, depths: list[int], ratios: list[float], above: list[bool | None], what: str) -> Verdict:
    if not depths:
        return Verdict(claim, None, "the crawls are not that deep")
    wins = [depth for depth, wins in zip(depths, above, strict=True) if wins]
    best = depths[int(np.argmax(ratios))]
    times = f"{min(ratios):.2f} to {max(ratios):.2f} times random's, most at depth {best}"
    if all(one is None for one in above):
        return Verdict(claim, None, f"{what} is {times}, but of one draw only")
    some = f" ({_runs(wins)})" if 0 < len(wins) < len(depths) else ""
    found = f"{what} is above the 95 % interval of random at {len(wins)} of {len(depths)} depths{some}, {times}"
    untold = None in above and False not in above
    return Verdict(claim, None if untold else all(above), found)


def _runs(numbers: list[int]) -> str:
    """1, 3–5, 9 for 1, 3, 4, 5, 9."""
    starts = [one for one in numbers if one - 1 not in numbers]
    ends = [one for one in numbers if one + 1 not in numbers]
    return ", ".join(f"{start}" if start == end else f"{start}–{end}" for start, end in zip(starts, ends, strict=True))


def none_left(what: Literal["pagerank", "pages"]) -> Verdict:
    """Figures 11 and 12 where no seed survived."""
    return Verdict(ON_PAGERANK if what == "pagerank" else ON_PAGES, None, "no seed of the old web is in the new one")


def on_survival(lasting: Survival) -> Verdict:
    """Section 1: hubs are durable; section 3.5.4: 11 % of the seeds were left after three years."""
    seeds, pages = lasting.seeds, lasting.all_pages
    what = (
        f"{100 * seeds.mean:.1f} % of {seeds.n} seeds are still there, of pages in general {100 * pages.mean:.1f} %; "
        "the difference of the shares"
    )
    return larger("Hubs last longer than pages in general", difference(seeds, pages), what)


def on_communities(ours: int | None, random: Sequence[int | None]) -> Verdict:
    """Abstract: pages from different communities."""
    claim = "A crawl from seeds from cores soon has pages of more communities than one from random seeds"
    known = [one for one in random if one is not None]
    if ours is None or not known:
        return Verdict(claim, None, "the web does not say which communities its pages are in")
    mean = mean_interval(known)
    one = "" if mean.n > 1 else ", but of one draw only"
    return Verdict(claim, _above(ours, mean), f"{ours} against {mean.mean:.1f} on average{one}")
