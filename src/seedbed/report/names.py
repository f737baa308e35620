"""What strategies and orders do, in a few words, for readers who meet them for the first time."""

from __future__ import annotations

STRATEGIES = {
    "cores": "the best hub of one community after another: a page that links to what other hubs link to as well",
    "trawling": "one hub of each group of pages that all link to the same pages",
    "cover": "pages that together have the most pages within reach, found quickly",
    "greedy": "pages that together have the most pages within reach, one by one, exactly",
    "maxweight": "pages with the most new pages within two links",
    "maxout": "pages with the most links to new pages",
    "maxscc": "as maxweight, inside the largest part of the web in which all pages reach each other",
    "rootscc": "as maxweight, among pages from which that part is reached",
    "pagerank": "the pages with the highest PageRank",
    "harmonic": "the pages that are near to most others",
    "indegree": "the pages with the most links to them",
    "outdegree": "the pages with the most links",
    "sampler": "pages drawn by chance, those with many links to them more often",
    "random": "pages drawn by chance, the baseline",
}
"""What seeds a strategy chooses."""

ORDERS = {
    "fpr": "the page with the most score: pages fetched share theirs out along links, with @M more to other hosts",
    "bfs": "the page found first (breadth-first), the baseline",
    "dfs": "the page found last (depth-first)",
    "opic": "the page with the most cash: pages fetched share theirs out among the pages they link to",
    "random": "any page found, by chance",
    "backlink": "the page with the most links from pages fetched",
    "pagerank": "the page with the highest PageRank among what was seen so far",
    "rankmass": "the page with the highest PageRank that is sure",
    "windowed-rankmass": "as rankmass, in batches",
    "largest-site-first": "a page of the host with the most pages waiting",
    "oracle": "best-first by true PageRank: it knows the whole web, which no crawler does",
}
"""What page an order fetches next."""


def meaning(name: str, of: dict[str, str], other: str) -> str:
    """What a strategy or order does; `other` where it is the user's own."""
    return of.get(name.partition("@")[0], other)
