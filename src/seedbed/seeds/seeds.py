"""Seeds: the pages a crawl starts from, each with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.common.results import Line, Picture, Plottable

if TYPE_CHECKING:
    from seedbed.graph.web import Web


@dataclass(frozen=True, eq=False)
class Core:
    """Hubs and authorities with links from the former to the latter. `density`: 100 · links / (hubs · authorities)."""

    hubs: NDArray[np.int64]
    authorities: NDArray[np.int64]
    density: float
    number: int
    hub_scores: NDArray[np.float64]
    authority_scores: NDArray[np.float64]


@dataclass(frozen=True)
class Pick:
    """A page that a strategy chose, before it has a rank."""

    page: int
    score: float = 0.0
    reason: str = ""
    core: Core | None = None


@dataclass(frozen=True)
class Seed:
    """A page that a crawl starts from: its place among the seeds, from 1 up, and why it is there.

    `url`, `host`: from a seed file; seeds that were just chosen have them in their web.
    """

    rank: int
    page: int
    score: float
    strategy: str
    reason: str
    core: Core | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)
    host: str | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Gain:
    """Pages and value covered after each seed, and the totals; `held`: covered by seeds that were there before them."""

    pages: NDArray[np.int64]
    value: NDArray[np.float64]
    total_pages: int
    total_value: float
    held_pages: int = 0
    held_value: float = 0.0

    @property
    def covered_pages(self) -> int:
        """Pages that all seeds cover together."""
        return int(self.pages[-1]) if len(self.pages) else self.held_pages

    @property
    def covered_value(self) -> float:
        """What those are worth."""
        return float(self.value[-1]) if len(self.value) else self.held_value

    @property
    def share(self) -> float:
        """The share of all value that the seeds cover together."""
        return self.covered_value / self.total_value if self.total_value else 0.0

    @property
    def pays_until(self) -> int:
        """How many seeds pay: up to the knee of the curve, after which a seed adds less than the average seed.

        The knee is the point farthest above the straight line from the start (no seed, and what was covered before) to
        the last seed; the first such point if there are several. On a straight line every seed adds the same, and all
        pay; seeds that add nothing never do.
        """
        count = len(self.value)
        if not count:
            return 0
        brought = self.value - self.held_value
        height = brought - brought[-1] * np.arange(1, count + 1) / count
        level = 1e-12 * float(np.abs(self.value).max())
        if height.max() <= level:
            return count if brought[-1] > level else 0
        return int(height.argmax()) + 1

    def first(self, count: int) -> Gain:
        """The curve of the first `count` seeds alone."""
        return replace(self, pages=self.pages[:count], value=self.value[:count])


@dataclass(frozen=True, eq=False, repr=False)
class Seeds(Plottable):
    """Seeds in the order in which they were chosen, and how. A slice is Seeds too; one from the start keeps its gain.

    >>> import seedbed as sb
    >>> seeds = sb.select(sb.make_web(pages=200), "cover", k=3)
    >>> seeds[0].reason
    'covers 130 pages no earlier seed covers...'
    >>> seeds[:1]
    Seeds(cover, 1 seed, 65.0 % of the value within 5 links)
    >>> seeds.to_arrow().column_names
    ['rank', 'url', 'id', 'host', 'score', 'strategy', 'reason']
    """

    strategy: str
    seeds: tuple[Seed, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    gain: Gain | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    web: Web | None = None

    def __len__(self) -> int:
        return len(self.seeds)

    def __iter__(self) -> Iterator[Seed]:
        return iter(self.seeds)

    @overload
    def __getitem__(self, at: int) -> Seed: ...
    @overload
    def __getitem__(self, at: slice) -> Seeds: ...
    def __getitem__(self, at: int | slice) -> Seed | Seeds:
        if not isinstance(at, slice):
            return self.seeds[at]
        kept = range(len(self))[at]
        first = kept == range(len(kept))
        return replace(self, seeds=self.seeds[at], gain=self.gain.first(len(kept)) if self.gain and first else None)

    def __repr__(self) -> str:
        share = "" if self.gain is None else f", {100 * self.gain.share:.1f} % of the value within "
        hops = self.options.get("hops")
        within = share and ("reach" if hops is None else counted(hops, "link"))
        return f"Seeds({self.strategy}, {counted(len(self), 'seed')}{share}{within})"

    @property
    def pages(self) -> NDArray[np.int64]:
        """The ids of the seeds."""
        return np.array([seed.page for seed in self.seeds], np.int64)

    @property
    def urls(self) -> list[str | None]:
        """Their URLs; None for seeds without one."""
        if self.web is not None and self.web.urls is not None:
            return list(self.web.urls.many(self.pages))
        return [seed.url for seed in self.seeds]

    def summary(self) -> dict[str, Any]:
        """How they were chosen and what they cover, in a few numbers."""
        gain = self.gain
        return {
            "strategy": self.strategy,
            "k": self.options.get("k", len(self)),
            "seeds": len(self),
            "covered_pages": gain.covered_pages if gain else 0,
            "covered_value": gain.covered_value if gain else 0.0,
            "pays_until": gain.pays_until if gain else 0,
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write the seeds: .txt (URLs only), .jsonl, .csv or .parquet, by extension. `sb.load` reads them."""
        from seedbed.seeds.seed_files import rows_of, write_seeds

        made = {**self.summary(), "options": dict(self.options)}
        if self.web is not None:
            made["web"] = {"path": self.web.origin.source}
        write_seeds(Path(path), rows_of(self.web, self), made, overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        from seedbed.seeds.seed_files import COLUMNS, rows_of

        found = rows_of(self.web, self[:rows])
        return {name: [row[name] for row in found] for name in COLUMNS}

    def _picture(self, *, quick: bool = False) -> Picture:
        gain = self.gain
        if gain is None:
            return Picture("seeds", "share of the value covered", [])
        shares = np.append(gain.held_value, gain.value) / (gain.total_value or 1.0)
        return Picture("seeds", "share of the value covered", [Line(self.strategy, range(len(shares)), shares)])
