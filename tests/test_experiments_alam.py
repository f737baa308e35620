"""The claims of Alam et al. on made-up numbers: where each holds, where it does not, and where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest

import seedbed as sb
from seedbed.evaluation.claims import Claim, Verdict, by_claim
from seedbed.evaluation.experiments import alam
from seedbed.evaluation.experiments import alam_claims as claims
from seedbed.evaluation.experiments.alam_claims import WINDOWED
from seedbed.graph.web import Web

AREAS = {
    "fpr": 80.0, "fpr@2": 82.0, "fpr@20": 88.0, "fpr@100": 89.0, WINDOWED: 80.2, "bfs": 70.0, "oracle": 95.0,
    "fpr@1000": 89.2, "windowed-rankmass@100": 70.2, "rankmass": 80.3,
}  # fmt: skip


def drawn(levels: dict[str, float], noise: float = 0.05) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(3).normal(0, noise, (len(levels), 10))
    return {name: level + row for (name, level), row in zip(levels.items(), draws, strict=True)}


def holds(verdicts: tuple[Verdict, ...]) -> dict[Claim, dict[str, bool | None]]:
    return {claim: {one.of: one.holds for one in own} for claim, own in by_claim(verdicts).items()}


def test_claims_on_areas_hold_on_numbers_like_the_papers() -> None:
    found = holds(claims.judge_areas(drawn(AREAS)))
    assert {one for own in found.values() for one in own.values()} == {True}
    assert len(found[claims.M_100_IS_BEST]) == 4
    assert list(found[claims.HIGH_M_IS_BETTER]) == ["fpr@2 over fpr", "fpr@20 over fpr@2", "fpr@100 over fpr@20"]


@pytest.mark.parametrize(
    ("claim", "change", "fallen"),
    [
        (claims.FPR_IS_AS_GOOD, {"fpr": 78.0}, {""}),
        (claims.FPR_IS_AS_GOOD, {"fpr": 83.0}, {""}),
        (claims.M_IS_BETTER, {"fpr@2": 79.0}, {"fpr@2"}),
        (claims.HIGH_M_IS_BETTER, {"fpr@20": 91.0}, {"fpr@100 over fpr@20"}),
        (claims.M_100_IS_BEST, {"fpr@20": 91.0}, {"fpr@100 over fpr@20"}),
        (claims.LESS_TO_GAIN, {"fpr@20": 83.0}, {""}),
        (claims.MORE_M_IS_THE_SAME, {"fpr@1000": 84.0}, {""}),
        (claims.WHOLE_WINDOW_IS_BFS, {"windowed-rankmass@100": 76.0}, {""}),
        (claims.WINDOW_IS_RANKMASS, {"rankmass": 85.0}, {""}),
    ],
)
def test_each_claim_on_areas_fails_for_what_fails_it(claim: Claim, change: dict[str, float], fallen: set[str]) -> None:
    found = holds(claims.judge_areas(drawn(AREAS | change)))[claim]
    assert {of for of, one in found.items() if one is False} == fallen


def test_draws_that_differ_much_decide_nothing() -> None:
    found = holds(claims.judge_areas(drawn(AREAS, noise=30.0)))
    assert {one for own in found.values() for one in own.values()} == {None}
    once = {name: values[:1] for name, values in drawn(AREAS).items()}
    assert {one.holds for one in claims.judge_areas(once)} == {None}


def test_more_draws_do_not_buy_certainty() -> None:
    levels = drawn(AREAS | {"fpr@2": 80.6}, noise=0.3)
    many = {name: np.tile(values, 50) for name, values in levels.items()}
    assert holds(claims.judge_areas(levels))[claims.M_IS_BETTER]["fpr@2"] is None
    assert holds(claims.judge_areas(many))[claims.M_IS_BETTER]["fpr@2"] is None


def test_without_a_lead_over_breadth_first_there_is_no_scale() -> None:
    found = claims.judge_areas(drawn(AREAS | {"bfs": 97.0}))
    assert holds(found)[claims.FPR_IS_AS_GOOD] == {"": None}
    assert any("no lead over breadth-first" in one.found for one in found)


def test_rankmass_that_was_not_run_is_said() -> None:
    areas = drawn(AREAS)
    del areas["rankmass"]
    assert claims.judge_areas(areas, "too large")[-1].found == "too large"


def test_claims_on_time_turn_with_the_data() -> None:
    quick, slow = np.array([1.0, 1.1, 1.2]), np.array([4.5, 4.6, 4.9])
    orders = dict.fromkeys(claims.EXTENDED, 2 * quick)
    found = claims.judge_time({"fpr": quick, WINDOWED: slow, **orders}, {"fpr": quick, WINDOWED: slow, **orders})
    by = holds(found)
    assert by[claims.FPR_IS_FASTER] == {"": True}
    assert "takes 4.2 times as long" in found[0].sentence
    assert by[claims.M_IS_SLOWER_AT_FIRST]["fpr@2 than fpr"] is True
    assert by[claims.M_IS_SLOWER_AT_FIRST][f"fpr@2 than {WINDOWED}"] is False
    assert set(by[claims.M_IS_FASTER_OVERALL].values()) == {True}
    turned = holds(
        claims.judge_time({"fpr": slow, WINDOWED: quick, **orders}, {"fpr": slow, WINDOWED: quick, **orders})
    )
    assert turned[claims.FPR_IS_FASTER] == {"": False}
    assert set(turned[claims.M_IS_FASTER_OVERALL].values()) == {False}
    level = dict.fromkeys(alam.PAPER, quick)
    assert {one.holds for one in claims.judge_time(level, level)} == {None}


def test_claims_on_spam_turn_with_the_data() -> None:
    few = drawn(dict.fromkeys(claims.FRACTIONAL, 3.0) | {WINDOWED: 9.0})
    many = drawn(dict.fromkeys(claims.FRACTIONAL, 9.0) | {WINDOWED: 3.0})
    assert {one.holds for one in claims.judge_spam(few)} == {True}
    assert {one.holds for one in claims.judge_spam(many)} == {False}
    assert {one.holds for one in claims.judge_spam({}, "it is not known")} == {None}


def test_halves_of_few_seeds_are_counted_once() -> None:
    options = alam.Options(draws=10)
    assert [half.tolist() for half in alam.drawn_halves(np.array([7]), options)] == [[7]]
    assert sorted(half.tolist() for half in alam.drawn_halves(np.array([7, 9]), options)) == [[7], [9]]
    assert len(alam.drawn_halves(np.arange(160), options)) == 10


def test_every_claim_has_a_verdict_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    web = sb.make_web(pages=1500, threads=1)
    plain = Web(web.links, urls=web.urls)
    for one, draws, rankmass_pages in ((web, 3, 10_000), (plain, 2, 10), (plain, 1, 10)):
        monkeypatch.setattr(alam, "RANKMASS_PAGES", rankmass_pages)
        found = alam.experiment(one, alam.Options(draws=draws, repeats=1))
        assert set(found.judged) == set(alam.PAPER_EXPERIMENT.claims)
        assert ("rankmass" in {row[0] for row in found.tables[1].rows}) == (rankmass_pages > 10)
    assert {one.holds for _, one in found.verdicts} == {None}


def test_spam_is_counted_among_the_first_pages_fetched() -> None:
    web = sb.make_web(pages=1000, threads=1)
    crawler = alam.Crawler(web, alam.Options(), lambda *_: None)
    run = crawler.run("bfs", crawler.seeds)
    marked = np.zeros(web.page_count)
    marked[run.pages[:25]] = 1
    crawler.web = Web(web.links, urls=web.urls, columns={"spam": marked})
    assert crawler.early_spam(run) == pytest.approx(25.0)
    assert crawler.no_spam == ""
    for columns, why in (({}, "does not say"), ({"spam": np.zeros(web.page_count)}, "no page")):
        crawler.web = Web(web.links, urls=web.urls, columns=columns)
        assert np.isnan(crawler.early_spam(run))
        assert why in crawler.no_spam
