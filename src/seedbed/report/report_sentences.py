"""The sentences of a report: the answer, how certain it is, what to keep in mind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seedbed.common.messages import counted
from seedbed.evaluation.comparison import Comparison, Pair, Recommendation, recommend
from seedbed.evaluation.comparison_crawls import WITH_LAST
from seedbed.evaluation.comparison_seeds import chosen_and_added
from seedbed.evaluation.crawl_measures import baseline_of
from seedbed.evaluation.intervals import Interval, joint_confidence
from seedbed.evaluation.out_of_sample import HIDDEN_HOSTS, LATER_CRAWL
from seedbed.last_crawl import COMES_LAST

MAX_NAMED = 4


@dataclass(frozen=True)
class Answer:
    """The top of the report. `judged`: what the seeds were judged on, in a few words, and why that matters.

    `in_sample`: what judging them on the web they were chosen from would have said; `memory`: what knowing the last
    crawl was good for; `spam`: who fetches less of it; all empty if there is nothing to say. `tiles`: numbers, and what
    they mean.
    """

    judged: tuple[str, str]
    reached: str
    in_sample: str
    memory: str
    spam: str
    verdict: str
    sureness: str
    cautions: tuple[str, ...]
    tiles: tuple[tuple[str, str], ...]


def answer(comparison: Comparison) -> Answer:
    """The answer in a sentence, and how certain it is."""
    verdict, sureness = _sureness(comparison)
    return Answer(
        judged=_judged(comparison),
        reached=_reached(comparison),
        in_sample=_in_sample(comparison),
        memory=_memory(comparison),
        spam=_spam(comparison),
        verdict=verdict,
        sureness=sureness,
        cautions=tuple(_cautions(comparison)),
        tiles=tuple(_tiles(comparison)),
    )


def recommended(comparison: Comparison) -> list[str]:
    """What to use, what it achieves, how certain that is and what it was judged on, in lines for a terminal."""
    best, said = comparison.recommendation.best, answer(comparison)
    seeds, (judged, why) = counted(comparison.facts["k"], "seed"), said.judged
    use = f"Use the {seeds} of {best.strategy} and the order {best.order}. {said.reached} {said.sureness}"
    in_sample = f"In-sample: {said.in_sample}" if said.in_sample else ""
    return [use, f"{judged}: {why}", *filter(None, (in_sample, said.memory, said.spam))]


def _judged(comparison: Comparison) -> tuple[str, str]:
    """What the seeds were judged on, and why that matters."""
    facts = comparison.facts
    if facts["judged_on"] == LATER_CRAWL:
        webs = "an older web" if facts["snapshots"] == 1 else f"{facts['snapshots']} older webs, one by one,"
        newer = "a newer one" if facts["snapshots"] == 1 else "newer ones"
        return (
            "Judged on a later crawl",
            f"seeds were chosen on {webs} and crawled on {newer}, which the choice had not seen: the better guide "
            "to the next crawl.",
        )
    if facts["judged_on"] == HIDDEN_HOSTS:
        return (
            "Judged on hosts they have not seen",
            f"{100 * facts['hide_hosts']:g} % of the hosts were hidden while seeds were chosen, so seeds that only fit "
            "the hosts they were chosen from do not pass; how pages change with time, only a later crawl can show "
            "(--old, --new).",
        )
    return (
        "Judged on the web they were chosen from",
        "that flatters seeds that fit this web by accident, and says nothing about how many will last; for what to "
        "expect of the next crawl, give two snapshots (--old, --new).",
    )


def _in_sample(comparison: Comparison) -> str:
    """What a comparison on the web that the seeds were chosen from would have said."""
    if not comparison.in_sample:
        return ""
    best = comparison.recommendation.best
    lead = comparison.in_sample_lead(best)
    if lead is None:
        return ""
    amount = f"{100 * abs(lead.mean):.2f} percentage points {'more' if lead.mean >= 0 else 'less'}"
    text = (
        f"with seeds chosen on the web that judges them it would hold {amount}, averaged over the crawl"
        f"{_interval(lead)}."
    )
    first = recommend(comparison.in_sample).best
    return text if first.name == best.name else f"{text} Then {first.name} would have come first."


def _memory(comparison: Comparison) -> str:
    """What an order gained by what the last crawl knew, from the recommended seeds; fetches that it saved."""
    best = comparison.recommendation.best
    own = {pair.order: pair for pair in comparison.pairs if pair.strategy == best.strategy}
    plain = next((own[name] for name in own if f"{name}{WITH_LAST}" in own), None)
    if plain is None:
        return ""
    knowing = own[f"{plain.order}{WITH_LAST}"]
    lead = knowing.lead_over(plain)
    amount = f"{100 * abs(lead.mean):.2f} percentage points {'more' if lead.mean >= 0 else 'less'}"
    text = f"Knowing the last crawl, {plain.order} holds {amount} from these seeds{_interval(lead)}."
    if knowing.gone is None or plain.gone is None:
        return text
    with_it, without = float(knowing.gone.mean()), float(plain.gone.mean())
    then = round(comparison.facts["gone_then"])
    gone = counted(then, "page was gone, spam or a duplicate", f"pages were {COMES_LAST}") + " in the last crawl"
    if round(with_it) == round(without) == 0:
        return f"{text} {gone}; neither crawl fetched any of them."
    saved = max(round(without) - round(with_it), 0)
    what = f"saved {counted(saved, 'fetch', 'fetches')}" if saved else "saved no fetch"
    return f"{text} {gone}; it fetched {with_it:,.0f} of them, and {without:,.0f} without that knowledge: that {what}."


def _spam(comparison: Comparison) -> str:
    """How much spam the recommended crawl fetches; which seeds fetch less than random ones, which orders than bfs."""
    best = comparison.recommendation.best
    if best.spam is None:
        return ""
    if not any(pair.spam is not None and pair.spam.mean > 0 for pair in comparison.pairs):
        return "None of these crawls fetches spam."
    seeds = {pair.strategy: pair for pair in comparison.pairs if pair.order == best.order}
    orders = {pair.order: pair for pair in comparison.pairs if pair.strategy == best.strategy}
    parts = [f"{percent(best.spam)} of the pages that this crawl fetches are spam."]
    if "random" in seeds:
        parts.append(_against_baseline(seeds, "random", f"In the order {best.order}, against random seeds"))
    if "bfs" in orders:
        parts.append(_against_baseline(orders, "bfs", f"From the seeds of {best.strategy}, against bfs"))
    return " ".join(filter(None, parts))


def _against_baseline(pairs: dict[str, Pair], base: str, where: str) -> str:
    """Who fetches less spam than a baseline, who more, and who is tied with it. All these hold simultaneously."""
    sure = joint_confidence(len(pairs) - 1)
    leads = {name: pair.more_spam_than(pairs[base], sure) for name, pair in pairs.items() if name != base}
    known = {name: lead for name, lead in leads.items() if lead is not None}
    if not known:
        return ""
    if any(lead.low is None for lead in known.values()):
        return f"{where}: each was crawled once, so it is unknown how much of the difference in spam is chance."
    less = [name for name, lead in known.items() if lead.below_zero]
    more = [name for name, lead in known.items() if lead.above_zero]
    tied = [name for name in known if name not in less and name not in more]
    said = [
        f"{what}: {', '.join(_spam_lead(name, known[name]) for name in names)}"
        for what, names in (("less spam", less), ("more spam", more), ("tied", tied))
        if names
    ]
    return f"{where}, {'; '.join(said)}."


def _spam_lead(name: str, lead: Interval) -> str:
    """A name and how many points more spam it fetches, with the interval."""
    mean, low, high = (f"{100 * (end or 0.0):+z.2f}".replace("-", "−") for end in (lead.mean, lead.low, lead.high))
    return f"{name} ({mean} points, {low} to {high})"


def _interval(lead: Interval) -> str:
    """The interval of a single lead in percentage points, in brackets."""
    if lead.low is None or lead.high is None:
        return ""
    low, high = (f"{100 * end:.2f}".replace("-", "−") for end in (lead.low, lead.high))
    return f" (95 % interval {low} to {high})"


def _reached(comparison: Comparison) -> str:
    best = comparison.recommendation.best
    pages = round(float(best.pages.mean()))
    total = comparison.web.page_count
    text = (
        f"After {pages:,} of {total:,} pages ({100 * pages / max(total, 1):.3g} %), this crawl holds "
        f"{percent(best.mass)} of the web's PageRank, the usual measure of how important pages are."
    )
    baseline = next((pair for pair in comparison.pairs if (pair.strategy, pair.order) == ("random", "bfs")), None)
    if baseline is None or baseline is best:
        return text
    random = baseline_of(comparison.web).seeds
    return f"{text} A breadth-first crawl from {random} holds {100 * baseline.mass.mean:.1f} %."


def _sureness(comparison: Comparison) -> tuple[str, str]:
    """(sure, not sure, one crawl, only one): in a word, and in a sentence."""
    found = comparison.recommendation
    if found.next_best is None or found.lead is None:
        return "only one", "Nothing else was compared with it."
    equal = found.lead.low == found.lead.high == 0
    more = (
        "exactly as much PageRank as" if equal else f"{100 * found.lead.mean:.2f} percentage points more PageRank than"
    )
    text = (
        f"Averaged over the whole crawl, it holds {more} the next best, {found.next_best.name}"
        f"{'' if equal else interval_of_lead(found.lead, found.rivals, comparison.facts['snapshots'])}."
    )
    if found.sure is None:
        return "one crawl", f"{text} {_crawled_once(found)}"
    if found.sure:
        return "sure", f"{text} That is more than chance explains."
    names = listed([pair.name for pair in found.ties], MAX_NAMED)
    if found.next_best not in found.ties:
        return "not sure", f"{text} That is more than chance explains, but {names} may be as good."
    why = "Nothing separates them" if equal else "That may be chance"
    return "not sure", f"{text} {why}: {names} may be as good."


def _crawled_once(found: Recommendation) -> str:
    if found.next_best in found.crawled_once:
        return "Each was crawled once, so it is unknown how much of that is chance."
    names = listed([pair.name for pair in found.crawled_once], MAX_NAMED)
    were = "was" if len(found.crawled_once) == 1 else "were"
    return f"It was crawled once, and so {were} {names}; how much chance there is between them is unknown."


def _cautions(comparison: Comparison) -> Iterable[str]:
    found = comparison.recommendation
    best, other = found.best, found.best_independent
    if best.chosen_by_pagerank:
        instead = "" if other is None else f" The best pair without this advantage is {other.name}."
        yield f"PageRank chose these seeds, and PageRank is also what is measured, which flatters them.{instead}"
    yield from _cautions_on_numbers(comparison)
    baselines = [pair for pair in comparison.pairs if (pair.strategy, pair.order) == ("random", best.order)]
    if best not in baselines and not all(best.beats(pair) for pair in baselines):
        yield "Random seeds may do as well in this order: on this web, with this budget, the seeds matter little."


def _cautions_on_numbers(comparison: Comparison) -> Iterable[str]:
    """Too few seeds, pages to fetch or reachable pages for a fair contest."""
    best, k, budget = comparison.recommendation.best, comparison.facts["k"], comparison.facts["budget"]
    choice = comparison.choice(best.strategy)
    if choice.chosen < k:
        yield f"{best.strategy} ran out of seeds to choose: {chosen_and_added(choice, k)}."
    if k >= budget:
        yield f"A crawl of {counted(budget, 'page')} from {counted(k, 'seed')} hardly follows any links."
    if best.exhausted:
        yield "Its crawls ran out of pages to fetch before the budget was used up."


def _tiles(comparison: Comparison) -> Iterable[tuple[str, str]]:
    best = comparison.recommendation.best
    yield f"{100 * best.mass.mean:.1f} %", f"of all PageRank held after {counted(round(best.pages.mean()), 'page')}"
    yield f"{100 * comparison.how_early(best):.0f} %", "of the most that is possible, averaged over the crawl"
    if best.hosts is not None:
        total = len(comparison.web.sites("host").names)
        yield f"{best.hosts[:, -1].mean():,.0f}", f"of {total:,} hosts reached"
    covered = comparison.choice(best.strategy).covered[0]
    if len(covered):
        what = "value" if comparison.facts["with_values"] else "web"
        within = counted(comparison.facts["hops"], "link")
        yield f"{100 * covered[-1]:.1f} %", f"of the {what} lies within {within} of its seeds"


def percent(interval: Interval) -> str:
    """A share with its interval, in per cent."""
    text = f"{100 * interval.mean:.1f} %"
    if interval.low is None or interval.high is None:
        return text
    return f"{text} (95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f})"


def interval_of_lead(lead: Interval, rivals: int, snapshots: int = 1) -> str:
    """The interval of a lead in percentage points, in brackets. `rivals`: how many of them hold simultaneously.

    `snapshots`: pairs of snapshots, which are what was sampled if there are several.
    """
    if lead.low is None or lead.high is None:
        return ""
    low, high = (f"{100 * end:.2f}".replace("-", "−") for end in (lead.low, lead.high))
    at_once = f", adjusted for {rivals} comparisons at once" if rivals > 1 else ""
    sample = f"{lead.n} paired crawls" if snapshots == 1 else f"{lead.n} pairs of snapshots"
    return f" (95 % interval {low} to {high}, from {sample}{at_once})"


def listed(names: list[str], most: int | None = None) -> str:
    """Names as in a sentence: a, b and c; beyond `most`, how many more there are."""
    shown = names[:most]
    if more := len(names) - len(shown):
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
