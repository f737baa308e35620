"""Crawls for tests: webs with hosts, conditions of all kinds, and how a run is held against its twin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from seedbed.crawling.conditions import Conditions
from seedbed.crawling.orders import ORDERS
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import crawl
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from tests.graphs import Lists, page_lists, web_of
from tests.reference.crawl_orders import Limits, Seen


@dataclass
class Case:
    """A crawl to simulate."""

    lists: Lists
    hosts: list[int]
    crawled: list[bool]
    seeds: list[int]
    budget: int
    conditions: Conditions = field(default_factory=Conditions)

    @property
    def web(self) -> Web:
        urls = [f"http://{host:02}.example/{page}" for page, host in enumerate(self.hosts)]
        return replace(web_of(self.lists, urls), columns={"crawled": np.array(self.crawled)})

    @property
    def limits(self) -> Limits:
        """The conditions as the twin takes them."""
        asked = self.conditions
        chances = [float(asked.failure)] * (1 + max(self.hosts)) if asked.failure else []  # type: ignore[arg-type]
        excluded = [not one for one in self.crawled] if asked.crawled_only else []
        return Limits(
            self.hosts, asked.per_host, asked.max_depth, chances, excluded, asked.fetches_per_tick, asked.seed
        )

    def run(self, order: Any, **options: Any) -> Run:
        return crawl(self.web, self.seeds, order, self.budget, conditions=self.conditions, **options)


def conditions(*, polite: bool | None = None) -> st.SearchStrategy[Conditions]:
    """Conditions of all kinds, often as by default."""
    ticks = st.integers(1, 4)
    return st.builds(
        Conditions,
        per_host=st.none() | st.integers(1, 5),
        max_depth=st.none() | st.integers(0, 4),
        failure=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
        fetches_per_tick=st.none() if polite is False else ticks if polite else st.none() | ticks,
        crawled_only=st.booleans(),
        seed=st.integers(1, 1000),
    )


@st.composite
def cases(draw: st.DrawFn, *, polite: bool | None = None) -> Case:
    """A small web with hosts, seeds, a budget and conditions."""
    lists = draw(page_lists(24).filter(len))
    pages = range(len(lists))
    return Case(
        lists=lists,
        hosts=[draw(st.integers(0, 5)) for _ in pages],
        crawled=[draw(st.integers(0, 5)) > 0 for _ in pages],
        seeds=draw(st.lists(st.sampled_from(pages), min_size=1, max_size=4, unique=True)),
        budget=draw(st.just(len(lists)) | st.integers(1, len(lists))),
        conditions=draw(st.just(Conditions(fetches_per_tick=2 if polite else None)) | conditions(polite=polite)),
    )


def wide_case(seed: int = 1, pages: int = 400) -> Case:
    """A web of some hundred pages, always the same."""
    random = np.random.default_rng(seed)
    lists = [
        sorted(set((random.random(random.integers(0, 12)) ** 2 * pages).astype(int).tolist())) for _ in range(pages)
    ]
    return Case(lists, random.integers(0, 20, pages).tolist(), [True] * pages, [3, pages // 5, pages // 3], pages)


def as_bvgraph(web: Web, base: Path) -> Web:
    """The same web, its links compressed."""
    write_bvgraph(web.links.blocks(), base, pages=web.page_count)
    return replace(web, links=BvGraph.open(base))


def built_in_orders() -> list[str]:
    """Every order, with a number where one is needed."""
    needs = [name for name in ORDERS if (number := ORDERS[name].parameter) is not None and number.default is None]
    return [f"{name}@20" if name in needs else name for name in ORDERS]


def facts(run: Run) -> dict[str, Any]:
    """All that a run says, but the time it took."""
    arrays = {name: getattr(run, name) for name in ("pages", "parent", "depth", "score", "tick")}
    return {
        **{name: None if values is None else values.tolist() for name, values in arrays.items()},
        "counts": (run.known, run.failed, run.refused),
        "mass": run.guaranteed_mass,
        "exhausted": run.exhausted,
    }


def twin_facts(seen: Seen, run: Run, budget: int) -> dict[str, Any]:
    """What the run has to say, if the twin is right."""
    return {
        "pages": seen.fetched,
        "parent": [seen.parent[page] for page in seen.fetched],
        "depth": [seen.depth[page] for page in seen.fetched],
        "score": None if run.score is None else seen.scores,
        "tick": None if run.tick is None else seen.ticks,
        "counts": (len(seen.known), seen.failed, seen.refused),
        "mass": None,
        "exhausted": len(seen.fetched) < budget,
    }
