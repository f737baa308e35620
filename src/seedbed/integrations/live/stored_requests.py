"""Requests as JSON that come back as they were, with all that they carry in meta and cb_kwargs. Nothing is pickled.

A request is what Scrapy's Request.to_dict gives, without defaults; callbacks are names of the spider's methods. Values:

    bytes, complex numbers, decimals, fractions, tuples, sets, deques, ranges, dates and times, paths, UUIDs, addresses,
    dictionaries whose keys are not strings,
    members of enumerations, named tuples, items (scrapy.Item, dataclasses, attrs) of classes at the top of a module,
    and whatever has a serializer

are marked, as in {"!bytes": base64}, {"!tuple": […]}, {"!item": [class, {…}]}. A value of another class derived from
str, int, float, list or dict is written as one of these: a link's text from lxml comes back as a string. What would not
come back as it was is refused: other values, callbacks that are not methods, classes that cannot be imported.

    SEEDBED_SERIALIZERS = {
        "shop.money.Money": ("shop.stored.money_to_list", "shop.stored.money_from_list"),
    }

A serializer is a class and two functions: one turns an object of exactly that class into a value that can be stored,
the other makes the object from it. Each is given as an object or as its import path.

A job's file may come from a stranger. So a class that it names is looked up in the modules that the crawl has imported,
by plain look-ups in dictionaries, and must be of the kind that the mark says: no module is loaded, and no attribute is
computed.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import pathlib
import reprlib
import sys
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from seedbed.errors import OptionError

SETTING = "SEEDBED_SERIALIZERS"
_DEFAULTS = {
    "method": "GET",
    "encoding": "utf-8",
    "priority": 0,
    "dont_filter": False,
    "callback": None,
    "errback": None,
}
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class RequestWriter:
    """Writes and reads the requests of a spider; remembers the names of its methods."""

    def __init__(self, spider: Spider, serializers: Mapping[str, Serializer]) -> None:
        self._spider, self._values = spider, Values(serializers)
        self._names: dict[Any, str] = {}
        self._classes: dict[type, str] = {Request: ""}

    def write(self, request: Request) -> str:
        """The request as JSON; Unstorable where it would not come back as it was."""
        try:
            return _ENCODER.encode(self._described(request))
        except Unstorable:
            raise
        except RecursionError:
            raise Unstorable(type(request).__name__, "one of its values holds itself").inside("the request") from None
        except Exception as error:  # noqa: BLE001
            raise Unstorable(type(request).__name__, repr(error)).inside("the request") from None

    def _described(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {"url": request.url}
        for name in request.attributes:
            value = getattr(request, name)
            if name == "url" or (name in _DEFAULTS and value == _DEFAULTS[name]):
                continue
            if name in ("callback", "errback"):
                found[name] = self._name_of(name, value)
            elif name == "headers":
                if value:
                    found[name] = [
                        [key.decode("latin-1"), [one.decode("latin-1") for one in all_]] for key, all_ in value.items()
                    ]
            elif value:
                try:
                    found[name] = self._values.encoded(value)
                except Unstorable as error:
                    raise error.inside(name) from None
        kind = self._class_of(type(request))
        if kind:
            found["_class"] = kind
        return found

    def read(self, text: str) -> Request:
        """The request. Whatever a file may say, it is that or an exception, and nothing is imported."""
        found = json.loads(text)
        headers, kind = found.pop("headers", None), found.pop("_class", None)
        given = {name: self._values.decoded(value) for name, value in found.items()}
        if headers:
            given["headers"] = {
                key.encode("latin-1"): [one.encode("latin-1") for one in values] for key, values in headers
            }
        if kind is not None:
            given["_class"] = class_named(kind)
            if not issubclass(given["_class"], Request):
                raise ValueError(f"{kind} is not a class of requests")
        return request_from_dict(given, spider=self._spider)

    def _name_of(self, name: str, method: Callable[..., Any]) -> str:
        function, kind = getattr(method, "__func__", None), type(self._spider)
        if function is not None and function not in self._names:
            self._names[function] = next((one for one in dir(kind) if getattr(kind, one, None) is function), "")
        if not self._names.get(function) or getattr(method, "__self__", None) is not self._spider:
            reason = f"{getattr(method, '__qualname__', method)!s} is not a method of the spider"
            remedy = f"Make the {name} a method of the spider."
            raise Unstorable(type(method).__name__, reason, remedy).inside(name)
        return self._names[function]

    def _class_of(self, kind: type) -> str:
        if kind not in self._classes:
            try:
                self._classes[kind] = name_to_find(kind)
            except ValueError as error:
                remedy = "Put the class at the top of a module."
                raise Unstorable(kind.__qualname__, str(error), remedy).inside("the request") from None
        return self._classes[kind]


# ── values ──

PLAIN = frozenset({str, int, float, bool, type(None)})


class Unstorable(ValueError):
    """A value cannot be written. `kind`: its type; `where`: the way to it, as in meta['x'][0]; `remedy`: what to do."""

    def __init__(self, kind: str, reason: str = "", remedy: str = "") -> None:
        super().__init__(kind, reason)
        self.kind, self.reason, self.where = kind, reason, ""
        self.remedy = remedy or "Leave the value out, or name a serializer for its class in SEEDBED_SERIALIZERS."

    def inside(self, key: str) -> Unstorable:
        """The same, seen from what holds the value."""
        self.where = key + self.where
        return self

    def __str__(self) -> str:
        return f"{self.where} is of type {self.kind}" + (f" ({self.reason})" if self.reason else "")


def _moment(value: datetime.datetime) -> list[Any] | str:
    if isinstance(value.tzinfo, zoneinfo.ZoneInfo) and value.tzinfo.key:
        return [value.replace(tzinfo=None).isoformat(), value.tzinfo.key, value.fold]
    return value.isoformat()


def _moment_from(text: list[Any] | str) -> datetime.datetime:
    if isinstance(text, str):
        return datetime.datetime.fromisoformat(text)
    moment, zone, fold = text
    return datetime.datetime.fromisoformat(moment).replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=fold)


_TEXTS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: ("!bytes", lambda value: base64.b64encode(value).decode(), base64.b64decode),
    complex: ("!complex", lambda value: [value.real, value.imag], lambda parts: complex(*parts)),
    range: ("!range", lambda value: [value.start, value.stop, value.step], lambda parts: range(*parts)),
    datetime.datetime: ("!datetime", _moment, _moment_from),
    datetime.date: ("!date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: ("!time", datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (
        "!timedelta",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: datetime.timedelta(*parts),
    ),
    **{
        kind: (f"!{kind.__name__.lower()}", str, kind)
        for kind in (
            *(decimal.Decimal, fractions.Fraction, uuid.UUID),
            *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
            *(pathlib.PurePosixPath, pathlib.PureWindowsPath),
        )
    },
    type(pathlib.Path()): ("!path", str, pathlib.Path),
}
"""The mark of a type, how it is written, how it is read."""

_LISTS: dict[type, str] = {tuple: "!tuple", set: "!set", frozenset: "!frozenset"}
_BASES = (str, int, float, list, dict)


class Values:
    """Writes and reads values; those of some classes with serializers, by the full name of the class."""

    def __init__(self, serializers: Mapping[str, Serializer]) -> None:
        self._serializers = serializers
        self._readers: dict[str, Callable[[Any], Any]] = {
            **{mark: read for mark, _, read in _TEXTS.values()},
            "!tuple": lambda inner: tuple(map(self.decoded, inner)),
            "!set": lambda inner: set(map(self.decoded, inner)),
            "!frozenset": lambda inner: frozenset(map(self.decoded, inner)),
            "!deque": lambda inner: collections.deque(map(self.decoded, inner[0]), inner[1]),
            "!dict": lambda inner: {key: self.decoded(one) for key, one in inner.items()},
            "!pairs": lambda inner: {self.decoded(key): self.decoded(one) for key, one in inner},
            "!enum": lambda inner: _member(*inner),
            "!namedtuple": lambda inner: _named_tuple(inner[0], map(self.decoded, inner[1])),
            "!item": lambda inner: _item(inner[0], self.decoded(inner[1])),
            "!own": lambda inner: self._read(*inner),
        }

    def encoded(self, value: Any) -> Any:
        """The value in what JSON knows; Unstorable where it would not come back."""
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is list:
            return self._list(value)
        if kind is dict:
            return self._dictionary(value)
        if kind in _TEXTS:
            mark, write, _ = _TEXTS[kind]
            return {mark: write(value)}
        if kind in _LISTS:
            return {_LISTS[kind]: self._list(value)}
        serializer = self._serializers.get(full_name(kind))
        return self._derived(value) if serializer is None else self._written(value, serializer)

    def decoded(self, value: Any) -> Any:
        """What was written."""
        if type(value) is list:
            return [self.decoded(one) for one in value]
        if type(value) is not dict:
            return value
        if len(value) == 1:
            ((mark, inner),) = value.items()
            if mark in self._readers:
                return self._readers[mark](inner)
        return {key: self.decoded(one) for key, one in value.items()}

    def _list(self, values: Iterable[Any]) -> list[Any]:
        found: list[Any] = []
        for one in values:
            try:
                found.append(self.encoded(one))
            except Unstorable as error:
                raise error.inside(f"[{len(found)}]") from None
        return found

    def _dictionary(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        found: list[tuple[Any, Any]] = []
        for key, one in value.items():
            try:
                found.append((self.encoded(key), self.encoded(one)))
            except Unstorable as error:
                raise error.inside(f"[{reprlib.repr(key)}]") from None
        if not all(type(key) is str for key, _ in found):
            return {"!pairs": found}
        plain = dict(found)
        return {"!dict": plain} if any(key.startswith("!") for key in plain) else plain

    def _derived(self, value: Any) -> Any:
        """A value of a class that somebody wrote, or of one derived from what JSON knows."""
        kind = type(value)
        try:
            if isinstance(value, enum.Enum):
                return {"!enum": [name_to_find(kind), value.value if isinstance(value, enum.Flag) else value.name]}
            if isinstance(value, tuple) and hasattr(kind, "_fields"):
                return {"!namedtuple": [name_to_find(kind), self._list(value)]}
            if ItemAdapter.is_item(value) and not isinstance(value, dict):
                return {"!item": [name_to_find(kind), self._dictionary(_fields_of(value))]}
        except Unstorable:
            raise
        except ValueError as error:
            raise Unstorable(kind.__qualname__, str(error)) from None
        if kind is collections.deque:
            return {"!deque": [self._list(value), value.maxlen]}
        base: Any = next((base for base in _BASES if isinstance(value, base)), None)
        if base is None:
            raise Unstorable(kind.__qualname__)
        return self.encoded(base(value))

    def _written(self, value: Any, serializer: Serializer) -> Any:
        kind = type(value)
        try:
            return {"!own": [full_name(kind), self.encoded(serializer.write(value))]}
        except Unstorable as error:
            raise Unstorable(kind.__qualname__, f"its serializer gives a {error.kind}") from None
        except Exception as error:  # noqa: BLE001
            raise Unstorable(kind.__qualname__, f"its serializer failed ({error!r})") from None

    def _read(self, name: str, inner: Any) -> Any:
        if name not in self._serializers:
            raise ValueError(f"there is no serializer of {name} in SEEDBED_SERIALIZERS any more")
        return self._serializers[name].read(self.decoded(inner))


def _fields_of(item: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(item) and not all(field.init for field in dataclasses.fields(item)):
        raise ValueError("it has a field that is not given when it is made")
    return dict(ItemAdapter(item))


def _member(name: object, member: object) -> enum.Enum:
    kind = class_named(name)
    if not issubclass(kind, enum.Enum):
        raise ValueError(f"{name} is not an enumeration")
    if issubclass(kind, enum.Flag) and type(member) is int:
        return kind(member)
    if member not in kind.__members__:
        raise ValueError(f"{name} has no member {member} any more")
    return kind.__members__[str(member)]


def _named_tuple(name: object, values: Iterable[Any]) -> Any:
    kind: Any = class_named(name)
    found = tuple(values)
    if not issubclass(kind, tuple) or len(getattr(kind, "_fields", ())) != len(found):
        raise ValueError(f"{name} is not a named tuple of {len(found)} fields any more")
    return tuple.__new__(kind, found)


def _item(name: object, fields: dict[str, Any]) -> Any:
    """An item of a class; of nothing else that a file might name."""
    kind = class_named(name)
    if issubclass(kind, dict) or not ItemAdapter.is_item_class(kind):
        raise ValueError(f"{name} is not an item")
    return kind(**fields)


# ── serializers and classes by name ──


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
        raise OptionError(f"{SETTING}: {key!r} is not a class. {_EXPECTED}")
    return full_name(kind), Serializer(write, read)


def _loaded(key: Any, one: Any) -> Any:
    try:
        return load_object(one)
    except (ImportError, NameError, AttributeError, ValueError, TypeError) as error:
        raise OptionError(f"{SETTING}[{key!r}]: {one!r} cannot be imported ({error}). {_EXPECTED}") from None


def full_name(kind: type) -> str:
    """module:Class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def name_to_find(kind: type) -> str:
    """The full name of a class that `class_named` finds again; ValueError for any other."""
    name = full_name(kind)
    try:
        same = class_named(name) is kind
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"the class {kind.__qualname__} is not at the top of its module, {kind.__module__}")
    return name


def class_named(name: object) -> type:
    """The class of a name; ValueError where no imported module has it."""
    module_name, _, path = str(name).partition(":")
    module = sys.modules.get(module_name)
    if module is None:
        raise ValueError(f"there is no class {name}: the crawl has not imported {module_name}; import it in the spider")
    found: object = module
    for part in path.split("."):
        found = vars(found).get(part) if found is module or isinstance(found, type) else None
    if not isinstance(found, type):
        raise ValueError(f"there is no class {path} in {module_name} any more")
    return found
