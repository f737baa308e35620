"""The URL table, beside a Python list and dict of the same URLs, and how soon a store opens."""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, median_seconds
from seedbed.graph.native_store import open_store, write_store
from seedbed.sources.opening import open_web

LOOK_UPS = 20_000


def rows(urls: Path) -> list[Row]:
    """Size, look-ups both ways one at a time from Python, opening."""
    web = open_web(urls)
    assert web.urls is not None  # noqa: S101
    with tempfile.TemporaryDirectory() as folder:
        write_store(web, Path(folder) / "web")
        table = open_store(Path(folder) / "web").urls
        assert table is not None  # noqa: S101
        strings = list(table)
        ids = np.random.default_rng(1).permutation(len(table))[:LOOK_UPS].tolist()
        wanted = [strings[page] for page in ids]
        places = {url: page for page, url in enumerate(strings)}
        held = sum(sys.getsizeof(url) for url in strings) + sys.getsizeof(strings) + sys.getsizeof(places)
        packed = len(gzip.compress("\n".join(strings).encode()))
        count = len(strings)
        return [
            Row("URL table", table.bytes / count, "bytes/URL", "25", "Python list and dict", held / count),
            Row("  the same URLs as .gz, which cannot be searched", packed / count, "bytes/URL"),
            Row("id to URL", 1e6 * median_seconds(lambda: [table[page] for page in ids]) / len(ids), "µs"),
            Row("URL to id", 1e6 * median_seconds(lambda: [table.find(url) for url in wanted]) / len(ids), "µs"),
            Row("URL to id, many at once", 1e6 * median_seconds(lambda: table.find_many(wanted)) / len(ids), "µs"),
            Row("opening the store", 1e3 * median_seconds(lambda: open_store(Path(folder) / "web")), "ms"),
        ]
