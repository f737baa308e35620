"""The native store: a folder with web.json in it. See seedbed.graph.native_store."""

from __future__ import annotations

from pathlib import Path

from seedbed.errors import OptionError
from seedbed.graph.native_store import MANIFEST, is_store, open_store, write_store
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.writing import WriteJob


def detect(head: Head) -> bool:
    """Whether the path is a folder with web.json, or that file itself."""
    return is_store(head.path) or (head.path.name == MANIFEST and head.is_file)


def read(path: Path, options: ReadOptions) -> Web:
    """The stored web, memory-mapped. Whether self-links are kept was decided when it was written."""
    web = open_store(path.parent if path.name == MANIFEST else path)
    if options.keep_self_links and web.origin.removed and web.origin.self_links:
        raise OptionError(
            f"{path}: {web.origin.self_links:,} self-links were left out when this store was written, and are gone. "
            "Convert the web it came from again with --keep-self-links."
        )
    return web


def write(job: WriteJob) -> None:
    """Write the folder."""
    write_store(
        job.web, job.path, links=job.links, properties=job.properties, threads=job.threads, progress=job.progress
    )


FORMAT = Format(
    name="store",
    meaning="seedbed's own folder",
    detect=detect,
    read=read,
    write=write,
    endings=(".web",),
    compressed=False,
    files_read=lambda path: path.iterdir(),
    files_written=lambda path: [],
)
