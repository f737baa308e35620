"""What the docs point to is there: the files and headings behind links, the commands and options by name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer.main

from seedbed.cli.main import app
from seedbed.sources.format import EVERYTHING
from seedbed.sources.formats import formats_in_order
from seedbed.sources.saving import written_formats

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/**/*.md") for path in ROOT.glob(pattern)
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
COMMAND = re.compile(r"(?:^ +(?:\$ )?|`)seedbed ([a-z]+)\b([^`#\n]*)", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z](?:[a-z-]*[a-z])?(?![\w-])")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def _anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    without_code = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.*)$", without_code, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@cache
def _options() -> dict[str, set[str]]:
    """Every command with its options."""
    group = typer.main.get_command(app)
    return {
        name: {"-h", "--help"} | {option for parameter in command.params for option in parameter.opts}
        for name, command in group.commands.items()  # type: ignore[attr-defined]
    }


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    for found in LINK.finditer(page.read_text("utf-8")):
        link = found[1] or found[2]
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{_name(page)} links to {link}, which is not there"
        assert target.is_relative_to(ROOT), f"{_name(page)} links to {link}, outside of the repository"
        if anchor:
            assert anchor in _anchors(target), f"{_name(page)} links to {link}, a heading that is not there"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_in_the_docs_have_the_options_they_are_given(page: Path) -> None:
    options = _options()
    for command, words in COMMAND.findall(page.read_text("utf-8").replace("\\\n", " ")):
        assert command in options, f"{_name(page)}: there is no command seedbed {command}"
        unknown = set(OPTION.findall(words.partition(" | ")[0])) - options[command]
        assert not unknown, f"{_name(page)}: seedbed {command} has no {', '.join(sorted(unknown))}"


def test_options_named_alone_are_those_of_some_command() -> None:
    """But for those of scripts and benchmarks, whose command stands beside them."""
    known = {"--version", "--kind", "--names", "--delay", "--autothrottle"}.union(*_options().values())
    for page in PAGES:
        if page.name == "CHANGELOG.md":  # which also speaks of options that are gone
            continue
        unknown = set(re.findall(r"`(--[a-z-]+)", page.read_text("utf-8"))) - known
        assert not unknown, f"{_name(page)}: no command has {', '.join(sorted(unknown))}"


def test_the_readme_has_a_line_for_every_page_of_the_docs() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    missing = [page.name for page in sorted(ROOT.glob("docs/*.md")) if f"(docs/{page.name})" not in readme]
    assert not missing


def test_every_command_is_shown_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [name for name in _options() if f"seedbed {name}" not in readme and f"make {name}" not in readme]


def test_every_option_is_explained_in_the_docs() -> None:
    """Beside --help; -k and -h are too short to look for."""
    text = "\n".join(page.read_text("utf-8") for page in PAGES if page.name != "CHANGELOG.md")
    known = {option for options in _options().values() for option in options if option.startswith("--")}
    missing = [option for option in sorted(known - {"--help"}) if not re.search(rf"{option}(?![\w-])", text)]
    assert not missing


def test_the_table_of_formats_has_all_of_them_in_the_order_in_which_they_are_tried() -> None:
    text = (ROOT / "docs/formats.md").read_text("utf-8").partition("## What is written")[0]
    rows = re.findall(r"^\| \[`([a-z-]+)`\]\(.*?\) \| (.*?) \| ", text.replace("\\|", "\0"), re.MULTILINE)
    declared = [(known.name, known.meaning) for known in formats_in_order()]
    assert [(name, meaning.replace("\0", "|")) for name, meaning in rows] == declared


def test_the_table_of_what_is_written_says_endings_and_what_a_format_does_not_hold() -> None:
    text = (ROOT / "docs/formats.md").read_text("utf-8").partition("## What is written")[2].partition("\n## ")[0]
    rows = [re.split(r" *\| *", line)[1:4] for line in text.splitlines() if line.startswith("|")][2:]
    described = {what.split("`")[1]: (out, missing) for out, what, missing in rows}
    assert set(described) == set(written_formats())
    for name, (out, missing) in described.items():
        known = written_formats()[name]
        lost = [word.lower() for word in missing.split(", ") if word.lower() in EVERYTHING]
        assert lost == [what for what in EVERYTHING if what not in known.holds], name
        assert out == "the same" or all(ending in out for ending in known.endings), name


def test_contributing_names_every_part_of_the_package() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    parts = {path.name for path in (ROOT / "src/seedbed").iterdir() if not path.name.startswith(("_", "."))} - {
        "py.typed"
    }
    assert not [part for part in sorted(parts) if f"src/seedbed/{part}" not in text]


def test_no_page_needs_an_import_from_deeper_than_seedbed() -> None:
    """But for Scrapy's settings, which name a class by its place."""
    deeper = re.compile(r"\bseedbed\.(?!integrations\.scrapy\.)[a-z_]+(?:\.[a-z_]+| import)")
    for page in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", *ROOT.glob("examples/*.ipynb")]:
        found = deeper.search(page.read_text("utf-8"))
        assert found is None, f"{_name(page)}: {found[0].strip()}"


def test_the_site_is_built_and_no_link_in_it_is_broken(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    pytest.importorskip("material")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    reference = (tmp_path / "site/reference/index.html").read_text("utf-8")
    import seedbed

    assert not [name for name in seedbed.__all__ if f"sb.{name}" not in reference]
    loaded = re.compile(r"<(?:script|img|link)[^>]+(?:src|href)=\"(?:https?:)?//")
    for page in (tmp_path / "site").rglob("*.html"):
        assert not loaded.search(page.read_text("utf-8")), f"{page.name} loads something from elsewhere"


def test_the_files_that_contributing_points_to_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`(src/seedbed/[\w/.]*|tests/[\w/.]+)`", text))
    assert not [name for name in sorted(named) if not (ROOT / name).exists() and not name.endswith("mine.py")]
    wishes = text.partition("## From a wish to the file")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| [a-z]", wishes, re.MULTILINE)) >= 20
