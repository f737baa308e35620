"""Scores on Spark: those of the local engine, whatever the blocks; resumed, on real Spark and in this process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from tests.graphs import Lists, page_lists, web_of
from tests.spark_in_process import InProcess

OPTIONS: dict[str, dict[str, Any]] = {
    "pagerank": {"damping": 0.5, "tolerance": 1e-2},
    "hubs": {"iterations": 2},
    "authorities": {"iterations": 2},
    "indegree": {},
    "outdegree": {},
}


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=2000, seed=3)


@pytest.mark.parametrize("blocks", [1, 3, 16])
def test_scores_are_those_of_the_local_engine(spark: Any, web: sb.Web, tmp_path: Path, blocks: int) -> None:
    cut_web(web, str(tmp_path / "blocks"), blocks)
    opened = SparkWeb(spark, str(tmp_path / "blocks"))
    for by, options in OPTIONS.items():
        found, expected = opened.rank(by, **options).to_ranking(), sb.rank(web, by, **options)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12, atol=0)
        assert (found.name, found.iterations, found.converged) == (
            expected.name,
            expected.iterations,
            expected.converged,
        )


@settings(max_examples=60, deadline=None)
@given(page_lists(), st.sampled_from([1, 2, 3, 16]))
def test_scores_of_any_web(lists: Lists, blocks: int) -> None:
    web = web_of(lists)
    with tempfile.TemporaryDirectory() as scratch:
        cut_web(web, f"{scratch}/blocks", blocks)
        opened = SparkWeb(InProcess(), f"{scratch}/blocks")  # type: ignore[arg-type]
        for by, options in OPTIONS.items():
            found, expected = opened.rank(by, **options), sb.rank(web, by, **options)
            np.testing.assert_allclose(found.to_ranking().scores, expected.scores, rtol=1e-12, atol=0)
            assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
            assert (found.error_bound is None) == (expected.error_bound is None)
            pages, scores = found.top(5)
            assert pages.tolist() == found.to_ranking().top(5).tolist()
            assert scores.tolist() == found.to_ranking().scores[pages].tolist()


def test_a_run_goes_on_after_its_last_round(web: sb.Web, tmp_path: Path) -> None:
    rounds = 0

    def dies(stage: str, done: int, total: int) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 5:
            raise KeyboardInterrupt

    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = SparkWeb(InProcess(), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        opened.rank("pagerank", tolerance=1e-6, progress=dies)
    before = rounds
    found = opened.rank("pagerank", tolerance=1e-6, progress=dies)
    assert found.iterations == rounds > before
    whole = sb.rank(web, "pagerank", tolerance=1e-6)
    np.testing.assert_allclose(found.to_ranking().scores, whole.scores, rtol=1e-12)


def test_scores_become_a_table_and_files(spark: Any, web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "blocks"), 3)
    found = SparkWeb(spark, str(tmp_path / "blocks")).rank("indegree")
    found.save(str(tmp_path / "scores"))
    rows = spark.read.parquet(str(tmp_path / "scores")).orderBy("id").collect()
    expected = sb.rank(web, "indegree")
    assert [row.score for row in rows] == expected.scores.tolist()
    assert [row.url for row in rows] == list(web.urls or ())


def test_blocks_of_two_webs_in_one_folder(web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "one"), 3)
    cut_web(web.transpose(), str(tmp_path / "two"), 3)
    (tmp_path / "one/in/00001/block.json").write_bytes((tmp_path / "two/in/00001/block.json").read_bytes())
    with pytest.raises(sb.InputError, match="one/in/00001: is a block of another web"):
        SparkWeb(InProcess(), str(tmp_path / "one"))  # type: ignore[arg-type]


def test_a_folder_that_only_the_driver_sees(spark: Any, web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = SparkWeb(spark, str(tmp_path / "blocks"))
    (tmp_path / "blocks/in/00002/needs.i64").unlink()
    with pytest.raises(
        sb.InputError, match=r"in/00002/needs.i64: is not there. Every machine must see the folder"
    ) as e:
        opened.rank("pagerank")
    assert "\n" not in str(e.value)


def test_scores_for_a_crawler_are_those_of_one_file(web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = SparkWeb(InProcess(), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    opened.rank("indegree").export("nutch", str(tmp_path / "parts"))
    sb.export(sb.rank(web, "indegree"), "nutch", tmp_path / "one.txt")
    parts = sorted((tmp_path / "parts").glob("part-*"))
    assert "".join(part.read_text() for part in parts) == (tmp_path / "one.txt").read_text()
    assert (tmp_path / "parts/_SUCCESS").exists()
    with pytest.raises(sb.OptionError, match="is not empty"):
        opened.rank("indegree").export("nutch", str(tmp_path / "parts"))


def test_scores_between_sites(web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = SparkWeb(InProcess(), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    for kind in ("host", "domain"):
        found = opened.rank("indegree", between=kind).to_ranking()
        assert found.scores.tolist() == sb.rank(web, "indegree", between=kind).scores.tolist()
