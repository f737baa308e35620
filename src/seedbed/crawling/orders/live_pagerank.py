"""PageRank of the part of the web seen, kept current as the crawl goes, with what the last crawl knew.

    x = v + d · xP      P: the links of the pages fetched, links to other hosts weighing M times as much as others
    v                   1 for every page known up to 40 links from a seed, (40 / links)² for those further away; and for
                        the seeds together a tenth of the pages known, in equal parts

x(p) is what page p has received: its part of v, and d · x(q) · (its part of q's links) from every page q fetched. A
page passes on what it has received when it is fetched, and again whenever that has grown by half since; what reaches a
page in between is its residual. So x is never computed anew: residuals are pushed on until none is large enough
(Gauss-Southwell). A page fetched has passed on at least two thirds of what it has received, and has done so at most
1 + log(x now / x when it was fetched) / log 1.5 times. The seeds' tenth grows likewise, by half at a time.

Pages far from all seeds have less, because pages of a spider trap, which lead only to each other, would otherwise keep
each other's 1 without end. Links from a seed are counted along the shortest way noticed by then.

The next page is the one that has received most. With the knowledge of the last crawl it is the one with the largest

    x(p) + trust · 0.2 · old(p)

where old(p) is its PageRank then, the mean page having 1; a page that is new has 1. Old scores move a page and are not
passed on. Pages that were gone, spam or duplicates then come last. Trust is learnt: x and old of all pages known now
and then are held against each other whenever the pages fetched have grown by half, and trust is the correlation of
their logarithms over 0.4, from 0 to 1. It is 1 while fewer than 50 such pages are known.

Pages known that cannot be fetched receive and do not pass on. Pages that lie too deep are not known.

Cost: the links of each page are read 1.2 to 2 times on webs of all sizes. Memory: 48 bytes a page, 4 more with M, and 4
more with the last crawl (in polite crawls 52 and 33 a host).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import implements, inlined, kernel
from seedbed.crawling.crawl_loop import enter, learn, pick
from seedbed.crawling.crawl_state import FETCHED, KNOWN, NEW, WORK, discover
from seedbed.crawling.frontier.heap import add, put, rescore, take
from seedbed.crawling.orders.link_score_orders import hosts_of, weight_of
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.links.link_store import successors

SEEDS_PART = 0.1
GROWTH = 1.5
FAR, DEEPEST, UNKNOWN = 40, 65534, 65535
OLD_WEIGHT = 0.2
FULL_TRUST = 0.4
ENOUGH = 50
LAST = 1e-12
PAGES_IN_A_STEP = 32
GIVEN, TRUST = range(2)
MASS = np.dtype([("received", np.float64), ("passed", np.float64), ("depth", np.uint16)], align=True)


class LivePageRank(NamedTuple):
    """`mass[p]`: what a page has received, x, 0 where it is not known; what it has passed on of that, 0 until it is
    fetched; and its links from a seed, UNKNOWN where no link to it was seen. `queue`: pages that are to pass on, a
    ring; `ends`: where it begins and ends. `numbers`: what the seeds were GIVEN beyond their 1, the TRUST in old
    scores. `due`: the number of pages fetched at which trust is learnt next. `old`: by page, nan where it is new,
    negative where it comes last; empty without a last crawl.
    """

    frontier: Any
    mass: NDArray[Any]
    queue: NDArray[np.int32]
    ends: NDArray[np.int64]
    seeds: NDArray[np.int64]
    numbers: NDArray[np.float64]
    due: NDArray[np.int64]
    host: NDArray[np.int32]
    old: NDArray[np.float32]
    damping: float
    inter: float


@inlined
def place_of(order: Any, page: Any) -> float:
    """What a page that waits is ordered by."""
    score = order.mass[page].received
    if order.old.size == 0:
        return score
    old = float(order.old[page])
    if old < 0.0:
        return score * LAST
    return score + order.numbers[TRUST] * (1.0 if math.isnan(old) else old)


@inlined
def receive(order: Any, state: Any, page: Any, mass: float) -> None:
    """A page known is given something: it rises while it waits, and passes on once it has grown by half since."""
    held = order.mass[page]
    before = held.received
    held.received = before + mass
    if state.number[page] > 0:
        late = order.old.size > 0 and order.old[page] < 0.0
        add(order.frontier, state, page, mass * LAST if late else mass, 0)
    elif before < GROWTH * held.passed <= held.received:
        order.queue[order.ends[1]] = page  # once: from here on it has more than that, until it passes on
        order.ends[1] += 1
        if order.ends[1] == order.queue.size:
            order.ends[1] = 0


@inlined
def leads_away(order: Any, page: Any, target: Any) -> bool:
    """Whether a link leads to another host, where that counts."""
    return order.host.size > 0 and order.host[target] != order.host[page]


@inlined
def parts(order: Any, targets: Any, page: Any, mass: float) -> tuple[float, float]:
    """What a page that passes on so much gives to a page of its own host, and of another."""
    if targets.size == 0:
        return 0.0, 0.0
    inside = order.damping * mass / weight_of(targets, order.host, page, order.inter)
    return inside, inside * order.inter


@inlined
def links_below(depth: Any) -> int:
    """Links from a seed to the pages that a page links to."""
    return int(depth) + 1 if depth < DEEPEST else int(depth)


@inlined
def own_part(depth: int) -> float:
    """What a page starts with that lies so many links from a seed."""
    return 1.0 if depth <= FAR or depth == UNKNOWN else (FAR / depth) ** 2


@inlined
def begin(order: Any, page: Any, part: float, depth: int) -> None:
    """A page becomes known through a link that brings it so much."""
    order.mass[page].received = own_part(depth) + part
    order.mass[page].depth = depth


@inlined
def receive_along_link(order: Any, state: Any, page: Any, part: float, depth: int) -> None:
    """A link to a page that is known brings it so much."""
    order.mass[page].depth = min(depth, order.mass[page].depth)
    receive(order, state, page, part)


@implements(enter, LivePageRank)
def enter_seed(order: Any, state: Any, page: Any, share: float) -> None:
    """A seed starts with its 1 and its part of the tenth of the seeds."""
    order.mass[page].received = 1.0 + SEEDS_PART
    put(order.frontier, state, page, place_of(order, page), 0)


@implements(pick, LivePageRank)
def pick_page(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page that has received most."""
    if order.old.size > 0 and state.counts[FETCHED] >= order.due[0]:
        renew_trust(order, state)
        state.counts[WORK] += order.mass.size // PAGES_IN_A_STEP
    page, _, _ = take(order.frontier, state)
    return page, order.mass[page].received if page >= 0 else 0.0


@implements(learn, LivePageRank)
def learn_links(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Its links become known, and it passes on to them; then so does every page that has grown by half through that."""
    targets = successors(links, page, buffer)
    mass = order.mass[page].received
    order.mass[page].passed = mass
    inside, across = parts(order, targets, page, mass)
    depth = links_below(order.mass[page].depth)
    for target in targets:
        part = across if leads_away(order, page, target) else inside
        if discover(state, limits, target, page) == NEW:
            begin(order, target, part, depth)
            put(order.frontier, state, target, place_of(order, target), 0)
        elif order.mass[target].received > 0.0:
            receive_along_link(order, state, target, part, depth)
        elif state.number[target] != 0:
            begin(order, target, part, depth)
    part = SEEDS_PART * state.counts[KNOWN]
    if part >= GROWTH * order.numbers[GIVEN]:
        each = (part - order.numbers[GIVEN]) / order.seeds.size
        order.numbers[GIVEN] = part
        for seed in order.seeds:
            if order.mass[seed].received > 0.0:
                receive(order, state, seed, each)
    if order.ends[0] != order.ends[1]:
        pass_on(order, state, links, buffer)


@kernel
def pass_on(order: Any, state: Any, links: Any, buffer: Any) -> None:
    """Empty the queue: each page passes on what it has not passed on yet."""
    while order.ends[0] != order.ends[1]:
        page = order.queue[order.ends[0]]
        order.ends[0] += 1
        if order.ends[0] == order.queue.size:
            order.ends[0] = 0
        mass = order.mass[page].received - order.mass[page].passed
        order.mass[page].passed = order.mass[page].received
        targets = successors(links, page, buffer)
        inside, across = parts(order, targets, page, mass)
        depth = links_below(order.mass[page].depth)
        for target in targets:
            if order.mass[target].received > 0.0:
                part = across if leads_away(order, page, target) else inside
                receive_along_link(order, state, target, part, depth)


@kernel
def renew_trust(order: Any, state: Any) -> None:
    """Learn how far old scores can be trusted, and order what waits by that."""
    order.due[0] = int(state.counts[FETCHED] * GROWTH) + 1
    order.numbers[TRUST] = OLD_WEIGHT * trust(order.mass, order.old)
    rescore(order.frontier, state, places(order, state))


@kernel
def trust(mass: Any, old: Any) -> float:
    """How far old scores can be trusted, from 0 to 1: their correlation with what pages have received by now."""
    pages, x, y, xx, yy, xy = 0, 0.0, 0.0, 0.0, 0.0, 0.0
    for page in range(old.size):
        if mass[page].received > 0.0 and old[page] > 0.0:
            a, b = math.log(mass[page].received), math.log(old[page])
            pages += 1
            x, y, xx, yy, xy = x + a, y + b, xx + a * a, yy + b * b, xy + a * b
    if pages < ENOUGH:
        return 1.0
    spread = (xx - x * x / pages) * (yy - y * y / pages)
    if spread <= 0.0:
        return 1.0
    return min(1.0, max(0.0, (xy - x * y / pages) / math.sqrt(spread) / FULL_TRUST))


@kernel
def places(order: Any, state: Any) -> Any:
    """What pages that wait are ordered by now, by discovery number."""
    found = np.zeros(state.counts[KNOWN])
    for page in range(order.mass.size):
        if state.number[page] > 0:
            found[state.number[page] - 1] = place_of(order, page)
    return found


def prepare(context: CrawlContext) -> LivePageRank:
    """The state of a crawl that has not begun."""
    return LivePageRank(
        context.frontier(),
        mass=np.zeros(context.pages, MASS),
        queue=np.zeros(context.pages + 1, np.int32),
        ends=np.zeros(2, np.int64),
        seeds=frozen(context.seeds),
        numbers=np.array([SEEDS_PART * len(context.seeds), OLD_WEIGHT]),
        due=np.full(1, ENOUGH),
        host=hosts_of(context) if context.number != 1 else np.empty(0, np.int32),
        old=frozen(np.empty(0, np.float32)) if context.last is None else frozen(context.last),
        damping=context.damping,
        inter=context.number,
    )


ORDER = Order(
    name="live-pagerank",
    meaning="the page with the highest PageRank in the part of the web seen, kept current as the crawl goes",
    prepare=prepare,
    parameter=number_option("M", "the weight of a link to another host", default=1, least=1),
    needs_hosts_with=lambda number: number != 1,
    live=True,
    remembers=True,
)
