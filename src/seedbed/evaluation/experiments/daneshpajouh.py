"""Daneshpajouh, Nasiri, Ghodsi 2008: seeds from cores, on a web and on a later one (Tables 1 and 2, Figures 4 to 12).

Cores of the old and the new web: their sizes (Figures 4, 5), and the distances between those of the old one (6). Then
breadth-first crawls from the best ten seeds of each web against random ones: average PageRank and pages by depth (7 to
10). Last, the seeds of the old web whose URLs are still in the new one, crawled there (11, 12), next to those carried
over by `refresh`. The paper counts depths from 1; here depth 0 is the seeds. With one web only, what one web allows.

The paper's procedure can be read in two ways (see seeds/cores/core_seeds.py), so all that depends on it is done twice.
daneshpajouh_claims.py has the claims and their tests, daneshpajouh_measures.py what else they are judged by, and
daneshpajouh_snapshots.py the webs, their cores and seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.core_distances import CoreDistances, core_distances, core_map, round_correlation
from seedbed.evaluation.crawl_measures import DepthProfile, reached
from seedbed.evaluation.experiments import daneshpajouh_claims as claims
from seedbed.evaluation.experiments import daneshpajouh_measures as measures
from seedbed.evaluation.experiments.daneshpajouh_snapshots import Extraction, Options, Snapshot, Survival, of, survival
from seedbed.evaluation.experiments.experiment import Experiment, Paper
from seedbed.evaluation.flow_communities import MAX_PAGES, LinkedPages, other_half_inside
from seedbed.evaluation.intervals import column_intervals, mean_interval
from seedbed.evaluation.tables_and_figures import Cell, Figure, Series, Table, curve, line
from seedbed.graph.web import Web
from seedbed.ranking.hits import iterations_to_settle
from seedbed.seeds.cores.core_seeds import READINGS
from seedbed.seeds.refresh.refresh import refresh
from seedbed.seeds.refresh.refreshed_seeds import Refreshed

REFERENCE = (
    "Daneshpajouh, Nasiri, Ghodsi: A fast community based algorithm for generating web crawler seeds set. WEBIST 2008."
)
MAPPED, CRAWLED, STEPS, HALVED = 56, 10, 10, 20
OURS, CARRIED = "seeds from cores", "seeds carried over (ours)"
ONE_WEB = "one web was given, and this needs a newer one too"


def experiment(old: Web, new: Web | None, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment; without a new web, what one web allows."""
    webs = [Snapshot("old", old, options, options.max_hubs, progress)]
    if new is not None:
        webs.append(Snapshot("new", new, options, None, progress))
    tables, notes = list(web_tables(webs)), []
    figures: list[Figure] = []
    for number, reading in enumerate(options.readings):
        ways = [Extraction(one, reading, number == 0) for one in webs]
        for part in parts_of_reading(ways):
            (tables if isinstance(part, Table) else figures).append(part)  # type: ignore[arg-type]
        notes += [f"{way.of}: {note}" for way in ways for note in way.seeds.notes]
    notes += [f"{one.of}: random pages are {one.baseline.note}." for one in webs if one.baseline.note]
    tables.append(times_table(webs[0]))
    figures.sort(key=lambda figure: int(figure.name.split("-")[1]))
    tables.append(verdict_table([*tables, *figures], webs, options.readings))
    if options.pick != "best":
        notes.append("the seeds are one draw of hubs; intervals do not cover other draws. Another --seed draws others.")
    if new is None:
        notes.append("one web was given: Figures 5 and 9 to 12 need a newer one.")
    notes.append(
        "the table of times, and what follows from it in index.md and summary.json, depends on the machine; nothing "
        "else does."
    )
    return Experiment("daneshpajouh", REFERENCE, tuple(tables), tuple(figures), settings(webs), tuple(notes))


def settings(webs: Sequence[Snapshot]) -> dict[str, Any]:
    """The webs and the options that shape the result."""
    asked = webs[0].options
    names = [option.name for option in PAPER_EXPERIMENT.options] + ["seed"]
    given = {name: value for name in names if (value := getattr(asked, name)) is not None}
    return {one.name: one.web.origin.source for one in webs} | given


def parts_of_reading(ways: list[Extraction]) -> Iterator[Table | Figure]:
    """All tables and figures that depend on how cores are grown; the old web comes first."""
    old = ways[0]
    distances = core_distances(
        old.snapshot.web, old.cores[:MAPPED], threads=old.snapshot.options.threads, progress=old.snapshot.progress
    )
    yield distance_table(old, distances)
    yield communities_table(old)
    yield flow_table(old)
    yield from size_figures(ways)
    yield figure_6(old, distances)
    for numbers, way in zip(((7, 8), (9, 10)), ways, strict=False):
        yield from crawl_figures(way, numbers)
    if len(ways) > 1:
        yield from parts_of_survival(*ways)


# Tables of the webs, whatever the reading.


def web_tables(webs: Sequence[Snapshot]) -> Iterator[Table]:
    """Tables 1 and 2, and those of degrees, HITS, first steps, important pages."""
    yield table_1(webs)
    yield table_2(webs)
    yield degree_table(webs)
    yield hits_table(webs)
    yield growth_table(webs)
    yield important_table(webs)


def table_1(webs: Sequence[Snapshot]) -> Table:
    """The webs as they are."""
    rows = [
        (one.name, one.web.page_count, one.web.link_count, one.distance.average, one.distance.error) for one in webs
    ]
    columns = ("web", "pages", "links", "average distance", "standard error")
    about = (
        "The paper: UK-2002 with 18,520,486 pages, 298,113,762 links, distance 14.9; UK-2005 with 39,459,935 pages, "
        "936,364,282 links, distance 15.7. It leaves larger webs for later work."
    )
    return Table("table-1", "The webs before pruning", columns, tuple(rows), about=about)


def table_2(webs: Sequence[Snapshot]) -> Table:
    """The webs without the links inside sites."""
    rows = [
        (one.name, pages := one.pruned.page_count, links := one.pruned.link_count, links / max(pages, 1))
        for one in webs
    ]
    shares = [100 * (1 - one.pruned.link_count / max(one.web.link_count, 1)) for one in webs]
    inside = " and ".join(f"{share:.1f} %" for share in shares)
    about = f"Inside sites are {inside} of the links; the paper: 92 % and 80 %, with 22,720,534 and 183,874,700 left."
    columns = ("web", "pages", "links", "links a page")
    return Table("table-2", "The webs after pruning", columns, tuple(rows), about=about)


def degree_table(webs: Sequence[Snapshot]) -> Table:
    """The laws of in-degrees and out-degrees."""
    rows, verdicts = [], []
    for one in webs:
        for what, degrees in (("in-degrees", one.counts.in_), ("out-degrees", one.counts.out)):
            found = measures.degree_law(degrees)
            verdicts.append(claims.judge_degrees(found.fit, found.comparison, found.pages, f"{one.of} ({what})"))
            law, z = found.fit.law, found.comparison
            if law is not None and z is not None:
                share = 100 * law.tail / found.pages
                rows.append((one.name, what, law.alpha, law.start, share, z.over_exponential, z.over_log_normal))
    columns = ("web", "what", "exponent", "from", "pages in the tail, %", "z, exponential", "z, log-normal")
    about = (
        "z is above 1.96 where the power law describes the tail better than the other law does, below −1.96 where "
        "worse. A law that is better than two others need not be the true one."
    )
    return Table("degrees", "Power laws of degrees", columns, tuple(rows), tuple(verdicts), about)


def hits_table(webs: Sequence[Snapshot]) -> Table:
    """How many iterations HITS takes."""
    rows, verdicts = [], []
    for one in webs:
        how: dict[str, Any] = {"most": claims.MOST_ITERATIONS, "threads": one.options.threads, "progress": one.progress}
        found = iterations_to_settle(one.pruned, claims.TOLERANCE, **how)
        rows.append((one.name, found))
        verdicts.append(claims.judge_settling(found, one.of))
    about = (
        f"Until an iteration moves neither vector by {claims.TOLERANCE:g} (L2); empty: more than "
        f"{claims.MOST_ITERATIONS}. Cores here never depend on it: their ranks are those of exactly as many iterations "
        "as asked for."
    )
    title = "Iterations until HITS settles, on links between sites"
    return Table("hits", title, ("web", "iterations"), tuple(rows), tuple(verdicts), about)


def growth_table(webs: Sequence[Snapshot]) -> Table:
    """Whether cores grown to a size are complete in the first steps."""
    found = []
    for one in webs:
        cores = [seed.core for seed in one.cores(size=2 * STEPS + 1) if seed.core is not None]
        found.append(measures.first_incomplete_steps(one.pruned.links.to_csr(), cores))
    rows = tuple(
        (step, *(100 * float(np.mean(np.array(firsts) > step)) for firsts in found)) for step in range(1, STEPS + 1)
    )
    verdicts = tuple(claims.judge_first_steps(firsts, one.of) for firsts, one in zip(found, webs, strict=True))
    about = (
        f"Cores are grown to {2 * STEPS + 1} pages, a hub and an authority at a step, whatever their density. After "
        "step s they have s hubs and s + 1 authorities. The first step is complete by construction."
    )
    columns = ("step", *(f"{one.of}, %" for one in webs))
    return Table("growth", "Cores complete after each step", columns, rows, verdicts, about)


def important_table(webs: Sequence[Snapshot]) -> Table:
    """Where the most important pages are."""
    rows, verdicts = [], []
    for one in webs:
        found = measures.in_core_and_out(one.counts, one.scores, claims.TOP_SHARE)
        rows.append((one.name, found.top, 100 * found.there / found.top, 100 * found.share))
        verdicts.append(claims.judge_important(found.there, found.top, found.share, one.of))
    columns = ("web", "top pages", "in SCC + OUT, %", "of all pages, %")
    title = "The pages with the highest PageRank in the bow-tie"
    about = "Pages without links of their own, such as those never crawled, are in OUT if the SCC leads to them."
    return Table("important-pages", title, columns, tuple(rows), tuple(verdicts), about)


def times_table(one: Snapshot) -> Table:
    """Seconds for cores and for trawling, and for one seed of parts of the web."""
    asked = one.options
    how: dict[str, Any] = {"max_hubs": one.max_hubs, "iterations": asked.iterations}
    one.progress("timing", 0, 0)
    seed_times = measures.time_one_seed(one.web, asked.repeats, asked.seed, **how)
    against = measures.time_against_trawling(one.web, asked.cores, asked.repeats, **how)
    rows: list[tuple[Cell, ...]] = [
        ("one seed", pages, links, _median(runs))
        for pages, links, runs in zip(seed_times.pages, seed_times.links, seed_times.seconds, strict=True)
    ]
    for what, runs in (("by HITS", against.by_hits), ("by trawling", against.by_trawling)):
        if runs:
            rows.append((f"{against.cores} cores {what}", one.web.page_count, one.pruned.link_count, _median(runs)))
    verdicts = (
        claims.judge_linear(seed_times.sizes, seed_times.seconds, one.of),
        claims.judge_against_trawling(against.by_hits, against.by_trawling, against.cores, one.of),
    )
    about = (
        f"Processor seconds on one thread, the median of {asked.repeats} interleaved runs; they depend on the machine. "
        "Our HITS ranks classes of pages with equal links, which gives the paper's result in less time than it took "
        "the paper's procedure. Trawling finds all complete cores of 3 hubs and 3 authorities at once, HITS one after "
        "another, so with more cores trawling gains."
    )
    columns = ("what", "pages", "links between sites", "seconds")
    return Table("times", f"Seconds, {one.of}", columns, tuple(rows), verdicts, about)


def _median(runs: Sequence[float]) -> float:
    return float(np.median(runs))


# Tables and figures of one reading.


def distance_table(way: Extraction, distances: CoreDistances) -> Table:
    """The core distances in numbers, next to the web's average distance."""
    columns = ("cores", "smallest", "mean", "largest", "pairs with a path, %", "average distance of the web")
    row = (len(distances.matrix), distances.minimum, distances.mean, distances.maximum, 100 * distances.connected)
    about = (
        "The paper's 56 cores were 1 to 13 links apart, 7.15 on average, its pages 14.9. The distance of two cores is "
        "that of their nearest pages, so larger cores are closer to each other than pages are."
    )
    rows = ((*row, way.snapshot.distance.average),)
    return Table(way.name("core-distances"), f"Distances between cores, {way.of}", columns, rows, about=about)


def communities_table(way: Extraction) -> Table:
    """Hosts, communities and spam in the first hundredth of the web fetched from the best seeds."""
    one, seeds = way.snapshot, way.seeds.pages[:CRAWLED]
    web, communities = one.web, one.web.columns.get("community")
    budget = max(web.page_count // 100, len(seeds))
    sets = [seeds, *one.random_sets(len(seeds))]
    ours, *random = [reached(one.fetched(pages, budget), web) for pages in sets]
    rows: list[tuple[Cell, ...]] = []
    for name, unit in (("hosts", 1), ("communities", 1), ("spam_share", 100)):
        if (own := getattr(ours, name)) is not None:
            mean = mean_interval([unit * getattr(draw, name) for draw in random])
            rows.append((name if unit == 1 else "spam, %", unit * own, mean.mean, mean.low, mean.high))
    of_seeds = [_communities(communities, pages) for pages in sets]
    verdicts = (
        claims.judge_communities(claims.SEEDS_OF_COMMUNITIES, of_seeds[0], of_seeds[1:], way.of),
        claims.judge_communities(
            claims.REACHED_COMMUNITIES, ours.communities, [draw.communities for draw in random], way.of
        ),
        claims.judge_one_community(*measures.cores_of_one_community(way.cores, communities), way.of),
    )
    columns = ("reached", OURS, one.baseline.seeds, "from", "to (95 %)")
    title = f"What the first {budget:,} pages reach, {way.of}"
    return Table(way.name("reached"), title, columns, tuple(rows), verdicts, drawn(one))


def _communities(communities: NDArray[Any] | None, pages: NDArray[Any]) -> int | None:
    """How many communities some pages are in; None if that is not known."""
    if communities is None:
        return None
    numbers = np.asarray(communities)[pages]
    return len(np.unique(numbers[numbers >= 0]))


def flow_table(way: Extraction) -> Table:
    """Whether one half of a core is in the flow community of the other."""
    one = way.snapshot
    links = LinkedPages(one.pruned)
    cores = [core for core in way.cores if min(len(core.hubs), len(core.authorities)) > 1][:HALVED]
    found, rows = [], list[tuple[Cell, ...]]()
    for core in cores:
        found.append(half := other_half_inside(links, core, one.options.seed))
        sizes = core.number, len(core.hubs), len(core.authorities)
        if half is None:
            rows.append((*sizes, *[None] * 4))
        else:
            shares = 100 * half.inside, 100 * half.similar_inside
            rows.append((*sizes, half.around, half.community, *shares))
        one.progress("flow communities", len(found), len(cores))
    columns = ("core", "hubs", "authorities", "pages around", "community", "other half inside, %", "similar inside, %")
    about = (
        f"The first {HALVED} cores with two hubs and two authorities. A community is grown from half of the hubs and "
        "half of the authorities, on links between sites. Similar pages are outside the core, linked with the same "
        f"half, and have as many links. Empty: over {MAX_PAGES:,} pages are around that half, or none but the core."
    )
    verdicts = (claims.judge_inside_flow(found, way.of),)
    title = f"Cores and flow communities, {way.of}"
    return Table(way.name("flow-communities"), title, columns, tuple(rows), verdicts, about)


def drawn(one: Snapshot) -> str:
    """What an interval over draws of random seeds covers."""
    draws = f"{one.options.draws} draws of {one.baseline.kind}"
    return f"Intervals cover {draws} as random seeds of this web; the web itself is one draw."


def size_figures(ways: Sequence[Extraction]) -> Iterator[Figure]:
    """Figures 4 and 5: hubs and authorities of each core."""
    about = (
        "Hubs and authorities join in turn, so a core has more hubs than authorities only if it has run out of "
        "candidates for authorities, or the next one would have made it too thin."
    )
    for number, way in zip((4, 5), ways, strict=False):
        hubs, authorities = [len(core.hubs) for core in way.cores], [len(core.authorities) for core in way.cores]
        rounds = range(1, len(hubs) + 1)
        series = (curve("hubs", rounds, hubs), curve("authorities", rounds, authorities))
        title = f"Core sizes, round by round, {way.of}"
        verdicts = (claims.judge_sizes(hubs, authorities, way.of),)
        name = way.name(f"figure-{number}")
        yield Figure(name, title, "round", "pages", series, verdicts, log_y=True, about=about)


def figure_6(way: Extraction, distances: CoreDistances) -> Figure:
    """The map of cores."""
    places = core_map(distances.matrix)
    x, y = (tuple(map(float, axis)) for axis in places.T)
    series = Series("cores", x, y, labels=tuple(str(core.number) for core in way.cores[: len(places)]))
    correlation = round_correlation(distances.matrix, seed=way.snapshot.options.seed)
    verdicts = (
        claims.judge_successive(distances, way.snapshot.distance, way.of),
        claims.judge_apart(distances, way.snapshot.distance, way.of),
        claims.judge_rounds(correlation, way.of),
    )
    about = (
        "The number of a core is the round in which it was found. Distances along links do not fit a plane, so "
        "those on the map are approximate; the verdicts are on the true ones."
    )
    title = f"Cores by distance, {way.of}"
    return Figure(way.name("figure-6"), title, "links", "links", (series,), verdicts, kind="map", about=about)


def crawl_figures(way: Extraction, numbers: tuple[int, int]) -> list[Figure]:
    """Figures 7 and 8, or 9 and 10: the best seeds of a web against random ones."""
    one, seeds = way.snapshot, way.seeds.pages[:CRAWLED]
    ours, random = one.crawled(seeds), one.random_crawls(len(seeds))
    verdicts = (
        claims.judge_pagerank(claims.HIGHER_PAGERANK, ours, random, (1, 4), way.of),
        claims.judge_pages(claims.MORE_PAGES, ours, random, (1, None), way.of),
    )
    return _two_figures(way, numbers, f"{len(seeds)} seeds, {way.of}", {OURS: ours}, random, verdicts)


def parts_of_survival(old: Extraction, new: Extraction) -> Iterator[Table | Figure]:
    """Which old seeds are in the new web, and what they are worth there (Figures 11 and 12)."""
    asked, webs = old.snapshot.options, (old.snapshot.web, new.snapshot.web)
    hubs = np.unique(np.concatenate([core.hubs for core in old.cores]))
    lasting = survival(*webs, old.seeds.pages, hubs, seed=asked.seed, baseline=old.snapshot.baseline)
    how: dict[str, Any] = {"strategy": "cores", "threads": asked.threads, "progress": old.snapshot.progress}
    refreshed = refresh(*webs, old.seeds.pages.tolist(), **how)
    yield survival_table(new, lasting, refreshed)
    yield from survivor_figures(new, lasting, refreshed)


def survival_table(new: Extraction, lasting: Survival, refreshed: Refreshed) -> Table:
    """How many old seeds are in the new web, next to pages in general; and what replacing the others gives."""
    rows = []
    kinds = ((OURS, lasting.seeds), ("hubs of all cores", lasting.hubs))
    for what, one in (*kinds, (f"{lasting.kind} drawn at random", lasting.all_pages)):
        rows.append((what, one.n, *(None if share is None else 100 * share for share in (one.mean, one.low, one.high))))
    asked = new.snapshot.options
    worth = measures.with_similar_pages(
        new.snapshot.fetched_share, lasting.pages, refreshed, CRAWLED, asked.draws, asked.seed
    )
    verdicts = (
        claims.judge_survival(lasting.seeds, lasting.all_pages, lasting.kind, new.of),
        claims.judge_similar_pages(worth.dropped, worth.replaced, worth.lost, new.of),
    )
    columns = ("what", "number", "still there, %", "from", "to (95 %)")
    about = (
        "Of the paper's seeds 11 % were left after three years. Intervals take pages as independent (Clopper, Pearson)."
    )
    title = f"Old seeds that survive, {new.of}"
    return Table(new.name("survival"), title, columns, tuple(rows), verdicts, about)


def survivor_figures(new: Extraction, lasting: Survival, refreshed: Refreshed) -> list[Figure]:
    """Figures 11 and 12: the surviving seeds of the old web, in the new one."""
    one, seeds = new.snapshot, lasting.survivors
    both = claims.OLD_HIGHER_PAGERANK, claims.OLD_MORE_PAGES
    if not len(seeds):
        none_left = [claim.verdict(None, "no seed of the old web is in the new one", new.of) for claim in both]
        where = f"no old seed is left, {new.of}"
        return _two_figures(new, (11, 12), where, {}, one.random_crawls(CRAWLED), none_left)
    ours, random = one.crawled(seeds), one.random_crawls(len(seeds))
    lines = {OURS: ours, CARRIED: one.crawled(refreshed.pages[: len(seeds)])}
    verdicts = (
        claims.judge_pagerank(both[0], ours, random, (0, 3), new.of),
        claims.judge_pages(both[1], ours, random, (3, 15), new.of),
    )
    return _two_figures(new, (11, 12), f"{len(seeds)} old seeds, {new.of}", lines, random, verdicts)


def _two_figures(
    way: Extraction,
    numbers: tuple[int, int],
    where: str,
    lines: dict[str, DepthProfile],
    random: DepthProfile,
    verdicts: Sequence[Verdict],
) -> list[Figure]:
    """Average PageRank, and pages, by depth."""
    ranks = [curve(name, range(one.depths), one.pagerank[0]) for name, one in lines.items()]
    pages = [
        curve(name, range(one.depths), np.where(one.pages[0] > 0, one.pages[0], np.nan)) for name, one in lines.items()
    ]
    ranks.append(line(way.snapshot.baseline.seeds, range(random.depths), column_intervals(random.pagerank)))
    means = [one if one is not None and one.mean > 0 else None for one in column_intervals(random.pages)]
    pages.append(line(way.snapshot.baseline.seeds, range(random.depths), means))
    kind = way.snapshot.baseline.kind
    about = f"Random: the mean of {len(random.pages)} draws of {kind} and its standard error. {drawn(way.snapshot)}"
    so_far = f"{about} The verdict is on the pages up to each depth: the sums of what is drawn."
    kinds = (
        ("Average PageRank by depth", "average PageRank", ranks, about),
        ("Pages by depth", "pages fetched at this depth", pages, so_far),
    )
    return [
        Figure(way.name(f"figure-{number}"), f"{title}: {where}", "depth", label, tuple(series), (one,), log_y=True,
               about=said)
        for number, (title, label, series, said), one in zip(numbers, kinds, verdicts, strict=True)
    ]  # fmt: skip


def verdict_table(parts: Sequence[Table | Figure], webs: Sequence[Snapshot], readings: Sequence[str]) -> Table:
    """How verdicts depend on the reading; and the claims that need a newer web, if there is none."""
    outcomes = {(one.claim, one.of): one.outcome for part in parts for one in part.verdicts}
    rows = []
    for claim in claims.BY_READING:
        for web in webs:
            found = [outcomes.get((claim, of(web.of, reading))) for reading in readings]
            if any(found):
                rows.append((claim.says, web.of, *found))
    missing: tuple[Verdict, ...] = ()
    if len(webs) == 1:
        missing = tuple(claim.verdict(None, ONE_WEB) for claim in claims.NEED_NEWER_WEB)
    title = "Verdicts by reading of the paper"
    about = "; ".join(f"{name}: {READINGS[name]}" for name in readings if name in READINGS)
    return Table(
        "verdicts", title, ("claim", "web", *readings), tuple(rows), missing, about and f"What ends a core: {about}."
    )


PAPER_EXPERIMENT = Paper(
    name="daneshpajouh",
    meaning="seeds from cores, on a web and on a later one",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
    claims=claims.CLAIMS,
    pair=True,
)
