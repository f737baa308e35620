"""Seeds carried over to a new snapshot: each step by hand, and what holds for any two snapshots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import open_store, write_store
from seedbed.graph.web import Web
from seedbed.seeds.refresh.refresh import refresh
from seedbed.seeds.refresh.refreshed_seeds import RefreshedSeed
from seedbed.synth import make_web
from seedbed.urls.url_matching import matched_pages
from tests.graphs import page_lists, web_of
from tests.reference import refresh as naive
from tests.snapshots import NEW, OLD, SEEDS, A, B, C, D, ids, linked


def test_every_step_occurs_and_is_as_worked_out_by_hand() -> None:
    """Moved: from A and to B, C, all matched, none shared by a rival but A. Twin: three targets shared, of three."""
    found = refresh(OLD, NEW, ids(OLD, SEEDS), strategy="outdegree", threads=1)
    assert [(row.old_url, row.how, row.url) for row in found.rows] == [
        (SEEDS[0], "kept", f"{A}kept"),
        (SEEDS[1], "renamed", "https://b.org/x/"),
        (SEEDS[2], "moved", f"{A}moved.php"),
        (SEEDS[3], "similar", "http://f.org/twin"),
        (SEEDS[4], "hub", f"{C}links"),
        (SEEDS[5], "chosen anew", A),
    ]
    assert [row.confidence for row in found.rows[:2]] == [1.0, 0.93]
    assert found.rows[3].confidence == pytest.approx(3 / 4 / 16, abs=1e-4)
    assert found.counts == dict.fromkeys(["kept", "renamed", "moved", "similar", "hub", "chosen anew"], 1) | {"lost": 0}
    assert all(row.reason for row in found.rows)


HOME, KEPT, BALL = "http://a.org/", "http://a.org/kept.html", "http://a.org/news/ball"


def carried(old: dict[str, str], new: dict[str, str]) -> RefreshedSeed:
    """What became of the page called ball."""
    before = linked({HOME: f"{BALL}.html {KEPT}", KEPT: B, **old})
    return refresh(before, linked({HOME: KEPT, KEPT: B, **new}), ids(before, [f"{BALL}.html"])).rows[0]


@pytest.mark.parametrize("place", [f"{BALL}.php", "http://a.org/sport/ball.html"])
def test_a_page_of_the_same_name_is_as_sure_as_its_links_are_alike(place: str) -> None:
    """B and C are linked to then and now; the rival, kept, links to B alone, to which two pages link."""
    row = carried({f"{BALL}.html": f"{B} {C}"}, {place: f"{B} {C}"})
    weight = 1 / np.log2(3)
    assert (row.how, row.url) == ("moved", place)
    alike = 1 - 0.6 * (weight / (weight + 1)) ** 2
    assert row.confidence == pytest.approx(0.4 + (alike - 0.4) * 2 / (2 + 2), abs=1e-4)
    assert row.reason.endswith("links on the page 1.00 alike, 2 shared, the nearest rival 0.39 times that")


def test_the_more_links_two_pages_share_the_surer_it_is_that_they_are_one() -> None:
    targets = [f"http://t.org/{number}" for number in range(20)]
    there = dict.fromkeys(targets, "")
    sure = []
    for count in (1, 2, 20):
        links = " ".join(targets[:count])
        row = carried({**there, f"{BALL}.html": links}, {**there, f"{BALL}.php": links})
        assert (row.how, row.url) == ("moved", f"{BALL}.php")
        sure.append(row.confidence)
    assert sure == pytest.approx([0.4 + 0.6 / 3, 0.4 + 0.6 / 2, 0.4 + 0.6 * 20 / 22], abs=1e-4)


def test_a_page_of_the_same_name_with_other_links_takes_the_place_but_is_not_the_page() -> None:
    row = carried({f"{BALL}.html": C, D: ""}, {f"{BALL}.php": D, C: ""})
    assert (row.how, row.url, row.confidence) == ("similar", f"{BALL}.php", 0)


def test_where_there_are_no_links_the_name_alone_counts() -> None:
    row = carried({}, {f"{BALL}.php": ""})
    assert (row.how, row.url, row.confidence) == ("moved", f"{BALL}.php", 0.4)
    assert row.reason == "the same name on this host; no links on the page then and now"


def test_a_page_with_links_does_not_go_to_one_of_the_same_name_without() -> None:
    assert carried({f"{BALL}.html": C}, {f"{BALL}.php": ""}).url != f"{BALL}.php"


def test_links_find_a_page_of_another_name() -> None:
    """B and C are the links on the page, A the one to it. The rival /new shares A alone: see the twin."""
    row = refresh(OLD, NEW, ids(OLD, [f"{A}moves"])).rows[0]
    assert (row.how, row.url) == ("moved", f"{A}moved.php")
    assert row.confidence == pytest.approx((0.4 + 0.6 * 2 / 4) * 0.75 * (1 - rival_of_moves() ** 2), abs=1e-4)
    assert f"the nearest rival {rival_of_moves():.2f} times that" in row.reason


def test_links_alone_are_never_more_than_half_sure() -> None:
    targets = [f"http://t.org/{number}" for number in range(20)]
    there, links = dict.fromkeys(targets, ""), " ".join(targets)
    row = carried({**there, f"{BALL}.html": links}, {**there, "http://a.org/other": links})
    assert (row.how, row.url, row.confidence) == ("moved", "http://a.org/other", 0.5)


def rival_of_moves() -> float:
    """The likeness of the rival on either side, by the naive twin."""
    lists = {web: [web.links.successors(page).tolist() for page in range(web.page_count)] for web in (OLD, NEW)}
    assert OLD.urls is not None
    assert NEW.urls is not None
    _, near = matched_pages(OLD.urls, NEW.urls)
    there = {page: int(near[page]) for page in range(OLD.page_count) if near[page] >= 0}
    back = {other: page for page, other in there.items()}
    seed, page = ids(OLD, [f"{A}moves"])[0], ids(NEW, [f"{A}moved.php"])[0]
    ahead = [
        naive.likeness(lists[OLD], lists[NEW], there, 10_000, seed, other) for other in [page, *ids(NEW, [f"{A}new"])]
    ]
    behind = [
        naive.likeness(lists[NEW], lists[OLD], back, 10_000, page, other) for other in [seed, *ids(OLD, [f"{A}other"])]
    ]
    assert ahead[0] == pytest.approx(1)
    return max(ahead[1] / ahead[0], behind[1] / behind[0])


def test_seeds_that_the_old_web_does_not_have_are_looked_for_by_url() -> None:
    seeds = ["http://g.org/1", f"{A}kept", "https://www.g.org/2", "http://nowhere.org/", f"{A}kept"]
    found = refresh(OLD, NEW, seeds, strategy="outdegree")
    assert [(row.old_page is None, row.old_url, row.how, row.url) for row in found.rows] == [
        (True, seeds[0], "kept", seeds[0]),
        (False, seeds[1], "kept", seeds[1]),
        (True, seeds[2], "renamed", "http://g.org/2"),
        (True, seeds[3], "chosen anew", A),
    ]
    assert found.notes == ("named twice, and counted once: 1 old seed.",)


def test_a_page_taken_by_a_url_of_its_own_is_no_longer_the_place_of_another() -> None:
    before = linked({HOME: f"{BALL}.html", f"{BALL}.html": ""})
    found = refresh(before, linked({HOME: f"{BALL}.php"}), [*ids(before, [f"{BALL}.html"]), f"{BALL}.php"])
    assert [(row.how, row.url) for row in found.rows] == [("chosen anew", HOME), ("kept", f"{BALL}.php")]


def test_what_the_strategy_has_to_tell_is_passed_on() -> None:
    found = refresh(linked({"http://x.org/": ""}), NEW, [0], strategy="harmonic")
    assert [note.partition(":")[0] for note in found.notes] == ["chosen anew by harmonic"]


def test_an_ambiguous_spelling_is_no_match() -> None:
    old = linked({"http://a.org/x": ""})
    new = linked({"http://a.org/X": "", "https://a.org/x/": "", "http://b.org/": ""})
    assert refresh(old, new, [0], strategy="outdegree").rows[0].how == "chosen anew"


def test_two_old_spellings_share_no_new_page() -> None:
    old = linked({"http://a.org/x": "", "http://a.org/x/": ""})
    new = linked({"https://a.org/x": "", "http://b.org/": ""})
    found = refresh(old, new, [1, 0], strategy="outdegree")
    assert [(row.how, row.url) for row in found.rows] == [
        ("renamed", "https://a.org/x"),
        ("chosen anew", "http://b.org/"),
    ]


def test_a_spelling_that_was_another_page_before_is_less_sure() -> None:
    old = linked({"http://a.org/x": "", "http://a.org/x/": ""})
    new = linked({"http://a.org/x": "", "http://b.org/": ""})
    row = refresh(old, new, [1]).rows[0]
    assert (row.how, row.url, row.confidence) == ("renamed", "http://a.org/x", 0.76)
    assert "both were in the old web" in row.reason


def test_a_host_gives_its_best_hub_once() -> None:
    old = linked({"http://a.org/1": "http://b.org/", "http://a.org/2": ""})
    new = linked({"http://a.org/3": "http://b.org/ http://c.org/", "http://a.org/4": "http://c.org/"})
    found = refresh(old, new, [0, 1], strategy="indegree", sure=1, alike=1)
    assert [(row.how, row.url, row.confidence) for row in found.rows] == [
        ("hub", "http://a.org/3", 0),
        ("chosen anew", "http://c.org/", 0),
    ]
    assert found.rows[0].reason == "2 links to other hosts, 1 of the 1 hosts linked to before"


def test_pages_without_a_host_share_no_hub() -> None:
    old = linked({"mailto:a": "http://b.org/"})
    new = linked({"mailto:b": "http://c.org/", "http://c.org/": "http://c.org/1 http://c.org/2"})
    assert refresh(old, new, ids(old, ["mailto:a"]), strategy="outdegree").rows[0].how == "chosen anew"


def test_a_page_with_links_is_not_replaced_by_one_without() -> None:
    """Both new pages have the in-links of the old one, the second has its link besides."""
    before = {"http://a.org/": "http://b.org/x", "http://c.org/": "http://b.org/x", "http://b.org/x": "http://d.org/"}
    there = "http://e.org/1 http://e.org/2"
    old, new = (
        linked(before),
        linked({"http://a.org/": there, "http://c.org/": there, "http://e.org/2": "http://f.org/"}),
    )
    row = refresh(old, new, ids(old, ["http://b.org/x"])).rows[0]
    assert (row.how, row.url) == ("similar", "http://e.org/2")
    assert row.confidence == pytest.approx(2 / 3 / 16, abs=1e-4)


def test_k_beyond_the_old_seeds_is_made_up_and_k_below_is_said() -> None:
    seeds = ids(OLD, SEEDS)
    more = refresh(OLD, NEW, seeds, k=8)
    assert [(row.how, row.old_url) for row in more.rows[6:]] == [("chosen anew", None)] * 2
    fewer = refresh(OLD, NEW, seeds, k=2)
    assert len(fewer) == 2
    assert fewer.notes == ("k is 2: the last 4 of 6 old seeds were left out.",)


def test_a_new_web_too_small_for_the_seeds_is_said() -> None:
    found = refresh(OLD, linked({"http://z.org/": ""}), [0, 1])
    assert [row.how for row in found.rows] == ["chosen anew", "lost"]
    assert found.rows[1].page is None
    assert "1 seed has no page" in found.notes[0]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: refresh(OLD, NEW, [99]), OptionError, "seed 99 is not a page of the old web"),
        (lambda: refresh(web_of([[]]), NEW, [0]), InputError, "the old web: has no URLs"),
        (lambda: refresh(OLD, web_of([[]]), [0]), InputError, "the new web: has no URLs"),
        (lambda: refresh(OLD, NEW, [0], alike=2), OptionError, "alike 2"),
        (lambda: refresh(OLD, NEW, [0, 1, 2], strategy="covr", k=9), OptionError, "Did you mean 'cover'"),
    ],
)
def test_what_cannot_be_is_refused(call, kind: type[Exception], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(kind, match=message):
        call()


PAGES = ("", "x", "X", "x/", "index.php", "y")
NAMES = [f"http://{host}.org/{page}" for host in ("a", "www.a", "b", "c") for page in PAGES]


@st.composite
def webs(draw: st.DrawFn) -> Web:
    lists = draw(page_lists(14).filter(bool))
    urls = draw(st.permutations(NAMES))[: len(lists)]
    return web_of(lists, urls)


@settings(deadline=None, max_examples=80)
@given(webs(), webs(), st.data())
def test_k_seeds_are_found_and_no_page_twice(old: Web, new: Web, data: st.DataObject) -> None:
    seeds = data.draw(st.lists(st.integers(0, old.page_count - 1), unique=True))
    k = data.draw(st.integers(0, old.page_count))
    found = refresh(old, new, seeds, k=k, strategy=data.draw(st.sampled_from(["cover", "outdegree"])), threads=1)
    pages = found.pages.tolist()
    assert len(found) == k
    assert len(set(pages)) == len(pages) == min(k, new.page_count)
    assert [row.rank for row in found.rows] == list(range(1, k + 1))
    assert [row.old_page for row in found.rows][: len(seeds)] == seeds[:k]
    assert all(0 <= row.confidence <= 1 for row in found.rows)
    for row in found.rows:
        if row.old_url is not None:
            assert (row.how == "kept") == (row.old_url in new.urls)  # type: ignore[operator]


@settings(deadline=None, max_examples=30)
@given(webs(), st.data())
def test_the_same_web_keeps_every_seed(web: Web, data: st.DataObject) -> None:
    seeds = data.draw(st.lists(st.integers(0, web.page_count - 1), unique=True))
    found = refresh(web, web, seeds)
    assert found.pages.tolist() == seeds
    assert {(row.how, row.confidence) for row in found.rows} <= {("kept", 1.0)}


def test_compressed_links_give_the_same_seeds(tmp_path: Path) -> None:
    write_store(OLD, tmp_path / "old-bv", links="bvgraph")
    write_store(NEW, tmp_path / "new-bv", links="bvgraph")
    packed = refresh(open_store(tmp_path / "old-bv"), open_store(tmp_path / "new-bv"), ids(OLD, SEEDS))
    assert packed.rows == refresh(OLD, NEW, ids(OLD, SEEDS)).rows


def test_moved_pages_of_a_synthetic_web_are_found_and_confidence_is_what_it_says(tmp_path: Path) -> None:
    """Keys of a page and of the one that took its place differ in the last bit only."""
    old, new = map(open_store, make_web(tmp_path / "pair", pages=5_000, snapshots=2))
    rows = [row for row in refresh(old, new, list(range(5_000)), strategy="outdegree", k=4_000).rows if row.old_page]
    before, after = old.columns["key"], new.columns["key"]
    assert all(before[row.old_page] == after[row.page] for row in rows if row.how == "kept")
    moved = [row for row in rows if row.how == "moved"]
    same = np.array([before[row.old_page] == after[row.page] for row in moved])
    in_place = [before[row.old_page] >> 1 == after[row.page] >> 1 for row in moved]
    there = sum(before[row.old_page] in after for row in rows if row.how != "kept")
    assert same.sum() > 0.5 * there > 100
    assert np.mean(in_place) > 0.95
    confidence = np.array([row.confidence for row in moved])
    for low, high in ((0.25, 0.4), (0.4, 0.6)):
        which = (confidence >= low) & (confidence < high)
        assert same[which].mean() == pytest.approx(confidence[which].mean(), abs=0.15)
    assert same[confidence >= 0.6].mean() == pytest.approx(confidence[confidence >= 0.6].mean(), abs=0.15)
    assert np.array(in_place)[confidence >= 0.6].all()
