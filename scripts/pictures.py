"""pictures.py REPORT FOLDER: pictures of a report's parts, as docs/report.md shows them. Needs Chromium."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

PARTS = {
    "answer": "#answer",
    "pairs": "#pairs",
    "curves": "#curves figure:has(#chart-pagerank)",
    "depths": "#curves figure:has(#chart-depth)",
    "gain": "#curves figure:has(#chart-gain)",
    "cores": "#cores figure",
    "seeds": "#seeds",
    "web": "#shape",
    "made": "#made",
}


def main(report: Path, folder: Path) -> None:
    """Take all pictures, and make them small."""
    folder.mkdir(parents=True, exist_ok=True)
    place = shutil.which("chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=arguments)
        parts(browser, report, folder)
        whole(browser, report, folder / "dark.png", 900, 760, "dark")
        whole(browser, report, folder / "phone.png", 390, 760, "light")
        browser.close()
    for picture in folder.glob("*.png"):
        Image.open(picture).convert("RGB").quantize(96).save(picture, optimize=True)


def parts(browser: Browser, report: Path, folder: Path) -> None:
    """Each part by itself."""
    page = browser.new_page(viewport={"width": 1100, "height": 1800}, color_scheme="light")
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("#chart-gain .legend")
    page.add_style_tag(content=".tall { max-height: 22rem; } .top { position: static; }")
    for name, selector in PARTS.items():
        page.locator(selector).first.screenshot(path=folder / f"{name}.png")


def whole(browser: Browser, report: Path, picture: Path, width: int, height: int, theme: str) -> None:
    """What a screen shows: the curves in the dark theme, the top in the light one."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("#chart-gain .legend")
    if theme == "dark":
        page.locator("#curves").evaluate("part => window.scrollTo(0, part.offsetTop - 60)")
    page.screenshot(path=picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
