"""Saving a web: the format is given, or follows from the output's ending.

Every output appears in its place only once it is complete.
"""

from __future__ import annotations

from pathlib import Path

from seedbed.common.compression import ENDINGS as COMPRESSED
from seedbed.common.compression import uncompressed_name
from seedbed.common.messages import Progress, no_progress
from seedbed.common.outputs import WEB, written_output
from seedbed.errors import OptionError, UsageError, unknown
from seedbed.graph.native_store import LinkKind, check_store_path
from seedbed.graph.web import Web
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.sources.format import Format
from seedbed.sources.formats import FORMATS
from seedbed.sources.writing import Saved, WriteJob

__all__ = ["Saved", "endings_in_words", "format_by_ending", "format_for", "save", "written_formats"]


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

    `overwrite`: even files that seedbed did not write; never a folder that is not a store.

    >>> import pathlib, tempfile, seedbed as sb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> sb.save(sb.make_web(pages=200), folder / "links.tsv.gz").format
    'url-edges'
    """
    path = Path(path)
    target = format_for(path, to, has_urls=web.urls is not None)
    assert target.write is not None  # noqa: S101 - for the type checker; format_for gives no other
    job = WriteJob(web, path, [path], links, properties, threads, progress)
    if not (files := target.files_written(path)):
        target.write(job)
        return Saved(path, target.name, sum(file.stat().st_size for file in path.iterdir()))
    files = [file for file in files if web.urls is not None or not file.name.endswith(".urls.gz")]
    made = {"format": target.name, "pages": web.page_count, "links": web.link_count, "source": web.origin.source}
    with written_output(files[0], WEB, made, beside=files[1:], overwrite=overwrite) as work:
        job.files[:] = [work / file.name for file in files]
        target.write(job)
        size = sum(file.stat().st_size for file in work.iterdir())
    return Saved(files[0], target.name, size, job.notes(target.holds))


def written_formats() -> dict[str, Format]:
    """The formats that can be written, by name."""
    return {name: known for name, known in FORMATS.items() if known.write is not None}


def format_for(path: Path, to: str | None = None, *, has_urls: bool = True) -> Format:
    """The format to write, if it is known and can be written there; worth checking before a long read."""
    if str(path) == "-":
        raise UsageError("-: a web is not written to standard output, because its files must be complete. Name a file.")
    if to is not None and to not in written_formats():
        raise unknown("format to write", to, written_formats())
    target = format_by_ending(path, has_urls=has_urls) if to is None else FORMATS[to]
    if not target.compressed and path.suffix in COMPRESSED:
        raise OptionError(f"{path}: {target.name} is compressed as it is; omit {path.suffix}.")
    if not target.files_written(path):
        check_store_path(path)
    return target


def format_by_ending(path: Path, *, has_urls: bool = True) -> Format:
    """The format with the longest matching ending, in a tie the one that suits `has_urls`; no ending: a store."""
    name = uncompressed_name(path).lower()
    if "." not in name.lstrip("."):
        return FORMATS["store"]
    found = [
        (len(ending), ("urls" in known.holds) == has_urls, known)
        for known in written_formats().values()
        for ending in known.endings
        if name.endswith(ending)
    ]
    if not found:
        raise UsageError(
            f"{path}: no format has the ending '{Path(name).suffix}'. Known: {endings_in_words()}. A store is a name "
            "that ends with .web or has no ending; --to names a format regardless of the ending."
        )
    return max(found, key=lambda fit: fit[:2])[2]


def endings_in_words() -> str:
    """All endings that stand for a format, as text."""
    names = dict.fromkeys(ending for known in written_formats().values() for ending in known.endings)
    return ", ".join(names) + f" (text also with {', '.join(COMPRESSED)})"
