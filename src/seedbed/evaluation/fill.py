"""Seeds filled up to k, so that crawls from the seeds of different strategies start from as many.

Strategies end when they have nothing left to gain: `cover` when all that can be covered is, `cores` when no link
between sites is left. A crawl from 2 seeds and one from 100 cannot be compared. So the pages with the most links, of
those not chosen, are added after the strategy's own. Why those: they are found in one pass and without chance; they
open the most pages to the crawl that one fetch can, which is what a seed is for; and PageRank, by which crawls are
judged, has no say in it. Ties go to the smaller page. O(pages).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.ranking.ranking import Ranking
from seedbed.seeds.gain import gain_of
from seedbed.seeds.seeds import Seed, Seeds
from seedbed.seeds.select import checked_values

if TYPE_CHECKING:
    from seedbed.graph.web import Web

FILLED = "filled"
HOW = "with the pages that have the most links"


def filled_up(web: Web, seeds: Seeds, k: int, values: NDArray[Any] | None = None) -> Seeds:
    """The seeds, and as many others as are missing to k; how many those are is in the options, as `filled`."""
    missing = min(k, web.page_count) - len(seeds)
    if missing <= 0 or not len(seeds):
        return seeds
    links = web.links.out_degrees().astype(np.float64)
    count = links.copy()
    count[seeds.pages] = -1
    added = tuple(
        Seed(
            len(seeds) + place,
            int(page),
            float(links[page]),
            seeds.strategy,
            f"fills up: {seeds.strategy} had nothing left to choose; {counted(int(links[page]), 'link')} on the page",
        )
        for place, page in enumerate(Ranking("links", count).top(missing), 1)
    )
    all_of_them = (*seeds.seeds, *added)
    hops = int(seeds.options.get("hops", 0))
    gain = gain_of(web, [seed.page for seed in all_of_them], checked_values(web, values), hops)
    return replace(seeds, seeds=all_of_them, gain=gain, options={**seeds.options, FILLED: missing})


def chosen_by_strategy(seeds: Seeds) -> int:
    """How many of the seeds the strategy chose itself."""
    return len(seeds) - int(seeds.options.get(FILLED, 0))
