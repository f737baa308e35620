"""Values as JSON that come back as they were: what requests carry in meta and cb_kwargs. Nothing is pickled.

    bytes, tuples, sets, dates and times, decimals, UUIDs, dictionaries with other keys than strings,
    items (dictionaries aside: scrapy.Item, dataclasses and attrs classes that can be imported)

are marked, as in {"!bytes": base64}, {"!tuple": […]}, {"!item": [class, {…}]}. A value of a class derived from str,
int, float, list or dict is written as one of these: a link's text from lxml comes back as a string. Other values cannot
be written.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import uuid
from collections.abc import Callable
from typing import Any

from itemadapter import ItemAdapter
from scrapy.utils.misc import load_object

PLAIN = frozenset({str, int, float, bool, type(None)})
_TEXTS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: ("!bytes", lambda value: base64.b64encode(value).decode(), base64.b64decode),
    datetime.datetime: ("!datetime", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: ("!date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: ("!time", datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (
        "!timedelta",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: datetime.timedelta(*parts),
    ),
    decimal.Decimal: ("!decimal", str, decimal.Decimal),
    uuid.UUID: ("!uuid", str, uuid.UUID),
}
"""The mark of a type, how it is written, how it is read."""

_LISTS: dict[type, str] = {tuple: "!tuple", set: "!set", frozenset: "!frozenset"}
_BASES = (str, int, float, list, dict)
_READERS: dict[str, Callable[[Any], Any]] = {
    **{mark: read for mark, _, read in _TEXTS.values()},
    "!tuple": lambda inner: tuple(map(decoded, inner)),
    "!set": lambda inner: set(map(decoded, inner)),
    "!frozenset": lambda inner: frozenset(map(decoded, inner)),
    "!dict": lambda inner: {key: decoded(one) for key, one in inner.items()},
    "!pairs": lambda inner: {decoded(key): decoded(one) for key, one in inner},
    "!item": lambda inner: _item(*inner),
}


def encoded(value: Any, where: str) -> Any:
    """The value in what JSON knows; ValueError where it would not come back."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list:
        return [encoded(one, where) for one in value]
    if kind is dict:
        return _dictionary(value, where)
    if kind in _TEXTS:
        mark, write, _ = _TEXTS[kind]
        return {mark: write(value)}
    if kind in _LISTS:
        return {_LISTS[kind]: [encoded(one, where) for one in value]}
    return _derived(value, where)


def _derived(value: Any, where: str) -> Any:
    """An item, or a value of a class derived from one that JSON knows."""
    kind = type(value)
    if ItemAdapter.is_item(value) and not isinstance(value, dict):
        return {"!item": [_path_of(kind), _dictionary(_fields_of(value, where), where)]}
    base: Any = next((base for base in _BASES if isinstance(value, base)), None)
    if base is None:
        raise ValueError(f"{where} holds a {kind.__name__}")
    return encoded(base(value), where)


def decoded(value: Any) -> Any:
    """What was written."""
    if type(value) is list:
        return [decoded(one) for one in value]
    if type(value) is not dict:
        return value
    if len(value) == 1:
        ((mark, inner),) = value.items()
        if mark in _READERS:
            return _READERS[mark](inner)
    return {key: decoded(one) for key, one in value.items()}


def _dictionary(value: dict[Any, Any], where: str) -> dict[str, Any]:
    if not all(isinstance(key, str) for key in value):
        return {"!pairs": [[encoded(key, where), encoded(one, where)] for key, one in value.items()]}
    found = {str(key): encoded(one, where) for key, one in value.items()}
    return {"!dict": found} if any(key.startswith("!") for key in found) else found


def _fields_of(item: Any, where: str) -> dict[str, Any]:
    if dataclasses.is_dataclass(item) and not all(field.init for field in dataclasses.fields(item)):
        raise ValueError(f"{where} holds a {type(item).__name__}, which has a field that is not given when it is made")
    return dict(ItemAdapter(item))


def _path_of(kind: type) -> str:
    path = f"{kind.__module__}.{kind.__qualname__}"
    try:
        same = load_object(path) is kind
    except (ImportError, NameError, ValueError):
        same = False
    if not same:
        raise ValueError(f"{path} cannot be imported")
    return path


def _item(path: str, fields: dict[str, Any]) -> Any:
    """An item of a class; of nothing else that a file might name."""
    try:
        kind = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        raise ValueError(f"there is no class {path} any more") from error
    if not isinstance(kind, type) or issubclass(kind, dict) or not ItemAdapter.is_item_class(kind):
        raise ValueError(f"{path} is no item")
    return kind(**decoded(fields))
