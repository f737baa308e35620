"""Seeds of an old snapshot carried over to a new one: kept, found again, or replaced, and each time with the reason.

Steps, each for all seeds that the steps ahead of it left over; no page is used twice:

1. kept: the URL is in the new web.
2. renamed: one new page only has the same URL but for its spelling (see sameness).
3. moved: a page of the same host that the old web did not have, and that is in the place of the old one: it has its
   name (see names), or is the page whose links are most alike, both ways (see likeness). How sure it is that this is
   the old page and not one that came after it, the links on the page tell.
4. similar: what step 3 found and was not sure of; else the page anywhere whose links are most like the old ones. Here
   and in step 3 a page with links is not replaced by one without.
5. hub: the page of the same host with the most links to other hosts, unless it is a seed already.
6. chosen anew: by a strategy of `select`, what the pages above cover being covered.

Cost: a pass over the URLs of both webs; if seeds are left over, some passes over the links (see likeness), and
`select` for the rest. docs/refresh.md says what the confidence is, and how often it is justified.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import OptionError
from seedbed.seeds import strategy_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.refresh.refresh_steps import Found, Work
from seedbed.seeds.refresh.refreshed_seeds import ANEW, LOST, Refreshed, RefreshedSeed
from seedbed.seeds.select import select
from seedbed.seeds.strategy import Choose, Strategy

if TYPE_CHECKING:
    from seedbed.graph.web import Web

ALIKE = 0.5
SURE = 0.25


def refresh(
    old: Web,
    new: Web,
    seeds: Sequence[int | str],
    *,
    strategy: str | Strategy | Choose = "cover",
    k: int | None = None,
    hops: int = 5,
    alike: float = ALIKE,
    sure: float = SURE,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Refreshed:
    """k seeds in the new web, by default one for each old seed. `options`: the strategy's.

    A seed is a page of the old web, or a URL; one that the old web does not have is looked for by its URL alone.
    """
    start = time.perf_counter()
    chosen = strategy_of(strategy)
    options = chosen.checked(options)
    asked = _checked(old, seeds)
    k = len(asked) if k is None else k
    if k < 0 or not (0 <= alike <= 1 and 0 <= sure <= 1):
        raise OptionError(f"k is {k}, alike {alike}, sure {sure}; k must be 0 or more, the others from 0 to 1.")
    work = Work(old, new, asked[:k])
    work.by_url()
    progress("matching links", 0, 0)
    if work.left():
        work.by_name_and_links(alike, sure)
    if work.left():
        work.hubs()
    progress("choosing anew", 0, 0)
    wanted = min(k, new.page_count) - len(work.used)
    anew, said = _anew(new, tuple(work.used), wanted, chosen, {"hops": hops, "threads": threads, **options})
    rows = _rows(work, anew, k)
    notes = (*_notes(len(seeds), len(asked), k, rows), *said)
    return Refreshed(chosen.name, tuple(rows), notes, time.perf_counter() - start)


def _checked(old: Web, seeds: Sequence[int | str]) -> list[int | str]:
    asked: dict[int | str, None] = {}
    for seed in seeds:
        if isinstance(seed, str):
            page = None if old.urls is None else old.urls.find(seed)
            asked[seed if page is None else page] = None
        elif 0 <= seed < old.page_count:
            asked[int(seed)] = None
        else:
            raise OptionError(f"the seed {seed} is not a page of the old web, which has {old.page_count}.")
    return list(asked)


def _anew(
    web: Web, used: tuple[int, ...], wanted: int, strategy: Strategy, options: dict[str, Any]
) -> tuple[list[Found], list[str]]:
    """Step 6; where the strategy finds nothing left to gain, the pages with most links. And what it has to tell."""
    if wanted <= 0:
        return [], []
    seeds = select(web, strategy, wanted, limits=Limits(held=used), **options)
    chosen = list(seeds)
    if len(chosen) < wanted:
        limits = Limits(held=(*used, *(seed.page for seed in chosen)))
        chosen += select(web, "outdegree", wanted - len(chosen), limits=limits)
    found = [Found(ANEW, seed.page, 0.0, f"{seed.strategy}: {seed.reason}") for seed in chosen]
    notes = [f"chosen anew by {strategy.name}: {note}" for note in seeds.notes]
    if len(chosen) > len(seeds):
        notes.append(f"the other {len(chosen) - len(seeds)} chosen anew are the pages with most links.")
    return found, notes


def _rows(work: Work, anew: list[Found], k: int) -> list[RefreshedSeed]:
    rest = iter(anew)
    rows = []
    for rank in range(1, k + 1):
        seed = work.seeds[rank - 1] if rank <= len(work.seeds) else None
        found = None if seed is None else work.found.get(seed)
        found = found or next(rest, None)
        before = (None if isinstance(seed, str) else seed, None if seed is None else work.url_of(seed))
        if found is None:
            rows.append(RefreshedSeed(rank, *before, LOST, None, None, 0.0, "the new web has no page left"))
        else:
            url = work.new_urls[found.page]
            rows.append(RefreshedSeed(rank, *before, found.how, found.page, url, found.confidence, found.reason))
    return rows


def _notes(given: int, asked: int, k: int, rows: list[RefreshedSeed]) -> Iterable[str]:
    if given > asked:
        yield f"named twice, and counted once: {counted(given - asked, 'old seed')}."
    if k < asked:
        yield f"k is {k}: the last {asked - k} of {asked} old seeds were left out."
    lost = sum(row.how == LOST for row in rows)
    if lost:
        has = counted(lost, "seed has", "seeds have")
        yield f"{has} no page: the new web has fewer pages than seeds were asked for."
