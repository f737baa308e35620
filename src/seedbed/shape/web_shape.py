"""What `describe` measures of a web: plain numbers, ready for JSON and for shape_text.py."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from seedbed.shape.bow_tie import BowTie
from seedbed.shape.degrees import Bin
from seedbed.shape.power_law import Fit


@dataclass(frozen=True)
class DegreeShape:
    """How out-degrees or in-degrees are distributed."""

    mean: float
    largest: int
    fit: Fit
    bins: tuple[Bin, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "mean": self.mean,
            "max": self.largest,
            "power_law": self.fit.law.to_dict() if self.fit.law else None,
            "no_power_law_because": self.fit.reason,
            "histogram": [one.to_dict() for one in self.bins],
        }


@dataclass(frozen=True)
class UrlShape:
    """The size of the URL table."""

    bytes: int
    bytes_per_url: float


@dataclass(frozen=True)
class ColumnShape:
    """The values of a column of page attributes; None if they are not numbers or none is known."""

    type: str
    nonzero: int | None
    min: float | int | None
    max: float | int | None
    mean: float | None


@dataclass(frozen=True)
class Shape:
    """The numbers of a web. None: not known, or there is nothing to measure.

    >>> import seedbed as sb
    >>> shape = sb.describe(sb.make_web(pages=200))
    >>> shape.pages, shape.hosts, shape.to_dict()["dangling"] == shape.dangling
    (200, 21, True)
    """

    source: str
    format: str
    store: str
    bits_per_link: float | None
    pages: int
    crawled: int | None
    links: int
    nofollow_links: int | None
    hosts: int | None
    inter_host_links: int | None
    domains: int | None
    inter_domain_links: int | None
    self_links: int
    self_links_removed: bool
    duplicate_links: int
    duplicate_links_removed: bool
    dangling: int
    unreachable: int
    out_degree: DegreeShape
    in_degree: DegreeShape
    scc_count: int
    largest_scc: int
    scc_sizes: tuple[Bin, ...]
    wcc_count: int
    largest_wcc: int
    wcc_sizes: tuple[Bin, ...]
    bow_tie: BowTie
    average_distance: float | None
    average_distance_error: float | None
    longest_distance: int | None
    connected_pairs: float | None
    connected_pairs_error: float | None
    distance_samples: int
    urls: UrlShape | None
    columns: dict[str, ColumnShape]
    notes: tuple[str, ...] = ()  # from the reader: what was left out, and why

    def to_dict(self) -> dict[str, Any]:
        """All of it for JSON, in the order above."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
