"""Verdicts turn with the data: each claim on made-up numbers where it holds, and where it does not."""

from __future__ import annotations

from seedbed.evaluation.claims import Claim, outcome_of, sentence_of
from seedbed.evaluation.intervals import mean_interval

UP = Claim("up", "Figure 1", "Up is up", "the height", "it is above zero")
SURE, CHANCE, ONE = mean_interval([1.0, 1.1, 0.9]), mean_interval([1.0, -1.1, 0.9]), mean_interval([3.0])
BELOW, LEVEL = mean_interval([-1.0, -1.1, -0.9]), mean_interval([0.0, 0.0])


def test_a_sentence_says_the_claim_the_verdict_and_the_numbers() -> None:
    assert UP.verdict(True, "it is").sentence == "“Up is up” holds here: it is."
    assert UP.verdict(False, "it is not", "MaxOut").sentence == "“Up is up”, for MaxOut, does not hold here: it is not."
    assert UP.verdict(None, "no idea").sentence == "“Up is up” cannot be decided here: no idea."


def test_a_difference_must_be_more_than_chance_either_way() -> None:
    assert [UP.larger(each, "w").holds for each in (SURE, CHANCE, BELOW, ONE)] == [True, None, False, None]
    assert "may be chance" in UP.larger(CHANCE, "w").found
    assert "chance" not in UP.larger(SURE, "w").found
    assert "from one case only" in UP.larger(ONE, "w").found
    assert UP.larger(LEVEL, "the lead", " s").found == "the lead is 0 s in all cases"


def test_similar_is_shown_not_assumed() -> None:
    near = mean_interval([0.1, -0.1, 0.05, -0.05])
    assert [UP.similar(each, 0.5, "w").holds for each in (near, LEVEL, CHANCE, SURE, BELOW, ONE)] == [
        True,
        True,
        None,
        False,
        False,
        None,
    ]
    assert UP.similar(near, 0.5, "w").found.endswith("; ±0.5 counts as similar")


def test_a_bar_is_passed_by_the_whole_interval() -> None:
    assert [UP.above(SURE, bar, "w").holds for bar in (0.5, 1.0, 1.5)] == [True, None, False]
    assert [UP.below(SURE, bar, "w").holds for bar in (0.5, 1.0, 1.5)] == [False, None, True]
    assert UP.above(ONE, 1, "w").holds is None
    assert UP.below(ONE, 1, "w").holds is None
    assert UP.above(SURE, 0.5, "it", " m").found == "it is 1 m (95 % interval 0.752 to 1.25); it must be above 0.5"
    assert "is +1,235 (" in UP.larger(mean_interval([1234.0, 1236.0]), "it").found
    assert "99 % interval" in UP.larger(mean_interval([1.0, 1.1], 0.99), "it").found


def test_several_verdicts_are_told_together() -> None:
    both = [UP.verdict(True, "A is up", "A"), UP.verdict(None, "", "B"), UP.verdict(True, "A is up", "C")]
    assert outcome_of(both) == "holds for A, C; cannot be decided for B"
    assert outcome_of([both[0], both[2]]) == "holds"
    assert outcome_of([UP.verdict(False, "")]) == "does not hold"
    assert sentence_of(both) == "“Up is up”: holds for A, C; cannot be decided for B."
    assert sentence_of([both[0], both[2]]) == "“Up is up”: holds for all 2: A is up."
    assert sentence_of([both[0], UP.verdict(True, "B is up", "B")]) == "“Up is up”: holds for all 2."
    assert sentence_of([UP.verdict(True, "it is")]) == "“Up is up” holds here: it is."
