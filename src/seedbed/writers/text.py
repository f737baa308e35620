"""What formats of text share: lines put together by Arrow, without a loop over links in Python, and names checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import arrow_strings, chunk_of
from seedbed.errors import OptionError
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Web

PAGES_AT_ONCE = 1 << 16
LINE_ENDS = r"[\n\r]"


def texts(numbers: NDArray[Any]) -> Any:
    """Numbers as text."""
    import pyarrow as pa

    return pa.array(numbers).cast(pa.large_string())


def names(urls: UrlTable, pages: NDArray[np.int64]) -> Any:
    """The URLs of pages."""
    return arrow_strings(urls.pick(pages))


def write_lines(file: IO[bytes], *parts: Any) -> None:
    """A line for each row: the parts, which are texts or the same for all, and a line end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    scalars = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in (*parts, "\n", "")]
    text, text_ptr = chunk_of(pc.binary_join_element_wise(*scalars))
    file.write(text[text_ptr[0] : text_ptr[-1]].tobytes())


def page_ranges(web: Web) -> Iterator[NDArray[np.int64]]:
    """All pages, PAGES_AT_ONCE of them."""
    for first in range(0, web.page_count, PAGES_AT_ONCE):
        yield np.arange(first, min(first + PAGES_AT_ONCE, web.page_count))


def refuse_urls(urls: UrlTable, pattern: str, what: str) -> None:
    """An error for the first URL in which a regular expression is found; `what`: why the format cannot hold it."""
    page = first_match(urls, pattern)
    if page is not None:
        raise OptionError(f"the URL of page {page} has {what}. Write a store instead.")


def first_match(urls: UrlTable, pattern: str) -> int | None:
    """The first page with a URL in which a regular expression is found."""
    import pyarrow.compute as pc

    first = 0
    for chunk in urls.chunks():
        found = pc.match_substring_regex(arrow_strings(chunk), pattern)
        if pc.any(found).as_py():
            return first + int(found.index(True).as_py())
        first += len(chunk[1]) - 1
    return None


def refuse_repeated(urls: UrlTable) -> None:
    """An error where two pages have one URL: by their URLs they would become one."""
    import pyarrow.compute as pc

    last = None
    for _, text, text_ptr in urls.in_order():
        strings = arrow_strings((text, text_ptr))
        same = pc.equal(strings[1:], strings[:-1])
        repeated = strings[int(same.index(True).as_py())] if pc.any(same).as_py() else None
        if repeated is None and len(strings) and strings[0] == last:
            repeated = last
        if repeated is not None:
            raise OptionError(
                f"two pages have the URL {str(repeated)[:200]!r}, and this format tells pages by their URLs. "
                "Write a store, Pajek or tables instead."
            )
        last = strings[len(strings) - 1] if len(strings) else last
