"""The claims of Daneshpajouh et al. on made-up numbers: where each holds, where it does not, where none can tell."""

from __future__ import annotations

import numpy as np
import pytest

from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.core_distances import CoreDistances, RoundCorrelation
from seedbed.evaluation.crawl_measures import DepthProfile
from seedbed.evaluation.experiments import daneshpajouh_claims as claims
from seedbed.evaluation.experiments.daneshpajouh_measures import (
    cores_of_one_community,
    first_incomplete_steps,
    in_core_and_out,
    timed,
    with_similar_pages,
)
from seedbed.evaluation.experiments.daneshpajouh_snapshots import survival
from seedbed.evaluation.flow_communities import HeldOut
from seedbed.evaluation.intervals import share_interval
from seedbed.seeds.refresh.refreshed_seeds import ANEW, KEPT, SIMILAR, Refreshed, RefreshedSeed
from seedbed.seeds.seeds import Core
from seedbed.shape.distances import Distances
from seedbed.shape.link_counts import count_links
from seedbed.shape.power_law import Fit, PowerLaw
from seedbed.shape.tail_comparison import TailComparison
from tests.graphs import web_of


def core(hubs: list[int], authorities: list[int], density: float = 100.0) -> Core:
    empty = np.empty(0)
    return Core(np.array(hubs, np.int64), np.array(authorities, np.int64), density, 1, empty, empty)


def web_with(average: float | None, error: float | None = 0.1) -> Distances:
    return Distances(average, error, 20, 1.0, 0.0, 100)


def test_names_and_texts_are_there_once() -> None:
    assert len({one.name for one in claims.CLAIMS}) == len({one.says for one in claims.CLAIMS}) == len(claims.CLAIMS)
    assert all(one.where and one.statistic and one.holds_if for one in claims.CLAIMS)
    assert set(claims.NEED_NEWER_WEB) < set(claims.BY_READING) < set(claims.CLAIMS)


@pytest.mark.parametrize(("iterations", "holds"), [(12, True), (60, True), (61, False), (None, False)])
def test_hits_settles_within_sixty_iterations_or_not(iterations: int | None, holds: bool) -> None:
    assert claims.judge_settling(iterations).holds is holds


def test_first_steps_are_judged_after_three_of_them() -> None:
    inf = float("inf")
    assert claims.judge_first_steps([4.0] * 9 + [inf]).holds is True
    assert claims.judge_first_steps([3.0] * 9 + [inf]).holds is False
    assert claims.judge_first_steps([3.0] * 5 + [inf] * 5).holds is None
    assert claims.judge_first_steps([inf]).holds is None


def test_the_first_step_that_lacks_a_link_by_hand() -> None:
    """Hubs 0, 1, 2 and authorities 3, 4, 5, 6: hub 1 lacks 5, which joins with the second step; hub 2 lacks 3."""
    links = web_of([[3, 4, 5, 6], [3, 4, 6], [4, 5, 6], [], [], [], []]).links.to_csr()
    whole = core([0, 1], [3, 4])
    assert first_incomplete_steps(links, [core([0, 1, 2], [3, 4, 5, 6]), whole, core([0, 2], [4, 5, 3])]) == [
        2, float("inf"), 2,
    ]  # fmt: skip
    assert first_incomplete_steps(links, [core([0, 2, 1], [4, 6, 5, 3])]) == [3]


LAW = PowerLaw(2.1, 0.01, 3, 500, 0.01)


@pytest.mark.parametrize(
    ("exponential", "log_normal", "pages", "holds"),
    [
        (9.0, 1.0, 1000, True),
        (9.0, -1.0, 1000, True),
        (9.0, -3.0, 1000, False),
        (-3.0, 1.0, 1000, False),
        (1.0, 1.0, 1000, None),
        (9.0, 1.0, 100_000, None),
    ],
)
def test_a_power_law_must_beat_one_law_and_not_lose_to_the_other(
    exponential: float, log_normal: float, pages: int, holds: bool | None
) -> None:
    assert claims.judge_degrees(Fit(LAW), TailComparison(exponential, log_normal), pages).holds is holds


def test_degrees_without_a_law_decide_nothing() -> None:
    found = claims.judge_degrees(Fit(None, "only 3 pages have any"), None, 3)
    assert found.holds is None
    assert "only 3 pages have any" in found.found


def test_core_sizes_are_counted() -> None:
    assert claims.judge_sizes([9] * 10, [1] * 9 + [10]).holds is True
    assert claims.judge_sizes([2] * 10, [2] * 10).holds is False
    assert claims.judge_sizes([9, 1], [1, 9]).holds is None
    told = "1 of 2 have more hubs (95 % interval 1 to 99 %); 5.0 hubs and 5.5 authorities on average"
    assert claims.judge_sizes([9, 1], [1, 10]).found == told


def distances(matrix: list[list[float]]) -> CoreDistances:
    square = np.array(matrix, float)
    known = square[np.isfinite(square) & (square > 0)]
    if not len(known):
        return CoreDistances(square, None, None, None)
    return CoreDistances(square, int(known.min()), float(known.mean()), int(known.max()))


FAR = distances([[0, 9, 8, 9], [8, 0, 8, 9], [9, 9, 0, 8], [8, 9, 9, 0]])
LONE = distances([[0, np.inf], [np.inf, 0]])


def test_successive_cores_are_held_against_pages() -> None:
    assert claims.judge_successive(FAR, web_with(5.0)).holds is True
    assert claims.judge_successive(FAR, web_with(12.0)).holds is False
    assert claims.judge_successive(FAR, web_with(8.6)).holds is None
    assert claims.judge_successive(FAR, web_with(5.0, None)).holds is None
    assert claims.judge_successive(LONE, web_with(5.0)).found == "no path joins such cores"
    assert claims.judge_successive(distances([[0]]), web_with(5.0)).found == "there is only one core"


def test_all_cores_are_held_against_the_papers_share() -> None:
    assert claims.judge_apart(FAR, web_with(14.9)).holds is True
    assert claims.judge_apart(FAR, web_with(30.0)).holds is False
    assert claims.judge_apart(distances([[0, 1, 9], [9, 0, 1], [5, 9, 0]]), web_with(12.0)).holds is None
    assert claims.judge_apart(LONE, web_with(14.9)).holds is None
    assert claims.judge_apart(FAR, web_with(None)).holds is None


def test_rounds_and_distances_must_be_more_than_chance() -> None:
    assert claims.judge_rounds(RoundCorrelation(-0.5, 0.001, 1.0)).holds is True
    assert claims.judge_rounds(RoundCorrelation(0.5, 1.0, 0.001)).holds is False
    assert claims.judge_rounds(RoundCorrelation(-0.1, 0.3, 0.7)).holds is None
    assert claims.judge_rounds(None).holds is None


def crawls(pages: list[list[float]], ranks: list[list[float]]) -> DepthProfile:
    return DepthProfile(np.array(pages, float), np.array(ranks, float))


RANDOM = crawls([[2, 4, 8, 16]] * 3, [[1.0, 2.0, 3.0, 4.0], [1.1, 2.1, 3.1, 4.1], [0.9, 1.9, 2.9, 3.9]])


def by_rank(ours: DepthProfile, random: DepthProfile, span: tuple[int, int]) -> Verdict:
    return claims.judge_pagerank(claims.HIGHER_PAGERANK, ours, random, span)


def by_pages(ours: DepthProfile, random: DepthProfile, span: tuple[int, int | None]) -> Verdict:
    return claims.judge_pages(claims.MORE_PAGES, ours, random, span)


def test_a_crawl_must_be_ahead_at_every_depth_and_fails_if_it_is_behind_at_one() -> None:
    better = crawls([[2, 5, 9, 17]], [[0.1, 9, 9, 9]])
    assert by_rank(better, RANDOM, (1, 4)).holds is True
    assert by_rank(better, RANDOM, (0, 3)).holds is False
    level = by_rank(crawls([[2, 5, 2, 17]], [[0.1, 9, 3.0, 9]]), RANDOM, (1, 4))
    assert level.holds is None
    assert "2 of 3 depths (1, 3)" in level.found
    longer = by_rank(crawls([[2, 4, 8, 16]], [[9, 9, 9, 0.1]]), RANDOM, (0, 4))
    assert "3 of 4 depths (0–2), below at 1 of 4 depths (3)" in longer.found


def test_pages_are_counted_up_to_each_depth() -> None:
    assert by_pages(crawls([[2, 5, 8, 16]], [[1, 1, 1, 1]]), RANDOM, (1, None)).holds is True
    assert by_pages(crawls([[2, 5, 2, 17]], [[1, 1, 1, 1]]), RANDOM, (1, None)).holds is False
    assert by_pages(crawls([[2, 5, 7, 16]], [[1, 1, 1, 1]]), RANDOM, (1, None)).holds is None
    assert by_pages(crawls([[2, 5, 8, 16]], [[1, 1, 1, 1]]), RANDOM, (9, 15)).found == "the crawls are not that deep"


def test_intervals_of_several_depths_hold_simultaneously() -> None:
    """2.3 is above the 95 % interval of 2.0 ± 0.1 (t = 4.3), and inside that of 98.3 % (t = 7.6)."""
    ours = crawls([[2, 4, 8, 16]], [[9, 2.3, 9, 9]])
    assert by_rank(ours, RANDOM, (1, 2)).holds is True
    assert by_rank(ours, RANDOM, (1, 4)).holds is None


def test_one_draw_of_random_seeds_has_no_interval_and_tells_nothing() -> None:
    ours, once = (crawls([[1.0, pages]], [[0.1, 0.2]]) for pages in (9.0, 2.0))
    for found in (by_pages(ours, once, (1, None)), by_rank(ours, once, (0, 2))):
        assert found.holds is None
        assert "from one draw only" in found.found
        assert "interval" not in found.found
    # Of two draws one is not that deep: what stands at depth 1 is of one draw.
    twice = crawls([[1.0, 1.0], [1.0, 0.0]], [[0.01, 0.01], [0.02, np.nan]])
    assert by_rank(ours, twice, (0, 2)).holds is None


@pytest.mark.parametrize(("left", "holds"), [(90, True), (11, None), (0, False)])
def test_hubs_last_if_they_last_longer_than_pages(left: int, holds: bool | None) -> None:
    found = claims.judge_survival(share_interval(left, 100), share_interval(110, 1000))
    assert found.holds is holds
    assert f"{left:.1f} % of 100 seeds" in found.found


def test_survivors_are_found_by_url() -> None:
    old = web_of([[1], [2], [0], []], [f"http://{name}.org/" for name in "abcd"])
    new = web_of([[1], [0]], ["http://b.org/", "http://a.org/"])
    found = survival(old, new, np.array([2, 0]), np.array([0, 1]))
    assert found.pages.tolist() == [-1, 1]
    assert found.survivors.tolist() == [1]
    assert [one.mean for one in (found.seeds, found.hubs, found.all_pages)] == [0.5, 1.0, 0.5]


def test_communities_are_counted_where_they_are_known() -> None:
    judge = claims.judge_communities
    for claim in (claims.REACHED_COMMUNITIES, claims.SEEDS_OF_COMMUNITIES):
        assert judge(claim, 9, [4, 5, 6]).holds is True
        assert judge(claim, 2, [4, 5, 6]).holds is False
        assert judge(claim, 5, [4, 5, 6]).holds is None
        assert judge(claim, 9, [4]).holds is None
        assert judge(claim, None, [None]).found == "the web does not say which communities its pages are in"


def test_authorities_of_one_community_by_hand() -> None:
    of_page = np.array([0, 0, 1, 1, -1, -1])
    cores = [core([0], [2, 3]), core([0], [1, 2]), core([0], [4, 5]), core([0], [2]), core([0], [2, 3], 80.0)]
    assert cores_of_one_community(cores, of_page) == (1, 3)
    assert cores_of_one_community(cores, None) == (None, 3)
    assert claims.judge_one_community(9, 10).holds is True
    assert claims.judge_one_community(0, 10).holds is False
    assert claims.judge_one_community(5, 10).holds is None
    assert claims.judge_one_community(0, 0).found == "no core is complete and has two authorities"
    assert "does not say" in claims.judge_one_community(None, 10).found


def test_important_pages_are_held_against_all_pages() -> None:
    assert claims.judge_important(95, 100, 0.5).holds is True
    assert claims.judge_important(20, 100, 0.5).holds is False
    assert claims.judge_important(5, 9, 0.5).holds is None
    assert claims.judge_important(9, 9, 1.0).holds is None


def test_where_the_top_pages_are_by_hand() -> None:
    """0 → 1 ⇄ 2 → 3, and 4 alone: the largest component is {1, 2}, out is {3}."""
    counts = count_links(web_of([[1], [2], [1, 3], [], []]).links)
    found = in_core_and_out(counts, np.array([0.9, 0.1, 0.2, 0.8, 0.0]), 0.6)
    assert (found.there, found.top, found.share) == (2, 3, 0.6)


def halves(inside: list[float], similar: list[float]) -> list[HeldOut | None]:
    return [HeldOut(4, 100, 20, *shares) for shares in zip(inside, similar, strict=True)]


@pytest.mark.parametrize(
    ("inside", "similar", "holds"),
    [
        ([1.0, 0.9, 0.8, 0.9], [0.1, 0.2, 0.1, 0.0], True),
        ([0.2, 0.1, 0.2, 0.1], [0.0, 0.0, 0.0, 0.0], False),
        ([0.9, 0.8, 0.9, 0.9], [1.0, 1.0, 1.0, 1.0], False),
        ([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], None),
        ([1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], None),
        ([1.0], [0.0], None),
    ],
)
def test_most_of_the_other_half_must_be_inside_and_more_than_of_similar_pages(
    inside: list[float], similar: list[float], holds: bool | None
) -> None:
    assert claims.judge_inside_flow(halves(inside, similar)).holds is holds


def test_most_cores_must_have_a_flow_community() -> None:
    known = halves([0.9, 0.9], [0.0, 0.0])
    most = claims.judge_inside_flow([*known, None])
    assert most.holds is True
    assert "of 2 cores (1 left out), 90 % of the other half is inside, of similar pages 0 %" in most.found
    told = claims.judge_inside_flow([*known, None, None])
    assert (told.holds, told.found) == (None, "of 4 cores, only 2 could be measured")
    assert claims.judge_inside_flow([]).found == "no core has two hubs and two authorities"


def test_times_are_compared_run_by_run() -> None:
    quick, slow = [1.0, 1.1, 1.2], [4.5, 4.6, 4.9]
    assert claims.judge_against_trawling(quick, slow, 3).holds is True
    assert claims.judge_against_trawling(slow, quick, 3).holds is False
    assert claims.judge_against_trawling(quick, quick[::-1], 3).holds is None
    assert claims.judge_against_trawling([], [], 0).found == "trawling finds no core"


def test_works_are_timed_in_turns() -> None:
    done: list[int] = []
    found = timed([lambda: done.append(1), lambda: done.append(2)], 2)
    assert done == [1, 2, 1, 2]
    assert [len(runs) for runs in found] == [2, 2]


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, True), (1.6, False), (1.2, None), (0.2, None)])
def test_time_must_not_grow_faster_than_the_web(exponent: float, holds: bool | None) -> None:
    sizes = [1000.0, 2000.0, 4000.0, 8000.0]
    seconds = [[noise * size**exponent for noise in (0.9, 1.0, 1.1)] for size in sizes]
    assert claims.judge_linear(sizes, seconds).holds is holds


def refreshed(*rows: tuple[str, int | None]) -> Refreshed:
    seeds = [
        RefreshedSeed(rank, rank, None, how, page, None, 1.0, "") for rank, (how, page) in enumerate(rows, 1)
    ]  # fmt: skip
    return Refreshed("cores", tuple(seeds), (), 0.0)


def test_only_similar_pages_take_the_place_of_lost_seeds() -> None:
    found = refreshed((KEPT, 4), (SIMILAR, 7), (ANEW, 9))
    worth = with_similar_pages(lambda pages: float(sum(pages)), np.array([4, -1, -1]), found, 3, 2, 1)
    assert (worth.dropped, worth.replaced, worth.lost) == ([4.0, 4.0], [11.0, 11.0], pytest.approx(2 / 3))


def test_replacing_seeds_must_gain_more_than_chance() -> None:
    judge = claims.judge_similar_pages
    assert judge([0.1, 0.2, 0.3], [0.2, 0.31, 0.42], 0.5).holds is True
    assert judge([0.2, 0.31, 0.42], [0.1, 0.2, 0.3], 0.5).holds is False
    assert judge([0.1, 0.2, 0.3], [0.3, 0.1, 0.3], 0.5).holds is None
    assert judge([0.1, 0.2], [0.1, 0.2], 0.0).found == "no seed is lost"
