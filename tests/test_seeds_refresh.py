"""Seeds carried over to a new snapshot: each step by hand, twins for URLs and links, files, the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from seedbed.cli.options import command
from seedbed.cli.refresh import refresh as refresh_command
from seedbed.errors import InputError, OptionError
from seedbed.graph.store import open_store, write_store
from seedbed.graph.urls import UrlTable
from seedbed.graph.web import Web
from seedbed.seeds.carried import ENDINGS, rows_of, write_refreshed
from seedbed.seeds.files import read_pages
from seedbed.seeds.likeness import Likeness, in_degrees, in_links
from seedbed.seeds.refresh import refresh
from seedbed.seeds.sameness import difference, matched_pages, normal_form
from seedbed.synth import make_web
from tests.graphs import Lists, csr, page_lists, web_of
from tests.reference import refresh as naive


def linked(pages: dict[str, str]) -> Web:
    """A web from URLs and the URLs that each links to."""
    urls = sorted({*pages, *" ".join(pages.values()).split()})
    number = {url: place for place, url in enumerate(urls)}
    return web_of([[number[target] for target in pages.get(url, "").split()] for url in urls], urls)


A, B, C, D, E = (f"http://{name}.org/" for name in "abcde")
OLD = linked(
    {
        A: f"{A}kept {A}moves {A}other",
        f"{A}kept": A,
        f"{A}moves": f"{B} {C}",
        f"{A}other": D,
        "http://www.b.org/X/index.html?sid=1": B,
        f"{E}gone": f"{D} {C} {D}one",
        f"{D}one": D,
        f"{C}lost": f"{A} {B}",
        "http://vanished.org/": "",
    }
)
NEW = linked(
    {
        A: f"{A}kept {A}moved.php {A}new",
        f"{A}kept": A,
        f"{A}moved.php": f"{B} {C}",
        f"{A}new": D,
        "https://b.org/x/": B,
        "http://f.org/twin": f"{D} {C} {D}one",
        f"{D}one": D,
        C: f"{C}links {C}plain",
        f"{C}links": f"{A}kept {D}one",
        f"{C}plain": f"{D}one",
        "http://g.org/": "http://g.org/1 http://g.org/2 http://g.org/3",
    }
)
SEEDS = [
    f"{A}kept",
    "http://www.b.org/X/index.html?sid=1",
    f"{A}moves",
    f"{E}gone",
    f"{C}lost",
    "http://vanished.org/",
]


def ids(web: Web, urls: list[str]) -> list[int]:
    assert web.urls is not None
    return [int(page) for page in web.urls.find_many(urls)]


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
    assert found.rows[3].confidence == 0.1875
    assert found.counts == dict.fromkeys(["kept", "renamed", "moved", "similar", "hub", "chosen anew"], 1) | {"lost": 0}
    assert all(row.reason for row in found.rows)


def test_the_confidence_of_a_moved_page_is_as_worked_out_by_hand() -> None:
    """Three of three neighbours, all alike. A leads to 3 pages, so it weighs 1/2; B has 2 in-links, C 3 (2 of old).

    The rival new page /new shares A only and has the target D besides.
    """
    row = refresh(OLD, NEW, ids(OLD, [f"{A}moves"])).rows[0]
    assert row.how == "moved"
    rival = refresh_rival()
    assert row.confidence == pytest.approx(0.75 * (1 - rival), abs=1e-4)


def refresh_rival() -> float:
    """The likeness of the rival on either side, by the naive twin."""
    lists = {web: [web.links.successors(page).tolist() for page in range(web.page_count)] for web in (OLD, NEW)}
    assert OLD.urls is not None and NEW.urls is not None
    near = matched_pages(OLD.urls, NEW.urls).near
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
        ("hub", "http://a.org/3", 0.125),
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
    assert row.confidence == pytest.approx(1 / 6, abs=1e-4)


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
    assert "1 seeds have no page" in found.notes[0]


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


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTPS://www.A.org/Dir/Index.HTML", "a.org/dir"),
        ("http://a.org", "a.org"),
        ("http://www.org/a/", "www.org/a"),
        ("ftp://www.a.org/b", "ftp://a.org/b"),
        ("http://a.org/b;jsessionid=0F.x/c?PHPSESSID=1&b=2&utm_source=Z&A=1", "a.org/b/c?b=2&A=1"),
        ("http://a.org/?sid=4", "a.org"),
        ("http://a.org/side?side=4#top", "a.org/side?side=4"),
        ("http://a.org/index.pdf", "a.org/index.pdf"),
        ("http://a.org/myindex.html", "a.org/myindex.html"),
        ("a.org/default.aspx", "a.org"),
        ("", ""),
    ],
)
def test_normal_forms_by_hand(url: str, form: str) -> None:
    assert normal_form(url) == form == naive.normal_form(url)


SCHEMES = ["http://", "HTTPS://", "ftp://", "www.", "WWW.", "a.org", "B.c"]
PATHS = ["/", "//", "/x", "/Y", "index.html", "Default.ASP", ".php", ";", ";jsessionid=1", "#", "é"]
QUERIES = ["?", "&", "=", "sid", "SID=2", "utm_a=1", "phpsessid=", "sessionid", "b=1"]
PIECES = [*SCHEMES, *PATHS, *QUERIES]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_normal_forms_are_those_of_the_naive_twin(url: str) -> None:
    assert normal_form(url) == naive.normal_form(url)
    assert difference(url, url) == ("", 1)


@pytest.mark.parametrize(
    ("other", "what", "sure"),
    [
        ("https://a.org/x", "the scheme", 0.99),
        ("http://www.a.org/x", "the host's www. or case", 0.99),
        ("http://a.org/X", "the case of the path", 0.9),
        ("https://a.org/x/", "the scheme and the index file, last slash or session number", 0.94),
        ("http://a.org/y", "more than spelling", 0),
    ],
)
def test_the_difference_of_two_urls_is_named(other: str, what: str, sure: float) -> None:
    named, found = difference("http://a.org/x", other)
    assert named == what
    assert found == pytest.approx(sure)


@st.composite
def snapshots(draw: st.DrawFn) -> tuple[Lists, Lists, list[int]]:
    """Two graphs, and the new page of each old one, −1 for none; two old pages may have the same."""
    old, new = draw(page_lists(12)), draw(page_lists(12))
    matches = [draw(st.integers(-1, len(new) - 1)) for _ in old]
    return old, new, matches


@settings(deadline=None, max_examples=80)
@given(snapshots(), st.sampled_from([2, 10_000]))
def test_likeness_is_that_of_the_naive_twin(pair: tuple[Lists, Lists, list[int]], most_links: int) -> None:
    old, new, matches = pair
    pages = np.arange(len(old))
    found = Likeness(web_of(old), web_of(new), np.array(matches, np.int64), pages, most_links=most_links)
    known = {page: match for page, match in enumerate(matches) if match >= 0}
    for page in range(len(old)):
        alike = found.like(page)
        got = dict(zip(alike.pages.tolist(), alike.likeness.tolist(), strict=True))
        for other in range(len(new)):
            expected = naive.likeness(old, new, known, most_links, page, other)
            assert got.get(other, 0.0) == pytest.approx(expected)


def test_bounded_work_only_understates_likeness() -> None:
    web = web_of([[2, 3], [2, 3], [], []])
    matches = np.array([-1, -1, 2, 3])
    whole = Likeness(web, web, matches, np.array([0])).like(0)
    part = Likeness(web, web, matches, np.array([0]), most_work=2).like(0)
    assert (whole.pages.tolist(), whole.likeness.tolist(), whole.shared.tolist()) == ([0, 1], [1, 1], [2, 2])
    assert (part.pages.tolist(), part.likeness.tolist(), part.shared.tolist()) == ([0, 1], [1 / 3, 1 / 3], [1, 1])


@settings(deadline=None, max_examples=40)
@given(page_lists(), st.data())
def test_in_links_are_the_links_turned_round(lists: Lists, data: st.DataObject) -> None:
    asked = data.draw(st.sets(st.integers(0, len(lists) - 1))) if lists else set()
    found = in_links(csr(lists), np.array(sorted(asked), np.int64))
    for page in range(len(lists)):
        expected = [source for source, row in enumerate(lists) if page in row] if page in asked else []
        assert found.of(page).tolist() == expected
    assert in_degrees(csr(lists)).tolist() == [sum(page in row for row in lists) for page in range(len(lists))]


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


def test_matches_do_not_depend_on_the_order_of_pages() -> None:
    old, new = ["http://b.org/", "http://a.org/x"], ["http://c.org/", "https://a.org/X/", "http://b.org/"]
    found = matched_pages(UrlTable.from_strings(old), UrlTable.from_strings(new))
    assert (found.same.tolist(), found.near.tolist(), found.spellings.tolist()) == ([2, -1], [2, 1], [1, 1])


def test_compressed_links_give_the_same_seeds(folder: Path) -> None:
    write_store(OLD, folder / "old-bv", links="bvgraph")
    write_store(NEW, folder / "new-bv", links="bvgraph")
    packed = refresh(open_store(folder / "old-bv"), open_store(folder / "new-bv"), ids(OLD, SEEDS))
    assert packed.rows == refresh(OLD, NEW, ids(OLD, SEEDS)).rows


def test_most_moved_pages_of_a_synthetic_web_are_found_where_they_were(tmp_path: Path) -> None:
    """Keys of a page and of the one that took its place differ in the last bit only."""
    old, new = map(open_store, make_web(tmp_path / "pair", pages=5_000, snapshots=2))
    found = refresh(old, new, list(range(0, 5_000, 2)), strategy="outdegree")
    before, after = old.columns["key"], new.columns["key"]
    moved = [(before[row.old_page], after[row.page]) for row in found.rows if row.how == "moved"]
    assert len(moved) > 50
    assert np.mean([one >> 1 == other >> 1 for one, other in moved]) > 0.8
    still_there = [one == other for one, other in moved if one in after]
    assert np.mean(still_there) > 0.9
    assert all(before[row.old_page] == after[row.page] for row in found.rows if row.how == "kept")


@pytest.mark.parametrize("ending", ENDINGS)
def test_carried_seeds_are_read_back_as_seeds(tmp_path: Path, ending: str) -> None:
    found = refresh(OLD, NEW, ids(OLD, SEEDS))
    path = tmp_path / f"seeds{ending}"
    write_refreshed(path, rows_of(NEW, found), {"strategy": "cover"})
    assert read_pages(NEW, path) == (found.pages.tolist(), 0)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    if ending == ".parquet":
        rows = pq.read_table(path).to_pylist()
        assert [row["how"] for row in rows] == [row.how for row in found.rows]
        assert rows[0]["host"] == "a.org"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_store(OLD, tmp_path / "old")
    write_store(NEW, tmp_path / "new")
    (tmp_path / "seeds.txt").write_text("\n".join([*SEEDS, "http://unknown.org/"]))
    return tmp_path


def run(folder: Path, *words: str):  # type: ignore[no-untyped-def]
    app = typer.Typer()
    app.command()(command(refresh_command))
    given_paths = ["--seeds", f"{folder}/seeds.txt", "--old", f"{folder}/old", "--new", f"{folder}/new"]
    return CliRunner().invoke(app, [*given_paths, *words])


def test_the_command_prints_a_table_and_counts(folder: Path) -> None:
    done = run(folder, "--strategy", "outdegree")
    assert done.exit_code == 0, done.output
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == 7
    assert rows[0] == ["1", f"{A}kept", "kept", f"{A}kept", "1.00", "the same URL"]
    assert rows[6][:3] == ["7", "", "chosen anew"]
    assert "kept 1, renamed 1, moved 1, similar 1, hub 1, chosen anew 2" in done.stderr
    assert "1 of the old seeds are not in the old web" in done.stderr


def test_the_command_writes_files_and_json(folder: Path) -> None:
    done = run(folder, "--out", f"{folder}/out.jsonl", "--json", "-k", "6")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert (summary["seeds"], summary["kept"], summary["chosen_anew"], summary["not_in_old"]) == (6, 1, 1, 1)
    header, *rows = map(json.loads, (folder / "out.jsonl").read_text().splitlines())
    assert header["seedbed"]["renamed"] == 1
    assert list(rows[0]) == ["rank", "old_url", "how", "url", "id", "host", "confidence", "reason"]


def test_the_command_refuses_in_one_line(folder: Path) -> None:
    done = run(folder, "--out", f"{folder}/out.xls")
    assert done.exit_code == 1
    assert "Known: .csv, .jsonl, .parquet." in done.stderr
    assert len(done.stderr.splitlines()) == 1
