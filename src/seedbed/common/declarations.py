"""Strategies, orders, formats and exports are each declared once, next to their code; all else is derived from that.

A declaration gives a name, a one-line meaning, options and a paper. `--help`, option checks, the report's wording and
the tables in the docs come from it. An option is a keyword parameter of the function that takes it:

    def greedy(problem: Problem, k: int, *, depth: Annotated[int, Option("Links to look ahead.", least=0)] = 2): ...

A registry holds the declarations of one kind by name: ours, and those that other packages list in an entry point. A
module is imported when one of its declarations is first requested.
"""

from __future__ import annotations

import importlib
import inspect
import math
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from seedbed.errors import OptionError, UsageError, unknown

D = TypeVar("D", bound="Declaration")
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Option:
    """An option of a function: its help text and allowed values. Everything else comes from the parameter itself.

    `least` and `most` bound a number; with `above`, `least` itself is excluded. `choices`: what each value means.

    >>> from typing import Annotated
    >>> import seedbed as sb
    >>> def late(problem, k, *, skip: Annotated[int, sb.Option("Pages to skip.", least=0)] = 0):
    ...     return range(skip, problem.web.page_count)
    >>> sb.select(sb.make_web(pages=200), late, k=2, skip=50).pages
    array([50, 51])
    """

    help: str = ""
    least: float | None = None
    most: float | None = None
    above: bool = False
    choices: Mapping[str, str] | tuple[str, ...] = ()
    name: str = ""
    kind: type = str
    default: Any = None
    optional: bool = False

    @property
    def described(self) -> str:
        """Help, choices and default, in one text."""
        meanings = self.choices if isinstance(self.choices, Mapping) else {}
        choices = "; ".join(f"{name}: {meaning}" for name, meaning in meanings.items()) or ", ".join(self.choices)
        is_number = isinstance(self.default, (int, float)) and not isinstance(self.default, bool)
        shown = f"{self.default:,g}" if is_number else "yes" if self.default is True else str(self.default)
        default = f"Default: {shown}." if self.default not in (None, "", (), False) else ""
        return " ".join(filter(None, (self.help, f"({choices})" if choices else "", default)))

    @property
    def is_text(self) -> bool:
        """Whether its value can be given as text on the command line."""
        return self.kind in (str, int, float, bool, Path)

    def parsed(self, text: str) -> Any:
        """The value of a text from the command line."""
        if self.optional and text.lower() == "none":
            return None
        if not self.is_text:
            raise UsageError(f"{self.name} cannot be given as text; it is a {self.kind.__name__}, for Python only.")
        try:
            value = _WORDS[text.lower()] if self.kind is bool else self.kind(text)
        except (ValueError, KeyError):
            kind = {int: "a whole number", float: "a number", bool: "yes or no"}.get(self.kind, self.kind.__name__)
            raise UsageError(f"{self.name} is '{text}'; it must be {kind}.") from None
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Refuse a value that is not allowed."""
        if self.choices and value not in self.choices:
            raise unknown(self.name, str(value), tuple(self.choices))
        if value is None or (self.least is None and self.most is None):
            return
        low = self.least is not None and (value <= self.least if self.above else value < self.least)
        if low or math.isnan(value) or (self.most is not None and value > self.most):
            raise UsageError(f"{self.name} is {value}; it must be {self.span}.")

    @property
    def span(self) -> str:
        """The allowed numbers, in words."""
        low = "" if self.least is None else f"{'above' if self.above else 'at least'} {self.least:,g}"
        high = "" if self.most is None else f"at most {self.most:,g}"
        return " and ".join(filter(None, (low, high)))


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """The options of a function: its keyword parameters, with or without an `Option` to describe them."""
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        hint, option = _hint(function, parameter), Option()
        if get_origin(hint) is Annotated:
            hint, *extras = get_args(hint)
            option = next((extra for extra in extras if isinstance(extra, Option)), option)
        if get_origin(hint) is Literal and not option.choices:
            option = replace(option, choices=get_args(hint))
        default = None if parameter.default is parameter.empty else parameter.default
        optional = type(None) in get_args(hint)
        found.append(replace(option, name=parameter.name, kind=_plain(hint), default=default, optional=optional))
    return tuple(found)


def _hint(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """The type of one parameter; the type of its default if there is no annotation or it cannot be resolved."""
    hint = parameter.annotation
    if isinstance(hint, str):
        alone = types.SimpleNamespace(__annotations__={parameter.name: hint})
        try:
            names = getattr(inspect.unwrap(function), "__globals__", None) or vars(sys.modules[function.__module__])
            return get_type_hints(alone, names, include_extras=True)[parameter.name]
        except NameError:
            hint = parameter.empty
    if hint is not parameter.empty:
        return hint
    return str if parameter.default in (parameter.empty, None) else type(parameter.default)


def _plain(hint: Any) -> type:
    """The type that text is converted to: int for `int | None`."""
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(one for one in get_args(hint) if one is not type(None))
    return hint if isinstance(hint, type) else str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What every named thing declares. `meaning` is one line without a full stop at the end."""

    name: str
    meaning: str
    paper: str = ""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options it takes."""
        return ()

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options given, each checked, with text converted to values. Refuses options that it does not have."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                has = f"has {', '.join(known)}" if known else "has no options"
                raise UsageError(f"{self.name} has no option '{name}'; it {has}.")
        settled = {}
        for name, value in given.items():
            option = known[name]
            if isinstance(value, str) and option.kind is not str:
                value = option.parsed(value)  # noqa: PLW2901
            option.check(value)
            settled[name] = value
        return settled


class Registry(Mapping[str, D], Generic[D]):
    """The declarations of one kind by name: ours first, in their order, then those of other packages.

    `places` says where ours are: "module:attribute". `accept(name, found)` turns what an entry point names into a
    declaration, or raises OptionError.
    """

    def __init__(self, kind: str, group: str, places: Mapping[str, str], accept: Callable[[str, Any], D]) -> None:
        self.kind = kind
        self.group = group
        self._places = dict(places)
        self._accept = accept
        self._loaded: dict[str, D] = {}

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        points = sorted(entry_points(group=self.group), key=lambda point: point.name)
        return {point.name: point for point in points if point.name not in self._places}

    def __iter__(self) -> Iterator[str]:
        return iter((*self._places, *self._points))

    def __len__(self) -> int:
        return len(self._places) + len(self._points)

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._points

    def __getitem__(self, name: str) -> D:
        """The declaration of a name, or an error that lists the known names."""
        if name not in self._loaded:
            if name not in self:
                raise unknown(self.kind, name, list(self))
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> D:
        if name in self._places:
            module, _, attribute = self._places[name].partition(":")
            return self._accept(name, getattr(importlib.import_module(module), attribute))
        point = self._points[name]
        try:
            found = point.load()
        except (ImportError, AttributeError) as error:
            raise OptionError(f"{self.kind} '{name}': {point.value} cannot be loaded: {error}.") from error
        return self._accept(name, found)


@cache
def first_line(function: Callable[..., Any]) -> str:
    """How an undeclared function describes itself: the first line of its docstring, without the full stop."""
    return (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")
