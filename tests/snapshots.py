"""Two small snapshots for the tests of refresh, in which every step occurs."""

from __future__ import annotations

from seedbed.graph.web import Web
from tests.graphs import web_of


def linked(pages: dict[str, str]) -> Web:
    """A web from URLs and the URLs that each links to."""
    urls = sorted({*pages, *" ".join(pages.values()).split()})
    number = {url: place for place, url in enumerate(urls)}
    return web_of([[number[target] for target in pages.get(url, "").split()] for url in urls], urls)


A, B, C, D, E = (f"http://{name}.org/" for name in "abcde")
OLD = linked(
    {
        A: f"{A}kept {A}moves {A}other",
        f"{A}kept": A,
        f"{A}moves": f"{B} {C}",
        f"{A}other": D,
        "http://www.b.org/X/index.html?sid=1": B,
        f"{E}gone": f"{D} {C} {D}one",
        f"{D}one": D,
        f"{C}lost": f"{A} {B}",
        "http://vanished.org/": "",
    }
)
NEW = linked(
    {
        A: f"{A}kept {A}moved.php {A}new",
        f"{A}kept": A,
        f"{A}moved.php": f"{B} {C}",
        f"{A}new": D,
        "https://b.org/x/": B,
        "http://f.org/twin": f"{D} {C} {D}one",
        f"{D}one": D,
        C: f"{C}links {C}plain",
        f"{C}links": f"{A}kept {D}one",
        f"{C}plain": f"{D}one",
        "http://g.org/": "http://g.org/1 http://g.org/2 http://g.org/3",
    }
)
SEEDS = [
    f"{A}kept",
    "http://www.b.org/X/index.html?sid=1",
    f"{A}moves",
    f"{E}gone",
    f"{C}lost",
    "http://vanished.org/",
]


def ids(web: Web, urls: list[str]) -> list[int]:
    assert web.urls is not None
    return [int(page) for page in web.urls.find_many(urls)]
