"""Pajek networks (.net): *Vertices with labels, then *Arcs and *Arcslist (one way), *Edges and *Edgeslist (both ways).

Ids start at 1. Labels are the pages' URLs; weights, coordinates and the names of relations are not read. Text is UTF-8,
or else Latin-1. What follows the first network of a project file is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.build import LinkBuilder
from seedbed.graph.urls import UrlTable
from seedbed.graph.web import Web
from seedbed.sources import fieldcode
from seedbed.sources.fieldcode import LABEL_QUOTES
from seedbed.sources.fields import Layout, Pairs, Rows, integer_pairs
from seedbed.sources.links import Numbering, add_pairs
from seedbed.sources.options import ReadOptions
from seedbed.sources.pages import PageLayout, Pages, read_pages
from seedbed.sources.sniff import first_lines
from seedbed.sources.text import NotUtf8, Piece

_LAYOUT = Layout(quotes=LABEL_QUOTES, comments=b"%")
_STAR = ord("*")
_PAGES = ("vertices", "vertex")
_ONE_WAY, _BOTH_WAYS = ("arcs", "arcslist"), ("edges", "edgeslist")
_AFTER_THE_NETWORK = ("partition", "vector", "permutation", "cluster", "hierarchy", "events")


class _Part(NamedTuple):
    """Lines under one heading: the word behind its star, what follows that, and the lines."""

    word: str
    rest: str
    heading: InputErrorAt
    lines: Piece


def detect(path: Path) -> bool:
    """Whether the first line that is no comment is a *Vertices or *Network line."""
    lines = first_lines(path) if path.is_file() else []
    return bool(lines) and re.match(r"\*(vert|network)", lines[0].lower()) is not None


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the network."""
    try:
        return _read(path, options)
    except NotUtf8:
        if options.encoding is not None:
            raise
        return _read(path, replace(options, encoding="latin-1"))
