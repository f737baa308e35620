"""Writing a web in another format: which there are, and how the name of the output tells which is meant.

Every output appears in its place only when it is whole.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seedbed.common.compression import ENDINGS as COMPRESSED
from seedbed.common.compression import uncompressed_name
from seedbed.common.messages import Progress, no_progress
from seedbed.common.outputs import WEB, check_output
from seedbed.common.sidecar import write_sidecar
from seedbed.errors import OptionError, UsageError, unknown
from seedbed.graph.native_store import LinkKind, check_store_path
from seedbed.graph.web import Web
from seedbed.writers.job import Job, Saved

if TYPE_CHECKING:
    from seedbed.links.bvgraph_properties import BvProperties

__all__ = ["TARGETS", "Saved", "checked_format", "endings_in_words", "files_written", "format_of", "save"]


class Target(NamedTuple):
    """A format that can be written: by which function, told from which endings, compressed or not."""

    writer: str
    endings: tuple[str, ...]
    compressed: bool = True


TARGETS = {
    "store": Target("stores.write_store", (".web",), compressed=False),
    "bvgraph": Target("stores.write_bvgraph", (".graph",), compressed=False),
    "parquet": Target("stores.write_parquet", (".parquet",), compressed=False),
    "tables": Target("tables.write", (".nodes.tsv", ".nodes.csv", ".edges.tsv", ".edges.csv")),
    "url-edges": Target("edges.write_urls", (".tsv", ".csv", ".txt")),
    "edges": Target("edges.write_ids", (".tsv", ".csv", ".txt")),
    "adjacency": Target("graphs.write_adjacency", (".adj", ".adjlist")),
    "pajek": Target("graphs.write_pajek", (".net",)),
    "graphml": Target("graphs.write_graphml", (".graphml",)),
    "matrix-market": Target("graphs.write_matrix_market", (".mtx",)),
}
"""By name. Of two with one ending the first is taken where the web has URLs, the second where it has none."""


def save(
    web: Web,
    path: Path | str,
    *,
    to: str | None = None,
    links: LinkKind = "csr",
    properties: BvProperties | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
    overwrite: bool = False,
) -> Saved:
    """Write a web as `to`, or as the path's ending says. `links` is for the store, `properties` for BVGraph.

    `overwrite`: also over files that seedbed did not write; never over a folder that is no store.

    >>> import pathlib, tempfile, seedbed as sb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sb.save(sb.make_web(pages=200), folder / "links.tsv.gz").format
    'url-edges'
    """
    path = Path(path)
    name = checked_format(path, to, has_urls=web.urls is not None)
    module, function = TARGETS[name].writer.split(".")
    write = getattr(importlib.import_module(f"seedbed.writers.{module}"), function)
    job = Job(web, path, links, properties, threads, progress)
    if name == "store":
        stored: Saved = write(job)
        return stored
    files = [file for file in files_written(path, name) if web.urls is not None or not file.name.endswith(".urls.gz")]
    check_output(files[0], WEB, beside=files[1:], overwrite=overwrite)
    saved: Saved = write(job)
    if name != "parquet":
        made = {"format": name, "pages": web.page_count, "links": web.link_count, "source": web.origin.source}
        write_sidecar(files[0], WEB, made, files=files[1:])
    return saved


def checked_format(path: Path, to: str | None = None, *, has_urls: bool = True) -> str:
    """The format to write, if it is known and the place is free for it; worth asking before a long reading."""
    if str(path) == "-":
        raise UsageError("-: a web is not written to standard output, as its files must be whole. Name a file.")
    name = to or format_of(path, has_urls=has_urls)
    if name not in TARGETS:
        raise unknown("format to write", name, TARGETS)
    if not TARGETS[name].compressed and path.suffix in COMPRESSED:
        raise OptionError(f"{path}: {name} is compressed as it is; leave {path.suffix} away.")
    if name == "store":
        check_store_path(path)
    return name


def format_of(path: Path, *, has_urls: bool = True) -> str:
    """The format that the ending of a name stands for; without an ending, the store."""
    name = uncompressed_name(path).lower()
    if "." not in name.lstrip("."):
        return "store"
    found = [target for target, (_, endings, _) in TARGETS.items() if name.endswith(endings)]
    if "tables" in found:
        return "tables"
    if not found:
        raise UsageError(
            f"{path}: no format has the ending '{Path(name).suffix}'. Known: {endings_in_words()}. A store is a name "
            "that ends with .web or has no ending; --to names a format whatever the ending is."
        )
    return found[0] if has_urls else found[-1]


def endings_in_words() -> str:
    """All endings that stand for a format."""
    names = dict.fromkeys(ending for target in TARGETS.values() for ending in target.endings)
    return ", ".join(names) + f" (text also with {', '.join(COMPRESSED)})"


def files_written(path: Path, name: str) -> list[Path]:
    """The files of a web in a format other than the store, at most; the one that gives it its name first."""
    if name == "tables":
        from seedbed.writers.tables import files_of

        return list(files_of(path))
    if name != "bvgraph":
        return [path]
    base = path.name.removesuffix(".graph")
    return [path.with_name(base + ending) for ending in (".graph", ".properties", ".offsets", ".urls.gz")]
