"""Values as JSON that come back as they were: what requests carry in meta and cb_kwargs. Nothing is pickled.

    bytes, complex numbers, decimals, fractions, tuples, sets, deques, ranges, dates and times, paths, UUIDs, addresses,
    dictionaries with other keys than strings,
    members of enumerations, named tuples, items (scrapy.Item, dataclasses, attrs), of classes at the top of a module,
    and whatever has a serializer (live_serializers.py)

are marked, as in {"!bytes": base64}, {"!tuple": […]}, {"!item": [class, {…}]}. A value of another class derived from
str, int, float, list or dict is written as one of these: a link's text from lxml comes back as a string. Other values
cannot be written. Classes that a file names are looked up, never imported (live_classes.py), and must be of the kind
that the mark says.
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
import pathlib
import reprlib
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from itemadapter import ItemAdapter

from seedbed.integrations.live.class_names import class_named, full_name, name_to_find
from seedbed.integrations.live.serializers import Serializer

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
        raise ValueError(f"{name} is no enumeration")
    if issubclass(kind, enum.Flag) and type(member) is int:
        return kind(member)
    if member not in kind.__members__:
        raise ValueError(f"{name} has no member {member} any more")
    return kind.__members__[str(member)]


def _named_tuple(name: object, values: Iterable[Any]) -> Any:
    kind: Any = class_named(name)
    found = tuple(values)
    if not issubclass(kind, tuple) or len(getattr(kind, "_fields", ())) != len(found):
        raise ValueError(f"{name} is no named tuple of {len(found)} fields any more")
    return tuple.__new__(kind, found)


def _item(name: object, fields: dict[str, Any]) -> Any:
    """An item of a class; of nothing else that a file might name."""
    kind = class_named(name)
    if issubclass(kind, dict) or not ItemAdapter.is_item_class(kind):
        raise ValueError(f"{name} is no item")
    return kind(**fields)
