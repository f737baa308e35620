"""Heritrix's crawl.log: one line per URL, with the result of fetching it and the URL it was found on.

    2016-03-31T14:35:37.711Z   200   24360 http://a.example/x LL http://a.example/ text/html #661 …
    time                    status    size URL            hop path  found on

The links are the discovery tree: one from the page on which a URL was first found. Columns: `crawled` (1 if a server
answered), `status` (the lowest status logged; if no server answered, why fetching failed, below 0), `seed`, `hops`
(distance from its seed, −1 if the log does not say), `embedded` (1 if the last hop is E or X: images, styles, scripts
and guesses, not links), `digest` (a number that URLs of the same content have in common; 0 if not known; the column is
left out if no digest is). Prerequisites (hop P: DNS, robots.txt) are not pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import arrow_strings, chunk_of
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.lenient_reading import CrawlerOutput
from seedbed.sources.named_links import Column, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout, Rows
from seedbed.sources.url_normalizing import both_known, normal_urls
from seedbed.urls.url_matching import text_keys

COLUMNS = (
    Column("crawled", type=np.bool_),
    Column("status", take="min", type=np.int16),
    Column("seed", type=np.bool_),
    Column("hops", take="min", without=-1),
    Column("embedded", take="min", type=np.bool_),
    Column("digest", type=np.int64, if_known=True),
)

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT[\d:.]+Z|\d{14,17}) +-?\d+ +(?:\d+|-) +[a-zA-Z][a-zA-Z0-9+.-]*:\S* \S+ \S+ \S+ #\d+ .*"
)
_LAYOUT = Layout(quotes=NO_QUOTES, comments=b"")
_STATUS, _URL, _PATH, _VIA, _THREAD, _DIGEST = 1, 3, 4, 5, 7, 9
_FORMS = {
    _STATUS: r"^-?[0-9]{1,5}$",
    _PATH: r"^(?:-|(?:[0-9]{1,8}\+)?[A-Z]*)$",
    _THREAD: r"^#[0-9]+$",
}
"""Fields of an intact line. The thread is misplaced if a URL contains blanks, which Heritrix never writes."""
_LOOKED_AT = 10
_FAILED = 1 << 16
_OTHER_LINE = "lines that are not of this log left out"


def detect(head: Head) -> bool:
    """Whether most of the first lines are from such a log."""
    lines = head.lines[:_LOOKED_AT]
    return 2 * sum(_LINE.fullmatch(line) is not None for line in lines) > len(lines)


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of the discovery tree in all logs of a crawl."""
    import pyarrow.compute as pc

    output = CrawlerOutput(paths, options, detect, COLUMNS)
    for piece in output.pieces():
        rows = _sound_rows(piece, output)
        url, via, status, path = (arrow_strings(rows.texts(column)) for column in (_URL, _VIA, _STATUS, _PATH))
        pages, found_on = normal_urls(url, output.urls), normal_urls(via, output.urls)
        last_hop = np.asarray(pc.utf8_slice_codeunits(path, -1))
        page = np.asarray(pages.is_valid()) & (last_hop != "P")
        values = {**_values(status, path, last_hop), "digest": _digests(rows)}
        linked = page & both_known(found_on, pages) & ~values["seed"]
        if linked.any():
            output.links.add(coded(found_on.filter(linked), pages.filter(linked)))
        output.links.add_pages(pages.filter(page), {name: column[page] for name, column in values.items()})
    return output.web("crawl-log")


def _sound_rows(piece: Piece, output: CrawlerOutput) -> Rows:
    """The lines with the fields of such a log; the others are counted."""
    import pyarrow.compute as pc

    rows = Rows.cut(piece, _LAYOUT, _DIGEST + 1)
    sound = rows.start[_THREAD] >= 0
    for column, form in _FORMS.items():
        whole = np.flatnonzero(sound)
        sound[whole] = np.asarray(pc.match_substring_regex(arrow_strings(rows.at(whole).texts(column)), form))
    output.leave_out(_OTHER_LINE, piece, rows.line[~sound])
    return rows.at(np.flatnonzero(sound))


def _digests(rows: Rows) -> NDArray[np.int64]:
    """The key of each content; 0 if the line gives no digest: a name such as sha1, a colon, letters and digits."""
    import pyarrow.compute as pc

    found = np.zeros(len(rows.line), np.int64)
    given = np.flatnonzero(rows.start[_DIGEST] >= 0)
    digests = pc.utf8_lower(arrow_strings(rows.at(given).texts(_DIGEST)))
    known = np.asarray(pc.match_substring_regex(digests, r"^[a-z0-9-]+:[a-z0-9+/=]{16,}$"))
    found[given[known]] = text_keys(chunk_of(digests.filter(known)))
    return found


def _values(status: Any, path: Any, last_hop: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The columns, from the status and the hops from the seed: `LLE`, `12+LLE` if 12 came before, `-` if none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = np.clip(status.cast(pa.int64()).to_numpy(), -32768, 32767)
    before, hops = pc.extract_regex(path, r"^(?:(?P<many>[0-9]+)\+)?(?P<hops>[A-Z]*)").flatten()
    many = pc.if_else(pc.equal(before, ""), "0", before).cast(pa.int64())
    return {
        "crawled": codes >= 100,
        # Failures sort after all answers, and get their value back when truncated to 16 bits.
        "status": np.where(codes < 100, codes + _FAILED, codes),
        "seed": np.asarray(pc.equal(path, "-")),
        "hops": pc.add(pc.utf8_length(hops).cast(pa.int64()), many).to_numpy(),
        "embedded": np.isin(last_hop, ["E", "X"]),
    }


FORMAT = Format(name="crawl-log", meaning="Heritrix's `crawl.log`", detect=detect, read_together=read_together)
