"""How many links each page must try for, so that the web has `links_per_page` once repeats are gone.

The mean is measured on every stride-th page, on all of them on small webs, and the scale moved until it meets,
between brackets once there are two, first on a small sample, then on a larger one. O(sampled links) a round.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor

from seedbed.errors import OptionError
from seedbed.synth.page_making import count_links, leader_stride
from seedbed.synth.web_plan import Snapshot

SAMPLES = ((1 << 14, 0.005), (1 << 17, 0.01), (1 << 20, 0.01))  # pages, and how near their mean must come
_SMALL = 1 << 24  # webs up to here do without the last sample: so many pages hold fewer of the very long lists
_ROUNDS = 20
_MOST = 2000.0
_TOLERATED = 0.05
_PROMISED_PAGES = 100_000  # smaller webs may have no room for that many links
_PARTS = 64


def scaled(web: Snapshot, pages: int, pool: Executor) -> Snapshot:
    """The snapshot with the scale that gives it its links per page."""
    scale, got = 1.0, 0.0
    for sample, near in SAMPLES if pages > _SMALL else SAMPLES[:-1]:
        scale, got = _meet(web, scale, max(pages // sample, 1), near, pool)
    wanted = math.log(web.links_per_page)
    if pages >= _PROMISED_PAGES and abs(got - wanted) > _TOLERATED:
        raise OptionError(
            f"links_per_page = {web.links_per_page:g}: a web of {pages} pages with its hosts can have about "
            f"{math.exp(got):.3g}. Ask for fewer links or more pages."
        )
    return web._replace(scale=scale)


def _meet(web: Snapshot, scale: float, stride: int, near: float, pool: Executor) -> tuple[float, float]:
    """The scale, sought from `scale` on, that brings the sample nearest its links, and the log of the mean it gives."""
    wanted = math.log(web.links_per_page)
    at, most = math.log(scale), math.log(_MOST)
    best = (math.inf, at, 0.0)
    below: tuple[float, float] | None = None
    above: tuple[float, float] | None = None
    for _ in range(_ROUNDS):
        got = _log_mean(web._replace(scale=math.exp(at)), stride, pool)
        best = min(best, (abs(got - wanted), at, got))
        if best[0] < near or (at == most and got < wanted):
            break
        below, above = ((at, got), above) if got < wanted else (below, (at, got))
        if below and above:
            part = (wanted - below[1]) / (above[1] - below[1])
            at = below[0] + min(max(part, 0.1), 0.9) * (above[0] - below[0])
        else:
            at = min(at + min(max(1.2 * (wanted - got), -3.0), 3.0), most)
    return math.exp(best[1]), best[2]


def _log_mean(web: Snapshot, stride: int, pool: Executor) -> float:
    hosts = len(web.order)
    bounds = [hosts * part // _PARTS for part in range(_PARTS + 1)]
    counts = pool.map(lambda part: count_links(web, bounds[part], bounds[part + 1], stride), range(_PARTS))
    leaders, leader_links, pages, page_links = (sum(each) for each in zip(*counts, strict=True))
    dense = int(leader_stride(stride))
    links = leader_links * dense + page_links * stride
    return math.log(max(links, 1) / (leaders * dense + pages * stride))
