"""The shape of a web as readable text, 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from seedbed.common.memory import show_size
from seedbed.common.messages import visible
from seedbed.graph.web import how_to_add_hosts
from seedbed.shape.web_shape import Shape

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Rows = Iterable["tuple[str | Text, ...]"]

BAR = 16
PART_WORDS = {
    "largest_component": "pages that reach each other",
    "in": "reach the largest component",
    "out": "reached from it",
    "tubes": "on paths from in to out past it",
    "tendrils": "linked with these",
    "disconnected": "not linked with these",
}


def part_title(part: str) -> str:
    """The name of a part of the bow-tie, as a heading."""
    return part.replace("_", " ").capitalize()


def render(shape: Shape, console: Console) -> None:
    """Print everything."""
    _head(shape, console)
    sign, block = ("+-", "#") if console.options.ascii_only else ("±", "█")
    _table(console, ("Size", "", ""), "lrl", _size_rows(shape, sign))
    if shape.hosts is not None:
        _table(console, ("Links between sites", "", ""), "lrl", _site_rows(shape))
    _table(console, ("Cleaning", "", ""), "lrl", _cleaning_rows(shape))
    _table(console, ("Degrees", "out-degree", "in-degree"), "lrr", _degree_rows(shape, sign))
    _table(console, ("Components", "count", "largest", "of all pages"), "lrrr", _component_rows(shape))
    _table(console, ("Bow-tie", "pages", "", "", ""), "lrrll", _bow_tie_rows(shape, block))
    if shape.columns:
        heads = ("Columns", "type", "not zero", "min", "mean", "max")
        _table(console, heads, "lrrrrr", _column_rows(shape))
    _notes(shape, console)


def _head(shape: Shape, console: Console) -> None:
    from rich.text import Text

    facts = [shape.format or shape.store]
    if shape.bits_per_link is not None:
        facts.append(f"{shape.bits_per_link:.3f} bits per link")
    if shape.urls is not None:
        facts.append(f"URLs in {show_size(shape.urls.bytes)}, {shape.urls.bytes_per_url:.1f} bytes each")
    console.print(Text(visible(shape.source or "A web"), style="bold"))
    console.print(Text(", ".join(facts), style="dim"))


def _size_rows(shape: Shape, sign: str) -> Rows:
    yield "Pages", _whole(shape.pages), ""
    if shape.crawled is not None:
        others = "; the others are only linked to" if shape.crawled < shape.pages else ""
        yield "Crawled pages", _whole(shape.crawled), f"{_share(shape.crawled, shape.pages)} of all{others}"
    yield "Links", _whole(shape.links), f"{shape.out_degree.mean:.2f} per page"
    if shape.nofollow_links is not None:
        yield "Nofollow links", _whole(shape.nofollow_links), f"{_share(shape.nofollow_links, shape.links)} of all"
    if shape.average_distance is not None and shape.longest_distance is not None:
        shown = with_error(shape.average_distance, shape.average_distance_error, sign)
        yield "Average distance", shown, f"longest seen {_whole(shape.longest_distance)}"
    if shape.connected_pairs:
        shown = with_error(100 * shape.connected_pairs, shape.connected_pairs_error, sign, scale=100)
        yield "Connected pairs", f"{shown} %", "the first page reaches the second"
    for name, pages, words in (
        ("Dangling pages", shape.dangling, "link nowhere"),
        ("Unreachable pages", shape.unreachable, "have no link to them"),
    ):
        yield name, _whole(pages), f"{_share(pages, shape.pages)} {words}" if pages else ""


def _site_rows(shape: Shape) -> Rows:
    for name, count, links in (
        ("hosts", shape.hosts, shape.inter_host_links),
        ("domains", shape.domains, shape.inter_domain_links),
    ):
        if count is not None and links is not None:
            yield name.capitalize(), _whole(count), ""
            yield f"Links between {name}", _whole(links), f"{_share(links, shape.links)} of all"


def _cleaning_rows(shape: Shape) -> Rows:
    for name, count, removed in (
        ("Self-links", shape.self_links, shape.self_links_removed),
        ("Duplicate links", shape.duplicate_links, shape.duplicate_links_removed),
    ):
        yield name, _whole(count), "" if not count else "left out" if removed else "kept"


def _degree_rows(shape: Shape, sign: str) -> Rows:
    sides = shape.out_degree, shape.in_degree
    yield "Largest", *(_whole(side.largest) for side in sides)
    laws = [side.fit.law for side in sides]
    if any(laws):
        yield "Power-law exponent", *(f"{x.alpha:.3f} {sign} {x.error:.3f}" if x else "-" for x in laws)
        yield "  from degree", *(_whole(x.start) if x else "-" for x in laws)
        yield "  pages with that or more", *(_whole(x.tail) if x else "-" for x in laws)
        yield "  largest gap", *(f"{100 * x.distance:.1f} %" if x else "-" for x in laws)
    counts = [{(one.first, one.last): one.count for one in side.bins} for side in sides]
    for first, last in sorted({*counts[0], *counts[1]}):
        label = f"Pages with {first:,}" + ("" if first == last else f" to {last:,}")
        yield label, *(_whole(side.get((first, last), 0)) for side in counts)


def _component_rows(shape: Shape) -> Rows:
    for name, count, largest in (
        ("Strong", shape.scc_count, shape.largest_scc),
        ("Weak", shape.wcc_count, shape.largest_wcc),
    ):
        yield name, _whole(count), _whole(largest), _share(largest, shape.pages)


def _bow_tie_rows(shape: Shape, block: str) -> Rows:
    for name, pages in shape.bow_tie.to_dict().items():
        bar = block * round(BAR * pages / max(shape.pages, 1))
        yield part_title(name), _whole(pages), _share(pages, shape.pages), bar.ljust(BAR), PART_WORDS[name]


def _column_rows(shape: Shape) -> Rows:
    from rich.text import Text

    for name, column in shape.columns.items():
        numbers = (column.min, column.mean, column.max)
        nonzero = "-" if column.nonzero is None else _whole(column.nonzero)
        yield Text(name), column.type, nonzero, *("-" if x is None else f"{x:,.6g}" for x in numbers)


def _notes(shape: Shape, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.print()
    console.print(Text("Notes", style="bold"))
    for note in notes(shape):
        console.print(Padding(Text(visible(note)), (0, 0, 0, 2)))


def notes(shape: Shape) -> Iterable[str]:
    """What the numbers alone do not show."""
    yield from shape.notes
    if shape.hosts is None:
        yield f"Hosts are not known, so links between them are not counted. {how_to_add_hosts(shape.format)}"
    elif shape.domains is None:
        yield "Domains were not counted: there are very many hosts."
    if shape.connected_pairs is not None:
        yield _how_distances(shape)
    for name, side in (("Out-degrees", shape.out_degree), ("In-degrees", shape.in_degree)):
        if side.fit.reason:
            yield f"{name}: no power law was fitted, because {side.fit.reason}."


def _how_distances(shape: Shape) -> str:
    if shape.average_distance is None:
        return "No page links to another, so there is no average distance."
    if shape.distance_samples == shape.pages:
        return "Distances are exact: they were searched for from every page that has links."
    few = "too few for a standard error" if shape.average_distance_error is None else "with their standard errors"
    return (
        f"Distances are estimated from {shape.distance_samples:,} of the pages that have links, drawn at random, {few}."
    )


def _table(console: Console, heads: Sequence[str], sides: str, rows: Rows) -> None:
    """A table without rules, headed by its title; first columns have the same width, so that tables line up."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for k, (head, side) in enumerate(zip(heads, sides, strict=True)):
        width = (22, 14)[k] if k < 2 and len(heads) < 5 else None
        table.add_column(head, justify="left" if side == "l" else "right", min_width=width)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)


def _whole(number: int) -> str:
    return f"{number:,}"


def with_error(value: float, error: float | None, sign: str = "±", scale: float = 1.0) -> str:
    """A value and `scale` times its standard error; exact values have an error of 0, rough estimates None."""
    if error is None:
        return f"about {value:.2g}"
    return f"{value:.2f} {sign} {scale * error:.2f}" if error else f"{value:.2f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
