"""WAT records: whatever stands where in the JSON, it is a capture or nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.archives.capture_rows import parts_of
from seedbed.archives.captures import Capture
from seedbed.archives.wat import wat_capture
from seedbed.sources.opening import open_web
from tests.archives import http, warc_record
from tests.sources import url_links_of

A = "http://a.example/"
HEAD = {
    "Base": "/base/",
    "Link": [{"url": "next", "rel": "next"}, {"url": "only", "rel": "canonical"}],
    "Metas": [{"http-equiv": "refresh", "content": "3; url=later"}, {"name": "robots", "content": "none"}],
}
ANSWER = {
    "Response-Message": {"Status": "200"},
    "Headers": {"Content-Type": "text/html", "X-Robots-Tag": "none", "Refresh": "1; url=/r", "Link": "<x>; rel=next"},
    "HTML-Metadata": {"Head": HEAD, "Links": [{"path": "A@/href", "url": "x", "rel": "nofollow"}]},
}
WHOLE = {
    "Envelope": {
        "WARC-Header-Metadata": {"WARC-Target-URI": A, "WARC-Payload-Digest": "sha1:LNHK6DZVT4Q"},
        "Payload-Metadata": {"HTTP-Response-Metadata": ANSWER},
    }
}


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a JSON text."""
    yield way
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield from places(below, (*way, key))


def replaced(value: Any, way: tuple[Any, ...], by: Any) -> Any:
    if not way:
        return by
    changed = copy.copy(value)
    changed[way[0]] = replaced(value[way[0]], way[1:], by)
    return changed


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from(["\ud800", A]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def record(described: Any) -> bytes:
    return warc_record(A, json.dumps(described).encode(), "metadata", Content_Type="application/json")


@given(st.sampled_from(list(places(WHOLE))), ANYTHING)
@settings(deadline=None, max_examples=300)
def test_any_json_in_any_place_gives_a_capture_or_nothing(way: tuple[Any, ...], value: Any) -> None:
    found = wat_capture(json.dumps(replaced(WHOLE, way, value)).encode())
    assert found is None or isinstance(found, Capture)


def test_every_place_may_hold_a_list_an_object_or_a_number(tmp_path: Path) -> None:
    values: list[Any] = [None, 7, True, "\ud800\n", ["x"], [["x"]], {"x": "y"}, [{"x": []}]]
    described = [replaced(WHOLE, way, value) for way in places(WHOLE) for value in values]
    (tmp_path / "web.wat").write_bytes(b"".join(record(value) for value in [*described, WHOLE]))
    parts = list(parts_of(tmp_path / "web.wat"))
    assert sum(part.urls.count(A) for part in parts) > len(described) // 2
    assert all("\n" not in note for note in open_web(tmp_path / "web.wat").origin.notes)


def test_a_header_given_twice_is_a_list_whose_first_counts(tmp_path: Path) -> None:
    moved = {"Response-Message": {"Status": 301}, "Headers": {"Location": ["/new", "/other"]}}
    described = replaced(WHOLE, ("Envelope", "Payload-Metadata", "HTTP-Response-Metadata"), moved)
    (tmp_path / "web.wat").write_bytes(record(described))
    assert url_links_of(open_web(tmp_path / "web.wat")) == [(A, A + "new")]


def test_content_and_canonical_url_are_known_as_from_the_page_itself(tmp_path: Path) -> None:
    """The base of the page is /base/."""
    page = f"<link rel=canonical href={A}base/only>"
    itself = warc_record(A + "itself", http(page), WARC_Payload_Digest="sha1:lnhk6dzvt4q")
    (tmp_path / "both.warc").write_bytes(record(WHOLE) + itself)
    web = open_web(tmp_path / "both.warc")
    assert web.urls is not None
    described, fetched = web.urls.find_many([A, A + "itself"])
    for name in ("digest", "canonical"):
        assert web.columns[name][described] == web.columns[name][fetched] > 0
