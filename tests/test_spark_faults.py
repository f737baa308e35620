"""A real standalone cluster with something wrong: one clear line says what."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import seedbed as sb
from seedbed.spark.blocks.cutting import cut_web
from tests.spark_cluster import cluster, finished, seedbed

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    cut_web(sb.make_web(pages=3000, seed=5), str(tmp_path / "web.blocks"), 4)
    return tmp_path / "web.blocks"


def test_workers_without_seedbed(blocks: Path, tmp_path: Path) -> None:
    bare = str(Path(sys.base_prefix) / "bin" / "python3")
    settings = {"spark.pyspark.python": bare, "spark.executorEnv.PYTHONPATH": ""}
    with cluster(tmp_path, workers=1) as here:
        said = finished(seedbed(here, "rank", str(blocks), **settings), 1)
    assert said.startswith("seedbed: the workers cannot import ")
    assert "Install seedbed[spark] on each of them" in said


@ROOT
def test_a_folder_that_a_worker_does_not_see(blocks: Path, tmp_path: Path) -> None:
    hidden = ("unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {blocks}; exec "$@"', "worker")
    with cluster(tmp_path, workers=0) as here:
        here.add_worker("blind", inside=hidden)
        said = finished(seedbed(here, "rank", str(blocks)), 1)
    assert str(blocks) in said
    assert "Every machine must see the folder under the same name" in said


@ROOT
def test_a_worker_with_a_full_disk(blocks: Path, tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    full = ("unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size=64k none {tmp_path}/small; exec "$@"', "worker")
    with cluster(tmp_path, workers=0) as here:
        here.add_worker("full", inside=full, SPARK_LOCAL_DIRS=str(tmp_path / "small"))
        said = finished(seedbed(here, "rank", str(blocks)), 1)
    assert said.startswith("seedbed: the disk of a worker is full")
