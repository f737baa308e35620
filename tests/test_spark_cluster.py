"""A real standalone cluster whose workers and drivers die: the result is the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import pytest

import seedbed as sb
from seedbed.spark.blocks.cutting import cut_source, cut_web
from tests.spark_cluster import PATIENCE, Cluster, cluster, finished, seedbed
from tests.spark_in_process import InProcess


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=3000, seed=5)


@pytest.fixture
def blocks(web: sb.Web, tmp_path: Path) -> Path:
    cut_web(web, str(tmp_path / "web.blocks"), 4)
    return tmp_path / "web.blocks"


def rounds(blocks: Path) -> int:
    """The rounds of PageRank done so far."""
    states = list(blocks.glob("runs/pagerank-*/state.json"))
    return json.loads(states[0].read_text())["round"] if states else 0


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_worker_that_dies_changes_nothing(web: sb.Web, blocks: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.parquet"
    with cluster(tmp_path) as here:
        running = seedbed(here, "rank", str(blocks), "--damping", "0.3", "--out", str(out))
        wait_for(lambda: rounds(blocks) >= 3, running)
        here.kill(2)
        finished(running)
    scores = ds.dataset(out).to_table().sort_by("id").column("score").to_numpy()
    np.testing.assert_allclose(scores, sb.rank(web, damping=0.3).scores, rtol=1e-12)


def test_a_worker_that_dies_while_urls_are_numbered(web: sb.Web, tmp_path: Path) -> None:
    source, whole, cut = (tmp_path / name for name in ("links", "whole.blocks", "cut.blocks"))
    source.mkdir()
    sb.save(web, tmp_path / "all.tsv")
    lines = (tmp_path / "all.tsv").read_text().splitlines(keepends=True)
    for part in range(6):
        (source / f"{part}.tsv").write_text("".join(lines[part::6]))
    cut_source(InProcess(), str(source), str(whole), 4)  # type: ignore[arg-type]
    with cluster(tmp_path) as here:
        running = seedbed(here, "convert", str(source), str(cut), "--blocks", "4")
        wait_for((cut / "building/steps/read.json").exists, running)
        here.kill(2)
        finished(running)
    found, expected = (json.loads((folder / "blocks.json").read_text()) for folder in (cut, whole))
    assert found == expected
    for file in (file for file in whole.rglob("*") if file.suffix in (".i64", ".u32")):
        assert (cut / file.relative_to(whole)).read_bytes() == file.read_bytes()


@pytest.fixture
def spare(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, workers=1) as found:
        yield found


def test_a_driver_that_dies_goes_on(web: sb.Web, blocks: Path, spare: Cluster) -> None:
    words = "rank", str(blocks), "--damping", "0.3", "--json"
    running = seedbed(spare, *words)
    wait_for(lambda: rounds(blocks) >= 3, running)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    done = rounds(blocks)
    again = seedbed(spare, *words)
    seen = []
    while again.poll() is None:
        seen.append(rounds(blocks))
        time.sleep(0.1)
    found = json.loads(finished(again))
    whole = sb.rank(web, damping=0.3)
    assert min(seen) >= done >= 3
    assert found["iterations"] == whole.iterations
    assert [row["id"] for row in found["top"]] == whole.top(20).tolist()
