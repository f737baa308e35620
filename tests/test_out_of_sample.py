"""Seeds judged on a web that they were not chosen from: by hand, against plain Python, and what always holds."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import seedbed as sb
from seedbed.common.parquet_files import read_parquet, write_parquet
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.simulator import crawl
from seedbed.errors import NeedsHosts, OptionError
from seedbed.evaluation.compare import Task, compare
from seedbed.evaluation.comparison import Comparison
from seedbed.evaluation.out_of_sample import HIDDEN_HOSTS, LATER_CRAWL, SAME_WEB, older_side, without_hosts
from seedbed.evaluation.several_snapshots import Snapshots, compare_snapshots
from seedbed.graph.web import Web
from seedbed.last_crawl import open_last
from seedbed.ranking.pagerank import pagerank
from seedbed.report import report_sentences as words
from tests.commands import misused, refused, seedbed_here
from tests.graphs import Lists, page_lists, web_of
from tests.reference.out_of_sample import judged
from tests.reports import random_lists, small_web, written
from tests.snapshots import linked

A, B, C, D, GONE = (f"http://{name}.example/" for name in ("a", "b", "c", "d", "gone"))
OLD = linked({GONE: f"{A} {B} {C}", A: f"{B} {C}", B: C})
NEW = linked({A: B, B: C, D: f"{A} {B} {C}"})
ONE = Task(strategies=("outdegree",), orders=("bfs",), k=2, budget=2, hops=1, failure=0.0)


def aged(web: Web, keep: float = 0.6, seed: int = 5) -> Web:
    """A web as it may have been before: some of its pages under other URLs, and some marked as spam."""
    random = np.random.default_rng(seed)
    assert web.urls is not None
    old = [url if random.random() < keep else f"http://before.example/{at}" for at, url in enumerate(web.urls)]
    lists = [list(web.links.successors(page)) for page in range(web.page_count)]
    order = sorted(range(len(old)), key=old.__getitem__)
    place = {page: at for at, page in enumerate(order)}
    renamed = web_of([sorted(place[target] for target in lists[page]) for page in order], [old[page] for page in order])
    return replace(renamed, columns={"spam": random.random(len(old)) < 0.1})


@cache
def small_pair() -> tuple[Web, Web]:
    new = small_web()
    return aged(new), new


@cache
def small_judged() -> Comparison:
    old, new = small_pair()
    task = Task(strategies=("cover", "pagerank", "random"), orders=("live-pagerank", "bfs", "oracle"), k=6, hops=2)
    return compare(new, replace(task, repeats=4), old=old, threads=2)


def test_a_comparison_out_of_sample_by_hand() -> None:
    # On the old web the pages with the most links are `gone` and a. Only a is left: it leads to b. On the new web they
    # are d and a, from which a crawl of two pages fetches just these.
    found = compare(NEW, ONE, old=OLD, threads=1)
    scores = dict(zip(NEW.urls or (), pagerank(NEW).scores, strict=True))
    pair, same = found.pair("outdegree", "bfs"), found.in_sample[0]
    np.testing.assert_allclose(pair.pagerank, [[scores[A], scores[A] + scores[B]]])
    np.testing.assert_allclose(same.pagerank, [[scores[D], scores[D] + scores[A]]])
    lead = found.in_sample_lead(pair)
    assert lead is not None
    assert lead.mean == pytest.approx(same.areas[0] - pair.areas[0])
    assert found.facts["judged_on"] == LATER_CRAWL
    assert found.facts["seeds_left"] == {"outdegree": 1.0}
    assert [NEW.urls[page] for page in found.choice("outdegree").seeds.pages] == [D, A]  # type: ignore[index]
    assert "outdegree: 1 of its 2 seeds is gone in the web that judges them" in found.notes
    assert any(note.startswith("3 of the 4 pages of") for note in found.notes)


@settings(deadline=None, max_examples=15)
@given(page_lists(20), page_lists(20), st.integers(1, 6), st.integers(1, 12), st.randoms(use_true_random=False))
def test_pairs_hold_what_plain_python_counts(old: Lists, new: Lists, k: int, budget: int, random: object) -> None:
    spellings = ("http://h{}.example/p{}", "http://www.h{}.example/p{}/", "http://gone{}.example/p{}")
    old_urls = sorted(random.choice(spellings).format(page % 3, page) for page in range(len(old)))  # type: ignore[attr-defined]
    new_urls = sorted(spellings[0].format(page % 3, page) for page in range(len(new)))
    k, budget = min(k, len(old), len(new)), min(budget, len(new))
    seeds, held = judged(old, old_urls, new, new_urls, k, budget)
    assume(seeds)
    task = Task(strategies=("indegree",), orders=("bfs",), k=k, budget=budget, hops=1, failure=0.0)
    found = compare(web_of(new, new_urls), task, old=web_of(old, old_urls), threads=1)
    assert found.facts["seeds_left"]["indegree"] == len(seeds)
    np.testing.assert_allclose(found.pair("indegree", "bfs").pagerank[0], held, atol=1e-8)


def test_an_order_that_remembers_is_compared_with_and_without_the_last_crawl() -> None:
    old, new = small_pair()
    known = open_last(old).about(new).scores
    found = small_judged()
    assert found.facts["orders"] == ("live-pagerank+last", "live-pagerank", "bfs", "oracle")
    seeds = older_side(old, new).carried(found.choice("cover"), new)  # only to see that carrying changes pages
    assert seeds.seeds.pages.tolist() != found.choice("cover").seeds.pages.tolist()
    scores = pagerank(new).scores
    fresh = {pair.order: pair for pair in found.in_sample if pair.strategy == "cover"}
    for order, last in (("live-pagerank+last", known), ("live-pagerank", None)):
        for repeat in range(4):
            run = crawl(
                new,
                found.choice("cover").draws[repeat % len(found.choice("cover").draws)],
                "live-pagerank",
                found.facts["budget"],
                conditions=Conditions(failure=0.05, seed=1 + repeat),
                last=last,
            )
            assert fresh[order].pagerank[repeat, -1] == pytest.approx(scores[run.pages].sum())
    assert not np.array_equal(fresh["live-pagerank"].pagerank, fresh["live-pagerank+last"].pagerank)


def test_pages_that_were_spam_then_are_left_to_the_end_and_the_fetches_saved_are_told() -> None:
    # The seed links to a spam page and two others, which link to it as well. Three of the four pages are fetched.
    seed, spam, one, two = (f"http://{name}.example/" for name in ("a", "b", "c", "d"))
    web = linked({seed: f"{spam} {one} {two}", one: spam, two: spam})
    old = replace(web, columns={"spam": np.array([False, True, False, False])})
    task = Task(strategies=("outdegree",), orders=("live-pagerank",), k=1, budget=3, hops=1, failure=0.0)
    found = compare(web, task, old=old, threads=1)
    gone = {pair.order: pair.gone for pair in found.pairs}
    assert gone["live-pagerank"] is not None
    assert gone["live-pagerank+last"] is not None
    assert (gone["live-pagerank"].tolist(), gone["live-pagerank+last"].tolist()) == ([1], [0])
    said = words.answer(found).memory
    assert "1 pages were" not in said
    assert (
        "1 page was gone, spam or a duplicate in the last crawl; it fetched 0 of them, and 1 without that knowledge"
        in said
    )
    assert said.endswith("that saved 1 fetch.")


def test_the_pagerank_of_the_older_web_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = []

    def counting(web: Web, **how: object) -> object:
        ranked.append(web)
        return pagerank(web, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("seedbed.ranking.pagerank.pagerank", counting)
    monkeypatch.setattr("seedbed.seeds.heuristics.rank_by_pagerank", counting)
    compare(NEW, replace(ONE, strategies=("pagerank",), orders=("live-pagerank",)), old=OLD, threads=1)
    assert sorted(map(id, ranked)) == sorted(map(id, (OLD, NEW)))


def best_two(values: NDArray[Any]) -> list[int]:
    """The two pages that are worth most."""
    return [int(page) for page in np.argsort(-values, kind="stable")[:2]]


def test_values_may_be_what_the_last_crawl_knew_judged_on_the_newer_web() -> None:
    """On hand-made webs a strategy with 0 hops chooses the pages that are worth most."""
    task = replace(ONE, strategies=("cover",), hops=0, k=2)
    mine = replace(pagerank(NEW), scores=np.array([1.0, 2, 3, 9]), web=NEW)
    on_one = compare(NEW, task, last=mine, values="last", threads=1)
    assert on_one.choices[0].seeds.pages.tolist() == [3, 2]
    aside = compare(NEW, task, old=OLD, values="last", threads=1)
    scores = open_last(OLD).about(NEW).values()
    assert aside.choices[0].seeds.pages.tolist() == best_two(scores)
    assert OLD.urls is not None
    assert NEW.urls is not None
    best = [OLD.urls[page] for page in best_two(pagerank(OLD).scores)]
    left = sum(url in set(NEW.urls) for url in best)
    assert aside.facts["seeds_left"]["cover"] == left
    other = compare(NEW, task, old=OLD, last=mine, values="last", threads=1)
    assert other.choices[0].seeds.pages.tolist() == [3, 2]
    assert "page values choose the seeds" in " ".join(other.notes)


def test_values_of_the_last_crawl_also_choose_where_hosts_are_hidden() -> None:
    web = replace(small_web(), columns={})
    task = Task(strategies=("cover",), orders=("bfs",), k=3, budget=40, hops=0, failure=0.0, hide_hosts=0.25, seed=7)
    mine = replace(pagerank(web), scores=np.arange(1.0, web.page_count + 1), web=web)
    side = without_hosts(web, 0.25, 7)
    best = side.page_there[-3:][::-1].tolist()
    found = compare(web, task, last=mine, values="last", threads=1)
    scores = pagerank(web).scores
    assert found.pair("cover", "bfs").pagerank[0, 2] == pytest.approx(scores[best].sum())


def test_a_last_crawl_that_shares_no_url_is_of_no_use_and_changes_nothing() -> None:
    other = linked({"http://x.example/": "http://y.example/"})
    task = replace(ONE, orders=("live-pagerank",))
    found = compare(NEW, task, last=other, threads=1)
    assert "the last crawl, web, shares no URL with this web and is of no use here" in found.notes
    told, plain = (found.pair("outdegree", f"live-pagerank{end}") for end in ("+last", ""))
    np.testing.assert_array_equal(told.pagerank, plain.pagerank)


def test_a_plain_comparison_can_know_the_last_crawl_and_says_that_it_is_in_sample() -> None:
    task = replace(ONE, orders=("live-pagerank", "bfs"))
    found = compare(NEW, task, last=OLD, threads=1)
    assert found.facts["orders"] == ("live-pagerank+last", "live-pagerank", "bfs")
    assert found.facts["judged_on"] == SAME_WEB
    assert not found.in_sample
    assert words.answer(found).judged[0] == "Judged on the web they were chosen from"
    named = compare(NEW, replace(ONE, orders=("live-pagerank+last",)), last=OLD, threads=1)
    assert named.facts["orders"] == ("live-pagerank+last",)


def test_seeds_of_pagerank_are_not_marked_where_another_pagerank_chose_them() -> None:
    found = small_judged()
    assert not found.pair("pagerank", "bfs").chosen_by_pagerank
    assert found.pair("pagerank", "oracle").chosen_by_pagerank
    assert next(pair for pair in found.in_sample if pair.name == "pagerank with bfs").chosen_by_pagerank


def test_a_draw_whose_seeds_are_all_gone_fetches_nothing() -> None:
    lists = random_lists(60)
    urls = [f"http://h{page % 5}.example/{page:02}" for page in range(60)]
    before = [url if page < 20 else f"http://z.example/{page}" for page, url in enumerate(urls)]
    order = sorted(range(60), key=before.__getitem__)
    old, new = web_of([[]] * 60, [before[page] for page in order]), web_of(lists, urls)
    task = Task(strategies=("random",), orders=("bfs",), k=1, budget=10, repeats=12, failure=0.0)
    found = compare(new, task, old=old, threads=1)
    pair = found.pair("random", "bfs")
    nothing = pair.pages == 0
    assert 0 < np.count_nonzero(nothing) < 12
    assert not pair.pagerank[nothing].any()
    assert found.facts["seeds_left"]["random"] == pytest.approx(1 - nothing.mean())
    assert not found.bounds["random"][nothing].any()


def test_of_several_pairs_of_snapshots_each_is_one_value() -> None:
    new = small_web()
    task = Task(
        strategies=("indegree", "outdegree"), orders=("live-pagerank", "bfs"), k=5, budget=40, repeats=2, hops=2
    )
    pairs = [Snapshots(aged(new, seed=seed), new) for seed in (1, 2, 3)]
    found = compare_snapshots(pairs, task, threads=1)
    alone = [compare(one.new, task, old=one.old, threads=1) for one in pairs]
    for pair in found.pairs:
        single = [one.pair(pair.strategy, pair.order) for one in alone]
        np.testing.assert_allclose(pair.areas, [one.area.mean for one in single])
        assert pair.mass.n == 3
        same = [next(each for each in one.in_sample if each.name == pair.name) for one in alone]
        lead = found.in_sample_lead(pair)
        assert lead is not None
        assert lead.mean == pytest.approx(
            np.mean([one.area.mean - other.area.mean for one, other in zip(same, single, strict=True)])
        )
    assert found.facts["snapshots"] == 3
    assert "from 3 pairs of snapshots" in words.answer(found).sureness
    assert "3 older webs" in words.answer(found).judged[1]


def test_pairs_of_snapshots_of_different_sizes_are_crawled_with_the_same_budget() -> None:
    large, tiny = small_web(), NEW
    task = Task(strategies=("indegree",), orders=("bfs",), k=2, repeats=2, hops=1)
    found = compare_snapshots([Snapshots(aged(large, keep=1), large), Snapshots(OLD, tiny)], task, threads=1)
    assert found.facts["budget"] == 1
    assert found.pairs[0].pagerank.shape == (2, 1)


def test_hidden_hosts_have_no_seed_and_the_same_are_hidden_for_the_same_seed() -> None:
    web = small_web()
    side = without_hosts(web, 0.25, 7)
    hosts = web.sites("host").of_page
    shown = set(hosts[side.page_there].tolist())
    assert len(shown) == 9  # of 12
    assert side.web.page_count == int(np.isin(hosts, list(shown)).sum())
    np.testing.assert_array_equal(side.page_there, without_hosts(web, 0.25, 7).page_there)
    assert not np.array_equal(side.page_there, without_hosts(web, 0.25, 8).page_there)
    task = Task(strategies=("indegree", "random"), orders=("bfs",), k=6, hops=2, repeats=3, hide_hosts=0.25, seed=7)
    found = compare(web, task, threads=1)
    assert found.facts["judged_on"] == HIDDEN_HOSTS
    assert len(found.in_sample) == 2
    best = sb.select(side.web, "indegree", k=6, hops=2)
    run = crawl(web, side.page_there[best.pages].tolist(), "bfs", 48, conditions=Conditions(failure=0.05, seed=7))
    assert found.pair("indegree", "bfs").pagerank[0, -1] == pytest.approx(pagerank(web).scores[run.pages].sum())


def test_values_of_the_hosts_shown_choose_while_others_are_hidden() -> None:
    web = small_web()
    side = without_hosts(web, 0.25, 1)
    worth = np.ones(web.page_count)
    best = int(side.page_there[17])
    worth[best] = 1000
    found = sb.compare(
        web, ["greedy"], ["bfs"], values=worth.tolist(), k=1, budget=5, hops=0, failure=0, hide_hosts=0.25
    )
    assert found.pairs[0].pagerank[0, 0] == pytest.approx(pagerank(web).scores[best])


def test_an_own_list_is_judged_as_it_is(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text(f"{B}\n{D}\n")
    found = compare(NEW, replace(ONE, strategies=(str(mine),)), old=OLD, threads=1)
    lead = found.in_sample_lead(found.pairs[0])
    assert lead is not None
    assert lead.mean == 0
    assert found.facts["seeds_left"] == {"mine.txt": 2.0}


def test_what_cannot_be_judged_is_refused() -> None:
    other = linked({"http://elsewhere.example/": "http://elsewhere.example/1"})
    bare = web_of([[1], [0]])
    for arguments, message in (
        ({"old": other}, "shares no URL with the newer web"),
        ({"old": bare}, "has no URLs, by which seeds are carried"),
        ({"values": "last"}, "say where that is with last"),
        ({"old": linked({GONE: A})}, "no seed chosen on the older web is left"),
    ):
        with pytest.raises(OptionError, match=message):
            compare(NEW, replace(ONE, k=1), threads=1, **arguments)
    with pytest.raises(OptionError, match="no hosts need to be hidden"):
        compare(NEW, replace(ONE, hide_hosts=0.5), old=OLD)
    with pytest.raises(OptionError, match="needs the last crawl"):
        compare(NEW, replace(ONE, orders=("live-pagerank+last",)))
    with pytest.raises(OptionError, match="'bfs' cannot use the last crawl"):
        replace(ONE, orders=("bfs+last",))
    with pytest.raises(OptionError, match="from 0 to below 1"):
        replace(ONE, hide_hosts=1.0)
    with pytest.raises(NeedsHosts, match="none can be hidden"):
        compare(bare, replace(ONE, hide_hosts=0.5, k=1, budget=1))
    with pytest.raises(OptionError, match="a single host"):
        compare(linked({A: f"{A}x"}), replace(ONE, hide_hosts=0.5, k=1, budget=1))
    with pytest.raises(OptionError, match="2 older webs and 1 newer"):
        sb.compare(NEW, ["outdegree"], ["bfs"], old=[OLD, OLD])
    with pytest.raises(OptionError, match="values must be a column or a file"):
        sb.compare(NEW, ["outdegree"], ["bfs"], old=OLD, values=np.ones(4))


def test_values_choose_on_both_webs(tmp_path: Path) -> None:
    values = tmp_path / "values.csv"
    values.write_text(f"url,worth\n{B},5\n{A},1\n{C},0\n{D},0\n{GONE},0\n")
    found = sb.compare(NEW, ["maxweight"], ["bfs"], old=OLD, values=values, k=1, budget=1, hops=0, failure=0)
    scores = dict(zip(NEW.urls or (), pagerank(NEW).scores, strict=True))
    assert found.pairs[0].pagerank[0, 0] == pytest.approx(scores[found.choice("maxweight").seeds.urls[0] or ""])


def test_a_saved_comparison_keeps_what_it_was_judged_on(tmp_path: Path) -> None:
    small_judged().save(tmp_path / "saved")
    again = sb.load(tmp_path / "saved")
    assert isinstance(again, Comparison)
    assert again.facts["judged_on"] == LATER_CRAWL
    for one, other in zip(small_judged().pairs, again.pairs, strict=True):
        np.testing.assert_allclose(one.areas, other.areas)
        assert one.chosen_by_pagerank == other.chosen_by_pagerank
        assert small_judged().in_sample_lead(one) == again.in_sample_lead(other)
        assert one.gone is not None
        assert other.gone is not None
        np.testing.assert_array_equal(one.gone, other.gone)
    with (tmp_path / "saved" / "pairs.csv").open() as file:
        assert all(row["in_sample_lead"] and row["gone_then"] for row in csv.DictReader(file))


def test_a_comparison_saved_before_there_were_older_webs_is_still_read(tmp_path: Path) -> None:
    found = compare(NEW, replace(ONE, strategies=("pagerank", "outdegree")), threads=1)
    found.save(tmp_path)
    crawls, about = read_parquet(tmp_path / "crawls.parquet"), json.loads((tmp_path / "comparison.json").read_text())
    write_parquet(crawls.drop_columns(["in_sample", "gone", "chosen_by_pagerank"]), tmp_path / "crawls.parquet")
    new = {"judged_on", "chosen_on", "snapshots", "seeds_left", "seeds_added", "last", "gone_then", "hide_hosts"}
    about["facts"] = {name: fact for name, fact in about["facts"].items() if name not in new}
    (tmp_path / "comparison.json").write_text(json.dumps(about))
    again = sb.load(tmp_path)
    assert isinstance(again, Comparison)
    assert again.facts["judged_on"] == SAME_WEB
    assert [pair.chosen_by_pagerank for pair in again.pairs] == [True, False]
    assert again.to_arrow().column("area").to_pylist() == found.to_arrow().column("area").to_pylist()


def test_the_report_says_what_seeds_were_judged_on_and_shows_the_figure_in_sample_beside_it(tmp_path: Path) -> None:
    page = written(small_judged(), tmp_path / "later").read_text("utf-8")
    assert "<strong>Judged on a later crawl</strong>: seeds were chosen on an older web" in page
    assert "In-sample, points more" in page
    assert '"in_sample":[' in page
    assert "live-pagerank, in-sample" in page
    old = written(compare(NEW, ONE, threads=1), tmp_path / "same").read_text("utf-8")
    assert "<strong>Judged on the web they were chosen from</strong>: that flatters" in old
    assert "In-sample, points more" not in old


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    old, new = (tmp_path / f"{name}.tsv" for name in ("old", "new"))
    for path, web in ((old, OLD), (new, NEW)):
        sb.save(web, path)
    return old, new


def test_the_command_judges_on_the_newer_web(pair: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = pair
    asked = ("-k", 2, "--budget", 2, "--hops", 1, "--failure", 0, "--strategy", "outdegree", "--order", "bfs")
    run = seedbed_here("compare", "--old", old, "--new", new, *asked, "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["judged_on"] == LATER_CRAWL
    row = found["pairs"][0]
    by_hand = compare(NEW, ONE, old=OLD, threads=1)
    assert row["area"] == pytest.approx(by_hand.pairs[0].area.mean)
    assert row["in_sample_area"] == pytest.approx(by_hand.in_sample[0].area.mean)
    run = seedbed_here("compare", "--old", old, "--new", new, "--old", old, "--new", new, *asked, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Judged on a later crawl: seeds were chosen on 2 older webs" in run.stdout
    assert "outdegree (1 of 2 left)" in run.stdout
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert f'Seeds judged were chosen on</th><td class="wrap">{old}' in page


def test_the_command_refuses_in_one_line_what_is_not_a_pair(pair: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = pair
    misused(seedbed_here("compare", "--old", old, cwd=tmp_path), "--old is given once and --new never")
    misused(seedbed_here("compare", "--new", new, cwd=tmp_path), "--old is given never and --new once")
    misused(seedbed_here("compare", cwd=tmp_path), "give a WEB, or an older and a newer one")
    misused(seedbed_here("compare", new, "--old", old, "--new", new, cwd=tmp_path), "give either one WEB")
    elsewhere = tmp_path / "elsewhere.tsv"
    elsewhere.write_text("http://e.example/\thttp://f.example/\n")
    refused(seedbed_here("compare", "--old", elsewhere, "--new", new, cwd=tmp_path), "shares no URL with the newer")
