"""Sources read in tasks, by the readers of the local engine: each task reads a few files, and writes chunks.

    archives         WARC, ARC, WAT (also compressed), WACZ: one file or archive a task. Columns crawled and status
    parquet          files with two columns, URLs or page numbers
    url-edges, edges text files of links, by URL or by page number, compressed or not
    common-crawl     files of vertices and of edges; pages keep Common Crawl's numbers

A file that cannot be read is counted and named in the notes, and what was read of it stays. A task that is done leaves
its result beside its chunks, so a second start reads only the other files.

Paths are those of this machine (a file, a folder, a pattern, a list of archives), seen by all workers under the same
name; or the address of a folder or file elsewhere (hdfs://, s3://), whose files are copied to the worker one by one.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.archives.archive_workers import read_parts
from seedbed.archives.capture_rows import Settings
from seedbed.archives.revisits import write_revisits
from seedbed.archives.wacz import ArchiveFile, Member, is_archive_name, is_wacz_name, size_of
from seedbed.common.arrays import arrow_strings
from seedbed.common.read_issues import ReadIssue, ReadIssues, failure
from seedbed.errors import InputError
from seedbed.sources.archive_files import archives_at
from seedbed.sources.formats import archive, common_crawl, edges, parquet
from seedbed.sources.input_paths import files_at, group_at
from seedbed.sources.named_links import coded
from seedbed.sources.opening import format_at
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import reverse_labels
from seedbed.sources.text_rows import Rows, integer_pairs
from seedbed.spark.blocks.building import BUILDING, Building
from seedbed.spark.blocks.link_chunks import READ, LinkChunks, TaskSizes
from seedbed.spark.blocks.numbering import NAME, read_table, write_table
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

COLUMNS = tuple(column for column in archive.COLUMNS if column.name in ("crawled", "status"))
"""Of archives. Digests are left out: 8-byte floats cannot hold them."""
IN_TASKS = ("archive", "parquet", "url-edges", "edges", "common-crawl")
BYTES_PER_TASK = 1 << 26
_REVISITS = f"{BUILDING}/revisits.arrow"
_SHOWN = 3
_VERTICES_PER_FILE = 1 << 20


@dataclass(frozen=True)
class Source:
    """Files of one format. `shown`: their names in messages."""

    format: str
    files: tuple[ArchiveFile | str, ...]
    shown: tuple[str, ...]
    sizes: tuple[int, ...]
    is_vertices: tuple[bool, ...]
    notes: tuple[str, ...] = ()

    def groups(self, at_once: int) -> list[list[int]]:
        """Which files each task reads: archives one by one, small files together."""
        if self.format == "archive":
            return [[number] for number in range(len(self.files))]
        most = max(1, min(BYTES_PER_TASK, sum(self.sizes) // max(1, at_once)))
        groups: list[list[int]] = []
        held = most + 1
        for number, size in enumerate(self.sizes):
            if held + size > most:
                groups.append([])
                held = 0
            groups[-1].append(number)
            held += size
        return groups


@dataclass
class TaskResult:
    """What a task tells the driver, as JSON. Issues are [what, count, [[rank, place], …]]."""

    chunks: list[Any] = field(default_factory=list)
    vertices: list[list[Any]] = field(default_factory=list)
    issues: list[list[Any]] = field(default_factory=list)
    revisits: list[str] = field(default_factory=list)
    found: list[int] = field(default_factory=list)


def source_at(path: str, format: str | None = None) -> Source | None:  # noqa: A002 - the word users know
    """The files at a path, if tasks can read them; None if only the local engine opens them."""
    if "://" in path:
        return _remote_source(path, format)
    # Workers have folders of their own, so they are told whole paths.
    place = Path(path).absolute()
    name = format or _format_of(place)
    if name not in IN_TASKS:
        return None
    issues = ReadIssues()
    files: list[ArchiveFile]
    vertices: list[Path] = []
    if name == "archive":
        files = [_absolute(file) for file in archives_at([place], issues)]
    elif name == "common-crawl":
        group = group_at(place, common_crawl.WORDS)
        vertices = group["vertices"]
        files = [*vertices, *group["edges"]]
        if "ranks" in group:
            issues.add(ReadIssue("files of ranks left out", group["ranks"][0].name), len(group["ranks"]))
    else:
        files = list(files_at(place))
    if not files:
        raise InputError(f"{path}: no files here.")
    shown = tuple(archive.name_shown(file, [place]) for file in files)
    is_vertices = tuple(file in vertices for file in files)
    notes = issues.notes()
    if name in ("url-edges", "edges") and len(files) > 1:
        notes.append(f"{len(files):,} files read as parts of one web ({shown[0]}; …; {shown[-1]})")
    return Source(name, tuple(files), shown, tuple(map(size_of, files)), is_vertices, tuple(notes))


def _absolute(file: ArchiveFile) -> ArchiveFile:
    return replace(file, wacz=file.wacz.absolute()) if isinstance(file, Member) else file.absolute()


def _format_of(place: Path) -> str | None:
    """The format at a path, or of the first of several files there."""
    found = format_at(place)
    if found is None and (files := files_at(place)):
        first = format_at(files[0])
        return first if first in ("parquet", "url-edges", "edges") else None
    return found


def _remote_source(path: str, format: str | None) -> Source:  # noqa: A002
    """The files of a folder elsewhere, or one file there."""
    folder = Folder(path)
    names = [name for name in folder.names() if not name.startswith(("_", "."))] if folder.is_folder("") else [""]
    if not names:
        raise InputError(f"{path}: no files here.")
    files = [f"{path.rstrip('/')}/{name}".rstrip("/") for name in names]
    if format is None and all(is_archive_name(name) or is_wacz_name(name) for name in files):
        format = "archive"  # noqa: A001
    if format is None:
        with local_file(files[0]) as first:
            format = _format_of(first)  # noqa: A001
    if format not in IN_TASKS[:-1]:
        raise InputError(
            f"{path}: of files elsewhere, {', '.join(IN_TASKS[:-1])} are read; this is {format or 'none'}."
        )
    sizes = tuple(folder.size(name) for name in names)
    return Source(format, tuple(files), tuple(names), sizes, (False,) * len(files))


@contextmanager
def local_file(file: str | Path) -> Iterator[Path]:
    """A file of this machine, or a copy of one elsewhere for as long as it is read."""
    if "://" not in str(file):
        yield Path(file)
        return
    from pyarrow import fs

    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / PurePosixPath(str(file)).name
        files, place = fs.FileSystem.from_uri(str(file))
        fs.copy_files(place, str(copy), source_filesystem=files, destination_filesystem=fs.LocalFileSystem())
        yield copy


class Read:
    """What all tasks read: chunks of links, notes, and how many vertices there are."""

    def __init__(self, results: Sequence[TaskResult], notes: Sequence[str]) -> None:
        self.chunks = [chunk for result in results for chunk in result.chunks]
        self.vertices = [file for result in results for file in result.vertices]
        self.revisits = [file for result in results for file in result.revisits]
        self.found = {row for result in results for row in result.found}
        issues = ReadIssues()
        for what, count, places in sorted((issue for result in results for issue in result.issues), key=_by_place):
            for rank, place in places:
                issues.add(ReadIssue(what, place), rank=rank)
            if count > len(places):
                issues.add(ReadIssue(what), count - len(places), rank=places[-1][0] if places else 0)
        self.notes = [*notes, *issues.notes()]


def _by_place(issue: Sequence[Any]) -> Any:
    return issue[2][0] if issue[2] else [0, ""]


def read_source(
    session: SparkSession, building: Building, source: Source, options: ReadOptions, sizes: TaskSizes
) -> dict[str, Any]:
    """Read all files into chunks; a step of building. Returns what JSON can hold."""
    groups = building.step("files", lambda: source.groups(session.sparkContext.defaultParallelism))
    settings = Settings(options.drop_sessions, revisit_bytes=_revisit_bytes(source))
    results = _read(session, building.folder, source, groups, options, settings, sizes, "read")
    read = Read(results, source.notes)
    if read.revisits:
        table = _write_revisits(building.folder, read.revisits)
        again = settings._replace(revisits=Path(_REVISITS))
        second = _read(session, building.folder, source, groups, options, again, sizes, "revisits")
        results += second
        found = Read(second, ()).found
        results.append(TaskResult(issues=_unknown(table, found)))
        read = Read(results, source.notes)
    return {"chunks": read.chunks, "vertices": read.vertices, "notes": read.notes}


def _revisit_bytes(source: Source) -> int:
    return max(archive.REVISIT_BYTES // max(len(source.files), 1), archive.LEAST_BYTES_A_FILE)


def _read(
    session: SparkSession,
    folder: Folder,
    source: Source,
    groups: Sequence[Sequence[int]],
    options: ReadOptions,
    settings: Settings,
    sizes: TaskSizes,
    stage: str,
) -> list[TaskResult]:
    """The results of all groups of files; those of an earlier start are not read again."""
    uri, how = folder.uri, ReadOptions(encoding=options.encoding, columns=options.columns)
    done = [f"{READ}/{stage}-{number:06d}.json" for number in range(len(groups))]
    there = {f"{READ}/{name}" for name in folder.names(READ)}
    left = [number for number in range(len(groups)) if done[number] not in there]

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for at in numbers_in(batches):
            own = Folder(uri)
            result = _GroupReader(own, source, how, settings, sizes).read(groups[left[at]])
            own.write_json(done[left[at]], vars(result))
            yield pa.record_batch([pa.array([at])], ["group"])

    if left:
        collected(over_blocks(session, len(left)).mapInArrow(read, "group long"))
    return [TaskResult(**folder.json(name)) for name in done]


class _GroupReader:
    """Reads the files of a group, in a task."""

    def __init__(
        self, folder: Folder, source: Source, options: ReadOptions, settings: Settings, sizes: TaskSizes
    ) -> None:
        self._folder, self._source, self._options, self._settings = folder, source, options, settings
        self._chunks = LinkChunks(folder, COLUMNS if source.format == "archive" else (), sizes)
        self._issues: dict[str, tuple[int, list[Any]]] = {}
        self._result = TaskResult()

    def read(self, group: Sequence[int]) -> TaskResult:
        """Read the files of a group; one that fails is an issue."""
        for number in group:
            try:
                self._read_file(number)
            except Exception as error:  # noqa: BLE001 - one bad file of thousands must not stop the others
                self._note(failure(error), number)
        self._chunks.flush()
        self._result.chunks = list(self._chunks.written)
        self._result.issues = [[what, count, places] for what, (count, places) in self._issues.items()]
        return self._result

    def _read_file(self, number: int) -> None:
        file = self._source.files[number]
        if isinstance(file, Member):
            self._read_archive(file, number)
            return
        with local_file(file) as path:
            if self._source.format == "archive":
                issues = ReadIssues()
                for one in [path] if "://" not in str(file) else archives_at([path], issues):
                    self._read_archive(one, number)
                for note in issues.notes():
                    self._note(ReadIssue(note), number)
            elif self._source.format == "parquet":
                self._read_parquet(path)
            elif self._source.is_vertices[number]:
                self._read_vertices(path)
            elif self._source.format == "common-crawl":
                for piece in self._options.pieces([path]):
                    self._chunks.add_ids(*integer_pairs(piece, common_crawl.LAYOUT))
            else:
                self._read_edges(path)

    def _note(self, issue: ReadIssue, number: int) -> None:
        count, places = self._issues.get(issue.what, (0, []))
        if len(places) < _SHOWN:
            places.append([number, issue.place(self._source.shown[number])])
        self._issues[issue.what] = count + 1, places

    def _read_archive(self, file: ArchiveFile, number: int) -> None:
        import pyarrow as pa

        with self._folder.local_copy(_REVISITS if self._settings.revisits else "") as revisits:
            for part in read_parts(file, self._settings._replace(revisits=revisits)):
                if len(part["ends"]):
                    self._chunks.add_names(part["ends"])
                if len(part["url"]):
                    crawled = np.ones(len(part["url"]), np.int64)
                    self._chunks.add_pages(part["url"], {"crawled": crawled, "status": part["status"]}, part["is_page"])
                if len(part["revisit_key"]):
                    columns = {name: part[f"revisit_{name}"] for name in ("key", "url", "nofollow")}
                    table = pa.table({**columns, "rank": np.full(len(part["revisit_key"]), number)})
                    self._result.revisits.append(f"{READ}/{uuid.uuid4().hex}.revisits")
                    write_table(self._folder, self._result.revisits[-1], table)
                self._result.found += part["found"].to_pylist()
                for issue in part["issues"]:
                    self._note(issue, number)

    def _read_parquet(self, path: Path) -> None:
        import pyarrow as pa

        ends = parquet.ends_of(path)
        kind = pa.int64() if ends.of_ids else pa.dictionary(pa.int32(), pa.large_string())
        for _, _, columns in parquet.link_batches([ends], kind, coded=not ends.of_ids):
            if ends.of_ids:
                self._chunks.add_ids(*(column.to_numpy() for column in columns[:2]))
            else:
                self._chunks.add_names(*columns[:2])

    def _read_edges(self, path: Path) -> None:
        table, columns, check = edges.link_table(path, self._options)
        of_ids = table.link_kinds() == ("id", "id")
        if of_ids != (self._source.format != "url-edges"):
            raise InputError(f"it links {'page numbers' if of_ids else 'URLs'}, unlike the other files.")
        for piece in table.body(self._options):
            if of_ids:
                pairs = integer_pairs(piece, table.layout, columns)
                count = len(pairs[0])
                self._chunks.add_ids(*pairs)
            else:
                rows = Rows.cut(piece.checked(), table.layout, max(columns) + 1)
                count = len(rows)
                self._chunks.add_names(coded(*(arrow_strings(rows.texts(column)) for column in columns)))
            if check is not None:
                check(piece, count)

    def _read_vertices(self, path: Path) -> None:
        held: list[pa.Table] = []
        for piece in self._options.pieces([path]):
            held.append(_vertices_in(piece))
            if sum(map(len, held)) >= _VERTICES_PER_FILE:
                self._write_vertices(held)
                held = []
        self._write_vertices(held)

    def _write_vertices(self, held: list[pa.Table]) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if not held:
            return
        file, table = f"{READ}/{uuid.uuid4().hex}.vertices", pa.concat_tables(held)
        write_table(self._folder, file, table)
        limits = pc.min_max(table.column("id")).as_py()
        self._result.vertices.append([file, len(table), limits["min"], limits["max"]])


def _vertices_in(piece: Piece) -> pa.Table:
    """The ids and names on the lines of a piece, and the number of hosts of domains."""
    import pyarrow as pa

    rows = Rows.cut(piece.checked(), common_crawl.LAYOUT, 3)
    text, text_ptr = rows.texts(1)
    names = arrow_strings((reverse_labels(text, text_ptr), text_ptr))
    table = {"id": rows.integers(0), NAME: names}
    if len(rows) and (rows.start[2] >= 0).all():
        table["n_hosts"] = rows.integers(2, "the number of hosts")
    return pa.table(table)


def _write_revisits(folder: Folder, files: Sequence[str]) -> pa.Table:
    """Join the revisits that tasks found, in an order that does not depend on the tasks."""
    import pyarrow as pa

    found = pa.concat_tables([read_table(folder, file) for file in files])
    table = found.sort_by([(name, "ascending") for name in ("key", "rank", "url")]).combine_chunks()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "revisits.arrow"
        write_revisits(copy, table.select(["key", "url", "nofollow"]))
        folder.write_bytes(_REVISITS, copy.read_bytes())
    return table


def _unknown(table: pa.Table, found: set[int]) -> list[list[Any]]:
    """The revisits whose captures are nowhere, as an issue."""
    known = np.zeros(len(table), np.bool_)
    known[list(found)] = True
    rest = table.filter(~known).sort_by([("rank", "ascending"), ("url", "ascending")])
    places = [[row["rank"], row["url"][:200]] for row in rest.slice(0, _SHOWN).to_pylist()]
    return [[archive.UNKNOWN_CAPTURES, len(rest), places]] if places else []
