"""A live crawl on disk: one SQLite file, written by one process, in which nothing that was promised is lost.

    waiting    number, priority, score, …   pages that wait or are being fetched, with their fingerprints
    request    number, data                 their requests, as JSON
    unstored   number, fingerprint, url     pages that wait or are being fetched whose requests only the process holds
    known      fingerprint, number          pages that are done, so that none is fetched twice; with a negative number
                                            pages that were linked and not requested, of orders that count them
    given      number, target               of pages in flight: the targets that have had what they pass on
    event      kind, number, known, …       what live-pagerank computes scores from, in sequence (replayed_scores.py)
    job        one row                      the order, and what has been counted

A page leaves `waiting` when its response was worked off, in the same transaction that holds its links, or a later one.
So a process that is killed leaves pages that were in flight as pages that wait, with the targets that have their share:
when such a page is fetched again, the others get theirs, and none gets it twice. Write-ahead logging, no fsync at a
commit: a killed process loses nothing, a machine that loses power perhaps the last moments, consistently.

What `unstored` holds when a job is opened was lost with the process before; it stays there until it is requested again.

Without a path there is a temporary database of SQLite's, in memory as far as it fits the cache, that has `known` alone.

Beside the database stands the link log: a line of JSON for each page fetched, which `seedbed convert` reads.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

from seedbed.errors import InputError, OptionError
from seedbed.integrations.live.live_frontier import Page
from seedbed.integrations.live.live_orders import Score

APPLICATION = 0x53656564
FORMAT = 4
DATABASE = "seedbed.db"
NOT_SCRAPYS = '["This job was begun with the scheduler of seedbed and goes on with it alone."]\n'
_CACHE = -64 * 1024  # KiB
_SCHEMA = """
create table waiting (number integer primary key, priority integer, mantissa real, block integer, mass real,
    links integer, host text, fingerprint blob);
create table request (number integer primary key, data text);
create table unstored (number integer primary key, fingerprint blob, url text);
create index unstored_fingerprint on unstored (fingerprint);
create table known (fingerprint blob primary key, number integer) without rowid;
create table given (number integer, target blob, primary key (number, target)) without rowid;
create table event (row integer primary key, kind integer, number integer, known integer, pages blob, old blob,
    hosts blob);
create table job (row integer primary key check (row = 1), {columns});
"""


@dataclass
class Job:
    """What has been counted. `share`: seeds that the first mass was shared among, 0 until it is passed on.

    `score`, `mass`: sums over the pages fetched, of the order's scores and of the lower bound of their PageRank.
    `remembers`: whether the crawl has the knowledge of a last one.
    """

    order: str
    known: int = 0
    seeds: int = 0
    share: int = 0
    fetched: int = 0
    score: float = 0.0
    mass: float = 0.0
    remembers: bool = False


_JOB_ROW = f"replace into job values (1{', ?' * len(fields(Job))})"  # noqa: S608


class JobStore:
    """The database of a job; `path` is None for one that ends with the process.

    `lost`: requests of earlier runs that were not stored, and have not come again.
    """

    def __init__(self, path: Path | None, order: str, *, remembers: bool = False) -> None:
        self.path = path
        self.lost = 0
        try:
            self._base = sqlite3.connect(path or "", timeout=1, isolation_level=None)
            try:
                self.job = self._job(order, remembers)
            except BaseException:
                self._base.close()
                raise
        except sqlite3.Error as error:
            raise _explained(error, path) from None

    def _job(self, order: str, remembers: bool) -> Job:
        run = self._base.execute
        if self.path is None:
            run("pragma journal_mode = off")
        else:
            run("pragma locking_mode = exclusive")
            run("pragma journal_mode = wal")
            run("pragma wal_autocheckpoint = 16384")
        run("pragma synchronous = normal")
        run(f"pragma cache_size = {_CACHE}")
        if run("select count(*) from sqlite_master").fetchone()[0] == 0:
            run("begin immediate")
            columns = ", ".join(f'"{field.name}"' for field in fields(Job))
            for statement in _SCHEMA.format(columns=columns).split(";")[:-1]:
                run(statement)
            run(_JOB_ROW, tuple(vars(Job(order, remembers=remembers)).values()))
            run(f"pragma application_id = {APPLICATION}")
            run(f"pragma user_version = {FORMAT}")
            run("commit")
        run("begin immediate")
        run("commit")
        version = run("pragma user_version").fetchone()[0]
        if run("pragma application_id").fetchone()[0] == APPLICATION and version > FORMAT:
            raise InputError(f"{self.path}: a newer version of seedbed wrote this job. Install that one.")
        row = run("select * from job").fetchone() if version == FORMAT else None
        if row is None or run("pragma application_id").fetchone()[0] != APPLICATION:
            raise InputError(f"{self.path}: this is not a job of seedbed in format {FORMAT}. Give another JOBDIR.")
        job = Job(*row[1:])
        job.remembers = bool(job.remembers)
        highest = run("select max(number) from (select number from request union all select number from unstored)")
        job.known = max(job.known, highest.fetchone()[0] or 0)
        self.lost = run("select count(*) from unstored").fetchone()[0]
        self._before = job.known
        return job

    def _write(self, statement: str, values: tuple[object, ...]) -> int:
        if not self._base.in_transaction:
            self._base.execute("begin")
        return self._base.execute(statement, values).rowcount

    def _keep(self, statement: str, values: tuple[object, ...]) -> None:
        """Write what the next run needs."""
        if self.path is not None:
            self._write(statement, values)

    def put(self, page: Page, fingerprint: bytes | None, data: str) -> None:
        """A page waits, with a request; without a fingerprint it is nobody's duplicate."""
        score = page.score
        row = (page.number, page.priority, score.mantissa, score.block, page.mass, page.links, page.host, fingerprint)
        self._keep("insert into waiting values (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._keep("insert into request values (?, ?)", (page.number, data))

    def put_unstored(self, number: int, fingerprint: bytes, url: str) -> None:
        """A page waits whose request ends with the process."""
        self._keep("insert into unstored values (?, ?, ?)", (number, fingerprint, url))

    def came_again(self, fingerprint: bytes) -> None:
        """A request is made that may have been lost."""
        if self.lost:
            rows = (fingerprint, self._before)
            self.lost -= self._write("delete from unstored where fingerprint = ? and number <= ?", rows)

    def lost_urls(self, most: int) -> list[str]:
        """Those of the first requests that were lost."""
        rows = self._base.execute("select url from unstored order by number limit ?", (most,))
        return [str(url) for (url,) in rows]

    def know(self, fingerprint: bytes, number: int) -> None:
        """A page is done; with a negative number one that was linked and not requested."""
        self._write("replace into known values (?, ?)", (fingerprint, number))

    def forget_linked(self, fingerprint: bytes) -> None:
        """A page that was linked is not the one that others with its fingerprint lead to."""
        self._write("delete from known where fingerprint = ? and number < 0", (fingerprint,))

    def number_of(self, fingerprint: bytes) -> int:
        """The number of a page that is done, minus that of one that was linked and not requested, or 0."""
        found = self._base.execute("select number from known where fingerprint = ?", (fingerprint,)).fetchone()
        return 0 if found is None else int(found[0])

    def note(self, events: Iterable[tuple[object, ...]]) -> None:
        """Write down what scores are computed from."""
        for event in events:
            self._keep("insert into event values (null, ?, ?, ?, ?, ?, ?)", event)

    def events(self) -> Iterator[tuple[object, ...]]:
        """All of that, in sequence."""
        return self._base.execute("select kind, number, known, pages, old, hosts from event order by row")

    def score(self, number: int, score: Score, mass: float, links: int) -> None:
        """A page was linked again."""
        row = (score.mantissa, score.block, mass, links, number)
        self._keep("update waiting set mantissa = ?, block = ?, mass = ?, links = ? where number = ?", row)

    def level(self, score: Score | None, mass: float) -> None:
        """Give all pages the same score."""
        if score is not None:
            self._keep("update waiting set mantissa = ?, block = ?, mass = ?", (*score, mass))
        else:
            self._keep("update waiting set mass = ?", (mass,))

    def request(self, number: int) -> tuple[str, bytes | None]:
        """(the request of a page that waits, its fingerprint where it has one)"""
        found: tuple[str, bytes | None] | None = self._base.execute(
            "select data, fingerprint from request left join waiting using (number) where number = ?", (number,)
        ).fetchone()
        return ("", None) if found is None else found

    def deliver(self, number: int, targets: Iterable[bytes]) -> None:
        """These targets of a page in flight have theirs."""
        for target in targets:
            self._keep("insert or ignore into given values (?, ?)", (number, target))

    def delivered(self) -> dict[int, set[bytes]]:
        """The targets of each page that was in flight and had passed on."""
        found: dict[int, set[bytes]] = {}
        for number, target in self._base.execute("select number, target from given"):
            found.setdefault(number, set()).add(target)
        return found

    def forget(self, number: int) -> None:
        """A page in flight is done: nothing will ask for its targets."""
        self._keep("delete from given where number = ?", (number,))

    def done(self, number: int, *, stored: bool) -> None:
        """A page waits no longer; `stored`: its request was."""
        for table in ("request", "waiting") if stored else ("unstored",):
            self._keep(f"delete from {table} where number = ?", (number,))  # noqa: S608

    def commit(self) -> None:
        """From here on nothing of what was written can be lost."""
        if self._base.in_transaction:
            self._keep(_JOB_ROW, tuple(vars(self.job).values()))
            self._base.execute("commit")

    def abandon(self) -> None:
        """Leave the file as it was last committed."""
        with suppress(sqlite3.Error):
            self._base.rollback()
        self._base.close()

    def waiting(self) -> Iterator[tuple[Page, bytes | None]]:
        """The pages that wait, as discovered, with their fingerprints; None for those that are never duplicates."""
        rows = self._base.execute(
            "select number, host, priority, mantissa, block, mass, links, fingerprint from waiting order by number"
        )
        for number, host, priority, mantissa, block, mass, links, fingerprint in rows:
            yield Page(number, host, priority, Score(mantissa, block), mass, links), fingerprint

    def close(self) -> None:
        """Commit and leave the file."""
        self.commit()
        self._base.close()


def open_job(folder: Path | None, order: str, *, remembers: bool = False) -> JobStore:
    """The job in a folder, new or begun before; `remembers`: the crawl has the knowledge of a last one."""
    if folder is None:
        return JobStore(None, order)
    _claim(folder)
    store = JobStore(folder / DATABASE, order, remembers=remembers)
    if store.job.order != order:
        store.close()
        raise OptionError(
            f"{folder}: this job was begun with SEEDBED_ORDER = '{store.job.order}', its scores mean nothing to "
            f"'{order}'. Go on with that order{_and_site(order, store.job.order)}, or give another JOBDIR."
        )
    if store.job.remembers != remembers:
        begun, now = ("without", "Leave it out") if remembers else ("with", "Set it again")
        store.close()
        raise OptionError(f"{folder}: this job was begun {begun} SEEDBED_LAST. {now}, or give another JOBDIR.")
    return store


def _and_site(*orders: str) -> str:
    return " and SEEDBED_SITE" if any(" by " in order for order in orders) else ""


def _claim(folder: Path) -> None:
    """Have Scrapy's own scheduler refuse the folder: it looks there for its queues, and knows no such state of them."""
    state = folder / "requests.queue" / "active.json"
    if not state.exists():
        state.parent.mkdir(parents=True, exist_ok=True)
        half = state.with_suffix(".part")
        half.write_text(NOT_SCRAPYS)
        half.replace(state)
    elif state.read_text(errors="replace") != NOT_SCRAPYS:
        raise OptionError(f"{folder}: this job was begun with Scrapy's own scheduler. Give another JOBDIR.")


def _explained(error: sqlite3.Error, path: Path | None) -> Exception:
    if "locked" in str(error):
        return OptionError(f"{path}: another crawl uses this job. Wait until it ends, or give another JOBDIR.")
    if isinstance(error, sqlite3.OperationalError):
        return InputError(
            f"{path}: SQLite cannot open it for writing ({error}). Is there space, and may you write there?"
        )
    return InputError(f"{path}: SQLite cannot read it ({error}). It is damaged; begin again in another JOBDIR.")


class LinkLog:
    """Lines of JSON: url, links, status. Those of a page are written before the job counts the page as fetched.

    They stay in memory until then, so that a full disk ends the crawl, and not a callback that yields links.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines: list[bytes] = []
        self._file = path.open("a+b", buffering=0)
        if self._file.tell():
            self._file.seek(-1, 2)
            # A crawl that was killed may have left half a line.
            if self._file.read(1) != b"\n":
                self._lines.append(b"\n")

    def write(self, url: str, links: Iterable[str], status: int | None) -> None:
        """One page."""
        known = {} if status is None else {"status": status}
        line = json.dumps({"url": url, "links": list(dict.fromkeys(links)), **known}, separators=(",", ":"))
        self._lines.append(line.encode() + b"\n")

    def flush(self) -> None:
        """Give all lines to the system."""
        left = memoryview(b"".join(self._lines))
        while left:
            left = left[self._file.write(left) :]
        self._lines.clear()

    def close(self) -> None:
        """The end; what was not flushed is left out, for its pages do not count as fetched."""
        self._file.close()
