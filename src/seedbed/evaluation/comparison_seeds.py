"""The seeds of a comparison: the same number for every strategy, drawn again in each repeat if they are random.

A user's own list cannot grow, so if one has fewer than k seeds, k drops to that number for all. Strategies stop when
they have nothing left to gain: `cover` when everything that can be covered is, `cores` when no link between sites is
left. A crawl from 2 seeds cannot be compared with one from 100, so the pages with the most links, of those not chosen,
are added after the strategy's own. Why those: they are found in one pass and without randomness; they open up the most
pages that one fetch can, which is what a seed is for; and PageRank, by which crawls are judged, plays no part. Ties go
to the smaller page. O(pages).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, counted
from seedbed.errors import OptionError
from seedbed.ranking.ranking import Ranking
from seedbed.seeds import STRATEGIES, strategy_of
from seedbed.seeds.gain import gain_of
from seedbed.seeds.seed_files import read_pages
from seedbed.seeds.seeds import Seed, Seeds
from seedbed.seeds.select import checked_values, select

if TYPE_CHECKING:
    from seedbed.evaluation.compare import Task
    from seedbed.graph.web import Web
    from seedbed.seeds.strategy import Measure, Strategy

ADDED = "added"
"""The option of `Seeds` that says how many were added."""
HOW_ADDED = "the other {:,} are the pages with the most links"


@dataclass(frozen=True, eq=False)
class Choice:
    """What a strategy chose, once for each draw of its random numbers; `seeds` is the first draw.

    `declared`: the strategy with that name, None for a user's own list.
    """

    strategy: str
    draws: tuple[Seeds, ...]
    declared: Strategy | None = None

    @property
    def seeds(self) -> Seeds:
        """The seeds to use and to show."""
        return self.draws[0]

    @property
    def has_chance(self) -> bool:
        """Whether there are other draws."""
        return len(self.draws) > 1

    @property
    def meaning(self) -> str:
        """What the strategy chooses, in one line."""
        return "your own list" if self.declared is None else self.declared.meaning or "a strategy of your own"

    def chooses_by(self, measure: Measure, *, values_are_even: bool = False) -> bool:
        """Whether the strategy chooses by a measure, and so does well on it by design."""
        return self.declared is not None and self.declared.chooses_by(measure, values_are_even=values_are_even)

    @property
    def chosen(self) -> int:
        """How many seeds the strategy chose itself, in the draw with the fewest; the others were added."""
        return min(chosen_by_strategy(seeds) for seeds in self.draws)

    @property
    def added(self) -> int:
        """How many seeds were added, in the draw with the most."""
        return max(int(seeds.options.get(ADDED, 0)) for seeds in self.draws)

    @cached_property
    def covered(self) -> NDArray[np.float64]:
        """draws × seeds: the share of the web's value covered after each seed; a draw that ends early stays flat."""
        longest = max((len(seeds) for seeds in self.draws), default=0)
        rows = np.zeros((len(self.draws), longest))
        for row, seeds in zip(rows, self.draws, strict=True):
            if seeds.gain is not None and len(seeds.gain.value):
                shares = seeds.gain.value / (seeds.gain.total_value or 1.0)
                row[: len(shares)], row[len(shares) :] = shares, shares[-1]
        return rows


def is_seed_file(given: str | Strategy) -> bool:
    """Whether this is a seed file, not a strategy."""
    return isinstance(given, str) and given not in STRATEGIES and Path(given).is_file()


def label(given: str | Strategy) -> str:
    """The name of a strategy or seed file in tables and figures, without characters that reverse or hide text."""
    name = given if isinstance(given, str) else given.name
    name = Path(name).name if is_seed_file(given) else name
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def read_lists(web: Web, strategies: Iterable[str | Strategy]) -> dict[str, tuple[list[int], int]]:
    """The seed files among the strategies: of each, the pages that are in the web and how many entries are not."""
    found = {name: read_pages(web, Path(name)) for name in map(str, filter(is_seed_file, strategies))}
    for name, (pages, _) in found.items():
        if not pages:
            raise OptionError(f"{name}: none of its seeds is in the web. Leave it out, or see: seedbed refresh.")
    return found


def equal_k(k: int, lists: Mapping[str, tuple[list[int], int]]) -> tuple[int, list[str]]:
    """k, or the length of the shortest list if that is less; and a note saying so."""
    shortest = min(lists, key=lambda name: len(lists[name][0]), default=None)
    if shortest is None or (has := len(lists[shortest][0])) >= k:
        return k, []
    note = f"every crawl starts from {counted(has, 'seed')}, because {label(shortest)} has no more; -k was {k:,}"
    return has, [note]


@dataclass(frozen=True, eq=False)
class SeedChooser:
    """Chooses the seeds of every strategy. `ranking`: the web's PageRank, if it is known already. `ready`: seeds
    already chosen, on this web or another, if every page is worth 1.
    """

    web: Web
    task: Task
    values: NDArray[Any] | None
    ranking: Ranking | None
    lists: Mapping[str, tuple[list[int], int]]
    ready: Sequence[Seeds]
    threads: int
    progress: Progress

    def choices(self) -> Iterable[Choice]:
        """The seeds of every strategy. A default one that finds none is left out, a named one refused."""
        for given in self.task.strategies:
            if isinstance(given, str) and given in self.lists:
                yield Choice(label(given), (self._from_list(label(given), *self.lists[given]),))
                continue
            strategy = strategy_of(given)
            draws = tuple(self._draws(strategy))
            if all(len(seeds) for seeds in draws):
                yield Choice(strategy.name, draws, strategy)
            elif not self.task.has_default_strategies:
                raise OptionError(f"strategy '{strategy.name}' finds no seed in this web; leave it out.")

    def _draws(self, strategy: Strategy) -> Iterable[Seeds]:
        repeats = self.task.repeats if strategy.chance else 1
        known: dict[str, Any] = {}
        if strategy.name == "pagerank" and self.ranking is not None:
            known["ranking"] = self.ranking
        for draw in range(repeats):
            self.progress(f"seeds: {strategy.name}", draw, repeats)
            asked: dict[str, Any] = {"k": self.task.k, "hops": self.task.hops, "seed": self.task.seed + draw}
            ready = (
                one
                for one in self.ready
                if one.web is self.web and one.strategy == strategy.name and asked.items() <= one.options.items()
            )
            found = next(ready, None) or select(
                self.web, strategy, values=self.values, threads=self.threads, **asked, **known
            )
            options = {name: one for name, one in found.options.items() if name not in known}
            yield topped_up(self.web, replace(found, options=options), self.task.k, self.values)

    def _from_list(self, name: str, pages: Sequence[int], missing: int) -> Seeds:
        """The first k seeds of a file that are in the web."""
        k, hops, notes = self.task.k, self.task.hops, []
        if missing:
            notes.append(f"{counted(missing, 'of its entries is', 'of its entries are')} not in the web.")
        if len(pages) > k:
            notes.append(f"the first {k:,} of its {counted(len(pages), 'seed')} are used, as many as for all.")
        seeds = tuple(
            Seed(rank, page, 0.0, name, f"listed in {name}, place {rank:,}") for rank, page in enumerate(pages[:k], 1)
        )
        gain = gain_of(self.web, pages[:k], checked_values(self.web.page_count, self.values), hops)
        return Seeds(name, seeds, {"k": k, "hops": hops}, gain, tuple(notes), web=self.web)


def topped_up(web: Web, seeds: Seeds, k: int, values: NDArray[Any] | None = None) -> Seeds:
    """The seeds, filled up to k with the pages with the most links; the option `added` says how many those are."""
    missing = min(k, web.page_count) - len(seeds)
    if missing <= 0 or not len(seeds):
        return seeds
    links = web.links.out_degrees().astype(np.float64)
    left = links.copy()
    left[seeds.pages] = -1
    added = tuple(
        Seed(
            len(seeds) + place,
            int(page),
            float(links[page]),
            seeds.strategy,
            f"added: {seeds.strategy} had nothing left to choose; {counted(int(links[page]), 'link')} on the page",
        )
        for place, page in enumerate(Ranking("links", left).top(missing), 1)
    )
    all_seeds = (*seeds.seeds, *added)
    hops = int(seeds.options.get("hops", 0))
    gain = gain_of(web, [seed.page for seed in all_seeds], checked_values(web.page_count, values), hops)
    return replace(seeds, seeds=all_seeds, gain=gain, options={**seeds.options, ADDED: missing})


def chosen_by_strategy(seeds: Seeds) -> int:
    """How many of the seeds the strategy chose itself."""
    return len(seeds) - int(seeds.options.get(ADDED, 0))


def notes_on_seeds(choices: Iterable[Choice], k: int) -> Iterable[str]:
    """What a reader should know about the seeds of each strategy."""
    for choice in choices:
        for note in choice.seeds.notes:
            yield note if note.startswith(f"{choice.strategy}: ") else f"{choice.strategy}: {note}"
        if choice.chosen < k:
            yield f"{choice.strategy}: {chosen_and_added(choice, k)}"
        if len({seeds.pages.tobytes() for seeds in choice.draws}) > 1:
            yield (
                f"{choice.strategy}: its seeds are drawn at random for each of the {len(choice.draws)} repeats; "
                "those of the first are listed"
            )


def chosen_and_added(choice: Choice, k: int) -> str:
    """How many of the seeds the strategy chose, and which were added."""
    return f"it chose {choice.chosen:,} of {counted(k, 'seed')}; {HOW_ADDED.format(k - choice.chosen)}"
