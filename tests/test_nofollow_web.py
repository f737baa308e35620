"""Which links are nofollow: kept right by every change of a web, by stores and by Parquet."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError
from seedbed.graph.native_store import open_store, write_store
from seedbed.graph.web import Web
from seedbed.links import nofollow as markbuild
from seedbed.links.nofollow import Marks, MarksBuilder
from seedbed.sources.opening import ReadOptions, open_web
from seedbed.sources.saving import save
from tests.graphs import Lists, csr, lists_of, page_lists, web_of
from tests.reference import nofollow as reference
from tests.sources import Link, links_of

QUICK = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
LITTLE = 320
"""Memory for 20 pages, and not for their links, which go to disk."""

SMALL = [[1, 2], [0, 3], [0, 3], [2]]
SMALL_MARKS = {(0, 1), (2, 3), (3, 2)}


def marks_of(web: Web) -> set[Link]:
    """The nofollow links, after a look at their order and whether they are links of the web."""
    assert web.nofollow is not None
    found = list(zip(*(ids.tolist() for ids in web.nofollow.arrays()), strict=True))
    assert found == sorted(set(found))
    assert set(found) <= set(links_of(web))
    return set(found)


def web_with(lists: Lists, marks: set[Link], **more: object) -> Web:
    sources, targets = np.array(sorted(marks), np.int64).reshape(-1, 2).T
    return replace(web_of(lists), nofollow=Marks(sources, targets, len(lists)), **more)  # type: ignore[arg-type]


@st.composite
def marked_lists(draw: st.DrawFn, most_pages: int = 20) -> tuple[Lists, set[Link]]:
    """Links, and some of them."""
    lists = draw(page_lists(most_pages))
    links = [(page, target) for page, row in enumerate(lists) for target in row]
    return lists, draw(st.sets(st.sampled_from(links))) if links else set()


@QUICK
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans())), st.booleans(), st.integers(1, 9))
def test_a_link_is_nofollow_where_every_mention_of_it_is(
    mentions: list[tuple[int, int, bool]], keep_self_links: bool, few: int
) -> None:
    builder = MarksBuilder(keep_self_links=keep_self_links)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markbuild, "_FEW", few)
        for take, wanted in ((builder.add, True), (builder.strike, False)):
            for source, target in [mention[:2] for mention in mentions if mention[2] == wanted]:
                take(np.array([source]), np.array([target]))
    found = zip(*(ids.tolist() for ids in builder.finish(6).arrays()), strict=True)
    assert list(found) == sorted(reference.marked(mentions, keep_self_links=keep_self_links))


@QUICK
@given(marked_lists(), st.data())
def test_turned_round_cut_and_between_sites_the_marks_go_with_their_links(
    given_web: tuple[Lists, set[Link]], data: st.DataObject
) -> None:
    lists, marks = given_web
    web = web_with(lists, marks)
    assert web.nofollow is not None
    assert web.nofollow.counts().tolist() == [sum(a == page for a, _ in marks) for page in range(len(lists))]
    assert marks_of(web.transpose()) == {(b, a) for a, b in marks}
    pages = sorted(data.draw(st.sets(st.sampled_from(range(len(lists)))))) if lists else []
    among = {(pages.index(a), pages.index(b)) for a, b in marks if a in pages and b in pages}
    assert marks_of(web.subgraph(np.array(pages, np.int64))) == among
    hosts = [data.draw(st.sampled_from("ab")) for _ in lists]
    named = replace(web, urls=web_of(lists, [f"http://{host}.example/{k}" for k, host in enumerate(hosts)]).urls)
    assert marks_of(named.without_links_inside()) == {(a, b) for a, b in marks if hosts[a] != hosts[b]}


@QUICK
@given(marked_lists(), st.data(), st.sampled_from([None, LITTLE]))
def test_leaving_out_nofollow_links_agrees_with_its_twin(
    given_web: tuple[Lists, set[Link]], data: st.DataObject, memory: int | None
) -> None:
    lists, marks = given_web
    crawled = [data.draw(st.booleans()) for _ in lists]
    urls = web_of(lists, [f"http://h.example/{k:02}" for k in range(len(lists))]).urls
    web = web_with(lists, marks, urls=urls, columns={"crawled": np.array(crawled, bool), "id": np.arange(len(lists))})
    rest = web.without_nofollow(memory=memory)
    links = set(links_of(web))
    pages, left = reference.without(set(range(len(lists))), links, marks, {k for k, was in enumerate(crawled) if was})
    ids = rest.columns["id"].tolist()
    assert ids == sorted(pages)
    assert {(ids[a], ids[b]) for a, b in links_of(rest)} == left
    assert list(rest.urls or ()) == [f"http://h.example/{k:02}" for k in ids]
    assert marks_of(rest) == set()
    assert web.transpose().without_nofollow().columns["id"].tolist() == ids


def test_without_a_column_that_says_what_was_crawled_all_pages_stay() -> None:
    assert lists_of(web_with([[1], []], {(0, 1)}).without_nofollow().links) == [[], []]


@QUICK
@given(st.data())
def test_in_a_union_a_link_is_nofollow_where_every_snapshot_that_has_it_says_so(data: st.DataObject) -> None:
    snapshots, mentions = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        lists, marks = data.draw(marked_lists(8))
        urls = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=len(lists), max_size=len(lists), unique=True))
        snapshots.append(web_with(lists, marks, urls=web_of(lists, urls).urls))
        mentions += [(urls[a], urls[b], (a, b) in marks) for a, b in links_of(snapshots[-1])]
    union = snapshots[0].union(*snapshots[1:])
    urls = list(union.urls or ())
    assert {(urls[a], urls[b]) for a, b in marks_of(union)} == reference.marked(mentions, keep_self_links=True)
    assert snapshots[0].union(replace(snapshots[-1], nofollow=None)).nofollow is None


@QUICK
@given(marked_lists(), st.sampled_from(["csr", "bvgraph"]))
def test_a_store_keeps_them_and_both_kinds_of_links_can_be_cut(
    given_web: tuple[Lists, set[Link]], kind: Literal["csr", "bvgraph"]
) -> None:
    lists, marks = given_web
    with tempfile.TemporaryDirectory() as folder:
        write_store(web_with(lists, marks), Path(folder) / "web", links=kind)
        web = open_store(Path(folder) / "web")
        assert marks_of(web) == marks
        assert set(links_of(web.without_nofollow())) == set(links_of(web)) - marks


def test_a_store_without_marks_opens_as_before_and_says_that_it_has_none(tmp_path: Path) -> None:
    write_store(web_of(SMALL), tmp_path / "web")
    web = open_store(tmp_path / "web")
    assert web.nofollow is None
    assert (web.transpose().nofollow, web.subgraph(np.array([0])).nofollow) == (None, None)
    with pytest.raises(InputError, match="not known which of its links are marked nofollow"):
        web.without_nofollow()
    with pytest.raises(InputError, match="not known which of its links are marked nofollow"):
        open_web(tmp_path / "web", options=ReadOptions(drop_nofollow=True))


@pytest.mark.parametrize(
    ("sources", "targets", "found"),
    [
        ([0, 2, 9], [1, 3, 2], "not an ascending list of links"),
        ([0, 2, -1], [1, 3, 2], "not an ascending list of links"),
        ([0, 2, 3], [1, 3, 4], "not an ascending list of links"),
        ([2, 0, 3], [3, 1, 2], "not an ascending list of links"),
        ([0, 0, 3], [1, 1, 2], "not an ascending list of links"),
        ([0, 1, 3], [1, 1, 2], "of 3 links marked nofollow 1 are not links of the web"),
    ],
)
def test_marks_that_were_forged_are_refused(tmp_path: Path, sources: list[int], targets: list[int], found: str) -> None:
    write_store(web_with(SMALL, SMALL_MARKS), tmp_path / "web")
    for name, ids in (("sources", sources), ("targets", targets)):
        np.save(tmp_path / "web" / f"nofollow-{name}.npy", np.array(ids, np.int32))
    with pytest.raises(InputError, match=found):
        open_store(tmp_path / "web").without_nofollow()


def test_marks_of_another_type_or_length_are_refused_on_opening(tmp_path: Path) -> None:
    write_store(web_with(SMALL, SMALL_MARKS), tmp_path / "web")
    file = tmp_path / "web" / "nofollow-targets.npy"
    whole = file.read_bytes()
    for wrong in (np.zeros(3, np.float32), np.zeros(3, np.uint32)):
        np.save(file, wrong)
        with pytest.raises(InputError, match="not page ids"):
            open_store(tmp_path / "web")
    # Two entries in a file of the recorded length.
    file.write_bytes(whole.replace(b"(3,)", b"(2,)"))
    with pytest.raises(InputError, match="3 sources and 2 targets"):
        open_store(tmp_path / "web")


@QUICK
@given(marked_lists())
def test_parquet_keeps_them_by_id(given_web: tuple[Lists, set[Link]]) -> None:
    lists, marks = given_web
    web = web_with(lists, marks)
    with tempfile.TemporaryDirectory() as folder:
        if web.link_count:
            save(web, Path(folder) / "web.parquet")
            back = open_web(Path(folder) / "web.parquet", options=ReadOptions(keep_self_links=True))
            assert (links_of(back), marks_of(back)) == (links_of(web), marks)
            plain = open_web(Path(folder) / "web.parquet")
            assert marks_of(plain) == {(a, b) for a, b in marks if a != b}


MENTIONS = [("a", "b", True), ("b", "c", True), ("a", "b", True), ("b", "c", False), ("c", "c", True), ("a", "c", True)]


@pytest.mark.parametrize("by", ["ids", "names"])
@pytest.mark.parametrize("memory", [None, LITTLE])
def test_a_row_without_the_mark_in_any_parquet_file_makes_a_link_followed(
    tmp_path: Path, by: str, memory: int | None
) -> None:
    for k, rows in enumerate((MENTIONS[:3], MENTIONS[3:])):
        ends = [[row[end] if by == "names" else "abc".index(row[end]) for row in rows] for end in (0, 1)]
        table = pa.table({"from": ends[0], "to": ends[1], "nofollow": [row[2] for row in rows]})
        pq.write_table(table, tmp_path / f"{k}.parquet")
    web = open_web(tmp_path, options=ReadOptions(memory=memory))
    assert (links_of(web), marks_of(web)) == ([(0, 1), (0, 2), (1, 2)], {(0, 1), (0, 2)})
    pq.write_table(table.drop_columns("nofollow"), tmp_path / "1.parquet")
    assert open_web(tmp_path).nofollow is None


def test_a_parquet_file_that_leaves_the_mark_open_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"from": [0, 1], "to": [1, 2], "nofollow": [True, None]}), tmp_path / "web.parquet")
    with pytest.raises(InputError, match="row 2: 'nofollow' is null"):
        open_web(tmp_path / "web.parquet")
    pq.write_table(pa.table({"from": [0, 1], "to": [1, 2], "nofollow": ["yes", "no"]}), tmp_path / "web.parquet")
    assert open_web(tmp_path / "web.parquet").nofollow is None


def test_formats_that_cannot_hold_them_say_so(tmp_path: Path) -> None:
    web = web_with(SMALL, SMALL_MARKS)
    for name, lost in (("web.tsv", True), ("web.graph", True), ("web.parquet", False), ("store", False)):
        assert ("which links are nofollow" in " ".join(save(web, tmp_path / name).notes)) == lost
    assert save(web.without_nofollow(), tmp_path / "rest.tsv").notes == ()


def test_marks_of_another_web_are_refused() -> None:
    with pytest.raises(ValueError, match="nofollow is of 3 pages, the web has 4"):
        Web(csr(SMALL), nofollow=Marks.none(3))
