"""What a simulated crawl has to cope with: politeness, failures, limits. All off by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.crawling.crawl_state import CrawlLimits
from seedbed.errors import OptionError, UsageError

if TYPE_CHECKING:
    from seedbed.graph.web import Web


def whole_number(name: str, value: SupportsInt) -> int:
    """A plain int of an option, whatever number it was given as."""
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = None
    if whole is None or whole != value:
        raise UsageError(f"{name} is {value}; a whole number is needed.")
    return whole


@dataclass(frozen=True)
class Conditions:
    """How the crawl goes.

    `per_host`: pages that are fetched of a host at most. `max_depth`: links from a seed at most. `failure`: the
    probability that a fetch fails, for all hosts or by host name ('' for those not named); a page that failed is not
    fetched again, yields no links and does not count against the budget. `fetches_per_tick`: politeness, time goes in
    ticks of so many fetches, of which at most one goes to each host. `crawled_only`: pages whose column `crawled` is 0
    are known, and cannot be fetched. `seed`: what chance depends on; the same pages fail in every order.
    """

    per_host: int | None = None
    max_depth: int | None = None
    failure: float | Mapping[str, float] = 0.0
    fetches_per_tick: int | None = None
    crawled_only: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        for name, least in (("per_host", 1), ("max_depth", 0), ("fetches_per_tick", 1)):
            value = getattr(self, name)
            if value is not None and not least <= whole_number(name, value) < 2**63:
                raise UsageError(f"{name} is {value}; it must be at least {least}.")
            object.__setattr__(self, name, None if value is None else whole_number(name, value))
        chances = self.failure.values() if isinstance(self.failure, Mapping) else [self.failure]
        for chance in chances:
            if not 0 <= chance <= 1:
                raise UsageError(f"failure is {chance:g}; a probability is from 0 to 1.")
        plain = (
            {str(host): float(chance) for host, chance in self.failure.items()}
            if isinstance(self.failure, Mapping)
            else float(self.failure)
        )
        object.__setattr__(self, "failure", plain)

    def changed(self) -> dict[str, Any]:
        """Those that are not as by default, for the record of a run."""
        plain = asdict(Conditions())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    def limits(self, web: Web) -> CrawlLimits:
        """The same as arrays."""
        by_host = isinstance(self.failure, Mapping) and bool(self.failure)
        needs_hosts = self.per_host is not None or by_host or self.fetches_per_tick is not None
        hosts = web.sites("host") if needs_hosts else None
        count = 0 if hosts is None else len(hosts.names)
        return CrawlLimits(
            host=frozen(np.empty(0, np.int32)) if hosts is None else hosts.of_page,
            left=np.full(count if self.per_host is not None else 0, self.per_host or 0, np.int64),
            failure=frozen(self._failures(web) if self.failure else np.empty(0)),
            excluded=frozen(self._excluded(web) if self.crawled_only else np.empty(0, np.bool_)),
            depth=np.zeros(web.page_count if self.max_depth is not None else 0, np.int32),
            max_depth=self.max_depth or 0,
            salt=(self.seed + 2**63) % 2**64 - 2**63,
        )

    def _failures(self, web: Web) -> NDArray[np.float64]:
        if not isinstance(self.failure, Mapping):
            return np.array([self.failure])
        names = web.sites("host").names
        number = {name: host for host, name in enumerate(names)}
        chances = np.full(len(names), float(self.failure.get("", 0.0)))
        for name, chance in self.failure.items():
            if name and name not in number:
                raise OptionError(f"failure names the host '{name}', and the web has no page of it.")
            if name:
                chances[number[name]] = chance
        return chances

    def _excluded(self, web: Web) -> NDArray[np.bool_]:
        if web.crawled is None:
            raise OptionError(
                "the web has no column 'crawled' that says which pages were fetched; archives and crawl logs give "
                "one when converted."
            )
        return ~web.crawled
