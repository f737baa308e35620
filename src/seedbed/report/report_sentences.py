"""The sentences of a report: the answer, how sure it is, what to mind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seedbed.common.messages import counted
from seedbed.evaluation.comparison import Comparison, Recommendation, ahead_of
from seedbed.evaluation.comparison_seeds import filled_words
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


def recommended(comparison: Comparison) -> str:
    """What to use, what that comes to, and how sure it is; for a terminal."""
    best, said = comparison.recommendation.best, answer(comparison)
    seeds = counted(comparison.facts["k"], "seed")
    return f"Use the {seeds} of {best.strategy} and the order {best.order}. {said.reached} {said.sureness}"


def _reached(comparison: Comparison) -> str:
    best = comparison.recommendation.best
    pages = round(float(best.pages.mean()))
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
    same = found.ahead.low == found.ahead.high == 0
    held = "exactly as much PageRank as" if same else f"{points(found.ahead, found.rivals)} more PageRank than"
    text = f"Averaged over the whole crawl, it holds {held} {rival}."
    if found.sure is None:
        return "one crawl", f"{text} {_crawled_once(found)}"
    if found.sure:
        return "sure", f"{text} That is more than chance would do."
    names = listed([one.name for one in found.level], MOST_NAMED)
    if found.next_best not in found.level:
        return "not sure", f"{text} That is more than chance would do, but {names} may be as good."
    why = "Nothing tells them apart" if same else "That may be chance"
    return "not sure", f"{text} {why}: {names} may be as good."


def _crawled_once(found: Recommendation) -> str:
    if found.next_best in found.once:
        return "Each was crawled once, so how much of that is chance is not known."
    names = listed([one.name for one in found.once], MOST_NAMED)
    return f"It was crawled once, as {names} {'was' if len(found.once) == 1 else 'were'}; chance is not known there."


def _cautions(comparison: Comparison) -> Iterable[str]:
    found = comparison.recommendation
    if found.best.used_pagerank:
        other = found.best_unmarked
        instead = "" if other is None else f" The best pair without that is {other.strategy} with {other.order}."
        yield f"PageRank chose these seeds and is also what is measured, which flatters them.{instead}"
    yield from _cautions_on_numbers(comparison)
    if "random" in {one.strategy for one in comparison.crawls} and found.best.strategy != "random":
        baseline = next(
            (one for one in comparison.crawls if (one.strategy, one.order) == ("random", found.best.order)), None
        )
        if baseline is not None and not ahead_of(found.best, baseline):
            yield "Random seeds may do as well in this order: on this web and budget, the seeds matter little."


def _cautions_on_numbers(comparison: Comparison) -> Iterable[str]:
    """Too few seeds, pages to fetch or pages to be reached for a plain contest."""
    best, k, budget = comparison.recommendation.best, comparison.facts["k"], comparison.facts["budget"]
    choice = comparison.choice(best.strategy)
    if choice.chosen < k:
        yield f"{best.strategy} had nothing left to choose: {filled_words(choice, k)}."
    if k >= budget:
        pages, seeds = counted(budget, "page"), counted(k, "seed")
        yield f"A crawl fetches {pages} and starts from {seeds}, so it hardly follows links."
    if best.exhausted:
        yield "Its crawls ran out of pages to fetch before the budget was used up."


def _tiles(comparison: Comparison) -> Iterable[tuple[str, str]]:
    best = comparison.recommendation.best
    yield f"{100 * best.mass.mean:.1f} %", f"of all PageRank held after {counted(round(best.pages.mean()), 'page')}"
    yield f"{100 * comparison.how_early(best):.0f} %", "of the most that any order could hold on the way"
    if best.hosts is not None:
        total = len(comparison.web.sites("host").names)
        yield f"{best.hosts[:, -1].mean():,.0f}", f"of {total:,} hosts reached"
    covered = comparison.choice(best.strategy).covered[0]
    if len(covered):
        what = "value" if comparison.facts["with_values"] else "web"
        within = counted(comparison.facts["hops"], "link")
        yield f"{100 * covered[-1]:.1f} %", f"of the {what} lies within {within} of its seeds"


def percent(interval: Interval, *, interval_shown: bool = True) -> str:
    """A share with its interval, in per cent."""
    text = f"{100 * interval.mean:.1f} %"
    if not interval_shown or interval.low is None or interval.high is None:
        return text
    return f"{text} (95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f})"


def points(interval: Interval, rivals: int = 1) -> str:
    """A difference of shares, in percentage points. `rivals`: how many such intervals hold together."""
    text = f"{100 * interval.mean:.2f} percentage points"
    if interval.low is None or interval.high is None:
        return text
    low, high = (f"{100 * end:.2f}".replace("-", "−") for end in (interval.low, interval.high))
    held = f" for all {rivals} comparisons together" if rivals > 1 else ""
    return f"{text} (95 % interval{held} {low} to {high}, from {interval.n} paired crawls)"


def listed(names: list[str], most: int | None = None) -> str:
    """Names as a sentence has them: a, b and c; beyond the most that are named, how many more there are."""
    shown = names[:most]
    if more := len(names) - len(shown):
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
