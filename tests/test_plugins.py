"""The plug-ins of CONTRIBUTING: at most twenty lines each, installed as a package, and used from the command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import seedbed as sb
from seedbed.sources.read_options import ReadOptions

ROOT = Path(__file__).parents[1]
LINKS = "http://a.example/ -> http://b.example/long\nhttp://b.example/long -> http://c.example/\n"


def _blocks(kind: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Plug-ins")[2].partition("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed, as pip does it."""
    pytest.importorskip("hatchling")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    (source / "mine.py").write_text("\n\n".join(_blocks("python")), "utf-8")
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "mine"\nversion = "1"\n'
        + _blocks("toml")[0]
        + '[tool.hatch.build]\nonly-include = ["mine.py"]\n'
    )
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", target, source]
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def seedbed(installed: Path, tmp_path: Path):
    (tmp_path / "links.arrows").write_text(LINKS)

    def run(*words: str) -> str:
        paths = os.pathsep.join([str(installed), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "seedbed", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_each_kind_of_plug_in_is_shown_in_at_most_twenty_lines() -> None:
    blocks = _blocks("python")
    assert len(blocks) == 4
    assert not [block for block in blocks if len(block.splitlines()) > 20]


def test_a_package_brings_a_format_a_strategy_an_order_and_an_export(seedbed, tmp_path: Path) -> None:
    assert json.loads(seedbed("info", "links.arrows", "--json"))["pages"] == 3
    choose = ["seeds", "links.arrows", "-k", "2", "--strategy", "shortest-urls", "--option", "longest=18"]
    seedbed(*choose, "--out", "seeds.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "seeds.jsonl").read_text().splitlines()]
    assert [row["url"] for row in rows] == ["http://a.example/", "http://c.example/"]
    crawled = seedbed("crawl", "links.arrows", "--seeds", "seeds.jsonl", "--order", "short-urls@80", "--json")
    assert json.loads(crawled)["fetched"] == 3
    seedbed("export", "seeds.jsonl", "--to", "weighted", "--option", "separator=;", "--out", "seeds.csv")
    assert (tmp_path / "seeds.csv").read_text() == "http://a.example/;1.000\nhttp://c.example/;0.500\n"


def test_help_names_the_plug_ins_and_their_options(seedbed) -> None:
    shown = seedbed("seeds", "--help")
    assert "shortest-urls" in shown
    assert "Longest URL to choose." in shown
    assert "short-urls" in seedbed("crawl", "--help")
    assert "weighted" in seedbed("export", "--help")


def test_the_same_lines_work_in_python_without_a_package(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    exec("\n\n".join(_blocks("python")), names)  # noqa: S102
    (tmp_path / "links.arrows").write_text(LINKS)
    web = names["ARROWS"].read(tmp_path / "links.arrows", ReadOptions())  # type: ignore[attr-defined]
    seeds = sb.select(web, names["shortest_urls"], k=1)
    assert seeds.urls == ["http://a.example/"]
    assert len(sb.crawl(web, seeds, names["ShortUrlsFirst"])) == 3
    done = sb.export(seeds, names["weighted"], tmp_path / "out.csv")  # type: ignore[arg-type]
    assert len(done.listed.entries) == 1
