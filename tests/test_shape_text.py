from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from seedbed.graph.web import Origin, Web
from seedbed.shape.describe import describe
from seedbed.shape.power_law import Fit, PowerLaw
from seedbed.shape.shape_text import notes, render, with_error
from seedbed.shape.web_shape import Shape
from seedbed.urls.url_table import UrlTable
from tests.graphs import web_of
from tests.reference.shape_webs import csr_of, random_csr
from tests.test_shape_bow_tie import DRAWN_LINKS


def shown(shape: Shape, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    render(shape, Console(file=file, width=width))
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.fixture(scope="module")
def drawn() -> Shape:
    urls = [f"http://www{page // 4}.example.com/{page:02}" for page in range(16)]
    web = Web(
        csr_of(DRAWN_LINKS),
        urls=UrlTable.from_strings(urls),
        columns={"spam": np.arange(16) > 12},
        origin=Origin("drawn.tsv", "edges", self_links=1234, duplicate_links=0, removed=True),
    )
    return describe(web)


def row(text: str, start: str) -> str:
    return next(" ".join(line.split()) for line in text.splitlines() if line.startswith(start))


def test_numbers_stand_beside_their_names(drawn: Shape) -> None:
    text = shown(drawn)
    assert text.startswith("drawn.tsv\n")
    assert row(text, "Pages ") == "Pages 16"
    assert row(text, "Links ") == "Links 15 0.94 per page"
    assert row(text, "Hosts") == "Hosts 4"
    assert row(text, "Links between hosts") == "Links between hosts 8 53.3 % of all"
    assert row(text, "Self-links") == "Self-links 1,234 left out"
    assert row(text, "Duplicate links") == "Duplicate links 0"
    assert row(text, "Strong") == "Strong 14 3 18.8 %"
    assert row(text, "Tendrils") == "Tendrils 4 25.0 % ████ linked with these"
    assert row(text, "spam") == "spam bool 3 0 0.1875 1"


def test_large_numbers_fit_into_80_columns(drawn: Shape) -> None:
    law = Fit(PowerLaw(2.1234, 0.0001, 123_456, 98_765_432, 0.1))
    large = replace(
        drawn,
        pages=123_456_789_012,
        links=3_123_456_789_012,
        hosts=12_345_678_901,
        inter_host_links=1_123_456_789_012,
        bow_tie=replace(drawn.bow_tie, largest_component=123_456_789_012),
        out_degree=replace(drawn.out_degree, largest=123_456_789_012, fit=law),
        average_distance=1234.5,
        average_distance_error=12.25,
    )
    text = shown(large)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for number in ("123,456,789,012", "1,123,456,789,012", "2.123 ± 0.000", "98,765,432", "1234.50 ± 12.25"):
        assert number in text


def test_a_terminal_without_unicode_gets_plain_letters(drawn: Shape) -> None:
    sampled = replace(drawn, average_distance_error=0.5, distance_samples=3)
    text = shown(sampled, encoding="ascii")
    assert "+- 0.50" in text
    assert row(text, "Tendrils") == "Tendrils 4 25.0 % #### linked with these"


def test_where_hosts_are_not_known_it_says_how_to_give_them() -> None:
    text = " ".join(shown(describe(Web(csr_of(DRAWN_LINKS)))).split())
    assert "Links between" not in text
    assert "give one host per line, in page order, with --hosts FILE" in text


def test_notes_say_what_the_numbers_do_not(drawn: Shape) -> None:
    assert "Distances are exact: they were searched for from every page that has links." in notes(drawn)
    sampled = " ".join(notes(describe(Web(random_csr(1000, 2, seed=1)), samples=10)))
    assert "estimated from 10 of the pages that have links" in sampled
    lonely = " ".join(notes(describe(Web(csr_of([set()])))))
    assert "there is no average distance" in lonely
    assert "In-degrees: no power law was fitted, because only 0 pages have any" in lonely
    assert "Domains were not counted" in " ".join(notes(replace(drawn, domains=None)))


def test_what_rests_on_too_few_samples_does_not_look_exact(drawn: Shape) -> None:
    assert with_error(61.5923, 0.0, scale=100) == "61.59"
    assert with_error(61.5923, 0.012, scale=100) == "61.59 ± 1.20"
    assert with_error(61.5923, None, scale=100) == "about 62"
    rough = replace(drawn, distance_samples=1, average_distance_error=None, connected_pairs_error=None)
    assert any("too few for a standard error" in note for note in notes(rough))


def test_brackets_in_names_are_shown_as_they_are(drawn: Shape) -> None:
    odd = replace(drawn, source="[bold]web[/bold].tsv", columns={"[red]": drawn.columns["spam"]})
    text = shown(odd)
    assert "[bold]web[/bold].tsv" in text
    assert "[red]" in text


def test_webs_without_pages_are_shown() -> None:
    assert row(shown(describe(Web(csr_of([])))), "Pages ") == "Pages 0"


def test_what_the_reader_left_out_is_told() -> None:
    origin = Origin(notes=("3 records are damaged and left out",))
    shape = describe(replace(web_of([[1], []]), origin=origin))
    assert shape.to_dict()["notes"] == ["3 records are damaged and left out"]
    assert next(iter(notes(shape))) == "3 records are damaged and left out"
