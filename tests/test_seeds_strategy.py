"""Strategies are declared once; a user's function is one, and what is said of each is what it does."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pytest

import seedbed as sb
from seedbed.common.declarations import Option, Registry
from seedbed.errors import OptionError, UsageError
from seedbed.seeds import STRATEGIES, strategy_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.seeds import Pick
from seedbed.seeds.select import select
from seedbed.seeds.strategy import Strategy, as_strategy, strategy
from tests.graphs import web_of

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem

WEB = web_of([[1, 2, 3], [2, 3], [3], [0], [0]], [f"http://{host}.org/{page}" for page, host in enumerate("aabbc")])


def backwards(problem: Problem, k: int, *, skip: Annotated[int, Option("Pages passed over.", least=0)] = 0) -> Any:
    """The last pages first.

    More words that are not part of the meaning.
    """
    return range(problem.web.page_count - 1 - skip, -1, -1)


def test_every_strategy_is_declared_with_its_name_and_a_meaning() -> None:
    for name, declared in STRATEGIES.items():
        assert declared.name == name
        assert declared.meaning and not declared.meaning.endswith(".")
        assert all(option.help.endswith(".") for option in declared.options)
        assert select(WEB, declared, 1).strategy == name


def test_strategies_declare_the_measure_they_choose_by() -> None:
    by_value = {"cover", "greedy", "maxweight", "maxscc", "rootscc"}
    for name, one in STRATEGIES.items():
        assert one.chooses_by("pagerank") == one.chooses_by("pagerank", values_are_even=True) == (name == "pagerank")
        assert one.chooses_by("value covered") == (name in by_value)
        assert one.chooses_by("pages covered") == (name == "maxout")
        for measure in ("pages covered", "value covered"):
            assert one.chooses_by(measure, values_are_even=True) == (name in {*by_value, "maxout"})  # type: ignore[arg-type]


def test_chance_is_declared_where_other_random_numbers_give_other_seeds() -> None:
    rng = np.random.default_rng(4)
    lists = [sorted(set(rng.integers(0, 60, 6).tolist())) for _ in range(60)]
    web = web_of(lists, [f"http://h{page % 20}.org/{page}" for page in range(60)])
    for name, declared in STRATEGIES.items():
        chosen = {select(web, name, 10, seed=seed, hops=1).pages.tobytes() for seed in range(5)}
        assert declared.chance or len(chosen) == 1, name
        assert name == "cover" or declared.chance == (len(chosen) > 1), name
    drawn = {select(web, "cores", 5, seed=seed, pick="random", density=20).pages.tobytes() for seed in range(5)}
    assert len(drawn) > 1 and STRATEGIES["cores"].draws({"pick": "random"}) and not STRATEGIES["cores"].draws({})


def test_strategies_that_need_hosts_are_those_a_web_without_cannot_have() -> None:
    bare = web_of([[1, 2], [2], [0]])
    for name, declared in STRATEGIES.items():
        if declared.needs_hosts:
            with pytest.raises(sb.NeedsHosts):
                select(bare, name, 1)
        else:
            assert len(select(bare, name, 1)) == 1


def test_a_function_that_gives_page_ids_is_a_strategy() -> None:
    found = select(WEB, backwards, 3, skip=1)
    assert (found.strategy, found.pages.tolist(), found.options["skip"]) == ("backwards", [3, 2, 1], 1)
    assert found[0].reason == "chosen by backwards"
    assert strategy_of(backwards).meaning == "The last pages first"


def test_page_ids_that_may_not_be_chosen_are_passed_over() -> None:
    excluded = np.array([False, True, False, False, False])
    limits = Limits(excluded=excluded, held=(4,), max_per_site=1)
    assert select(WEB, backwards, 5, limits=limits).pages.tolist() == [3, 0]
    assert select(WEB, lambda problem, k: [2, 2, np.int32(2), 1], 5).pages.tolist() == [2, 1]


def test_a_function_may_yield_and_give_picks() -> None:
    def endless(problem: Problem, k: int) -> Iterator[Pick | int]:
        yield Pick(2, 7.5, "a reason")
        while True:
            yield from range(problem.web.page_count)

    found = select(WEB, endless, 3)
    assert (found[0].page, found[0].score, found[0].reason) == (2, 7.5, "a reason")
    assert found.pages.tolist() == [2, 0, 1]


def test_a_function_runs_inside_each_site() -> None:
    found = select(WEB, backwards, 5, per_site="host")
    assert sorted(found.pages.tolist()) == [0, 1, 2, 3, 4]
    assert found.pages.tolist()[:2] == [1, 3]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([5], "strategy 'mine' gave page 5; the web has 5 pages"),
        ([-1], "strategy 'mine' gave page -1"),
        ([Pick(9)], "strategy 'mine' gave page 9"),
        (["page"], "strategy 'mine' gave 'page'; it must give page ids or picks"),
    ],
)
def test_what_is_no_page_is_refused(given: list[Any], says: str) -> None:
    def mine(problem: Problem, k: int) -> list[Any]:
        return given

    with pytest.raises(OptionError, match=says):
        select(WEB, mine, 2)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(OptionError, match="strategy 'int' is int; it must be a function"):
        select(WEB, 3, 2)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"unknown strategy 'greddy'. Did you mean 'greedy'\?"):
        select(WEB, "greddy", 2)


def test_options_come_from_the_function_and_are_checked() -> None:
    cores = STRATEGIES["cores"]
    assert cores.checked({"density": "80", "max_hubs": "3", "pick": "random"}) == {
        "density": 80.0,
        "max_hubs": 3,
        "pick": "random",
    }
    assert STRATEGIES["trawling"].checked({"max_in_links": "none"}) == {"max_in_links": None}
    assert {option.name: option.default for option in STRATEGIES["trawling"].options} == {
        "hubs": 3,
        "authorities": 3,
        "max_in_links": 50,
        "max_steps": 10_000,
        "site": "host",
    }
    by_name = {option.name: option for option in cores.options}
    assert (by_name["density"].kind, by_name["size"].kind, by_name["reading"].kind) == (float, int, str)
    assert tuple(by_name["site"].choices) == ("host", "domain")


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("cores", {"density": "much"}, "density is 'much'; it must be a number"),
        ("cores", {"density": "120"}, "density is 120.0; it must be at least 0 and at most 100"),
        ("cores", {"density": "none"}, "density is 'none'; it must be a number"),
        ("cores", {"size": "2.5"}, "size is '2.5'; it must be a whole number"),
        ("cores", {"reading": "loud"}, "unknown reading 'loud'. Known: maximal, paper"),
        ("cores", {"site": "page"}, "unknown site 'page'. Known: domain, host"),
        ("cores", {"depth": "2"}, "cores has no option 'depth'; it has density, size, "),
        ("random", {"depth": "2"}, "random has no option 'depth'; it has no options"),
        ("pagerank", {"ranking": "mine.parquet"}, "ranking cannot be given as text; it is a Ranking, for Python only"),
    ],
)
def test_options_that_cannot_be_are_refused(name: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        STRATEGIES[name].checked(given)


def test_options_without_types_take_that_of_their_default() -> None:
    def mine(problem, k, *, depth=3, share=0.5, strict=False, word=None):  # type: ignore[no-untyped-def]
        return []

    given = {"depth": "4", "share": "0.25", "strict": "yes", "word": "any"}
    assert strategy_of(mine).checked(given) == {"depth": 4, "share": 0.25, "strict": True, "word": "any"}


def test_a_decorator_declares_a_strategy() -> None:
    @strategy("my pages", measure="pagerank", paper="Somebody 2020")
    def mine(problem: Problem, k: int) -> list[int]:
        return [1]

    assert isinstance(mine, Strategy)
    assert (mine.name, mine.meaning, mine.paper, mine.measure) == ("mine", "my pages", "Somebody 2020", "pagerank")
    assert select(WEB, mine, 1).pages.tolist() == [1]


def test_entry_points_add_functions_and_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("mine", "tests.test_seeds_strategy:backwards", "seedbed.strategies"),
        EntryPoint("renamed", "seedbed.seeds.heuristics:random", "seedbed.strategies"),
        EntryPoint("wrong", "tests.test_seeds_strategy:WEB", "seedbed.strategies"),
    ]
    monkeypatch.setattr("seedbed.common.declarations.entry_points", lambda group: points)
    known = Registry("strategy", "seedbed.strategies", {"greedy": "seedbed.seeds.coverage.greedy:greedy"}, as_strategy)
    assert list(known) == ["greedy", "mine", "renamed", "wrong"]
    assert (known["mine"].name, known["mine"].meaning) == ("mine", "The last pages first")
    assert (known["renamed"].name, known["renamed"].chance) == ("renamed", True)
    with pytest.raises(OptionError, match="strategy 'wrong' is Web; it must be a function"):
        known["wrong"]
