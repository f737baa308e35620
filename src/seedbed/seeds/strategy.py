"""What a strategy is: a function that chooses seeds, and its description.

    @strategy("the pages with the most links", paper="Zheng, Dmitriev, Giles 2009")
    def outdegree(problem: Problem, k: int) -> list[Pick]: ...

A strategy takes a problem and a number of seeds, and returns pages, best first. Its keyword parameters are its options.
It may simply return page ids, even more than k; ineligible pages are skipped:

    def shortest_urls(problem, k):
        \"\"\"The pages with the shortest URLs.\"\"\"
        return sorted(range(problem.web.page_count), key=lambda page: len(problem.web.urls[page]))

    sb.select(web, shortest_urls, 100)

One that returns `Pick`s, with scores and reasons, must itself pick eligible pages only: `problem.may_pick(page)`,
`problem.quota.take(page)`. Other packages add strategies by an entry point of the group "seedbed.strategies" that names
such a function, declared or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from seedbed.common.declarations import Declaration, Option, first_line, options_of
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem
    from seedbed.seeds.seeds import Pick

Measure = Literal["pages covered", "value covered", "pagerank"]
Choose = Callable[..., "Iterable[Pick | int]"]


@dataclass(frozen=True, kw_only=True)
class Strategy(Declaration):
    """A way to choose seeds. Call it like its function: strategy(problem, k, **options).

    `measure`: what it chooses by, if that is also a measure of how good seeds are. `chance`: whether different random
    numbers give different seeds. `chance_with`: options that bring chance in. `needs_hosts`: whether it requires hosts.
    `per_site`: whether it makes sense inside a single site.
    """

    choose: Choose
    measure: Measure | None = None
    chance: bool = False
    chance_with: Mapping[str, Any] = field(default_factory=dict, hash=False)
    needs_hosts: bool = False
    per_site: bool = True

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The keyword parameters of its function."""
        return options_of(self.choose)

    def draws(self, options: Mapping[str, Any]) -> bool:
        """Whether chance plays a part with these options."""
        return self.chance or any(options.get(name) == value for name, value in self.chance_with.items())

    def chooses_by(self, measure: Measure, *, values_are_even: bool = False) -> bool:
        """Whether it chooses by a measure. If all pages are worth the same, value covered is pages covered."""
        if values_are_even and measure != "pagerank":
            return self.measure in ("pages covered", "value covered")
        return self.measure == measure

    def __call__(self, problem: Problem, k: int, **options: Any) -> list[Pick]:
        """Up to k pages, each with a reason."""
        return _picks(self.name, problem, k, self.choose(problem, k, **self.checked(options)))


def strategy(meaning: str, **facts: Any) -> Callable[[Choose], Strategy]:
    """Declare the function below as a strategy with its name; `facts`: the other fields of Strategy."""
    return lambda function: Strategy(name=function.__name__, meaning=meaning, choose=function, **facts)


def as_strategy(name: str, found: object) -> Strategy:
    """What an entry point or a user gives, as a strategy with this name; a function's docstring says what it does."""
    if isinstance(found, Strategy):
        return found if found.name == name else replace(found, name=name)
    if callable(found):
        return Strategy(name=name, meaning=first_line(found), choose=found)
    raise OptionError(f"strategy '{name}' is {type(found).__name__}; it must be a function of a problem and k.")


def _picks(name: str, problem: Problem, k: int, chosen: Iterable[Pick | int]) -> list[Pick]:
    """Up to k picks; of plain page ids, only the eligible ones."""
    from seedbed.seeds.seeds import Pick

    picks: list[Pick] = []
    pages: set[int] = set()
    for one in chosen:
        if len(picks) >= k:
            break
        try:
            page = one.page if isinstance(one, Pick) else one.__index__()
        except AttributeError:
            raise OptionError(f"strategy '{name}' gave {one!r}; it must give page ids or picks.") from None
        if not 0 <= page < problem.web.page_count:
            raise OptionError(f"strategy '{name}' gave page {page}; the web has {problem.web.page_count} pages.")
        if not isinstance(one, Pick):
            if page in pages or not problem.may_pick(page):
                continue
            problem.quota.take(page)
        pages.add(page)
        picks.append(one if isinstance(one, Pick) else Pick(page, 0.0, f"chosen by {name}"))
    return picks
