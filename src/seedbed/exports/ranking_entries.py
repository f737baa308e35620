"""All pages of a ranking on their way to a crawler, streamed: ten million take no more memory than a thousand.

The first pass over the ranking counts its scores in bins; every later one reads it again and looks ranks up there. The
rank of a page is 1 + the number of pages in higher bins. A bin holds the scores that agree in their first 11 binary
digits, so scores closer than 1 in 2,048 may share a rank: what is written is the order to that precision. The score of
a page is its own, in units of the mean.

A URL that is there several times is written once, with its first score. The first pass notes an 8-byte hash of every
URL, in parts by its first bits, which go to disk beyond 32 MiB in all; each part is sorted by itself, and what repeats
is skipped in the passes that follow. Two URLs have the same hash once in some 370,000 rankings of ten million.

Time: two passes, or three if a URL repeats, some microseconds per URL, most of them for the lines. Memory: 32 MiB for
the bins, 32 MiB for hashes (beyond four million URLs half a byte for each), 8 bytes for each URL that repeats.

Pages come in the order of the ranking, not best first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import cast

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints, TextChunk, arrow_strings, frozen
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError
from seedbed.exports.seed_entries import Entry, Listed, Sieve, nothing_left, weight
from seedbed.urls.browser_urls import are_plain
from seedbed.urls.url_matching import hashes
from seedbed.urls.url_table import text_chunk

DIGITS = 11
_SHIFT = np.uint64(52 - DIGITS)
_BINS = 1 << (11 + DIGITS)
_PARTS = 64
_PART_SHIFT = np.uint64(58)
_BYTES_IN_MEMORY = 1 << 19
"""Of the hashes of a part; the rest is on disk."""
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
NONE: Keys = frozen(np.empty(0, np.uint64))
Scored = Callable[[], Iterator[tuple[TextChunk, Floats]]]
"""Gives the URLs and scores of a ranking, a batch at a time, as often as it is called."""


@dataclass(frozen=True, eq=False)
class RankedEntries:
    """The pages that a crawler can fetch. `ranks`: by the bin of a score; `repeated`: hashes of URLs that repeat."""

    scored: Scored
    scheme: str
    count: int
    mean: float
    ranks: Ints
    repeated: Keys
    progress: Progress

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Entry]:
        done = 0
        for urls, scores, _ in _written(self.scored, Sieve("", self.scheme), self.repeated):
            ranks = self.ranks[_bins(scores)]
            yield from map(
                Entry,
                urls,
                ranks.tolist(),
                weight(ranks, self.count).tolist(),
                (_without_signs(scores) / self.mean).tolist(),
            )
            done += len(urls)
            self.progress("writing", done, self.count)


def ranking_list(scored: Scored, sieve: Sieve, progress: Progress = no_progress) -> Listed:
    """The pages of a ranking that can be passed on to a crawler, each URL once."""
    with closing(Repeats()) as repeats:
        counts = counted(scored, sieve, NONE, progress, repeats)
        repeated = repeats.found()
    if len(repeated):
        sieve = Sieve(sieve.source, sieve.scheme, sieve.strict)
        counts = counted(scored, sieve, repeated, progress)
    return ranked(scored, sieve, *counts, repeated, progress)


def ranked(
    scored: Scored,
    sieve: Sieve,
    bins: Ints,
    count: int,
    total: float,
    repeated: Keys = NONE,
    progress: Progress = no_progress,
) -> Listed:
    """The pages with their ranks, from what `counted` says; `bins` becomes the ranks."""
    if not count:
        raise nothing_left(sieve, "page")
    mean = total / count
    if not 0 < mean < np.inf:
        found = "is 0, so it says nothing about pages" if mean == 0 else "exceeds the largest number; divide them"
        raise InputError(f"{sieve.source}: the mean of its scores {found}.")
    # In place, from the number of pages in a bin to 1 + the number in all higher ones.
    np.cumsum(bins, out=bins)
    np.subtract(count + 1, bins, out=bins)
    return Listed(RankedEntries(scored, sieve.scheme, count, mean, bins, repeated, progress), sieve, ranking=True)


def counted(
    scored: Scored,
    sieve: Sieve,
    repeated: Keys = NONE,
    progress: Progress = no_progress,
    repeats: Repeats | None = None,
) -> tuple[Ints, int, float]:
    """The number of pages in each bin, in all, and the sum of their scores; `repeats` is told their hashes."""
    bins, count, total = np.zeros(_BINS, np.int64), 0, 0.0
    for urls, scores, keys in _written(scored, sieve, repeated, hashed=repeats is not None):
        np.add.at(bins, _bins(scores), 1)
        count += len(urls)
        with np.errstate(over="ignore"):
            total += float(scores.sum())
        if repeats is not None:
            repeats.add(keys)
        progress("reading the ranking", count, 0)
    return bins, count, total


class Repeats:
    """Finds the hashes that are added more than once, in parts by their first bits, beyond some size on disk."""

    def __init__(self) -> None:
        self._parts = [SpooledTemporaryFile(_BYTES_IN_MEMORY) for _ in range(_PARTS)]  # noqa: SIM115 - see close()

    def add(self, keys: Keys) -> None:
        """Note some hashes."""
        part = keys >> _PART_SHIFT
        order = np.argsort(part, kind="stable")
        ends = np.searchsorted(part[order], np.arange(1, _PARTS, dtype=np.uint64))
        for file, some in zip(self._parts, np.split(keys[order], ends), strict=True):
            file.write(some.tobytes())

    def found(self) -> Keys:
        """Those that were added more than once, in ascending order."""
        found = []
        for file in self._parts:
            file.seek(0)
            keys, times = np.unique(np.frombuffer(file.read(), np.uint64), return_counts=True)
            found.append(keys[times > 1])
        return np.concatenate(found)

    def close(self) -> None:
        """Forget them."""
        for file in self._parts:
            file.close()


def _bins(scores: Floats) -> Ints:
    """Floats of at least 0 sort like their bits: eleven of exponent, then the first of the fraction."""
    return (_without_signs(scores).view(np.uint64) >> _SHIFT).astype(np.int64)


def _without_signs(scores: Floats) -> Floats:
    """Scores of at least 0, none of them −0."""
    return scores + 0.0


def _written(
    scored: Scored, sieve: Sieve, repeated: Keys, *, hashed: bool = False
) -> Iterator[tuple[list[str], Floats, Keys]]:
    """URLs as they are written, their scores, and their hashes if asked for, a batch at a time.

    Of URLs whose hashes are among those `repeated` only the first is there.
    """
    seen, keys = np.zeros(len(repeated), np.bool_), np.empty(0, np.uint64)
    for chunk, all_scores in scored():
        urls, kept = _fetchable(chunk, sieve)
        if hashed or len(repeated):
            text, ptr = chunk if kept is None else text_chunk(urls)
            keys = hashes(frozen(text), frozen(ptr))
        scores = all_scores if kept is None else all_scores[kept]
        if len(repeated) and not (first := _first(keys, repeated, seen)).all():
            for place in np.flatnonzero(~first).tolist():
                sieve.merged.add(urls[place][:100])
            urls, scores = [urls[place] for place in np.flatnonzero(first).tolist()], scores[first]
        yield urls, scores, keys


def _first(keys: Keys, repeated: Keys, seen: Flags) -> Flags:
    """Which keys are not among those repeated, or are there for the first time; what is there is marked as seen."""
    at = np.minimum(np.searchsorted(repeated, keys), len(repeated) - 1)
    there = np.flatnonzero(repeated[at] == keys)
    which, first = np.unique(at[there], return_index=True)
    kept = np.ones(len(keys), np.bool_)
    kept[there] = False
    kept[there[first[~seen[which]]]] = True
    seen[which] = True
    return kept


def _fetchable(chunk: TextChunk, sieve: Sieve) -> tuple[list[str], Flags | None]:
    """The URLs as they are written, without those left out; and which are not, None if all are written as they are.

    Most are plain, and Arrow says so.
    """
    strings = arrow_strings(chunk)
    urls: list[str | None] = strings.to_pylist()
    odd = np.flatnonzero(~are_plain(strings).to_numpy(zero_copy_only=False)).tolist()
    if not odd:
        return cast("list[str]", urls), None
    for place in odd:
        urls[place] = sieve(urls[place])
    kept = np.ones(len(urls), np.bool_)
    kept[[place for place in odd if urls[place] is None]] = False
    return [url for url in urls if url is not None], kept
