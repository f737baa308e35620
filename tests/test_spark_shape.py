"""`info` on Spark: the counts of the local engine, whatever the blocks."""

from __future__ import annotations

import json
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.common import memory
from seedbed.errors import NotEnoughMemory
from seedbed.shape.shape_text import notes
from seedbed.spark import sessions
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from tests.commands import misused, seedbed_here
from tests.graphs import Lists, page_lists, web_of
from tests.spark_in_process import InProcess

OF_THE_STORE = {"source", "format", "store", "bits_per_link", "urls", "notes", "columns"}
DISTANCES = {"average_distance", "longest_distance", "connected_pairs"}
DISTANCES |= {"average_distance_error", "connected_pairs_error", "distance_samples"}
CLEANING = {"self_links", "self_links_removed", "duplicate_links", "duplicate_links_removed"}


def in_process(path: Path | str) -> SparkWeb:
    return SparkWeb(InProcess(), str(path))  # type: ignore[arg-type]


def assert_same(found: sb.Shape, expected: sb.Shape) -> None:
    left, right = found.to_dict(), expected.to_dict()
    # Blocks do not record what reading a web left out.
    cleaned = CLEANING if right["self_links_removed"] or right["duplicate_links_removed"] else set()
    for name in left.keys() - OF_THE_STORE - DISTANCES - cleaned:
        assert left[name] == right[name], name
    assert all(left[name] is None for name in DISTANCES - {"distance_samples"})
    assert left["columns"].keys() == right["columns"].keys()
    for name, column in left["columns"].items():
        for fact in ("nonzero", "min", "max", "mean"):
            known = right["columns"][name][fact]
            assert column[fact] == (None if known is None else pytest.approx(float(known), rel=1e-12, abs=0))


@pytest.fixture(scope="module")
def web() -> sb.Web:
    made = sb.make_web(pages=2000, seed=3)
    columns = {"weight": np.arange(2000) % 7 / 3, "crawled": np.arange(2000) % 3 > 0}
    return replace(made, columns={**made.columns, **columns})


@pytest.fixture(scope="module")
def expected(web: sb.Web) -> sb.Shape:
    return sb.describe(web, samples=1)


@pytest.mark.parametrize("blocks", [1, 3, 16])
def test_the_shape_is_that_of_the_local_engine(web: sb.Web, expected: sb.Shape, tmp_path: Path, blocks: int) -> None:
    cut_web(web, str(tmp_path), blocks)
    found = in_process(tmp_path).describe()
    assert_same(found, expected)
    assert found.hosts is not None
    assert found.in_degree.fit.law is not None
    assert found.urls is not None
    assert not list((tmp_path / "runs").iterdir())


def test_the_shape_on_spark(spark: Any, web: sb.Web, expected: sb.Shape, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path), 3)
    assert_same(SparkWeb(spark, str(tmp_path)).describe(), expected)


@pytest.mark.parametrize("name", ["california/California.net.gz", "hollins/hollins.dat.gz"])
def test_the_shape_of_real_webs(shared_data: Path, tmp_path: Path, name: str) -> None:
    web = sb.open(shared_data / name)
    for blocks in (3, 16):
        cut_web(web, str(tmp_path / str(blocks)), blocks)
        assert_same(in_process(tmp_path / str(blocks)).describe(), sb.describe(web, samples=1))


@settings(max_examples=60, deadline=None)
@given(page_lists(), st.sampled_from([1, 2, 3, 16]))
def test_the_shape_of_any_web(lists: Lists, blocks: int) -> None:
    web = web_of(lists)
    with tempfile.TemporaryDirectory() as scratch:
        cut_web(web, scratch, blocks)
        assert_same(in_process(scratch).describe(), sb.describe(web, samples=1))


@st.composite
def sparse_lists(draw: st.DrawFn) -> Lists:
    """At most two links a page, and few pages: many small components, tubes and tendrils, and ties between them."""
    pages = draw(st.integers(1, 30))
    return draw(st.lists(st.lists(st.integers(0, pages - 1), max_size=2), min_size=pages, max_size=pages))


@settings(max_examples=60, deadline=None)
@given(sparse_lists(), st.sampled_from([1, 2, 3, 7, 16]))
def test_the_shape_of_webs_in_many_parts(lists: Lists, blocks: int) -> None:
    web = web_of(lists)
    with tempfile.TemporaryDirectory() as scratch:
        cut_web(web, scratch, blocks)
        assert_same(in_process(scratch).describe(), sb.describe(web, samples=1))


def test_a_component_that_winds_through_all_blocks(tmp_path: Path) -> None:
    # 0 → 4 → 8 → 1 → 5 → … → 11 → 0, one page of each block in turn; 12 leads in, 13 is led to; 14 stands alone.
    circle = [block * 4 + place for place in range(4) for block in range(3)]
    lists: Lists = [[] for _ in range(15)]
    for page, after in zip(circle, [*circle[1:], circle[0]], strict=True):
        lists[page].append(after)
    lists[12], lists[2] = [7], [*lists[2], 13]
    cut_web(web_of(lists), str(tmp_path), 5)
    found = in_process(tmp_path).describe()
    assert (found.scc_count, found.largest_scc, found.wcc_count, found.largest_wcc) == (4, 12, 2, 14)
    parts = {"largest_component": 12, "in": 1, "out": 1, "tubes": 0, "tendrils": 0, "disconnected": 1}
    assert found.bow_tie.to_dict() == parts


def test_paths_of_the_bow_tie_that_change_blocks_at_every_link(tmp_path: Path) -> None:
    circle, leads_in, leads_out = [0, 10, 20, 0], [1, 11, 2, 12, 3, 13, 4, 10], [0, 21, 5, 22, 6, 23, 7]
    tube, tendril = [1, 14, 8, 24, 9, 25, 7], [17, 27, 16, 23]
    lists: Lists = [[] for _ in range(30)]
    for path in (circle, leads_in, leads_out, tube, tendril):
        for page, after in pairwise(path):
            lists[page].append(after)
    cut_web(web_of(lists), str(tmp_path), 3)
    parts = {"largest_component": 3, "in": 7, "out": 6, "tubes": 5, "tendrils": 3, "disconnected": 6}
    assert in_process(tmp_path).describe().bow_tie.to_dict() == parts == sb.describe(web_of(lists)).bow_tie.to_dict()


def test_components_inside_a_block_are_not_left_to_the_driver(tmp_path: Path) -> None:
    # Two blocks of a circle each; one link from the first to the second.
    lists = [[1], [2], [0, 3], [4], [5], [3]]
    cut_web(web_of(lists), str(tmp_path), 2)
    note = in_process(tmp_path).describe().notes[0]
    assert "2 blocks collapsed to 2 nodes and 1 link (weak), 0 nodes and 0 links (strong), solved by the driver" in note


def test_a_collapsed_web_that_does_not_fit_the_driver_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_web(web_of([[(page + 1) % 40] for page in range(40)]), str(tmp_path), 4)
    monkeypatch.setattr(memory, "machine_memory", lambda: 100)
    with pytest.raises(NotEnoughMemory, match=r"collapsed to 4 nodes and 4 links, for its weak .* fewer blocks"):
        in_process(tmp_path).describe()


def test_info_as_a_command(web: sb.Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_web(web, str(tmp_path), 3)
    monkeypatch.setattr(sessions, "started", lambda *_: nullcontext(InProcess()))
    words = "info", tmp_path, "--engine", "spark"
    printed = json.loads(seedbed_here(*words, "--json", cwd=tmp_path).stdout)
    assert printed == json.loads(json.dumps(in_process(tmp_path).describe().to_dict()))
    assert "Distances are not measured on Spark" in seedbed_here(*words, cwd=tmp_path).stdout


def test_samples_are_refused_on_spark(tmp_path: Path) -> None:
    run = seedbed_here("info", tmp_path, "--engine", "spark", "--samples", 3, cwd=tmp_path)
    misused(run, "distances are not measured on Spark")


def test_columns_that_nobody_knows_and_crawled_pages(tmp_path: Path) -> None:
    columns = {"odd": np.array([np.nan, 2.0, np.inf, -1.0]), "none": np.full(4, np.nan), "uncrawled": np.eye(4)[1]}
    web = replace(web_of([[1], [2], [3], [0]]), columns=columns)
    cut_web(web, str(tmp_path), 3)
    found = in_process(tmp_path).describe()
    assert_same(found, sb.describe(web))
    assert found.crawled == 3


def test_a_column_crawled_that_says_something_else(tmp_path: Path) -> None:
    cut_web(replace(web_of([[1], [0]]), columns={"crawled": np.array([1.0, 7.0])}), str(tmp_path), 2)
    with pytest.raises(sb.InputError, match="the column 'crawled' must be 0 or 1 for every page"):
        in_process(tmp_path).describe()


def test_domains_are_counted_on_request(web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path), 3)
    found = in_process(tmp_path).describe(domains=False)
    assert found.hosts
    assert found.domains is None


def test_the_notes_say_how_components_were_found_and_that_distances_were_not_measured(tmp_path: Path) -> None:
    cut_web(web_of([[1], [0]]), str(tmp_path), 2)
    text = " ".join(notes(in_process(tmp_path).describe()))
    assert "solved by the driver" in text
    assert "Distances are not measured on Spark" in text
    assert "no average distance" not in text
