"""PageRank, HITS, harmonic centrality and in-degree, written for reading: lists and sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from tests.reference.shape import Graph, distances_from

Scores = list[float]


def pagerank(graph: Graph, damping: float, iterations: int, preference: Sequence[float] | None = None) -> Scores:
    """x = α·(xP + d/n) + (1 − α)·v, the right side taken `iterations` times from x = v."""
    pages = len(graph)
    start = [1 / pages for _ in graph] if preference is None else [v / sum(preference) for v in preference]
    scores = start
    for _ in range(iterations):
        dangling = math.fsum(scores[page] for page in range(pages) if not graph[page])
        new = [damping * dangling / pages + (1 - damping) * v for v in start]
        for page, targets in enumerate(graph):
            for target in targets:
                new[target] += damping * scores[page] / len(targets)
        scores = new
    return scores


def exact_pagerank(graph: Graph, damping: Fraction) -> list[Fraction]:
    """x = α·(xP + d/n) + (1 − α)/n, solved by elimination in fractions."""
    pages = len(graph)
    share = [
        [Fraction(1, pages)] * pages if not row else [Fraction(x in row, len(row)) for x in range(pages)]
        for row in graph
    ]
    rows = [[(x == y) - damping * share[y][x] for y in range(pages)] + [(1 - damping) / pages] for x in range(pages)]
    for at in range(pages):  # the diagonal dominates each column, so no pivot is 0
        rows[at] = [number / rows[at][at] for number in rows[at]]
        for x in range(pages):
            if x != at:
                rows[x] = [number - rows[x][at] * own for number, own in zip(rows[x], rows[at], strict=True)]
    return [row[-1] for row in rows]


def hits(graph: Graph, iterations: int) -> tuple[Scores, Scores]:
    """(hubs, authorities): a = Aᵀh, normalise, h = Aa, normalise."""
    hubs = [1.0 for _ in graph]
    authorities = [0.0 for _ in graph]
    for _ in range(iterations):
        authorities = unit(
            [sum(hubs[page] for page in range(len(graph)) if y in graph[page]) for y in range(len(graph))]
        )
        hubs = unit([sum(authorities[target] for target in targets) for targets in graph])
    return hubs, authorities


def unit(vector: Scores) -> Scores:
    """The vector at L2 norm 1; 0 stays 0."""
    norm = math.sqrt(math.fsum(value * value for value in vector))
    return [value / norm for value in vector] if norm else vector


def harmonic(graph: Graph) -> Scores:
    """Σ 1/d(y, x) over the pages y ≠ x that reach x."""
    scores = [0.0 for _ in graph]
    for y in range(len(graph)):
        for x, distance in distances_from(graph, y).items():
            if x != y:
                scores[x] += 1 / distance
    return scores


def indegree(graph: Graph) -> Scores:
    """Links to each page."""
    return [float(sum(page in targets for targets in graph)) for page in range(len(graph))]


def ball_size(registers: Sequence[int]) -> float:
    """Ertl's estimator of how many different things a HyperLogLog counter has seen, term by term."""
    m = len(registers)
    share = registers.count(0) / m
    sigma, power, factor = share, share, 0.5
    while power:
        power, factor = power * power, factor * 2
        sigma += power * factor
    return m * m / (2 * math.log(2)) / (m * sigma + sum(2.0**-r for r in registers if r))
