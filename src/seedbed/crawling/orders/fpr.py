"""Fractional PageRank with weighted inter-host links: FPR and FPR@M (Alam, Ha, Sim, Lee 2009, Algorithms 1 and 2).

Seeds start with (1 − d)·t, t being an equal share. The page with the highest score is fetched and passes its score on,
once, to those of its links that have not been fetched:

    through a link inside the host      d · score / (intra + M · inter)
    through a link to another host      M times that

intra and inter count all links of the page. M = 1 is plain FPR. Cost: O(links · log pages) at worst, near O(links) on
webs. Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined
from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import BARRED, NEW, meet
from seedbed.crawling.frontier.waiting_pages import add, put, take
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.crawling.wide_floats import normal, plain
from seedbed.errors import NeedsHosts
from seedbed.links.link_store import successors


class Fpr(NamedTuple):
    """`host` is empty where M is 1. `mantissa`, `block`: the score of the page picked last, which it passes on."""

    frontier: Any
    host: NDArray[np.int32]
    damping: float
    inter: float
    mantissa: NDArray[np.float64]
    block: NDArray[np.int64]


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


@enters(Fpr)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """A seed starts with (1 − d) of its share."""
    put(order.frontier, book, page, (1.0 - order.damping) * share, 0)


@picks(Fpr)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page with the highest score."""
    page, mantissa, block = take(order.frontier, book)
    order.mantissa[0] = mantissa
    order.block[0] = block
    return page, plain(mantissa, block)


@learns(Fpr)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Pass the page's score on to its links."""
    targets = successors(links, page, buffer)
    if targets.size == 0:
        return
    unit = order.damping * order.mantissa[0] / weight_of(targets, order.host, page, order.inter)
    inside, inside_block = normal(unit, order.block[0])
    across, across_block = normal(unit * order.inter, order.block[0])
    for target in targets:
        how = meet(book, rules, target, page)
        if how == BARRED:
            continue
        mantissa, block = inside, inside_block
        if order.host.size > 0 and order.host[target] != order.host[page]:
            mantissa, block = across, across_block
        if how == NEW:
            put(order.frontier, book, target, mantissa, block)
        else:
            add(order.frontier, book, target, mantissa, block)


def _hosts(context: CrawlContext) -> NDArray[np.int32]:
    try:
        return context.hosts()
    except NeedsHosts as error:
        raise NeedsHosts(f"{error} Or crawl by fpr, which does without hosts.") from None


def prepare(context: CrawlContext) -> Fpr:
    """The state of a crawl that has not begun."""
    host = _hosts(context) if context.number != 1 else np.empty(0, np.int32)
    return Fpr(context.frontier(), host, context.damping, context.number, np.zeros(1), np.zeros(1, np.int64))


ORDER = Order(
    name="fpr",
    meaning="the page with the highest score; fetched pages pass theirs on along links, with @M more to other hosts",
    paper="Alam, Ha, Sim, Lee 2009",
    prepare=prepare,
    parameter=number_option("M", "the weight of a link to another host", default=1, least=1),
    needs_hosts_with=lambda number: number != 1,
    live=True,
)
