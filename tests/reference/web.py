"""Webs made from webs, with sets and lists."""

from __future__ import annotations

Lists = list[list[int]]


def transpose(lists: Lists) -> Lists:
    """Who links to each page."""
    return [[page for page, row in enumerate(lists) if target in row] for target in range(len(lists))]


def subgraph(lists: Lists, pages: list[int]) -> Lists:
    """The lists of the pages, with their places in `pages` as ids."""
    return [[pages.index(target) for target in lists[page] if target in pages] for page in pages]


def union(snapshots: list[tuple[list[str], Lists]]) -> tuple[list[str], Lists]:
    """All URLs, sorted, and the links of all snapshots between them."""
    urls = sorted({url for names, _ in snapshots for url in names})
    links = {
        (names[page], names[target]) for names, lists in snapshots for page, row in enumerate(lists) for target in row
    }
    return urls, [[urls.index(b) for b in urls if (a, b) in links] for a in urls]
