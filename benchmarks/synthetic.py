"""Making a synthetic web."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

from benchmarks.measure import Row, median_seconds
from seedbed.graph.native_store import open_store
from seedbed.synth import make_web

PAGES = 1_000_000


def rows() -> list[Row]:
    """Links a second, URLs, hosts, columns and checksums included."""
    return [
        Row("synthetic web of a million pages, csr, 1 core", speed("csr", 1), "M links/s", "3"),
        Row("synthetic web of a million pages, csr, 2 cores", speed("csr", 2), "M links/s"),
        Row("synthetic web of a million pages, bvgraph, 2 cores", speed("bvgraph", 2), "M links/s", "3"),
    ]


def speed(links: Literal["csr", "bvgraph"], threads: int) -> float:
    """Million links a second."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "web"
        seconds = median_seconds(lambda: make_web(out, pages=PAGES, links=links, threads=threads), repeats=3)
        return open_store(out).link_count / seconds / 1e6
