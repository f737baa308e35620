"""Largest site first (Baeza-Yates, Castillo, Marin, Rodriguez 2005): the host on which most pages wait goes first.

    score = pages that wait on the host

Inside a host the page discovered first goes first, of equal hosts the one discovered first.

Large sites are kept busy from the start, so that they do not remain alone at the end, when a polite crawler could only
fetch from a few hosts. In polite crawls: the largest of the free hosts. The pages of a host stand in a linked list, the
hosts in a heap. By registered domain, a host here is a domain. Cost: O(log hosts) a link at worst. Memory: 4 bytes a
page and 36 a host, 41 in polite crawls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, implements
from seedbed.crawling.crawl_loop import enter, learn, pick
from seedbed.crawling.crawl_state import NEW, discover
from seedbed.crawling.frontier.heap import Heap, heap_put, heap_raise, heap_take, make_heap
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.politeness import USED, Politeness, begin_tick, is_busy, new_politeness, occupy, tick_is_over
from seedbed.errors import OptionError
from seedbed.links.link_store import successors


class LargestSite(NamedTuple):
    """Page p is written as p + 1 in the lists, 0 is none. `after[p]`: the next page of the host; `first`, `last`,
    `waiting`: of each host; `number`: when its first page was discovered.
    """

    host: NDArray[np.int32]
    after: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    waiting: NDArray[np.int32]
    number: NDArray[np.int32]
    sites: Heap
    ticks: Politeness


@borrowing
def queue(order: Any, state: Any, page: Any) -> None:
    """A page waits at the end of its host's list, and the host grows."""
    host = order.host[page]
    if order.number[host] == 0:
        order.number[host] = state.number[page]
    if order.first[host]:
        order.after[order.last[host] - 1] = page + 1
    else:
        order.first[host] = page + 1
    order.last[host] = page + 1
    order.waiting[host] += 1
    # The heap of hosts reads `number` of what it is given for the state: here that of hosts.
    if order.sites.place[host]:
        heap_raise(order.sites, order, host, 1.0, 0)
    elif not is_busy(order.ticks, host):
        heap_put(order.sites, order, host, float(order.waiting[host]), 0)


@borrowing
def free_sites(order: Any) -> None:
    """Let the hosts of this tick wait for the next, those on which a page waits."""
    for k in range(order.ticks.at[USED]):
        host = order.ticks.used[k]
        if order.waiting[host] > 0:
            heap_put(order.sites, order, host, float(order.waiting[host]), 0)


@implements(enter, LargestSite)
def enter_seed(order: Any, state: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    queue(order, state, page)


@implements(pick, LargestSite)
def pick_page(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page that waits longest on the largest host."""
    if tick_is_over(order.ticks, state) or order.sites.size[0] == 0:
        free_sites(order)
        if order.sites.size[0] == 0:
            return np.int32(-1), 0.0
        begin_tick(order.ticks, state)
    host, size, _ = heap_take(order.sites, order)
    page = order.first[host] - 1
    order.first[host] = order.after[page]
    order.waiting[host] -= 1
    occupy(order.ticks, host)
    if order.ticks.fetches == 0 and order.waiting[host] > 0:
        heap_put(order.sites, order, host, float(order.waiting[host]), 0)
    return page, size


@implements(learn, LargestSite)
def learn_links(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if discover(state, limits, target, page) == NEW:
            queue(order, state, target)


def prepare(context: CrawlContext) -> LargestSite:
    """The state of a crawl that has not begun."""
    if context.site != "host" and context.fetches_per_tick:
        raise OptionError("order 'largest-site-first' is polite to hosts; leave out --site, or --fetches-per-tick.")
    host = context.sites()
    hosts = int(host.max(initial=-1)) + 1
    return LargestSite(
        host=host,
        after=np.zeros(context.pages, np.int32),
        first=np.zeros(hosts, np.int32),
        last=np.zeros(hosts, np.int32),
        waiting=np.zeros(hosts, np.int32),
        number=np.zeros(hosts, np.int32),
        sites=make_heap(hosts),
        ticks=new_politeness(hosts, context.fetches_per_tick),
    )


ORDER = Order(
    name="largest-site-first",
    meaning="a page of the host with the most pages waiting",
    paper="Baeza-Yates, Castillo, Marin, Rodriguez 2005",
    prepare=prepare,
    needs_hosts_with=lambda number: True,
)
