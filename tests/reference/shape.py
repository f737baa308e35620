"""Components, bow-tie, degrees, distances and power laws, written for reading: sets, queues and sums."""

from __future__ import annotations

import math
import statistics
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

Graph = Sequence[set[int]]
"""Graph[page] is the set of pages that `page` links to."""


def distances_from(graph: Graph, source: int) -> dict[int, int]:
    """Every page that `source` reaches, itself too, and how many links away it is."""
    away = {source: 0}
    queue = deque([source])
    while queue:
        page = queue.popleft()
        for target in graph[page]:
            if target not in away:
                away[target] = away[page] + 1
                queue.append(target)
    return away


def reached(graph: Graph, sources: Iterable[int]) -> set[int]:
    """Every page that some source reaches, sources too."""
    return {page for source in sources for page in distances_from(graph, source)}


def turned(graph: Graph) -> Graph:
    """Every link turned round."""
    result: list[set[int]] = [set() for _ in graph]
    for page, targets in enumerate(graph):
        for target in targets:
            result[target].add(page)
    return result


def strong(graph: Graph) -> set[frozenset[int]]:
    """Pages that reach each other, by definition."""
    back = turned(graph)
    return {
        frozenset(distances_from(graph, page).keys() & distances_from(back, page).keys()) for page in range(len(graph))
    }


def weak(graph: Graph) -> set[frozenset[int]]:
    """Pages that links join, whichever way they point."""
    both = [out | into for out, into in zip(graph, turned(graph), strict=True)]
    return {frozenset(distances_from(both, page)) for page in range(len(graph))}


def bow_tie(graph: Graph) -> dict[str, set[int]]:
    """The parts, each by its definition."""
    names = ("largest_component", "in", "out", "tubes", "tendrils", "disconnected")
    if not graph:
        return {name: set() for name in names}
    core = min(strong(graph), key=lambda pages: (-len(pages), min(pages)))
    back = turned(graph)
    into, out = reached(back, core) - core, reached(graph, core) - core
    rest = set(range(len(graph))) - core - into - out
    tubes = rest & reached(graph, into) & reached(back, out)
    joined = next(pages for pages in weak(graph) if core <= pages)
    tendrils = (rest - tubes) & joined
    return dict(zip(names, (set(core), into, out, tubes, tendrils, rest - joined), strict=True))


def average_distance(graph: Graph) -> float | None:
    """The mean over all ordered pairs of different pages that have a way."""
    lengths = [length for page in range(len(graph)) for length in distances_from(graph, page).values() if length > 0]
    return sum(lengths) / len(lengths) if lengths else None


def reach_at_least(graph: Graph) -> list[int]:
    """For each page: pages on the longest chain of strong components that begins with its own, without itself."""
    component = {page: pages for pages in strong(graph) for page in pages}

    def longest(pages: frozenset[int]) -> int:
        others = {component[target] for page in pages for target in graph[page]} - {pages}
        return len(pages) + max(map(longest, others), default=0)

    return [longest(component[page]) - 1 for page in range(len(graph))]


class Drawn(NamedTuple):
    """A stratum of `size` pages whose x is `mean_known` on average, and (x, N, S) of the pages drawn."""

    size: int
    mean_known: float
    found: Sequence[tuple[int, int, int]]

    def fitted(self, values: Sequence[float]) -> tuple[float, float]:
        """The mean of y over the stratum and the variance of that, from the y of the pages drawn."""
        x, count = [one[0] for one in self.found], len(values)
        mean, share = statistics.mean(values), (1 - count / self.size) / count
        if count == self.size:
            return mean, 0.0
        if count < 8 or len(set(x)) == 1:
            return mean, share * statistics.variance(values)
        slope, start = statistics.linear_regression(x, values)
        residuals = [y - (start + slope * known) for known, y in zip(x, values, strict=True)]
        share += (statistics.mean(x) - self.mean_known) ** 2 / sum((known - statistics.mean(x)) ** 2 for known in x)
        on_line = start + slope * self.mean_known
        return sorted((min(values), on_line, max(values)))[1], share * sum(e * e for e in residuals) / (count - 2)


def stratified_ratio(strata: Sequence[Drawn]) -> tuple[float, float, float, float]:
    """(Σ S / Σ N, its standard error, Σ N, its standard error)."""

    def summed(value: Callable[[int, int], float]) -> tuple[float, float]:
        fitted = [(one.size, *one.fitted([value(n, s) for _, n, s in one.found])) for one in strata]
        return sum(size * mean for size, mean, _ in fitted), math.sqrt(sum(size**2 * var for size, _, var in fitted))

    pairs, pairs_error = summed(lambda n, s: n)
    ratio = summed(lambda n, s: s)[0] / pairs
    return ratio, summed(lambda n, s: s - ratio * n)[1] / pairs, pairs, pairs_error


def zeta(alpha: float, start: int) -> float:
    """Σ x^−α for x ≥ start: a thousand terms, then Euler and Maclaurin."""
    end = start + 1000
    head = math.fsum(x**-alpha for x in range(start, end))
    return head + end ** (1 - alpha) / (alpha - 1) + end**-alpha / 2 + alpha * end ** (-alpha - 1) / 12


def likelihood(degrees: Sequence[int], alpha: float, start: int) -> float:
    """ln of the probability that the law gives the degrees from `start` on."""
    tail = [x for x in degrees if x >= start]
    return -len(tail) * math.log(zeta(alpha, start)) - alpha * sum(math.log(x) for x in tail)


def law_distance(degrees: Sequence[int], alpha: float, start: int) -> float:
    """The largest gap between cumulated distributions, looked for at every whole number."""
    tail = Counter(x for x in degrees if x >= start)
    total, norm = sum(tail.values()), zeta(alpha, start)
    seen = expected = worst = 0.0
    for x in range(start, max(tail) + 1):
        seen += tail[x] / total
        expected += x**-alpha / norm
        worst = max(worst, abs(seen - expected))
    return worst


def vuong_over_exponential(degrees: Sequence[int], alpha: float, start: int) -> float:
    """R / (s √n) of a power law against the likeliest exponential, page by page."""
    rate = math.log(1 + 1 / (sum(degrees) / len(degrees) - start))
    normal = math.log(zeta(alpha, start))
    terms = [(-alpha * math.log(x) - normal) - (math.log(1 - math.exp(-rate)) - rate * (x - start)) for x in degrees]
    mean = sum(terms) / len(terms)
    spread = math.sqrt(sum((term - mean) ** 2 for term in terms) / len(terms))
    return mean * math.sqrt(len(terms)) / spread


def log_normal_likelihood(degrees: Sequence[int], pages: Sequence[int], start: int, mu: float, sigma: float) -> float:
    """Σ ln P of integers under a log-normal cut at half steps."""

    def above(x: float) -> float:
        return 0.5 * math.erfc((math.log(x) - mu) / sigma / math.sqrt(2))

    total = above(start - 0.5)
    parts = [(above(x - 0.5) - above(x + 0.5)) / total if total else 0.0 for x in degrees]
    return sum(n * (math.log(p) if p > 0 else -1e6) for p, n in zip(parts, pages, strict=True))
