"""What a crawler can be told besides its seeds. Each exporter declares its own in OPTIONS; all else is derived."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from seedbed.errors import UsageError, unknown
from seedbed.exports import TARGETS


@dataclass(frozen=True)
class Option:
    """One option of a crawler. `kind` is int or str, or Path: a file on the command line, whose lines are the value."""

    name: str
    kind: type
    help: str
    default: Any = None
    least: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return "--" + self.name.replace("_", "-")

    def check(self, value: Any) -> None:
        """Refuse a value that cannot be."""
        if self.choices and value not in self.choices:
            raise unknown(self.name, str(value), self.choices)
        if self.least is not None and value < self.least:
            raise UsageError(f"{self.flag} is {value}; it must be at least {self.least}.")


def exporter(target: str) -> ModuleType:
    """The module of a crawler."""
    if target not in TARGETS:
        raise unknown("crawler", target, TARGETS)
    return importlib.import_module(TARGETS[target])


def options_of(target: str) -> tuple[Option, ...]:
    """What a crawler can be told."""
    options: tuple[Option, ...] = exporter(target).OPTIONS
    return options


def every_option() -> dict[str, tuple[Option, list[str]]]:
    """All options by name, each with the crawlers that have it."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for target in TARGETS:
        for option in options_of(target):
            found.setdefault(option.name, (option, []))[1].append(target)
    return found


def settled(target: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of each option of a crawler. Refuses what it does not have; None stands for not given."""
    own = {option.name: option for option in options_of(target)}
    asked = {name: value for name, value in given.items() if value is not None}
    for name, value in asked.items():
        if name not in own:
            raise _of_another(name, target)
        own[name].check(value)
    return {name: asked.get(name, option.default) for name, option in own.items()}


def _of_another(name: str, target: str) -> UsageError:
    known = every_option()
    if name not in known:
        return unknown("option of a crawler", name, known)
    option, crawlers = known[name]
    own = ", ".join(option.flag for option in options_of(target))
    has = f"{target} has {own}" if own else f"{target} has none of its own"
    return UsageError(f"{option.flag} is an option of {', '.join(crawlers)}; {has}. Leave it out.")
