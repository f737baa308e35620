"""The report in a real browser: Debian's Chromium, driven by Playwright. Nothing may be fetched from outside."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from seedbed.evaluation.compare import compare
from seedbed.report.report_charts import BOUND
from seedbed.seeds import STRATEGIES
from tests.reports import SMALL, hostile, small, small_web, written
from tests.test_out_of_sample import small_judged

SCREENSHOTS = Path(__file__).resolve().parents[1] / "screenshots"
SEED_ROWS = "#seed-table tbody tr:not([hidden])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    places = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    place = next((one for one in places if one), None)
    assert place is not None, "there is no Chromium; install it with: scripts/programs"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=place, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(small(), tmp_path_factory.mktemp("report"))


class Opened:
    """A report in a tab, with what it wrote to the console and what it asked for."""

    def __init__(self, browser: Browser, report: Path, **options: Any) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page: Page = browser.new_context(**options).new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
        self.page.goto(report.as_uri())
        self.page.wait_for_selector("#chart-gain .legend")

    def check_quiet(self, report: Path) -> None:
        assert self.said == []
        assert [url for url in self.asked if url != report.as_uri()] == []


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    tab = Opened(browser, report, viewport={"width": 1200, "height": 900}, color_scheme="light")
    yield tab
    tab.check_quiet(report)
    tab.page.context.close()


def column(page: Page, table: str, at: int) -> list[str]:
    return [
        text.strip() for text in page.locator(f"{table} tbody tr:not([hidden]) td:nth-child({at})").all_inner_texts()
    ]


def test_a_click_on_a_head_sorts_the_table_and_another_turns_it_round(opened: Opened) -> None:
    page = opened.page
    ranks = column(page, "#seed-table", 1)
    assert ranks == [str(rank) for rank in range(1, len(ranks) + 1)]
    head = page.locator("#seed-table th", has_text="Page")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    urls = column(page, "#seed-table", 2)
    assert urls == sorted(urls)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "#seed-table", 2) == sorted(urls, reverse=True)
    assert page.locator("#seed-table th", has_text="Rank").get_attribute("aria-sort") == "none"


def test_numbers_are_sorted_as_numbers(opened: Opened) -> None:
    page = opened.page
    page.locator("#pair-table th", has_text="Against the best").locator("button").click()
    cells = page.locator("#pair-table tbody td:nth-child(5)")
    values = [float(one) for one in cells.evaluate_all("cells => cells.map(cell => cell.dataset.value)")]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 3


def test_keys_reach_the_heads_and_sort(opened: Opened) -> None:
    page = opened.page
    page.locator("#search").focus()
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('th')?.cellIndex") == 1
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    assert page.locator("#seed-table th").nth(1).get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert page.locator("#seed-table th").nth(1).get_attribute("aria-sort") == "descending"


def test_the_first_key_offers_to_skip_to_the_answer(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"


def test_search_and_choice_of_strategy_narrow_the_seeds(opened: Opened) -> None:
    page = opened.page
    best = small().choice(small().recommendation.best.strategy).seeds
    assert page.locator(SEED_ROWS).count() == len(best)
    page.locator("#strategy").select_option("")
    assert page.locator(SEED_ROWS).count() == 24
    page.locator("#search").fill("DRAWN random")
    assert page.locator(SEED_ROWS).count() == 6
    assert page.locator("#found").inner_text() == "6 of 24 seeds"
    page.locator("#search").fill("nothing like it")
    assert page.locator(SEED_ROWS).count() == 0
    page.locator("#search").fill("")
    page.locator("#strategy").select_option("cores")
    assert set(column(page, "#seed-table", 5)) == {"cores"}


def test_pointing_at_a_curve_shows_its_values(opened: Opened) -> None:
    page = opened.page
    chart = page.locator("#chart-pagerank")
    chart.scroll_into_view_if_needed()
    box = page.locator("#chart-pagerank .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#chart-pagerank .hoverlayer .legend text")
    shown = " ".join(page.locator("#chart-pagerank .hoverlayer text").all_text_contents())
    best = small().recommendation.best
    assert f"{best.order} : {100 * best.mass.mean:.1f} %" in shown
    assert "oracle (knows the whole web)" in shown
    most = 100 * small().bounds[best.strategy][:, -1].mean()
    assert f"bound: no order can hold more : {most:.1f} %" in shown


def test_another_view_draws_other_curves(opened: Opened) -> None:
    page = opened.page
    legend = page.locator("#chart-pagerank .legendtext")
    assert legend.all_text_contents() == ["opic", "bfs", "random", "oracle (knows the whole web)", BOUND]
    page.locator("#view").select_option(label="seeds, in the order bfs")
    assert legend.all_text_contents() == ["cores", "cover", "pagerank", "random", BOUND]
    assert page.locator("#chart-depth .legendtext").all_text_contents() == ["cores", "cover", "pagerank", "random"]


def test_figures_have_alternative_texts_and_their_numbers_in_tables(opened: Opened) -> None:
    page = opened.page
    charts = page.locator(".chart")
    assert charts.count() == 4
    for chart in charts.all():
        assert len(chart.get_attribute("aria-label") or "") > 40
        assert chart.locator(".main-svg").count() > 0
    page.locator("summary", has_text="The curves as a table").click()
    assert page.locator("#curves details[open] tbody tr").count() == 16 + 4
    assert page.locator("#chart-cores-1 .heatmaplayer image").count() == 1


def test_the_theme_follows_the_system_until_the_button_is_used(browser: Browser, report: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = "document.querySelector('#chart-gain .legendtext').style.fill"
    tab = Opened(browser, report, color_scheme="dark", viewport={"width": 1200, "height": 900})
    page = tab.page
    dark, dark_ink = page.evaluate(ground), page.evaluate(ink)
    page.emulate_media(color_scheme="light")
    page.wait_for_selector("html[data-theme=light]")
    light = page.evaluate(ground)
    assert light != dark
    assert page.evaluate(ink) != dark_ink
    page.locator("#theme").click()
    assert page.evaluate(ground) == dark
    assert page.locator("#theme").inner_text().endswith("Light")
    page.reload()
    page.wait_for_selector("#chart-gain .legend")
    assert page.evaluate(ground) == dark
    tab.check_quiet(report)
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "report-dark.png", full_page=True)
    page.context.close()


def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, report: Path) -> None:
    tab = Opened(browser, report, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 390
    SCREENSHOTS.mkdir(exist_ok=True)
    tab.page.screenshot(path=SCREENSHOTS / "report-phone.png", full_page=True)
    tab.check_quiet(report)
    tab.page.context.close()


def test_without_scripts_there_are_no_empty_figures_and_no_dead_controls(browser: Browser, report: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(report.as_uri())
    assert page.locator(".chart:visible, .control:visible, #theme:visible").count() == 0
    assert page.locator("noscript p").is_visible()
    assert page.locator("#seed-table tbody tr").first.is_visible()
    page.context.close()


def test_on_paper_it_is_light_and_nothing_is_cut(browser: Browser, report: Path) -> None:
    tab = Opened(browser, report, viewport={"width": 1200, "height": 900}, color_scheme="dark")
    page = tab.page
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.locator("#chart-gain .main-svg").first.bounding_box()["width"] == 640  # type: ignore[index]
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight).length"
    assert page.locator("div.scroll:visible").evaluate_all(cut) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.check_quiet(report)
    page.context.close()


def test_long_names_do_not_widen_the_page(browser: Browser, tmp_path: Path) -> None:
    mine = tmp_path / f"{'x' * 200}.txt"
    mine.write_text("http://h1.example/001\n")
    report = written(
        compare(small_web(), replace(SMALL, strategies=(str(mine), "random"), repeats=1), threads=2), tmp_path / "r"
    )
    for width in (1200, 360):
        tab = Opened(browser, report, viewport={"width": width, "height": 800})
        assert tab.page.evaluate("document.documentElement.scrollWidth") == width
        tab.page.context.close()


def test_many_strategies_have_lines_that_differ(browser: Browser, tmp_path: Path) -> None:
    names = tuple(name for name in STRATEGIES if name != "trawling")
    report = written(compare(small_web(), replace(SMALL, strategies=names, repeats=1), threads=2), tmp_path)
    tab = Opened(browser, report)
    lines = tab.page.evaluate("document.getElementById('chart-gain').data.filter(one => one.showlegend !== false)"
                              ".map(one => one.line.color + one.line.dash)")  # fmt: skip
    assert len(set(lines)) == len(lines) == len(names)
    tab.page.context.close()


def test_a_hostile_web_does_nothing(browser: Browser, tmp_path: Path) -> None:
    report = written(hostile(), tmp_path, "<img src=x onerror=window.hacked=1>")
    tab = Opened(browser, report, viewport={"width": 1200, "height": 900})
    page = tab.page
    page.locator("#strategy").select_option("")
    page.locator("#seed-table th button").nth(1).click()
    for cell in page.locator("#seed-table td.page").all()[:60]:
        cell.hover()
    for text in ("javascript:", "JaVaScRiPt:", "data:text"):
        cell = page.locator("#seed-table td.page", has_text=text).first
        cell.click()
        assert cell.locator("a").count() == 0
    page.locator("#chart-cores-1").hover()
    assert page.evaluate("window.hacked") is None
    assert page.locator("#answer .kicker").inner_text().startswith("<img src=x onerror")
    tab.check_quiet(report)
    page.context.close()


def test_the_page_forbids_itself_scripts_that_are_not_its_own(browser: Browser, report: Path) -> None:
    tab = Opened(browser, report)
    tab.page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.hacked=1'}))"
    )
    assert tab.page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in text for text in tab.said)
    tab.page.context.close()


def test_out_of_sample_the_curves_and_the_table_show_the_figure_in_sample_too(browser: Browser, tmp_path: Path) -> None:
    found = small_judged()
    report = written(found, tmp_path)
    tab = Opened(browser, report, viewport={"width": 1200, "height": 900}, color_scheme="light")
    page = tab.page
    assert page.locator(".judged").inner_text().startswith("Judged on a later crawl: seeds were chosen on an older web")
    names = page.evaluate("document.getElementById('chart-pagerank').data.map(trace => trace.name).filter(Boolean)")
    orders = ["live-pagerank+last", "live-pagerank", "bfs"]
    assert [name for name in names if name.endswith(", in-sample") and "oracle" not in name] == [
        f"{order}, in-sample" for order in orders
    ]
    page.locator("#pair-table th", has_text="In-sample").locator("button").click()
    cells = page.locator("#pair-table tbody td:nth-child(6)")
    values = [float(one) for one in cells.evaluate_all("cells => cells.map(cell => cell.dataset.value)")]
    leads = [found.in_sample_lead(pair) for pair in found.pairs]
    assert values == sorted((lead.mean for lead in leads if lead is not None), reverse=True)
    held = page.locator("#pair-table tbody tr.best td:nth-child(3)").inner_text()
    same = found.in_sample_pair(found.recommendation.best)
    assert same is not None
    assert held.endswith(f"in-sample {100 * same.mass.mean:.1f} %")
    page.screenshot(path=SCREENSHOTS / "out-of-sample.png")
    tab.check_quiet(report)
    page.context.close()
