"""The area under a cumulative curve as a share of a bound's: one number for how early a crawl gets what it gets.

    share = ∫₀ᴮ mass(x) dx / ∫₀ᴮ bound(x) dx        bound(x): the most that x pages can hold, see crawling/bound.py

Curves begin with nothing fetched and nothing gained, and are straight between their points. One that ends before the
budget B stays where it is: nothing was left to fetch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError


def area(fetched: NDArray[Any], mass: NDArray[Any], budget: float) -> float:
    """The area under a cumulative curve from no page fetched up to the budget."""
    if len(fetched) != len(mass):
        raise OptionError(f"a curve has {len(fetched)} places and {len(mass)} values; as many of each are needed.")
    inside = np.asarray(fetched) < budget
    places = np.concatenate([[0.0], np.asarray(fetched, np.float64)[inside], [budget]])
    ahead = np.concatenate([[0.0], np.asarray(fetched, np.float64)])
    heights = np.interp(places, ahead, np.concatenate([[0.0], np.asarray(mass, np.float64)]))
    return float(np.sum(np.diff(places) * (heights[1:] + heights[:-1]) / 2))


def area_share(
    fetched: NDArray[Any],
    mass: NDArray[Any],
    bound_fetched: NDArray[Any],
    bound_mass: NDArray[Any],
    budget: float | None = None,
) -> float:
    """The area under a curve as a share of the bound's, up to the same budget: by default where the longer ends.

    1 where nothing can be gained.
    """
    ends = [float(places[-1]) for places in (fetched, bound_fetched) if len(places)]
    limit = max(ends, default=0.0) if budget is None else float(budget)
    most = area(bound_fetched, bound_mass, limit)
    return area(fetched, mass, limit) / most if most else 1.0
