"""How many links each page must try for, so that the web has `links_per_page` once repeats are gone.

The mean is measured on every stride-th page, on all of them on small webs, and the scale corrected by the secant of
log links over log scale until they meet, first on a small sample, then on a larger one. O(sampled links) a round.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor

from seedbed.errors import OptionError
from seedbed.synth.pages import count_links
from seedbed.synth.plan import Snapshot

SAMPLED_PAGES = 1 << 16
_ROUNDS = 16
_NEAR = 0.004
_MOST = 2000.0
_TOLERATED = 0.05
_PROMISED_PAGES = 100_000  # smaller webs may have no room for that many links
_PARTS = 64


def scaled(web: Snapshot, pages: int, pool: Executor) -> Snapshot:
    """The snapshot with the scale that gives it its links per page."""
    scale, got = 1.0, 0.0
    for sample in (SAMPLED_PAGES // 8, SAMPLED_PAGES):
        scale, got = _meet(web, scale, max(pages // sample, 1), pool)
    wanted = math.log(web.links_per_page)
    if pages >= _PROMISED_PAGES and abs(got - wanted) > _TOLERATED:
        raise OptionError(
            f"links_per_page = {web.links_per_page:g}: a web of {pages} pages with its hosts can have about "
            f"{math.exp(got):.3g}. Ask for fewer links or more pages."
        )
    return web._replace(scale=scale)


def _meet(web: Snapshot, scale: float, stride: int, pool: Executor) -> tuple[float, float]:
    """The scale with which every stride-th page has its links, and the log of the mean it gives; from `scale` on."""
    wanted = math.log(web.links_per_page)
    got, slope = _log_mean(web._replace(scale=scale), stride, pool), 1.0
    for _ in range(_ROUNDS):
        if abs(got - wanted) < _NEAR or scale == _MOST:
            break
        last_scale, last_got = scale, got
        scale = min(scale * math.exp((wanted - got) / slope), _MOST)
        got = _log_mean(web._replace(scale=scale), stride, pool)
        if scale != last_scale and got != last_got:
            slope = min(max((got - last_got) / math.log(scale / last_scale), 0.2), 4.0)
    return scale, got


def _log_mean(web: Snapshot, stride: int, pool: Executor) -> float:
    hosts = len(web.order)
    bounds = [hosts * part // _PARTS for part in range(_PARTS + 1)]
    counts = pool.map(lambda part: count_links(web, bounds[part], bounds[part + 1], stride), range(_PARTS))
    sampled, links = (sum(both) for both in zip(*counts, strict=True))
    return math.log(max(links, 1) / sampled)
