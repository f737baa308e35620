"""Fixtures that every test file may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from seedbed.graph.web import Web

# The same examples in every run, so that a run tells what a change did. HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start Java: those with real Spark."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) or item.path.stem in (
            "test_spark_cluster",
            "test_spark_faults",
        ):
            item.add_marker("java")


@pytest.fixture
def shared_data() -> Path:
    """The folder of real web graphs, where there is one."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no real graphs beside this checkout")
    return folder


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Web, Web]:
    """A synthetic web of some size, old and new."""
    from seedbed.graph.native_store import open_store
    from seedbed.synth import make_web
    from tests.synthetic import PAGES

    old, new = make_web(tmp_path_factory.mktemp("synth") / "web", pages=PAGES, snapshots=2, threads=2)
    return open_store(old), open_store(new)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark in this process, on two threads."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
