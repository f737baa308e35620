"""Going through a BVGraph without decoding its lists: where records start, how long lists and chains are.

To skip a record only the outdegrees of the window are needed. O(pages) with offsets, O(codes) without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined
from seedbed.errors import CorruptLinks
from seedbed.links.bit_reader import OVERRUN, read_code, read_gamma, read_usually_gamma, read_usually_zeta
from seedbed.links.bvgraph_decoding import read_head


def ring(window: int) -> NDArray[np.int64]:
    """Room for the last `window` + 1 pages, a power of two so that a mask finds the place."""
    return np.zeros(1 << int(window).bit_length(), np.int64)


@borrowing
def survey(links: Any, out_ptr: NDArray[np.int64], chains: NDArray[np.int64], at: NDArray[np.int64]) -> tuple[int, int]:
    """Fill out_ptr with the running sum of outdegrees; gives (largest outdegree, longest chain of references)."""
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
def skim(links: Any, pages: int, offsets: NDArray[np.int64], degrees: NDArray[np.int64], at: NDArray[np.int64]) -> None:
    """Find where each record starts by reading all of them once; only outdegrees of the window are kept."""
    mask = degrees.size - 1
    position = np.int64(0)
    for page in range(pages):
        at[0] = page
        offsets[page] = position
        degree, reference, position = read_head(links, pages, page, position)
        degrees[page & mask] = degree
        extra = degree
        if reference > 0:
            copied, position = skip_blocks(links, position, degrees[(page - reference) & mask])
            extra -= copied
            if extra < 0:
                raise CorruptLinks("it copies more links than it has")
        if extra > 0:
            position = skip_extras(links, position, extra)
        if position > links.stream.size * 8:
            raise CorruptLinks(OVERRUN)
    offsets[pages] = position


@inlined
def skip_blocks(links: Any, position: int, length: int) -> tuple[int, int]:
    """As copy_blocks, without copying."""
    blocks, position = read_usually_gamma(links.stream, position, links.block_count_code)
    if blocks > length + 1:
        raise CorruptLinks("it has more copy blocks than there is to copy")
    used = np.int64(0)
    copied = np.int64(0)
    for k in range(blocks):
        run, position = read_usually_gamma(links.stream, position, links.block_code)
        if k > 0:
            run += 1
        if run > length - used:
            raise CorruptLinks("its copy blocks exceed the list they copy from")
        if k & 1 == 0:
            copied += run
        used += run
    if blocks & 1 == 0:
        copied += length - used
    return copied, position


@inlined
def skip_extras(links: Any, position: int, extra: int) -> int:
    """As read_extras, without writing."""
    if links.min_interval > 0:
        intervals, position = read_gamma(links.stream, position)
        if intervals > extra // links.min_interval:
            raise CorruptLinks("it has more intervals than links")
        for _ in range(intervals):
            _, position = read_gamma(links.stream, position)
            length, position = read_gamma(links.stream, position)
            if length > extra - links.min_interval:
                raise CorruptLinks("an interval exceeds its links")
            extra -= length + links.min_interval
    for _ in range(extra):
        _, position = read_usually_zeta(links.stream, position, links.residual_code, links.zeta_k)
    return position


@borrowing
def read_offsets(stream: NDArray[np.uint8], code: int, offsets: NDArray[np.int64], last: int) -> int:
    """Running sums of coded gaps; gives the number of offsets read before the stream ended or passed `last`."""
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
