"""Nofollow links, with sets of pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

P = TypeVar("P", int, str)


def marked(mentions: Iterable[tuple[P, P, bool]], *, keep_self_links: bool = False) -> set[tuple[P, P]]:
    """The links every mention of which is marked."""
    marks: dict[tuple[P, P], list[bool]] = {}
    for source, target, mark in mentions:
        if keep_self_links or source != target:
            marks.setdefault((source, target), []).append(mark)
    return {link for link, given in marks.items() if all(given)}


def without(
    pages: set[P], links: set[tuple[P, P]], marks: set[tuple[P, P]], crawled: set[P]
) -> tuple[set[P], set[tuple[P, P]]]:
    """The web without the marked links, and without the pages that only they name."""
    left = links - marks
    named = crawled | {page for link in left for page in link}
    only_marked = {page for link in marks for page in link} - named
    return pages - only_marked, left
