"""Coverage by hand: the paper's own example, small webs worked out on paper, real webs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.seeds import heuristics
from seedbed.seeds.coverage.cover import cover
from seedbed.seeds.coverage.greedy import greedy, maxweight
from seedbed.seeds.coverage.maxout import maxout
from seedbed.seeds.coverage.scc_strategies import maxscc, rootscc
from seedbed.seeds.gain import gain_of
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Pick
from tests.graphs import web_of
from tests.reference import coverage as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr

FIGURE_1 = {1: [3, 4, 5, 6, 11], 2: [4, 5, 6, 7], 9: [8, 10, 12], 7: [8], 11: [12], 3: [4]}
"""Figure 1 of Zheng, Dmitriev and Giles as far as their text tells it: page 1 has five links, to 3, 4, 5, 6 and 11;
page 2 has four, some of them to pages that page 1 covers; page 9 is the best of what is left. Page 0 is nobody.
"""


def figure_1(hops: int = 1) -> Problem:
    web = web_of([FIGURE_1.get(page, []) for page in range(13)])
    return Problem(web, np.ones(13), hops)


def ones(web: Web, hops: int, **more: object) -> Problem:
    return Problem(web, np.ones(web.page_count), hops, **more)  # type: ignore[arg-type]


def pages_of(picks: list[Pick]) -> list[int]:
    return [pick.page for pick in picks]


def value(problem: Problem, picks: list[Pick]) -> float:
    gain = gain_of(problem.web, pages_of(picks), problem.values, problem.hops, problem.taken)
    return float(gain.value[-1]) if len(picks) else 0.0


def test_maxout_picks_1_and_9_where_outdegree_picks_1_and_2_as_in_figure_1() -> None:
    assert pages_of(heuristics.outdegree(figure_1(), 2)) == [1, 2]
    found = maxout(figure_1(), 2)
    assert pages_of(found) == [1, 9]
    assert [pick.score for pick in found] == [5, 3]
    assert found[0].reason == (
        "5 links to pages not yet covered; covers 6 pages no earlier seed covers, worth 6; 46.2 % of all value so far"
    )


def test_a_covered_page_cannot_be_maxouts_but_can_be_greedys() -> None:
    # 0 links to 1, 2 and 3; 1 links to 4, 5 and 6. Within one link, 0 covers 1, which then still brings three pages.
    web = web_of([[1, 2, 3], [4, 5, 6], [], [], [], [], []])
    assert pages_of(greedy(ones(web, 1), 3)) == [0, 1]
    assert pages_of(maxout(ones(web, 1), 3)) == [0, 4, 5]


def test_greedy_and_maxweight_differ_where_value_lies_deep() -> None:
    # 0 has three pages one link away. From 4 the chain 5, 6, 7, 8 is as many links deep as there are hops.
    web = web_of([[1, 2, 3], [], [], [], [5], [6], [7], [8], []])
    assert pages_of(greedy(ones(web, 4), 1)) == [4]
    assert pages_of(maxweight(ones(web, 4), 1)) == [0]
    assert pages_of(maxweight(ones(web, 4), 1, depth=4)) == [4]


def test_a_seed_covers_itself_and_no_hop_covers_nothing_else() -> None:
    web = web_of([[1], [2], []])
    problem = Problem(web, np.array([1.0, 5.0, 3.0]), 0)
    assert [(pick.page, pick.score) for pick in greedy(problem, 9)] == [(1, 5), (2, 3), (0, 1)]


def test_spam_keeps_a_seed_away_until_another_has_covered_it() -> None:
    # 0 reaches 2 (worth 6) and the spam page 3; 1 reaches 3 and five pages worth 3 each. Once 1 has paid for the spam,
    # 0 gains 1 + 6 where it would have gained −3 before.
    web = web_of([[2, 3], [3, 4, 5, 6, 7, 8], [], [], [], [], [], [], []])
    values = np.array([1.0, 1, 6, -10, 3, 3, 3, 3, 3])
    found = greedy(Problem(web, values, 1), 3)
    assert [(pick.page, pick.score) for pick in found] == [(1, 6), (0, 7)]


def test_nothing_is_chosen_where_nothing_is_to_gain() -> None:
    web = web_of([[1], [0]])
    for strategy in (greedy, maxweight, maxout, maxscc, rootscc, cover):
        assert strategy(Problem(web, np.zeros(2), 2), 2) == []
    for strategy in (greedy, maxweight, maxscc, rootscc, cover):
        assert strategy(Problem(web, np.array([-1.0, -1.0]), 2), 2) == []


@pytest.mark.parametrize("strategy", [greedy, maxweight, maxout, maxscc, rootscc, cover])
def test_a_web_without_pages_has_no_seeds(strategy: object) -> None:
    assert strategy(ones(web_of([]), 3), 4) == []  # type: ignore[operator]


def test_maxscc_and_rootscc_on_a_drawn_web() -> None:
    # Components {0, 1} → {2, 3, 4} ← {5}, and {6, 7} alone. The heaviest is {2, 3, 4}; its roots are {0, 1} and {5}.
    web = web_of([[1, 2], [0], [3], [4], [2], [2], [7], [6]])
    assert pages_of(maxscc(ones(web, 1), 3, depth=1)) == [2, 0, 6]
    assert pages_of(rootscc(ones(web, 1), 3, depth=1)) == [0, 5, 6]


def test_seeds_there_already_cover_what_they_cover() -> None:
    web = web_of([[1, 2, 3], [], [], [], [5, 6], [], []])
    assert pages_of(greedy(ones(web, 1, taken=(0,)), 3)) == [4]


def test_at_most_one_seed_a_site() -> None:
    web = web_of([[1, 2, 3], [], [], [], [5, 6], [], [], [8], []])
    sites = np.array([0] * 7 + [1] * 2, np.int32)
    for strategy in (greedy, maxweight, maxout, maxscc, cover, heuristics.outdegree):
        found = strategy(ones(web, 1, quota=Quota(sites, 1)), 3)
        assert pages_of(found) == [0, 7], strategy


def test_cover_counts_its_seeds_in_the_quota_once() -> None:
    quota = Quota(np.zeros(4, np.int32), 2)
    cover(ones(web_of([[1], [], [3], []]), 1, quota=quota), 1)
    assert quota.open(0)
    cover(ones(web_of([[1], [], [3], []]), 1, quota=quota), 5)
    assert not quota.open(0)


def test_cover_hands_back_maxweights_seeds_where_they_cover_more() -> None:
    """Greedy takes 0, which covers parts of both others; MaxWeight within one link takes those two."""
    lists: list[list[int]] = [[] for _ in range(30)]
    lists[0] = [3, 4]
    lists[3], lists[4] = [5, 6, 7, 8], [11, 12, 13, 14]
    lists[1], lists[2] = [3, 9, 10, 17, 18], [4, 15, 16, 19, 20]
    problem = ones(web_of(lists), 2)
    found = cover(problem, 2, depth=1)
    assert pages_of(found) == pages_of(maxweight(problem, 2, depth=1)) == [1, 2]
    assert pages_of(greedy(problem, 2))[0] == 0
    assert value(problem, found) > value(problem, greedy(problem, 2))
    assert found[0].reason.startswith("chosen by maxweight")


@settings(deadline=None, max_examples=60)
@given(graph=graphs(largest=9), hops=st.integers(0, 3), k=st.integers(1, 3), data=st.data())
def test_greedy_keeps_its_promise(graph: reference.Graph, hops: int, k: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, 9), min_size=len(graph), max_size=len(graph)))
    problem = Problem(Web(csr_of(graph)), np.array(values, np.float64), hops)
    best = reference.best_value(graph, values, hops, k) if graph else 0
    assert value(problem, greedy(problem, k)) >= (1 - 1 / math.e) * best


@pytest.mark.parametrize("hops", [1, 2, 3, 5])
@pytest.mark.parametrize("negative", [False, True])
def test_cover_is_within_one_percent_of_greedy(hops: int, negative: bool) -> None:
    for seed in range(4):
        links = random_csr(600, 1.3, seed=seed)
        rng = np.random.default_rng(seed)
        values = rng.choice([1.0, 10.0, 3.5, -10.0 if negative else 1.0], links.page_count, p=[0.8, 0.1, 0.05, 0.05])
        problem = Problem(Web(links), values, hops, random=rng)
        for k in (3, 20):
            assert value(problem, cover(problem, k)) >= 0.99 * value(problem, greedy(problem, k))


def test_cover_is_near_greedy_where_it_samples_a_part_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedbed.seeds.coverage.cover.STEPS", 0)
    links = random_csr(20_000, 1.2, seed=2)
    values = np.random.default_rng(1).choice([1.0, 10.0], links.page_count, p=[0.9, 0.1])
    problem = Problem(Web(links), values, 3)
    assert value(problem, cover(problem, 20)) >= 0.98 * value(problem, greedy(problem, 20))


@pytest.mark.parametrize("strategy", [greedy, maxweight, maxout, maxscc, rootscc, cover])
def test_progress_counts_seeds(strategy: object) -> None:
    told: list[tuple[str, int, int]] = []
    problem = ones(Web(random_csr(300, 1.5, seed=1)), 2, progress=lambda *words: told.append(words))
    found = strategy(problem, 5)  # type: ignore[operator]
    assert [words for words in told if words[0] == "seeds"][: len(found)] == [("seeds", at, 5) for at in range(1, 6)]


@pytest.mark.parametrize("strategy", [maxweight, maxscc, rootscc, cover])
def test_a_depth_below_zero_is_refused(strategy: object) -> None:
    with pytest.raises(OptionError, match="depth is -1"):
        strategy(figure_1(), 2, depth=-1)  # type: ignore[operator]


def test_no_candidates_are_refused() -> None:
    with pytest.raises(OptionError, match="candidates is 0"):
        cover(figure_1(), 2, candidates=0)


@pytest.mark.shared
def test_najdisi_gives_the_values_that_are_known(shared_data: Path) -> None:
    problem = ones(sb.open(shared_data / "najdisi-si" / "core2.net.gz"), 5, threads=2)
    assert value(problem, greedy(problem, 10)) == 77_552
    assert value(problem, maxweight(problem, 10)) == 64_353
    assert value(problem, cover(problem, 10)) >= 0.99 * 77_552


@pytest.mark.shared
@pytest.mark.parametrize("name", ["hollins", "california/gr0.California.gz", "openbsd-www/2013-06-01.nodes.tsv.gz"])
def test_cover_is_within_one_percent_of_greedy_on_real_webs(shared_data: Path, name: str) -> None:
    web = sb.open(shared_data / name)
    for k, hops in ((10, 1), (100, 3), (10, 5)):
        problem = ones(web, hops)
        found = value(problem, cover(problem, k))
        assert found >= 0.99 * value(problem, greedy(problem, k))
        assert found >= value(problem, maxweight(problem, k))
