"""Objects of JSON one after the other, in any form and cut anywhere into blocks."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.read_issues import ReadIssues
from seedbed.sources import json_objects
from seedbed.sources import text_files as reading
from seedbed.sources.opening import ReadOptions, open_web
from seedbed.sources.text_files import NotUtf8

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text('a"\\{}[],\né', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("k{", max_size=2), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text("ab", max_size=2), VALUES, max_size=3), max_size=6)


def found(text: str | bytes, block: int = 1 << 22) -> list[tuple[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading.blocks, "__kwdefaults__", {**reading.blocks.__kwdefaults__, "block": block})
        path = Path(folder) / "f"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return [tuple(one) for one in json_objects.found_in([path], ReadOptions(), ReadIssues())]


def contents(text: str, block: int = 1 << 22) -> list[Any]:
    return [content for _, content in found(text, block)]


@given(OBJECTS, st.sampled_from([None, 0, 2]), st.booleans(), st.integers(1, 40))
@settings(deadline=None, max_examples=150)
def test_lines_objects_over_lines_and_arrays_give_the_same(
    objects: list[dict[str, Any]], indent: int | None, ascii_only: bool, block: int
) -> None:
    array = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    rows = "\n".join(json.dumps(one, indent=indent, ensure_ascii=ascii_only) for one in objects)
    assert contents(array, block) == contents(rows, block) == objects


@given(OBJECTS, st.text('{}[]", \nab:1', max_size=12), st.integers(0, 200), st.integers(1, 40))
@settings(deadline=None, max_examples=150)
def test_blocks_do_not_change_what_is_found(objects: list[Any], added: str, at: int, block: int) -> None:
    text = json.dumps(objects, indent=1)
    text = text[:at] + added + text[at:]
    assert found(text, block) == found(text)


@given(st.lists(st.sampled_from(['{"a": 1}', '{"a": [1, ', '{"a": "cut', "words", '{"b": {"c": []}}']), max_size=8))
@settings(deadline=None, max_examples=100)
def test_a_damaged_line_costs_no_other_object(lines: list[str]) -> None:
    sound = [json.loads(line) for line in lines if line.endswith("}")]
    assert [one for one in contents("\n".join(lines)) if isinstance(one, dict)] == sound


def test_places_are_the_lines_on_which_things_start() -> None:
    text = '[\n{"a":\n1},\n{"b": 2},\nwords\n\n {"c": 3}]\n'
    assert found(text) == [
        ("f, line 2", {"a": 1}),
        ("f, line 4", {"b": 2}),
        ("f, line 5", "words"),
        ("f, line 7", {"c": 3}),
    ]


def test_objects_inside_a_damaged_one_are_none_of_the_list() -> None:
    good = {"url": "x", "links": [{"url": "y"}, {"url": "z"}]}
    text = json.dumps([good, good, good], indent=2)
    at = text.index('"y"', text.index('"z"'))
    assert [one for one in contents(text[:at] + "?" + text[at:]) if isinstance(one, dict)] == [good, good]


def test_an_array_on_one_line_longer_than_any_line_is_told_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1 << 12)
    items = [{"url": f"http://a.example/{k}", "links": ["/"]} for k in range(2000)]
    (tmp_path / "items.json").write_text(json.dumps(items))
    web = open_web(tmp_path / "items.json")
    assert (web.origin.format, web.page_count) == ("scrapy", 2001)


def test_an_object_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_objects, "LONGEST_OBJECT", 100)
    long = json.dumps({"a": "b" * 500})
    kinds = [type(one) for one in contents(f'{{"c": 1}}\n{long}\n{{"c": 2}}\n', 64)]
    assert kinds == [dict, str, dict]


def test_a_byte_that_is_not_utf8_is_refused_with_its_line() -> None:
    for block in (1, 5, 1 << 22):
        with pytest.raises(NotUtf8, match="f, line 3: the byte 0xff is not UTF-8"):
            found('{"é": 1}\n\n"'.encode() + b"\xff", block)
