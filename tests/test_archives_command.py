"""`seedbed convert` of archives: its options, its notes; and the example in the documentation."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seedbed.cli.main import app
from seedbed.sources.opening import open_web
from tests.archives import page
from tests.sources import url_links_of

A = "http://a.example/"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    pages = page(A, "<a href=/x?sid=7></a><a href=/y rel=nofollow></a>")
    (tmp_path / "web.warc").write_bytes(pages + page(A + "z", "<a href=/y></a>")[:-30])
    return tmp_path / "web.warc"


def convert(*words: object) -> object:
    result = CliRunner().invoke(app, ["convert", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result


def test_options_for_archives(archive: Path, tmp_path: Path) -> None:
    convert(archive, tmp_path / "kept")
    convert(archive, tmp_path / "dropped", "--nofollow", "drop", "--drop-session-parameters", "--threads", 1)
    assert url_links_of(open_web(tmp_path / "kept")) == [(A, A + "x?sid=7"), (A, A + "y")]
    assert url_links_of(open_web(tmp_path / "dropped")) == [(A, A + "x")]


def test_damage_is_told_and_kept_in_the_store(archive: Path, tmp_path: Path) -> None:
    note = f"damaged places left out: 1 (web.warc at byte {archive.read_bytes().rindex(b'WARC/1.0')})"
    assert note in convert(archive, tmp_path / "store").stderr  # type: ignore[attr-defined]
    assert json.loads(convert(archive, tmp_path / "again", "--json").stdout)["notes"] == [note]  # type: ignore[attr-defined]
    assert open_web(tmp_path / "store").origin.notes == (note,)


def test_the_example_in_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[1] / "docs" / "archives.md").read_text()
    found = re.search(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", text, re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(found[1], {})  # noqa: S102 - our own documentation
    assert printed.getvalue() == re.sub(r"^    ", "", found[2], flags=re.MULTILINE)
