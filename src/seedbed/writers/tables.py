"""Two tables: NAME.nodes.tsv with each page's id, URL and columns, and NAME.edges.tsv with the links, from and to.

Both have a header, and endings as the path has them: .csv or .tsv, compressed or not. Yes and no are written as 1 and
0.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.atomic_files import moved_into
from seedbed.common.compression import written_compressed
from seedbed.writers.edges import Quoting, needed_urls, separator_of
from seedbed.writers.job import Job, Saved
from seedbed.writers.text import page_ranges, texts, write_lines

ROLE = re.compile(r"\.(nodes|edges)(?=(\.(tsv|csv|txt))?(\.(gz|zst|bz2|xz))?$)")


def files_of(path: Path) -> tuple[Path, Path]:
    """The two files that a path means: either of them, or the name that they have in common."""
    name = path.name
    if not ROLE.search(name):
        stem, endings = re.fullmatch(r"(.*?)((?:\.(?:tsv|csv|txt))?(?:\.(?:gz|zst|bz2|xz))?)", name).groups()  # type: ignore[union-attr]
        name = f"{stem}.nodes{endings or '.tsv'}"
    return path.with_name(ROLE.sub(".nodes", name)), path.with_name(ROLE.sub(".edges", name))


def write(job: Job) -> Saved:
    """Both tables."""
    urls = needed_urls(job, "tables")
    nodes, edges = files_of(job.path)
    separator = separator_of(nodes)
    quoted = Quoting(urls, separator)
    columns = {name: _numbers(values) for name, values in job.web.columns.items()}
    with moved_into(nodes.parent) as work:
        with written_compressed(work / nodes.name) as out:
            out.write((separator.join(["id", "url", *columns]) + "\n").encode())
            for pages in page_ranges(job.web):
                cells = [part for values in columns.values() for part in (separator, texts(values[pages]))]
                write_lines(out, texts(pages), separator, quoted.names(pages), *cells)
        with written_compressed(work / edges.name) as out:
            out.write(f"from{separator}to\n".encode())
            for sources, targets in job.pairs():
                write_lines(out, texts(sources), separator, texts(targets))
        size = sum(file.stat().st_size for file in work.iterdir())
    return Saved(nodes, "tables", size, job.lost("nofollow"))


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int8) if values.dtype == np.bool_ else values
