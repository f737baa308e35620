"""seedbed: where a web crawl should start, and what it should fetch next.

    import seedbed as sb

    web = sb.open("uk-2002")                          # any format; here BVGraph, next to uk-2002.urls
    seeds = sb.select(web, "cover", k=100)            # where to start, each seed with a reason
    run = sb.crawl(web, seeds, budget=100_000)
    seeds.save("seeds.jsonl")
    sb.export(seeds, "nutch", "urls/seeds.txt")

Functions are named like the commands. Names load what they need on first use, so importing seedbed is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from seedbed.errors import InputError, NeedsHosts, NotEnoughMemory, OptionError, SeedbedError

if TYPE_CHECKING:
    from seedbed import spark as spark
    from seedbed.api import (
        compare,
        crawl,
        load,
        make_web,
        open,  # noqa: A004
        rank,
        refresh,
        reproduce,
        select,
    )
    from seedbed.common.declarations import Option
    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.crawling.run import Run
    from seedbed.evaluation.comparison import Comparison
    from seedbed.evaluation.experiments.experiment import Experiment
    from seedbed.exports.export import Exported, export
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.refresh.refreshed_seeds import Refreshed
    from seedbed.seeds.seeds import Seeds
    from seedbed.seeds.uniqueness import uniqueness
    from seedbed.shape.describe import describe
    from seedbed.shape.web_shape import Shape
    from seedbed.sources.format import Format
    from seedbed.sources.graph_objects import from_networkx, from_scipy
    from seedbed.sources.saving import save

__version__ = "0.1.0"

_PLACES = {
    "seedbed.api": "open make_web load rank select crawl compare refresh reproduce",
    "seedbed.sources.saving": "save",
    "seedbed.sources.graph_objects": "from_networkx from_scipy",
    "seedbed.shape.describe": "describe",
    "seedbed.graph.web": "Web",
    "seedbed.shape.web_shape": "Shape",
    "seedbed.ranking.ranking": "Ranking",
    "seedbed.seeds.seeds": "Seeds",
    "seedbed.seeds.uniqueness": "uniqueness",
    "seedbed.seeds.refresh.refreshed_seeds": "Refreshed",
    "seedbed.crawling.run": "Run",
    "seedbed.crawling.checkpoint": "Checkpoint",
    "seedbed.evaluation.comparison": "Comparison",
    "seedbed.evaluation.experiments.experiment": "Experiment",
    "seedbed.sources.format": "Format",
    "seedbed.common.declarations": "Option",
    "seedbed.exports.export": "export Exported",
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}

__all__ = [
    "Checkpoint",
    "Comparison",
    "Experiment",
    "Exported",
    "Format",
    "InputError",
    "NeedsHosts",
    "NotEnoughMemory",
    "Option",
    "OptionError",
    "Ranking",
    "Refreshed",
    "Run",
    "SeedbedError",
    "Seeds",
    "Shape",
    "Web",
    "compare",
    "crawl",
    "describe",
    "export",
    "from_networkx",
    "from_scipy",
    "load",
    "make_web",
    "open",
    "rank",
    "refresh",
    "reproduce",
    "save",
    "select",
    "uniqueness",
]


def __getattr__(name: str) -> Any:
    if name == "spark":
        return importlib.import_module("seedbed.spark")
    if name not in _MODULES:
        raise AttributeError(f"module 'seedbed' has no attribute '{name}'")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
