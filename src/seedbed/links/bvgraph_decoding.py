"""Decoding BVGraph records (Boldi, Vigna 2004): any bytes give a list of pages or CorruptLinks.

The record of page x, in stream order:

    outdegree d
    reference r            if d > 0 and there is a window: part of the list is copied from page x − r
    block count, blocks    if r > 0: runs of the reference's list, copied and skipped in turn; less 1 except the first
    interval count,        if links remain and intervals are used: (left end, length) of runs of consecutive pages;
      intervals            the first left end relative to x
    residuals              the remaining links, as gaps; the first relative to x

Copied, interval and residual links are merged. Cost: O(d) beyond the reference's own list. Records can also be skipped
without decoding them, to find where they start; that needs only the outdegrees of the window.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import borrowing, implements, inlined, kernel
from seedbed.errors import CorruptLinks
from seedbed.links.bit_codes import OVERRUN, nat_to_int, read_code, read_gamma
from seedbed.links.bvgraph_properties import BvCoding
from seedbed.links.link_store import Buffer, page_count, successors

TWICE = "it links to a page twice"
CHANGED = "its number of links has changed while it was read"


class BvLinks(NamedTuple):
    """What kernels see of a BvGraph: the stream, where each page's record starts, and how it is coded.

    `self_linked`: one bit per page, set if its link to itself is left out; empty if none is.
    """

    stream: Bytes
    offsets: Ints
    coding: BvCoding
    self_linked: Bytes


@inlined
def read_head(links: Any, pages: int, page: int, position: int) -> tuple[int, int, int]:
    """(outdegree, reference, position after both)."""
    degree, position = read_code(links.stream, position, links.coding.outdegrees, 0)
    if degree > pages:
        raise CorruptLinks("it claims more links than there are pages")
    reference = np.int64(0)
    if degree > 0 and links.coding.window > 0:
        reference, position = read_code(links.stream, position, links.coding.references, 0)
        if reference > links.coding.window or reference > page:
            raise CorruptLinks("it copies from a page outside the window")
    return degree, reference, position


@inlined
def copy_blocks(
    links: Any, position: int, source: Any, start: int, length: int, into: Any, at: int, limit: int, copying: bool
) -> tuple[int, int]:
    """Copy the blocks of source[start : start + length] to into[at:]; returns (links copied, position).

    Unless `copying` (a constant), nothing is written. After an even number of blocks the rest is copied too.
    """
    blocks, position = read_code(links.stream, position, links.coding.block_count, 0)
    if blocks > length + 1:
        raise CorruptLinks("it has more copy blocks than there is to copy")
    used = np.int64(0)
    copied = np.int64(0)
    for k in range(blocks + 1 - (blocks & 1)):
        run = length - used
        if k < blocks:
            run, position = read_code(links.stream, position, links.coding.blocks, 0)
            run += k > 0
        if run > length - used:
            raise CorruptLinks("its copy blocks exceed the list they copy from")
        if k & 1 == 0:
            if run > limit - copied:
                raise CorruptLinks("it copies more links than it has")
            if copying:
                for j in range(run):
                    into[at + copied + j] = source[start + used + j]
            copied += run
        used += run
    return copied, position


@inlined
def read_spans(links: Any, pages: int, page: int, position: int, extra: int, spans: Ints) -> tuple[int, int, int]:
    """Read intervals into spans as (left, length) pairs; returns (intervals, links in them, position)."""
    count, position = read_gamma(links.stream, position)
    if count > extra // links.coding.min_interval or 2 * count > spans.size:
        raise CorruptLinks("it has more intervals than links")
    covered = np.int64(0)
    right = np.int64(0)
    for k in range(count):
        gap, position = read_gamma(links.stream, position)
        left = page + nat_to_int(gap) if k == 0 else right + gap + 1
        length, position = read_gamma(links.stream, position)
        length += links.coding.min_interval
        if length > extra - covered or left < 0 or left > pages - length:
            raise CorruptLinks("an interval leaves the web or exceeds its links")
        right = left + length
        covered += length
        spans[2 * k] = left
        spans[2 * k + 1] = length
    return count, covered, position


@inlined
def write_span(left: int, length: int, into: Any, at: int, last: int) -> tuple[int, int]:
    """Write one interval to into[at:]; returns (position after it, its last link). `last` is the link before it."""
    if left <= last:
        raise CorruptLinks(TWICE)
    for j in range(length):
        into[at + j] = left + j
    return at + length, left + length - 1


@inlined
def read_extras(links: Any, pages: int, page: int, position: int, extra: int, into: Any, at: int, spans: Ints) -> int:
    """Write the `extra` links that are not copied, ascending, to into[at:]; returns the position after the record."""
    intervals = np.int64(0)
    covered = np.int64(0)
    if links.coding.min_interval > 0:
        intervals, covered, position = read_spans(links, pages, page, position, extra, spans)
    span = np.int64(0)
    last = np.int64(-1)
    residual = np.int64(page)
    for k in range(extra - covered):
        gap, position = read_code(links.stream, position, links.coding.residuals, links.coding.zeta_k)
        residual = page + nat_to_int(gap) if k == 0 else residual + gap + 1
        if residual < 0 or residual >= pages:
            raise CorruptLinks("it links to a page outside the web")
        while span < intervals and spans[2 * span] < residual:
            at, last = write_span(spans[2 * span], spans[2 * span + 1], into, at, last)
            span += 1
        if residual <= last:
            raise CorruptLinks(TWICE)
        into[at] = residual
        at += 1
        last = residual
    while span < intervals:
        at, last = write_span(spans[2 * span], spans[2 * span + 1], into, at, last)
        span += 1
    return position


@inlined
def merge_back(into: Any, at: int, copied: int, extras: Ints, extra: int) -> bool:
    """Merge ascending extras into the ascending into[at : at + copied], from the back; False if one is a duplicate."""
    left = at + copied - 1
    right = extra - 1
    write = left + extra
    twice = False
    while left >= at and right >= 0:
        # No branch on the comparison, because no processor could predict it.
        copy = np.int64(into[left])
        new = extras[right]
        later = copy > new
        twice |= copy == new
        into[write] = copy if later else new
        left -= np.int64(later)
        right -= np.int64(not later)
        write -= 1
    while right >= 0:
        into[write] = extras[right]
        right -= 1
        write -= 1
    return not twice


@inlined
def decode_list(
    links: Any,
    pages: int,
    page: int,
    position: int,
    degree: int,
    source: Any,
    start: int,
    length: int,
    into: Any,
    at: int,
    buffer: Any,
) -> int:
    """Write the list of `page`, whose head has been read, to into[at:]. The reference is source[start:][:length].

    `length` < 0: there is no reference. Returns the position after the record.
    """
    copied = np.int64(0)
    if length >= 0:
        copied, position = copy_blocks(links, position, source, start, length, into, at, degree, True)
    extra = degree - copied
    if extra > 0:
        if copied == 0:
            position = read_extras(links, pages, page, position, extra, into, at, buffer.spans)
        else:
            position = read_extras(links, pages, page, position, extra, buffer.extras, 0, buffer.spans)
            if not merge_back(into, at, copied, buffer.extras, extra):
                raise CorruptLinks(TWICE)
    if position > links.stream.size * 8:
        raise CorruptLinks(OVERRUN)
    return position


@inlined
def follow_chain(links: Any, page: int, buffer: Any) -> tuple[int, int, int]:
    """Decode `page` into buffer.lists after all pages it copies from.

    Returns (start of its list there, length, position after the record).
    """
    pages = links.offsets.size - 1
    chain, lists = buffer.chain, buffer.lists
    buffer.at[0] = page
    depth = np.int64(0)
    current = np.int64(page)
    half = lists.size // 2
    while True:
        degree, reference, position = read_head(links, pages, current, links.offsets[current])
        if 3 * depth >= chain.size or degree > half:
            raise CorruptLinks("it copies from more pages, or has more links, than any page in the file")
        chain[3 * depth] = current
        chain[3 * depth + 1] = degree
        chain[3 * depth + 2] = position
        depth += 1
        if degree == 0 or reference == 0:
            break
        current -= reference
    source, into = half, np.int64(0)
    length = np.int64(-1)
    for k in range(depth - 1, -1, -1):
        current, degree, position = chain[3 * k], chain[3 * k + 1], chain[3 * k + 2]
        if degree > 0:
            position = decode_list(links, pages, current, position, degree, lists, source, length, lists, into, buffer)
        source, into = into, source
        length = degree
    return source, length, position


@kernel
def bv_successors(links: Any, page: int, buffer: Any) -> Any:
    """The list of one page: its chain of references is followed to the end, then decoded backwards."""
    start, length, _ = follow_chain(links, page, buffer)
    if links.self_linked.size > 0 and links.self_linked[page >> 3] & (128 >> (page & 7)):
        length = take_out(buffer.lists, start, length, page)
    return buffer.lists[start : start + length]


implements(successors, BvLinks)(bv_successors)
implements(page_count, BvLinks)(lambda links: links.offsets.size - 1)


@inlined
def take_out(lists: Any, start: int, length: int, page: int) -> int:
    """Remove `page` from lists[start : start + length]; returns the new length."""
    write = start
    for k in range(start, start + length):
        target = lists[k]
        if target != page:
            lists[write] = target
            write += 1
    return write - start


@kernel
def drop_self_links(first: int, out_ptr: Any, out_idx: Any) -> int:
    """Remove the links from a page to itself, in place; returns the number of remaining links."""
    write = 0
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k] - out_ptr[0], out_ptr[k + 1] - out_ptr[0]):
            target = out_idx[j]
            if target != first + k:
                out_idx[write] = target
                write += 1
    return write


@borrowing
def decode_first(links: Any, page: int, degree: int, into: Any, at: int, buffer: Any) -> int:
    """As decode_list, for a page whose reference comes before the range being decoded."""
    start, length, position = follow_chain(links, page, buffer)
    if length != degree:
        raise CorruptLinks(CHANGED)
    for k in range(length):
        into[at + k] = buffer.lists[start + k]
    return position


@borrowing
def decode_range(links: Any, first: int, last: int, out_ptr: Any, out_idx: Any, buffer: Any) -> None:
    """Write the lists of pages first … last − 1 to out_idx, page p's at out_ptr[p − first] − out_ptr[0]."""
    pages = links.offsets.size - 1
    base = out_ptr[0]
    for page in range(first, last):
        buffer.at[0] = page
        at = out_ptr[page - first] - base
        degree, reference, position = read_head(links, pages, page, links.offsets[page])
        if degree != out_ptr[page - first + 1] - base - at or at + degree > out_idx.size:
            raise CorruptLinks(CHANGED)
        other = page - reference
        if reference > 0 and other < first:
            position = decode_first(links, page, degree, out_idx, at, buffer)
        elif degree > 0:
            start = out_ptr[other - first] - base
            length = out_ptr[other - first + 1] - base - start if reference > 0 else np.int64(-1)
            position = decode_list(links, pages, page, position, degree, out_idx, start, length, out_idx, at, buffer)
        if position != links.offsets[page + 1]:
            raise CorruptLinks("its record does not end where the next one starts")


def make_buffer(largest: int, longest: int, min_interval: int) -> Buffer:
    """Working space for lists of at most `largest` links and chains of at most `longest` references."""
    return Buffer(
        lists=np.empty(2 * largest, np.int64),
        extras=np.empty(largest, np.int64),
        spans=np.empty(2 * (largest // max(min_interval, 1)), np.int64),
        chain=np.empty(3 * longest, np.int64),
        at=np.zeros(1, np.int64),
    )


def ring(window: int) -> Ints:
    """Room for the last `window` + 1 pages, a power of two so that a mask gives the position."""
    return np.zeros(1 << int(window).bit_length(), np.int64)


@borrowing
def survey(links: Any, out_ptr: Ints, chains: Ints, at: Ints) -> tuple[int, int]:
    """Fill out_ptr with the running sum of outdegrees; returns (largest outdegree, longest chain of references)."""
    pages = links.offsets.size - 1
    mask = chains.size - 1
    largest = np.int64(0)
    longest = np.int64(1)
    out_ptr[0] = 0
    for page in range(pages):
        at[0] = page
        degree, reference, _ = read_head(links, pages, page, links.offsets[page])
        out_ptr[page + 1] = out_ptr[page] + degree
        chain = chains[(page - reference) & mask] + 1 if reference > 0 else np.int64(1)
        chains[page & mask] = chain
        largest = max(largest, degree)
        longest = max(longest, chain)
    return largest, longest


@borrowing
def skim(links: Any, pages: int, offsets: Ints, degrees: Ints, at: Ints) -> None:
    """Find where each record starts by reading all of them once; only the window's outdegrees are kept."""
    mask = degrees.size - 1
    position = np.int64(0)
    for page in range(pages):
        at[0] = page
        offsets[page] = position
        degree, reference, position = read_head(links, pages, page, position)
        degrees[page & mask] = degree
        extra = degree
        if reference > 0:
            length = degrees[(page - reference) & mask]
            copied, position = copy_blocks(links, position, degrees, 0, length, degrees, 0, degree, False)
            extra -= copied
        if extra > 0:
            position = skip_extras(links, position, extra)
        if position > links.stream.size * 8:
            raise CorruptLinks(OVERRUN)
    offsets[pages] = position


@inlined
def skip_extras(links: Any, position: int, extra: int) -> int:
    """As read_extras, without writing."""
    if links.coding.min_interval > 0:
        intervals, position = read_gamma(links.stream, position)
        if intervals > extra // links.coding.min_interval:
            raise CorruptLinks("it has more intervals than links")
        for _ in range(intervals):
            _, position = read_gamma(links.stream, position)
            length, position = read_gamma(links.stream, position)
            if length > extra - links.coding.min_interval:
                raise CorruptLinks("an interval exceeds its links")
            extra -= length + links.coding.min_interval
    for _ in range(extra):
        _, position = read_code(links.stream, position, links.coding.residuals, links.coding.zeta_k)
    return position


@borrowing
def read_offsets(stream: Bytes, code: int, offsets: Ints, last: int) -> int:
    """Read running sums of coded gaps; returns how many were read before the stream ended or passed `last`."""
    position = np.int64(0)
    value = np.int64(0)
    end = stream.size * 8
    for k in range(offsets.size):
        if position >= end:
            return k
        gap, position = read_code(stream, position, code, 0)
        if position > end or gap > last - value:
            return k
        value += gap
        offsets[k] = value
    return offsets.size
