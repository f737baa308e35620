"""The native store: one folder that opens in milliseconds at any size, because everything in it is memory-mapped.

    web.json                       version, counts, where the web came from, size and SHA-256 of every other file
    out_ptr.npy, out_idx.npy       the links as CSR, or
    links.graph, .offsets, .properties   the links as BVGraph
    urls.*, hosts.npy, host-names.*      the URL table and the host of each page, if known
    column-NAME.npy                one value per page
    nofollow-sources.npy, nofollow-targets.npy   the links marked nofollow, if known

Opening reads web.json and compares sizes; `verify` reads everything and compares checksums. In web.json, `checksum` is
computed from the files alone, so the same web has the same one wherever it came from; `seal` covers everything else in
web.json, so a change to it is detected. File names follow fixed rules and are never taken from web.json. A store
appears only once it is complete, and replaces nothing but a store.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ids, Ints, page_dtype
from seedbed.common.atomic_files import ArrayFile, map_array, written_beside
from seedbed.common.messages import Progress, no_progress
from seedbed.common.outputs import check_can_write
from seedbed.common.sidecar import fingerprint
from seedbed.errors import InputError, OptionError, unknown
from seedbed.graph.web import Origin, Web
from seedbed.links.csr import Csr
from seedbed.links.nofollow import FILES as NOFOLLOW_FILES
from seedbed.links.nofollow import Marks

if TYPE_CHECKING:
    from seedbed.links.bvgraph_links import BvGraph
    from seedbed.links.bvgraph_properties import BvProperties

MANIFEST = "web.json"
FORMAT = "seedbed web"
VERSION = 1
MOST_BYTES = 1 << 22


@dataclass(frozen=True)
class Manifest:
    """What web.json says. `files`: name → {bytes, sha256}."""

    pages: int
    links: int
    link_store: str
    origin: Origin
    files: Mapping[str, Mapping[str, Any]]
    checksum: str

    @classmethod
    def write(cls, folder: Path, *, pages: int, links: int, link_store: str, origin: Origin) -> None:
        """Write web.json for all files in a folder."""
        files = {file.name: fingerprint(file) for file in sorted(folder.iterdir())}
        manifest = cls(pages, links, link_store, origin, files, _digest(files))
        content = {"format": FORMAT, "version": VERSION, **asdict(manifest)}
        content["seal"] = _digest(content)
        (folder / MANIFEST).write_text(json.dumps(content, indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read web.json; errors name it. Every file must exist with its recorded size."""
        path = folder / MANIFEST
        with path.open("rb") as file:
            content = file.read(MOST_BYTES)
        try:
            entries = json.loads(content)
            _check(path, entries)
            entries["origin"] = Origin(**entries["origin"])
            manifest = cls(**{name: entries[name] for name in cls.__dataclass_fields__})
            manifest._check_files(folder)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"{path}: is not a valid description of a store. Convert the web again.") from None
        return manifest

    def _check_files(self, folder: Path) -> None:
        for name, recorded in self.files.items():
            if Path(name).name != name:
                raise InputError(f"{folder / MANIFEST}: names a file outside the store. Do not use it.")
            size = (folder / name).stat().st_size if (folder / name).is_file() else None
            if size != recorded["bytes"]:
                found = "is missing" if size is None else f"has {size} bytes"
                raise InputError(
                    f"{folder / name}: {found}, {recorded['bytes']} were written. "
                    "The store is incomplete; copy it again."
                )


def _check(path: Path, entries: dict[str, Any]) -> None:
    if entries["format"] != FORMAT:
        raise InputError(f"{path}: format is {entries['format']!r:.60}, not '{FORMAT}'. Not a seedbed store.")
    if entries["version"] != VERSION:
        raise InputError(
            f"{path}: the store has version {entries['version']!r:.20}, this seedbed reads version {VERSION}. "
            "Use the seedbed that wrote it, or convert the web again."
        )
    seal = entries.pop("seal")
    if seal != _digest(entries):
        raise InputError(f"{path}: its checksum does not match its content. It was changed or damaged; convert again.")


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
LinkKind = Literal["csr", "bvgraph"]


class StoreWriter:
    """Writes a store as a stream, in page order; see the module docstring for what it holds.

    with StoreWriter(path, pages=n) as store:
        store.add_links(out_ptr, out_idx)    # the next pages, any number at a time
        store.add_urls(text, text_ptr)       # the next pages' URLs, ascending
    """

    def __init__(
        self,
        path: Path,
        *,
        pages: int,
        links: LinkKind = "csr",
        origin: Origin | None = None,
        properties: BvProperties | None = None,
        threads: int = 1,
    ) -> None:
        if links not in ("csr", "bvgraph"):
            raise unknown("link store", links, ("csr", "bvgraph"))
        self.pages = pages
        self.origin = origin or Origin()
        self._kind = links
        self._properties = properties
        self._threads = threads
        self._path = path
        self._place = ExitStack()
        self._arrays: dict[str, ArrayFile] = {}
        self._tables: dict[str, Any] = {}
        self._links: Any = None
        self._written = False

    def __enter__(self) -> StoreWriter:
        self.folder = self._place.enter_context(written_beside(self._path))
        self._place.callback(self._abandon)
        if self._kind == "bvgraph":
            from seedbed.links.bvgraph_writer import BvWriter

            self._links = BvWriter(
                self.folder / "links", pages=self.pages, properties=self._properties, threads=self._threads
            )
        else:
            self._links = _CsrWriter(self.folder, self.pages)
        return self

    def add_links(self, out_ptr: Ints, out_idx: Ids) -> None:
        """Add the links of the next pages."""
        self._links.append(out_ptr, out_idx)

    def add_urls(self, text: Bytes, text_ptr: Ints) -> None:
        """Add the URLs of the next pages, in ascending order over all pages."""
        self._table("urls").append(text, text_ptr)

    def add_host_names(self, text: Bytes, text_ptr: Ints) -> None:
        """Add the names of the next hosts, in ascending order over all hosts."""
        self._table("host-names").append(text, text_ptr)

    def add_hosts(self, host_of_page: Ids) -> None:
        """Add the hosts of the next pages, as positions among the host names."""
        self._array("hosts", np.int32).append(host_of_page)

    def add_column(self, name: str, values: NDArray[Any]) -> None:
        """Add the next pages' values for a column."""
        _check_column(name, values)
        self._array(f"column-{name}", values.dtype).append(values)

    def add_nofollow(self, marks: Marks) -> None:
        """Add the marks: which of all the links are nofollow."""
        marks.save(self.folder)

    def _array(self, stem: str, dtype: Any) -> ArrayFile:
        if stem not in self._arrays:
            self._arrays[stem] = ArrayFile(self.folder / f"{stem}.npy", dtype)
        return self._arrays[stem]

    def _table(self, stem: str) -> Any:
        if stem not in self._tables:
            from seedbed.urls.url_table import UrlTableWriter

            self._tables[stem] = UrlTableWriter(self.folder, stem)
        return self._tables[stem]

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self._place:
            if error is not None:
                raise error
            self._finish()

    def _finish(self) -> None:
        self._links.close()
        for part in (*self._arrays.values(), *self._tables.values()):
            part.close()
        self._written = True
        for stem, array in self._arrays.items():
            if array.length != self.pages:
                raise ValueError(f"{stem} has {array.length} entries for {self.pages} pages")
        Manifest.write(
            self.folder, pages=self.pages, links=self._links.links, link_store=self._kind, origin=self.origin
        )

    def _abandon(self) -> None:
        if self._written:
            return
        for part in (self._links, *self._arrays.values()):
            part.abandon()
        for table in self._tables.values():
            # A table that was already closed, because the failure came later, raises; nothing remains to be done.
            with suppress(ValueError, OSError):
                table.close(whole=False)


class _CsrWriter:
    """Writes out_ptr.npy and out_idx.npy as a stream."""

    def __init__(self, folder: Path, pages: int) -> None:
        self._pages = pages
        self._out_ptr = ArrayFile(folder / "out_ptr.npy", np.int64)
        self._out_idx = ArrayFile(folder / "out_idx.npy", page_dtype(pages))
        self._out_ptr.append(np.zeros(1, np.int64))

    @property
    def links(self) -> int:
        return self._out_idx.length

    def append(self, out_ptr: Ints, out_idx: Ids) -> None:
        self._out_ptr.append(out_ptr[1:] - out_ptr[0] + self._out_idx.length)
        self._out_idx.append(out_idx)

    def close(self) -> None:
        if self._out_ptr.length != self._pages + 1:
            raise ValueError(f"{self._out_ptr.length - 1} pages were given, {self._pages} announced")
        self._out_ptr.close()
        self._out_idx.close()

    def abandon(self) -> None:
        self._out_ptr.abandon()
        self._out_idx.abandon()


def _check_column(name: str, values: NDArray[Any]) -> None:
    if not COLUMN_NAME.fullmatch(name):
        raise OptionError(f"'{name}' cannot name a column; use up to 64 of a-z, 0-9 and _, a letter first.")
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise OptionError(
            f"the column '{name}' holds {values.ndim}-dimensional {values.dtype}; a store holds one number per page."
        )


def write_store(
    web: Web,
    path: Path,
    *,
    links: LinkKind = "csr",
    properties: BvProperties | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> None:
    """Store a web. Hosts are computed here once, so that they are available when the store is opened."""
    from seedbed.urls.url_table import UrlTable

    for name, values in web.columns.items():
        _check_column(name, values)
    hosts = web.sites("host") if web.urls is not None or web.hosts is not None else None
    with StoreWriter(
        path, pages=web.page_count, links=links, origin=web.origin, properties=properties, threads=threads
    ) as store:
        for block in web.links.blocks():
            progress("links", block.first, web.page_count)
            store.add_links(block.out_ptr, block.out_idx)
        for name, values in web.columns.items():
            store.add_column(name, values)
        if web.urls is not None:
            progress("URLs", 0, 0)
            web.urls.save(store.folder, "urls")
        if hosts is not None:
            store.add_hosts(hosts.of_page)
            names = hosts.names if isinstance(hosts.names, UrlTable) else UrlTable.from_strings(list(hosts.names))
            names.save(store.folder, "host-names")
        if web.nofollow is not None:
            store.add_nofollow(web.nofollow)
        progress("checksums", 0, 0)


def open_store(path: Path) -> Web:
    """The web in a store, memory-mapped."""
    from seedbed.urls.sites import Sites
    from seedbed.urls.url_table import UrlTable

    manifest = Manifest.read(path)
    files = manifest.files
    return Web(
        links=_open_links(path, manifest),
        urls=UrlTable.load(path, "urls") if "urls.text" in files else None,
        hosts=Sites("host", map_array(path / "hosts.npy"), UrlTable.load(path, "host-names"))
        if "hosts.npy" in files
        else None,
        columns={
            name: map_array(path / f"column-{name}.npy")
            for name in (
                file.removeprefix("column-").removesuffix(".npy") for file in files if file.startswith("column-")
            )
            if COLUMN_NAME.fullmatch(name)
        },
        origin=manifest.origin,
        nofollow=Marks.load(path, manifest.pages) if NOFOLLOW_FILES[0] in files else None,
    )


def _open_links(path: Path, manifest: Manifest) -> Csr | BvGraph:
    links: Csr | BvGraph
    if manifest.link_store == "bvgraph":
        from seedbed.links.bvgraph_links import BvGraph

        links = BvGraph.open(path / "links")
    else:
        out_ptr, out_idx = map_array(path / "out_ptr.npy"), map_array(path / "out_idx.npy")
        if len(out_ptr) == 0 or out_ptr.dtype != np.int64 or out_idx.dtype != page_dtype(len(out_ptr) - 1):
            raise InputError(f"{path}: the links are not stored as {MANIFEST} says. Convert the web again.")
        links = Csr(out_ptr, out_idx, name=str(path))
    if (links.page_count, links.link_count) != (manifest.pages, manifest.links):
        raise InputError(
            f"{path}: {MANIFEST} records {manifest.pages} pages and {manifest.links} links, the files hold "
            f"{links.page_count} and {links.link_count}. The store is mixed up; convert the web again."
        )
    return links


def is_store(path: Path) -> bool:
    """Whether a folder is a store."""
    return (path / MANIFEST).is_file()


def checksum(path: Path) -> str:
    """SHA-256 of a store's content, as recorded when it was written; the same for the same web."""
    return Manifest.read(path).checksum


def verify(path: Path, progress: Progress = no_progress) -> str:
    """Read every file and compare it with its recorded checksum; returns the checksum of the whole store."""
    manifest = Manifest.read(path)
    for k, (name, recorded) in enumerate(manifest.files.items()):
        progress("verify", k, len(manifest.files))
        if fingerprint(path / name)["sha256"] != recorded["sha256"]:
            raise InputError(
                f"{path / name}: its checksum is not the recorded one. The file is damaged; copy it again."
            )
    return manifest.checksum


FILE_NAME = re.compile(
    r"web\.json|out_(ptr|idx)\.npy|links\.(graph|offsets|properties)|hosts\.npy|column-[a-z][a-z0-9_]*\.npy"
    r"|nofollow-(sources|targets)\.npy|(urls|host-names)\.(text|(ptr|symbols|rank|id)\.npy)"
)
"""The files of a store."""


def check_store_path(path: Path) -> None:
    """Refuse a path that cannot be written, or where something other than a store or empty folder would be replaced."""
    if not path.exists():
        check_can_write(path.parent, path)
        return
    names = sorted(file.name for file in path.iterdir()) if path.is_dir() else [path.name]
    strange = [name for name in names if not FILE_NAME.fullmatch(name)]
    if is_store(path) and strange:
        raise OptionError(
            f"{path}: '{strange[0]}' is not part of this store, and would be lost. Move it away, or choose "
            "another name."
        )
    # A lone web.json may belong to another program.
    if not path.is_dir() or (names and not (is_store(path) and len(names) > 1)):
        raise OptionError(f"{path}: is already there and is not a store. Choose another name, or move it away.")
    check_can_write(path.resolve().parent, path)
