"""Strategies and orders side by side: by hand, against plain Python, and what always holds."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.python_orders import CrawlView
from seedbed.crawling.simulator import crawl
from seedbed.errors import NeedsHosts, NotEnoughMemory, OptionError
from seedbed.evaluation.compare import DEFAULT_ORDERS, DEFAULT_STRATEGIES, Task, compare
from seedbed.evaluation.comparison import Pair, recommend
from seedbed.ranking.pagerank import pagerank
from seedbed.ranking.ranking import Ranking
from seedbed.seeds.problem import Problem
from seedbed.seeds.select import select
from tests.graphs import Lists, page_lists, web_of
from tests.reference.compare import average_height, held, mean
from tests.reports import SMALL, random_lists, small, small_web, written

URLS = ["http://a/", "http://b/", "http://c/", "http://d/"]


def pair_of(strategy: str, order: str, *curves: list[float], oracle: bool = False) -> Pair:
    fetched = np.arange(1, len(curves[0]) + 1)
    rows, zero = np.array(curves), np.zeros(1)
    marked = oracle or strategy == "pagerank"
    return Pair(strategy, order, oracle, fetched, rows, None, None, None, zero, zero, zero, 0.0, False, marked)


def test_a_comparison_by_hand() -> None:
    # Page 0 links to 1, 1 to 2, 2 to 3. From outdegree's first page, 0, a crawl of two pages fetches 0 and 1.
    web = web_of([[1], [2], [3], []], URLS)
    task = Task(strategies=("outdegree",), orders=("bfs",), k=1, budget=2, hops=1, failure=0.0)
    found = compare(web, task, threads=1)
    scores = pagerank(web).scores
    pair = found.pair("outdegree", "bfs")
    assert pair.fetched.tolist() == [1, 2]
    np.testing.assert_allclose(pair.pagerank, [[scores[0], scores[0] + scores[1]]])
    assert pair.areas[0] == pytest.approx((scores[0] / 2 + scores[0] + scores[1] / 2) / 2)
    assert pair.depth_pages.tolist() == [1, 1]
    np.testing.assert_allclose(pair.depth_pagerank, scores[:2])
    assert found.choice("outdegree").covered.tolist() == [[0.5]]
    assert pair.count == 1
    assert pair.mass.low is None


@settings(deadline=None, max_examples=15)
@given(page_lists(25).filter(lambda lists: len(lists) > 2), st.integers(1, 5))
def test_pairs_hold_what_plain_python_counts(lists: Lists, k: int) -> None:
    web = web_of(lists, [f"http://{page % 3}/{page:02}" for page in range(len(lists))])
    task = Task(strategies=("indegree", "random"), orders=("bfs", "random"), k=k, budget=len(lists), repeats=3, hops=1)
    found = compare(web, task, threads=2)
    scores = pagerank(web).scores.tolist()
    for pair in found.pairs:
        sums = []
        for repeat in range(3):
            draw = repeat if pair.strategy == "random" else 0
            seeds = select(web, pair.strategy, min(k, len(lists)), hops=1, seed=1 + draw)
            conditions = Conditions(failure=task.failure, seed=1 + repeat)
            run = crawl(web, seeds, pair.order, len(lists), conditions=conditions)
            sums.append(held(run.pages.tolist(), scores, len(lists)))
        np.testing.assert_allclose(pair.pagerank, sums)
        assert pair.mass.mean == pytest.approx(mean([one[-1] for one in sums]))
        np.testing.assert_allclose(pair.areas, [average_height(one) for one in sums])


def test_results_do_not_depend_on_threads_and_follow_from_the_seed() -> None:
    again = compare(small_web(), SMALL, threads=1)
    for one, other in zip(small().pairs, again.pairs, strict=True):
        np.testing.assert_array_equal(one.pagerank, other.pagerank)
        assert one.hosts is not None
        np.testing.assert_array_equal(one.hosts, other.hosts)
    different = compare(small_web(), replace(SMALL, seed=2), threads=1)
    assert not np.array_equal(different.pair("random", "bfs").pagerank, again.pair("random", "bfs").pagerank)


def test_what_has_chance_in_it_is_drawn_ten_times_and_everything_has_an_interval() -> None:
    assert len({tuple(seeds.pages) for seeds in small().choice("random").draws}) == 10
    assert not small().choice("cores").has_chance
    for pair in small().pairs:
        assert pair.count == 10
        assert pair.area.low is not None
        assert len({round(area, 12) for area in pair.areas}) > 1


def test_without_failures_only_what_has_chance_in_it_is_repeated() -> None:
    task = Task(strategies=("indegree", "random"), orders=("bfs", "random"), k=3, budget=60, failure=0.0)
    found = compare(small_web(), task, threads=2)
    counts = {(pair.strategy, pair.order): pair.count for pair in found.pairs}
    assert counts == {
        ("indegree", "bfs"): 1,
        ("indegree", "random"): 10,
        ("random", "bfs"): 10,
        ("random", "random"): 10,
    }
    once, often = found.pair("indegree", "bfs"), found.pair("random", "bfs")
    assert once.lead_over(often).n == 10
    assert once.lead_over(often).mean == pytest.approx(once.areas[0] - often.areas.mean())


def test_the_best_pair_that_can_be_used_is_recommended_never_an_oracle() -> None:
    found = small().recommendation
    usable = [pair for pair in small().pairs if not pair.oracle]
    assert found.best.area.mean == max(pair.area.mean for pair in usable)
    assert any(pair.oracle for pair in small().pairs)


def test_a_lead_that_is_always_there_is_sure_and_one_that_comes_and_goes_is_not() -> None:
    good = pair_of("a", "x", [0.5], [0.6], [0.7])
    always = pair_of("b", "x", [0.4], [0.5], [0.61])
    at_times = pair_of("c", "x", [0.7], [0.4], [0.66])
    found = recommend((always, good))
    assert (found.best, found.next_best, found.sure, found.ties) == (good, always, True, ())
    found = recommend((good, at_times, always))
    assert (found.best, found.next_best, found.sure, found.ties) == (good, at_times, False, (at_times,))


def test_with_one_crawl_or_one_pair_nothing_is_said_to_be_sure() -> None:
    one, other = pair_of("a", "x", [0.5]), pair_of("b", "x", [0.4])
    assert recommend((one, other)).sure is None
    assert recommend((one,)).sure is None
    assert recommend((one, pair_of("a", "oracle", [0.9], oracle=True))).best is one


def test_seeds_chosen_by_what_is_measured_are_marked_and_the_best_others_named() -> None:
    marked, plain = pair_of("pagerank", "bfs", [0.5], [0.5]), pair_of("cores", "bfs", [0.4], [0.4])
    assert small().pair("pagerank", "bfs").chosen_by_pagerank
    assert not small().pair("cores", "bfs").chosen_by_pagerank
    assert recommend((marked, plain)).best_independent is plain
    assert recommend((pair_of("cores", "opic", [0.9], [0.9]), marked, plain)).best_independent is None


class LastFound:
    """The page found last."""

    oracle = False

    def __init__(self) -> None:
        self._waiting: list[int] = []

    def discover(self, page: int, view: CrawlView) -> None:
        self._waiting.append(page)

    def next(self) -> int | None:
        return self._waiting.pop() if self._waiting else None


def first_pages(problem: Problem, k: int) -> list[int]:
    """The first pages of the web."""
    return list(range(k))


def test_a_function_and_a_class_are_compared_under_their_names_with_their_meanings(tmp_path: Path) -> None:
    task = Task(strategies=("random", first_pages), orders=("bfs", LastFound), k=3, budget=40, repeats=2)
    found = compare(small_web(), task, threads=1)
    assert {pair.name for pair in found.pairs} == {
        f"{strategy} with {order}" for strategy in ("random", "first_pages") for order in ("bfs", "LastFound")
    }
    assert found.choice("first_pages").seeds.pages.tolist() == [0, 1, 2]
    page = written(found, tmp_path).read_text("utf-8")
    for name, meaning in (("first_pages", "The first pages of the web"), ("LastFound", "The page found last")):
        assert f"<dt>{name}</dt><dd>{meaning}</dd>" in page
    assert found.facts["strategies"] == ("random", "first_pages")


def test_seeds_and_shape_that_are_known_are_used_again() -> None:
    web = small_web()
    task = Task(strategies=("indegree",), orders=("bfs",), k=3, hops=2)
    seeds = select(web, "indegree", 3, hops=2)
    found = compare(web, task, shape=small().shape, seeds=[select(web, "indegree", 2, hops=2), seeds], threads=1)
    assert found.shape is small().shape
    assert found.choice("indegree").seeds.gain is seeds.gain


def test_pagerank_is_computed_once_for_seeds_curves_and_oracles(monkeypatch: pytest.MonkeyPatch) -> None:
    from seedbed.ranking import pagerank as module

    calls = []
    plain = module.pagerank

    def counted(*args: Any, **options: Any) -> Ranking:
        calls.append(args)
        return plain(*args, **options)

    monkeypatch.setattr(module, "pagerank", counted)
    task = Task(strategies=("pagerank",), orders=("bfs", "oracle"), k=3, repeats=2)
    found = compare(small_web(), task, threads=1)
    assert len(calls) == 1
    assert found.choice("pagerank").seeds.pages.tolist() == plain(small_web()).top(3).tolist()
    assert "ranking" not in found.choice("pagerank").seeds.options


def test_hosts_communities_and_spam_are_counted_where_they_are_known() -> None:
    pair = small().pair("cores", "bfs")
    assert pair.hosts is not None
    assert pair.communities is not None
    assert pair.spam_share is not None
    assert 1 < pair.hosts[:, -1].mean() <= 12
    assert 1 < pair.communities[:, -1].mean() <= 5
    assert 0 < pair.spam_share[:, -1].mean() < 1
    assert small().cores["cores"].matrix.shape == (6, 6)


def test_a_web_without_hosts_has_failures_and_intervals_too() -> None:
    web = web_of(random_lists(60))
    found = compare(web, Task(strategies=("indegree",), orders=("bfs", "opic"), k=2), threads=1)
    assert found.facts["failure"] == 0.05
    assert found.pairs[0].hosts is None
    assert all(pair.count == 10 and pair.area.low is not None for pair in found.pairs)


def test_defaults_that_need_hosts_are_left_out_where_there_are_none_and_named_ones_refused() -> None:
    web = web_of(random_lists(40))
    found = compare(web, Task(k=3), threads=1)
    assert {choice.strategy for choice in found.choices} == set(DEFAULT_STRATEGIES) - {"cores"}
    assert {pair.order for pair in found.pairs} == set(DEFAULT_ORDERS) - {"fpr@100"}
    assert "left out: cores and fpr@100; the web has no hosts, which they need" in found.notes
    assert found.facts["orders"] == ("live-pagerank", "opic", "bfs", "oracle")
    with pytest.raises(NeedsHosts):
        compare(web, Task(strategies=("cores",), orders=("bfs",), k=3), threads=1)


def test_a_default_strategy_that_finds_no_seed_is_left_out_and_a_named_one_refused() -> None:
    lists = random_lists(40)
    web = web_of(lists, [f"http://one.example/{page:02}" for page in range(len(lists))])
    found = compare(web, Task(k=3, repeats=1), threads=1)
    assert {choice.strategy for choice in found.choices} == set(DEFAULT_STRATEGIES) - {"cores"}
    assert "cores: finds no seed in this web" in found.notes
    with pytest.raises(OptionError, match="'cores' finds no seed"):
        compare(web, Task(strategies=("cores", "random"), k=3, repeats=1), threads=1)


def test_names_of_seed_files_cannot_turn_texts_round(tmp_path: Path) -> None:
    mine = tmp_path / "\u202emine\x1b.txt"
    mine.write_text("http://h1.example/001\n")
    found = compare(small_web(), Task(strategies=(str(mine),), orders=("bfs",), k=1, repeats=1), threads=1)
    assert found.choices[0].strategy == "�mine�.txt"
    assert found.choices[0].seeds[0].reason == "listed in �mine�.txt, place 1"


def test_a_note_names_its_strategy_once() -> None:
    web = web_of([[1], []], URLS[:2])
    notes = compare(web, Task(strategies=("cores",), orders=("bfs",), k=2, repeats=1), threads=1).notes
    assert notes
    assert all(note.startswith("cores: ") and not note.startswith("cores: cores: ") for note in notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"strategies": ("core",)}, "Did you mean 'cores'"),
        ({"orders": ("bsf",)}, "Did you mean 'bfs'"),
        ({"orders": ("oracle",)}, "name another order"),
        ({"orders": ()}, "no orders"),
        ({"repeats": 0}, "repeats is 0"),
        ({"strategies": ("mine.txt",)}, "there is no such file"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_the_work(changes: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        replace(SMALL, **changes)  # type: ignore[arg-type]


def test_a_budget_and_a_k_beyond_the_web_mean_all_of_it() -> None:
    web = small_web()
    found = compare(web, replace(SMALL, budget=10**6, k=10**5))
    assert found.facts["budget"] == found.facts["k"] == web.page_count
    pages = f"more than the web's {web.page_count:,} pages, so it means all of them"
    assert f"the budget is 1,000,000, {pages}" in found.notes
    assert f"k is 100,000, {pages}" in found.notes


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(NotEnoughMemory):
        compare(small_web(), SMALL, memory=1000)


def test_an_error_ends_the_crawls_that_are_under_way() -> None:
    def told(stage: str, done: int, total: int) -> None:
        if stage == "crawls":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(small_web(), replace(SMALL, repeats=50), threads=2, progress=told)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]
