"""Requests in JSON come back as they were, or are not written."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Field, Item, Request
from scrapy.http import JsonRequest

from seedbed.integrations.live_requests import RequestWriter
from tests.live_rig import AnySpider

SPIDER = AnySpider()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.just("!bytes"), inner),
    max_leaves=8,
)


def back(request: Request) -> Request:
    writer = RequestWriter(SPIDER, shared=False)
    return writer.read(writer.write(request))


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
    assert json.loads(RequestWriter(SPIDER, shared=False).write(Request("http://a.test/"))) == {"url": "http://a.test/"}


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


@pytest.mark.parametrize("path", ["os.system", "tests.test_live_requests.nothing", "no.such", "subprocess.Popen"])
def test_a_file_makes_no_other_objects_than_items(path: str) -> None:
    written = json.dumps({"url": "http://a.test/", "meta": {"x": {"!item": [path, {"args": "true"}]}}})
    with pytest.raises(ValueError, match=r"no item|no class"):
        RequestWriter(SPIDER, shared=False).read(written)


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
        RequestWriter(SPIDER, shared=False).write(request_)


def test_what_may_be_shared_is_not_written_where_the_job_ends_with_the_process() -> None:
    writer = RequestWriter(SPIDER, shared=True)
    writer.write(Request("http://a.test/", meta={"depth": 3, "redirect_urls": ["x"], "b": b"x"}, cookies={"a": "b"}))
    with pytest.raises(ValueError, match="may be shared"):
        writer.write(Request("http://a.test/", meta={"found": []}))
    with pytest.raises(ValueError, match="cannot be written"):
        writer.write(JsonRequest("http://a.test/", data=1))
