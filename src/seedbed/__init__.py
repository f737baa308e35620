"""seedbed: where a web crawl should start, and what it should fetch next.

    import seedbed as sb

    web = sb.open("uk-2002")          # any format; here BVGraph with uk-2002.urls beside it
    print(sb.describe(web).to_dict())
    sb.save(web, "uk-2002.web")       # the native store, which opens in milliseconds

Names load what they need when they are first used, so that importing seedbed is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from seedbed.errors import InputError, NeedsHosts, NotEnoughMemory, OptionError, SeedbedError

if TYPE_CHECKING:
    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.crawling.conditions import Conditions
    from seedbed.crawling.run import Run
    from seedbed.crawling.run_files import load_run, save_run
    from seedbed.crawling.simulator import crawl
    from seedbed.exports.export import export
    from seedbed.graph.web import Web
    from seedbed.ranking.harmonic import harmonic
    from seedbed.ranking.hits import hits
    from seedbed.ranking.pagerank import pagerank
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.seeds import Seeds
    from seedbed.seeds.select import Limits, select
    from seedbed.shape.describe import describe
    from seedbed.shape.web_shape import Shape
    from seedbed.sources import ReadOptions
    from seedbed.sources import open_web as open  # noqa: A004
    from seedbed.sources.graph_objects import from_networkx, from_scipy
    from seedbed.sources.saving import save
    from seedbed.synth import make_web

__version__ = "0.1.0"

_PLACES = {
    "open": ("seedbed.sources", "open_web"),
    "ReadOptions": ("seedbed.sources", "ReadOptions"),
    "from_networkx": ("seedbed.sources.graph_objects", "from_networkx"),
    "from_scipy": ("seedbed.sources.graph_objects", "from_scipy"),
    "save": ("seedbed.sources.saving", "save"),
    "describe": ("seedbed.shape.describe", "describe"),
    "Shape": ("seedbed.shape.web_shape", "Shape"),
    "make_web": ("seedbed.synth", "make_web"),
    "Web": ("seedbed.graph.web", "Web"),
    "pagerank": ("seedbed.ranking.pagerank", "pagerank"),
    "hits": ("seedbed.ranking.hits", "hits"),
    "harmonic": ("seedbed.ranking.harmonic", "harmonic"),
    "Ranking": ("seedbed.ranking.ranking", "Ranking"),
    "select": ("seedbed.seeds.select", "select"),
    "Limits": ("seedbed.seeds.select", "Limits"),
    "Seeds": ("seedbed.seeds.seeds", "Seeds"),
    "export": ("seedbed.exports.export", "export"),
    "crawl": ("seedbed.crawling.simulator", "crawl"),
    "Conditions": ("seedbed.crawling.conditions", "Conditions"),
    "Checkpoint": ("seedbed.crawling.checkpoint", "Checkpoint"),
    "Run": ("seedbed.crawling.run", "Run"),
    "load_run": ("seedbed.crawling.run_files", "load_run"),
    "save_run": ("seedbed.crawling.run_files", "save_run"),
}

__all__ = [
    "Checkpoint",
    "Conditions",
    "InputError",
    "Limits",
    "NeedsHosts",
    "NotEnoughMemory",
    "OptionError",
    "Ranking",
    "ReadOptions",
    "Run",
    "SeedbedError",
    "Seeds",
    "Shape",
    "Web",
    "crawl",
    "describe",
    "export",
    "from_networkx",
    "from_scipy",
    "harmonic",
    "hits",
    "load_run",
    "make_web",
    "open",
    "pagerank",
    "save",
    "save_run",
    "select",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'seedbed' has no attribute '{name}'")
    module, attribute = _PLACES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
