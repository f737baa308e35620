"""Complete cores by trawling (Kumar, Raghavan, Rajagopalan, Tomkins 1999), with sets of links, step by step."""

from __future__ import annotations

Links = set[tuple[int, int]]
Found = list[tuple[list[int], list[int]]]


def out(links: Links, page: int) -> set[int]:
    return {w for v, w in links if v == page}


def into(links: Links, page: int) -> set[int]:
    return {v for v, w in links if w == page}


def prune(links: Links, i: int, j: int) -> Links:
    while True:
        kept = {(v, w) for v, w in links if len(out(links, v)) >= j and len(into(links, w)) >= i}
        if kept == links:
            return links
        links = kept


def without(links: Links, pages: set[int]) -> Links:
    return {(v, w) for v, w in links if v not in pages and w not in pages}


def common_hubs(links: Links, authorities: set[int]) -> set[int]:
    return set.intersection(*(into(links, w) for w in authorities))


def common_authorities(links: Links, hubs: set[int]) -> set[int]:
    return set.intersection(*(out(links, v) for v in hubs))


def include_or_exclude(links: Links, pages: int, i: int, j: int, found: Found) -> Links:
    while True:
        decided = False
        for page in range(pages):
            authorities = out(links, page)
            if len(authorities) == j:
                decided = True
                hubs = common_hubs(links, authorities)
                if len(hubs) >= i:
                    found.append((sorted(hubs), sorted(authorities)))
                    links = prune(without(links, hubs | authorities), i, j)
                else:
                    links = prune({(v, w) for v, w in links if v != page}, i, j)
        for page in range(pages):
            hubs = into(links, page)
            if len(hubs) == i:
                decided = True
                authorities = common_authorities(links, hubs)
                if len(authorities) >= j:
                    found.append((sorted(hubs), sorted(authorities)))
                    links = prune(without(links, hubs | authorities), i, j)
                else:
                    links = prune({(v, w) for v, w in links if w != page}, i, j)
        if not decided:
            return links


class TooLong(Exception):
    pass


def first_set(links: Links, page: int, i: int, j: int, max_steps: int) -> set[int] | None:
    own = out(links, page)
    peers = {v for w in own for v in into(links, w) if len(own & out(links, v)) >= j}
    near = sorted(w for w in own if len(into(links, w) & peers) >= i)
    steps = 0

    def grow(chosen: list[int], start: int, hubs: set[int]) -> set[int] | None:
        nonlocal steps
        if len(chosen) == j:
            return set(chosen)
        for at in range(start, len(near) - (j - len(chosen)) + 1):
            if steps == max_steps:
                raise TooLong
            steps += 1
            fewer = hubs & into(links, near[at])
            if len(fewer) >= i and (whole := grow([*chosen, near[at]], at + 1, fewer)):
                return whole
        return None

    return grow([], 0, peers)


def trawl(
    lists: list[list[int]], i: int, j: int, max_in_links: int | None = 50, max_steps: int = 10_000
) -> tuple[Found, int]:
    """(hubs, authorities) of each core, most links first, and how many hubs were passed over."""
    links = {(v, w) for v, row in enumerate(lists) for w in row}
    few = {w for w in range(len(lists)) if max_in_links is None or len(into(links, w)) <= max_in_links}
    links = prune({(v, w) for v, w in links if w in few}, i, j)
    found: Found = []
    passed_over = 0
    links = include_or_exclude(links, len(lists), i, j, found)
    for page in range(len(lists)):
        if not out(links, page):
            continue
        try:
            authorities = first_set(links, page, i, j, max_steps)
        except TooLong:
            passed_over += 1
            continue
        if authorities is None:
            links = prune({(v, w) for v, w in links if v != page}, i, j)
        else:
            hubs = common_hubs(links, authorities)
            authorities = common_authorities(links, hubs)
            found.append((sorted(hubs), sorted(authorities)))
            links = prune(without(links, hubs | authorities), i, j)
    return sorted(found, key=lambda core: -len(core[0]) * len(core[1])), passed_over
