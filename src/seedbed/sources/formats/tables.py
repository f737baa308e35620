"""A table of pages and a table of links: two text files, recognised by their content.

The table of pages has a column of ids and one of URLs; further columns of numbers become columns of the web, boolean if
they hold only 0 and 1. The table of links has two columns of these ids. Ids may be any whole numbers: pages are
numbered in ascending order of their ids.

Output is NAME.nodes.tsv with each page's id, URL and columns, and NAME.edges.tsv with the links, from and to. Both have
a header, and the endings of the path: .csv or .tsv, compressed or not. Booleans are written as 1 and 0.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import CRAWLED, Web
from seedbed.sources.format import Format
from seedbed.sources.formats.adjacency import add_lists, form_in, lines_of_lists
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_at, several_webs
from seedbed.sources.page_tables import PageLayout, column_name, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_rows import add_links
from seedbed.sources.text_tables import NamedColumns, Sample, table_in
from seedbed.sources.writing import WriteJob, quoted_names, separator_of, texts, write_lines

FORMATS_WITH_COLUMNS = ("tables", "url-edges", "edges")

_ROLE = re.compile(r"nodes?|vertices|vertex|pages?|urls?|index|edges?|links?|arcs?", re.IGNORECASE)
_MOST_FILES = 100
_ROLE_IN_NAME = re.compile(r"\.(nodes|edges)(?=(\.(tsv|csv|txt))?(\.(gz|zst|bz2|xz))?$)")


def format_with_columns(path: Path, options: ReadOptions) -> str | None:
    """The format implied by the column names and the files; None if the files alone must decide."""
    named, head = NamedColumns.parse(options.columns or ()), Head(path, options.encoding)
    if named.kind == "pages" or _tables(Head(path), named) is not None:
        return "tables"
    table = table_in(head)
    if table is None:
        return None
    return "edges" if all(table.kinds[k] == "id" for k in named.ends(table)) else "url-edges"


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the two tables."""
    named = None if options.columns is None else NamedColumns.parse(options.columns)
    found = _tables(Head(path), named)
    if found is None:
        as_named = "" if named is None else f", with the columns {','.join(named.names)} in the table of {named.kind}"
        raise InputError(
            f"{path}: expected two text tables, one of pages with ids and URLs, one of links next to it{as_named}."
        )
    pages, links = found
    layout = named.page_layout(pages) if named is not None and named.kind == "pages" else _page_layout(pages)
    table = read_pages(pages.body(options), layout, options)
    builder = options.builder(len(table.urls))
    named_links = named if named is not None and named.kind == "links" else None
    form = form_in(Head(links.path, options.encoding)) if named_links is None else None
    if form is not None and form.ids:
        add_lists(builder, lines_of_lists(links.path, form, options), form, table.numbering)
    else:
        columns, check = links.link_rules(named_links)
        add_links(builder, links.body(options), links.layout, columns=columns, numbering=table.numbering, check=check)
    web = options.web(path, "tables", builder, urls=table.urls, columns=table.columns)
    return _with_crawled(web) if pages.header is None and pages.kinds == ["id", "id", "url"] else web


def _with_crawled(web: Web) -> Web:
    """The web of a table `id, number, url` without a header; the numbers may say which pages were crawled.

    They do if they are 0 and 1, and no page with 0 has links: those of pages that were not crawled are unknown.
    """
    flags = web.columns.get("column_2")
    if flags is None or flags.dtype != np.bool_ or not flags.any() or web.links.out_degrees()[~flags].any():
        return web
    return replace(web, columns={CRAWLED: flags})


def _page_layout(table: Sample) -> PageLayout:
    page_id, url = _id_column(table), table.kinds.index("url")
    numbers: dict[str, int] = {}
    for k, kind in enumerate(table.kinds):
        words = table.header[k] if table.header and k < len(table.header) else ""
        name = column_name(words) or f"column_{k + 1}"
        if (kind in ("id", "number") or name == CRAWLED) and k != page_id:
            numbers[f"column_{k + 1}" if name in numbers else name] = k
    return PageLayout(table.layout, page_id, url, numbers)


def _id_column(table: Sample) -> int:
    """The first column of whole numbers without repeats, −1 if there is none."""
    for k, kind in enumerate(table.kinds):
        values = [row[k] for row in table.rows if k < len(row)]
        if kind == "id" and len(set(values)) == len(values):
            return k
    return -1


def _is_pages(table: Sample) -> bool:
    return table.kinds.count("url") == 1 and _id_column(table) >= 0


def _is_links(table: Sample) -> bool:
    return table.link_kinds() == ("id", "id") and "url" not in table.kinds


def _tables(head: Head, named: NamedColumns | None = None) -> tuple[Sample, Sample] | None:
    """The table of pages and the table of links; None unless both are there."""
    path = head.path
    files = head.files_in(path.parent) if head.is_file else files_at(path)
    heads = map(head.of, files if 2 <= len(files) <= _MOST_FILES else ())
    tables = [table for one in heads if (table := one.find(_sample_or_none)) is not None]
    is_pages = named.fits if named is not None and named.kind == "pages" else _is_pages
    is_links = named.fits if named is not None and named.kind == "links" else _is_links
    pages = [table for table in tables if is_pages(table)]
    links = [table for table in tables if is_links(table) and table not in pages]
    pairs = [(a, b) for a in pages for b in links if _stem(a.path) == _stem(b.path)]
    if not pairs and len(pages) == len(links) == 1 and len(tables) == 2:
        pairs = [(pages[0], links[0])]
    if head.is_file:
        pairs = [pair for pair in pairs if path in (pair[0].path, pair[1].path)]
    if len(pairs) > 1:
        raise several_webs(path, [links.path for _, links in pairs])
    return pairs[0] if pairs else None


def _sample_or_none(head: Head) -> Sample | None:
    """A sample of a table or of adjacency lists: with pages alone on their lines they are links, but not a table."""
    try:
        if (table := head.find(table_in)) is not None:
            return table
        form = head.find(form_in)
        return None if form is None or not form.ids else Sample(head.path, form.layout, None, [], ["id", "id"])
    except (InputError, OSError):
        return None


def _stem(path: Path) -> str:
    """The name without the word that says which of the two tables it is."""
    return _ROLE.sub("", path.name)


def files_written(path: Path) -> list[Path]:
    """The two files that a path means: it may be either of them, or the name that they share."""
    name = path.name
    if not _ROLE_IN_NAME.search(name):
        stem, endings = re.fullmatch(r"(.*?)((?:\.(?:tsv|csv|txt))?(?:\.(?:gz|zst|bz2|xz))?)", name).groups()  # type: ignore[union-attr]
        name = f"{stem}.nodes{endings or '.tsv'}"
    return [path.with_name(_ROLE_IN_NAME.sub(role, name)) for role in (".nodes", ".edges")]


def write(job: WriteJob) -> None:
    """Write both tables."""
    nodes, edges = job.files
    separator = separator_of(nodes)
    quoted = quoted_names(job.needed_urls("tables"), separator)
    columns = {
        name: values.astype(np.int8) if values.dtype == np.bool_ else values for name, values in job.web.columns.items()
    }
    with written_compressed(nodes) as out:
        out.write((separator.join(["id", "url", *columns]) + "\n").encode())
        for pages in job.page_ranges():
            cells = [part for values in columns.values() for part in (separator, texts(values[pages]))]
            write_lines(out, texts(pages), separator, quoted(pages), *cells)
    with written_compressed(edges) as out:
        out.write(f"from{separator}to\n".encode())
        for sources, targets in job.pairs():
            write_lines(out, texts(sources), separator, texts(targets))


FORMAT = Format(
    name="tables",
    meaning="a table of pages and a table of links",
    detect=lambda head: _tables(head) is not None,
    read=read,
    write=write,
    endings=(".nodes.tsv", ".nodes.csv", ".edges.tsv", ".edges.csv"),
    holds=("urls", "columns"),
    raw_urls=True,
    files_read=lambda path: [table.path for table in _tables(Head(path)) or ()],
    files_written=files_written,
)
