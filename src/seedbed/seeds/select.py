"""Seeds by any strategy, with what users ask for besides: values, limits, pages left out, seeds that must be in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, counted, no_progress
from seedbed.common.threads import thread_count
from seedbed.errors import InputError, OptionError, UsageError, unknown
from seedbed.graph.web import Web
from seedbed.seeds import strategy_of
from seedbed.seeds.gain import enough, gain_of
from seedbed.seeds.problem import Problem, Quota
from seedbed.seeds.seeds import Gain, Pick, Seed, Seeds
from seedbed.seeds.strategy import Choose, Strategy
from seedbed.urls.sites import SiteKind

REQUIRED = "required"


@dataclass(frozen=True)
class Limits:
    """What may be chosen, and what is there already. `required` pages come first; `held` ones are not listed again.

    A page named twice counts once, and one that is both held and required is required.
    """

    most_per_site: int | None = None
    site: SiteKind = "host"
    excluded: NDArray[np.bool_] | None = None
    held: tuple[int, ...] = ()
    required: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.site not in ("host", "domain"):
            raise unknown("kind of site", self.site, ("host", "domain"))
        if self.most_per_site is not None and self.most_per_site < 1:
            raise UsageError(f"at most {self.most_per_site} seeds a site leave none; give 1 or more.")
        required = dict.fromkeys(map(int, self.required))
        object.__setattr__(self, "required", tuple(required))
        object.__setattr__(
            self, "held", tuple(page for page in dict.fromkeys(map(int, self.held)) if page not in required)
        )


def select(
    web: Web,
    strategy: str | Strategy | Choose = "cover",
    k: int = 100,
    *,
    hops: int = 5,
    values: NDArray[Any] | None = None,
    limits: Limits | None = None,
    until: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Seeds:
    """k seeds by a strategy, or with `until` as many as cover that share of the value. Options: the strategy's.

    `strategy`: a name, or a function of your own: see seeds/strategy.py.
    """
    start = time.perf_counter()
    chosen = strategy_of(strategy)
    options = chosen.checked(options)
    limits = limits or Limits()
    worth = checked_values(web, values)
    check_request(web, k, hops, limits)
    problem = Problem(
        web,
        worth,
        hops=hops,
        allowed=None if limits.excluded is None else ~limits.excluded,
        taken=(*limits.held, *limits.required),
        quota=_quota(web, limits),
        random=np.random.default_rng(seed),
        threads=thread_count(threads),
        progress=progress,
    )
    picks = chosen(problem, min(k, web.page_count) - len(limits.required), **options)
    settings = {"k": k, "hops": hops, "seed": seed, "until": until, **options}
    return as_seeds(web, chosen.name, picks, worth, limits, settings, problem.notes, start)


def as_seeds(
    web: Web,
    strategy: str,
    picks: Iterable[Pick],
    worth: NDArray[np.float64],
    limits: Limits,
    settings: dict[str, Any],
    notes: Iterable[str],
    start: float,
) -> Seeds:
    """The required pages, then picks, as many as `until` asks for; what they cover, and what is to be told."""
    required, until = len(limits.required), settings["until"]
    picks = [*(Pick(page, 0.0, "asked for") for page in limits.required), *picks]
    gain = gain_of(web, [pick.page for pick in picks], worth, settings["hops"], limits.held)
    if until is not None:
        picks = picks[: max(enough(gain, until), required)]
        gain = gain.first(len(picks))
    seeds = tuple(
        Seed(rank, pick.page, pick.score, REQUIRED if rank <= required else strategy, pick.reason, pick.core)
        for rank, pick in enumerate(picks, 1)
    )
    told = (*notes, *notes_on_limits(web, limits), *notes_on(settings["k"], until, gain))
    return Seeds(strategy, seeds, settings, gain, told, time.perf_counter() - start, web)


def checked_values(web: Web, values: NDArray[Any] | None) -> NDArray[np.float64]:
    """One finite value a page; 1 each where none are given."""
    if values is None:
        return np.ones(web.page_count)
    worth = np.asarray(values, np.float64)
    if worth.shape != (web.page_count,):
        given = len(worth) if worth.ndim == 1 else f"{worth.ndim}-dimensional"
        raise OptionError(f"{given} values were given for {web.page_count} pages; one a page is needed.")
    if not np.isfinite(worth).all():
        page = int(np.flatnonzero(~np.isfinite(worth))[0])
        raise OptionError(f"the value of page {page} is {worth[page]}; values must be finite numbers.")
    if np.abs(worth).max(initial=0.0) > np.finfo(np.float64).max / max(web.page_count, 1):
        raise OptionError("the values together are more than a number can hold; divide them all by the same number.")
    return worth


def check_request(web: Web, k: int, hops: int, limits: Limits) -> None:
    """Refuse what cannot be."""
    if not web.page_count:
        raise InputError("the web has no pages, so there is none to choose.")
    if k < 1:
        raise UsageError(f"k is {k}; give 1 or more.")
    if hops < 0:
        raise UsageError(f"hops is {hops}; give 0 or more.")
    for what, pages in (("held", limits.held), ("required", limits.required)):
        for page in pages:
            if not 0 <= page < web.page_count:
                raise OptionError(f"the {what} seed {page} is not a page of the web, which has {web.page_count}.")
    if len(limits.required) > k:
        raise OptionError(f"{len(limits.required)} seeds are required, and k is {k}; give a k of at least as many.")


def _quota(web: Web, limits: Limits) -> Quota:
    if limits.most_per_site is None:
        return Quota()
    quota = Quota(web.sites(limits.site).of_page, limits.most_per_site)
    for page in (*limits.held, *limits.required):
        quota.take(page)
    return quota


def notes_on_limits(web: Web, limits: Limits) -> Iterator[str]:
    """Where required seeds are at odds with the other limits; they are in all the same."""
    required = np.array(limits.required, np.int64)
    if limits.excluded is not None and (barred := int(limits.excluded[required].sum())):
        are = "is" if barred == 1 else "are"
        yield f"{barred} of the required seeds {are} among the pages left out, and {are} in all the same."
    if limits.most_per_site is not None and len(required):
        most = int(np.unique(web.sites(limits.site).of_page[required], return_counts=True)[1].max())
        if most > limits.most_per_site:
            yield f"{most} required seeds are of one {limits.site}, which may have {limits.most_per_site}; all are in."


def notes_on(k: int, until: float | None, gain: Gain) -> Iterator[str]:
    """What the number of seeds found does not say by itself."""
    if k > gain.total_pages:
        yield f"k is {k:,}, more than the web's {gain.total_pages:,} pages: all of them may be seeds."
    found, share = len(gain.pages), gain.covered_value / gain.total_value if gain.total_value else 1.0
    if until is not None and share < until * (1 - 1e-12):
        yield f"the seeds cover {100 * share:.1f} % of the value; {100 * until:g} % was asked for."
    elif until is None and found < min(k, gain.total_pages):
        yield f"{counted(found, 'seed')} instead of {k:,}: there is nothing left to choose."
