"""The seeds of a comparison: as many for every strategy, drawn anew where there is chance in it.

A list of the user's own cannot grow, so where one has fewer than k seeds, k is as many as it has, for all. A strategy
that has nothing left to choose is filled up to k (see fill.py). Either way all crawls start from as many pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import OptionError
from seedbed.evaluation.comparison import Choice
from seedbed.evaluation.fill import HOW, filled_up
from seedbed.seeds import STRATEGIES
from seedbed.seeds.gain import gain_of
from seedbed.seeds.seed_files import read_pages
from seedbed.seeds.seeds import Seed, Seeds
from seedbed.seeds.select import checked_values, select

if TYPE_CHECKING:
    from seedbed.evaluation.compare import Task
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking

CHANCE_IN_STRATEGIES = frozenset({"cover", "random", "sampler"})


def is_seed_file(name: str) -> bool:
    """Whether a strategy is no strategy but a seed file."""
    return name not in STRATEGIES and Path(name).is_file()


def label(strategy: str) -> str:
    """What a strategy or a seed file is called in tables and figures; signs that turn texts round are not kept."""
    name = Path(strategy).name if is_seed_file(strategy) else strategy
    return "".join(letter if letter.isprintable() else "�" for letter in name)


@dataclass(frozen=True)
class Listed:
    """What a seed file has of the web: pages, and how many entries are not in it."""

    pages: tuple[int, ...]
    missing: int


def read_lists(web: Web, strategies: Iterable[str]) -> dict[str, Listed]:
    """The seed files among the strategies."""
    found = {}
    for name in filter(is_seed_file, strategies):
        pages, missing = read_pages(web, Path(name))
        if not pages:
            raise OptionError(f"{name}: has no seed that is in the web. Leave it out, or see: seedbed refresh.")
        found[name] = Listed(tuple(dict.fromkeys(pages)), missing)
    return found


def equal_k(k: int, lists: Mapping[str, Listed]) -> tuple[int, list[str]]:
    """As many seeds as every list has, and what is to be said of that."""
    shortest = min(lists, key=lambda name: len(lists[name].pages), default=None)
    if shortest is None or len(lists[shortest].pages) >= k:
        return k, []
    has = len(lists[shortest].pages)
    return has, [
        f"every crawl starts from {counted(has, 'seed')}, as many as {label(shortest)} has, so that all start from as "
        f"many; {k:,} were asked for"
    ]


@dataclass(frozen=True, eq=False)
class Choosing:
    """What is chosen from, and how. `made`: seeds that are there already, for pages that are worth 1 each."""

    web: Web
    task: Task
    values: NDArray[Any] | None
    ranking: Ranking
    lists: Mapping[str, Listed]
    made: Sequence[Seeds] = ()
    threads: int = 1
    progress: Progress = no_progress

    def choices(self, defaults: tuple[str, ...]) -> Iterable[Choice]:
        """The seeds of every strategy. One of the defaults that finds none is left out, one that was named refused."""
        for strategy in self.task.strategies:
            if strategy in self.lists:
                yield Choice(label(strategy), (self._listed(strategy),))
                continue
            draws = tuple(self._draws(strategy))
            if all(len(seeds) for seeds in draws):
                yield Choice(strategy, draws)
            elif self.task.strategies != defaults:
                raise OptionError(f"strategy '{strategy}' finds no seed in this web; leave it out.")

    def _draws(self, strategy: str) -> Iterable[Seeds]:
        repeats = self.task.repeats if strategy in CHANCE_IN_STRATEGIES else 1
        known: dict[str, Any] = {"ranking": self.ranking} if strategy == "pagerank" else {}
        for draw in range(repeats):
            self.progress(f"seeds: {strategy}", draw, repeats)
            asked: dict[str, Any] = {"k": self.task.k, "hops": self.task.hops, "seed": self.task.seed + draw}
            found = self._made(strategy, asked) or select(
                self.web, strategy, values=self.values, threads=self.threads, **asked, **known
            )
            options = {name: one for name, one in found.options.items() if name not in known}
            yield filled_up(self.web, replace(found, options=options), self.task.k, self.values)

    def _made(self, strategy: str, asked: Mapping[str, Any]) -> Seeds | None:
        """Seeds that are as asked for, and need not be chosen again."""
        for seeds in self.made:
            if seeds.strategy == strategy and {name: seeds.options.get(name) for name in asked} == asked:
                return seeds
        return None

    def _listed(self, path: str) -> Seeds:
        """The first k seeds of a file that the web has."""
        name, found, k = label(path), self.lists[path], self.task.k
        notes = []
        if found.missing:
            notes.append(f"{counted(found.missing, 'of its entries is', 'of its entries are')} not in the web.")
        if len(found.pages) > k:
            notes.append(f"the first {k:,} of its {counted(len(found.pages), 'seed')}, as many as all others have.")
        seeds = tuple(
            Seed(rank, page, 0.0, name, f"listed in {name}, place {rank:,}")
            for rank, page in enumerate(found.pages[:k], 1)
        )
        gain = gain_of(self.web, [seed.page for seed in seeds], checked_values(self.web, self.values), self.task.hops)
        return Seeds(name, seeds, {"k": k, "hops": self.task.hops}, gain, tuple(notes), web=self.web)


def notes_on_seeds(choices: Iterable[Choice], k: int) -> Iterable[str]:
    """What is to be said of the seeds of each strategy, by name."""
    for choice in choices:
        for note in choice.seeds.notes:
            yield note if note.startswith(f"{choice.strategy}: ") else f"{choice.strategy}: {note}"
        if choice.chosen < k:
            yield f"{choice.strategy}: {filled_words(choice, k)}"
        if len({seeds.pages.tobytes() for seeds in choice.draws}) > 1:
            yield (
                f"{choice.strategy}: its seeds are drawn by chance, in each repeat anew; those that are listed are the "
                f"first of {counted(len(choice.draws), 'draw')}"
            )


def filled_words(choice: Choice, k: int) -> str:
    """How many of the seeds the strategy chose, and how the others were found."""
    return f"{choice.chosen:,} of {counted(k, 'seed')} chosen, {k - choice.chosen:,} filled up {HOW}"
