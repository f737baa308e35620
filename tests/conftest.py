"""Fixtures that every test file may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedbed.graph.web import Web


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
    from seedbed.graph.store import open_store
    from seedbed.synth import make_web
    from tests.synthetic import PAGES

    old, new = make_web(tmp_path_factory.mktemp("synth") / "web", pages=PAGES, snapshots=2, threads=2)
    return open_store(old), open_store(new)
