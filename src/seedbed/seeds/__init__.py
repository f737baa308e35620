"""Choosing seeds: one strategy, or one family of strategies, a file. seeds.select runs any of them by name."""

from __future__ import annotations

STRATEGIES = {
    "cores": "seedbed.seeds.cores.core_seeds",
    "trawling": "seedbed.seeds.cores.trawling",
    "cover": "seedbed.seeds.coverage.cover",
    "greedy": "seedbed.seeds.coverage.greedy",
    "maxweight": "seedbed.seeds.coverage.maxweight",
    "maxout": "seedbed.seeds.coverage.maxout",
    "maxscc": "seedbed.seeds.coverage.scc_strategies",
    "rootscc": "seedbed.seeds.coverage.scc_strategies",
    "pagerank": "seedbed.seeds.heuristics",
    "harmonic": "seedbed.seeds.heuristics",
    "indegree": "seedbed.seeds.heuristics",
    "outdegree": "seedbed.seeds.heuristics",
    "sampler": "seedbed.seeds.heuristics",
    "random": "seedbed.seeds.heuristics",
}
"""The module of each strategy, whose function has the strategy's name."""
