"""What seeds cover inside sites, and how much better than seeds drawn at random (Zheng, Dmitriev, Giles 2009, §5).

A site is judged by itself: seeds are chosen among its pages, and ways lead over the links among them. What k seeds
cover within h links is a share of the site's pages, or of its value: of Σ |w|, so that spam takes away what it is worth
and no site counts more than once, either way. Over all sites s

    per cent better than Random = 100 · (Σ x_s / Σ r_s − 1)

x_s being the share covered, r_s that covered by random seeds, the mean of several draws. Sites count alike, whatever
their size, and one where random seeds cover nothing does no harm. The error is that of a ratio (Cochran 1977,
chapter 6):

    error² = 100² · Σ (x_s − R·r_s)² / (n − 1) / n / mean(r)²        R = Σ x_s / Σ r_s
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError
from seedbed.evaluation.intervals import Interval, mean_interval
from seedbed.graph.web import Web
from seedbed.seeds.gain import gain_of
from seedbed.seeds.select import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.seeds import Gain

Floats = NDArray[np.float64]
DIGITS = 9
SMALLEST = 2
"""Pages of a site below which there is nothing to choose."""


class Covered(NamedTuple):
    """The shares of pages and of value that the first 1, 2, … k seeds cover."""

    pages: Floats
    value: Floats


@dataclass(frozen=True)
class Way:
    """A strategy and its options, under a name."""

    name: str
    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)


def covered_by(web: Web, values: Floats, way: Way, k: int, hops: int, seed: int = 1) -> Covered:
    """What the seeds of a strategy cover; after the last seed it found, no more is covered."""
    seeds = select(
        web, way.strategy, min(k, web.page_count), hops=hops, values=values, seed=seed, threads=1, **way.options
    )
    assert seeds.gain is not None  # noqa: S101
    return _shares(seeds.gain, values, k)


def covered_at_random(web: Web, values: Floats, k: int, hops: int, draws: int, seed: int) -> Covered:
    """What random seeds cover, the mean of several draws."""
    size = min(k, web.page_count)
    found = []
    for draw in range(draws):
        pages = np.random.default_rng([seed, draw]).choice(web.page_count, size, replace=False)
        found.append(_shares(gain_of(web, pages.tolist(), values, hops), values, k))
    return Covered(np.mean([one.pages for one in found], axis=0), np.mean([one.value for one in found], axis=0))


def _shares(gain: Gain, values: Floats, k: int) -> Covered:
    def padded(numbers: NDArray[Any], total: float) -> Floats:
        shares = np.asarray(numbers, np.float64) / total if total else np.zeros(len(numbers))
        return np.concatenate([shares, np.full(k - len(shares), shares[-1] if len(shares) else 0.0)])

    return Covered(padded(gain.pages, gain.total_pages), padded(gain.value, float(np.abs(values).sum())))


def percent_better(shares: Floats, baseline: Floats) -> Floats:
    """One number a site: their mean is per cent better than the baseline, their spread gives its error.

        100 · (R − 1) + 100 · (x_s − R·r_s) / mean(r)

    So that two strategies, or two numbers of seeds, can be compared site by site.
    """
    if len(shares) != len(baseline) or not len(shares):
        raise OptionError(f"{len(shares)} sites cannot be compared with {len(baseline)}; as many of each are needed.")
    mean = float(baseline.mean())
    if mean <= 0:
        raise OptionError("random seeds cover nothing of value on these sites; per cent of that cannot be told.")
    ratio = float(shares.mean()) / mean
    # Rounded, so that strategies that cover the same differ by nothing.
    return np.round(100 * (ratio - 1) + 100 * (shares - ratio * baseline) / mean, DIGITS) + 0.0


def better_than(shares: Floats, baseline: Floats) -> Interval:
    """Per cent better than the baseline, over sites, with its interval; both have an entry a site."""
    return mean_interval(percent_better(shares, baseline))


class Chosen(NamedTuple):
    """The sites that are judged, ascending, and what should be said of the choice."""

    sites: NDArray[np.int64]
    notes: tuple[str, ...]


def choose_sites(web: Web, values: Floats, count: int, least: int, seed: int) -> Chosen:
    """`count` hosts drawn at random among those with `least` pages or more, links inside and from elsewhere, and value.

    Where there are not so many, the largest; where no host has a link from elsewhere, that is not asked for.
    """
    hosts = web.sites("host")
    sizes = hosts.sizes()
    inside, from_elsewhere = links_to_sites(web.links, hosts.of_page, len(hosts))
    usable = (sizes >= SMALLEST) & inside & (np.bincount(hosts.of_page, values, len(hosts)) > 0)
    linked = usable & from_elsewhere
    notes = []
    if linked.any():
        usable = linked
    else:
        notes.append("no site has a link from another one, so that was not asked for.")
    enough = np.flatnonzero(usable & (sizes >= least))
    if len(enough) >= count:
        return Chosen(np.sort(np.random.default_rng(seed).choice(enough, count, replace=False)), tuple(notes))
    pool = np.flatnonzero(usable)
    if not len(pool):
        raise OptionError("no site of the web has links inside and any value; there is nothing to choose seeds on.")
    largest = np.sort(pool[np.argsort(-sizes[pool], kind="stable")[:count]])
    notes.append(
        f"sites with {least} pages or more: {len(enough)}, wanted: {count}. The largest were taken: {len(largest)}, "
        f"down to {sizes[largest].min()} pages."
    )
    return Chosen(largest, tuple(notes))


def links_to_sites(links: LinkStore, of_page: NDArray[Any], sites: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(the sites with a link among their own pages, those that a page of another site links to). One pass."""
    inside, from_elsewhere = np.zeros(sites, np.bool_), np.zeros(sites, np.bool_)
    for block in links.blocks():
        count = len(block.out_ptr) - 1
        source = np.repeat(of_page[block.first : block.first + count], np.diff(block.out_ptr))
        target = of_page[block.out_idx]
        inside[target[target == source]] = True
        from_elsewhere[target[target != source]] = True
    return inside, from_elsewhere


def stacked(found: Iterable[Covered]) -> Covered:
    """A row a site."""
    rows = list(found)
    return Covered(np.array([one.pages for one in rows]), np.array([one.value for one in rows]))
