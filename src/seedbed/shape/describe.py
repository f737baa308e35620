"""Everything `seedbed info` reports about a web.

One pass over the links in page order counts degrees, self-links, links between sites and weak components;
more passes find strong components and the bow-tie; then come the sampled searches. Time: at most O(samples ·
(pages + links)). Memory: 28 bytes per page and 11 to 32 per page and thread, in addition to the links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import thread_count
from seedbed.errors import NeedsHosts
from seedbed.shape.bow_tie import BowTie, bow_tie
from seedbed.shape.components import Components, strong_components
from seedbed.shape.degrees import Distribution, size_bins
from seedbed.shape.distances import (
    Distances,
    average_distance,
    bytes_per_page_and_thread,
    check_samples,
)
from seedbed.shape.link_counts import LinkCounts, count_links
from seedbed.shape.power_law import fit_power_law
from seedbed.shape.web_shape import ColumnShape, DegreeShape, Shape, UrlShape

if TYPE_CHECKING:
    from seedbed.graph.web import Origin, Web
    from seedbed.urls.sites import Sites

BYTES_PER_PAGE = 28
HOSTS_FOR_DOMAINS = 500_000
"""Looking up the domains of this many hosts takes a few seconds; for more it is done only on request."""


def describe(
    web: Web,
    *,
    samples: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    memory: int | None = None,
    domains: bool | None = None,
    progress: Progress | None = None,
) -> Shape:
    """The shape of a web. Distances are measured from `samples` pages, or from as many as a good estimate needs.

    `memory`: bytes it may use. `domains`: count registered domains; None: only if hosts are at most HOSTS_FOR_DOMAINS.

    >>> import seedbed as sb
    >>> sb.describe(sb.make_web(pages=200)).largest_scc
    80
    """
    progress = progress or no_progress
    check_samples(samples)
    threads = thread_count(threads)
    per_page = BYTES_PER_PAGE + bytes_per_page_and_thread(web.page_count) * threads
    require(per_page * web.page_count, "describing this web", memory)
    sites = _sites(web, domains)
    counts = count_links(web.links, *sites, threads=threads, memory=memory, progress=progress)
    strong = strong_components(counts.links, progress=progress)
    parts = bow_tie(counts.links, strong, counts.weak, progress=progress)
    distances = average_distance(
        counts.links, strong=strong, samples=samples, seed=seed, threads=threads, memory=memory, progress=progress
    )
    return _shape(web, sites, counts, strong, parts, distances)


def dropped_links(origin: Origin, self_links: int) -> dict[str, Any]:
    """What is to say of self-links and duplicates. `self_links`: those that the web still has."""
    return {
        # Self-links that reading kept may have been dropped since, with links inside sites or with pages.
        "self_links": origin.self_links if origin.removed and origin.self_links is not None else self_links,
        "self_links_removed": origin.self_links is not None and origin.removed,
        # Link stores hold each link once: if reading did not count duplicates there are none, else it dropped them.
        "duplicate_links": origin.duplicate_links or 0,
        "duplicate_links_removed": bool(origin.duplicate_links)
        or (origin.duplicate_links is not None and origin.removed),
    }


def _shape(
    web: Web, sites: list[Sites], counts: LinkCounts, strong: Components, parts: BowTie, distances: Distances
) -> Shape:
    origin, weak = web.origin, counts.weak
    site_counts = [int(np.count_nonzero(kind.sizes())) for kind in sites]
    hosts, domains = (*zip(site_counts, counts.between, strict=True), (None, None), (None, None))[:2]
    return Shape(
        source=origin.source,
        format=origin.format,
        store=web.links.kind,
        bits_per_link=getattr(web.links, "bits_per_link", None),
        pages=web.page_count,
        crawled=None if web.crawled is None else int(np.count_nonzero(web.crawled)),
        links=web.link_count,
        nofollow_links=None if web.nofollow is None else len(web.nofollow),
        hosts=hosts[0],
        inter_host_links=hosts[1],
        domains=domains[0],
        inter_domain_links=domains[1],
        **dropped_links(origin, counts.self_links),
        dangling=counts.out.zero,
        unreachable=counts.in_.zero,
        out_degree=degree_shape(counts.out),
        in_degree=degree_shape(counts.in_),
        scc_count=strong.count,
        largest_scc=strong.largest,
        scc_sizes=size_bins(strong.sizes),
        wcc_count=weak.count,
        largest_wcc=weak.largest,
        wcc_sizes=size_bins(weak.sizes),
        bow_tie=parts,
        average_distance=distances.average,
        average_distance_error=distances.error,
        longest_distance=distances.longest,
        connected_pairs=distances.connected,
        connected_pairs_error=distances.connected_error,
        distance_samples=distances.samples,
        urls=_url_shape(web),
        columns={name: column_shape(values) for name, values in web.columns.items()},
        notes=origin.notes,
    )


def _sites(web: Web, domains: bool | None) -> list[Sites]:
    """Hosts and domains, if they are known and wanted."""
    try:
        hosts = web.sites("host")
    except NeedsHosts:
        return []
    wanted = len(hosts) <= HOSTS_FOR_DOMAINS if domains is None else domains
    return [hosts, web.sites("domain")] if wanted else [hosts]


def degree_shape(degrees: Distribution) -> DegreeShape:
    """Degrees in numbers, with the power law of their tail."""
    return DegreeShape(degrees.mean, degrees.largest, fit_power_law(degrees), degrees.bins)


def _url_shape(web: Web) -> UrlShape | None:
    if web.urls is None:
        return None
    size = int(web.urls.bytes)
    return UrlShape(size, size / max(web.page_count, 1))


def column_shape(values: NDArray[Any]) -> ColumnShape:
    """The type, number of non-zero values and range of a column, over its finite values."""
    kind = str(values.dtype)
    if values.dtype.kind not in "biuf":
        return ColumnShape(kind, None, None, None, None)
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not len(known):
        return ColumnShape(kind, 0, None, None, None)
    return ColumnShape(kind, int(np.count_nonzero(known)), known.min().item(), known.max().item(), _mean(known))


def _mean(values: NDArray[Any]) -> float:
    with np.errstate(over="ignore"):
        mean = float(values.mean(dtype=np.float64))
    # If the sum overflows there is still a mean, and JSON has no infinity.
    return mean if np.isfinite(mean) else float((values / len(values)).sum(dtype=np.float64))
