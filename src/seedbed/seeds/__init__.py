"""Choosing seeds: one file per strategy or family of strategies. seeds.select runs any of them by name."""

from __future__ import annotations

from seedbed.common.declarations import Registry
from seedbed.seeds.strategy import Strategy, as_strategy

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    "seedbed.strategies",
    {
        "cores": "seedbed.seeds.cores.core_seeds:cores",
        "trawling": "seedbed.seeds.cores.trawling:trawling",
        "cover": "seedbed.seeds.coverage.cover:cover",
        "greedy": "seedbed.seeds.coverage.greedy:greedy",
        "maxweight": "seedbed.seeds.coverage.greedy:maxweight",
        "maxout": "seedbed.seeds.coverage.maxout:maxout",
        "maxscc": "seedbed.seeds.coverage.scc_strategies:maxscc",
        "rootscc": "seedbed.seeds.coverage.scc_strategies:rootscc",
        "pagerank": "seedbed.seeds.heuristics:pagerank",
        "harmonic": "seedbed.seeds.heuristics:harmonic",
        "indegree": "seedbed.seeds.heuristics:indegree",
        "outdegree": "seedbed.seeds.heuristics:outdegree",
        "sampler": "seedbed.seeds.heuristics:sampler",
        "random": "seedbed.seeds.heuristics:random",
    },
    as_strategy,
)
"""Every strategy by name: the built-in ones, and those of other packages."""


def strategy_of(given: object) -> Strategy:
    """The strategy with this name; a function becomes a strategy with the function's name."""
    if isinstance(given, str):
        return STRATEGIES[given]
    return (
        given if isinstance(given, Strategy) else as_strategy(getattr(given, "__name__", type(given).__name__), given)
    )
