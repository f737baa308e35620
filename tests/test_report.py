"""The report as a file: whole, small, and deaf to what webs have in their URLs."""

from __future__ import annotations

import csv
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seedbed.errors import OptionError
from seedbed.evaluation.compare import Task, compare
from seedbed.report import report_charts, report_tables
from seedbed.report import report_sentences as words
from seedbed.report.report_files import check_report_folder
from seedbed.report.report_page import MAX_BYTES, embedded, policy
from seedbed.seeds import STRATEGIES
from seedbed.synth import make_web
from tests.graphs import web_of
from tests.reports import HOSTILE, SMALL, hostile, small, small_web, written


class Elements(HTMLParser):
    """Every element of a page, and the texts of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(small(), tmp_path_factory.mktemp("report")).read_text("utf-8")


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("report")
    return written(hostile(), place, "<img src=x onerror=window.hacked=1>").read_text("utf-8")


def test_the_report_is_one_file_below_eight_megabytes_that_names_nothing_outside(page: str) -> None:
    assert len(page.encode()) < MAX_BYTES == 8_000_000
    for tag, attributes in Elements(page).found:
        assert "src" not in attributes
        assert tag not in {"link", "iframe", "object", "embed", "img", "base", "form"}
        assert not [name for name in attributes if name.startswith("on")]


def test_the_answer_names_the_recommended_pair_its_lead_and_its_seeds(page: str) -> None:
    best = small().recommendation.best
    assert f"<em>{best.strategy}</em>" in page
    assert f"<em>{best.order}</em>" in page
    said = words.answer(small())
    assert "95 % interval" in said.sureness
    assert said.verdict in {"sure", "not sure"}
    urls = small().web.urls
    assert urls is not None
    for seed in small().choice(best.strategy).seeds:
        assert urls[seed.page] in page


def test_the_report_says_how_it_was_made(page: str) -> None:
    assert "seedbed compare &#39;my.web&#39;" in page
    for text in ("numba ", "Peak memory", "Seconds", "SHA-256", "seeds.jsonl"):
        assert text in page


def test_scripts_of_the_page_are_those_that_its_policy_allows(page: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert allowed is not None
    assert allowed[1].replace("&#39;", "'") == policy([scripts[at] for at in (0, 2, 3, 1)])
    assert "'unsafe-eval'" not in allowed[1]
    assert "default-src &#39;none&#39;" in allowed[1]


def test_text_of_a_hostile_web_makes_no_element_and_no_link(page: str, hostile_page: str) -> None:
    shown = [url for url in HOSTILE if url[:15] in hostile_page]
    assert len(shown) == len(HOSTILE)
    elements = Elements(hostile_page).found
    assert sum(tag == "script" for tag, _ in elements) == sum(tag == "script" for tag, _ in Elements(page).found)
    assert not [tag for tag, _ in elements if tag == "img"]
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
    links = [attributes for tag, attributes in elements if tag == "a" and not str(attributes["href"]).startswith("#")]
    assert len(links) > 20
    for link in links:
        assert str(link["href"]).startswith("http://")
        assert link["rel"] == "noopener noreferrer nofollow"


def test_only_addresses_of_the_web_become_links() -> None:
    for url in ("http://a/", "https://a/", "HTTPS://a/"):
        assert report_tables.link_of(url) == url
    for url in ("javascript:1", " http://a/", "//a/", "data:x", "httpx://a/", "http:a", None):
        assert report_tables.link_of(url) is None


def test_json_in_a_script_cannot_end_it() -> None:
    content = {"a": "</script><!-- & \u2028\u2029", "b": [1.5, None]}
    text = str(embedded(content))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == content


def test_the_files_beside_the_report_hold_its_numbers(tmp_path: Path) -> None:
    report = written(small(), tmp_path / "deep" / "report")
    with (report.parent / "pairs.csv").open(newline="") as file:
        pairs = list(csv.DictReader(file))
    assert len(pairs) == 16
    best = small().recommendation.best
    row = next(one for one in pairs if (one["strategy"], one["order"]) == (best.strategy, best.order))
    assert float(row["area"]) == best.area.mean
    assert float(row["behind"]) == 0
    summary = json.loads((report.parent / "comparison.json").read_text())
    assert summary["recommended"]["strategy"] == best.strategy
    with (report.parent / "curves.csv").open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == 16 * len(best.fetched)
    with (report.parent / "distances.csv").open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == 36
    assert sorted(path.name for path in report.parent.iterdir()) == [
        "comparison.json",
        "crawls.parquet",
        "curves.csv",
        "depths.csv",
        "distances.csv",
        "gain.csv",
        "pairs.csv",
        "report.html",
        "seeds-of-all.csv",
        "seeds.jsonl",
    ]


def test_tables_are_the_same_whenever_they_are_written(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(small(), tmp_path / name)
    for file in (
        "pairs.csv",
        "curves.csv",
        "gain.csv",
        "depths.csv",
        "distances.csv",
        "seeds-of-all.csv",
        "seeds.jsonl",
        "crawls.parquet",
    ):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_recommended_seeds_can_be_read_back(tmp_path: Path) -> None:
    from seedbed.seeds.seed_files import read_pages

    report = written(small(), tmp_path)
    pages, missing = read_pages(small().web, report.parent / "seeds.jsonl")
    assert missing == 0
    assert pages == small().choice(small().recommendation.best.strategy).seeds.pages.tolist()


def test_a_file_in_the_place_of_the_report_is_refused(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine")
    with pytest.raises(OptionError, match="is a file"):
        written(small(), tmp_path / "report")
    assert (tmp_path / "report").read_text() == "mine"


def test_a_report_does_not_write_over_files_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    written(small(), tmp_path)
    written(small(), tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    (tmp_path / "report.html").unlink()
    (tmp_path / "seeds.jsonl").write_text("mine")
    with pytest.raises(OptionError, match="something other than a report"):
        written(small(), tmp_path)
    assert (tmp_path / "seeds.jsonl").read_text() == "mine"


def test_a_report_is_not_written_into_a_web_or_below_a_file(tmp_path: Path) -> None:
    make_web(tmp_path / "my.web", pages=50)
    before = sorted((tmp_path / "my.web").iterdir())
    with pytest.raises(OptionError, match="is a web"):
        written(small(), tmp_path / "my.web")
    assert sorted((tmp_path / "my.web").iterdir()) == before
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OptionError, match=r"file is a file"):
        check_report_folder(tmp_path / "file" / "report" / "of" / "mine")


def test_a_place_that_cannot_be_written_is_refused_before_the_work() -> None:
    with pytest.raises(OptionError, match="because /proc takes no new files"):
        check_report_folder(Path("/proc/new/report"))


def test_very_many_seeds_are_listed_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    all_of_them, none = report_tables.listed_seeds(small())
    assert (len(all_of_them), none) == (24, 0)
    monkeypatch.setattr(report_tables, "MAX_SEED_BYTES", 4000)
    some, left_out = report_tables.listed_seeds(small())
    assert 0 < left_out == 24 - len(some)
    ranks = {name: sum(seed["strategy"] == name for seed in some) for name in SMALL.strategies}
    assert max(ranks.values()) - min(ranks.values()) <= 1
    assert some[0]["strategy"] == small().recommendation.best.strategy


def test_depths_beyond_what_is_drawn_are_counted_at_the_end() -> None:
    import numpy as np

    assert report_charts.folded(np.ones(100)).sum() == 100
    assert len(report_charts.folded(np.ones(100))) == report_charts.DEEPEST + 1
    assert report_charts.folded(np.ones(3)).tolist() == [1, 1, 1]


def test_every_strategy_and_order_is_explained() -> None:
    from seedbed.crawling.orders import ORDERS

    assert all(one.meaning for one in (*STRATEGIES.values(), *ORDERS.values()))
    found = small()
    assert [choice.meaning for choice in found.choices] == [STRATEGIES[name].meaning for name in SMALL.strategies]
    assert found.orders == {name: ORDERS[name].meaning for name in SMALL.orders}


def test_the_page_speaks_of_intervals_only_where_there_are_some(tmp_path: Path) -> None:
    for repeats, failure in ((1, 0.05), (1, 0.0)):
        task = Task(strategies=("outdegree",), orders=("bfs",), k=2, repeats=repeats, failure=failure)
        page = written(compare(small_web(), task, threads=1), tmp_path).read_text("utf-8")
        for words_of_many in ("1 times", "1 repeats", "follows the ±", "Bands show", "0 %, others"):
            assert words_of_many not in page.partition("<body>")[2].partition("<script")[0]
        assert "One crawl has no interval" in page


def test_a_list_of_ones_own_is_said_to_be_one(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("http://h1.example/001\n")
    task = Task(strategies=(str(mine),), orders=("bfs",), k=1, repeats=1)
    page = written(compare(small_web(), task, threads=1), tmp_path / "r").read_text("utf-8")
    assert "<b>mine.txt</b>: your own list." in page
    assert "<b>bfs</b>: the page found first" in page


def test_a_web_whose_name_is_not_utf_8_has_a_report_too(tmp_path: Path) -> None:
    page = written(small(), tmp_path, os.fsdecode(b"caf\xe9.web")).read_text("utf-8")
    assert "caf\\xe9.web" in page
    assert json.loads((tmp_path / "comparison.json").read_text("utf-8"))["made"]["web"]["name"] == "caf\\xe9.web"


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_a_web_of_which_little_is_known_has_a_report_too(order: str, tmp_path: Path) -> None:
    web = web_of([[1], [2], [0], []])
    found = compare(web, Task(strategies=("indegree",), orders=(order,), k=1, budget=1, failure=0.0), threads=1)
    page = written(found, tmp_path).read_text("utf-8")
    assert f"<em>{order}</em>" in page
    assert "page 0" in page
    assert "Nothing else was compared with it." in page
    assert 'class="badge quiet"' not in page
