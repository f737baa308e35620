from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from seedbed.crawling.simulator import crawl
from seedbed.errors import InputError, OptionError
from seedbed.evaluation.crawl_measures import Reached, baseline_of, depth_profile, reached
from seedbed.evaluation.experiments.daneshpajouh_claims import judge_survival
from seedbed.evaluation.experiments.daneshpajouh_snapshots import survival
from seedbed.evaluation.experiments.zheng import (
    choose_sites,
    covered_at_random,
    covered_by,
    links_to_sites,
    percent_better,
)
from seedbed.evaluation.intervals import column_intervals, mean_interval, paired_interval
from seedbed.evaluation.tables_and_figures import Series
from seedbed.graph.web import Web
from seedbed.seeds import STRATEGIES
from tests.graphs import Lists, page_lists, web_of
from tests.reference import evaluation as reference
from tests.snapshots import NEW, OLD, SEEDS, ids


def test_seeds_survive_by_their_url() -> None:
    found = survival(OLD, NEW, np.array(ids(OLD, SEEDS)))
    assert NEW.urls is not None
    assert [NEW.urls[page] for page in found.survivors] == ["http://a.org/kept"]
    assert found.pages.tolist()[1:] == [-1] * 5
    assert found.seeds.mean == pytest.approx(1 / 6)
    before = set(OLD.urls.many(np.arange(OLD.page_count)))  # type: ignore[union-attr]
    after = set(NEW.urls.many(np.arange(NEW.page_count)))
    assert found.all_pages.mean == pytest.approx(len(before & after) / len(before))
    assert found.all_pages.n == OLD.page_count


def test_survival_needs_urls() -> None:
    with pytest.raises(InputError, match="has no URLs"):
        survival(OLD, web_of([[0]]), np.array([0]))


def test_hosts_communities_and_spam_reached() -> None:
    urls = ["http://a.org/", "http://a.org/x", "http://b.org/", "http://c.org/"]
    plain = web_of([[1, 2], [], [3], []], urls)
    web = Web(
        plain.links, urls=plain.urls, columns={"community": np.array([4, 4, -1, 7]), "spam": np.array([0, 1, 1, 0])}
    )
    run = crawl(web, [0], "bfs", 3)
    assert run.pages.tolist() == [0, 1, 2]
    assert reached(run, web) == Reached(2, 1, pytest.approx(2 / 3))
    assert reached(run, replace(web, columns={"community": np.array([1, 2, 3, 4])})).communities == 3
    bare = web_of([[1], []])
    assert reached(crawl(bare, [0], "bfs"), bare) == Reached(None, None, None)


@settings(deadline=None, max_examples=40)
@given(page_lists(25), st.data())
def test_depths_are_those_of_the_naive_twin(lists: Lists, data: st.DataObject) -> None:
    assume(lists)
    pages = st.lists(st.integers(0, len(lists) - 1), min_size=1, max_size=3, unique=True)
    sets = [data.draw(pages), data.draw(pages)]
    score = [1 / (page + 2) for page in range(len(lists))]
    found = depth_profile(web_of(lists), [np.array(one) for one in sets], np.array(score))
    for row, seeds in enumerate(sets):
        expected = reference.by_depth(lists, seeds, score)
        assert found.pages[row, : len(expected)].tolist() == [count for count, _ in expected]
        assert found.pagerank[row, : len(expected)].tolist() == pytest.approx([mean for _, mean in expected])
        assert not found.pages[row, len(expected) :].any()
        assert np.isnan(found.pagerank[row, len(expected) :]).all()
        assert found.pages_so_far[row, -1] == len(reference.within(lists, seeds, len(lists)))


def test_means_are_over_the_crawls_that_got_there() -> None:
    found = column_intervals(np.array([[1.0, 4.0, np.nan], [3.0, np.nan, np.nan]]))
    assert [None if one is None else (one.mean, one.n) for one in found] == [(2.0, 2), (4.0, 1), None]


def test_draws_differ_and_come_again() -> None:
    many, few = (baseline_of(web_of([[]] * pages)) for pages in (1000, 3))
    sets = many.sets(5, 3, 1)
    assert [one.tolist() for one in sets] == [one.tolist() for one in many.sets(5, 3, 1)]
    assert len({tuple(one.tolist()) for one in sets}) == 3
    assert [len(one) for one in few.sets(5, 2, 1)] == [3, 3]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 12), st.integers(0, 5))
def test_random_pages_are_drawn_from_crawled_ones(flags: list[bool], size: int, seed: int) -> None:
    web = replace(web_of([[] for _ in flags]), columns={"crawled": np.array(flags)})
    crawled, whole = set(np.flatnonzero(flags).tolist()), set(range(len(flags)))
    pool = crawled or whole
    for drawn in baseline_of(web).sets(size, 3, seed):
        assert set(drawn.tolist()) <= pool
        assert len(set(drawn.tolist())) == min(size, len(pool))
    everything = baseline_of(web, crawled_only=False)
    assert set(everything.pages.tolist()) == whole
    assert (everything.kind, everything.seeds, everything.note) == ("pages", "random seeds", None)


def test_a_baseline_says_what_it_is_drawn_from() -> None:
    web = replace(web_of([[1], [], []]), columns={"crawled": np.array([1, 0, 1])})
    found = baseline_of(web)
    assert (found.kind, found.seeds) == ("crawled pages", "random crawled pages")
    assert found.note == "drawn from 2 crawled pages of 3"
    assert baseline_of(replace(web, columns={"crawled": np.ones(3)})).note is None


def test_pages_in_general_are_crawled_pages() -> None:
    urls = [f"http://a.example/{page}" for page in range(6)]
    old = replace(web_of([[1], [], [], [], [], []], urls), columns={"crawled": np.array([1, 1, 1, 0, 0, 0])})
    new = web_of([[], []], urls[1:3])
    found = survival(old, new, np.array([0, 1]))
    assert (found.seeds.mean, found.all_pages.mean, found.all_pages.n) == (0.5, pytest.approx(2 / 3), 3)
    assert found.kind == "crawled pages"
    assert "and 66.7 % of crawled pages in general" in judge_survival(found.seeds, found.all_pages, found.kind).found
    everything = survival(old, new, np.array([0, 1]), baseline=baseline_of(old, crawled_only=False))
    assert (everything.all_pages.mean, everything.kind) == (pytest.approx(2 / 6), "pages")


@settings(deadline=None, max_examples=25)
@given(page_lists(16), st.integers(1, 4), st.integers(0, 3))
def test_what_is_covered_is_what_the_naive_twin_covers(lists: Lists, k: int, hops: int) -> None:
    assume(lists)
    values = np.array([(-1.0) ** (page % 3 == 0) * (page + 1) for page in range(len(lists))])
    by_pages, by_value = covered_by(web_of(lists), values, "outdegree", k, hops)
    order = sorted(range(len(lists)), key=lambda page: (-len(lists[page]), page))
    for count in range(1, k + 1):
        pages = sorted(reference.within(lists, order[:count], hops))
        assert by_pages[count - 1] == pytest.approx(len(pages) / len(lists))
        assert by_value[count - 1] == pytest.approx(values[pages].sum() / np.abs(values).sum())


def test_random_seeds_are_the_mean_of_their_draws() -> None:
    # On four pages that link nowhere, one seed covers a quarter, whichever it is.
    found = covered_at_random(web_of([[], [], [], []]), np.ones(4), 6, 2, draws=5, seed=1)
    assert found[0].tolist() == [0.25, 0.5, 0.75, 1, 1, 1]


def test_random_seeds_of_a_site_are_crawled_pages() -> None:
    web = replace(web_of([[1, 2, 3], [], [], []]), columns={"crawled": np.array([1, 0, 0, 0])})
    assert covered_at_random(web, np.ones(4), 1, 1, draws=5, seed=1)[0].tolist() == [1]
    everything = baseline_of(web, crawled_only=False)
    assert covered_at_random(web, np.ones(4), 1, 1, draws=5, seed=1, baseline=everything)[0].tolist() != [1]


def test_per_cent_better_worked_out_by_hand() -> None:
    # R = 1.8/1.2 = 1.5; x − R·r = 0.15, −0.15; s² = 0.045; error = 100·√(0.045/2)/0.6 = 25.
    ours, random = np.array([0.6, 1.2]), np.array([0.3, 0.9])
    found = mean_interval(percent_better(ours, random))
    assert found.mean == pytest.approx(50)
    assert found.error == pytest.approx(25)
    assert percent_better(ours, random).mean() == pytest.approx(50)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 1)), min_size=2, max_size=20))
def test_the_error_of_a_ratio_is_cochrans(pairs: list[tuple[float, float]]) -> None:
    ours, random = np.array(pairs).T
    found = mean_interval(percent_better(ours, random))
    ratio, count = ours.sum() / random.sum(), len(pairs)
    squares = sum((x - ratio * r) ** 2 for x, r in pairs)
    expected = 100 * (squares / (count - 1) / count) ** 0.5 / random.mean()
    assert found.mean == pytest.approx(100 * (ratio - 1), abs=1e-6)
    assert found.error == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert paired_interval(percent_better(ours, random), percent_better(random, random)).mean == pytest.approx(
        found.mean
    )


def test_a_baseline_that_covers_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="nothing of value"):
        mean_interval(percent_better(np.array([1.0, 1.0]), np.array([-1.0, 0.5])))
    with pytest.raises(OptionError, match="2 sites cannot be compared with 1"):
        mean_interval(percent_better(np.array([1.0, 1.0]), np.array([1.0])))


SITES = [f"http://{host}.org/{page}" for host, size in (("a", 4), ("b", 3), ("c", 2), ("d", 1)) for page in range(size)]


def test_sites_are_those_that_others_link_to() -> None:
    web = web_of([[1, 4], [], [], [], [0, 5, 7], [], [], [8], [], []], SITES)
    hosts = web.sites("host")
    inside, from_elsewhere = links_to_sites(web.links, hosts.of_page, 4)
    assert inside.tolist() == from_elsewhere.tolist() == [True, True, True, False]
    assert choose_sites(web, np.ones(10), 2, 3, seed=1)[0].tolist() == [0, 1]
    sites, notes = choose_sites(web, np.ones(10), 5, 3, seed=1)
    assert sites.tolist() == [0, 1, 2]
    assert notes == (
        "2 sites of 3 pages or more where 5 were asked for. So the largest sites were taken, 3 of them, down to 2 "
        "pages; they are no random sample.",
    )
    worthless = np.where(np.arange(10) < 4, -1.0, 1.0)
    assert choose_sites(web, worthless, 5, 2, seed=1)[0].tolist() == [1, 2]


def test_one_site_alone_is_judged_all_the_same() -> None:
    web = web_of([[1], [2], [0]], ["http://a.org/1", "http://a.org/2", "http://a.org/3"])
    sites, notes = choose_sites(web, np.ones(3), 1, 2, seed=1)
    assert sites.tolist() == [0]
    assert "no site has a link from another one" in notes[0]
    with pytest.raises(OptionError, match="nothing to choose seeds on"):
        choose_sites(web, -np.ones(3), 1, 2, seed=1)


def test_a_measure_that_chose_the_seeds_is_marked() -> None:
    by_value = {name for name, one in STRATEGIES.items() if one.chooses_by("value covered")}
    assert by_value == {"cover", "greedy", "maxweight", "maxscc", "rootscc"}
    assert {name for name, one in STRATEGIES.items() if one.chooses_by("pages covered")} == {"maxout"}
    for measure in ("pages covered", "value covered"):
        even = {name for name, one in STRATEGIES.items() if one.chooses_by(measure, values_are_even=True)}
        assert even == by_value | {"maxout"}
    for even in (False, True):
        chosen = {name for name, one in STRATEGIES.items() if one.chooses_by("pagerank", values_are_even=even)}
        assert chosen == {"pagerank"}
    assert [Series("a", (), (), own=own).legend for own in (True, False)] == ["a*", "a"]
