"""One web from several paths, patterns, folders and lists; and what is said of paths that lead nowhere."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from seedbed.errors import InputError, OptionError
from seedbed.sources.opening import open_web
from tests.archives import arc_record, arc_start, http, packed, page
from tests.commands import misused, seedbed
from tests.sources import url_links_of
from tests.test_sources_crawlers import FORM

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def put(path: Path, source: str, target: str) -> Path:
    """An archive, log, dump or list of items with one link, as the name of the file says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    html = f"<a href={target}>words</a>"
    if path.name.endswith(".arc.gz"):
        path.write_bytes(packed([arc_start(), arc_record(source, http(html))]))
    elif path.name.endswith(".warc.gz"):
        path.write_bytes(packed([page(source, html)]))
    elif "log" in path.name:
        path.write_text(FORM.format(200, 1, target, "L", source))
    elif path.name.startswith("part"):
        path.write_text(f"{target}\tInlinks:\n fromUrl: {source} anchor: words\n\n")
    elif path.name.endswith(".dump"):
        info = {"url": target, "metadata": {"url.path": {"values": [source]}}}
        path.write_text(json.dumps({"known": {"info": info}}))
    else:
        path.write_text(json.dumps({"url": source, "links": [target]}))
    return path


def refused(path: object, what: str, **options: object) -> None:
    with pytest.raises((InputError, OptionError), match=what) as error:
        open_web(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


BOTH = [(A, B), (C, D)]


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("a.warc.gz", "b.arc.gz"), "archive"),
        (("crawl.log", "crawl.log.cp01"), "crawl-log"),
        (("part-0", "part-1"), "linkdb"),
        (("1.jl", "2.jl"), "scrapy"),
        (("1.dump", "2.dump"), "urlfrontier"),
    ],
)
def test_several_paths_a_pattern_and_a_folder_give_one_web(names: tuple[str, str], kind: str, tmp_path: Path) -> None:
    first, second = put(tmp_path / "d" / names[0], A, B), put(tmp_path / "d" / names[1], C, D)
    paths: list[object] = [
        [first, str(second)],
        (second, first),
        tmp_path / "d",
        str(tmp_path / "d" / "*"),
        f"{first.parent}*",
    ]
    for path in paths:
        web = open_web(path)  # type: ignore[arg-type]
        assert (web.origin.format, url_links_of(web), web.origin.notes) == (kind, BOTH, ())
        assert url_links_of(open_web(path, format=kind)) == BOTH  # type: ignore[arg-type]
    assert open_web([first, second]).origin.source == f"{first} + {second}"


def test_the_command_takes_several_webs_and_then_the_output(tmp_path: Path) -> None:
    first, second = put(tmp_path / "a.warc.gz", A, B), put(tmp_path / "b.arc.gz", C, D)
    done = seedbed("convert", first, second, tmp_path / "out.web")
    assert done.returncode == 0, done.stderr
    assert url_links_of(open_web(tmp_path / "out.web")) == BOTH
    before = second.read_bytes()
    misused(seedbed("convert", first, second), "b.arc.gz: no format has the ending '.arc'")
    assert second.read_bytes() == before
    words = " ".join(seedbed("convert", "--help", COLUMNS="300").stdout.split())
    assert "a quoted pattern, a list of archives" in words


def test_files_of_two_formats_are_no_web(tmp_path: Path) -> None:
    archive, log = put(tmp_path / "a.warc.gz", A, B), put(tmp_path / "crawl.log", C, D)
    refused([archive, log], r"a\.warc\.gz is archive, .*crawl\.log is crawl-log\. Files of one format")
    (tmp_path / "edges").write_text("0 1\n")
    refused([tmp_path / "edges", tmp_path / "edges"], "format edges have one path each. Of several: archive, crawl-log")
    refused([archive, tmp_path / "none"], "none: no such file")


def test_an_archive_without_a_sound_record_among_others_is_named(tmp_path: Path) -> None:
    first = put(tmp_path / "a.warc.gz", A, B)
    (tmp_path / "b.warc.gz").write_bytes(b"nothing")
    (tmp_path / "c.warc.gz").write_bytes(b"")
    web = open_web([first, tmp_path / "b.warc.gz", tmp_path / "c.warc.gz"])
    assert url_links_of(web) == [(A, B)]
    assert web.origin.notes[0].startswith("files without an intact record: 2 (")


def test_files_of_another_kind_beside_logs_are_named(tmp_path: Path) -> None:
    put(tmp_path / "crawl.log", A, B)
    put(tmp_path / "crawl.log.1", C, D)
    (tmp_path / "alerts.log").write_text("words of another kind\n")
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"words")[:10])
    for path in (tmp_path, tmp_path / "*"):
        web = open_web(path)
        assert url_links_of(web) == BOTH
        assert web.origin.notes == ("files of another kind left out: 2 (alerts.log; broken.gz)",)


def test_a_folder_with_other_files_on_top_holds_the_archives_below(tmp_path: Path) -> None:
    put(tmp_path / "2020" / "a.warc.gz", A, B)
    put(tmp_path / "2021" / "b.arc.gz", C, D)
    (tmp_path / "NOTES.txt").write_text("some words about it\n")
    assert url_links_of(open_web(tmp_path)) == BOTH
    (tmp_path / "edges.txt").write_text("0 1\n")
    assert open_web(tmp_path).origin.format == "edges"


def test_links_to_folders_are_followed_and_those_that_lead_nowhere_named(tmp_path: Path) -> None:
    put(tmp_path / "here" / "a.warc.gz", A, B)
    put(tmp_path / "there" / "deep" / "b.arc.gz", C, D)
    (tmp_path / "here" / "linked").symlink_to(tmp_path / "there")
    (tmp_path / "there" / "deep" / "round").symlink_to(tmp_path / "here")
    (tmp_path / "here" / "x.warc.gz").symlink_to(tmp_path / "gone")
    for path in (tmp_path / "here", tmp_path / "he*"):
        web = open_web(path)
        assert url_links_of(web) == BOTH
        assert web.origin.notes == (f"names that lead nowhere left out: 1 ({tmp_path / 'here' / 'x.warc.gz'})",)
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "x.warc.gz").symlink_to(tmp_path / "gone")
    refused(tmp_path / "only", "no archives here.* Found: names that lead nowhere", format="archive")


def test_a_list_may_hold_folders_and_patterns(tmp_path: Path) -> None:
    put(tmp_path / "2020" / "a.warc.gz", A, B)
    put(tmp_path / "2021" / "b.arc.gz", C, D)
    for text in ("2020\n2021/*.arc.gz\n", "202?/*.warc.gz\n2021\n", "2020/a.warc.gz\n202*\n"):
        (tmp_path / "list").write_text(text)
        assert url_links_of(open_web(tmp_path / "list")) == BOTH
    (tmp_path / "list").write_text("2020\n2021\n")
    assert url_links_of(open_web(tmp_path / "list", format="archive")) == BOTH


def test_a_log_is_no_list_of_archives(tmp_path: Path) -> None:
    log = put(tmp_path / "crawl.log", A, B)
    refused(log, r"crawl\.log, line 1: found '2016-03-31T.*', expected an archive, or a list of", format="archive")


def test_no_path_is_not_the_current_folder() -> None:
    refused("", "no path is given")
    refused([], "no path is given")


def test_what_is_not_a_regular_file_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "pipe: is not a regular file. .* save it as one first")
    refused("-", "-: standard input is not read")


def test_a_pattern_without_matches_is_said(tmp_path: Path) -> None:
    refused(tmp_path / "*.log", r"\*\.log: no file matches\.$")
