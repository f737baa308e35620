"""The links all of whose mentions are marked nofollow, from mentions in any order.

A link may be mentioned many times: in several places of a page, in several captures of it, in several snapshots. It is
nofollow where none of them goes without the mark. Marked mentions are held and sorted; the others pass by and strike
out what they mention, by binary search. O(mentions · log marked). Memory: some 40 bytes a marked mention, none for the
others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import kernel
from seedbed.links.nofollow_marks import Marks

_FEW = 1 << 20


class MarksBuilder:
    """Takes the mentions that are marked, then those that are not, and gives Marks."""

    def __init__(self, *, keep_self_links: bool = False) -> None:
        self._keep_self_links = keep_self_links
        self._held: list[NDArray[np.int64]] = []
        self._waiting = 0
        self._alive: NDArray[np.bool_] | None = None

    def add(self, sources: NDArray[Any], targets: NDArray[Any]) -> None:
        """Mentions that are marked: sources[k] → targets[k]."""
        mentions = np.stack([sources, targets]).astype(np.int64, copy=False)
        self._held.append(mentions if self._keep_self_links else mentions[:, mentions[0] != mentions[1]])
        self._waiting += len(sources)
        # Repeats go from time to time; the work stays in proportion, as the sorted ones have to double first.
        if self._waiting > max(_FEW, self._held[0].shape[1]):
            self._sorted()

    def strike(self, sources: NDArray[Any], targets: NDArray[Any]) -> None:
        """Mentions that are not marked. After the first of them nothing can be added."""
        marked = self._sorted()
        if marked.shape[1] == 0:
            return
        if self._alive is None:
            self._alive = np.ones(marked.shape[1], np.bool_)
        strike_out(marked[0], marked[1], _ids(sources), _ids(targets), self._alive)

    @property
    def is_empty(self) -> bool:
        """Whether no link is marked anywhere, so that nothing need be struck."""
        return self._sorted().shape[1] == 0

    def finish(self, pages: int) -> Marks:
        """The links that are left."""
        sources, targets = self._sorted()
        marks = Marks(sources, targets, pages, checked=True)
        return marks if self._alive is None else marks.where(self._alive)

    def _sorted(self) -> NDArray[np.int64]:
        """All that was added, in order and each once."""
        if self._waiting:
            mentions = np.concatenate(self._held, axis=1)
            self._held.clear()
            mentions = mentions[:, np.lexsort(mentions[::-1])]
            new = np.ones(mentions.shape[1], np.bool_)
            new[1:] = np.any(mentions[:, 1:] != mentions[:, :-1], axis=0)
            self._held, self._waiting = [np.ascontiguousarray(mentions[:, new])], 0
        return self._held[0] if self._held else np.empty((2, 0), np.int64)


def _ids(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Ids as the one type that `strike_out` is compiled for."""
    return frozen(ids.astype(np.int64, copy=False))


@kernel
def strike_out(
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    other_sources: NDArray[np.int64],
    other_targets: NDArray[np.int64],
    alive: NDArray[np.bool_],
) -> None:
    """Clear alive[k] where (sources[k], targets[k]), which ascend, is one of the other links. O(others · log)."""
    for j in range(other_sources.size):
        source, target = other_sources[j], other_targets[j]
        low, high = 0, sources.size
        while low < high:
            middle = (low + high) // 2
            if sources[middle] < source or (sources[middle] == source and targets[middle] < target):
                low = middle + 1
            else:
                high = middle
        if low < sources.size and sources[low] == source and targets[low] == target:
            alive[low] = False
