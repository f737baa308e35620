"""Importing an unsorted list of links, beside pandas and scipy.sparse in the same run."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, in_new_process

PAGES = 2_000_000
LINKS = 40_000_000

SEEDBED = """
import seedbed as sb
web = sb.open(sys.argv[1], memory={memory})
web.links.arrays()
result = web.link_count + web.origin.self_links
"""
PANDAS = """
import pandas, numpy, scipy.sparse
frame = pandas.read_csv(sys.argv[1], sep="\\t", header=None, dtype=numpy.int32)
pages = int(frame.to_numpy().max()) + 1
ones = numpy.ones(len(frame), numpy.int8)
matrix = scipy.sparse.coo_array((ones, (frame[0], frame[1])), shape=(pages, pages)).tocsr()
matrix.sum_duplicates()
result = matrix.nnz
"""


def run_case(body: str, file: Path, repeats: int = 3) -> tuple[float, float, int]:
    """(median seconds, peak GiB, links) of a fresh process; the first run, which compiles, does not count."""
    results = [[float(word) for word in in_new_process(body, str(file))] for _ in range(repeats + 1)]
    seconds, peak, count = np.median(results[1:], axis=0)
    return float(seconds), float(peak), int(count)


def rows() -> list[Row]:
    """Links a second and peak memory, ours and theirs, and ours with little memory."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "links.tsv"
        with file.open("w") as out:
            for _ in range(LINKS // 1_000_000):
                np.savetxt(out, rng.integers(0, PAGES, (1_000_000, 2)), fmt="%d", delimiter="\t")
        ours, our_peak, our_count = run_case(SEEDBED.format(memory=None), file)
        theirs, their_peak, their_count = run_case(PANDAS, file)
        little, little_peak, little_count = run_case(SEEDBED.format(memory=200 << 20), file, repeats=1)
    if not our_count == their_count == little_count:
        raise RuntimeError(f"counts differ: {our_count}, {their_count}, {little_count}")
    million = LINKS / 1e6
    peer = "pandas + scipy.sparse"
    return [
        Row(
            "unsorted text, 40 M links", million / ours, "M links/s", f"{million / theirs:.1f}", peer, million / theirs
        ),
        Row("  its peak memory", our_peak, "GiB", "", peer, their_peak),
        Row("the same with --memory 200MB", million / little, "M links/s", "", peer, million / theirs),
        Row("  its peak memory", little_peak, "GiB", "", peer, their_peak),
    ]
