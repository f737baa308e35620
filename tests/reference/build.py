"""Links from pairs, as plainly as possible."""

from __future__ import annotations

from collections.abc import Iterable


def build(
    pairs: Iterable[tuple[int, int]], pages: int, *, keep_self_links: bool = False
) -> tuple[list[list[int]], int, int]:
    """(the ascending links of each page, pairs from a page to itself, pairs that repeat one that is kept)."""
    pairs = list(pairs)
    self_links = sum(source == target for source, target in pairs)
    kept = pairs if keep_self_links else [pair for pair in pairs if pair[0] != pair[1]]
    distinct = set(kept)
    rows = [sorted(target for source, target in distinct if source == page) for page in range(pages)]
    return rows, self_links, len(kept) - len(distinct)
