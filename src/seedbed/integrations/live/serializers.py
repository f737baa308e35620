"""How values of other types are stored with a request: serializers, by class, that the user or this file names.

    SEEDBED_SERIALIZERS = {
        "shop.money.Money": ("shop.stored.money_to_list", "shop.stored.money_from_list"),
    }

A class, and two functions: one gives a value that can be stored for an object of exactly that class, the other makes
the object from it. Each is the thing itself or its import path. A job only says the name of the class; what has no
serializer here is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from seedbed.errors import OptionError
from seedbed.integrations.live.class_names import full_name

SETTING = "SEEDBED_SERIALIZERS"


class Serializer(NamedTuple):
    """What gives a value to store for an object, and what gives the object back."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _page_method_to_list(method: Any) -> list[Any]:
    return [method.method, method.args, method.kwargs]


def _page_method_from_list(parts: list[Any]) -> Any:
    method, args, kwargs = parts
    return load_object("scrapy_playwright.page.PageMethod")(method, *args, **kwargs)


KNOWN = {"scrapy_playwright.page:PageMethod": Serializer(_page_method_to_list, _page_method_from_list)}
"""Serializers of classes that Scrapy users have; none of the classes is imported before it is met."""


def serializers(settings: BaseSettings) -> dict[str, Serializer]:
    """By the name of the class: those of the settings, and those known here."""
    try:
        given = settings.getdict(SETTING)
    except ValueError as error:
        raise OptionError(f"{SETTING} is not a dictionary ({error}). {_EXPECTED}") from None
    return {**KNOWN, **dict(_serializer(key, pair) for key, pair in given.items())}


_EXPECTED = 'Give {"package.Class": ("package.to_plain", "package.from_plain")}.'


def _serializer(key: Any, pair: Any) -> tuple[str, Serializer]:
    if isinstance(pair, str | Mapping) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise OptionError(f"{SETTING}[{key!r}] is {pair!r}, not two functions. {_EXPECTED}")
    kind, write, read = (_loaded(key, one) for one in (key, *pair))
    if not isinstance(kind, type):
        raise OptionError(f"{SETTING}: {key!r} is no class. {_EXPECTED}")
    return full_name(kind), Serializer(write, read)


def _loaded(key: Any, one: Any) -> Any:
    try:
        return load_object(one)
    except (ImportError, NameError, AttributeError, ValueError, TypeError) as error:
        raise OptionError(f"{SETTING}[{key!r}]: {one!r} cannot be imported ({error}). {_EXPECTED}") from None
