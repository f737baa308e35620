"""Seeds by any strategy, with what else users ask for: values, limits, excluded pages, required seeds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, counted, no_progress
from seedbed.common.threads import thread_count
from seedbed.errors import InputError, OptionError, UsageError
from seedbed.graph.web import Web
from seedbed.seeds import strategy_of
from seedbed.seeds.gain import enough, gain_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.per_site import Importance, picks_by_site
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Gain, Pick, Seed, Seeds
from seedbed.seeds.strategy import Choose, Strategy
from seedbed.urls.sites import SiteKind

REQUIRED = "required"


def select(
    web: Web,
    strategy: str | Strategy | Choose = "cover",
    k: int = 100,
    *,
    hops: int = 5,
    values: NDArray[Any] | None = None,
    limits: Limits | None = None,
    until: float | None = None,
    per_site: SiteKind | None = None,
    importance: Importance = "pages",
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Seeds:
    """k seeds by a strategy, or with `until` as many as cover that share of the value. `options`: the strategy's.

    `strategy`: a name, or a function of your own (see seeds/strategy.py). `per_site`: run the strategy inside each host
    or domain, and divide the seeds by the sites' `importance` (see seeds/per_site.py).
    """
    start = time.perf_counter()
    chosen, limits = strategy_of(strategy), limits or Limits()
    options = chosen.checked(options)
    worth = checked_values(web.page_count, values)
    check_request(web.page_count, k, hops)
    limits.check(web, k)
    problem = Problem(
        web,
        worth,
        hops=hops,
        allowed=limits.allowed,
        taken=limits.taken,
        quota=limits.quota(web),
        random=np.random.default_rng(seed),
        threads=thread_count(threads),
        progress=progress,
    )
    wanted = min(k, web.page_count) - len(limits.required)
    settings: dict[str, Any] = {"k": k, "hops": hops, "seed": seed, "until": until}
    if per_site is None:
        picks = chosen(problem, wanted, **options)
    else:
        settings |= {"per_site": per_site, "importance": importance}
        picks = picks_by_site(problem, chosen, wanted, options, per_site, importance, limits, seed)
    picks = [*(Pick(page, 0.0, "asked for") for page in limits.required), *picks]
    gain = gain_of(web, [pick.page for pick in picks], worth, hops, limits.held)
    notes = [*problem.notes, *limits.notes(web)]
    found = as_seeds(chosen.name, picks, gain, settings | options, notes, len(limits.required))
    return replace(found, seconds=time.perf_counter() - start, web=web)


def as_seeds(
    strategy: str, picks: list[Pick], gain: Gain, options: dict[str, Any], notes: list[str], required: int = 0
) -> Seeds:
    """Picks with their ranks, as many as `until` asks for; the first ones are `required`."""
    k, until = options["k"], options["until"]
    if until is not None:
        picks = picks[: max(enough(gain, until), required)]
        gain = gain.first(len(picks))
    seeds = tuple(
        Seed(rank, one.page, one.score, REQUIRED if rank <= required else strategy, one.reason, one.core)
        for rank, one in enumerate(picks, 1)
    )
    return Seeds(strategy, seeds, options, gain, (*notes, *_notes(k, until, gain)))


def checked_values(pages: int, values: NDArray[Any] | None) -> NDArray[np.float64]:
    """One finite value per page; 1 each if none are given."""
    if values is None:
        return np.ones(pages)
    worth = np.asarray(values, np.float64)
    if worth.shape != (pages,):
        given = len(worth) if worth.ndim == 1 else f"{worth.ndim}-dimensional"
        raise OptionError(f"{given} values were given for {pages} pages; one per page is needed.")
    if not np.isfinite(worth).all():
        page = int(np.flatnonzero(~np.isfinite(worth))[0])
        raise OptionError(f"the value of page {page} is {worth[page]}; values must be finite numbers.")
    if np.abs(worth).max(initial=0.0) > np.finfo(np.float64).max / max(pages, 1):
        raise OptionError("the sum of the values overflows; divide them all by the same number.")
    return worth


def check_request(pages: int, k: int, hops: int) -> None:
    """Refuse impossible requests."""
    if not pages:
        raise InputError("the web has no pages to choose from.")
    if k < 1:
        raise UsageError(f"k is {k}; it must be at least 1.")
    if hops < 0:
        raise UsageError(f"hops is {hops}; it must be at least 0.")


def _notes(k: int, until: float | None, gain: Gain) -> Iterator[str]:
    """What the number of seeds found does not say by itself."""
    if k > gain.total_pages:
        yield f"k is {k:,}, more than the web's {gain.total_pages:,} pages: all of them may be seeds."
    found, share = len(gain.pages), gain.covered_value / gain.total_value if gain.total_value else 1.0
    if until is not None and share < until * (1 - 1e-12):
        yield f"the seeds cover {100 * share:.1f} % of the value; {100 * until:g} % was asked for."
    elif until is None and found < min(k, gain.total_pages):
        yield f"{counted(found, 'seed')} instead of {k:,}: there is nothing left to choose."
