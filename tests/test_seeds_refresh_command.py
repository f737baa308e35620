"""RefreshedSeed seeds in files, and the command that carries them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from seedbed.cli.failures import command
from seedbed.cli.refresh import refresh as refresh_command
from seedbed.errors import OptionError
from seedbed.graph.native_store import write_store
from seedbed.seeds.refresh.refresh import refresh
from seedbed.seeds.refresh.refreshed_seeds import ENDINGS, rows_of, write_refreshed
from seedbed.seeds.seed_files import read_pages
from tests.snapshots import NEW, OLD, SEEDS, A, ids


@pytest.mark.parametrize("ending", ENDINGS)
def test_carried_seeds_are_read_back_as_seeds(tmp_path: Path, ending: str) -> None:
    found = refresh(OLD, NEW, ids(OLD, SEEDS))
    path = tmp_path / f"seeds{ending}"
    write_refreshed(path, rows_of(NEW, found), {"strategy": "cover"})
    assert read_pages(NEW, path) == (found.pages.tolist(), 0)
    assert [file.name for file in tmp_path.iterdir() if not file.name.endswith(".meta.json")] == [path.name]
    if ending == ".parquet":
        rows = pq.read_table(path).to_pylist()
        assert [row["how"] for row in rows] == [row.how for row in found.rows]
        assert rows[0]["host"] == "a.org"


@pytest.mark.parametrize("ending", ENDINGS)
def test_seeds_that_were_lost_are_passed_over_when_a_file_is_read_back(tmp_path: Path, ending: str) -> None:
    found = refresh(OLD, NEW, ids(OLD, SEEDS), k=NEW.page_count + 2)
    assert found.counts["lost"] == 2
    write_refreshed(tmp_path / f"seeds{ending}", rows_of(NEW, found), {})
    assert read_pages(NEW, tmp_path / f"seeds{ending}") == (found.pages.tolist(), 0)


def test_an_unknown_strategy_is_refused_even_where_every_seed_is_kept() -> None:
    with pytest.raises(OptionError, match="unknown strategy 'cov'"):
        refresh(NEW, NEW, [0], strategy="cov")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_store(OLD, tmp_path / "old")
    write_store(NEW, tmp_path / "new")
    (tmp_path / "seeds.txt").write_text("\n".join([*SEEDS, "http://unknown.org/"]))
    return tmp_path


def run(folder: Path, *words: str):  # type: ignore[no-untyped-def]
    app = typer.Typer()
    app.command()(command(refresh_command))
    given_paths = ["--seeds", f"{folder}/seeds.txt", "--old", f"{folder}/old", "--new", f"{folder}/new"]
    return CliRunner().invoke(app, [*given_paths, *words])


def test_the_command_prints_a_table_and_counts(folder: Path) -> None:
    done = run(folder, "--strategy", "outdegree")
    assert done.exit_code == 0, done.output
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == 7
    assert rows[0] == ["1", f"{A}kept", "kept", f"{A}kept", "1.00", "the same URL"]
    assert rows[6][:3] == ["7", "http://unknown.org/", "chosen anew"]
    assert "kept 1, renamed 1, moved 1, similar 1, hub 1, chosen anew 2" in done.stderr
    assert "1 of the old seeds are not in the old web" in done.stderr


def test_the_command_writes_files_and_json(folder: Path) -> None:
    done = run(folder, "--out", f"{folder}/out.jsonl", "--json", "-k", "6")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert (summary["seeds"], summary["kept"], summary["chosen_anew"], summary["not_in_old"]) == (6, 1, 1, 1)
    assert summary["notes"] == ["k is 6: the last 1 of 7 old seeds were left out."]
    assert summary["notes"][0] in done.stderr
    assert json.loads((folder / "out.jsonl.meta.json").read_text())["made"]["renamed"] == 1
    rows = list(map(json.loads, (folder / "out.jsonl").read_text().splitlines()))
    assert list(rows[0]) == ["rank", "old_url", "how", "url", "id", "host", "confidence", "reason"]


def test_the_command_refuses_in_one_line(folder: Path) -> None:
    done = run(folder, "--out", f"{folder}/out.xls")
    assert done.exit_code == 2
    assert "Known: .csv, .jsonl, .parquet." in done.stderr
    assert len(done.stderr.splitlines()) == 1
