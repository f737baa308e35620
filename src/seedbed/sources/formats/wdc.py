"""WebDataCommons hyperlink graphs: index files `name<TAB>id` and arc files `from<TAB>to`, each one file or parts.

Note the order: the name comes first. Names are URLs, hosts or domains, unchanged.
"""

from __future__ import annotations

from pathlib import Path

from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_of_group, group_at
from seedbed.sources.page_tables import PageLayout, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout, add_links
from seedbed.sources.text_tables import table_in

_WORDS = ("index", "arc")
_LAYOUT = Layout(ord("\t"), NO_QUOTES, b"")


def detect(head: Head) -> bool:
    """Whether there are files named index and arc, and the index has a name and then a number."""
    group = group_at(head.path, _WORDS, head.files_in)
    table = head.of(group["index"][0]).find(table_in) if group else None
    return table is not None and len(table.kinds) == 2 and table.kinds[0] != "id" and table.kinds[1] == "id"


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the index and the arcs."""
    group = group_at(path, _WORDS)
    if not group:
        raise InputError(f"{path}: expected files named alike up to 'index' and 'arc'.")
    pages = read_pages(options.pieces(group["index"]), PageLayout(_LAYOUT, 1, 0), options)
    builder = options.builder(len(pages.urls))
    add_links(builder, options.pieces(group["arc"]), _LAYOUT, numbering=pages.numbering)
    return options.web(path, "wdc", builder, urls=pages.urls)


FORMAT = Format(
    name="wdc",
    meaning="WebDataCommons index and arc files",
    detect=detect,
    read=read,
    raw_urls=True,
    files_read=lambda path: files_of_group(path, _WORDS),
)
