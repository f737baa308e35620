"""The papers' experiments on tiny synthetic webs: all figures are there, finite, and come again from their seed."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.evaluation.claims import Claim, by_claim, sentence_of
from seedbed.evaluation.experiments import alam, daneshpajouh, zheng
from seedbed.evaluation.experiments.experiment import Experiment
from seedbed.evaluation.tables_and_figures import Figure, Series
from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.report import svg_figures
from seedbed.report.experiment_files import as_csv, check_experiment_folder, page, write_experiment
from seedbed.report.svg_figures import draw, label_offsets
from seedbed.synth import make_web
from tests.graphs import web_of

CORES = daneshpajouh.Options(cores=12, draws=3, samples=20, repeats=2)
SITES = zheng.Options(sites=6, least=20, draws=2)
ORDERS = alam.Options(draws=2, repeats=2)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Web, Web]:
    old, new = make_web(tmp_path_factory.mktemp("synth") / "web", pages=3000, snapshots=2, survival=0.4, threads=1)
    return open_store(old), open_store(new)


@pytest.fixture(scope="module")
def on_cores(pair: tuple[Web, Web]) -> Experiment:
    return daneshpajouh.experiment(*pair, CORES)


@pytest.fixture(scope="module")
def on_sites(pair: tuple[Web, Web]) -> Experiment:
    return zheng.experiment(pair[0], SITES)


@pytest.fixture(scope="module")
def on_orders(pair: tuple[Web, Web]) -> Experiment:
    return alam.experiment(pair[0], ORDERS)


def names(found: Experiment) -> tuple[list[str], list[str]]:
    return [table.name for table in found.tables], [figure.name for figure in found.figures]


def is_finite(found: Experiment) -> bool:
    cells = [cell for part in found.parts for row in part.rows for cell in row]
    return all(math.isfinite(cell) for cell in cells if isinstance(cell, float))


def test_daneshpajouh_has_its_tables_and_figures(on_cores: Experiment) -> None:
    tables, figures = names(on_cores)
    of_reading = ["core-distances", "reached", "flow-communities", "survival"]
    assert tables == [
        "table-1", "table-2", "degrees", "hits", "growth", "important-pages", *of_reading,
        *(f"{name}-maximal" for name in of_reading), "times", "verdicts",
    ]  # fmt: skip
    assert figures == [f"figure-{number}{suffix}" for number in range(4, 13) for suffix in ("", "-maximal")]
    assert all(figure.verdicts for figure in on_cores.figures)
    assert all(len(one.x) for figure in on_cores.figures for one in figure.series)
    assert is_finite(on_cores)


@pytest.fixture(scope="module")
def on_one_web(pair: tuple[Web, Web]) -> Experiment:
    return daneshpajouh.experiment(pair[0], None, daneshpajouh.Options(cores=3, draws=2, samples=5, repeats=1))


def test_every_claim_is_judged_in_every_run(on_cores: Experiment, on_one_web: Experiment) -> None:
    ring = web_of([[1], [2], [0]], ["http://x.org/", "http://y.org/", "http://z.org/"])
    on_a_ring = daneshpajouh.experiment(ring, None, daneshpajouh.Options(cores=3, draws=1, repeats=1))
    for found in (on_cores, on_one_web, on_a_ring):
        assert set(found.judged) == set(daneshpajouh.PAPER_EXPERIMENT.claims)
        assert all(verdict.found for _, verdict in found.verdicts)


def test_verdicts_are_shown_by_reading(on_cores: Experiment) -> None:
    table = next(table for table in on_cores.tables if table.name == "verdicts")
    assert table.columns == ("claim", "web", "paper", "maximal")
    outcomes = {(one.claim.says, one.of): one.outcome for _, one in on_cores.verdicts}
    assert len(table.rows) == 17
    for says, web, *cells in table.rows:
        for reading, cell in zip(("paper", "maximal"), cells, strict=True):
            assert cell == outcomes[str(says), f"{web} ({reading} reading)"]


def test_cores_are_grown_as_asked_for(pair: tuple[Web, Web]) -> None:
    def series(**how: Any) -> tuple[Series, ...]:
        options = daneshpajouh.Options(cores=3, draws=2, samples=5, repeats=1, **how)
        found = daneshpajouh.experiment(pair[0], None, options)
        assert names(found)[1] == ["figure-4", "figure-6", "figure-7", "figure-8"]
        return found.figures[0].series

    hubs, authorities = series(size=9)
    assert (hubs.y, authorities.y) == ((4.0,) * 3, (5.0,) * 3)
    assert max(series(reading="maximal", max_hubs=2)[0].y) == 2
    assert series(reading="maximal") != series(reading="paper")
    drawn = daneshpajouh.Options(cores=3, draws=2, samples=5, repeats=1, reading="paper", pick="random")
    assert any("one draw of hubs" in note for note in daneshpajouh.experiment(pair[0], None, drawn).notes)


@pytest.mark.parametrize("how", [{"reading": "maximal"}, {"density": 80.0}])
def test_cores_of_a_size_have_no_reading_and_no_density(how: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="grow to a size or while they keep a density"):
        daneshpajouh.Options(size=9, **how)


def test_zheng_has_its_figures_with_error_bars(on_sites: Experiment) -> None:
    assert names(on_sites) == (["sites", "coverage"], ["figure-2", "figure-3", "figure-4", "figure-5"])
    assert is_finite(on_sites)
    for figure, places in zip(on_sites.figures, (10, 10, 5, 5), strict=True):
        assert [one.name for one in figure.series] == list(zheng.VARIANTS)
        for one in figure.series:
            assert one.x == tuple(range(1, places + 1))
            assert one.error is not None
            assert None not in one.error
        assert figure.verdicts


def test_alam_has_its_table_and_figures(on_orders: Experiment) -> None:
    assert names(on_orders) == (["table-1", "areas"], ["figure-3", "figure-4", "figure-4-differences"])
    assert is_finite(on_orders)
    seconds, mass, differences = on_orders.figures
    assert [one.name for one in differences.series] == [
        "fpr@2", "fpr@20", "fpr@100", "windowed-rankmass@5", "fpr@1000", "rankmass",
    ]  # fmt: skip
    fpr, other = mass.series[0], mass.series[1]
    assert differences.series[0].y == pytest.approx(100 * (np.array(other.y) - np.array(fpr.y)))
    assert [one.name for one in seconds.series] == list(alam.PAPER)
    assert [one.name for one in mass.series] == [*alam.PAPER, *alam.BESIDE, alam.BOUND]
    assert all(list(one.y) == sorted(one.y) for one in (*seconds.series, *mass.series))


def test_no_order_is_better_than_the_bound(on_orders: Experiment) -> None:
    areas = {row[0]: row[1] for row in on_orders.tables[1].rows}
    assert all(0 < area <= 100 + 1e-9 for area in areas.values())  # type: ignore[operator]
    *orders, most = on_orders.figures[1].series
    for one in orders:
        assert all(y <= np.interp(x, (0, *most.x), (0, *most.y)) + 1e-9 for x, y in zip(one.x, one.y, strict=True))


def test_what_was_chosen_by_its_measure_is_marked(on_sites: Experiment, on_orders: Experiment) -> None:
    value = on_sites.figures[1]
    assert {one.name for one in value.series if one.own} == {
        "MaxWeight (2 hops)", "MaxWeight (3 hops)", "MaxSCC", "RootSCC", "cover (ours)",
    }  # fmt: skip
    assert "cover (ours)*" in draw(value)
    assert all(one.own for one in on_orders.figures[1].series if one.name != alam.BOUND)


def test_the_same_seed_gives_the_same_bytes(
    pair: tuple[Web, Web], on_cores: Experiment, on_sites: Experiment, on_orders: Experiment, tmp_path: Path
) -> None:
    again = (
        daneshpajouh.experiment(*pair, replace(CORES, threads=2)),
        zheng.experiment(pair[0], zheng.Options(sites=6, least=20, draws=2, threads=2)),
        alam.experiment(pair[0], alam.Options(draws=2, repeats=2, threads=2)),
    )
    for one, other in zip((on_cores, on_sites, on_orders), again, strict=True):
        files = write_experiment(one, tmp_path / "one")
        assert write_experiment(other, tmp_path / "other") == files
        timed = {"alam": {"figure-3.csv", "figure-3.svg"}, "daneshpajouh": {"times.csv"}, "zheng": set()}[one.paper]
        timed |= {"index.md", "summary.json"} if timed else set()
        for name in set(files) - timed:
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name


def test_compressed_links_give_the_same_numbers(on_sites: Experiment, on_cores: Experiment, tmp_path: Path) -> None:
    made = make_web(tmp_path / "web", pages=3000, snapshots=2, survival=0.4, links="bvgraph", threads=1)
    old, new = map(open_store, made)
    assert old.links.kind == "bvgraph"
    assert zheng.experiment(old, SITES).figures == on_sites.figures
    assert daneshpajouh.experiment(old, new, replace(CORES, repeats=1)).figures == on_cores.figures


def test_another_seed_draws_other_random_seeds(pair: tuple[Web, Web], on_cores: Experiment) -> None:
    other = daneshpajouh.experiment(*pair, replace(CORES, repeats=1, reading="paper", seed=2))
    ours, random = on_cores.figures[6].series[0], on_cores.figures[6].series[-1]
    assert on_cores.figures[6].name == other.figures[3].name == "figure-7"
    assert other.figures[3].series[0] == ours
    assert other.figures[3].series[-1] != random


def test_random_pages_are_crawled_ones_unless_all_are_asked_for(
    pair: tuple[Web, Web], on_cores: Experiment, on_sites: Experiment
) -> None:
    old = pair[0]
    assert old.crawled is not None
    drawn = f"random pages are drawn from {int(old.crawled.sum()):,} crawled pages of {old.page_count:,}."
    assert f"old web: {drawn}" in on_cores.notes
    assert f"sites are the {int(old.crawled.sum()):,} crawled pages of {old.page_count:,}." in on_sites.notes
    by_name = {part.name: part for part in on_cores.parts}
    assert by_name["figure-7"].series[-1].name == "random crawled pages"  # type: ignore[union-attr]
    assert by_name["figure-7"].about.startswith("Random: the mean of 3 draws of crawled pages")
    assert by_name["survival"].rows[2][0] == "crawled pages drawn at random"
    assert by_name["reached"].columns[2] == "random crawled pages"
    whole = daneshpajouh.experiment(old, None, replace(CORES, crawled_only=False, reading="paper", repeats=1))
    assert not any("crawled pages" in note for note in whole.notes)
    assert whole.settings["crawled_only"] is False
    assert {figure.name: figure for figure in whole.figures}["figure-7"].series[-1].name == "random seeds"


def test_files_hold_the_numbers_and_figures_are_drawings(on_cores: Experiment, tmp_path: Path) -> None:
    files = write_experiment(on_cores, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(files)
    index = (tmp_path / "out" / "index.md").read_text()
    for part in on_cores.parts:
        assert f"]({part.name}.csv)" in index
        with (tmp_path / "out" / f"{part.name}.csv").open() as file:
            assert len(list(csv.reader(file))) == 1 + len(part.rows)
    for figure in on_cores.figures:
        root = ElementTree.parse(tmp_path / "out" / f"{figure.name}.svg").getroot()  # noqa: S314
        assert root.get("role") == "img"
        for verdicts in by_claim(figure.verdicts).values():
            assert sentence_of(verdicts) in (root.get("aria-label") or "")
        assert f"]({figure.name}.svg)" in index
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_one_web_alone_tells_what_it_can(on_one_web: Experiment) -> None:
    assert {name.split("-")[1] for name in names(on_one_web)[1]} == {"4", "6", "7", "8"}
    assert any("need a newer one" in note for note in on_one_web.notes)


def test_no_seed_left_is_said_and_not_hidden(pair: tuple[Web, Web]) -> None:
    elsewhere = web_of([[1], [2], [0]], ["http://x.org/", "http://y.org/", "http://z.org/"])
    options = daneshpajouh.Options(cores=3, draws=2, samples=5, repeats=1)
    found = daneshpajouh.experiment(pair[0], elsewhere, options)
    last = found.figures[-1]
    assert last.name == "figure-12-maximal"
    assert last.verdicts[0].holds is None
    assert "no seed of the old web is in the new one" in last.verdicts[0].sentence
    assert is_finite(found)


def test_a_web_of_one_site_has_no_cores() -> None:
    alone = web_of([[1], [0]], ["http://a.org/1", "http://a.org/2"])
    with pytest.raises(OptionError, match="no link between sites"):
        daneshpajouh.experiment(alone, None, CORES)


def test_options_that_cannot_be_are_refused() -> None:
    for wrong in (
        lambda: zheng.Options(sites=0),
        lambda: alam.Options(budget=0),
        lambda: daneshpajouh.Options(cores=0),
    ):
        with pytest.raises(OptionError, match="is 0; it must be at least 1"):
            wrong()


def test_text_from_webs_is_text_in_the_page() -> None:
    odd = Experiment("zheng", "", (), (), {"web": "a|b\n<script>*x*"}, ("[a](b)",))
    assert "a\\|b &lt;script>\\*x\\*" in page(odd)
    assert "\\[a\\](b)" in page(odd)
    assert as_csv(("a", "b"), [(None, 0.1 + 0.2), ("x,y", 3)]) == 'a,b\n,0.3\n"x,y",3\n'


def test_only_an_experiment_is_replaced(tmp_path: Path, on_cores: Experiment) -> None:
    (tmp_path / "mine").mkdir()
    check_experiment_folder(tmp_path / "mine")
    (tmp_path / "mine" / "thesis.txt").write_text("do not touch")
    with pytest.raises(OptionError, match="something other than an experiment"):
        write_experiment(on_cores, tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_what_was_put_beside_an_experiment_is_not_lost(
    tmp_path: Path, on_cores: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "remade"
    write_experiment(on_cores, out)
    check_experiment_folder(out)
    (out / "notes.txt").write_text("do not touch")
    with pytest.raises(OptionError, match=r"notes\.txt"):
        check_experiment_folder(out)
    (out / "notes.txt").unlink()
    monkeypatch.chdir(out)
    with pytest.raises(OptionError, match="in use"):
        check_experiment_folder(Path())
    for summary in ("{", "[]", '{"figures": 1}'):
        (out / "summary.json").write_text(summary)
        with pytest.raises(OptionError, match="something other than an experiment"):
            check_experiment_folder(out)


def test_a_drawing_tells_markup_apart_and_needs_no_series() -> None:
    verdict = Claim("c", "Figure 1", 'a "<b>" & c', "s", "h").verdict(None, "nothing")
    empty = Figure("figure-1", "a < b & c", "x", "y", (), (verdict,))
    label = ElementTree.fromstring(draw(empty)).get("aria-label") or ""  # noqa: S314
    assert label.startswith("a < b & c. y against x")
    assert 'a "<b>" & c' in label
    one = Series("s", (0.0, 1.0), (1.0, 100.0), (None, 5.0))
    assert draw(Figure("f", "t", "x", "y", (one,), (), log_y=True)) == draw(
        Figure("f", "t", "x", "y", (one,), (), log_y=True)
    )


def test_a_series_has_parts_of_one_length() -> None:
    with pytest.raises(OptionError, match="different lengths"):
        Series("s", (1.0, 2.0), (1.0,))


def test_an_error_bar_that_reaches_zero_does_not_stretch_a_logarithmic_axis() -> None:
    sure = Series("s", (0.0, 1.0, 2.0), (10.0, 1000.0, 20.0), (1.0, 200.0, 5.0))
    doubtful = Series("s", (0.0, 1.0, 2.0), (10.0, 1000.0, 20.0), (1.0, 1000.0 - 1e-13, 20.0))
    for one in (sure, doubtful):
        drawn = draw(Figure("f", "t", "x", "y", (one,), (), log_y=True))
        ticks = [float(text) for text in re.findall(r">([0-9.e-]+)</text>", drawn) if text not in "012"]
        assert 5 <= min(ticks) <= 10
        assert max(ticks) <= 2000


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 200)), min_size=1, max_size=25))
def test_labels_of_a_map_cover_neither_each_other_nor_points(points: list[tuple[int, int]]) -> None:
    texts = [str(number) for number in range(1, len(points) + 1)]
    offsets = label_offsets(points, texts)
    boxes = [
        (x + right, y + up, svg_figures.WIDTH * len(text) / 2, svg_figures.LABEL / 2)
        for (x, y), (right, up), text in zip(points, offsets, texts, strict=True)
    ]
    marks = [(x, y, svg_figures.MARK, svg_figures.MARK) for x, y in points]
    for place, one in enumerate(boxes):
        for other in (*boxes[:place], *marks):
            assert (
                abs(one[0] - other[0]) >= one[2] + other[2] - 1e-6 or abs(one[1] - other[1]) >= one[3] + other[3] - 1e-6
            )


def test_whole_numbers_have_whole_ticks_however_many_they_are() -> None:
    for count in (4, 22):
        one = Series("s", tuple(map(float, range(count))), (1.0,) * count)
        drawn = draw(Figure("f", "t", "depth", "y", (one,), ()))
        across = drawn[drawn.index('id="matplotlib.axis_1"') : drawn.index('id="matplotlib.axis_2"')]
        ticks = re.findall(r">([0-9.]+)</text>", across)
        assert len(ticks) >= 4
        assert all(float(tick).is_integer() for tick in ticks)


def test_a_long_title_is_broken_and_one_label_stands_up_to_the_right() -> None:
    title = "Average PageRank by depth: 13 old seeds, new web (maximal reading)"
    drawn = draw(Figure("f", title, "x", "y", (Series("s", (1.0,), (1.0,)),), ()))
    assert f">{title}</text>" not in drawn
    assert ">Average PageRank by depth: 13 old seeds, new web" in drawn
    right, up = label_offsets([(50.0, 50.0)], ["7"])[0]
    assert right > 0 < up
