"""DOT, Graphviz's language: `digraph { a -> b -> {c d}; a [URL="http://…"] }`.

A parser of our own: pydot parses some hundred statements per second, this one some fifty thousand, and pydot leaves
edges inside subgraphs to its caller. One pass over the tokens with a stack of subgraphs; O(text + edges).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seedbed.common.memory import require
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.graph_documents import web_of_nodes, whole_text
from seedbed.sources.read_options import ReadOptions

_OBJECTS = 15
_BYTES_AN_EDGE = 40
_SPACE = r"(?:\s++|//[^\n]*+|/\*.*?\*/|\#[^\n]*+)"
_START = re.compile(
    rf"\ufeff?{_SPACE}*+(?:strict\b{_SPACE}*+)?(?:di)?graph\b[^{{}}\[\];]*\{{", re.DOTALL | re.IGNORECASE
)
_TOKEN = re.compile(
    rf"""(?P<space>{_SPACE})
    |(?P<quoted>"[^"\\]*+(?:\\.[^"\\]*+)*+")
    |(?P<bare>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)
    |(?P<html><)
    |(?P<sign>->|--|.)""",
    re.DOTALL | re.VERBOSE,
)
_NUMBER = re.compile(r"-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)")
_BRACKET = re.compile("[<>]")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the graph; nodes are pages in the order of their first mention."""
    text = whole_text(path, options, objects=_OBJECTS)
    graph = _Parser(path, text.removeprefix("\ufeff"), options.memory)
    graph.parse()
    ends = (np.frombuffer(graph.sources, np.int64), np.frombuffer(graph.targets, np.int64))
    nodes = list(zip(graph.nodes, graph.attributes, strict=True))
    return web_of_nodes(path, "dot", nodes, ends, options, both_ways=not graph.directed)


class _Token(NamedTuple):
    """`kind`: the sign itself, "id", or "" at the end. An id has its text without quotes; bare, it may be a keyword."""

    kind: str
    place: int
    text: str = ""
    keyword: str = ""


@dataclass(eq=False)
class _Subgraph:
    """An open pair of braces: the nodes in it, and the statement being read."""

    name: str = ""
    members: dict[int, None] = field(default_factory=dict)
    left: list[int] | None = None
    arrow: bool = False
    is_edge: bool = False

    def end_statement(self) -> None:
        self.left, self.is_edge = None, False


class _Parser:
    def __init__(self, path: Path, text: str, allowed: int | None) -> None:
        self._path, self._text, self._allowed = path, text, allowed
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._open: list[_Subgraph] = []
        self._named: dict[str, list[int]] = {}
        self.directed = False
        self.nodes: dict[str, int] = {}
        self.attributes: list[dict[str, Any]] = []
        self.sources, self.targets = array("q"), array("q")

    def parse(self) -> None:
        """Read the whole text."""
        if self._next.keyword == "strict":
            self._take()
        if self._next.keyword not in ("graph", "digraph"):
            raise self._error("expected 'graph' or 'digraph'.")
        self.directed = self._take().keyword == "digraph"
        if self._next.kind in ("id", ""):
            self._id()
        if self._next.kind != "{":
            raise self._error("expected '{'.")
        self._take()
        self._open.append(_Subgraph())
        while self._open:
            self._statement_part()
        if self._next.kind:
            raise self._error("found more after the graph's last brace, expected one graph.")

    def _statement_part(self) -> None:
        """One operand, arrow, list of attributes or end of a statement."""
        inside = self._open[-1]
        match self._next.kind:
            case "id":
                self._word(inside)
            case "->" | "--":
                self._arrow(inside)
            case "[":
                attributes = self._attributes()
                for node in inside.left or () if not inside.is_edge else ():
                    self.attributes[node].update(attributes)
            case ";" | ",":
                self._take()
                inside.end_statement()
            case "{":
                self._take()
                self._open.append(_Subgraph())
            case "}":
                self._close()
            case _:
                raise self._error("expected a node, an edge or a closing brace.")

    def _word(self, inside: _Subgraph) -> None:
        keyword = self._next.keyword
        if keyword == "subgraph":
            self._subgraph()
            return
        name = self._id()
        if keyword in ("node", "edge", "graph") and self._next.kind == "[":
            self._attributes()
            inside.end_statement()
        elif self._next.kind == "=":
            self._take()
            self._id()
            inside.end_statement()
        else:
            while self._next.kind == ":":
                self._take()
                self._id()
            node = self.nodes.setdefault(name, len(self.nodes))
            if node == len(self.attributes):
                self.attributes.append({})
            self._operand([node])

    def _subgraph(self) -> None:
        self._take()
        name = self._id() if self._next.kind != "{" else ""
        if self._next.kind == "{":
            self._take()
            self._open.append(_Subgraph(name))
        else:
            self._operand(self._named.get(name, []))

    def _close(self) -> None:
        closed = self._open.pop()
        if closed.arrow:
            raise self._error("an edge has no end.")
        self._take()
        if self._open:
            members = list(closed.members)
            if closed.name:
                self._named[closed.name] = members
            self._operand(members)

    def _arrow(self, inside: _Subgraph) -> None:
        if inside.left is None or inside.arrow:
            raise self._error("expected a node before an edge.")
        if (self._next.kind == "->") != self.directed:
            raise self._error("a digraph has edges '->', a graph has '--'.")
        self._take()
        inside.arrow = inside.is_edge = True

    def _operand(self, nodes: list[int]) -> None:
        """Nodes on either side of an edge, or by themselves."""
        inside = self._open[-1]
        inside.members.update(dict.fromkeys(nodes))
        if not inside.arrow:
            inside.end_statement()
        elif inside.left is not None:
            self._connect(inside.left, nodes)
        inside.left, inside.arrow = nodes, False

    def _connect(self, left: list[int], right: list[int]) -> None:
        if len(left) == len(right) == 1:
            self.sources.append(left[0])
            self.targets.append(right[0])
            return
        edges = len(self.sources) + len(left) * len(right)
        require(_BYTES_AN_EDGE * edges, f"a graph of {edges:,} edges between subgraphs", self._allowed)
        self.sources.frombytes(np.repeat(np.array(left, np.int64), len(right)).tobytes())
        self.targets.frombytes(np.tile(np.array(right, np.int64), len(left)).tobytes())

    def _attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._next.kind == "[":
            self._take()
            while self._next.kind != "]":
                name, value = self._id(), "true"
                if self._next.kind == "=":
                    self._take()
                    value = self._id()
                found[name] = float(value) if _NUMBER.fullmatch(value) else value
                if self._next.kind in (",", ";"):
                    self._take()
            self._take()
        return found

    def _id(self) -> str:
        if self._next.kind != "id":
            raise self._error("expected a name.")
        name = self._take().text
        while self._next.kind == "+":
            self._take()
            name += self._take().text
        return name

    def _take(self) -> _Token:
        token = self._next
        self._next = next(self._tokens, self._next)
        return token

    def _error(self, message: str) -> InputError:
        place = self._next.place
        found = repr(self._text[place : place + 20].split("\n")[0]) if place < len(self._text) else "the end"
        return InputError(f"{self._path}, line {1 + self._text.count(chr(10), 0, place)}: found {found}; {message}")


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while (match := _TOKEN.match(text, place)) is not None:
        end = match.end()
        if match.lastgroup == "sign":
            yield _Token(match[0], place)
        elif match.lastgroup == "bare":
            yield _Token("id", place, match[0], match[0].lower())
        elif match.lastgroup == "quoted":
            # Only a quote and a newline are escaped; any other backslash is part of the text.
            yield _Token("id", place, match[0][1:-1].replace("\\\n", "").replace('\\"', '"'))
        elif match.lastgroup == "html":
            end = _html_end(text, place)
            yield _Token("id", place, text[place:end])
        place = end
    yield _Token("", len(text))


def _html_end(text: str, place: int) -> int:
    """The position after the bracket that closes the one here; the end of the text if none does."""
    depth = 0
    for sign in _BRACKET.finditer(text, place):
        depth += 1 if sign[0] == "<" else -1
        if depth == 0:
            return sign.end()
    return len(text)


FORMAT = Format(
    name="dot",
    meaning="Graphviz' DOT",
    detect=lambda head: _START.match(head.text) is not None,
    read=read,
    raw_urls=True,
)
