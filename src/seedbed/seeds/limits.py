"""Which pages may be seeds, and which already are: limits per site, exclusions, held and required seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.common.user_lists import numbered_lines
from seedbed.errors import InputError, OptionError, UsageError, unknown
from seedbed.seeds.problem import Quota
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from seedbed.graph.web import Web


@dataclass(frozen=True)
class Limits:
    """What may be chosen, and what is already there. `required` pages come first; `held` ones are not listed again.

    A page named twice counts once, and one that is both held and required is required.
    """

    max_per_site: int | None = None
    site: SiteKind = "host"
    excluded: NDArray[np.bool_] | None = None
    held: tuple[int, ...] = ()
    required: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.site not in ("host", "domain"):
            raise unknown("kind of site", self.site, ("host", "domain"))
        if self.max_per_site is not None and self.max_per_site < 1:
            raise UsageError(f"at most {self.max_per_site} seeds per site leave none; it must be at least 1.")
        required = dict.fromkeys(map(int, self.required))
        object.__setattr__(self, "required", tuple(required))
        object.__setattr__(
            self, "held", tuple(page for page in dict.fromkeys(map(int, self.held)) if page not in required)
        )

    @property
    def taken(self) -> tuple[int, ...]:
        """The seeds that are already there."""
        return (*self.held, *self.required)

    @property
    def allowed(self) -> NDArray[np.bool_] | None:
        """The pages that are not excluded; None for all."""
        return None if self.excluded is None else ~self.excluded

    def check(self, web: Web, k: int) -> None:
        """Refuse seeds that the web does not have, and more required seeds than k."""
        for what, pages in (("held", self.held), ("required", self.required)):
            for page in pages:
                if not 0 <= page < web.page_count:
                    raise OptionError(f"the {what} seed {page} is not a page of the web, which has {web.page_count}.")
        if len(self.required) > k:
            raise OptionError(f"{len(self.required)} seeds are required, and k is {k}; give a k of at least as many.")

    def quota(self, web: Web) -> Quota:
        """How many seeds each site may still have."""
        quota = Quota() if self.max_per_site is None else Quota(web.sites(self.site).of_page, self.max_per_site)
        for page in self.taken:
            quota.take(page)
        return quota

    def notes(self, web: Web) -> Iterator[str]:
        """Notes on required seeds that conflict with the other limits; they are included all the same."""
        required = np.array(self.required, np.int64)
        if self.excluded is not None and (barred := int(self.excluded[required].sum())):
            are = "is" if barred == 1 else "are"
            yield f"{barred} of the required seeds {are} among the excluded pages, and {are} kept all the same."
        if self.max_per_site is not None and len(required):
            most = int(np.unique(web.sites(self.site).of_page[required], return_counts=True)[1].max())
            if most > self.max_per_site:
                yield f"{most} required seeds are on one {self.site}, which may have {self.max_per_site}; all are kept."


def excluded_pages(web: Web, path: Path) -> tuple[NDArray[np.bool_], list[str]]:
    """A mask over the pages a list names, and the entries of the list that match none of them.

    A line with :// is a URL; any other is a host, or a domain and all its hosts.
    """
    names = list(dict.fromkeys(line.strip() for _, line in numbered_lines(path)))
    mask = np.zeros(web.page_count, np.bool_)
    urls = [name for name in names if "://" in name]
    if urls and web.urls is None:
        raise InputError(f"{path}: lists URLs, and the web has none.")
    found = web.urls.find_many(urls) if urls and web.urls is not None else np.empty(0, np.int64)
    mask[found[found >= 0]] = True
    unknown = [url for url, page in zip(urls, found, strict=True) if page < 0]
    sites = {name.lower(): name for name in names if "://" not in name}
    left = dict(sites)
    for kind in ("host", "domain") if sites else ():
        table = web.sites(kind)
        wanted = {place: str(name) for place, name in enumerate(table.names) if name in sites}
        mask |= np.isin(table.of_page, list(wanted))
        for name in wanted.values():
            left.pop(name, None)
    return mask, unknown + list(left.values())
