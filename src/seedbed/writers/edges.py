"""Lists of links as text: page ids (`edges`) or URLs (`url-edges`), two columns, one link a line.

Columns are separated by a comma in .csv, else by a tab. URLs stand in quotes, all of them, where one of them needs it:
how a file is quoted is told from its first lines.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.atomic_files import moved_into
from seedbed.common.compression import uncompressed_name, written_compressed
from seedbed.errors import OptionError
from seedbed.urls.url_table import UrlTable
from seedbed.writers.job import Job, Saved
from seedbed.writers.text import LINE_ENDS, first_match, names, refuse_repeated, refuse_urls, texts, write_lines

SEPARATORS = {".tsv": "\t", ".txt": "\t", ".csv": ","}


def separator_of(path: Path) -> str:
    """What separates columns in a file of this name."""
    return SEPARATORS.get(Path(uncompressed_name(path)).suffix, "\t")


def write_ids(job: Job) -> Saved:
    """A link a line, by page ids."""
    separator, pages = separator_of(job.path), 0
    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        with written_compressed(file) as out:
            for sources, targets in job.pairs():
                write_lines(out, texts(sources), separator, texts(targets))
                pages = max(pages, int(sources[-1]) + 1, int(targets.max()) + 1)
        size = file.stat().st_size
    return Saved(job.path, "edges", size, job.lost("urls", "nofollow", "columns", pages=last_pages(job, pages)))


def last_pages(job: Job, pages: int) -> str:
    """What is missing where only the first pages are named, in words."""
    return f"the last {job.web.page_count - pages:,} pages, which have no links" if pages < job.web.page_count else ""


def write_urls(job: Job) -> Saved:
    """A link a line, by URLs."""
    urls, separator = needed_urls(job, "url-edges"), separator_of(job.path)
    refuse_repeated(urls)
    quoted = Quoting(urls, separator)
    linked = np.zeros(job.web.page_count, np.bool_)
    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        with written_compressed(file) as out:
            for sources, targets in job.pairs():
                write_lines(out, quoted.names(sources), separator, quoted.names(targets))
                linked[sources] = linked[targets] = True
        size = file.stat().st_size
    alone = int(np.count_nonzero(~linked))
    lost = f"the {alone:,} pages that have no links" if alone else ""
    return Saved(job.path, "url-edges", size, job.lost("nofollow", "columns", pages=lost))


def needed_urls(job: Job, kind: str) -> UrlTable:
    """The URLs of a web, which a format cannot do without."""
    if job.web.urls is None:
        raise OptionError(f"{job.path}: {kind} names pages by their URLs, and this web has none. Write edges instead.")
    return job.web.urls


class Quoting:
    """URLs as fields of a table: in quotes, all of them, where one of them needs it."""

    def __init__(self, urls: UrlTable, separator: str) -> None:
        refuse_urls(urls, LINE_ENDS, "a line end in it, and lines are what tells links apart in text")
        refuse_urls(urls, r"^[ \t]|[ \t]$", "a blank at an end, which does not belong to a field of text")
        refuse_urls(urls, "^$", "no letters in it; a field of text cannot be empty")
        needs_quotes = rf'["{re.escape(separator)}]|^[#%]|^//'
        self._urls = urls
        self._quoted = first_match(urls, needs_quotes) is not None

    def names(self, pages: NDArray[np.int64]) -> Any:
        """The URLs of pages as they stand in the file."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = names(self._urls, pages)
        if not self._quoted:
            return found
        quote = pa.scalar('"', pa.large_string())
        inside = pc.replace_substring(found, '"', '""')
        return pc.binary_join_element_wise(quote, inside, quote, pa.scalar("", pa.large_string()))
