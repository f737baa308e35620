"""Requests in JSON come back as they were, or are not written."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request
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
    """A string with more to it."""


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
                date(2024, 1, 1),
                {1: 2},
                {"a"},
                Text("x"),
                OrderedDict(a=1),
                looped(),
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
