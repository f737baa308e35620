"""BVGraph: decoding, random access and writing, beside what a Python user has today for a graph on disk (SciPy's .npz).

Where a jar with WebGraph in it is named by SEEDBED_WEBGRAPH_JAR, its own timing of the same graph stands beside ours.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse

from benchmarks.measure import Row, median_seconds
from seedbed.common.kernels import kernel
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from seedbed.links.link_store import successors


@kernel
def sum_of_successors(links, order, buffer):  # type: ignore[no-untyped-def]  # noqa: D103
    total = 0
    for page in order:
        for target in successors(links, page, buffer):
            total += target
    return total


def rows(graph: Path) -> list[Row]:
    """All measurements on one graph."""
    opened = BvGraph.open(graph)
    with tempfile.TemporaryDirectory() as folder:
        java = webgraph_speeds(graph, Path(folder))
        npz = scipy_speed(opened, Path(folder) / "graph.npz")
        return [
            Row("BVGraph to CSR, 1 core", decode_speed(graph, 1), "M links/s", "80", *java.get("sequential", npz)),
            Row("BVGraph to CSR, 2 cores", decode_speed(graph, 2), "M links/s", "", *npz),
            Row("successors, pages in random order", random_speed(opened), "M links/s", "27", *java.get("random", ())),
            Row("BVGraph without .offsets: finding them", skim_speed(graph, Path(folder)), "M links/s"),
            Row(
                "writing BVGraph, 1 core",
                write_speed(opened, Path(folder), 1),
                "M links/s",
                "5",
                *java.get("write", ()),
            ),
            Row("writing BVGraph, 2 cores", write_speed(opened, Path(folder), 2), "M links/s"),
            Row(
                "written size",
                written_bits(opened, Path(folder)),
                "bits/link",
                f"{opened.bits_per_link * 1.05:.3f}",
                "the original",
                opened.bits_per_link,
            ),
            Row("links read", opened.links / 1e6, "M links"),
        ]


def decode_speed(base: Path, threads: int) -> float:
    """Opening, offsets, outdegrees and decoding, all counted."""
    links = BvGraph.open(base).links
    return links / median_seconds(lambda: BvGraph.open(base).to_csr(threads)) / 1e6


def random_speed(graph: BvGraph) -> float:
    """Every page once, in random order."""
    order = np.random.default_rng(1).permutation(graph.page_count)
    arrays, buffer = graph.arrays(), graph.buffer()
    return graph.link_count / median_seconds(lambda: sum_of_successors(arrays, order, buffer)) / 1e6


def skim_speed(base: Path, folder: Path) -> float:
    """Opening a copy of the graph that has no offsets."""
    for ending in (".graph", ".properties"):
        (folder / f"bare{ending}").write_bytes(Path(f"{base}{ending}").read_bytes())
    links = BvGraph.open(base).links
    return links / median_seconds(lambda: BvGraph.open(folder / "bare").arrays()) / 1e6


def write_speed(graph: BvGraph, folder: Path, threads: int) -> float:
    """From CSR in memory to three files."""
    links = graph.to_csr()

    def write() -> None:
        write_bvgraph(links.blocks(), folder / "written", pages=links.page_count, threads=threads)

    return graph.link_count / median_seconds(write) / 1e6


def written_bits(graph: BvGraph, folder: Path) -> float:
    """Bits a link of what we write with the usual parameters."""
    write_bvgraph(graph.blocks(), folder / "size", pages=graph.page_count)
    return BvGraph.open(folder / "size").bits_per_link


def scipy_speed(graph: BvGraph, file: Path) -> tuple[str, float]:
    """Loading the same graph from SciPy's compressed file."""
    arrays = graph.to_csr().arrays()
    ones = np.ones(graph.link_count, np.int8)
    scipy.sparse.save_npz(file, scipy.sparse.csr_array((ones, arrays.out_idx, arrays.out_ptr)))
    return "scipy.sparse.load_npz", graph.link_count / median_seconds(lambda: scipy.sparse.load_npz(file)) / 1e6


def webgraph_speeds(base: Path, folder: Path) -> dict[str, tuple[str, float]]:
    """What WebGraph's own speed test and compressor say of the same graph, in million links a second."""
    jar = os.environ.get("SEEDBED_WEBGRAPH_JAR")
    if not jar:
        return {}
    java = ["java", "-Xmx4g", "-cp", jar]
    copy = folder / "java"
    for ending in (".graph", ".properties", ".offsets"):
        copy.with_name(f"java{ending}").write_bytes(Path(f"{base}{ending}").read_bytes())
    links = BvGraph.open(base).links / 1e6
    speeds: dict[str, tuple[str, float]] = {}
    pages = str(BvGraph.open(base).pages)
    for name, options in (("sequential", []), ("random", ["-r", pages])):
        words = speed_test(java, copy, options)
        if words:
            speeds[name] = ("WebGraph (Java)", 1e3 / words)
    seconds = median_seconds(
        lambda: subprocess.run(
            [*java, "it.unimi.dsi.webgraph.BVGraph", "-t", "1", str(copy), str(folder / "java-out")],
            check=True,
            capture_output=True,
        ),
        repeats=3,
    )
    speeds["write"] = ("WebGraph (Java), start included", links / seconds)
    return speeds


def speed_test(java: list[str], copy: Path, options: list[str]) -> float | None:
    """Nanoseconds a link by WebGraph's SpeedTest, the mean that it prints last; None where it prints none."""
    run = subprocess.run(
        [*java, "it.unimi.dsi.webgraph.test.SpeedTest", *options, str(copy)],
        check=False,
        capture_output=True,
        text=True,
    )
    found = re.findall(r"ns/link: ([\d.]+)", run.stdout + run.stderr)
    return float(found[-1]) if found else None
