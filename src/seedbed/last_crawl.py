"""What the last crawl knew about pages: a score for each URL, and which pages were gone or spam.

It comes from the web of that crawl (PageRank, and its columns status and spam) or from a file of scores by URL. Scores
are in units of the mean page. Pages are matched with those of another web as `refresh` matches them: by URL, else by
spelling, else by name in the same folder (see urls/url_matching.py). Of a URL that stands in a file twice the first
score counts.

Memory: 4 bytes for each URL of the last crawl, and while it is matched with a web 60 for each URL of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import TextChunk, frozen
from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, OptionError
from seedbed.ranking.ranking_files import is_ranking, scored_urls
from seedbed.urls.url_matching import BYTES_A_URL, as_written, hashes, keys_of, matched_pages, normal_forms, same_names
from seedbed.urls.url_table import text_chunk

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking

GONE = -1.0
FAILED_FROM = 400


@dataclass(frozen=True, eq=False)
class LastCrawl:
    """`scores`: by the place of a URL in `chunks()`, the mean being 1; GONE where the page was gone, or was spam."""

    source: str
    chunks: Callable[[], Iterator[TextChunk]]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.scores)

    def about(self, web: Web) -> Remembered:
        """What it knew about the pages of a web."""
        if web.urls is None:
            raise OptionError(f"the last crawl, {self.source}, is matched with the web by URL, and the web has none.")
        require(BYTES_A_URL * (len(self) + web.page_count), f"matching {len(self):,} URLs with {web.page_count:,}")
        same, near = matched_pages(self, web.urls)
        named = same_names(self, web.urls, near, moved=False)
        scores = np.full(web.page_count, np.nan, np.float32)
        for pages in (named, near, same):
            found = np.flatnonzero(pages >= 0)[::-1]
            scores[pages[found]] = self.scores[found]
        exact = np.unique(same[same >= 0])
        return Remembered(
            self.source,
            frozen(scores),
            known=int(np.count_nonzero(~np.isnan(scores))),
            same=len(exact),
            twice=int(np.count_nonzero(same >= 0)) - len(exact),
        )

    def lookup(self) -> Lookup:
        """It as a table to look URLs up in, for crawls whose web is not known."""
        require(BYTES_A_URL * len(self), f"a table of the {len(self):,} URLs of {self.source}")
        return Lookup(self)


@dataclass(frozen=True, eq=False)
class Remembered:
    """`scores`: for each page of a web; nan where the page is new, GONE where it was gone or spam. `known`: pages of
    the web that the last crawl knew, `same` of them under the same URL; `twice`: URLs that it has several scores for.
    """

    source: str
    scores: NDArray[np.float32]
    known: int
    same: int
    twice: int

    @property
    def gone(self) -> int:
        """Pages that were gone or spam then."""
        return int(np.count_nonzero(self.scores < 0))

    def gone_fetched(self, pages: NDArray[Any]) -> str:
        """How many of the pages that were gone or spam then a run fetched, in words."""
        fetched = int(np.count_nonzero(self.scores[pages] < 0))
        return f"of {self.gone:,} pages that were gone or spam then, {fetched:,} were fetched"

    def values(self) -> NDArray[np.float64]:
        """What pages are worth by it: their score then, 1 where they are new, 0 where they were gone or spam."""
        return np.maximum(np.nan_to_num(self.scores.astype(np.float64), nan=1.0), 0.0)

    def notes(self) -> list[str]:
        """What the user should know."""
        pages = len(self.scores)
        if not self.known:
            return [f"the last crawl, {self.source}, shares no URL with this web and is of no use here"]
        moved = f", {self.known - self.same:,} of them under another URL" if self.known > self.same else ""
        notes = [f"the last crawl, {self.source}, knew {self.known:,} of the {pages:,} pages{moved}"]
        if self.twice:
            notes.append(f"{self.source} has {self.twice:,} URLs several times; the first score counts")
        return notes


class Lookup:
    """The score of a URL, by its hash, or else by that of its normal form; of several spellings the highest counts."""

    def __init__(self, last: LastCrawl) -> None:
        self.pages = len(last)
        self._tables = [_sorted(keys, last.scores) for keys in keys_of(last, as_written, normal_forms)]

    def __call__(self, url: str) -> float:
        """The score, nan for a URL that the last crawl did not know, GONE for one that was gone or spam."""
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


def _sorted(keys: NDArray[np.uint64], scores: NDArray[np.float32]) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Keys in ascending order, each once with its highest score."""
    order = np.lexsort((-scores, keys))
    keys, scores = keys[order], scores[order]
    first = np.append(True, keys[1:] != keys[:-1]) if len(keys) else np.empty(0, np.bool_)
    return keys[first], scores[first]


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
        source = last.web.origin.source or "ranking"
        return LastCrawl(source, last.web.urls.chunks, _in_units_of_the_mean(source, last.scores))
    if not isinstance(last, str | Path):
        return _from_web(last, last.origin.source or "web", threads, progress)
    path = Path(last)
    if is_ranking(path):
        scores = np.concatenate([np.empty(0), *(scores for _, scores in scored_urls(path))])
        return LastCrawl(
            str(path), lambda: (urls for urls, _ in scored_urls(path)), _in_units_of_the_mean(str(path), scores)
        )
    from seedbed.sources.opening import ReadOptions, open_web

    web = open_web(path, options=ReadOptions(progress=progress, processes=threads))
    return _from_web(web, str(path), threads, progress)


def _from_web(web: Web, source: str, threads: int | None, progress: Progress) -> LastCrawl:
    from seedbed.ranking.pagerank import pagerank

    if web.urls is None:
        raise OptionError(f"pages are matched with those of the last crawl by URL, and {source} has none.")
    scores = _in_units_of_the_mean(source, pagerank(web, threads=threads, progress=progress).scores)
    for name, least in (("status", FAILED_FROM), ("spam", 1)):
        if name in web.columns:
            scores[np.asarray(web.columns[name]) >= least] = GONE
    return LastCrawl(source, web.urls.chunks, scores)


def _in_units_of_the_mean(source: str, scores: NDArray[Any]) -> NDArray[np.float32]:
    if not len(scores) or not scores.max() > 0:
        raise InputError(f"{source}: has no score above 0, so it says nothing about pages.")
    return (scores / scores.mean()).astype(np.float32)
