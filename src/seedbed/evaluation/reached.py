"""What a crawl has reached besides PageRank: hosts, communities, and how much of it is spam.

Communities are given as a number a page (synthetic webs have them as the column `community`); below 0: in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web


@dataclass(frozen=True)
class Reached:
    """Hosts and communities with at least one page fetched, and the share of pages fetched that are spam.

    None where the web does not tell.
    """

    hosts: int | None
    communities: int | None
    spam_share: float | None


def reached(
    run: Run, web: Web, *, communities: NDArray[Any] | None = None, spam: NDArray[Any] | None = None
) -> Reached:
    """What a run has reached; communities and spam from the web's columns where they are not given."""
    communities = web.columns.get("community") if communities is None else communities
    spam = web.columns.get("spam") if spam is None else spam
    has_hosts = web.urls is not None or web.hosts is not None
    return Reached(
        hosts=len(np.unique(web.sites("host").of_page[run.pages])) if has_hosts else None,
        communities=None if communities is None else _distinct(np.asarray(communities)[run.pages]),
        spam_share=None if spam is None else float(np.mean(np.asarray(spam)[run.pages] != 0)) if len(run) else 0.0,
    )


def _distinct(numbers: NDArray[Any]) -> int:
    return len(np.unique(numbers[numbers >= 0]))
