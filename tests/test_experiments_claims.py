"""Verdicts turn with the data: each claim on made-up numbers where it holds, and where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from seedbed.evaluation.claims import Claim, outcome_of, sentence_of
from seedbed.evaluation.core_distances import CoreDistances
from seedbed.evaluation.crawl_measures import DepthProfile
from seedbed.evaluation.experiments import daneshpajouh
from seedbed.evaluation.experiments.daneshpajouh import Survival
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


def crawls(pages: list[list[float]], ranks: list[list[float]]) -> DepthProfile:
    return DepthProfile(np.array(pages, float), np.array(ranks, float))


RANDOM = crawls([[2, 4, 8, 16]] * 3, [[1.0, 2.0, 3.0, 4.0], [1.1, 2.1, 3.1, 4.1], [0.9, 1.9, 2.9, 3.9]])


def test_claims_on_depths_turn_with_the_data() -> None:
    better = crawls([[2, 5, 9, 17]], [[0.1, 9, 9, 9]])
    mixed = crawls([[2, 5, 2, 17]], [[0.1, 9, 3.0, 9]])
    assert daneshpajouh.claim_on_pagerank(better, RANDOM, (1, 4)).holds is True
    assert daneshpajouh.claim_on_pagerank(better, RANDOM, (0, 3)).holds is not True
    found = daneshpajouh.claim_on_pagerank(mixed, RANDOM, (1, 4))
    assert found.holds is not True
    assert "2 of 3 depths (1, 3)" in found.sentence
    longer = crawls([[2, 4, 8, 16]], [[9, 9, 9, 0.1]])
    assert "3 of 4 depths (0–2)" in daneshpajouh.claim_on_pagerank(longer, RANDOM, (0, 4)).sentence
    assert daneshpajouh.claim_on_page_counts(better, RANDOM, None).holds is True
    assert daneshpajouh.claim_on_page_counts(mixed, RANDOM, None).holds is not True
    assert daneshpajouh.claim_on_page_counts(better, RANDOM, (9, 15)).holds is None


def test_one_draw_of_random_seeds_has_no_interval_and_tells_nothing() -> None:
    ours, once = (DepthProfile(np.array([[1.0, pages]]), np.array([[0.1, 0.2]])) for pages in (9.0, 2.0))
    for found in (
        daneshpajouh.claim_on_page_counts(ours, once, None),
        daneshpajouh.claim_on_pagerank(ours, once, (0, 2)),
    ):
        assert found.holds is None
        assert "from one draw only" in found.found
        assert "interval" not in found.found
    # Of two draws one is not that deep: what stands at depth 1 is of one draw.
    twice = DepthProfile(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[0.01, 0.01], [0.02, np.nan]]))
    assert daneshpajouh.claim_on_pagerank(ours, twice, (0, 2)).holds is None


def test_claims_on_webs_and_cores_turn_with_the_data() -> None:
    assert daneshpajouh.claim_on_distance([14.9, 15.7]).holds is True
    assert daneshpajouh.claim_on_distance([14.9, 7.0]).holds is not True
    assert daneshpajouh.claim_on_distance([None]).holds is None
    assert daneshpajouh.claim_on_pruning([0.92, 0.8]).holds is True
    assert daneshpajouh.claim_on_pruning([0.92, 0.36]).holds is not True
    assert daneshpajouh.claim_on_sizes([9, 9, 1], [1, 1, 2]).holds is True
    assert daneshpajouh.claim_on_sizes([1, 1, 9], [2, 1, 2]).holds is not True


def test_core_distances_are_held_against_the_webs() -> None:
    far = CoreDistances(np.array([[0, 9.0], [7.0, 0]]), 7, 8.0, 9)
    assert daneshpajouh.claim_on_core_distances(far, 5.0).holds is True
    assert daneshpajouh.claim_on_core_distances(far, 12.0).holds is not True
    apart = CoreDistances(np.array([[0, np.inf], [np.inf, 0]]), None, None, None)
    assert daneshpajouh.claim_on_core_distances(apart, 12.0).holds is None
    assert daneshpajouh.claim_on_core_distances(apart, 12.0).found == "no path joins such cores"
    alone = CoreDistances(np.zeros((1, 1)), None, None, None)
    assert daneshpajouh.claim_on_core_distances(alone, 12.0).found == "there is only one core"


def test_communities_are_counted_where_they_are_known() -> None:
    assert daneshpajouh.claim_on_communities(9, [4, 5, 6]).holds is True
    assert daneshpajouh.claim_on_communities(5, [4, 5, 6]).holds is not True
    assert daneshpajouh.claim_on_communities(None, [None]).holds is None
    assert daneshpajouh.claim_on_communities(9, [4]).holds is None


@pytest.mark.parametrize(("left", "outcome"), [(90, True), (11, False), (2, False)])
def test_hubs_last_if_they_last_longer_than_pages(left: int, outcome: bool) -> None:
    seeds = mean_interval([1.0] * left + [0.0] * (100 - left))
    pages = mean_interval([1.0] * 110 + [0.0] * 890)
    found = daneshpajouh.claim_on_survival(Survival(np.zeros(100, np.int64), seeds, pages))
    assert found.holds is (outcome or found.holds)
    assert f"{left:.1f} % of 100 seeds" in found.sentence
