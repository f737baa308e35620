"""Requests as JSON: what Scrapy's Request.to_dict gives, without what is as by default.

Callbacks are names of the spider's methods; values are those of live_values.py. What would not come back as it was
cannot be written: values of other types, callbacks that are no methods, classes that cannot be imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from seedbed.integrations.live.class_names import class_named, name_to_find
from seedbed.integrations.live.serializers import Serializer
from seedbed.integrations.live.stored_values import Unstorable, Values

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
                found[name] = self._attribute(name, value)
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
            given["_class"] = _request_class(kind)
        return request_from_dict(given, spider=self._spider)

    def _attribute(self, name: str, value: Any) -> Any:
        try:
            return self._values.encoded(value)
        except Unstorable as error:
            raise error.inside(name) from None

    def _name_of(self, name: str, method: Callable[..., Any]) -> str:
        function = getattr(method, "__func__", None)
        if function not in self._names:
            names = [one for one in dir(type(self._spider)) if getattr(type(self._spider), one, None) is function]
            if function is None or not names:
                raise self._not_a_method(name, method)
            self._names[function] = names[0]
        if getattr(method, "__self__", None) is not self._spider:
            raise self._not_a_method(name, method)
        return self._names[function]

    def _not_a_method(self, name: str, method: Callable[..., Any]) -> Unstorable:
        reason = f"{getattr(method, '__qualname__', method)!s} is not a method of the spider"
        remedy = f"Make the {name} a method of the spider."
        return Unstorable(type(method).__name__, reason, remedy).inside(name)

    def _class_of(self, kind: type) -> str:
        if kind not in self._classes:
            try:
                self._classes[kind] = name_to_find(kind)
            except ValueError as error:
                remedy = "Put the class at the top of a module."
                raise Unstorable(kind.__qualname__, str(error), remedy).inside("the request") from None
        return self._classes[kind]


def _request_class(name: object) -> type[Request]:
    kind = class_named(name)
    if not issubclass(kind, Request):
        raise ValueError(f"{name} is no class of requests")
    return kind
