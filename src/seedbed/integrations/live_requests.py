"""Requests as JSON: what Scrapy's Request.to_dict gives, without what is as by default.

Callbacks are names of the spider's methods; values are those of live_values.py. What would not come back as it was
cannot be written: values of other types, callbacks that are no methods, classes that cannot be imported.

A request that is kept in memory shares the lists and dictionaries in its meta with the callback that made it; one that
is written has copies. Where a job is not meant to outlive the process (`shared`), such requests are not written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from seedbed.integrations.live_values import PLAIN, decoded, encoded

_DEFAULTS = {
    "method": "GET",
    "encoding": "utf-8",
    "priority": 0,
    "dont_filter": False,
    "callback": None,
    "errback": None,
}
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_OWN_META = frozenset({"redirect_urls", "redirect_reasons"})


class RequestWriter:
    """Writes and reads the requests of a spider; remembers the names of its methods."""

    def __init__(self, spider: Spider, *, shared: bool) -> None:
        self._spider, self._shared = spider, shared
        self._names: dict[Any, str] = {}
        self._classes: dict[type, str] = {Request: ""}

    def write(self, request: Request) -> str:
        """The request as JSON; ValueError where it would not come back as it was."""
        try:
            return _ENCODER.encode(self._described(request))
        except RecursionError:
            raise ValueError("its values hold themselves") from None

    def _described(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {"url": request.url}
        for name in request.attributes:
            value = getattr(request, name)
            if name == "url" or (name in _DEFAULTS and value == _DEFAULTS[name]):
                continue
            if name in ("callback", "errback"):
                found[name] = self._name_of(value)
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
        """The request; ValueError where the spider has no such method any more."""
        found = json.loads(text)
        headers = found.pop("headers", None)
        given = {name: decoded(value) for name, value in found.items()}
        if headers:
            given["headers"] = {
                key.encode("latin-1"): [one.encode("latin-1") for one in values] for key, values in headers
            }
        return request_from_dict(given, spider=self._spider)

    def _attribute(self, name: str, value: Any) -> Any:
        if self._shared and name in ("meta", "cb_kwargs") and type(value) is dict:
            for key, one in value.items():
                if type(one) not in PLAIN and type(one) is not bytes and key not in _OWN_META:
                    raise ValueError(f"{name}['{key}'] may be shared: {type(one).__name__}")
        return encoded(value, name)

    def _name_of(self, method: Callable[..., Any]) -> str:
        function = getattr(method, "__func__", None)
        if function is None or getattr(method, "__self__", None) is not self._spider:
            raise ValueError(f"{method} is not a method of {self._spider}")
        if function not in self._names:
            names = [name for name in dir(type(self._spider)) if getattr(type(self._spider), name, None) is function]
            if not names:
                raise ValueError(f"{method} is not a method of {type(self._spider)}")
            self._names[function] = names[0]
        return self._names[function]

    def _class_of(self, kind: type) -> str:
        if kind not in self._classes:
            path = f"{kind.__module__}.{kind.__name__}"
            try:
                same = load_object(path) is kind and not self._shared
            except (ImportError, NameError, ValueError):
                same = False
            if not same:
                raise ValueError(f"{path} cannot be written")
            self._classes[kind] = path
        return self._classes[kind]
