"""The sentences of a report: the answer, how sure it is, what to mind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seedbed.evaluation.comparison import Comparison, lead
from seedbed.evaluation.intervals import Interval

MOST_NAMED = 4


@dataclass(frozen=True)
class Answer:
    """What stands at the top."""

    reached: str
    verdict: str
    sureness: str
    cautions: tuple[str, ...]
    tiles: tuple[tuple[str, str], ...]


def answer(comparison: Comparison) -> Answer:
    """The answer in a sentence, and how sure it is."""
    verdict, sureness = _sureness(comparison)
    return Answer(
        reached=_reached(comparison),
        verdict=verdict,
        sureness=sureness,
        cautions=tuple(_cautions(comparison)),
        tiles=tuple(_tiles(comparison)),
    )


def _reached(comparison: Comparison) -> str:
    best, pages = comparison.recommendation.best, comparison.facts["budget"]
    share = 100 * pages / max(comparison.web.page_count, 1)
    text = (
        f"With {pages:,} of {comparison.web.page_count:,} pages fetched ({share:.3g} %), such a crawl holds "
        f"{percent(best.mass)} of the web's PageRank, the usual measure of how important pages are"
    )
    plain = next((one for one in comparison.crawls if (one.strategy, one.order) == ("random", "bfs")), None)
    if plain is None or plain is best:
        return text + "."
    return text + f". Random seeds fetched breadth-first hold {percent(plain.mass, interval_shown=False)}."


def _sureness(comparison: Comparison) -> tuple[str, str]:
    """(sure, not sure, one crawl, only one): in a word, and in a sentence."""
    found = comparison.recommendation
    if found.next_best is None or found.ahead is None:
        return "only one", "Nothing else was compared with it."
    rival = f"the next best, {found.next_best.strategy} with {found.next_best.order}"
    text = f"Averaged over the whole crawl, it holds {points(found.ahead, found.best.count)} more PageRank than {rival}"
    if found.sure is None:
        return "one crawl", f"{text}. Each was crawled once, so how much of that is chance is not known."
    if found.sure:
        return "sure", f"{text}. That is more than chance would do."
    names = _listed([f"{one.strategy} with {one.order}" for one in found.level])
    return "not sure", f"{text}. That may be chance: {names} may be as good."


def _cautions(comparison: Comparison) -> Iterable[str]:
    found = comparison.recommendation
    if found.best.used_pagerank:
        other = found.best_unmarked
        instead = "" if other is None else f" The best pair without that is {other.strategy} with {other.order}."
        yield f"PageRank chose these seeds and is also what is measured, which flatters them.{instead}"
    if found.best.exhausted:
        yield "Its crawls ran out of pages to fetch before the budget was used up."
    if "random" in {one.strategy for one in comparison.crawls} and found.best.strategy != "random":
        baseline = next(
            (one for one in comparison.crawls if (one.strategy, one.order) == ("random", found.best.order)), None
        )
        if baseline is not None and not lead(found.best, baseline).above_zero:
            yield "Random seeds do as well in this order: on this web and budget the choice of seeds matters little."


def _tiles(comparison: Comparison) -> Iterable[tuple[str, str]]:
    best = comparison.recommendation.best
    yield f"{100 * best.mass.mean:.1f} %", f"of all PageRank held after {comparison.facts['budget']:,} pages"
    share = comparison.share_of_oracle(best)
    if share is not None:
        yield f"{100 * share:.0f} %", "of what an oracle holds on the way, one that knows every PageRank beforehand"
    if best.hosts is not None:
        total = len(comparison.web.sites("host").names)
        yield f"{best.hosts[:, -1].mean():,.0f}", f"of {total:,} hosts reached"
    covered = comparison.choice(best.strategy).covered[0]
    if len(covered):
        what = "value" if comparison.facts["with_values"] else "web"
        yield f"{100 * covered[-1]:.1f} %", f"of the {what} lies within {comparison.facts['hops']} links of its seeds"


def percent(interval: Interval, *, interval_shown: bool = True) -> str:
    """A share with its interval, in per cent."""
    text = f"{100 * interval.mean:.1f} %"
    if not interval_shown or interval.low is None or interval.high is None:
        return text
    return f"{text} (95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f})"


def points(interval: Interval, crawls: int) -> str:
    """A difference of shares, in percentage points."""
    text = f"{100 * interval.mean:.2f} percentage points"
    if interval.low is None or interval.high is None:
        return text
    low, high = (f"{100 * end:.2f}" for end in (interval.low, interval.high))
    return f"{text} (95 % interval {low} to {high}, from {crawls} paired crawls)"


def _listed(names: list[str]) -> str:
    shown = names[:MOST_NAMED]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
