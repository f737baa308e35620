"""Orders by scores that fetched pages pass on along their links: fpr, opic and backlink.

The page with the highest score is fetched and passes its score on, once, to those of its links that were not fetched:

    through a link inside the site      d · score / (intra + M · inter)
    through a link to another site      M times that

intra and inter count all links of the page. A site is a host, or a registered domain where the user asks for that.

    fpr         Fractional PageRank with weighted inter-host links, FPR and FPR@M (Algorithms 1 and 2). Seeds start with
                (1 − d)·t, t being an equal share. M = 1 is plain FPR.
    opic        On-line page importance computation: d = 1, M = 1, and seeds share a cash of 1. Cash that goes to a page
                picked before stays there, as does that of a page without links, or whose fetch fails, and what goes to
                pages that cannot be fetched: it is retained. At any time the cash of the pages that wait, what is
                retained, and the cash of the page picked last, if it could not pass it on, add up to 1. In the paper
                the crawl never ends, every page has cash from the start and is fetched again whenever it has most. Here
                a page is fetched once, so its cash is what the links seen so far are worth when it is picked.
    backlink    Each link passes on 1, and seeds start with 0. With a limit of depth, a link that leads too deep does
                not make its target known, and does not count.

Cost: O(links · log pages) at worst, near O(links) on webs. Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import implements, inlined
from seedbed.crawling.crawl_loop import enter, learn, pick
from seedbed.crawling.crawl_state import NEW, UNAVAILABLE, discover
from seedbed.crawling.frontier.heap import add, put, take
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.crawling.wide_floats import normalized, to_float
from seedbed.errors import NeedsHosts
from seedbed.links.link_store import successors


class LinkScores(NamedTuple):
    """`host`: empty if M is 1. `start`: a seed's part of its share. `counts_links`: each link passes on 1.

    `mantissa`, `block`: the score of the page picked last, which it passes on. `retained`: empty unless it is kept.
    """

    frontier: Any
    host: NDArray[np.int32]
    damping: float
    inter: float
    start: float
    counts_links: bool
    mantissa: NDArray[np.float64]
    block: NDArray[np.int64]
    retained: NDArray[np.float64]


@inlined
def weight_of(targets: Any, host: Any, page: Any, inter: float) -> float:
    """intra + M · inter of a page's links."""
    if host.size == 0:
        return float(targets.size)
    others = 0
    for target in targets:
        if host[target] != host[page]:
            others += 1
    return (targets.size - others) + inter * others


@implements(enter, LinkScores)
def enter_seed(order: Any, state: Any, page: Any, share: float) -> None:
    """A seed starts with a part of its share."""
    put(order.frontier, state, page, order.start * share, 0)


@implements(pick, LinkScores)
def pick_page(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page with the highest score."""
    if order.retained.size > 0:
        order.retained[0] += to_float(order.mantissa[0], order.block[0])
    page, mantissa, block = take(order.frontier, state)
    order.mantissa[0] = mantissa
    order.block[0] = block
    return page, to_float(mantissa, block)


@implements(learn, LinkScores)
def learn_links(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Pass the page's score on to its links."""
    targets = successors(links, page, buffer)
    if targets.size == 0:
        return
    if order.counts_links:
        inside, inside_block = 1.0, np.int64(0)
        across, across_block = 1.0, np.int64(0)
    else:
        unit = order.damping * order.mantissa[0] / weight_of(targets, order.host, page, order.inter)
        inside, inside_block = normalized(unit, order.block[0])
        across, across_block = normalized(unit * order.inter, order.block[0])
    order.mantissa[0] = 0.0
    unavailable = 0
    for target in targets:
        seen = discover(state, limits, target, page)
        if seen == UNAVAILABLE:
            unavailable += 1
            continue
        mantissa, block = inside, inside_block
        if order.host.size > 0 and order.host[target] != order.host[page]:
            mantissa, block = across, across_block
        if seen == NEW:
            put(order.frontier, state, target, mantissa, block)
        else:
            add(order.frontier, state, target, mantissa, block)
    if order.retained.size > 0:
        order.retained[0] += unavailable * to_float(inside, inside_block)


def prepare(
    context: CrawlContext,
    *,
    damping: float = 1.0,
    start: float = 1.0,
    inter: float = 1.0,
    counts_links: bool = False,
    retains: bool = False,
) -> LinkScores:
    """The state of a crawl that has not begun."""
    host = hosts_of(context) if inter != 1 else np.empty(0, np.int32)
    held = np.zeros(1), np.zeros(1, np.int64), np.zeros(int(retains))
    return LinkScores(context.frontier(), host, damping, inter, start, counts_links, *held)


def hosts_of(context: CrawlContext) -> NDArray[np.int32]:
    """The site of each page, or an error that says how to do without."""
    try:
        return context.sites()
    except NeedsHosts as error:
        raise NeedsHosts(f"{error} Or leave out the number after the @, which does without hosts.") from None


FPR = Order(
    name="fpr",
    meaning="the page with the highest score; fetched pages pass theirs on along links, with @M more to other hosts",
    paper="Alam, Ha, Sim, Lee 2009",
    prepare=lambda context: prepare(
        context, damping=context.damping, start=1.0 - context.damping, inter=context.number
    ),
    parameter=number_option("M", "the weight of a link to another host", default=1, least=1),
    needs_hosts_with=lambda number: number != 1,
    live=True,
)
OPIC = Order(
    name="opic",
    meaning="the page with the most cash; fetched pages share theirs among the pages they link to",
    paper="Abiteboul, Preda, Cobena 2003",
    prepare=lambda context: prepare(context, retains=True),
    live=True,
)
BACKLINK = Order(
    name="backlink",
    meaning="the page with the most links from pages fetched",
    paper="Cho, Garcia-Molina, Page 1998",
    prepare=lambda context: prepare(context, start=0.0, counts_links=True),
    live=True,
)
