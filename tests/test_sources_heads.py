"""The head of a file is read once whatever the number of formats; formats of other packages are tried with ours."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedbed as sb
from seedbed.common import declarations
from seedbed.errors import InputError, OptionError
from seedbed.graph.web import Web
from seedbed.sources import formats
from seedbed.sources.format import Format
from seedbed.sources.formats import FORMATS, formats_in_order
from seedbed.sources.head import HEAD, Head
from seedbed.sources.opening import format_at
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.writing import WriteJob
from tests.commands import seedbed_here
from tests.sources import links_of

SAMPLES = {
    "links.tsv": b"0\t1\n1\t2\n",
    "urls.csv": b"http://a.example/,http://b.example/\n",
    "links.tsv.gz": gzip.compress(b"0 1\n", mtime=0),
    "my.net": b"*Vertices 2\n*Arcs\n1 2\n",
    "items.jl": json.dumps({"url": "http://a.example/", "links": ["/x" * 100_000]}).encode(),
    "lists.txt": b"0 1 2 3\n1\n2 0\n",
    "words.txt": b"nothing\nof any format\n",
}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was opened."""
    counts: Counter[str] = Counter()
    genuine = Path.open

    def counted(path: Path, *args: Any, **options: Any) -> Any:
        counts[path.name] += path.is_relative_to(tmp_path)
        return genuine(path, *args, **options)

    monkeypatch.setattr(Path, "open", counted)
    return counts


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_opened_once_to_recognise_its_format(tmp_path: Path, opened: Counter[str], name: str) -> None:
    (tmp_path / name).write_bytes(SAMPLES[name])
    opened.clear()
    assert (format_at(tmp_path / name) is None) == (name == "words.txt")
    assert +opened == {name: 1}


def test_a_table_is_recognised_by_the_files_beside_it_which_are_opened_once(
    tmp_path: Path, opened: Counter[str]
) -> None:
    (tmp_path / "a.nodes.tsv").write_text("0\thttp://a.example/\n1\thttp://b.example/\n")
    (tmp_path / "a.edges.tsv").write_text("0\t1\n")
    (tmp_path / "notes.txt").write_text("some words\n")
    opened.clear()
    assert format_at(tmp_path / "a.edges.tsv") == "tables"
    assert +opened == {"a.nodes.tsv": 1, "a.edges.tsv": 1, "notes.txt": 1}


def test_a_head_is_bounded_and_reads_on_only_for_a_long_line(tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_bytes(b"x" * (3 * HEAD) + b"\nrest\n" * HEAD)
    head = Head(file)
    assert head.data == b"x" * HEAD
    assert head.piece is not None
    assert 3 * HEAD < head.piece.text.size <= 4 * HEAD
    assert head.lines[:2] == ["x" * (3 * HEAD), "rest"]
    assert head.data == b"x" * HEAD


def test_what_was_found_in_a_head_is_not_worked_out_again(tmp_path: Path) -> None:
    calls: list[Head] = []
    head = Head(tmp_path)
    assert head.data == b""
    assert [head.find(lambda_of(calls)) for _ in range(1)] == [1]
    look = lambda_of(calls)
    assert [head.find(look), head.find(look)] == [2, 2]


def lambda_of(calls: list[Head]) -> Any:
    def look(head: Head) -> int:
        calls.append(head)
        return len(calls)

    return look


def test_a_damaged_head_gives_what_is_sound_and_then_the_error(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d %d\n" % (k, k * k) for k in range(200_000)), mtime=0)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    head = Head(tmp_path / "cut.gz")
    assert head.lines[1] == "1 1"
    with pytest.raises(InputError, match="Was it cut short"):
        list(head.parts())


def read_mine(path: Path, options: ReadOptions) -> Web:
    """Links behind a magic line: `from>to`."""
    builder = options.builder()
    pairs = np.array([line.split(">") for line in path.read_text().split()[1:]], np.int64)
    builder.add(*pairs.T)
    return options.web(path, "mine", builder)


def write_mine(job: WriteJob) -> None:
    lines = [f"{source}>{target}" for pair in job.pairs() for source, target in zip(*pair, strict=True)]
    job.files[0].write_text("\n".join(["MINE", *lines]) + "\n")


MINE = Format(
    name="mine",
    meaning="links of my crawler",
    detect=lambda head: head.data.startswith(b"MINE"),
    read=read_mine,
    write=write_mine,
    endings=(".mine",),
    compressed=False,
    holds=(),
)
NOT_MINE = "no format"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package with formats, as if it were installed."""
    points = [EntryPoint("mine", f"{__name__}:MINE", "seedbed.formats")]
    monkeypatch.setattr(declarations, "entry_points", lambda group: points if group == "seedbed.formats" else [])
    FORMATS.__dict__.pop("_points", None)
    yield
    FORMATS.__dict__.pop("_points", None)
    FORMATS._loaded.pop("mine", None)


@pytest.mark.usefixtures("installed")
def test_a_format_of_another_package_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "x.mine").write_text("MINE\n0>1\n1>2\n")
    web = sb.open(tmp_path / "x.mine")
    assert (web.origin.format, links_of(web)) == ("mine", [(0, 1), (1, 2)])
    assert links_of(sb.open(sb.save(web, tmp_path / "y.mine").path)) == [(0, 1), (1, 2)]
    assert sb.open(tmp_path / "x.mine", format="mine").page_count == 3
    done = seedbed_here("info", "x.mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout


@pytest.mark.usefixtures("installed")
def test_it_is_tried_before_the_formats_that_take_any_links() -> None:
    names = [known.name for known in formats_in_order()]
    assert names.index("wdc") < names.index("mine") < names.index("tables")
    assert names[-4:] == list(formats._ANY_LINKS)


@pytest.mark.usefixtures("installed")
def test_what_is_no_format_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:NOT_MINE", "seedbed.formats")
    monkeypatch.setattr(declarations, "entry_points", lambda group: [point])
    FORMATS.__dict__.pop("_points", None)
    with pytest.raises(OptionError, match="format 'mine': its entry point names a str, expected a Format"):
        FORMATS["mine"]
