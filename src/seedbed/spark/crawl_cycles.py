"""Crawl cycles on Spark: what a batch crawler such as Nutch fetches next, from what it has fetched so far.

    batch = seedbed.spark.next_batch(session, "hdfs:///crawl.state", seeds=[…], n=1000, per_host=10)
    …  fetch batch.urls  …
    batch = seedbed.spark.next_batch(session, "hdfs:///crawl.state", fetched=…, links=…, n=1000, per_host=10)

A page is known if it is a seed, was fetched, or a link names it; it is fetched if `fetched` names it or `links` has a
link on it. Links count once, and not if they lead to the page itself. A page that a crawler tried in vain belongs into
`fetched` too; one that is in neither list waits on, and may be in the next batch again. The batch has the first n of
the pages that wait, at most `per_host` of a host, from the highest score down; equal scores in the order of
`name_order`. Results do not depend on the number of blocks or tasks.

live-pagerank, by batches. The score of a page is its PageRank in the part of the web seen:

    x = v + d · xP      P: the links of the pages fetched; a page without links passes nothing on
    v                   1 for every page known up to 40 links from a seed, (40 / links)² for those further away; and for
                        the seeds together a tenth of the pages known, in equal parts

as in crawling/orders/live_pagerank.py, which keeps it current after every page. Here it is iterated, from the scores of
the cycle before (1 for pages that are new), until no score moves by more than `tolerance` of itself. Links from a seed
are counted along the shortest way over pages fetched; a page that no seed leads to has 1.

windowed-rankmass, by batches. Pages hold mass; the seeds start with (1 − d) in equal parts. The window of a cycle is
all pages that hold mass, from the largest down to the last page of its batch; all of them if the batch is smaller than
n. At the start of the next cycle every page of the window that is fetched by then passes on what it holds, all at once:
d · mass / links to each of its links. (crawling/orders/rankmass_orders.py takes a per cent of the pages as the window,
and its pages pass on one after another.) What was passed on in all is a lower bound of the PageRank mass fetched, with
the seeds as preference.

    state/state.json         the last whole cycle: its number, order, damping, window, files of links
    state/links/…            the links of each cycle, as pairs of URLs
    state/cycles/00003/…     the blocks of what is known after cycle 3, with what each page holds; and its batch

A cycle that dies leaves the one before as it is, and is done again. Cost: that of cutting all links known into blocks,
and a round for each iteration. The driver holds 16 · n bytes for each block (48 with a limit per host), and n URLs.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from seedbed.common.arrays import Flags, Ints
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.orders.live_pagerank import DEEPEST, FAR, SEEDS_PART, UNKNOWN
from seedbed.errors import InputError, OptionError, UsageError, unknown
from seedbed.graph.web import Origin
from seedbed.ranking.link_sums import add_targets
from seedbed.sources.named_links import Column, coded
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, LinkBlock, open_blocks, urls_of
from seedbed.spark.blocks.building import Building
from seedbed.spark.blocks.cutting import Cutting, chunks_of, cut_chunks
from seedbed.spark.blocks.link_chunks import LinkChunks
from seedbed.spark.blocks.numbering import read_table, write_table
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.rounds import Floats, Step, Values, run_round
from seedbed.spark.scores.ranking_rounds import inverse_degrees
from seedbed.spark.seeds.excluded_pages import pages_of
from seedbed.spark.seeds.gain_rounds import least_of_links
from seedbed.spark.seeds.top_pages import SiteLimit, StoredScores, best_pages
from seedbed.spark.tasks import collected, numbers_in, over_blocks, with_settings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

LIVE, WINDOWED = "live-pagerank", "windowed-rankmass"
ORDERS = (LIVE, WINDOWED)
STATE, SCORES, DEPTHS = "state.json", "scores", "depths"
FETCHED, SEED, HIGH, LOW, DEPTH = "fetched", "seed", "score_high", "score_low", "depth"
COLUMNS = (
    *(Column(name, type=np.int64) for name in (FETCHED, SEED, HIGH, LOW)),
    Column(DEPTH, "min", UNKNOWN, np.int64),
)
"""Scores are there as halves of their bits, since columns hold whole numbers below 2⁵³."""
PARTS_OF_MASS = 2.0**50
MAX_ROUNDS = 1000
TOLD = "chunks string"


class Batch(NamedTuple):
    """What to fetch next. `guaranteed`: with windowed-rankmass, a lower bound of the PageRank mass fetched."""

    cycle: int
    urls: list[str]
    scores: Floats
    known: int
    fetched: int
    guaranteed: float | None = None

    def __repr__(self) -> str:
        known = f"{counted(self.fetched, 'page')} of {self.known:,} fetched"
        return f"Batch(cycle {self.cycle}, {counted(len(self.urls), 'URL')}, {known})"


@dataclass(frozen=True)
class CycleState:
    """What one cycle leaves to the next. `window`: the mass and the URL of its last page; None if all are in it."""

    cycle: int
    order: str
    damping: float
    seeds: int
    links: tuple[str, ...] = ()
    window: tuple[float, str] | None = None
    guaranteed: float = 0.0


@dataclass(frozen=True)
class LiveStep(Step):
    """x ← v + d · xP, and links from a seed. Total: pages whose score moved beyond the tolerance, or that came nearer.

    A page has two values: its score, and its links from a seed.
    """

    damping: float
    of_a_seed: float
    tolerance: float
    direction: Direction = "in"

    @property
    def row(self) -> tuple[int, ...]:
        """A share of the score, and the links from a seed to a page that is linked to."""
        return (2,)

    def passed(self, web: BlockedWeb, block: int, values: Floats) -> Floats:
        """What the pages that a page links to get."""
        score, depth = values.reshape(-1, 2).T
        return np.column_stack([score * inverse_degrees(web, block), np.where(depth < DEEPEST, depth + 1, depth)])

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Floats, values: Floats
    ) -> tuple[Floats, list[float]]:
        """The new values."""
        shares, depths = (np.ascontiguousarray(column) for column in received.T)
        before, near = values.reshape(-1, 2).T
        sums, depth = np.empty(len(before)), near.copy()
        add_targets(0, links.ptr, links.idx, shares, sums)
        nearer = least_of_links(links.ptr, links.idx, depths, depth)
        close = (depth <= FAR) | (depth == UNKNOWN)
        own = np.where(close, 1.0, (FAR / np.maximum(depth, 1)) ** 2)
        score = own + self.of_a_seed * web.column(SEED, block) + self.damping * sums
        moved = np.count_nonzero(np.abs(score - before) > self.tolerance * score)
        return np.column_stack([score, depth]).reshape(-1), [float(moved + nearer)]


@dataclass(frozen=True)
class PassOnStep(Step):
    """The fetched pages of a window pass on what they hold. Total: how much, in parts of 2⁻⁵⁰, rounded down."""

    damping: float
    least: float
    last: int
    """The window ends with this page, which holds `least`."""
    direction: Direction = "in"

    def _in_window(self, web: BlockedWeb, block: int, held: Floats) -> Flags:
        page = np.arange(web.bounds[block], web.bounds[block + 1])
        within = (held > self.least) | ((held == self.least) & (page <= self.last))
        return np.asarray(within & is_fetched(web, block))

    def passed(self, web: BlockedWeb, block: int, values: Floats) -> Floats:
        """A share for each link."""
        return np.where(self._in_window(web, block, values), values, 0.0) * inverse_degrees(web, block)

    def updated(
        self, web: BlockedWeb, block: int, links: LinkBlock, received: Floats, values: Floats
    ) -> tuple[Floats, list[float]]:
        """What pages hold now."""
        sums, passes = np.empty(len(values)), self._in_window(web, block, values)
        add_targets(0, links.ptr, links.idx, received, sums)
        parts = np.floor(values[passes] * PARTS_OF_MASS)
        return np.where(passes, 0.0, values) + self.damping * sums, [float(parts.sum())]


def is_fetched(web: BlockedWeb, block: int) -> Flags:
    """Which pages of a block were fetched."""
    return np.asarray((web.column(FETCHED, block) > 0) | (web.degrees("out", block) > 0))


@dataclass(frozen=True)
class Waiting:
    """The pages that wait and have a score."""

    scores: Values

    def allowed(self, web: BlockedWeb, block: int) -> Flags:
        """Which pages of a block may be in a batch."""
        return np.asarray(~is_fetched(web, block) & (self.scores.block(block) > 0))


def next_batch(
    session: SparkSession,
    state: str,
    *,
    fetched: Any = (),
    links: Any = None,
    seeds: Sequence[str] = (),
    n: int = 1000,
    per_host: int | None = None,
    order: str = LIVE,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    blocks: int | None = None,
    progress: Progress = no_progress,
) -> Batch:
    """The n URLs to fetch next, from the state of a crawl and what was fetched since; see above.

    `fetched`: URLs, the path of a list or of Parquet, or a DataFrame, whose first column counts. `links`: the path of
    pairs of URLs separated by tabs, or of Parquet, or a DataFrame, whose first two columns count. `seeds`: with the
    first cycle. `order` and `damping` stay as they were in the first cycle.
    """
    folder = Folder(state)
    before = _state(folder)
    _check(state, before, seeds, n, per_host, order, damping)
    own = with_settings(session)
    number = 1 if before is None else before.cycle + 1
    place = f"cycles/{number:05d}"
    folder.remove(place)
    building = Building(f"{folder.uri}/{place}", None, 6, progress)
    found, files = _read(session, own, folder, building.folder, before, fetched, links, seeds, number)
    if not found:
        raise InputError("there is neither a seed nor a page: give the seeds of the crawl with its first cycle.")
    web = cut_chunks(own, building, Cutting(chunks_of(found), Origin(state, "crawl state"), columns=COLUMNS), blocks)
    old = before or CycleState(0, order, damping, _seed_count(own, web))
    now, scores = _scored(own, web, old, tolerance, progress)
    limits = () if per_host is None else (SiteLimit("host", per_host),)
    pages, values = best_pages(own, web, StoredScores(scores), n, limits, Waiting(scores))
    urls = [str(url) for url in urls_of(web, pages)]
    window = (float(values[-1]), urls[-1]) if order == WINDOWED and len(pages) == n else None
    _write_batch(web, urls, values)
    after = CycleState(number, order, damping, old.seeds, (*old.links, *files), window, now)
    folder.write_json(STATE, vars(after))
    folder.remove(f"cycles/{number - 1:05d}")
    count = sum(int(np.count_nonzero(is_fetched(web, block))) for block in range(web.blocks))
    return Batch(number, urls, values, web.page_count, count, now if order == WINDOWED else None)


def _state(folder: Folder) -> CycleState | None:
    found = folder.json(STATE)
    if found is None:
        return None
    window = None if found["window"] is None else (found["window"][0], found["window"][1])
    return CycleState(**{**found, "links": tuple(found["links"]), "window": window})


def _check(
    state: str,
    before: CycleState | None,
    seeds: Sequence[str],
    n: int,
    per_host: int | None,
    order: str,
    damping: float,
) -> None:
    """Refuse impossible requests."""
    if order not in ORDERS:
        raise unknown("order by batches", order, ORDERS)
    if n < 1 or (per_host is not None and per_host < 1):
        raise UsageError(f"n is {n} and per_host {per_host}; each must be at least 1.")
    if not 0 <= damping < 1:
        raise UsageError(f"damping is {damping}; it must be at least 0 and below 1.")
    if before is None and not len(seeds):
        raise OptionError(f"{state}: no cycle has run there yet; the first one needs the seeds of the crawl.")
    if before is not None and len(seeds):
        raise OptionError(f"{state}: the crawl has its seeds since cycle 1; leave them out.")
    if before is not None and (before.order, before.damping) != (order, damping):
        began = f"{before.order} and damping {before.damping:g}"
        raise OptionError(f"{state}: the crawl goes by {began}, not by {order} and {damping:g}; name another folder.")


def _read(
    session: SparkSession,
    own: SparkSession,
    folder: Folder,
    place: Folder,
    before: CycleState | None,
    fetched: Any,
    links: Any,
    seeds: Sequence[str],
    number: int,
) -> tuple[list[Any], list[str]]:
    """Read all that is known into chunks; returns those, and the files of the new links."""
    state, target, found, files = folder.uri, place.uri, [], []
    if before is not None:
        old = open_blocks(f"{state}/cycles/{before.cycle:05d}")
        found += _told(
            over_blocks(own, old.blocks).mapInArrow(_task(target, lambda batch: _old_pages(old, batch)), TOLD)
        )
        if before.links:
            names = before.links
            read = _task(target, lambda batch: _old_links(state, names, batch))
            found += _told(over_blocks(own, len(names)).mapInArrow(read, TOLD))
    for urls, column in ((seeds, SEED), (fetched, FETCHED)):
        if hasattr(urls, "mapInArrow") or len(urls):
            table = _table(session, own, urls)
            read = _task(target, lambda batch, column=column: [_listed(batch, column)])
            found += _told(table.select(table.columns[0]).mapInArrow(read, TOLD))
    if links is not None:
        table = _table(session, own, links)
        if len(table.columns) < 2:
            raise InputError(f"the links have the column {table.columns}; two are needed, of URLs.")
        new = _keep_links(table.select(*table.columns[:2]), state, number)
        read = _task(target, lambda batch: _old_links(state, new, batch))
        found += _told(over_blocks(own, len(new)).mapInArrow(read, TOLD)) if new else []
        files += new
    return found, files


def _told(table: DataFrame) -> list[Any]:
    return [chunk for row in collected(table) for chunk in json.loads(row["chunks"])]


def _task(target: str, read: Any) -> Any:
    """A task that writes what `read` makes of each batch: links, or pages with their values."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        chunks = LinkChunks(Folder(target), COLUMNS)
        for batch in batches:
            for one in read(batch):
                if isinstance(one, tuple):
                    urls, values = one
                    chunks.add_pages(urls, values, True)
                else:
                    chunks.add_names(one)
        chunks.flush()
        yield pa.record_batch([pa.array([json.dumps(chunks.written)])], ["chunks"])

    return task


def _listed(batch: pa.RecordBatch, column: str) -> tuple[Any, dict[str, Ints]]:
    """URLs of a list, with 1 in a column."""
    urls = batch.column(0)
    if urls.null_count:
        raise InputError(f"a URL is missing in a row of the list of {column} pages.")
    values = {one.name: np.full(len(urls), int(one.name == column)) for one in COLUMNS}
    return urls, {**values, DEPTH: np.full(len(urls), 0 if column == SEED else UNKNOWN)}


def _old_pages(old: BlockedWeb, batch: pa.RecordBatch) -> Iterator[tuple[Any, dict[str, Ints]]]:
    """The pages of blocks of the cycle before, with what is known of them."""
    import pyarrow as pa

    for block in numbers_in(iter([batch])):
        urls = old.urls(block)
        bits = np.ascontiguousarray(Values(old.folder, SCORES).block(block)).view(np.int64)
        values = {
            FETCHED: is_fetched(old, block).astype(np.int64),
            SEED: old.column(SEED, block).astype(np.int64),
            HIGH: bits >> 32,
            LOW: bits & 0xFFFF_FFFF,
            DEPTH: Values(old.folder, DEPTHS).block(block).astype(np.int64),
        }
        yield pa.concat_arrays([pa.array([], urls.type), *urls.chunks]), values


def _old_links(state: str, files: Sequence[str], batch: pa.RecordBatch) -> Iterator[Any]:
    """Links kept in files."""
    import pyarrow as pa

    for file in numbers_in(iter([batch])):
        table = read_table(Folder(state), files[file]).combine_chunks()
        ends = (column.chunk(0).cast(pa.large_string()) for column in table.columns)
        yield coded(*ends)


def _keep_links(links: DataFrame, state: str, number: int) -> list[str]:
    """Write links to files of the state; returns those that are not empty."""

    def keep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        held = [batch.rename_columns(["source", "target"]) for batch in batches if len(batch)]
        if held:
            if any(column.null_count for batch in held for column in batch.columns):
                raise InputError("a link has a null at one of its ends; leave such rows out: links.na.drop().")
            file = f"links/{number:05d}-{uuid.uuid4().hex}.arrow"
            write_table(Folder(state), file, pa.Table.from_batches(held))
            yield pa.record_batch([pa.array([file])], ["file"])

    return [row["file"] for row in collected(links.mapInArrow(keep, "file string"))]


def _table(session: SparkSession, own: SparkSession, given: Any) -> DataFrame:
    """A DataFrame as it is, or from the path of a list or of Parquet, or from URLs."""
    if isinstance(given, str):
        path = Folder(given).uri
        is_text = given.endswith((".txt", ".tsv", ".csv", ".txt.gz", ".tsv.gz"))
        return session.read.csv(path, sep="\t") if is_text else session.read.parquet(path)
    if hasattr(given, "mapInArrow"):
        table: DataFrame = given
        return table
    urls = [str(url) for url in given]

    def listed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for _ in numbers_in(batches):
            yield pa.record_batch([pa.array(urls, pa.string())], ["url"])

    return over_blocks(own, 1).mapInArrow(listed, "url string")


def _seed_count(session: SparkSession, web: BlockedWeb) -> int:
    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            yield pa.record_batch([pa.array([int(web.column(SEED, block).sum())])], ["seeds"])

    return sum(row["seeds"] for row in collected(over_blocks(session, web.blocks).mapInArrow(count, "seeds long")))


def _scored(
    session: SparkSession, web: BlockedWeb, old: CycleState, tolerance: float, progress: Progress
) -> tuple[float, Values]:
    """What was passed on so far, and the scores of all pages."""
    now, guaranteed, width = Values(web.folder, "scores-0000"), old.guaranteed, 1
    _begin(session, web, old, now)
    if old.order == LIVE:
        step = LiveStep(old.damping, SEEDS_PART * web.page_count / old.seeds, tolerance)
        now, width = _iterated(session, web, step, now, progress), 2
    else:
        after = Values(web.folder, "scores-0001")
        (parts,) = run_round(session, web, PassOnStep(old.damping, *_window(session, web, old)), now, now, after)
        Folder(web.folder).remove(now.name)
        now, guaranteed = after, guaranteed + parts / PARTS_OF_MASS
    _keep(session, web, now, width)
    return guaranteed, Values(web.folder, SCORES)


def _keep(session: SparkSession, web: BlockedWeb, values: Values, width: int) -> None:
    """Write the last values of a cycle where the next one looks for them."""
    scores, depths = Values(web.folder, SCORES), Values(web.folder, DEPTHS)

    def keep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            found = values.block(block).reshape(-1, width)
            scores.write(block, found[:, 0])
            depths.write(block, found[:, 1] if width == 2 else web.column(DEPTH, block))
            yield pa.record_batch([pa.array([block], pa.int32())], ["block"])

    collected(over_blocks(session, web.blocks).mapInArrow(keep, "block int"))
    Folder(web.folder).remove(values.name)


def _window(session: SparkSession, web: BlockedWeb, old: CycleState) -> tuple[float, int]:
    """The mass and the number of the last page of the window; before the first cycle there is none."""
    if old.window is None:
        return (-1.0 if old.cycle else np.inf), -1
    mass, url = old.window
    return mass, pages_of(session, web, [url])[url]


@dataclass(frozen=True)
class Begin:
    """The values that a cycle begins with."""

    live: bool
    first: bool
    of_a_seed: float

    def of_block(self, web: BlockedWeb, block: int) -> Floats:
        """Those of the cycle before; where there is none, 1 for a page, or the seed's part of the mass."""
        bits = web.column(HIGH, block).astype(np.int64) << 32 | web.column(LOW, block).astype(np.int64)
        known = np.ascontiguousarray(bits).view(np.float64)
        if self.live:
            return np.column_stack([np.where(bits == 0, 1.0, known), web.column(DEPTH, block)]).reshape(-1)
        return np.asarray(self.of_a_seed * web.column(SEED, block)) if self.first else known


def _begin(session: SparkSession, web: BlockedWeb, old: CycleState, scores: Values) -> None:
    first = Begin(old.order == LIVE, old.cycle == 0, (1 - old.damping) / old.seeds)

    def begin(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            scores.write(block, first.of_block(web, block))
            yield pa.record_batch([pa.array([block], pa.int32())], ["block"])

    collected(over_blocks(session, web.blocks).mapInArrow(begin, "block int"))


def _iterated(session: SparkSession, web: BlockedWeb, step: LiveStep, now: Values, progress: Progress) -> Values:
    """The values after the last iteration."""
    moved, number = 1.0, 0
    while moved and number < MAX_ROUNDS:
        number += 1
        after = Values(web.folder, f"scores-{number:04d}")
        (moved,) = run_round(session, web, step, now, now, after)
        Folder(web.folder).remove(now.name)
        now = after
        progress("pagerank", number, 0)
    return now


def _write_batch(web: BlockedWeb, urls: list[str], scores: Floats) -> None:
    """The batch beside the blocks, as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table({"url": pa.array(urls, pa.string()), "score": pa.array(scores)}), sink)
    Folder(web.folder).write_bytes("batch.parquet", sink.getvalue())
