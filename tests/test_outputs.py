"""Output never takes the place of what is read, nor of a file that seedbed did not write; told before the work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from seedbed.common.outputs import check_output
from seedbed.common.sidecar import how_made
from seedbed.errors import OptionError
from tests.commands import LINKS, SEEDBED, misused, refused
from tests.commands import seedbed_here as seedbed
from tests.graphs import web_of

MINE = "years of work\n"
URLS = ["http://a.example/", "http://b.example/"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A web as text and as Parquet, and lists that commands read beside it."""
    (tmp_path / "links.csv").write_text(LINKS.replace("\t", ","))
    ends = [line.split("\t") for line in LINKS.splitlines()[1:]]
    pq.write_table(pa.table({"from": [a for a, _ in ends], "to": [b for _, b in ends]}), tmp_path / "links.parquet")
    assert seedbed("seeds", "links.csv", "-k", 1, "--out", "s.csv", cwd=tmp_path).returncode == 0
    (tmp_path / "hosts.csv").write_text("host,probability\na.example,0.5\n")
    (tmp_path / "worth.csv").write_text("url,worth\nhttp://a.example/,2\n")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


CRAWL = ["crawl", "links.parquet", "--seeds", "s.csv", "--order", "bfs", "--no-mass"]
OVER_INPUT = [
    ["rank", "links.csv", "--out", "links.csv"],
    ["seeds", "links.csv", "--out", "links.csv"],
    ["seeds", "links.csv", "--to", "nutch", "--out", "links.csv"],
    ["seeds", "links.csv", "--values", "worth.csv", "--out", "worth.csv"],
    ["seeds", "links.csv", "--values", "worth.csv:worth", "--out", "worth.csv"],
    ["seeds", "links.csv", "--held", "s.csv", "--out", "s.csv"],
    ["seeds", "links.csv", "--require", "s.csv", "--out", "s.csv"],
    ["seeds", "links.csv", "--exclude", "hosts.csv", "--out", "hosts.csv"],
    ["seeds", "links.csv", "--hosts", "hosts.csv", "--out", "hosts.csv"],
    [*CRAWL, "--out", "links.parquet"],
    ["refresh", "--seeds", "s.csv", "--old", "links.csv", "--new", "links.parquet", "--out", "s.csv"],
    ["refresh", "--seeds", "s.csv", "--old", "links.csv", "--new", "links.parquet", "--out", "links.parquet"],
    ["refresh", "--seeds", "s.csv", "--old", "links.csv", "--new", "links.parquet", "--out", "links.csv"],
    ["export", "s.csv", "--to", "heritrix", "--out", "s.csv"],
    ["convert", "links.csv", "links.csv"],
    ["convert", "links.parquet", "links.parquet"],
    ["compare", "report/curves.csv", "--out", "report"],
    ["compare", "links.csv", "--seeds", "report/seeds.jsonl", "--out", "report"],
]


@pytest.mark.parametrize("words", OVER_INPUT, ids=" ".join)
@pytest.mark.parametrize("force", [[], ["--overwrite"]], ids=["", "overwrite"])
def test_no_command_writes_over_what_it_reads(folder: Path, words: list[str], force: list[str]) -> None:
    (folder / "report").mkdir()
    for name in ("report.html", "comparison.json", "seeds.jsonl", "curves.csv"):
        shutil.copy(folder / "links.csv", folder / "report" / name)
    before = contents(folder)
    refused(seedbed(*words, *force, cwd=folder), "is read by this very command", "Choose another name")
    assert contents(folder) == before


@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_another_name_of_an_input_is_that_input(folder: Path, link: str) -> None:
    (folder / "run.parquet").unlink(missing_ok=True)
    if link == "hard":
        os.link(folder / "links.parquet", folder / "run.parquet")
    else:
        (folder / "run.parquet").symlink_to("links.parquet")
    refused(seedbed(*CRAWL, "--out", "run.parquet", "--overwrite", cwd=folder), "is read by this very command")
    assert (folder / "run.parquet").read_bytes() == (folder / "links.parquet").read_bytes()


def test_the_files_of_a_base_name_and_of_a_store_are_inputs(folder: Path) -> None:
    for out in ("g.graph", "my.web"):
        assert seedbed("convert", "links.csv", out, cwd=folder).returncode == 0
    before = contents(folder)
    for words in (
        ["convert", "g", "g.graph", "--transpose"],
        ["convert", "g.graph", "g.graph"],
        ["convert", "my.web", "my.web", "--links", "bvgraph"],
        ["seeds", "g", "--to", "text", "--out", "g.urls.gz"],
        ["seeds", "my.web", "--to", "text", "--out", "my.web/web.json"],
    ):
        refused(seedbed(*words, cwd=folder), "is read by this very command")
        refused(seedbed(*words, "--overwrite", cwd=folder), "is read by this very command")
    assert contents(folder) == before


def test_tables_that_belong_together_are_inputs_and_so_is_standard_input(folder: Path) -> None:
    (folder / "pair").mkdir()
    (folder / "pair" / "nodes.csv").write_text("0,http://a.example/\n1,http://b.example/\n")
    (folder / "pair" / "edges.csv").write_text("0,1\n1,0\n")
    refused(seedbed("rank", "pair/edges.csv", "--out", "pair/nodes.csv", "--overwrite", cwd=folder), "is read by this")
    words = "seedbed export - --to text --out s.csv --overwrite < s.csv"
    assert "is read by this very command" in shell(words, folder)


def shell(words: str, folder: Path) -> str:
    line = words.replace("seedbed", SEEDBED, 1)
    done = subprocess.run(["bash", "-c", line], check=False, capture_output=True, text=True, cwd=folder, timeout=60)
    return done.stdout + done.stderr


WRITING = {
    "rank.csv": ["rank", "links.csv"],
    "rank.jsonl": ["rank", "links.csv"],
    "rank.parquet": ["rank", "links.csv"],
    "found.csv": ["seeds", "links.csv", "-k", "1"],
    "found.jsonl": ["seeds", "links.csv", "-k", "1"],
    "found.txt": ["seeds", "links.csv", "-k", "1"],
    "found.parquet": ["seeds", "links.csv", "-k", "1"],
    "nutch.txt": ["seeds", "links.csv", "-k", "1", "--to", "nutch"],
    "run.parquet": CRAWL,
    "new.csv": ["refresh", "--seeds", "s.csv", "--old", "links.csv", "--new", "links.parquet"],
    "heritrix.txt": ["export", "s.csv", "--to", "heritrix"],
}


@pytest.mark.parametrize("out", WRITING)
def test_only_a_file_that_seedbed_wrote_and_nobody_changed_is_written_over(folder: Path, out: str) -> None:
    words, place = [*WRITING[out], "--out", out], folder / out
    place.write_text(MINE)
    told = refused(seedbed(*words, cwd=folder), f"{out} exists, and is not a ", "or add --overwrite")
    assert "seedbed wrote, or has changed since" in told
    assert place.read_text() == MINE
    assert seedbed(*words, "--overwrite", cwd=folder).returncode == 0
    first = place.read_bytes()
    assert first != MINE.encode()
    assert seedbed(*words, cwd=folder).returncode == 0
    place.write_bytes(first + b"http://mine.example/\n")
    refused(seedbed(*words, cwd=folder), f"{out} exists")
    assert place.read_bytes() == first + b"http://mine.example/\n"


@pytest.mark.parametrize("out", ["list.tsv", "list.tsv.gz", "list.parquet", "g.graph"])
def test_a_converted_web_is_written_over_only_if_seedbed_wrote_it(folder: Path, out: str) -> None:
    (folder / out).write_text(MINE)
    refused(seedbed("convert", "links.csv", out, cwd=folder), f"{out} exists, and is not a web")
    assert seedbed("convert", "links.csv", out, "--overwrite", cwd=folder).returncode == 0
    assert seedbed("convert", "links.csv", out, cwd=folder).returncode == 0
    assert sb.open(folder / out).page_count == 3


def test_every_file_of_a_set_is_looked_at(folder: Path) -> None:
    (folder / "h.precedence").write_text(MINE)
    refused(seedbed("export", "s.csv", "--to", "heritrix", "--out", "h.txt", cwd=folder), "h.precedence exists")
    (folder / "g.offsets").write_text(MINE)
    refused(seedbed("convert", "links.csv", "g.graph", cwd=folder), "g.offsets exists")
    assert not (folder / "h.txt").exists()
    assert not (folder / "g.graph").exists()


def test_an_output_of_another_kind_is_not_written_over(folder: Path) -> None:
    """A web that was converted may have cost hours; a ranking that is given its name by mistake does not cost it."""
    assert seedbed("convert", "links.csv", "w.parquet", cwd=folder).returncode == 0
    refused(seedbed("rank", "links.csv", "--out", "w.parquet", cwd=folder), "w.parquet exists, and is not a ranking")


def test_parquet_that_another_program_changed_is_not_written_over(folder: Path) -> None:
    """Arrow and pandas copy the metadata of a file along with rows that somebody added to."""
    words = ["seeds", "links.csv", "-k", 1, "--out", "found.parquet"]
    assert seedbed(*words, cwd=folder).returncode == 0
    place = folder / "found.parquet"
    table = pq.read_table(place)
    pq.write_table(table.append_column("mine", [[MINE] * len(table)]), place)
    before = place.read_bytes()
    refused(seedbed(*words, cwd=folder), "found.parquet exists, and is not a list of seeds")
    assert place.read_bytes() == before
    assert how_made(place) is None


def test_a_sidecar_that_is_someone_elses_is_not_written_over(folder: Path) -> None:
    (folder / "r.csv.meta.json").write_text('{"title": "mine"}')
    refused(seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder), "r.csv.meta.json exists")
    assert not (folder / "r.csv").exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"seedbed": 1}', '{"seedbed": "1", "kind": "ranking", "made": {}}']
)
def test_a_damaged_sidecar_proves_nothing(folder: Path, content: str) -> None:
    assert seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder).returncode == 0
    (folder / "r.csv.meta.json").write_text(content)
    refused(seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder), "r.csv exists")
    assert how_made(folder / "r.csv") is None


def test_a_crash_between_the_two_files_is_seen(folder: Path) -> None:
    """The file was moved in, its sidecar was not: the old one does not speak for the new file."""
    assert seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder).returncode == 0
    made = how_made(folder / "r.csv")
    assert made is not None
    assert made["by"] == "pagerank"
    (folder / "r.csv").write_text("id,score\n0,1\n")
    assert how_made(folder / "r.csv") is None
    refused(seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder), "r.csv exists")


def test_what_a_crawler_reads_has_its_sidecar_hidden(folder: Path) -> None:
    (folder / "urls").mkdir()
    assert seedbed("export", "s.csv", "--to", "nutch", "--out", "urls/seeds.txt", cwd=folder).returncode == 0
    assert seedbed("seeds", "links.csv", "-k", 1, "--out", "urls/more.txt", cwd=folder).returncode == 0
    names = sorted(path.name for path in (folder / "urls").iterdir())
    assert names == [".more.txt.meta.json", ".seeds.txt.meta.json", "more.txt", "seeds.txt"]


def test_an_old_sidecar_does_not_stay_beside_another_output(folder: Path) -> None:
    assert seedbed("seeds", "links.csv", "-k", 1, "--out", "x.jsonl", cwd=folder).returncode == 0
    assert seedbed("export", "s.csv", "--to", "crawl4ai", "--out", "x.jsonl", cwd=folder).returncode == 0
    assert sorted(path.name for path in folder.glob("*x.jsonl*")) == [".x.jsonl.meta.json", "x.jsonl"]


def all_commands(out: str, store: str) -> list[list[str]]:
    return [
        ["rank", "links.csv", "--out", f"{out}.csv"],
        ["seeds", "links.csv", "--out", f"{out}.csv"],
        ["seeds", "links.csv", "--to", "text", "--out", f"{out}.csv"],
        ["crawl", "links.csv", "--seeds", "s.csv", "--out", f"{out}.parquet"],
        ["refresh", "--seeds", "s.csv", "--old", "links.csv", "--new", "links.csv", "--out", f"{out}.csv"],
        ["export", "s.csv", "--to", "text", "--out", f"{out}.csv"],
        ["convert", "links.csv", f"{out}.tsv"],
        ["convert", "links.csv", f"{out}.graph"],
        ["convert", "links.csv", store],
        ["compare", "links.csv", "--out", store],
        ["reproduce", "alam", "links.csv", "--out", store],
        ["synth", store, "--pages", "10"],
        ["demo", "--out", store, "--pages", "10"],
    ]


@pytest.mark.parametrize(("place", "reason"), [("/proc/no/such", "takes no new files"), ("links.csv/sub", "is a file")])
def test_a_place_that_cannot_be_written_is_told_alike_by_all_commands(folder: Path, place: str, reason: str) -> None:
    for words in all_commands(f"{place}/out", f"{place}/out"):
        told = refused(seedbed(*words, cwd=folder), "cannot be written, because ", reason, "Choose another place.")
        assert told.startswith(f"seedbed: {place}/out")


def test_a_folder_where_a_file_is_to_be_is_told_alike(folder: Path) -> None:
    for ending in ("csv", "tsv", "graph", "parquet"):
        (folder / f"out.{ending}").mkdir()
    for words in all_commands("out", "")[:8]:
        refused(seedbed(*words, cwd=folder), "is a folder, but a file is needed")


@pytest.mark.parametrize("words", all_commands("new/deep/out", "new/deep/out")[:9], ids=" ".join)
def test_missing_folders_are_made_by_all_commands(folder: Path, words: list[str]) -> None:
    done = seedbed(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert any((folder / "new" / "deep").iterdir())


def test_a_device_is_not_replaced_by_a_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    refused(seedbed("rank", "links.csv", "--out", "pipe.csv", "--overwrite", cwd=folder), "is not a regular file")
    refused(seedbed("export", "s.csv", "--to", "text", "--out", "/dev/null", cwd=folder), "is not a regular file")
    assert Path("/dev/null").is_char_device()


def test_nothing_is_left_where_output_was_refused(folder: Path) -> None:
    (folder / "r.csv").write_text(MINE)
    before = contents(folder)
    refused(seedbed("rank", "links.csv", "--out", "r.csv", cwd=folder), "r.csv exists")
    assert contents(folder) == before
    assert not list(folder.glob(".seedbed*"))


def test_python_keeps_the_same_rule(tmp_path: Path) -> None:
    web = web_of([[1], [0]], URLS)
    place = tmp_path / "links.tsv"
    place.write_text(MINE)
    with pytest.raises(OptionError, match="exists, and is not a web that seedbed wrote"):
        sb.save(web, place)
    sb.save(web, place, overwrite=True)
    sb.save(web, place)
    run = sb.crawl(web, [0], "bfs")
    (tmp_path / "run.parquet").write_text(MINE)
    with pytest.raises(OptionError, match="exists, and is not a run that seedbed wrote"):
        run.save(tmp_path / "run.parquet")
    run.save(tmp_path / "run.parquet", overwrite=True)
    run.save(tmp_path / "run.parquet")
    assert len(sb.load(tmp_path / "run.parquet")) == 2


def test_a_file_is_not_read_and_written_by_whatever_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.csv").write_text(MINE)
    (tmp_path / "b").symlink_to("a")
    for name in ("a/x.csv", "a/../a/x.csv", "b/x.csv"):
        with pytest.raises(OptionError, match="is read by this very command"):
            check_output(tmp_path / "a" / "x.csv", "ranking", reads=[tmp_path / name], overwrite=True)


def test_the_sidecar_says_size_and_checksum(folder: Path) -> None:
    import hashlib

    found = json.loads((folder / "s.csv.meta.json").read_text())
    data = (folder / "s.csv").read_bytes()
    assert found["files"] == {"s.csv": {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}}
    assert found["kind"] == "list of seeds"
    assert found["made"]["strategy"] == "cover"


def test_a_web_is_not_written_to_a_folder_called_as_standard_output(folder: Path) -> None:
    misused(seedbed("convert", "links.csv", "-", cwd=folder), "not written to standard output")
    assert not (folder / "-").exists()


def test_a_ranking_beside_links_is_not_taken_for_their_pages(folder: Path) -> None:
    place = folder / "ids"
    place.mkdir()
    (place / "edges.txt").write_text("0\t1\n1\t2\n2\t0\n")
    for _ in range(2):
        assert seedbed("rank", "links.csv", "--out", "ids/rank.csv", cwd=folder).returncode == 0
        assert sb.open(place / "edges.txt").urls is None
        assert sb.open(place).urls is None
        assert seedbed("rank", "ids", "--out", "ids/of_ids.csv", cwd=folder).returncode == 0
