"""What a paper claims, how each claim is tested, and what came of it on the webs at hand.

A claim is declared with its test: the statistic, and what it takes to hold, the same on all webs. docs/reproduce.md
says what was known when the tests were settled, and has webs that they had not seen. There are three ways out, since a
web that cannot tell two things apart speaks neither for a claim nor against it:

    larger      A is larger than B      holds if the whole 95 % interval of A − B is above zero,
                                        does not if the whole interval is below, else it is undecided
    above       A is above a bar        the same, with the bar in place of zero
    similar     A is about B            holds if the whole interval is within ± margin,
                                        does not if the whole interval is outside, else it is undecided

The last is a test of equivalence (Schuirmann 1987): a small sample cannot pass for "no difference". A claim about
each of several strategies has a verdict for each of them; `intervals.joint_confidence` makes them hold simultaneously.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from seedbed.evaluation.intervals import Interval

Kind = Literal["claim", "later work", "ours"]


@dataclass(frozen=True)
class Claim:
    """What a paper says, and its test. `says` is in our words; `where`: the figure, table or section of the paper.

    `kind`: a claim of the paper, something it leaves for later work, or one of ours.
    """

    name: str
    where: str
    says: str
    statistic: str
    holds_if: str
    kind: Kind = "claim"

    def verdict(self, holds: bool | None, found: str, of: str = "") -> Verdict:
        """What came of it."""
        return Verdict(self, holds, found, of)

    def larger(self, lead: Interval, what: str, unit: str = "", of: str = "") -> Verdict:
        """By a difference that should be above zero. One value cannot tell."""
        holds = True if lead.above_zero else False if lead.below_zero else None
        return self.verdict(holds, _told(lead, what, unit), of)

    def above(self, value: Interval, bar: float, what: str, unit: str = "", of: str = "") -> Verdict:
        """By a value that should be above a bar. One value cannot tell."""
        return self.verdict(_is_above(value, bar), f"{_value(value, what, unit)}; it must be above {bar:g}", of)

    def below(self, value: Interval, bar: float, what: str, unit: str = "", of: str = "") -> Verdict:
        """By a value that should be below a bar. One value cannot tell."""
        over = _is_above(value, bar)
        holds = None if over is None else not over
        return self.verdict(holds, f"{_value(value, what, unit)}; it must be below {bar:g}", of)

    def similar(self, gap: Interval, margin: float, what: str, unit: str = "", of: str = "") -> Verdict:
        """By a difference that should be within ± margin. One value cannot tell."""
        holds = None
        if gap.low is not None and gap.high is not None:
            within, outside = -margin < gap.low and gap.high < margin, gap.low > margin or gap.high < -margin
            holds = True if within else False if outside else None
        return self.verdict(holds, f"{_value(gap, what, unit, '+')}; ±{margin:.3g} counts as similar", of)


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on the given webs (None: they cannot tell), and what was found.

    `of`: the strategy, order or reading that it is about, if the claim is about several.
    """

    claim: Claim
    holds: bool | None
    found: str
    of: str = ""

    @property
    def outcome(self) -> str:
        """Whether it holds, in words."""
        return {True: "holds", False: "does not hold", None: "cannot be decided"}[self.holds]

    @property
    def sentence(self) -> str:
        """The claim, whether it holds, and what was found."""
        about = f", for {self.of}," if self.of else ""
        return f"“{self.claim.says}”{about} {self.outcome} here: {self.found}."


def by_claim(verdicts: Iterable[Verdict]) -> dict[Claim, list[Verdict]]:
    """The verdicts on each claim, in their order."""
    found: dict[Claim, list[Verdict]] = {}
    for one in verdicts:
        found.setdefault(one.claim, []).append(one)
    return found


def sentence_of(verdicts: Sequence[Verdict]) -> str:
    """All verdicts on one claim in a sentence: what was found if it is one verdict, else which go which way."""
    if len(verdicts) == 1:
        return verdicts[0].sentence
    alike = f" for all {len(verdicts)}" if len({one.holds for one in verdicts}) == 1 else ""
    why = f": {verdicts[0].found}" if found_alike(verdicts) else ""
    return f"“{verdicts[0].claim.says}”: {outcome_of(verdicts)}{alike}{why}."


def found_alike(verdicts: Sequence[Verdict]) -> bool:
    """Whether the same was found for all of them, so that it need be said only once."""
    return len({(one.holds, one.found) for one in verdicts}) == 1


def outcome_of(verdicts: Iterable[Verdict]) -> str:
    """Several verdicts on one claim in a few words: all alike, or which go which way."""
    all_of = list(verdicts)
    if len(all_of) == 1 or len({one.holds for one in all_of}) == 1:
        return all_of[0].outcome
    parts = []
    for outcome in ("holds", "does not hold", "cannot be decided"):
        if names := [one.of for one in all_of if one.outcome == outcome]:
            parts.append(f"{outcome} for {', '.join(names)}")
    return "; ".join(parts)


def _is_above(value: Interval, bar: float) -> bool | None:
    if value.low is None or value.high is None:
        return None
    return True if value.low > bar else False if value.high < bar else None


def _told(lead: Interval, what: str, unit: str) -> str:
    """The difference, its interval, and whether it may be chance."""
    certain = lead.low is None or lead.above_zero or lead.below_zero or lead.low == lead.high == 0
    chance = "" if certain else ", which may be chance"
    return _value(lead, what, unit, "+") + chance


def _value(value: Interval, what: str, unit: str, sign: str = "") -> str:
    """A number and its interval."""
    if value.low == value.high == 0:
        return f"{what} is 0{unit} in all cases"
    if value.low is None or value.high is None:
        return f"{what} is {_short(value.mean, sign)}{unit}, but from one case only"
    span = f"{100 * value.confidence:.3g} % interval {_short(value.low, sign)} to {_short(value.high, sign)}"
    return f"{what} is {_short(value.mean, sign)}{unit} ({span})"


def _short(number: float, sign: str) -> str:
    """Three digits, or all before the decimal point."""
    return f"{number:{sign},.0f}" if abs(number) >= 1000 else f"{number:{sign}.3g}"
