"""Cores as the figures of Daneshpajouh, Nasiri and Ghodsi (2008) have them, with sets and whole numbers.

Scores are not normalised: that divides all of them by one number and changes no rank. So they are whole numbers.
"""

from __future__ import annotations

Links = set[tuple[int, int]]


def hits(pages: set[int], links: Links, iterations: int) -> tuple[dict[int, int], dict[int, int]]:
    """(hub scores, authority scores)."""
    hub = dict.fromkeys(pages, 1)
    authority = dict.fromkeys(pages, 0)
    for _ in range(iterations):
        authority = {page: sum(hub[v] for v, w in links if w == page) for page in pages}
        hub = {page: sum(authority[w] for v, w in links if v == page) for page in pages}
    return hub, authority


def density(links: Links, hubs: list[int], authorities: list[int]) -> float:
    """100 · links / (hubs · authorities)."""
    found = sum((v, w) in links for v in hubs for w in authorities)
    return 100 * found / (len(hubs) * len(authorities))


def highest(scores: dict[int, int], pages: set[int]) -> int | None:
    """The page with the highest score; of equal ones the smallest."""
    return max(pages, key=lambda page: (scores[page], -page), default=None)


def next_hub(links, hub, hubs: list[int], authorities: list[int], fits) -> int | None:
    may = {v for v, w in links if w in authorities} - set(hubs) - set(authorities)
    return highest(hub, {v for v in may if fits([*hubs, v], authorities)})


def next_authority(
    links: Links, authority: dict[int, int], hubs: list[int], authorities: list[int], fits
) -> int | None:
    may = {w for v, w in links if v in hubs} - set(hubs) - set(authorities)
    return highest(authority, {w for w in may if fits(hubs, [*authorities, w])})


def core_by_density(links, hub, authority, first, *, target=100.0, reading="paper", max_hubs=None):
    """Figure 2: a hub, then an authority, in turn."""

    def dense(hubs, authorities):
        return density(links, hubs, authorities) >= target - 1e-9

    fits = dense if reading == "maximal" else lambda hubs, authorities: True
    hubs, authorities = [], [first]
    stuck, turn = 0, "hub"
    while stuck < 2:
        if turn == "hub":
            closed = max_hubs is not None and len(hubs) >= max_hubs
            page = None if closed else next_hub(links, hub, hubs, authorities, fits)
            grown = ([*hubs, page], authorities)
        else:
            page = next_authority(links, authority, hubs, authorities, fits)
            grown = (hubs, [*authorities, page])
        turn = "authority" if turn == "hub" else "hub"
        if page is None:
            stuck += 1
            continue
        if not dense(*grown):
            break
        stuck = 0
        hubs, authorities = grown
    return hubs, authorities


def core_by_size(links, hub, authority, first, *, size, new_members=1, max_hubs=None):
    """Figure 1: some hubs, then as many authorities, until there are enough pages."""
    hubs, authorities = [], [first]
    while len(hubs) + len(authorities) < size:
        before = len(hubs) + len(authorities)
        may = {v for v, w in links if w in authorities} - set(hubs) - set(authorities)
        for _ in range(new_members):
            page = highest(hub, may)
            if page is None or (max_hubs is not None and len(hubs) >= max_hubs):
                break
            hubs = [*hubs, page]
            may.discard(page)
        may = {w for v, w in links if v in hubs} - set(hubs) - set(authorities)
        for _ in range(new_members):
            page = highest(authority, may)
            if page is None:
                break
            authorities = [*authorities, page]
            may.discard(page)
        if len(hubs) + len(authorities) == before:
            break
    return hubs, authorities


def extract_seeds(lists, k, *, iterations=60, size=None, new_members=1, density=100.0, reading="paper", max_hubs=None):
    """Figure 3: rank from scratch, extract a core, take its best hub, remove the core; (seed, hubs, authorities)."""
    pages = set(range(len(lists)))
    links = {(page, target) for page, row in enumerate(lists) for target in row}
    found = []
    while len(found) < k and links:
        hub, authority = hits(pages, links, iterations)
        first = highest(authority, pages)
        if size is None:
            core = core_by_density(links, hub, authority, first, target=density, reading=reading, max_hubs=max_hubs)
        else:
            core = core_by_size(links, hub, authority, first, size=size, new_members=new_members, max_hubs=max_hubs)
        hubs, authorities = core
        found.append((highest(hub, set(hubs)), hubs, authorities))
        gone = {*hubs, *authorities}
        pages -= gone
        links = {(v, w) for v, w in links if v not in gone and w not in gone}
    return found
