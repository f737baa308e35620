"""Which pages were crawled: as sources say it, and as it is kept in webs made from them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import InputError
from seedbed.graph.transforms import merged_pages
from seedbed.graph.web import Web
from seedbed.sources.opening import open_web
from tests.archives import packed, page
from tests.commands import seedbed
from tests.graphs import Lists, page_lists, web_of

A, B, C = (f"http://{name}.example/" for name in "abc")
LINKS = "0\t1\n0\t2\n2\t0\n"
LOG = "2016-03-31T14:35:37.711Z {:>5} 10 {} {} {} text/html #661 20160331143536323+981 - - {{}}\n"
CRAWLS = {
    "web.warc": packed([page(A, f'<a href="{B}">'), page(C, f'<a href="{A}">')]),
    "crawl.log": (LOG.format(200, A, "-", "-") + LOG.format(-2, B, "L", A) + LOG.format(200, C, "L", A)).encode(),
    "linkdb": f"{B}\tInlinks:\n fromUrl: {A} anchor: x\n fromUrl: {C} anchor: y\n\n".encode(),
    "items.jl": b"".join(json.dumps({"url": url, "links": [B]}).encode() + b"\n" for url in (A, C)),
}


def with_flags(lists: Lists, flags: object, name: str = "crawled", urls: list[str] | None = None) -> Web:
    return replace(web_of(lists, urls), columns={name: np.array(flags)})


def tables(folder: Path, *lines: str, links: str = LINKS) -> Path:
    (folder / "web.nodes.tsv").write_text("".join(f"{line}\n" for line in lines).replace(" ", "\t"))
    (folder / "web.edges.tsv").write_text(links)
    return folder / "web"


def crawled(web: Web) -> list[bool] | None:
    return None if web.crawled is None else web.crawled.tolist()


@pytest.mark.parametrize("name", CRAWLS)
def test_crawlers_and_archives_say_which_pages_they_crawled(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(CRAWLS[name])
    web = open_web(tmp_path / name)
    assert (list(web.urls or ()), crawled(web)) == ([A, B, C], [True, False, True])


@pytest.mark.parametrize("head", ["id crawled url", "id Crawled url"])
def test_a_header_says_it(tmp_path: Path, head: str) -> None:
    assert crawled(open_web(tables(tmp_path, head, f"0 1 {A}", f"1 0 {B}", f"2 0 {C}"))) == [True, False, False]


def test_a_table_of_ids_flags_and_urls_says_it_if_pages_with_0_have_no_links(tmp_path: Path) -> None:
    web = open_web(tables(tmp_path, f"0 1 {A}", f"1 0 {B}", f"2 1 {C}"))
    assert (list(web.columns), crawled(web)) == (["crawled"], [True, False, True])


@pytest.mark.parametrize("flags", ["110", "000", "120"])
def test_flags_that_fit_no_crawl_are_just_a_column(tmp_path: Path, flags: str) -> None:
    rows = [f"{k} {flag} {url}" for k, (flag, url) in enumerate(zip(flags, (A, B, C), strict=True))]
    web = open_web(tables(tmp_path, *rows, links="0\t1\n2\t0\n"))
    assert (list(web.columns), crawled(web)) == (["column_2"], None)


def test_the_user_may_say_that_the_flags_are_of_crawled_pages(tmp_path: Path) -> None:
    path = tables(tmp_path, f"0 1 {A}", f"1 1 {B}", f"2 0 {C}")
    assert crawled(open_web(path)) is None
    assert crawled(open_web(path, columns="id,crawled,url")) == [True, True, False]


@pytest.mark.parametrize(
    ("value", "message"), [("2", "'crawled' is 2 for page 1; expected 0 or 1"), ("maybe", "line 3: found 'maybe'")]
)
def test_other_values_under_that_name_are_refused(tmp_path: Path, value: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_web(tables(tmp_path, "id crawled url", f"0 1 {A}", f"1 {value} {B}", f"2 1 {C}"))


def test_a_web_that_does_not_say_draws_baselines_from_all_pages() -> None:
    web = web_of([[1], [], [0]])
    assert (crawled(web), web.baseline_pages().tolist()) == (None, [0, 1, 2])
    assert with_flags([[1], [], [0]], [False] * 3).baseline_pages().tolist() == [0, 1, 2]
    assert with_flags([[1], [], [0]], [1.0, 0.0, 1.0]).baseline_pages().tolist() == [0, 2]


def test_missing_values_are_refused() -> None:
    with pytest.raises(InputError, match="'crawled' is nan for page 2"):
        with_flags([[1], [], [0]], [1, 0, np.nan]).crawled  # noqa: B018


def test_synthetic_webs_say_the_opposite_of_uncrawled() -> None:
    web = sb.make_web(pages=500)
    assert web.crawled is not None
    assert np.array_equal(web.crawled, ~web.columns["uncrawled"])
    assert not web.links.out_degrees()[~web.crawled].any()


@pytest.mark.parametrize("name", ["store.web", "web.nodes.tsv", "web.nodes.csv.gz", "web.graphml"])
def test_it_comes_back_from_files(tmp_path: Path, name: str) -> None:
    sb.save(with_flags([[1, 2], [], [0]], [True, False, True], urls=[A, B, C]), tmp_path / name)
    assert crawled(open_web(tmp_path / name)) == [True, False, True]


@settings(deadline=None, max_examples=30)
@given(page_lists(), st.data())
def test_it_stays_with_its_pages(lists: Lists, data: st.DataObject) -> None:
    flags = np.array([data.draw(st.booleans()) for _ in lists], bool)
    kept = np.array([data.draw(st.booleans()) for _ in lists], bool)
    web = with_flags(lists, flags)
    assert crawled(web.transpose()) == flags.tolist()
    assert crawled(web.subgraph(kept)) == flags[kept].tolist()
    pool = web.baseline_pages()
    assert pool.tolist() == (np.flatnonzero(flags) if flags.any() else np.arange(len(lists))).tolist()


@pytest.mark.parametrize("name", ["crawled", "uncrawled"])
def test_pages_of_a_union_are_crawled_if_they_were_in_any_web(name: str) -> None:
    yes = name == "crawled"
    old = with_flags([[1], [], []], [yes, not yes, not yes], name, [A, B, C])
    new = with_flags([[], [0], []], [not yes, yes, not yes], name, [A, B, C])
    assert crawled(old.union(new)) == [True, True, False]
    assert crawled(old.union(web_of([[], [], []], [A, B, C]))) is None


@pytest.mark.parametrize("name", ["crawled", "uncrawled"])
def test_pages_that_are_the_same_are_crawled_if_one_of_them_was(name: str) -> None:
    web = with_flags([[2], [], []], np.array([False, True, False]) == (name == "crawled"), name, [A, A, B])
    assert crawled(merged_pages(web)) == [True, False]


def test_info_counts_crawled_pages(tmp_path: Path) -> None:
    path = tables(tmp_path, f"0 1 {A}", f"1 0 {B}", f"2 1 {C}")
    words = " ".join(seedbed("info", path).stdout.split())
    assert "Crawled pages 2 66.7 % of all; the others are only linked to Links 3" in words
    assert json.loads(seedbed("info", path, "--json").stdout)["crawled"] == 2
    assert sb.describe(web_of([[1], []])).crawled is None
