"""Shares by largest remainder, one at a time and in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def shares(importance: Sequence[int | float], k: int, most: Sequence[int]) -> list[int]:
    given = [0] * len(importance)
    rest = min(k, sum(most))
    for weights in ([max(Fraction(one), Fraction(0)) for one in importance], [Fraction(one) for one in most]):
        open_ = [site for site in range(len(most)) if weights[site] > 0 and given[site] < most[site]]
        while rest and open_:
            total = sum(weights[site] for site in open_)
            quota = {site: rest * weights[site] / total for site in open_}
            full = [site for site in open_ if quota[site] >= most[site]]
            if not full:
                for site in open_:
                    given[site] = int(quota[site])
                over = rest - sum(given[site] for site in open_)
                for site in sorted(open_, key=lambda one: (int(quota[one]) - quota[one], one))[:over]:
                    given[site] += 1
                return given
            for site in full:
                given[site] = most[site]
                rest -= most[site]
            open_ = [site for site in open_ if site not in full]
    return given
