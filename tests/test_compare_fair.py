"""Comparisons are fair: as many seeds for all, the same bound for all, and "sure" only where it is."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.messages import counted
from seedbed.errors import UsageError
from seedbed.evaluation.compare import Task, compare
from seedbed.evaluation.comparison import recommend
from seedbed.evaluation.comparison_seeds import chosen_by_strategy, topped_up
from seedbed.evaluation.intervals import joint_confidence, mean_interval
from seedbed.report import report_sentences as words
from seedbed.report.report_tables import pair_rows
from seedbed.seeds.select import select
from tests.commands import seedbed
from tests.graphs import Lists, page_lists, web_of
from tests.reports import SMALL, random_lists, small, small_web, written
from tests.test_compare import pair_of

STARS = [list(range(2, 32)), list(range(32, 62))] + [[]] * 60
"""Two pages link to all others between them: two seeds cover the web."""


def stars() -> Lists:
    """The same, and every other page links to one more, so that there is something to crawl."""
    return STARS[:2] + [[(page + 7) % 60 + 2] for page in range(60)]


def urls(pages: int) -> list[str]:
    return [f"http://h{page % 9}.example/{page}" for page in range(pages)]


def test_a_strategy_that_runs_out_of_seeds_gets_others_and_says_so() -> None:
    web = web_of(stars(), urls(62))
    assert len(select(web, "cover", 20)) == 2
    task = Task(strategies=("cover", "maxweight", "random"), orders=("bfs", "opic"), k=20, budget=40)
    found = compare(web, task, threads=1)
    assert {len(draw) for choice in found.choices for draw in choice.draws} == {20}
    assert found.choice("cover").chosen == 2
    assert found.choice("random").chosen == 20
    assert "cover: it chose 2 of 20 seeds; the other 18 are the pages with the most links" in found.notes
    own, other = found.choice("cover").seeds[1], found.choice("cover").seeds[2]
    assert "added" not in own.reason
    assert other.reason == "added: cover had nothing left to choose; 1 link on the page"
    assert {row.added for row in pair_rows(found) if row.pair.strategy == "cover"} == {18}
    assert "20 seeds of" in words.recommended(found)[0]


def test_a_recommendation_with_added_seeds_says_so(tmp_path: Path) -> None:
    web = web_of(stars(), urls(62))
    found = compare(web, Task(strategies=("cover",), orders=("bfs", "opic"), k=20, budget=40), threads=1)
    said = words.answer(found).cautions
    assert any("it chose 2 of 20 seeds; the other 18" in caution for caution in said)
    page = written(found, tmp_path).read_text("utf-8")
    assert "2 seeds that <em>cover</em> chose and 18 added to them" in page
    assert "2 chosen, 18 added" in page
    rows = list(csv.DictReader((tmp_path / "pairs.csv").read_text().splitlines()))
    assert {(row["seeds"], row["seeds_chosen"]) for row in rows} == {("20", "2")}
    seeds = [json.loads(line) for line in (tmp_path / "seeds.jsonl").read_text().splitlines()]
    assert sum("added:" in row.get("reason", "") for row in seeds) == 18


@settings(deadline=None, max_examples=40)
@given(page_lists(20).filter(len), st.integers(1, 25))
def test_added_seeds_are_the_pages_with_the_most_links_and_each_page_once(lists: Lists, k: int) -> None:
    web = web_of(lists)
    seeds = select(web, "cover", min(k, len(lists)), hops=1)
    found = topped_up(web, seeds, k)
    assert len(set(found.pages.tolist())) == len(found) == min(k, len(lists))
    assert found.seeds[: len(seeds)] == seeds.seeds
    assert chosen_by_strategy(found) == len(seeds)
    links = [len(set(row)) for row in lists]
    left = sorted(set(range(len(lists))) - set(seeds.pages.tolist()), key=lambda page: (-links[page], page))
    assert found.pages.tolist()[len(seeds) :] == left[: len(found) - len(seeds)]
    assert [seed.rank for seed in found] == list(range(1, len(found) + 1))
    assert found.gain is not None
    assert len(found.gain.pages) == len(found)


def test_where_a_list_of_ones_own_is_short_all_start_from_as_many(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"http://h{page % 12}.example/{page:03}\n" for page in (5, 9, 9, 17)))
    task = Task(strategies=(str(mine), "indegree", "random"), orders=("bfs",), k=10)
    found = compare(small_web(), task, threads=1)
    assert {len(draw) for choice in found.choices for draw in choice.draws} == {3}
    assert found.facts["k"] == 3
    assert "every crawl starts from 3 seeds, because mine.txt has no more; -k was 10" in found.notes


def test_the_bound_holds_for_every_pair_and_is_what_shares_are_of() -> None:
    found = small()
    for pair in found.pairs:
        assert (pair.pagerank <= found.bounds[pair.strategy] + 1e-12).all()
        assert (found.bounds[pair.strategy] <= found.bound).all()
        assert 0 < found.how_early(pair) <= 1
    best = max(found.pairs, key=lambda pair: pair.area.mean)
    assert found.how_early(best) == max(map(found.how_early, found.pairs))


def test_how_early_means_the_same_whichever_orders_are_listed() -> None:
    with_oracle = small()
    without = compare(small_web(), replace(SMALL, orders=("opic", "bfs")), threads=2)
    for pair in without.pairs:
        assert without.how_early(pair) == with_oracle.how_early(with_oracle.pair(pair.strategy, pair.order))


def test_strategies_that_end_early_are_told() -> None:
    lists = [*random_lists(80), [81], [82], []]
    web = web_of(lists, urls(len(lists)))
    task = Task(strategies=("maxout", "random"), orders=("bfs",), k=1, budget=70, failure=0.0)
    notes = compare(web, task, threads=1).notes
    assert not [note for note in notes if note.startswith("maxout: its crawls end")]
    mine = compare(web, replace(task, strategies=("indegree", "random"), budget=82), threads=1).notes
    assert any("its crawls end after" in note and "of 82 pages on average" in note for note in mine)


def test_by_what_crawls_are_judged_is_said_where_values_are_given() -> None:
    web = small_web()
    task = Task(strategies=("maxweight",), orders=("bfs",), k=2, repeats=1)
    said = "page values choose the seeds and measure what they cover; crawls are judged by PageRank"
    assert said in compare(web, task, values=np.ones(web.page_count), threads=1).notes
    assert said not in compare(web, task, threads=1).notes


def test_a_lead_is_sure_only_against_all_others_joint_confidence() -> None:
    best = pair_of("a", "x", [0.50], [0.60], [0.70], [0.60])
    near = pair_of("b", "x", [0.49], [0.59], [0.69], [0.591])
    wild = pair_of("c", "x", [0.70], [0.30], [0.60], [0.60])
    found = recommend((best, near, wild))
    assert (found.best, found.next_best) == (best, near)
    assert found.lead is not None
    assert found.lead.above_zero
    assert found.ties == (wild,)
    assert found.sure is False


def test_the_more_pairs_there_are_the_wider_the_intervals() -> None:
    best, other = pair_of("a", "x", [0.5], [0.6], [0.75]), pair_of("b", "x", [0.4], [0.51], [0.63])
    few, many = best.lead_over(other), best.lead_over(other, joint_confidence(19))
    assert few.above_zero
    assert not many.above_zero
    assert few.mean == many.mean
    assert recommend((best, other)).sure
    poor = tuple(pair_of(f"c{number}", "x", [0.1], [0.2], [0.3]) for number in range(18))
    assert recommend((best, other, *poor)).sure is False


def test_intervals_against_the_best_hold_at_once_for_all_rows_oracles_included() -> None:
    found = small()
    best, oracle = found.recommendation.best, next(pair for pair in found.pairs if pair.oracle)
    assert found.behind_best(oracle) == best.lead_over(oracle, joint_confidence(len(found.pairs) - 1))
    assert len(found.pairs) - 1 > found.recommendation.rivals


def test_simultaneous_intervals_err_in_five_per_cent_of_all_families_at_most() -> None:
    random = np.random.default_rng(5)
    wrong = 0
    for _ in range(400):
        rows = random.normal(size=(10, 10))
        best = rows[rows.mean(axis=1).argmax()]
        others = [row for row in rows if row is not best and not np.array_equal(row, best)]
        wrong += all(mean_interval(best - row, joint_confidence(len(others))).above_zero for row in others)
    assert wrong / 400 < 0.05


def test_differences_that_are_rounding_are_ties() -> None:
    one, other = pair_of("a", "x", [0.3 + 1e-15], [0.4 + 2e-15]), pair_of("b", "x", [0.3], [0.4])
    found = recommend((one, other))
    assert found.lead is not None
    assert (found.lead.mean, found.sure, found.ties) == (0.0, False, (other,))


def test_of_pairs_crawled_once_nothing_is_sure_even_where_the_next_best_was_drawn_often() -> None:
    best, once = pair_of("a", "x", [0.9]), pair_of("c", "x", [0.2])
    often = pair_of("b", "x", [0.5], [0.51], [0.5])
    found = recommend((best, often, once))
    assert (found.next_best, found.crawled_once, found.sure) == (often, (once,), None)


@pytest.mark.parametrize(("number", "text"), [(0, "0 seeds"), (1, "1 seed"), (2, "2 seeds"), (1204, "1,204 seeds")])
def test_numbers_and_nouns_agree(number: int, text: str) -> None:
    assert counted(number, "seed") == text
    assert counted(number, "entry", "entries").endswith("entry" if number == 1 else "entries")


def test_one_seed_is_one_seed_in_all_messages(tmp_path: Path) -> None:
    links = tmp_path / "links.tsv"
    links.write_text("".join(f"{page}\t{target}\n" for page, row in enumerate(STARS) for target in row))
    run = seedbed("seeds", links, "-k", 1)
    assert run.returncode == 0, run.stderr
    assert "1 seed; it covers 31 of 62 pages within 5 links" in run.stderr
    run = seedbed("seeds", links, "-k", 3, "--strategy", "outdegree", "--hops", 1)
    assert "3 seeds; they cover 62 of 62 pages within 1 link, 100.0 % of the value" in run.stderr
    assert "after the first 2 seeds, each further one adds less than the average" in run.stderr
    run = seedbed("compare", links, "--strategy", "cover,random", "--order", "bfs", "-k", 1, "--out", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert "Use the 1 seed of cover" in run.stdout
    assert "1 seeds" not in run.stdout + run.stderr


@pytest.mark.parametrize("k", [0, -1])
def test_a_comparison_of_lists_alone_needs_a_seed_of_each(tmp_path: Path, k: int) -> None:
    (tmp_path / "mine.txt").write_text("http://h0.example/0\nhttp://h1.example/1\n")
    with pytest.raises(UsageError, match=f"k is {k}; it must be at least 1"):
        Task(strategies=(str(tmp_path / "mine.txt"),), k=k)
