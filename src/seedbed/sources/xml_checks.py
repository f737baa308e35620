"""XML from strangers: well-formed, without a document type, and of one graph, before a library builds a tree of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from seedbed.errors import InputError
from seedbed.sources.graph_documents import head_of, whole_file
from seedbed.sources.read_options import ReadOptions

_GRAPH = re.compile(rb"<(?:[\w.-]+:)?graph[\s/>]")


def root_is(path: Path, name: str) -> bool:
    """Whether the first element of a file has this name."""
    head = head_of(path).lstrip("\ufeff \t\r\n")
    if not head.startswith("<"):
        return False
    first = re.search(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)", re.sub(r"<!--.*?-->", "", head, flags=re.DOTALL))
    return first is not None and first[1].lower() == name


def checked_xml(path: Path, options: ReadOptions) -> bytes:
    """The file's bytes. Its own first line says what encoding it is in."""
    data = whole_file(path, options, decode=False)
    parser = expat.ParserCreate()

    def refuse_doctype(*_: object) -> NoReturn:
        raise InputError(
            f"{path}, line {parser.CurrentLineNumber}: found a DOCTYPE, through which XML can name other files and "
            "grow without bounds. No graph needs it: take it out."
        )

    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"{path}, line {error.lineno}: is not well-formed XML ({error}).") from None
    except (LookupError, ValueError) as error:
        raise InputError(f"{path}: is XML in an encoding that is not known ({error}).") from None
    if len(_GRAPH.findall(data)) > 1:
        raise InputError(f"{path}: holds several graphs, or one inside another. Save the one that is meant by itself.")
    return data
