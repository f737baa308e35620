"""GraphML, GEXF and GML, which NetworkX reads: as Gephi, yEd, igraph and NetworkX write them.

GML is a language of its own: `graph [ node [ id 0 label "…" ] edge [ source 0 target 1 ] ]`.
"""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import parsed, web_of_nodes, whole_file, whole_text
from seedbed.sources.graph_objects import graph_ends
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.writing import WriteJob, names, refuse_urls, texts, write_lines

_GRAPH = re.compile(rb"<(?:[\w.-]+:)?graph[\s/>]")
# `graph [`, possibly after comments, a creator and a version.
_GML = re.compile(
    r'\ufeff?(?:\s*+(?:#[^\n]*+\n|[A-Za-z]\w*+\s++(?:"[^"]*+"|[-+.\w]++)(?=\s)))*+\s*+graph\s*+\[', re.ASCII
)
# XML 1.0 has no way to write these, not even escaped.
_NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\x{fffe}|\x{ffff}"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_TYPES = {"b": "boolean", "f": "double", "i": "long", "u": "long"}


def _root_is(head: Head, *, name: str) -> bool:
    """Whether the first element of an XML file has this name."""
    text = head.text.lstrip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return False
    first = re.search(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
    return first is not None and first[1].lower() == name


def _read_xml(path: Path, options: ReadOptions, *, name: str) -> Web:
    """The web of an XML file, which declares its own encoding: well-formed, without a DOCTYPE, with one graph."""
    data = whole_file(path, options, decode=False)
    parser = expat.ParserCreate()

    def refuse_doctype(*_: object) -> NoReturn:
        raise InputError(
            f"{path}, line {parser.CurrentLineNumber}: found a DOCTYPE, through which XML can name other files and "
            "grow without bounds. No graph needs it: remove it."
        )

    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"{path}, line {error.lineno}: is not well-formed XML ({error}).") from None
    except (LookupError, ValueError) as error:
        raise InputError(f"{path}: is XML in an unknown encoding ({error}).") from None
    if len(_GRAPH.findall(data)) > 1:
        raise InputError(f"{path}: holds several graphs, or one inside another. Save the one you want by itself.")
    import networkx

    parse = {"GraphML": networkx.read_graphml, "GEXF": networkx.read_gexf}[name]
    return _web_of_graph(path, name.lower(), parsed(path, name, lambda: parse(io.BytesIO(data))), options)


def _read_gml(path: Path, options: ReadOptions) -> Web:
    """The web of a GML file."""
    text = whole_text(path, options)
    from networkx import parse_gml

    graph = parsed(path, "GML", lambda: parse_gml(text, label="id"))
    return _web_of_graph(path, "gml", graph, options)


def _web_of_graph(path: Path, kind: str, graph: Any, options: ReadOptions) -> Web:
    """The web of a NetworkX graph: pages in node order, an undirected edge as a link in each direction."""
    nodes = [(str(node), data) for node, data in graph.nodes(data=True)]
    return web_of_nodes(path, kind, nodes, graph_ends(graph), options, both_ways=not graph.is_directed())


def write(job: WriteJob) -> None:
    """Write nodes n0, n1, … with URLs and the web's columns as data, and edges."""
    urls, columns = job.web.urls, job.web.columns
    if urls is not None:
        refuse_urls(urls, _NOT_IN_XML, "a control character in it, which XML cannot hold")
    with written_compressed(job.files[0]) as out:
        out.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        keys = {name: _TYPES[values.dtype.kind] for name, values in columns.items()}
        for name, kind in (keys | ({"url": "string"} if urls is not None else {})).items():
            out.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'.encode())
        out.write(b'<graph edgedefault="directed">\n')
        for pages in job.page_ranges():
            data: list[Any] = []
            if urls is not None:
                data += ['<data key="url">', _escaped(names(urls, pages)), "</data>"]
            for name, values in columns.items():
                data += [f'<data key="{name}">', texts(values[pages]), "</data>"]
            write_lines(out, '<node id="n', texts(pages), '">', *data, "</node>")
        for sources, targets in job.pairs():
            write_lines(out, '<edge source="n', texts(sources), '" target="n', texts(targets), '"/>')
        out.write(b"</graph>\n</graphml>\n")


def _escaped(text: Any) -> Any:
    import pyarrow.compute as pc

    for sign, escape in _ESCAPES.items():
        text = pc.replace_substring(text, sign, escape)
    return text


GRAPHML = Format(
    name="graphml",
    meaning="GraphML",
    detect=partial(_root_is, name="graphml"),
    read=partial(_read_xml, name="GraphML"),
    write=write,
    endings=(".graphml",),
    holds=("urls", "columns"),
    raw_urls=True,
)

GEXF = Format(
    name="gexf",
    meaning="Gephi's GEXF",
    detect=partial(_root_is, name="gexf"),
    read=partial(_read_xml, name="GEXF"),
    raw_urls=True,
)

GML = Format(
    name="gml",
    meaning="GML",
    detect=lambda head: _GML.match(head.text) is not None,
    read=_read_gml,
    raw_urls=True,
)
