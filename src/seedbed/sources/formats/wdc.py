"""WebDataCommons hyperlink graphs: index files `name<TAB>id` and arc files `from<TAB>to`, each one file or parts.

Note the order: the name comes first. Names are URLs, hosts or domains as they stand.
"""

from __future__ import annotations

from pathlib import Path

from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.field_kernels import NO_QUOTES
from seedbed.sources.fields import Layout
from seedbed.sources.input_paths import group_at
from seedbed.sources.link_columns import add_links
from seedbed.sources.page_tables import PageLayout, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.sniffing import sample

WORDS = ("index", "arc")
_LAYOUT = Layout(ord("\t"), NO_QUOTES, b"")


def detect(path: Path) -> bool:
    """Whether there are files named index and arc, and the index has a name and then a number."""
    group = group_at(path, WORDS)
    table = sample(group["index"][0]) if group else None
    return table is not None and len(table.kinds) == 2 and table.kinds[0] != "id" and table.kinds[1] == "id"


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the index and the arcs."""
    group = group_at(path, WORDS)
    if not group:
        raise InputError(f"{path}: expected files with 'index' and 'arc' in their names, which agree before it.")
    pages = read_pages(options.pieces(group["index"]), PageLayout(_LAYOUT, 1, 0), options)
    builder = options.builder(len(pages.urls))
    add_links(builder, options.pieces(group["arc"]), _LAYOUT, numbering=pages.numbering)
    return options.web(path, "wdc", builder, urls=pages.urls)
