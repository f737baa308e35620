"""Options for reading, and the first and last steps that readers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from seedbed.common.memory import machine_memory
from seedbed.common.messages import Progress, no_progress
from seedbed.graph.web import Origin, Web
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.nofollow import MarksBuilder
from seedbed.sources.text_files import Piece, pieces
from seedbed.urls.url_table import TextChunk, UrlTable


@dataclass(frozen=True)
class ReadOptions:
    """How to read a web. `memory`: bytes to use before sorting spills to disk, in the folder `scratch`.

    `hosts`: a file with one host name per line, in page order. `encoding`: the text's encoding, if it is not UTF-8.
    `columns`: names of the columns of a text table, as `id,crawled,url` or `from,to`. `normalize` normalises URLs as a
    browser does, and merges pages that become the same.
    `drop_nofollow` leaves out links that are marked nofollow, if the format says which are. For crawlers' output:
    `drop_sessions` removes session ids from URLs, `processes` read archives in parallel (one per core by default).
    """

    keep_self_links: bool = False
    memory: int | None = None
    scratch: Path | None = None
    hosts: Path | None = None
    encoding: str | None = None
    progress: Progress = no_progress
    drop_nofollow: bool = False
    drop_sessions: bool = False
    processes: int | None = None
    columns: str | Sequence[str] | None = None
    normalize: bool = False

    def pieces(self, paths: Iterable[Path], *, longest_line: int | None = None) -> Iterator[Piece]:
        """The lines of all the files."""
        for path in paths:
            yield from pieces(path, encoding=self.encoding, progress=self.progress, longest_line=longest_line)

    @property
    def allowed_memory(self) -> int:
        """Bytes of memory that may be used: half the machine's unless `memory` says otherwise."""
        return machine_memory() // 2 if self.memory is None else self.memory

    def builder(self, pages: int | None = None) -> LinkBuilder:
        """A builder for the links."""
        return LinkBuilder(pages, keep_self_links=self.keep_self_links, memory=self.memory, scratch=self.scratch)

    def url_table(self, chunks: Iterable[TextChunk]) -> UrlTable:
        """The URLs of all pages."""
        return UrlTable.build(chunks, memory=self.memory, scratch=self.scratch)

    def web(
        self,
        path: Path,
        kind: str,
        builder: LinkBuilder,
        *,
        urls: UrlTable | None = None,
        columns: Mapping[str, NDArray[Any]] | None = None,
        notes: Sequence[str] = (),
        nofollow: MarksBuilder | None = None,
    ) -> Web:
        """The web that was read. `notes`: what the user should know about reading it."""
        self.progress("sorting links", 0, 0)
        built = builder.finish()
        origin = Origin(
            str(path), kind, built.self_links, built.duplicate_links, not self.keep_self_links, tuple(notes)
        )
        marks = None if nofollow is None else nofollow.finish(built.links.page_count)
        web = Web(built.links, urls, None, columns or {}, origin, marks)
        web.crawled  # noqa: B018 - refuses a column `crawled` with other values than 0 and 1
        return web

    def marks_builder(self) -> MarksBuilder:
        """A builder for the nofollow marks: it takes the links that are marked, and those that are not."""
        return MarksBuilder(keep_self_links=self.keep_self_links)
