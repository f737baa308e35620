"""Choosing seeds: one strategy, or one family of strategies, a file. seeds.select runs any of them by name."""

from __future__ import annotations

STRATEGIES = {
    "cores": "seedbed.seeds.cores",
    "trawling": "seedbed.seeds.trawling",
    "cover": "seedbed.seeds.cover",
    "greedy": "seedbed.seeds.greedy",
    "maxweight": "seedbed.seeds.maxweight",
    "maxout": "seedbed.seeds.maxout",
    "maxscc": "seedbed.seeds.components",
    "rootscc": "seedbed.seeds.components",
    "pagerank": "seedbed.seeds.heuristics",
    "harmonic": "seedbed.seeds.heuristics",
    "indegree": "seedbed.seeds.heuristics",
    "outdegree": "seedbed.seeds.heuristics",
    "sampler": "seedbed.seeds.heuristics",
    "random": "seedbed.seeds.heuristics",
}
"""The module of each strategy, whose function has the strategy's name."""
