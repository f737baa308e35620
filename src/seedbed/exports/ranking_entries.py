"""All pages of a ranking on their way to a crawler, streamed: ten million take no more memory than a thousand.

The first pass over the ranking counts its scores in bins; every later one reads it again and looks ranks up there. The
rank of a page is 1 + the number of pages in higher bins. A bin holds the scores that agree in their first 11 binary
digits, so scores closer than 1 in 2,048 may share a rank: what is written is the order to that precision. The score of
a page is its own, in units of the mean.

Time: two passes, some microseconds per URL, most of them for the lines. Memory: 32 MiB for the bins.

Pages come in the order of the ranking, not best first, and a URL that is there twice stays: to know, all of them would
have to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints, TextChunk, arrow_strings
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError
from seedbed.exports.seed_entries import Entry, Listed, Sieve, nothing_left, weight
from seedbed.urls.browser_urls import are_plain

DIGITS = 11
_SHIFT = np.uint64(52 - DIGITS)
_BINS = 1 << (11 + DIGITS)
Floats = NDArray[np.float64]
Scored = Callable[[], Iterator[tuple[TextChunk, Floats]]]
"""Gives the URLs and scores of a ranking, a batch at a time, as often as it is called."""


@dataclass(frozen=True, eq=False)
class RankedEntries:
    """The pages that a crawler can fetch. `ranks`: by the bin of a score."""

    scored: Scored
    scheme: str
    count: int
    mean: float
    ranks: Ints
    progress: Progress

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Entry]:
        sieve, done = Sieve("", self.scheme), 0
        for chunk, scores in self.scored():
            urls, kept = _written(chunk, sieve)
            ranks = self.ranks[_bins(scores[kept])]
            yield from map(
                Entry,
                urls,
                ranks.tolist(),
                weight(ranks, self.count).tolist(),
                (_without_signs(scores[kept]) / self.mean).tolist(),
            )
            done += len(urls)
            self.progress("writing", done, self.count)


def ranking_list(scored: Scored, sieve: Sieve, progress: Progress = no_progress) -> Listed:
    """The pages of a ranking that can be passed on to a crawler."""
    ranks, count, total = np.zeros(_BINS, np.int64), 0, 0.0
    for chunk, scores in scored():
        _, kept = _written(chunk, sieve)
        np.add.at(ranks, _bins(scores[kept]), 1)
        count += int(np.count_nonzero(kept))
        with np.errstate(over="ignore"):
            total += float(scores[kept].sum())
        progress("reading the ranking", count, 0)
    if not count:
        raise nothing_left(sieve, "page")
    mean = total / count
    if not 0 < mean < np.inf:
        found = "is 0, so it says nothing about pages" if mean == 0 else "exceeds the largest number; divide them"
        raise InputError(f"{sieve.source}: the mean of its scores {found}.")
    # In place, from the number of pages in a bin to 1 + the number in all higher ones.
    np.cumsum(ranks, out=ranks)
    np.subtract(count + 1, ranks, out=ranks)
    return Listed(RankedEntries(scored, sieve.scheme, count, mean, ranks, progress), sieve, ranking=True)


def _bins(scores: Floats) -> Ints:
    """Floats of at least 0 sort like their bits: eleven of exponent, then the first of the fraction."""
    return (_without_signs(scores).view(np.uint64) >> _SHIFT).astype(np.int64)


def _without_signs(scores: Floats) -> Floats:
    """Scores of at least 0, none of them −0."""
    return scores + 0.0


def _written(chunk: TextChunk, sieve: Sieve) -> tuple[list[str], Flags]:
    """The URLs as they are written, without those left out; and which are not. Most are plain, and Arrow says so."""
    strings = arrow_strings(chunk)
    urls: list[str | None] = strings.to_pylist()
    odd = np.flatnonzero(~are_plain(strings).to_numpy(zero_copy_only=False))
    for place in odd.tolist():
        urls[place] = sieve(urls[place])
    kept = np.ones(len(urls), np.bool_)
    kept[[place for place in odd.tolist() if urls[place] is None]] = False
    return (cast("list[str]", urls) if kept.all() else [url for url in urls if url is not None]), kept
