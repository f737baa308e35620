"""Seeds judged on a web that they were not chosen from.

Seeds look best on the web they were chosen from: they fit what is there by accident, and none of them is gone. So they
are chosen on an older snapshot, carried to a newer one by URL (as urls/url_matching.py matches pages), and crawled
there. Seeds that are gone are lost: no other takes their place, since it is the strategy that picked what did not last.

Where there is one snapshot only, a stand-in: seeds are chosen on the web without a random part of its hosts, and judged
on all of it. That shows how well a choice carries over to hosts not seen, and nothing about how pages change.

Cost: matching is O(URLs log URLs). Memory: 60 bytes for each URL of the two webs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import require
from seedbed.common.messages import counted
from seedbed.errors import NeedsHosts, OptionError
from seedbed.evaluation.comparison_seeds import ADDED, Choice, chosen_by_strategy
from seedbed.urls.url_matching import BYTES_A_URL, matched_pages

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

SAME_WEB, LATER_CRAWL, HIDDEN_HOSTS = "same web", "later crawl", "hidden hosts"
"""What seeds are judged on: the web they were chosen from, a newer one, or hosts that the choice did not see."""


@dataclass(frozen=True, eq=False)
class ChoosingSide:
    """The web that seeds are chosen on. `page_there`: each of its pages in the web that judges, −1 if it is gone.

    `judged_on`: LATER_CRAWL or HIDDEN_HOSTS. `note`: what the user should know.
    """

    judged_on: str
    source: str
    web: Web
    page_there: NDArray[np.int64]
    note: str

    def carried(self, choice: Choice, web: Web) -> Choice:
        """What a strategy chose, as far as it is there in the web that judges."""
        return replace(choice, draws=tuple(self._carried(seeds, web) for seeds in choice.draws))

    def _carried(self, seeds: Seeds, web: Web) -> Seeds:
        there = self.page_there[seeds.pages]
        first = np.unique(there, return_index=True)[1]
        kept = np.sort(first[there[first] >= 0])
        carried = tuple(
            replace(seeds[int(at)], rank=rank, page=int(there[at]), core=None) for rank, at in enumerate(kept, 1)
        )
        added = int(np.count_nonzero(kept >= chosen_by_strategy(seeds)))
        return replace(seeds, seeds=carried, options={**seeds.options, ADDED: added}, gain=None, web=web)


def older_side(old: Web, new: Web) -> ChoosingSide:
    """The older of two snapshots."""
    source = old.origin.source or "the older web"
    if old.urls is None or new.urls is None:
        name = source if old.urls is None else new.origin.source or "the newer web"
        raise OptionError(f"{name}: has no URLs, by which seeds are carried from the older web to the newer.")
    require(BYTES_A_URL * (old.page_count + new.page_count), "matching the pages of the two webs")
    _, near = matched_pages(old.urls, new.urls)
    shared = int(np.count_nonzero(near >= 0))
    if not shared:
        raise OptionError(
            f"{source}: shares no URL with the newer web, so no seed chosen on it could be crawled. Give two snapshots "
            "of the same web."
        )
    note = f"{shared:,} of the {old.page_count:,} pages of {source} are still there in the newer web"
    return ChoosingSide(LATER_CRAWL, source, old, near, note)


def without_hosts(web: Web, share: float, seed: int) -> ChoosingSide:
    """A web without the pages of a random part of its hosts."""
    try:
        hosts = web.sites("host")
    except NeedsHosts:
        raise NeedsHosts("the web has no hosts, so none can be hidden; leave out --hide-hosts.") from None
    count = len(hosts.names)
    hidden = min(max(round(share * count), 1), count - 1)
    if hidden < 1:
        raise OptionError("the web has a single host, so none can be hidden; leave out --hide-hosts.")
    shown = np.ones(count, np.bool_)
    shown[np.random.default_rng([seed, count]).choice(count, hidden, replace=False)] = False
    kept = np.flatnonzero(shown[hosts.of_page])
    note = (
        f"{hidden:,} of the {count:,} hosts, with {web.page_count - len(kept):,} of the {web.page_count:,} pages, were "
        "hidden while seeds were chosen"
    )
    source = f"{web.origin.source or 'the web'} without {counted(hidden, 'host')}"
    return ChoosingSide(HIDDEN_HOSTS, source, web.subgraph(kept), kept, note)


def judged_choices(
    side: ChoosingSide, chosen: Sequence[Choice], fresh: Sequence[Choice], web: Web
) -> tuple[Choice, ...]:
    """What was chosen on the other side, carried over; the user's own lists as they are.

    A strategy that finds no seed on one of the two sides is left out. One whose seeds are all gone stays: its crawls
    fetch nothing, and that is what it is worth.
    """
    carried = {choice.strategy: side.carried(choice, web) for choice in chosen}
    found = [choice if choice.declared is None else carried.get(choice.strategy) for choice in fresh]
    judged = tuple(choice for choice in found if choice is not None)
    if not any(seeds_left(choice) for choice in judged):
        raise OptionError(f"no seed chosen on {side.source} is left in the newer web. Choose more with -k.")
    return judged


def notes_on_lost(judged: Sequence[Choice], fresh: Sequence[Choice], k: int) -> Iterator[str]:
    """Notes on seeds that are gone, and on strategies that could not be judged."""
    for choice in judged:
        left = seeds_left(choice)
        if choice.declared is not None and left < k:
            gone = f"{average(k - left)} of its {counted(k, 'seed')} {'is' if k - left == 1 else 'are'} gone"
            yield f"{choice.strategy}: {gone} in the web that judges them"
    names = {choice.strategy for choice in judged}
    for choice in fresh:
        if choice.strategy not in names:
            yield f"{choice.strategy}: has no seed that could be judged and is left out"


def average(number: float) -> str:
    """An average of counts, with a digit after the point unless it is a whole number."""
    return f"{number:,.1f}".removesuffix(".0")


def seeds_left(choice: Choice) -> float:
    """How many seeds a crawl starts from, on average over the draws."""
    return float(np.mean([len(draw) for draw in choice.draws]))
