"""The pages that wait in a polite crawl: a heap for each host, and a heap of the hosts that are free.

Time passes in ticks (see politeness.py). The page taken is the best one on a host without a fetch in this tick; of
equal scores the one discovered first. The next tick begins when this one has had its fetches, or when no page waits on
a free host.

Each host has a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986): a tree of pages, none better than the one above
it, where two trees are joined by hanging the worse of the two roots below the other. The free hosts stand in a heap by
their best page; while a host is free its best page only gets better. Cost: O(log pages) a step, over all steps.
Memory: 24 bytes a page and 33 a host.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, implements, inlined
from seedbed.crawling.frontier.heap import Heap, add, heap_put, heap_take, make_heap, put, rescore, rise, take
from seedbed.crawling.politeness import USED, Politeness, begin_tick, is_busy, new_politeness, occupy, tick_is_over
from seedbed.crawling.wide_floats import alike, plus

NODE = np.dtype(
    [
        ("mantissa", np.float64),
        ("block", np.int32),
        ("child", np.int32),
        ("sibling", np.int32),
        ("previous", np.int32),
    ]
)
"""A page in its tree: its score, its first child, the next child of the page above, and the node that points to it."""


class HostHeaps(NamedTuple):
    """Node p + 1 is page p, node 0 is none. `root[h]`: the best page that waits on host h; `number[h]`: when that was
    discovered, which decides between hosts whose best pages have equal scores.
    """

    nodes: NDArray[Any]
    host: NDArray[np.int32]
    root: NDArray[np.int32]
    number: NDArray[np.int32]
    free: Heap
    ticks: Politeness


def make_host_heaps(host_of_page: NDArray[np.int32], hosts: int, fetches_per_tick: int) -> HostHeaps:
    """An empty frontier."""
    return HostHeaps(
        nodes=np.zeros(len(host_of_page) + 1, NODE),
        host=host_of_page,
        root=np.zeros(hosts, np.int32),
        number=np.zeros(hosts, np.int32),
        free=make_heap(hosts),
        ticks=new_politeness(hosts, fetches_per_tick),
    )


@borrowing
def join(nodes: Any, one: Any, other: Any, number: Any) -> Any:
    """One tree of two, given and named by their roots."""
    a, b = nodes[one], nodes[other]
    if a.block != b.block:
        wins = a.block > b.block
    elif not alike(a.mantissa, b.mantissa):
        wins = a.mantissa > b.mantissa
    else:
        wins = number[one - 1] < number[other - 1]
    above, below = (one, other) if wins else (other, one)
    first = nodes[above].child
    nodes[below].sibling = first
    nodes[below].previous = above
    if first:
        nodes[first].previous = below
    nodes[above].child = below
    return above


@borrowing
def cut(nodes: Any, node: Any) -> None:
    """Take a node that is not a root out of its tree, with all that hangs below it."""
    before, after = nodes[node].previous, nodes[node].sibling
    if nodes[before].child == node:
        nodes[before].child = after
    else:
        nodes[before].sibling = after
    if after:
        nodes[after].previous = before


@borrowing
def joined_children(nodes: Any, root: Any, number: Any) -> Any:
    """One tree of all that hangs below a root: joined by twos from the first to the last, then all from the last on."""
    one = nodes[root].child
    pairs = 0
    while one:
        other = nodes[one].sibling
        rest = nodes[other].sibling if other else 0
        pair = join(nodes, one, other, number) if other else one
        nodes[pair].sibling = pairs
        pairs, one = pair, rest
    best = pairs
    if best:
        pairs = nodes[best].sibling
        while pairs:
            rest = nodes[pairs].sibling
            best = join(nodes, best, pairs, number)
            pairs = rest
        nodes[best].sibling = 0
        nodes[best].previous = 0
    return best


@borrowing
def place_host(frontier: Any, state: Any, host: Any) -> None:
    """A page of a host came, or its score rose: the host rises with its best page, where it is free."""
    if is_busy(frontier.ticks, host):
        return
    free, root = frontier.free, frontier.root[host]
    best = frontier.nodes[root]
    frontier.number[host] = state.number[root - 1]
    at = free.place[host] - 1
    if at < 0:
        at = free.size[0]
        free.size[0] = at + 1
    rise(free, at, best.mantissa, best.block, host, frontier.number)


@implements(put, HostHeaps)
@inlined
def host_put(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Queue a page that is not queued."""
    node, host = np.int32(page + 1), frontier.host[page]
    slot = frontier.nodes[node]
    slot.mantissa = mantissa
    slot.block = block
    slot.child = slot.sibling = slot.previous = 0
    root = frontier.root[host]
    frontier.root[host] = join(frontier.nodes, root, node, state.number) if root else node
    place_host(frontier, state, host)


@implements(add, HostHeaps)
@inlined
def host_raise(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Add to the score of a page that is queued."""
    node, host = np.int32(page + 1), frontier.host[page]
    slot = frontier.nodes[node]
    slot.mantissa, slot.block = plus(slot.mantissa, slot.block, mantissa, block)
    root = frontier.root[host]
    if root != node:
        cut(frontier.nodes, node)
        frontier.root[host] = join(frontier.nodes, root, node, state.number)
    place_host(frontier, state, host)


@borrowing
def free_hosts(frontier: Any, state: Any) -> None:
    """Let the hosts of this tick wait for the next, those on which a page waits."""
    ticks = frontier.ticks
    for k in range(ticks.at[USED]):
        host = ticks.used[k]
        root = frontier.root[host]
        if root:
            frontier.number[host] = state.number[root - 1]
            # The heap of hosts reads `number` of what it is given for the state: here that of hosts.
            heap_put(frontier.free, frontier, host, frontier.nodes[root].mantissa, frontier.nodes[root].block)


@implements(take, HostHeaps)
@inlined
def host_take(frontier: Any, state: Any) -> Any:
    """(the best page on a free host, its score), which leaves the queue; −1 where none waits."""
    if tick_is_over(frontier.ticks, state) or frontier.free.size[0] == 0:
        free_hosts(frontier, state)
        if frontier.free.size[0] == 0:
            return -1, 0.0, 0
        begin_tick(frontier.ticks, state)
    host, mantissa, block = heap_take(frontier.free, frontier)
    root = frontier.root[host]
    frontier.root[host] = joined_children(frontier.nodes, root, state.number)
    occupy(frontier.ticks, host)
    return root - 1, mantissa, block


@implements(rescore, HostHeaps)
@inlined
def host_rescore(frontier: Any, state: Any, scores: Any) -> None:
    """Queue all that waits anew, with other scores, by discovery number."""
    frontier.root[:] = 0
    frontier.free.place[:] = 0
    frontier.free.size[0] = 0
    for page in range(state.number.size):
        number = state.number[page]
        if number > 0:
            host_put(frontier, state, page, scores[number - 1], 0)
