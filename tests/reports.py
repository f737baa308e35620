"""Small comparisons for tests, of a plain web and of a hostile one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from seedbed.evaluation.compare import Task, compare
from seedbed.evaluation.comparison import Comparison
from seedbed.graph.web import Web
from tests.graphs import Lists, web_of

SMALL = Task(
    strategies=("cores", "cover", "pagerank", "random"), orders=("opic", "bfs", "random", "oracle"), k=6, hops=2
)
HOSTILE = [
    'http://evil.example/"><script>window.hacked=1</script>',
    "http://evil.example/' onmouseover='window.hacked=1",
    "http://evil.example/</script><script>window.hacked=1</script>",
    "http://evil.example/<!--<script>window.hacked=1//",
    "http://evil.example/&lt;script&gt;{{ 7 * 7 }}${7*7}",
    "http://evil.example/\u2028\u2029<img src=x onerror=window.hacked=1>",
    "javascript:window.hacked=1",
    "JaVaScRiPt:window.hacked=1//http://evil.example/",
    "data:text/html,<script>window.hacked=1</script>",
    "vbscript:window.hacked=1",
]


def random_lists(pages: int = 240, seed: int = 3) -> Lists:
    """Pages with some links, a few of which are linked to by many."""
    random = np.random.default_rng(seed)
    popular = (pages * random.random((pages, 5)) ** 3).astype(int)
    near = (np.arange(pages)[:, None] + random.integers(1, 9, (pages, 3))) % pages
    return [sorted(set(row)) for row in np.hstack([popular, near]).tolist()]


def small_web() -> Web:
    """A web of 12 hosts, whose pages know if they are spam and their communities."""
    lists = random_lists()
    web = web_of(lists, [f"http://h{page % 12}.example/{page:03}" for page in range(len(lists))])
    pages = np.arange(len(lists))
    return replace(web, columns={"spam": pages % 7 == 0, "community": (pages % 5).astype(np.int32)})


@cache
def small() -> Comparison:
    return compare(small_web(), SMALL, threads=2)


@cache
def hostile() -> Comparison:
    """The same with URLs that try to be more than text, and a seed list with such a name."""
    lists = random_lists()
    urls = [
        HOSTILE[page] if page < len(HOSTILE) else f"http://h{page % 12}.example/{page}" for page in range(len(lists))
    ]
    web = web_of(lists, urls)
    task = replace(SMALL, strategies=("indegree", "outdegree", "cores"), k=60)
    return compare(web, task, threads=2)


def written(comparison: Comparison, folder: Path, web: str = "my.web") -> Path:
    from seedbed.report.report_files import write_report

    return write_report(comparison, folder, web=Path(web), command=f"seedbed compare '{web}'")
