"""The claims of Zheng et al. on made-up numbers: where each holds, where it does not, and where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import seedbed as sb
from seedbed.errors import OptionError
from seedbed.evaluation.claims import Claim, by_claim
from seedbed.evaluation.experiments import zheng
from seedbed.evaluation.experiments import zheng_claims as claims
from seedbed.evaluation.experiments.zheng_claims import EVEN, PAPER, Coverage
from seedbed.evaluation.rank_agreement import kendall_tau, tau_interval
from seedbed.graph.web import Web
from tests.graphs import web_of

Levels = dict[str, tuple[float, float]]
MW2, MW3 = claims.MAX_WEIGHT
SITES = 30
NOISE = np.random.default_rng(7).normal(0, 0.002, SITES)

PAGES: Levels = {
    "Random": (0.15, 0.4), "PageRank": (0.25, 0.45), "OutDegree": (0.4, 0.6), "MaxOut": (0.6, 0.75),
    MW2: (0.55, 0.7), MW3: (0.551, 0.7), "MaxSCC": (0.5, 0.65), "RootSCC": (0.45, 0.64), "cover (ours)": (0.7, 0.8),
}  # fmt: skip
VALUE: Levels = PAGES | {"RootSCC": (0.35, 0.55), "MaxOut": (0.42, 0.62)}
RISE: Levels = {name: (high, 0.3 + 3 * (high - 0.2)) for name, (high, _) in PAGES.items()} | {"Random": (0.2, 0.3)}
SMALL_RISE: Levels = {name: (high, 0.3 + 1.8 * (high - 0.2)) for name, (high, _) in VALUE.items()} | {
    "Random": (0.2, 0.3)
}


def shares(levels: Levels, columns: int, noise: float = 1.0, sites: int = SITES) -> dict[str, np.ndarray]:
    """Shares covered around levels that go from the first to the last; each strategy with a noise of its own."""
    return {
        name: np.linspace(first, last, columns)[None, :] + noise * np.roll(NOISE, place)[:sites, None]
        for place, (name, (first, last)) in enumerate(levels.items())
    }


def judge(
    pages: Levels = PAGES,
    value: Levels = VALUE,
    pages_by_hops: Levels = RISE,
    value_by_hops: Levels = SMALL_RISE,
    *,
    undecided: str = "",
    noise: float = 1.0,
    sites: int = SITES,
) -> dict[Claim, dict[str, bool | None]]:
    """By claim and what it is about, whether it holds."""
    by_seeds, by_hops = (
        (
            Coverage(names[0], "pages", shares(one, columns, noise, sites)),
            Coverage(names[1], "value", shares(other, columns, noise, sites), undecided=undecided),
        )
        for names, one, other, columns in (
            (("figure-2", "figure-3"), pages, value, 10),
            (("figure-4", "figure-5"), pages_by_hops, value_by_hops, 5),
        )
    )
    placed = [*claims.judge_by_seeds(*by_seeds), *claims.judge_by_hops(*by_hops, *by_seeds, seed=1)]
    return {claim: {one.of: one.holds for one in own} for claim, own in by_claim(one for _, one in placed).items()}


def test_all_claims_hold_on_numbers_like_the_papers() -> None:
    for claim, found in judge().items():
        assert set(found.values()) == {True}, claim.says


def test_a_claim_about_strategies_is_judged_for_each() -> None:
    found = judge()
    assert set(found[claims.HOPS_PAY]) == {f"{name} in {what}" for name in PAPER for what in ("pages", "value")}
    assert set(found[claims.HOPS_PAY_IN_PAGES]) == set(PAPER)
    assert len(found[claims.GRAPH_BEATS_HEURISTICS]) == 10 + 9
    assert "RootSCC over OutDegree in value" not in found[claims.GRAPH_BEATS_HEURISTICS]
    assert len(found[claims.MAXOUT_IS_BEST]) == 6


@pytest.mark.parametrize(
    ("claim", "change", "fallen"),
    [
        (claims.RANDOM_IS_POOR, {"Random": (0.35, 0.4)}, {"pages"}),
        (claims.BEAT_RANDOM, {"PageRank": (0.1, 0.3)}, {"PageRank in pages"}),
        (claims.FEW_SEEDS_PAY, {"PageRank": (0.16, 0.6)}, {"PageRank in pages"}),
        (claims.PAGERANK_IS_WORSE, {"PageRank": (0.4, 0.6)}, {"pages"}),
        (
            claims.GRAPH_BEATS_HEURISTICS, {"RootSCC": (0.35, 0.57)}, {"RootSCC over OutDegree in pages"},
        ),
        (claims.MAXOUT_IS_BEST, {"MaxSCC": (0.65, 0.78)}, {"MaxOut over MaxSCC"}),
        (
            claims.DEPTH_BEATS_COMPONENTS, {"MaxSCC": (0.6, 0.75)},
            {f"{MW2} over MaxSCC in pages", f"{MW3} over MaxSCC in pages"},
        ),
        (claims.TWO_HOPS_ARE_ENOUGH, {MW3: (0.65, 0.8)}, {"pages"}),
    ],
)  # fmt: skip
def test_each_claim_on_pages_fails_for_what_fails_it(claim: Claim, change: Levels, fallen: set[str]) -> None:
    found = judge(PAGES | change)[claim]
    assert {of for of, holds in found.items() if holds is False} == fallen


@pytest.mark.parametrize(
    ("claim", "change", "fallen"),
    [
        (claims.ROOTSCC_IS_WORSE, {"RootSCC": (0.5, 0.65)}, {""}),
        (claims.MAXOUT_IS_WORSE, {"MaxOut": (0.55, 0.7)}, {""}),
        (claims.COVER_IS_BEST, {"cover (ours)": (0.41, 0.6)}, {f"cover (ours) over {name}" for name in (MW2, MW3)}),
    ],
)
def test_each_claim_on_value_fails_for_what_fails_it(claim: Claim, change: Levels, fallen: set[str]) -> None:
    found = judge(value=VALUE | change)[claim]
    assert fallen <= {of for of, holds in found.items() if holds is False}


def test_two_strategies_do_not_carry_a_claim_for_all() -> None:
    steep: Levels = {"MaxSCC": (0.5, 3.0), "RootSCC": (0.45, 3.0), "OutDegree": (0.4, 0.5), "MaxOut": (0.6, 0.7)}
    found = judge(pages_by_hops=RISE | steep)[claims.HOPS_PAY]
    fallen = {of for of, holds in found.items() if holds is False}
    assert fallen == {"OutDegree in pages", "MaxOut in pages"}


def test_the_increase_may_be_higher_for_value() -> None:
    found = judge(pages_by_hops=SMALL_RISE, value_by_hops=RISE)[claims.HOPS_PAY_IN_PAGES]
    assert set(found.values()) == {False}


def test_another_order_by_hops_is_another_order() -> None:
    levels = [RISE[name] for name in PAPER]
    turned = RISE | dict(zip(PAPER, levels[::-1], strict=True))
    assert judge(pages_by_hops=turned)[claims.ORDER_IS_KEPT] == {"pages": False, "value": True}


def test_strategies_that_are_all_alike_have_no_order_to_keep() -> None:
    alike: Levels = dict.fromkeys(PAPER, (0.5, 0.6)) | {"Random": (0.15, 0.4), "cover (ours)": (0.5, 0.6)}
    assert judge(pages=alike)[claims.ORDER_IS_KEPT]["pages"] is None


def test_noise_and_single_sites_decide_nothing() -> None:
    level: Levels = dict.fromkeys(PAGES, (0.5, 0.6))
    for found in (judge(level, level, level, level, noise=30.0), judge(sites=1)):
        for claim in (claims.BEAT_RANDOM, claims.MAXOUT_IS_BEST, claims.HOPS_PAY, claims.TWO_HOPS_ARE_ENOUGH):
            assert set(found[claim].values()) == {None}, claim.says


def test_similar_is_shown_by_a_narrow_interval_and_not_by_a_wide_one() -> None:
    assert judge(PAGES | {MW3: (0.56, 0.71)})[claims.TWO_HOPS_ARE_ENOUGH]["pages"] is True
    assert judge(PAGES | {MW3: (0.59, 0.74)}, noise=20)[claims.TWO_HOPS_ARE_ENOUGH]["pages"] is None


def test_where_all_pages_are_worth_the_same_value_decides_nothing() -> None:
    found = judge(undecided=EVEN)
    for claim, own in found.items():
        in_value = {holds for of, holds in own.items() if of.endswith("value")}
        assert in_value <= {None}, claim.says
    for claim in (claims.MAXOUT_IS_WORSE, claims.ROOTSCC_IS_WORSE, claims.HOPS_PAY_IN_PAGES):
        assert set(found[claim].values()) == {None}
    assert set(found[claims.COVER_IS_BEST].values()) == {True}
    assert found[claims.BEAT_RANDOM]["PageRank in pages"] is True


def test_no_lead_is_no_scale() -> None:
    found = judge(PAGES | {"OutDegree": (0.1, 0.3), MW2: (0.1, 0.3)})
    assert found[claims.PAGERANK_IS_WORSE]["pages"] is None
    assert found[claims.TWO_HOPS_ARE_ENOUGH]["pages"] is None


def test_sites_of_many_small_components() -> None:
    many, few = np.full(30, 40), np.full(30, 3)
    assert [one.holds for one in claims.judge_sites(many, np.full(30, 0.1))] == [True, True]
    assert [one.holds for one in claims.judge_sites(few, np.full(30, 0.1))] == [True, False]
    assert [one.holds for one in claims.judge_sites(many, np.full(30, 0.9))] == [True, False]
    assert [one.holds for one in claims.judge_sites(np.full(30, 1), np.ones(30))] == [False, False]
    half = np.where(np.arange(30) < 15, 40, 1)
    assert [one.holds for one in claims.judge_sites(half, np.full(30, 0.1))] == [None, None]
    assert [one.holds for one in claims.judge_sites(many[:1], np.full(1, 0.1))] == [None, None]


numbers = st.lists(st.integers(-4, 4), min_size=2, max_size=8)


@settings(deadline=None, max_examples=80)
@given(numbers, st.randoms(use_true_random=False))
def test_scipy_finds_the_same_tau(one: list[int], random: object) -> None:
    other = list(one)
    random.shuffle(other)  # type: ignore[attr-defined]
    expected = stats.kendalltau(one, other).statistic
    found = float(kendall_tau(np.array(one), np.array(other)))
    assert found == pytest.approx(0.0 if np.isnan(expected) else expected)


def test_tau_of_one_case_has_no_interval() -> None:
    def scores(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return weights @ np.ones((1, 1)) * [1, 2, 3], weights @ np.ones((1, 1)) * [1, 3, 2]

    found = tau_interval(scores, 1, seed=1)
    assert (found.mean, found.low, found.high) == (pytest.approx(1 / 3), None, None)


def test_every_claim_has_a_verdict_in_every_run() -> None:
    web = sb.make_web(pages=1500, threads=1)
    plain = Web(web.links, urls=web.urls)
    spam = Web(web.links, urls=web.urls, columns={"spam": np.arange(web.page_count) % 3 > 0})
    alone = web_of([[1], [2], [0], [0]], [f"http://a.org/{page}" for page in range(4)])
    for one, sites in ((web, 5), (plain, 5), (spam, 5), (alone, 1)):
        try:
            found = zheng.experiment(one, zheng.Options(sites=sites, least=10, draws=2))
        except OptionError as error:
            assert "any value" in str(error)
            continue
        assert set(found.judged) == set(zheng.PAPER_EXPERIMENT.claims)
        assert {claim.name for claim in found.judged} == {claim.name for claim in claims.CLAIMS}


def test_where_random_seeds_cover_no_value_the_rest_is_still_judged() -> None:
    # Home pages are worth something; what else there is, and random seeds find, is spam.
    lists = [[1, 2, 3, 4], [5], [6], [7], [1], [], [], [], [0]]
    web = web_of(lists, [*(f"http://a.org/{page}" for page in range(8)), "http://b.org/"])
    values = np.array([64.0, *[-9.0] * 7, 1.0])
    sites, _ = zheng.choose_sites(web, values, 1, 2, 1)
    found = zheng.measure(web, values, sites, zheng.Options(sites=1, draws=20))
    figures = zheng.figures(found, even=False, seed=1)
    assert [len(one.series) for one in figures] == [8, 0, 8, 0]
    assert {one.holds for one in figures[1].verdicts} == {None}
    assert any(claims.WORTHLESS in one.found for one in figures[1].verdicts)
    assert zheng.coverage_table(found.by_seeds, even=False).rows[0][5] is None


def test_only_crawled_pages_are_judged() -> None:
    lists = [[1, 2, 3], [0, 4], [], [], []]
    web = Web(
        web_of(lists).links,
        urls=web_of(lists, [f"http://a.org/{page}" for page in range(5)]).urls,
        columns={"crawled": np.array([1, 1, 1, 0, 0])},
    )
    said: list[str] = []
    judged, values = zheng.crawled_part(web, np.arange(5.0), said)
    assert said == ["sites are the 3 crawled pages of 5."]
    assert (judged.page_count, judged.link_count, values.tolist()) == (3, 3, [0.0, 1.0, 2.0])
    pages = zheng.experiment(web, zheng.Options(sites=1, least=2, draws=2)).tables[0].rows[0]
    assert pages[1:] == (3.0, 3.0, 3.0, 3.0)
    every = zheng.experiment(web, zheng.Options(sites=1, least=2, draws=2, crawled_only=False)).tables[0].rows[0]
    assert every[1:] == (5.0, 5.0, 5.0, 5.0)


def test_values_may_be_a_column() -> None:
    web = sb.make_web(pages=1500, threads=1)
    worth = Web(web.links, urls=web.urls, columns={"clicks": np.arange(web.page_count) % 7 + 1})
    found = zheng.experiment(worth, zheng.Options(sites=12, least=10, draws=4, values="clicks"))
    assert found.settings["values"] == "clicks"
    assert found.figures[0].series[0].y != found.figures[1].series[0].y
    with pytest.raises(OptionError, match="no column of that name"):
        zheng.experiment(worth, zheng.Options(values="clicked"))
