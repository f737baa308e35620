"""BVGraph written and read bit by bit, as strings of '0' and '1', after Boldi and Vigna's description."""

from __future__ import annotations

from seedbed.links.bvgraph_properties import BvProperties

DELTA, GAMMA, GOLOMB, UNARY, ZETA, NIBBLE = 1, 2, 3, 5, 6, 7


def minimal_binary(x: int, below: int) -> str:
    """x < below, in ⌊log₂ below⌋ bits or one more."""
    width = below.bit_length() - 1
    short = 2 ** (width + 1) - below
    if x < short:
        return f"{x:0{width}b}" if width else ""
    return f"{x + short:0{width + 1}b}"


def unary(x: int) -> str:
    return "0" * x + "1"


def gamma(x: int) -> str:
    low = f"{x + 1:b}"[1:]
    return unary(len(low)) + low


def delta(x: int) -> str:
    low = f"{x + 1:b}"[1:]
    return gamma(len(low)) + low


def zeta(x: int, k: int) -> str:
    h = ((x + 1).bit_length() - 1) // k
    return unary(h) + minimal_binary(x + 1 - 2 ** (h * k), 2 ** ((h + 1) * k) - 2 ** (h * k))


def golomb(x: int, b: int) -> str:
    return unary(x // b) + minimal_binary(x % b, b)


def nibble(x: int) -> str:
    groups = f"{x:o}"
    return "".join(("1" if k == len(groups) - 1 else "0") + f"{int(g):03b}" for k, g in enumerate(groups))


def code(x: int, which: int, k: int = 3) -> str:
    """x in any of the codes."""
    return {
        UNARY: unary,
        GAMMA: gamma,
        DELTA: delta,
        ZETA: lambda x: zeta(x, k),
        GOLOMB: lambda x: golomb(x, k),
        NIBBLE: nibble,
    }[which](x)


class Bits:
    """Reads codes from a string of bits."""

    def __init__(self, bits: str) -> None:
        self.bits = bits
        self.at = 0

    def take(self, width: int) -> int:
        self.at += width
        return int(self.bits[self.at - width : self.at] or "0", 2)

    def unary(self) -> int:
        x = self.bits.index("1", self.at) - self.at
        self.at += x + 1
        return x

    def minimal_binary(self, below: int) -> int:
        width = below.bit_length() - 1
        short = 2 ** (width + 1) - below
        x = self.take(width)
        return x if x < short else 2 * x + self.take(1) - short

    def gamma(self) -> int:
        width = self.unary()
        return 2**width + self.take(width) - 1

    def code(self, which: int, k: int = 3) -> int:
        if which == UNARY:
            return self.unary()
        if which == GAMMA:
            return self.gamma()
        if which == DELTA:
            width = self.gamma()
            return 2**width + self.take(width) - 1
        if which == ZETA:
            h = self.unary()
            return 2 ** (h * k) + self.minimal_binary(2 ** ((h + 1) * k) - 2 ** (h * k)) - 1
        if which == GOLOMB:
            return self.unary() * k + self.minimal_binary(k)
        x = 0
        while True:
            last, group = self.take(1), self.take(3)
            x = 8 * x + group
            if last:
                return x


def int_of(x: int) -> int:
    """0, −1, 1, −2, 2, … from 0, 1, 2, 3, 4, …"""
    return x // 2 if x % 2 == 0 else -(x + 1) // 2


def decode(bits: str, p: BvProperties) -> list[list[int]]:
    """All lists of a graph."""
    stream = Bits(bits)
    lists: list[list[int]] = []
    for page in range(p.nodes):
        lists.append(decode_list(stream, page, lists, p))
    return lists


def decode_list(stream: Bits, page: int, lists: list[list[int]], p: BvProperties) -> list[int]:
    """The next list in the stream."""
    degree = stream.code(p.outdegrees)
    if degree == 0:
        return []
    found: list[int] = []
    reference = stream.code(p.references) if p.window else 0
    if reference:
        source = lists[page - reference]
        at, copying = 0, True
        for k in range(stream.code(p.block_count)):
            run = stream.code(p.blocks) + (k > 0)
            found += source[at : at + run] if copying else []
            at, copying = at + run, not copying
        found += source[at:] if copying else []
    if len(found) < degree and p.min_interval:
        right = page
        for k in range(stream.gamma()):
            left = page + int_of(stream.gamma()) if k == 0 else right + stream.gamma() + 1
            right = left + stream.gamma() + p.min_interval
            found += range(left, right)
    last = None
    for _ in range(degree - len(found)):
        gap = stream.code(p.residuals, p.zeta_k)
        last = page + int_of(gap) if last is None else last + gap + 1
        found.append(last)
    return sorted(found)
