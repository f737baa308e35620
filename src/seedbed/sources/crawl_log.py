"""Heritrix's crawl.log: one line a URL, with what came of it and the URL it was found on.

    2016-03-31T14:35:37.711Z   200   24360 http://a.example/x LL http://a.example/ text/html #661 …
    time                    status    size URL            hop path  found on

The links are the tree of discovery: one from the page on which a URL was found first. Columns: `crawled` (1 where a
server answered), `status` (as logged; below 0 where fetching failed), `seed`, `hops` (how far from its seed, −1 where
the log does not say), `embedded` (1 where the last hop is E or X: images, styles, scripts and guesses, not links). What
was fetched only to prepare (hop P: names, robots.txt) is no page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.archives.damage import Damage, Damages
from seedbed.graph.arrow import arrow_strings
from seedbed.graph.browser_urls import BrowserUrls
from seedbed.graph.web import Web
from seedbed.sources.columns import Column
from seedbed.sources.fieldcode import NO_QUOTES
from seedbed.sources.fields import Layout, Rows
from seedbed.sources.names import NamedLinks, coded
from seedbed.sources.normal import both_known, normal_urls
from seedbed.sources.options import ReadOptions
from seedbed.sources.sniff import first_lines
from seedbed.sources.text import Piece

COLUMNS = (
    Column("crawled", type=np.bool_),
    Column("status", type=np.int16),
    Column("seed", type=np.bool_),
    Column("hops", take="min", without=-1),
    Column("embedded", take="min", type=np.bool_),
)

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT[\d:.]+Z|\d{14,17}) +-?\d+ +(?:\d+|-) +[a-zA-Z][a-zA-Z0-9+.-]*:\S* \S+ \S+ \S+ #\d+ .*"
)
_LAYOUT = Layout(quotes=NO_QUOTES, comments=b"")
_STATUS, _URL, _PATH, _VIA, _FIELDS = 1, 3, 4, 5, 6
_STATUS_FORM = r"^-?[0-9]{1,5}$"
_PATH_FORM = r"^(?:-|(?:[0-9]{1,8}\+)?[A-Z]*)$"


def detect(path: Path) -> bool:
    """Whether the first lines are those of such a log."""
    lines = first_lines(path) if path.is_file() else []
    return bool(lines) and all(_LINE.fullmatch(line) for line in lines[:5])


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the tree of discovery."""
    links, damages = NamedLinks(options, COLUMNS), Damages()
    urls = BrowserUrls(drop_sessions=options.drop_sessions)
    for piece in options.pieces([path]):
        lines = _lines(piece, damages)
        pages = normal_urls(lines.url, urls)
        found_on = normal_urls(lines.via, urls)
        prepared = np.asarray(lines.last_hop) == "P"
        page = np.asarray(pages.is_valid()) & ~prepared
        linked = page & both_known(found_on, pages) & ~lines.seed
        if linked.any():
            links.add(coded(found_on.filter(linked), pages.filter(linked)))
        links.add_pages(pages.filter(page), lines.values(page))
    return links.web(path, "crawl-log", damages.notes())


class _Lines(NamedTuple):
    url: Any
    via: Any
    status: NDArray[np.int64]
    last_hop: NDArray[Any]
    hops: NDArray[np.int64]
    seed: NDArray[np.bool_]

    def values(self, rows: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        status = np.clip(self.status[rows], -32768, 32767)
        return {
            "crawled": (status >= 100).astype(np.int64),
            "status": status,
            "seed": self.seed[rows].astype(np.int64),
            "hops": self.hops[rows],
            "embedded": np.isin(self.last_hop[rows], ["E", "X"]).astype(np.int64),
        }


def _lines(piece: Piece, damages: Damages) -> _Lines:
    """The lines of a piece that are whole; the others are counted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = Rows.cut(piece.checked(), _LAYOUT, _FIELDS)
    rows = _whole(rows, rows.start[_FIELDS - 1] >= 0, damages)
    texts = {column: arrow_strings(rows.texts(column)) for column in (_STATUS, _PATH)}
    fits = [pc.match_substring_regex(texts[column], form) for column, form in ((1, _STATUS_FORM), (4, _PATH_FORM))]
    sound = np.asarray(pc.and_(*fits))
    rows = _whole(rows, sound, damages)
    status, path = (texts[column].filter(pa.array(sound)) for column in (_STATUS, _PATH))
    seed = np.asarray(pc.equal(path, "-"))
    before, hops = (pc.extract_regex(path, r"^(?:(?P<many>[0-9]+)\+)?(?P<hops>[A-Z]*)").field(k) for k in (0, 1))
    many = pc.if_else(pc.equal(before, ""), "0", before).cast(pa.int64()).fill_null(0)
    count = pc.add(pc.fill_null(pc.utf8_length(hops), 0).cast(pa.int64()), many)
    return _Lines(
        arrow_strings(rows.texts(_URL)),
        arrow_strings(rows.texts(_VIA)),
        status.cast(pa.int64()).to_numpy(),
        np.asarray(pc.utf8_slice_codeunits(path, -1).to_pylist(), object),
        count.to_numpy(),
        seed,
    )


def _whole(rows: Rows, whole: NDArray[np.bool_], damages: Damages) -> Rows:
    """The rows that are whole."""
    if whole.all():
        return rows
    first = int(np.argmin(whole))
    place = f"{rows.piece.path.name}, line {rows.piece.line + int(rows.line[first])}"
    damages.add(Damage("lines that are not of this log left out", place), int((~whole).sum()))
    return rows.at(np.flatnonzero(whole))
