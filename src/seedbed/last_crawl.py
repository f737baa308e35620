"""What the last crawl knew about pages: a score for each URL, and which pages were gone, spam or duplicates.

It comes from the web of that crawl (PageRank, and its columns status, spam, digest and canonical) or from a file of
scores by URL. Scores are in units of the mean page. Pages are matched with those of another web as `refresh` matches
them: by URL, else by spelling, else by name in the same folder (see urls/url_matching.py). Of a URL that stands in a
file several times the first score counts, of several spellings of a page the highest. Of the pages of the other web
that had the same digest then, or the same canonical URL, the one with the highest score counts and the others are
duplicates of it; on ties the smaller page.

Memory: 4 bytes for each URL of the last crawl, 8 for its digest and its canonical URL where there are some, and while
it is matched with a web 60 for each URL of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import TextChunk, frozen
from seedbed.common.memory import require
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import InputError, OptionError, UnknownFormat
from seedbed.graph.page_contents import CANONICAL, DIGEST, keys_in
from seedbed.ranking.ranking_files import is_ranking, scored_urls
from seedbed.urls.url_matching import (
    BYTES_A_URL,
    as_keys,
    as_written,
    hashes,
    keys_of,
    matched_pages,
    normal_forms,
    same_names,
)
from seedbed.urls.url_table import text_chunk

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking
    from seedbed.urls.url_table import UrlTable

GONE, DUPLICATE = -1.0, -2.0
"""In place of a score; such pages come last."""
ANSWERED, FAILED_FROM = 200, 400
COMES_LAST = "gone, spam or duplicates"
VALUES = "last"
"""The name of the values that the last crawl knew."""


@dataclass(frozen=True, eq=False)
class LastCrawl:
    """`scores`: by the place of a URL in `chunks()`, the mean being 1; GONE where the page was gone or was spam.
    `contents`: numbers that pages of the same content have in common, by some measures; 0 where not known.
    """

    source: str
    chunks: Callable[[], Iterator[TextChunk]]
    scores: NDArray[np.float32]
    contents: tuple[NDArray[np.int64], ...] = ()

    def __len__(self) -> int:
        return len(self.scores)

    def about(self, web: Web) -> Remembered:
        """What it knew about the pages of a web."""
        if web.urls is None:
            raise OptionError(f"the last crawl, {self.source}, is matched with the web by URL, and the web has none.")
        require(BYTES_A_URL * (len(self) + web.page_count), f"matching {len(self):,} URLs with {web.page_count:,}")
        same, near = matched_pages(self, web.urls)
        named = same_names(self, web.urls, near, moved=False)
        was = np.full(web.page_count, -1, np.int64)
        for pages in (named, near):
            found = np.flatnonzero((pages >= 0) & (same < 0))
            found = found[np.argsort(self.scores[found], kind="stable")]
            was[pages[found]] = found
        found = np.flatnonzero(same >= 0)[::-1]
        was[same[found]] = found
        exact = np.unique(same[same >= 0])
        return Remembered(
            self.source,
            frozen(self._scores_of(was)),
            known=int(np.count_nonzero(was >= 0)),
            same=len(exact),
            twice=int(np.count_nonzero(same >= 0)) - len(exact),
        )

    def lookup(self) -> Lookup:
        """It as a table to look URLs up in, for crawls whose web is not known."""
        require(BYTES_A_URL * len(self), f"a table of the {len(self):,} URLs of {self.source}")
        return Lookup(self, self._scores_of(np.arange(len(self))))

    def _scores_of(self, was: NDArray[np.int64]) -> NDArray[np.float32]:
        """The scores of pages that were these, nan for −1; all but the best of a content are its duplicates."""
        scores = np.where(was >= 0, self.scores[was], np.float32(np.nan))
        for content in self.contents:
            now = np.where(was >= 0, content[was], 0)
            scores[duplicates(np.flatnonzero((now != 0) & (scores >= 0)), now, scores)] = DUPLICATE
        return scores


@dataclass(frozen=True, eq=False)
class Remembered:
    """`scores`: for each page of a web; nan where the page is new, GONE or DUPLICATE where it comes last. `known`: the
    pages that the last crawl knew, `same` of them under the same URL; `twice`: scores that do not count.
    """

    source: str
    scores: NDArray[np.float32]
    known: int
    same: int
    twice: int

    @property
    def comes_last(self) -> int:
        """Pages that were gone, spam or duplicates then."""
        return int(np.count_nonzero(self.scores < 0))

    def fetched_anyway(self, pages: NDArray[Any]) -> list[str]:
        """How many of the pages that were gone, spam or duplicates then a run fetched, if any were."""
        fetched = int(np.count_nonzero(self.scores[pages] < 0))
        of = f"of {counted(self.comes_last, 'page')} that were {COMES_LAST} then"
        return [f"{of}, {fetched:,} were fetched"] if self.comes_last else []

    def values(self) -> NDArray[np.float64]:
        """What pages are worth by it: their score then, 1 where they are new, 0 where they come last."""
        return np.maximum(np.nan_to_num(self.scores.astype(np.float64), nan=1.0), 0.0)

    def notes(self) -> list[str]:
        """What the user should know."""
        pages = len(self.scores)
        if not self.known:
            return [f"the last crawl, {self.source}, shares no URL with this web and is of no use here"]
        moved = f", {self.known - self.same:,} of them under another URL" if self.known > self.same else ""
        notes = [f"the last crawl, {self.source}, knew {self.known:,} of the {pages:,} pages{moved}"]
        if self.comes_last:
            counts = ((GONE, "gone or spam"), (DUPLICATE, "duplicates"))
            found = ((int(np.count_nonzero(self.scores == mark)), what) for mark, what in counts)
            were = " and ".join(f"{number:,} {what}" for number, what in found if number)
            notes.append(f"{were} among them come last")
        if self.twice:
            notes.append(repeated(self.source, self.twice))
        return notes


def is_values(values: Any) -> bool:
    """Whether pages are to be worth what the last crawl knew."""
    return isinstance(values, str) and values == VALUES


def where_is_last() -> OptionError:
    """What to say where these values are asked for and no last crawl is given."""
    return OptionError("values 'last' are what the last crawl knew; say where that is with last (--last WEB).")


def repeated(source: str, times: int) -> str:
    """What to say about URLs that stand in a file several times."""
    return f"{source}: {counted(times, 'URL repeats one', 'URLs repeat one')} before; the first score counts"


class Lookup:
    """The score of a URL, by its hash, or else by that of its normal form; of several spellings the highest counts.

    `twice`: scores that do not count, since they are of a URL that stands before.
    """

    def __init__(self, last: LastCrawl, scores: NDArray[np.float32]) -> None:
        written, normal = keys_of(last, as_written, normal_forms)
        first = _first_of_each(written)
        best = first[_first_of_each(normal[first], -scores[first])]
        self._tables = [(written[first], scores[first]), (normal[best], scores[best])]
        self.twice = len(last) - len(first)

    def __call__(self, url: str) -> float:
        """The score, nan for a URL that the last crawl did not know, below 0 for one that comes last."""
        return float(self.scores([url])[0])

    def scores(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """The same for several URLs."""
        found = np.full(len(urls), np.nan, np.float32)
        left = np.arange(len(urls))
        for (keys, scores), form in zip(self._tables, (as_written, normal_forms), strict=True):
            if len(left) and len(keys):
                text, ptr = form(*text_chunk([urls[k] for k in left.tolist()]))
                wanted = hashes(frozen(text), frozen(ptr))
                at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
                hit = keys[at] == wanted
                found[left[hit]] = scores[at[hit]]
                left = left[~hit]
        return found


def _first_of_each(keys: NDArray[np.uint64], *by: NDArray[Any]) -> NDArray[np.int64]:
    """Where each key stands first, or where `by` is smallest for it, in ascending order of keys."""
    order = np.lexsort((*by, keys))
    return order[np.append(True, keys[order[1:]] != keys[order[:-1]])] if len(keys) else order


def open_last(
    last: LastCrawl | Web | Ranking | Path | str, *, threads: int | None = None, progress: Progress = no_progress
) -> LastCrawl:
    """The last crawl from its web, from a ranking of it, or from the path of a web or of a file of scores."""
    from seedbed.ranking.ranking import Ranking

    if isinstance(last, LastCrawl):
        return last
    if isinstance(last, Ranking):
        if last.web is None or last.web.urls is None:
            raise OptionError("the ranking given as the last crawl has no URLs. Load it with its web: load(path, web).")
        return _of_web(last.web.origin.source or "ranking", last.web.urls, last.web.columns, last.scores)
    if not isinstance(last, str | Path):
        return _ranked(last, last.origin.source or "web", threads, progress)
    path = Path(last)
    if is_ranking(path):
        scores = np.concatenate([np.empty(0), *(scores for _, scores in scored_urls(path))])
        return LastCrawl(
            str(path), lambda: (urls for urls, _ in scored_urls(path)), _in_units_of_the_mean(str(path), scores)
        )
    from seedbed.sources.opening import ReadOptions, open_web

    try:
        web = open_web(path, options=ReadOptions(progress=progress, processes=threads))
    except UnknownFormat:
        raise InputError(
            f"{path}: is neither a web nor a table (.csv, .jsonl, .parquet) with the columns url and score, so it says "
            "nothing about the last crawl. Make a web of it with: seedbed convert."
        ) from None
    return _ranked(web, str(path), threads, progress)


def _ranked(web: Web, source: str, threads: int | None, progress: Progress) -> LastCrawl:
    """What a web says about its pages by PageRank."""
    from seedbed.ranking.pagerank import pagerank

    if web.urls is None:
        raise OptionError(f"pages are matched with those of the last crawl by URL, and {source} has none.")
    return _of_web(source, web.urls, web.columns, pagerank(web, threads=threads, progress=progress).scores)


def _of_web(source: str, urls: UrlTable, columns: Mapping[str, NDArray[Any]], scores: NDArray[Any]) -> LastCrawl:
    """What a web says about its pages by some scores and its columns."""
    found = _in_units_of_the_mean(source, scores)
    for name, least in (("status", FAILED_FROM), ("spam", 1)):
        if name in columns:
            found[np.asarray(columns[name]) >= least] = GONE
    return LastCrawl(source, urls.chunks, found, tuple(_contents(urls, columns)))


def _contents(urls: UrlTable, columns: Mapping[str, NDArray[Any]]) -> Iterator[NDArray[np.int64]]:
    """Of pages answered with 200: their digests, and their canonical URLs, or their own where another page names it."""
    answered = np.asarray(columns["status"]) == ANSWERED if "status" in columns else np.True_
    digest, canonical = (keys_in(columns, names) for names in (DIGEST, CANONICAL))
    if digest is not None:
        yield np.where(answered, digest, 0)
    if canonical is not None:
        own = as_keys(keys_of(urls, normal_forms)[0])
        yield np.where(answered, np.where((canonical == 0) & np.isin(own, canonical), own, canonical), 0)


def duplicates(pages: NDArray[np.int64], contents: NDArray[Any], scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """Of some pages, in ascending order, all but the one with the highest score of each content."""
    order = pages[np.lexsort((-scores[pages], contents[pages]))]
    return order[1:][contents[order[1:]] == contents[order[:-1]]]


def _in_units_of_the_mean(source: str, scores: NDArray[Any]) -> NDArray[np.float32]:
    if not len(scores) or not scores.max() > 0:
        raise InputError(f"{source}: has no score above 0, so it says nothing about pages.")
    return (scores / scores.mean()).astype(np.float32)
