"""What the report says in words, and whether the numbers bear it out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seedbed.evaluation.compare import Task, compare
from seedbed.evaluation.comparison import Comparison
from seedbed.evaluation.intervals import Interval
from seedbed.report import report_sentences as words
from tests.graphs import web_of
from tests.reports import SMALL, small, small_web


def with_best(**changes: object) -> Comparison:
    found = replace(small())
    object.__setattr__(found, "recommendation", replace(small().recommendation, **changes))  # type: ignore[arg-type]
    return found


def test_the_words_count_the_crawls_that_were_paired() -> None:
    # Without failures the best was crawled once and the next best ten times, against which it is held ten times.
    task = Task(strategies=("outdegree", "random"), orders=("bfs",), k=2, failure=0.0, budget=20)
    found = compare(small_web(), task, threads=1)
    assert {pair.count for pair in found.pairs} == {1, 10}
    assert "from 10 paired crawls" in words.answer(found).sureness


def test_of_one_crawl_each_random_seeds_are_not_said_to_do_as_well() -> None:
    found = compare(small_web(), replace(SMALL, repeats=1, strategies=("pagerank", "random")), threads=1)
    best = found.recommendation.best
    behind = best.lead_over(found.pair("random", best.order))
    assert best.strategy == "pagerank"
    assert behind.mean > 0.01
    assert not [caution for caution in words.answer(found).cautions if "Random seeds" in caution]


def test_the_words_tell_pages_fetched_not_pages_asked_for() -> None:
    web = web_of([[1], [2], [], [4], []], [f"http://{page}.example/" for page in range(5)])
    task = Task(strategies=("outdegree",), orders=("bfs",), k=1, budget=5, failure=0.0)
    said = words.answer(compare(web, task, threads=1))
    assert said.reached.startswith("After 3 of 5 pages (60 %)")
    assert said.tiles[0][1] == "of all PageRank held after 3 pages"
    assert any("ran out of pages" in caution for caution in said.cautions)


def test_equal_pairs_are_not_said_to_lead() -> None:
    equal = with_best(lead=Interval(0.0, 0.0, 0.0, 10), ties=(small().pairs[1],), next_best=small().pairs[1])
    assert "exactly as much PageRank as the next best" in words.answer(equal).sureness
    assert "chance" not in words.answer(equal).sureness


def test_the_words_follow_the_evidence() -> None:
    sure = Interval(0.02, 0.01, 0.03, 10)
    assert words.answer(with_best(lead=sure, ties=(), crawled_once=())).verdict == "sure"
    level = (small().pairs[1], small().pairs[0])
    unsure = words.answer(with_best(lead=Interval(0.001, -0.01, 0.012, 10), ties=level, next_best=level[0]))
    assert unsure.verdict == "not sure"
    assert f"{level[0].strategy} with {level[0].order} and {level[1].strategy}" in unsure.sureness
    once = words.answer(with_best(lead=Interval(0.02, None, None, 1), next_best=level[0], crawled_once=level))
    assert once.verdict == "one crawl"
    assert "Each was crawled once" in once.sureness
    assert words.answer(with_best(next_best=None, lead=None)).verdict == "only one"
    marked = words.answer(
        with_best(best=small().pair("pagerank", "bfs"), best_independent=small().pair("cores", "bfs"))
    )
    assert any("also what is measured" in caution and "cores with bfs" in caution for caution in marked.cautions)


def test_one_that_varies_more_keeps_the_lead_from_being_sure() -> None:
    others = (small().pairs[0], small().pairs[1])
    said = words.answer(with_best(lead=Interval(0.02, 0.01, 0.03, 10), next_best=others[0], ties=(others[1],)))
    assert said.verdict == "not sure"
    assert f"more than chance explains, but {others[1].name} may be as good" in said.sureness


def test_crawls_that_do_not_leave_their_seeds_are_told() -> None:
    task = Task(strategies=("outdegree", "random"), orders=("bfs",), k=20, budget=20)
    assert (
        "A crawl of 20 pages from 20 seeds hardly follows any links."
        in words.answer(compare(small_web(), task, threads=1)).cautions
    )


def test_the_words_say_that_random_seeds_were_crawled_pages() -> None:
    task = Task(strategies=("outdegree", "random"), orders=("bfs",), k=2, repeats=2, budget=20)
    plain = small_web()
    flags = plain.links.out_degrees() > 0
    flags[-1] = False
    for columns, said in (({}, "from random seeds holds"), ({"crawled": flags}, "from random crawled pages holds")):
        found = compare(replace(plain, columns=columns), task, threads=1)
        assert said in words.answer(found).reached
        assert any("drawn from the pages that were crawled" in note for note in found.notes) is bool(columns)


def with_spam(**shares: list[float]) -> Comparison:
    """The small comparison, with these shares of spam in the crawls by strategy or, with order_ before it, by order."""
    pairs = []
    for pair in small().pairs:
        share = shares.get(f"order_{pair.order}") or shares.get(pair.strategy) or shares["best"]
        rows = np.repeat(np.array(share)[: pair.count, None], len(pair.fetched), axis=1)
        pairs.append(replace(pair, spam_share=rows))
    return replace(small(), pairs=tuple(pairs))


def test_without_a_column_of_spam_nothing_is_said_about_it() -> None:
    found = replace(small(), pairs=tuple(replace(pair, spam_share=None) for pair in small().pairs))
    assert words.answer(found).spam == ""


def test_less_spam_than_random_seeds_is_told_from_chance() -> None:
    best = small().recommendation.best
    repeats = range(best.count)
    some = [0.10 + 0.001 * (repeat % 2) for repeat in repeats]
    more = [0.20 + 0.001 * (repeat % 3) for repeat in repeats]
    strategies = {pair.strategy for pair in small().pairs if pair.order == best.order}
    assert best.strategy != "random"
    assert "random" in strategies
    said = words.answer(with_spam(best=some, random=more)).spam
    assert said.startswith("10.1 % (95 % interval 10.0 to 10.1) of the pages that this crawl fetches are spam.")
    against = said.partition("against random seeds, ")[2].partition(" From the seeds")[0]
    assert against.startswith("less spam: ")
    assert all(f"{name} (−10." in against for name in strategies - {"random"})
    said = words.answer(with_spam(best=more, random=some)).spam
    assert "against random seeds, more spam: " in said
    assert "(+10." in said
    noisy = [0.1 + 0.05 * (-1) ** repeat for repeat in repeats]
    said = words.answer(with_spam(best=some, random=noisy)).spam
    assert "against random seeds, tied: " in said
    assert "less spam" not in said


def test_orders_are_held_against_breadth_first() -> None:
    best = small().recommendation.best
    orders = {pair.order for pair in small().pairs if pair.strategy == best.strategy}
    assert best.order != "bfs"
    assert "bfs" in orders
    some, more = ([share + 0.001 * (repeat % 2) for repeat in range(best.count)] for share in (0.1, 0.3))
    said = words.answer(with_spam(best=some, order_bfs=more)).spam
    assert f"From the seeds of {best.strategy}, against bfs, less spam: " in said
    assert f"{best.order} (−20.00 points, −20.00 to −20.00)" in said
    once = with_spam(best=some, order_bfs=more)
    pairs = tuple(
        replace(pair, pagerank=pair.pagerank[:1], spam_share=None if pair.spam_share is None else pair.spam_share[:1])
        for pair in once.pairs
    )
    assert "each was crawled once" in words.answer(replace(once, pairs=pairs)).spam
