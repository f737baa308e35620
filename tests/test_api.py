"""What `import seedbed` offers: every name has an example that runs, and results are tables, pictures and files."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedbed as sb
from tests.graphs import web_of

URLS = ["http://a.example/", "http://a.example/<script>alert(1)</script>", "http://b.example/?x=1&y=2"]


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=300)


@pytest.mark.parametrize("name", sb.__all__)
def test_every_public_name_has_an_example_that_runs(name: str) -> None:
    found = getattr(sb, name)
    examples = doctest.DocTestFinder(recurse=False).find(found, name, globs={})
    assert examples and examples[0].examples, f"sb.{name} has no example"
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for example in examples:
        runner.run(example)
    assert not runner.failures


def test_there_are_about_thirty_public_names_and_all_are_there() -> None:
    assert len(sb.__all__) <= 32
    assert sb.__all__ == sorted(sb.__all__)
    assert set(sb.__all__) <= set(dir(sb))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        sb.nonsense  # noqa: B018


@pytest.fixture(scope="module")
def results(web: sb.Web) -> dict[str, Any]:
    seeds = sb.select(web, "cover", k=5, hops=1)
    return {
        "seeds": seeds,
        "ranking": sb.rank(web),
        "run": sb.crawl(web, seeds, "fpr", budget=100),
        "comparison": sb.compare(web, ["cover", "random"], ["fpr", "bfs"], k=3, repeats=3),
    }


@pytest.mark.parametrize("name", ["seeds", "ranking", "run", "comparison"])
def test_a_result_is_a_table_a_picture_and_both_in_a_notebook(results: dict[str, Any], name: str) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    result = results[name]
    table = result.to_arrow()
    assert table.num_rows > 0
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == table.column_names
    assert len(frame) == table.num_rows
    assert "\n" not in repr(result)
    assert result.plot().lines
    shown = result._repr_html_()
    assert "<table>" in shown and "<svg" in shown and "<polyline" in shown
    assert shown.count("<tr>") <= 11


@pytest.mark.parametrize("name", ["seeds", "ranking", "run", "comparison"])
def test_a_result_is_the_same_when_it_is_loaded_again(
    results: dict[str, Any], web: sb.Web, tmp_path: Path, name: str
) -> None:
    result = results[name]
    for ending in {"seeds": (".jsonl", ".csv", ".parquet", ".txt"), "run": (".parquet",), "comparison": ("",)}.get(
        name, (".csv", ".jsonl", ".parquet")
    ):
        path = tmp_path / f"saved{ending}"
        result.save(path)
        again = sb.load(path, web)
        assert type(again) is type(result)
        if ending == ".txt":
            assert again.urls == result.urls
        else:
            assert again.to_arrow().equals(result.to_arrow())


def test_a_comparison_recommends_the_same_when_it_is_loaded_again(results: dict[str, Any], tmp_path: Path) -> None:
    found = results["comparison"]
    found.save(tmp_path / "kept")
    again = sb.load(tmp_path / "kept")
    assert again.recommendation.best.name == found.recommendation.best.name
    assert repr(again) == repr(found)
    for strategy in ("cover", "random"):
        assert again.choice(strategy).seeds.pages.tolist() == found.choice(strategy).seeds.pages.tolist()


def test_a_report_can_be_loaded_as_the_comparison_it_shows(web: sb.Web, tmp_path: Path) -> None:
    found = sb.compare(web, ["random"], ["bfs", "fpr"], k=2, repeats=2, out=tmp_path / "report")
    assert (tmp_path / "report" / "report.html").exists()
    assert repr(sb.load(tmp_path / "report")) == repr(found)


def test_what_strangers_wrote_is_escaped_in_a_notebook() -> None:
    seeds = sb.select(web_of([[1, 2], [2], [0]], URLS), "outdegree", k=3)
    shown = seeds._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_slices_of_seeds_are_seeds_and_their_gain_is_cut_with_them(web: sb.Web) -> None:
    seeds = sb.select(web, "random", k=10, hops=1)
    first = seeds[:4]
    assert isinstance(first, sb.Seeds)
    assert first.gain is not None and seeds.gain is not None
    assert first.gain.pages.tolist() == seeds.gain.pages[:4].tolist()
    assert first.pages.tolist() == seeds.pages[:4].tolist()
    assert seeds[2:4].gain is None  # what the seeds ahead of them cover is not theirs
    assert seeds[-1].rank == 10


def test_seeds_loaded_without_their_web_are_not_taken_for_other_pages(web: sb.Web, tmp_path: Path) -> None:
    sb.select(web, "random", k=3).save(tmp_path / "seeds.jsonl")
    other = sb.make_web(pages=300, seed=2)
    with pytest.raises(sb.OptionError, match="is another page in this web"):
        sb.crawl(other, sb.load(tmp_path / "seeds.jsonl"))
    assert len(sb.crawl(web, sb.load(tmp_path / "seeds.jsonl"), budget=5)) == 5


def test_a_list_of_urls_needs_its_web(web: sb.Web, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(f"{web.urls[3]}\n{web.urls[5]}\nhttp://not.there/\n")
    with pytest.raises(sb.InputError, match="Give the web that has them"):
        sb.load(tmp_path / "mine.txt")
    seeds = sb.load(tmp_path / "mine.txt", web)
    assert seeds.pages.tolist() == [3, 5]
    assert "1 of 3 seeds are not in the web" in seeds.notes[-1]
    with pytest.raises(sb.InputError, match="skip_missing"):
        sb.crawl(web, tmp_path / "mine.txt")
    assert len(sb.crawl(web, tmp_path / "mine.txt", budget=5, skip_missing=True)) == 5


def test_a_web_becomes_a_graph_of_other_libraries_and_comes_back() -> None:
    lists = [[1, 2], [2], [0]]
    web = web_of(lists, URLS)
    assert sb.from_scipy(web.to_scipy()).links.successors(0).tolist() == [1, 2]
    graph = web.to_networkx()
    assert set(graph.edges) == {(URLS[a], URLS[b]) for a, targets in enumerate(lists) for b in targets}
    assert sb.from_networkx(graph).link_count == 4
    assert web.to_igraph().es[0].tuple == (0, 1)


def test_a_package_that_is_missing_is_named(web: sb.Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    monkeypatch.setitem(__import__("sys").modules, "igraph", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        sb.rank(web).to_pandas()
    with pytest.raises(ImportError, match="pip install igraph"):
        web.to_igraph()


def test_rank_takes_the_options_of_the_score_and_no_others(web: sb.Web) -> None:
    assert sb.rank(web, "hubs").name != sb.rank(web, "authorities").name
    with pytest.raises(sb.OptionError, match="has no option 'damping'"):
        sb.rank(web, "indegree", damping=0.5)
    with pytest.raises(sb.OptionError, match="Did you mean 'pagerank'"):
        sb.rank(web, "page-rank")
    assert not np.array_equal(sb.rank(web, between="host").scores, sb.rank(web).scores)


def test_functions_have_the_words_of_their_commands() -> None:
    """But for what belongs to a command line: files that open the web, where to write, how to print."""
    import typer.main

    from seedbed.cli.main import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    said = set(inspect.signature(sb.open).parameters)
    elsewhere = {"web", "json", "out", "overwrite", "top", "help", *said}
    words = {"crawl": {"no_mass", "failures"}, "compare": {"strategy", "order", "new"}}  # here strategies, orders, web
    for name, other in words.items():
        known = set(inspect.signature(getattr(sb, name)).parameters)
        options = {parameter.name for parameter in commands[name].params} - elsewhere - other
        assert not options - known, f"sb.{name} does not have {options - known}"
