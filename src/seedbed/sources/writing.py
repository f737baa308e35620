"""What writable formats share: the job, lines built by Arrow without a loop in Python, checks of URLs.

In text, either all URLs are quoted or none, because readers tell a file's quoting from its first lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, arrow_strings, chunk_of
from seedbed.common.compression import uncompressed_name
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.graph.native_store import LinkKind
from seedbed.graph.web import Web
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.links.link_store import Block
from seedbed.sources.format import Content
from seedbed.urls.url_table import UrlTable

_LINKS_AT_ONCE = 1 << 18
_PAGES_AT_ONCE = 1 << 16
LINE_ENDS = r"[\n\r]"


@dataclass(frozen=True)
class Saved:
    """What was written, and what the format could not hold."""

    path: Path
    format: str
    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class WriteJob:
    """A web to be written to a path. `files`: where to write until everything is complete and is moved into place.

    `links` is for the store, `properties` for BVGraph. `pages_lost`: describes pages that could not be written.
    """

    web: Web
    path: Path
    files: list[Path]
    links: LinkKind = "csr"
    properties: BvProperties | None = None
    threads: int = 1
    progress: Progress = no_progress
    pages_lost: list[str] = field(default_factory=list)

    def blocks(self) -> Iterator[Block]:
        """All links, in page order."""
        for block in self.web.links.blocks():
            self.progress("links", block.first, self.web.page_count)
            yield block

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """All links as sources and targets, some 100,000 at a time."""
        for block in self.blocks():
            sources = block.sources
            for first in range(0, len(sources), _LINKS_AT_ONCE):
                part = slice(first, first + _LINKS_AT_ONCE)
                yield sources[part], block.out_idx[part].astype(np.int64)

    def page_ranges(self) -> Iterator[Ints]:
        """All pages, some 10,000 at a time."""
        for first in range(0, self.web.page_count, _PAGES_AT_ONCE):
            yield np.arange(first, min(first + _PAGES_AT_ONCE, self.web.page_count))

    def needed_urls(self, kind: str) -> UrlTable:
        """The URLs of the web, for a format that requires them."""
        if self.web.urls is None:
            raise OptionError(
                f"{self.path}: {kind} names pages by their URLs, and this web has none. Write edges instead."
            )
        return self.web.urls

    def written_up_to(self, pages: int) -> None:
        """Note that only the first `pages` pages are in the files, because the later ones have no links."""
        if pages < self.web.page_count:
            self.pages_lost.append(f"the last {self.web.page_count - pages:,} pages, which have no links")

    def notes(self, held: Sequence[Content]) -> tuple[str, ...]:
        """A note on what is lost in a format that holds only this."""
        web = self.web
        lost = ["URLs"] if "urls" not in held and web.urls is not None else []
        lost += ["hosts"] if web.hosts is not None and web.urls is None else []
        lost += self.pages_lost
        lost += ["which links are nofollow"] if "nofollow" not in held and web.nofollow else []
        lost += [f"the column '{name}'" for name in web.columns if "columns" not in held]
        if not lost:
            return ()
        return (f"not in this format, and so left out: {', '.join(lost)}. A store holds everything.",)


def texts(numbers: NDArray[Any]) -> Any:
    """Numbers as text."""
    import pyarrow as pa

    return pa.array(numbers).cast(pa.large_string())


def names(urls: UrlTable, pages: Ints) -> Any:
    """The URLs of pages."""
    return arrow_strings(urls.pick(pages))


def write_lines(file: IO[bytes], *parts: Any) -> None:
    """Write one line per row: the parts, each a column of text or one string for all rows, and a newline."""
    import pyarrow as pa
    import pyarrow.compute as pc

    scalars = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in (*parts, "\n", "")]
    text, text_ptr = chunk_of(pc.binary_join_element_wise(*scalars))
    file.write(text[text_ptr[0] : text_ptr[-1]].tobytes())


def separator_of(path: Path) -> str:
    """The column separator for a file name: a comma for .csv, otherwise a tab."""
    return "," if Path(uncompressed_name(path)).suffix == ".csv" else "\t"


def quoted_names(urls: UrlTable, separator: str) -> Callable[[Ints], Any]:
    """A function that gives the URLs of pages as fields of a table: all of them quoted if any of them needs it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    refuse_urls(urls, LINE_ENDS, "a line end in it, and text has one link per line")
    refuse_urls(urls, r"^[ \t]|[ \t]$", "a blank at an end, which a field of text does not keep")
    refuse_urls(urls, "^$", "no characters in it; a field of text cannot be empty")
    if _first_match(urls, rf'["{re.escape(separator)}]|^[#%]|^//') is None:
        return partial(names, urls)
    quote, nothing = (pa.scalar(text, pa.large_string()) for text in ('"', ""))

    def quoted(pages: Ints) -> Any:
        return pc.binary_join_element_wise(quote, pc.replace_substring(names(urls, pages), '"', '""'), quote, nothing)

    return quoted


def refuse_urls(urls: UrlTable, pattern: str, what: str) -> None:
    """Raise an error for the first URL that a regular expression matches; `what`: why the format cannot hold it."""
    page = _first_match(urls, pattern)
    if page is not None:
        raise OptionError(f"the URL of page {page} has {what}. Write a store instead.")


def _first_match(urls: UrlTable, pattern: str) -> int | None:
    """The first page whose URL a regular expression matches."""
    import pyarrow.compute as pc

    first = 0
    for chunk in urls.chunks():
        found = pc.match_substring_regex(arrow_strings(chunk), pattern)
        if pc.any(found).as_py():
            return first + int(found.index(True).as_py())
        first += len(chunk[1]) - 1
    return None


def refuse_repeated(urls: UrlTable) -> None:
    """Raise an error if two pages have the same URL: the format would merge them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    last = pa.array([], pa.large_string())
    for _, text, text_ptr in urls.in_order():
        strings = pa.concat_arrays([last, arrow_strings((text, text_ptr))])
        same = pc.equal(strings[1:], strings[:-1])
        if pc.any(same).as_py():
            repeated = strings[int(same.index(True).as_py())].as_py()
            raise OptionError(
                f"two pages have the URL {repeated[:200]!r}, and this format identifies pages by their URLs. "
                "Write a store, Pajek or tables instead."
            )
        last = strings[-1:]
