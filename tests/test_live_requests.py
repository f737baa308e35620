"""Requests in JSON come back as they were, or are not written."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, StrEnum
from fractions import Fraction
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Network
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Field, Item, Request
from scrapy.http import JsonRequest
from scrapy.settings import Settings
from scrapy_playwright.page import PageMethod

from seedbed.errors import OptionError
from seedbed.integrations.live.stored_requests import RequestWriter, Unstorable, serializers
from tests.live_rig import AnySpider

SPIDER = AnySpider()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.just("!bytes"), inner),
    max_leaves=8,
)


def writer(**given: Any) -> RequestWriter:
    """One with the serializers of SEEDBED_SERIALIZERS."""
    return RequestWriter(SPIDER, serializers(Settings(given)))


def back(request: Request, **given: Any) -> Request:
    both = writer(**given)
    return both.read(both.write(request))


def same(one: Any, other: Any) -> bool:
    """Equal, of the same types throughout."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return one == other


@given(
    meta=st.dictionaries(st.text(), values),
    kwargs=st.dictionaries(st.text(), values),
    body=st.binary(),
    headers=st.dictionaries(st.sampled_from(["A", "B-C"]), st.lists(st.binary(max_size=5), max_size=3)),
    priority=st.integers(),
    dont_filter=st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_every_request_comes_back_as_it_was(
    meta: Any, kwargs: Any, body: bytes, headers: Any, priority: int, dont_filter: bool
) -> None:
    request = Request(
        "http://a.test/?q=ä",
        callback=SPIDER.parse,
        meta=meta,
        cb_kwargs=kwargs,
        body=body,
        headers=headers,
        priority=priority,
        dont_filter=dont_filter,
        cookies=[{"name": "a", "value": "b"}],
        flags=["x"],
        encoding="latin-1",
    )
    found = back(request)
    assert same(found.meta, request.meta)
    assert same(found.cb_kwargs, request.cb_kwargs)
    assert found.to_dict(spider=SPIDER) == request.to_dict(spider=SPIDER)


def test_numbers_that_are_none_come_back() -> None:
    assert math.isnan(back(Request("http://a.test/", meta={"x": math.nan})).meta["x"])


def test_a_plain_request_takes_few_bytes() -> None:
    assert json.loads(writer().write(Request("http://a.test/"))) == {"url": "http://a.test/"}


def test_other_classes_of_requests_come_back() -> None:
    found = back(JsonRequest("http://a.test/", data={"x": 1}))
    assert type(found) is JsonRequest
    assert found.body == b'{"x": 1}'


class Text(str):
    """A string with more to it, as lxml's text of a link."""


class News(Item):
    title = Field()
    when = Field()


@dataclass
class Price:
    amount: Decimal
    tags: set[str]


@dataclass
class NotGiven:
    made: int = field(init=False, default=1)


def test_items_dates_sets_and_the_like_come_back() -> None:
    meta = {
        "item": News(title="x", when=datetime(2026, 1, 2, 3, tzinfo=UTC)),
        "price": Price(Decimal("1.10"), {"a", "b"}),
        "both": [date(2026, 1, 2), time(3, 4), timedelta(1, 2, 3), UUID(int=7), frozenset({1, 2})],
        "pairs": {1: "a", (2, "b"): None},
        "text": Text("x"),
        "counts": OrderedDict(a=1),
    }
    found = back(Request("http://a.test/", meta=meta, cb_kwargs={"item": meta["item"]}))
    assert found.meta == meta
    assert found.cb_kwargs["item"] == meta["item"]
    kinds = {name: type(value) for name, value in found.meta.items()}
    assert kinds == {"item": News, "price": Price, "both": list, "pairs": dict, "text": str, "counts": dict}
    assert list(map(type, found.meta["both"])) == [date, time, timedelta, UUID, frozenset]


MARKS = ["!item", "!enum", "!namedtuple", "!own", "!bytes", "!datetime", "!range", "!deque", "!pairs", "!decimal"]
FOREIGN = ["os:system", "tests.test_live_requests:nothing", "no.such:Class", "subprocess:Popen", "sys:modules.this"]


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("mark", ["!item", "!enum", "!namedtuple", "!own", "_class"])
def test_a_file_makes_no_other_objects_than_those_of_its_marks(name: str, mark: str) -> None:
    found = {"_class": name} if mark == "_class" else {"meta": {"x": {mark: [name, {"args": "true"}]}}}
    with pytest.raises(ValueError, match=r"not an? (item|class|enumeration|named tuple)|no class|no serializer"):
        writer().read(json.dumps({"url": "http://a.test/", **found}))


@pytest.mark.parametrize("mark", ["!item", "!enum", "!namedtuple", "_class"])
def test_a_file_imports_nothing(mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.py").write_text("raise SystemExit('planted was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    name = "planted:Thing"
    found = {"_class": name} if mark == "_class" else {"meta": {"x": {mark: [name, {}]}}}
    with pytest.raises(ValueError, match=r"the crawl has not imported planted"):
        writer().read(json.dumps({"url": "http://a.test/", **found}))
    assert "planted" not in sys.modules


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(MARKS) | st.text(), inner),
    )
)
@settings(deadline=None, max_examples=300)
def test_whatever_a_file_says_is_a_request_or_an_exception(said: Any) -> None:
    with contextlib.suppress(Exception):
        assert isinstance(writer().read(json.dumps({"url": "http://a.test/", "meta": {"x": said}})), Request)


def item_made_here() -> Item:
    class Local(Item):
        """Nobody can import it."""

    return Local()


def looped() -> list[Any]:
    values: list[Any] = []
    values.append(values)
    return values


def made_here() -> Request:
    class Local(Request):
        """Nobody can import it."""

    return Local("http://a.test/")


@pytest.mark.parametrize(
    "request_",
    [
        *(
            Request("http://a.test/", meta={"x": value})
            for value in (
                looped(),
                {1: object()},
                NotGiven(),
                item_made_here(),
                object(),
                bytearray(b"x"),
            )
        ),
        Request("http://a.test/", callback=lambda response: None),
        Request("http://a.test/", callback=AnySpider().parse),
        Request("http://a.test/", errback=print),
        made_here(),
    ],
    ids=str,
)
def test_what_would_not_come_back_as_it_was_is_not_written(request_: Request) -> None:
    with pytest.raises(ValueError, match=r"."):
        writer().write(request_)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"methods": [1, [object()]]}, r"meta\['x'\]\['methods'\]\[1\]\[0\] is of type object$"),
        ({1: deque([object()])}, r"meta\['x'\]\[1\]\[0\] is of type object$"),
        (
            PageMethod(print),
            r"meta\['x'\] is of type PageMethod \(its serializer gives a builtin_function_or_method\)$",
        ),
        (item_made_here(), r"meta\['x'\] is of type item_made_here.<locals>.Local \(the class .* is not at the top"),
    ],
    ids=["in a list", "in a deque", "what a serializer gives", "a class made in a function"],
)
def test_what_cannot_be_written_is_named_with_its_place_and_type(value: Any, where: str) -> None:
    with pytest.raises(Unstorable, match=where):
        writer().write(Request("http://a.test/", meta={"x": value}))


class Colour(Enum):
    RED = 1


class Word(StrEnum):
    YES = "yes"


class Access(Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    tags: tuple[str, ...] = ()


@pytest.mark.parametrize(
    "value",
    [
        Path("/a/ä b"),
        PurePosixPath("x"),
        PureWindowsPath("c:\\x"),
        Colour.RED,
        Word.YES,
        HTTPStatus.NOT_FOUND,
        Access.READ | Access.WRITE,
        Point(1, ("a",)),
        urlsplit("http://a.test/x?y"),
        deque([1, (2,)], maxlen=5),
        deque(),
        1 + 2j,
        range(1, 9, 2),
        Fraction(1, 3),
        IPv4Address("127.0.0.1"),
        IPv6Network("2001:db8::/32"),
        datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Paris")),
        datetime(2026, 1, 2, tzinfo=UTC),
        {Word.YES: Colour.RED, Point(1): [Path("x")]},
    ],
    ids=str,
)
def test_values_of_the_standard_library_and_of_ones_own_classes_come_back(value: Any) -> None:
    found = back(Request("http://a.test/", meta={"x": value, "in": [value]})).meta
    assert found["x"] == value == found["in"][0]
    assert type(found["x"]) is type(value)
    assert repr(found["x"]) == repr(value)


def test_the_methods_of_a_playwright_page_come_back() -> None:
    methods = [PageMethod("wait_for_selector", "div", timeout=500), PageMethod("screenshot", path=Path("x.png"))]
    found = back(Request("http://a.test/", meta={"playwright": True, "playwright_page_methods": methods})).meta
    assert [(one.method, one.args, one.kwargs) for one in found["playwright_page_methods"]] == [
        ("wait_for_selector", ("div",), {"timeout": 500}),
        ("screenshot", (), {"path": Path("x.png")}),
    ]
    assert all(type(one) is PageMethod for one in found["playwright_page_methods"])


class Money:
    """Neither an item nor anything else that is known."""

    def __init__(self, amount: Decimal, currency: str) -> None:
        self.amount, self.currency = amount, currency


def money_to_list(money: Money) -> list[Any]:
    return [money.amount, money.currency]


def money_from_list(parts: list[Any]) -> Money:
    return Money(*parts)


HERE = "tests.test_live_requests"


@pytest.mark.parametrize(
    "setting",
    [
        {Money: (money_to_list, money_from_list)},
        {f"{HERE}.Money": [f"{HERE}.money_to_list", f"{HERE}.money_from_list"]},
        f'{{"{HERE}.Money": ["{HERE}.money_to_list", "{HERE}.money_from_list"]}}',
    ],
    ids=["objects", "paths", "JSON"],
)
def test_what_has_a_serializer_comes_back(setting: Any) -> None:
    request = Request("http://a.test/", cb_kwargs={"price": Money(Decimal("1.10"), "EUR")})
    with pytest.raises(Unstorable, match="Money"):
        writer().write(request)
    price = back(request, SEEDBED_SERIALIZERS=setting).cb_kwargs["price"]
    assert (type(price), price.amount, price.currency) == (Money, Decimal("1.10"), "EUR")


def test_a_serializer_that_is_gone_or_fails_is_named() -> None:
    request = Request("http://a.test/", meta={"price": Money(Decimal(1), "EUR")})
    both = writer(SEEDBED_SERIALIZERS={Money: (money_to_list, money_from_list)})
    with pytest.raises(ValueError, match=r"no serializer of tests\.test_live_requests:Money"):
        writer().read(both.write(request))
    with pytest.raises(Unstorable, match=r"meta\['price'\] is of type Money \(its serializer failed \(TypeError"):
        writer(SEEDBED_SERIALIZERS={Money: (len, money_from_list)}).write(request)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"no.such.Class": (len, len)}, r"'no\.such\.Class' cannot be imported"),
        ({Money: len}, "not two functions"),
        ({Money: (len, f"{HERE}.nothing")}, "nothing' cannot be imported"),
        ({"os.getcwd": (len, len)}, "not a class"),
        ("[1", "not a dictionary"),
    ],
    ids=str,
)
def test_a_setting_of_serializers_that_is_wrong_is_refused(setting: Any, message: str) -> None:
    with pytest.raises(OptionError, match=rf"SEEDBED_SERIALIZERS.*{message}"):
        writer(SEEDBED_SERIALIZERS=setting)
