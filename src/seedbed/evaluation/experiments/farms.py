"""Link farms: how far a farm of n pages pulls a crawl away from the web, by order. An experiment of ours.

A farm of n pages has a target that all of them link to, in one of two shapes:

    hub        the target links to all: the best that n pages can do for its PageRank (Gyöngyi, Garcia-Molina 2005)
    ring       each page, the target too, links to the next five, which leads a crawl in step by step

The farm stands on many hosts, of ten pages each. A few pages of the web, drawn at random, link to the target, as spam
in guestbooks does. Crawls start from random pages and fetch half as many pages as the web has.

    share      the pages of the farm among those fetched, up to a tenth and to half of the web's number of pages
    area lost  1 − area with the farm / area without it, both under the curve of PageRank against pages fetched;
               PageRank is that of the web without the farm, whose pages are worth nothing

Seeds and links to the farm are drawn anew in each draw, the same for all orders and farms. The oracle goes by the
PageRank of the web without the farm, so no farm deceives it. The claims, and how they are judged: farms_claims.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.crawl_measures import area
from seedbed.evaluation.experiments.experiment import Experiment, Paper, Settings
from seedbed.evaluation.experiments.farms_claims import (
    CLAIMS,
    CRAWLERS,
    SHAPES,
    ByOrder,
    Shape,
    judge_losses,
    judge_shares,
)
from seedbed.evaluation.intervals import mean_interval
from seedbed.evaluation.tables_and_figures import Figure, Series, Table, line
from seedbed.graph.web import Web
from seedbed.links.link_builder import LinkBuilder
from seedbed.ranking.pagerank import pagerank
from seedbed.urls.sites import Sites

TITLE = "How far link farms pull a crawl away"
REFERENCE = "An experiment of ours. Farms with a hub: Gyöngyi, Garcia-Molina: Link spam alliances. 2005."
ORDERS = (*CRAWLERS, "oracle")
SIZES, LARGEST = (10, 100, 1_000), 0.1
"""Pages of the farms, and the part of the web's number of pages that the largest has."""
EARLY, HALF = 0.1, 0.5
PAGES_PER_HOST, NEXT = 10, 5
"""Pages of a farm on each host, and those that each page of a ring links to."""


class Farm(NamedTuple):
    """Its shape and number of pages."""

    shape: Shape
    size: int


NO_FARM = Farm("hub", 0)


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """How large the experiment is."""

    k: Annotated[int, Option("Seeds, drawn at random.", least=1)] = 20
    entrances: Annotated[int, Option("Pages of the web that link to the farm.", least=1)] = 10
    draws: Annotated[int, Option("How many times to draw seeds and links to the farm.", least=1)] = 10


class Effect(NamedTuple):
    """What a farm does, in per cent: its share of the first tenth and half of the crawl, and the area lost."""

    early: ByOrder
    half: ByOrder
    lost: ByOrder


Effects = Mapping[int, Effect]
"""What farms of one shape do, by their size, ascending."""


def experiment(web: Web, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on one web."""
    sizes = farm_sizes(web)
    found = effects(web, [Farm(shape, size) for shape in SHAPES for size in sizes], options, progress)
    by_shape: dict[Shape, Effects] = {shape: {size: found[Farm(shape, size)] for size in sizes} for shape in SHAPES}
    settings = {"web": web.origin.source, "pages": web.page_count, "farms": ", ".join(f"{size:,}" for size in sizes)}
    settings |= {"seeds": options.k, "entrances": options.entrances, "draws": options.draws, "seed": options.seed}
    tables = tuple(numbers(shape, of, options) for shape, of in by_shape.items())
    shares = (share_figure(shape, of, web) for shape, of in by_shape.items())
    losses = (loss_figure(shape, of) for shape, of in by_shape.items())
    return Experiment("farms", REFERENCE, tables, (*shares, *losses), settings, title=TITLE)


def farm_sizes(web: Web) -> tuple[int, ...]:
    """The sizes to try, the last of them a tenth of the web."""
    largest = max(int(LARGEST * web.page_count), 1)
    return (*(size for size in SIZES if size < largest), largest)


def with_farm(web: Web, farm: Farm, entrances: Ints) -> Web:
    """The web with a farm that these pages link to. Its pages come after the web's, the target first."""
    hosts, size = web.sites("host"), farm.size
    pages = np.arange(web.page_count, web.page_count + size)
    builder = LinkBuilder(web.page_count + size, keep_self_links=True)
    for block in web.links.blocks():
        builder.add(block.sources, block.out_idx)
    if size:
        builder.add(entrances, np.full(len(entrances), pages[0]))
        builder.add(pages[1:], np.full(size - 1, pages[0]), both_ways=farm.shape == "hub")
    if farm.shape == "ring":
        for step in range(1, min(NEXT + 1, size)):
            builder.add(pages, np.roll(pages, -step))
    of_page = np.concatenate([hosts.of_page, len(hosts) + np.arange(size) // PAGES_PER_HOST])
    names = [*hosts.names, *(f"farm-{number}.invalid" for number in range(-(-size // PAGES_PER_HOST)))]
    return Web(builder.finish().links, hosts=Sites("host", of_page, names), origin=web.origin)


def effects(web: Web, farms: Sequence[Farm], options: Options, progress: Progress = no_progress) -> dict[Farm, Effect]:
    """What each farm does to crawls in every order, in every draw."""
    value = pagerank(web, threads=options.threads, progress=progress).scores
    candidates = web.baseline_pages()
    jobs = list(product(range(options.draws), (NO_FARM, *farms)))

    def crawls(job: tuple[int, Farm]) -> list[tuple[float, float, float]]:
        draw, farm = job
        random = np.random.default_rng([options.seed, draw])
        seeds, entrances = (
            random.choice(candidates, min(count, len(candidates)), replace=False)
            for count in (options.k, options.entrances)
        )
        farmed = with_farm(web, farm, entrances)
        return [measured(farmed, order, seeds, value) for order in ORDERS]

    rows = []
    with ThreadPoolExecutor(options.threads) as workers:
        for row in workers.map(crawls, jobs):
            rows.append(row)
            progress("crawls with and without farms", len(rows), len(jobs))
    table = np.reshape(rows, (options.draws, 1 + len(farms), len(ORDERS), 3))
    early, half, areas = (table[..., k].transpose(1, 2, 0) for k in range(3))
    lost = 100 * (1 - areas / areas[0])
    found = (
        Effect(*(dict(zip(ORDERS, of[place], strict=True)) for of in (early, half, lost)))
        for place in range(1, 1 + len(farms))
    )
    return dict(zip(farms, found, strict=True))


def measured(web: Web, order: str, seeds: Ints, value: NDArray[np.float64]) -> tuple[float, float, float]:
    """One crawl: the farm's share of the first tenth and half, in per cent, and the area.

    `value`: the PageRank of the pages before the farm's.
    """
    pages = len(value)
    early, half = (max(int(part * pages), 1) for part in (EARLY, HALF))
    worth = np.concatenate([value, np.zeros(web.page_count - pages)])
    fetched = crawl(web, seeds.tolist(), order, half, scores=worth).pages
    in_farm = 100.0 * (fetched >= pages)
    mass = area(np.arange(1, len(fetched) + 1), np.cumsum(worth[fetched]), half)
    return float(in_farm[:early].mean()), float(in_farm.mean()), mass


def numbers(shape: Shape, found: Effects, options: Options) -> Table:
    """Every order and farm of one shape in numbers."""
    rows = []
    for order, (size, effect) in product(ORDERS, found.items()):
        means = [mean_interval(of[order]) for of in effect]
        rows.append((order, size, *(cell for one in means for cell in (one.mean, one.low, one.high))))
    columns = ("order", "pages of the farm", "share of the first tenth, %", "from", "to (95 %)",
               "share of the first half, %", "half from", "half to (95 %)", "area lost, %", "lost from",
               "lost to (95 %)")  # fmt: skip
    about = (
        f"All pages of a {shape} farm link to its target, and {SHAPES[shape]}. Means over "
        f"{counted(options.draws, 'draw')} of seeds and of pages that link to the farm. Shares are those of "
        "the farm; a tenth and half are those of the web's number of pages. The oracle knows what is farm."
    )
    return Table(f"{shape}-farms", f"{shape.capitalize()} farms in numbers", columns, tuple(rows), about=about)


def share_figure(shape: Shape, found: Effects, web: Web) -> Figure:
    """The farm's share of the first half of the crawl against its size."""
    size, largest = max(found.items())
    part = round(100 * size / (web.page_count + size), 2)
    return Figure(
        f"{shape}-share", f"What a {shape} farm gets of the first half of a crawl", "pages of the farm",
        "% of the pages fetched", by_size(found, "half"), judge_shares(largest.early, largest.half, part, shape),
        log_x=True, about=f"The largest farm is {part:g} % of all pages.",
    )  # fmt: skip


def loss_figure(shape: Shape, found: Effects) -> Figure:
    """The area that the farm costs against its size."""
    return Figure(
        f"{shape}-area-lost", f"What a {shape} farm costs a crawl", "pages of the farm", "% of the area lost",
        by_size(found, "lost"), judge_losses(found[max(found)].lost, shape), log_x=True,
        about="The area is that under the curve of PageRank, of the web without the farm, against pages fetched.",
    )  # fmt: skip


def by_size(found: Effects, what: Literal["half", "lost"]) -> tuple[Series, ...]:
    """A line per order, over the sizes of the farms."""
    values: list[ByOrder] = [getattr(effect, what) for effect in found.values()]
    return tuple(line(order, list(found), [mean_interval(of[order]) for of in values]) for order in ORDERS)


PAPER_EXPERIMENT = Paper(
    name="farms",
    meaning="link farms: how far they pull a crawl away, by order; ours, not a paper's",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
    claims=CLAIMS,
)
