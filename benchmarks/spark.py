"""Rounds of PageRank on Spark as a web grows, beside the local engine, a join of DataFrames and GraphX; all on 2 cores.

python benchmarks/spark.py --pages 1000000 2000000 4000000 --peers 1000000
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measure import machine  # noqa: E402
from benchmarks.run import write_between_markers  # noqa: E402

ROUNDS = 6
LINKS_PER_PAGE = 15


def main() -> None:
    """Each measurement in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[1_000_000, 2_000_000, 4_000_000, 8_000_000])
    parser.add_argument("--peers", type=int, nargs="*", default=[1_000_000, 5_000_000])
    parser.add_argument("--folder", type=Path, default=None, help="where the webs fit; default: the temporary folder")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, web, blocks = options.measure
        print(json.dumps(MEASURES[what](Path(web), int(blocks))))
        return
    rows = []
    for pages in sorted({*options.pages, *options.peers}):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            web = Path(folder) / "web"
            run_alone("made", web, pages)
            found: dict[str, Any] = {"pages": pages, **run_alone("local", web, 0)}
            for blocks in (4, 16):
                for name, value in run_alone("blocks", web, blocks).items():
                    found[f"{name}, {blocks} blocks"] = value
            if pages in options.peers:
                found |= run_alone("join", web, 0) | run_alone("graphx", web, 0)
            rows.append(found)
            print(json.dumps(found), flush=True)
    text = table(rows)
    print(text)
    write_between_markers("spark", f"Measured on: {machine()}.\n\n{text}")


def run_alone(what: str, web: Path, number: int) -> Any:
    """A measurement in a new process."""
    words = [sys.executable, __file__, "--measure", what, str(web), str(number)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def table(rows: list[dict[str, Any]]) -> str:
    """Seconds a round, values moved, memory."""
    lines = [
        "| pages | links, M | local, s a round | Spark, 4 blocks | 16 blocks | values moved, M | cutting, M links/s "
        "| DataFrame join | GraphX |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = [f"{row['pages']:,}", f"{row['links'] / 1e6:.0f}", f"{row['local']:.2f}"]
        cells += [f"{row[f'round, {blocks} blocks']:.2f}" for blocks in (4, 16)]
        cells += [f"{row['moved, 16 blocks'] / 1e6:.1f}", f"{row['cutting, 16 blocks'] / 1e6:.1f}"]
        cells += [f"{row[peer]:.1f}" if peer in row else "" for peer in ("join", "graphx")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def made(web: Path, pages: int) -> None:
    """A synthetic web, and its links as lines of two numbers for the peers."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    import seedbed as sb

    found = sb.make_web(web, pages=pages, links_per_page=LINKS_PER_PAGE, threads=2)
    plain = csv.WriteOptions(include_header=False, delimiter="\t")
    schema = pa.schema({"source": pa.int64(), "target": pa.int64()})
    with csv.CSVWriter(web.with_suffix(".tsv"), schema, write_options=plain) as file:
        for first, out_ptr, out_idx in found.links.blocks():
            sources = np.repeat(np.arange(first, first + len(out_ptr) - 1), np.diff(out_ptr))
            file.write(pa.table([sources, out_idx.astype(np.int64)], schema=schema))


class Clock:
    """When each round ended, as a progress function; the first rounds start workers and load kernels."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note the end of a round."""
        self.ends.append(time.perf_counter())

    def round(self) -> float:
        """The median time of the rounds but the first two."""
        return statistics.median(later - end for end, later in zip(self.ends[1:], self.ends[2:], strict=False))


def local(web: Path, _: int) -> dict[str, float]:
    """The local engine's round."""
    import seedbed as sb

    clock, opened = Clock(), sb.open(web)
    sb.rank(opened, max_iterations=ROUNDS, tolerance=1e-300, progress=clock)
    return {"local": clock.round(), "links": opened.link_count}


def blocks(web: Path, count: int) -> dict[str, float]:
    """The same on blocks: a round, the values that move between blocks, and how fast they were cut."""
    import seedbed as sb
    from seedbed.spark.blocks.cutting import cut_web
    from seedbed.spark.spark_web import SparkWeb

    folder, clock = web.with_suffix(f".{count}.blocks"), Clock()
    opened = sb.open(web)
    start = time.perf_counter()
    cut = cut_web(opened, str(folder), count)
    cutting = opened.link_count / (time.perf_counter() - start)
    moved = sum(len(cut.needed("in", by, of)) for by in range(count) for of in range(count) if by != of)
    with session() as spark:
        SparkWeb(spark, str(folder)).rank(max_iterations=ROUNDS, tolerance=1e-300, progress=clock)
    return {"round": clock.round(), "moved": moved, "cutting": cutting}


def session() -> Any:
    """Spark on two cores."""
    from seedbed.spark.sessions import started

    return started("local[2]", {"spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "16"})


def join(web: Path, _: int) -> dict[str, float]:
    """A round as a join of the links with the scores, and a sum by target: what DataFrames do."""
    with session() as spark:
        links = spark.read.csv(str(web.with_suffix(".tsv")), sep="\t", schema="source long, target long").cache()
        degrees = links.groupBy("source").count().cache()
        scores = degrees.selectExpr("source page", "1.0D score").cache()
        scores.count()

        def one_round() -> None:
            nonlocal scores
            passed = scores.join(degrees, scores.page == degrees.source).selectExpr("page", "score / count share")
            sums = links.join(passed, links.source == passed.page).groupBy("target").sum("share")
            after = sums.selectExpr("target page", "0.15D + 0.85D * `sum(share)` score").cache()
            after.count()
            scores = after

        return {"join": median_of(one_round)}


def graphx(web: Path, _: int) -> dict[str, float]:
    """GraphX's own PageRank, by the difference between runs of several rounds and of one."""
    with session() as spark:
        jvm, context = spark._jvm, spark.sparkContext._jsc.sc()
        level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
        graph = jvm.org.apache.spark.graphx.GraphLoader.edgeListFile(
            context, str(web.with_suffix(".tsv")), False, 16, level, level
        )
        tag = jvm.scala.reflect.ClassTag.Int()

        def run(count: int) -> float:
            start = time.perf_counter()
            jvm.org.apache.spark.graphx.lib.PageRank.run(graph, count, 0.15, tag, tag).vertices().count()
            return time.perf_counter() - start

        run(1)
        return {"graphx": (run(1 + 3) - run(1)) / 3}


def median_of(function: Callable[[], None], times: int = 3) -> float:
    """The median time, after a first call."""
    function()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


MEASURES: dict[str, Callable[[Path, int], Any]] = {
    "made": made,
    "local": local,
    "blocks": blocks,
    "join": join,
    "graphx": graphx,
}

if __name__ == "__main__":
    main()
