"""What `import seedbed` offers: everything the commands do, under the same names, with results that load and save.

Each function takes what its command takes. Seeds may be `Seeds`, page ids, URLs, or a file of them.
"""

from __future__ import annotations

import importlib
import inspect
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, OptionError, UsageError, unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.crawling.run import Run
    from seedbed.evaluation.comparison import Comparison
    from seedbed.evaluation.experiments.experiment import Experiment
    from seedbed.graph.web import Web
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.refresh.refreshed_seeds import Refreshed
    from seedbed.seeds.seeds import Seeds
    from seedbed.urls.sites import SiteKind

Score = Literal["pagerank", "hits", "hubs", "authorities", "harmonic", "indegree", "outdegree"]
REPRODUCED_PAGES = 100_000


def open(  # noqa: A001 - the word users know
    path: Path | str | Sequence[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    hosts: Path | str | None = None,
    memory: int | str | None = None,
    encoding: str | None = None,
    keep_self_links: bool = False,
    columns: str | Sequence[str] | None = None,
    normalize: bool = False,
    nofollow: Literal["keep", "drop"] = "keep",
    drop_session_parameters: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Web:
    """Open the web at one path (a file, a folder, a pattern, or the base name of several files) or at several paths.

    The format is recognised from the files. `hosts`: for webs without URLs, a file with the host of each page.
    `memory`: how much reading may use, in bytes or as text such as "4GB"; beyond that it uses the disk.

    >>> import pathlib, tempfile, seedbed as sb
    >>> file = pathlib.Path(tempfile.mkdtemp(), "links.tsv")
    >>> _ = file.write_text("http://a.example/\\thttp://b.example/\\n")
    >>> sb.open(file)
    Web(2 pages, 1 links, csr)
    """
    from seedbed.common.memory import parse_size
    from seedbed.sources.opening import ReadOptions, open_web

    if nofollow not in ("keep", "drop"):
        raise unknown("way with nofollow", nofollow, ("keep", "drop"))
    options = ReadOptions(
        keep_self_links=keep_self_links,
        memory=parse_size(memory) if isinstance(memory, str) else memory,
        hosts=None if hosts is None else Path(hosts),
        encoding=encoding,
        progress=progress or no_progress,
        drop_nofollow=nofollow == "drop",
        drop_sessions=drop_session_parameters,
        processes=threads,
        columns=columns,
        normalize=normalize,
    )
    return open_web(path, format=format, options=options)


@overload
def make_web(out: Path | str | None = None, *, pages: int, snapshots: Literal[1] = 1, **options: Any) -> Web: ...
@overload
def make_web(out: Path | str | None = None, *, pages: int, snapshots: int, **options: Any) -> tuple[Web, ...]: ...
def make_web(out: Path | str | None = None, *, pages: int, snapshots: int = 1, **options: Any) -> Web | tuple[Web, ...]:
    """A synthetic web, or with `snapshots=2` an old one and a newer one; stored in the folder `out` if given.

    Options: links_per_page, seed, survival, outside, links ("csr" or "bvgraph"), threads, progress.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> old, new = sb.make_web(pages=200, snapshots=2, survival=0.5)
    """
    from seedbed.graph.native_store import open_store
    from seedbed.synth import make_web as make

    if out is not None:
        webs = [open_store(path) for path in make(Path(out), pages=pages, snapshots=snapshots, **options)]
    else:
        # Memory-mapped files outlive their folder.
        with tempfile.TemporaryDirectory(prefix="seedbed-") as scratch:
            made = make(Path(scratch) / "web", pages=pages, snapshots=snapshots, **options)
            webs = [open_store(path) for path in made]
            webs = [replace(web, origin=replace(web.origin, source="synthetic web")) for web in webs]
    return webs[0] if snapshots == 1 else tuple(webs)


def load(path: Path | str, web: Web | None = None) -> Seeds | Ranking | Run | Comparison:
    """Load saved seeds, a ranking, a run or a comparison; the file says which it is.

    `web`: the web it was made on. Seeds are looked up in it by URL; runs and rankings use it for URLs and PageRank.

    >>> import pathlib, tempfile, seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> file = pathlib.Path(tempfile.mkdtemp(), "seeds.jsonl")
    >>> sb.select(web, "pagerank", k=5).save(file)
    >>> sb.load(file, web)
    Seeds(pagerank, 5 seeds)
    """
    from seedbed.common.sidecar import described_by

    path = Path(path)
    if path.is_dir():
        from seedbed.evaluation.comparison_files import load_comparison

        return load_comparison(path, web)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")
    # Without metadata it is a list of seeds, since other programs write those too.
    kind = (described_by(path, path) or {}).get("kind")
    if kind == "run":
        from seedbed.crawling.run_files import load_run

        return load_run(path, web)
    if kind == "ranking":
        from seedbed.ranking.ranking_files import load_ranking

        return load_ranking(path, web)
    if kind == "web":
        raise InputError(f"{path}: is a web. Open it with open(path).")
    from seedbed.seeds.seed_files import load_seeds

    return load_seeds(path, web)


def rank(
    web: Web,
    by: str = "pagerank",
    *,
    between: SiteKind | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Ranking:
    """Score the pages of a web: pagerank, hits (its authorities), hubs, authorities, harmonic, indegree, outdegree.

    `between`: use only the links between sites ("host" or "domain"). Options: those of the score, such as damping,
    tolerance and preference of pagerank, iterations of hits, precision and exact of harmonic.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> sb.rank(web, "indegree").top(1)
    array([33])
    >>> sb.rank(web, "pagerank", damping=0.9)
    Ranking(pagerank, 200 pages, iterations=..., error_bound=..., converged=True)
    """
    if by not in get_args(Score):
        raise unknown("score", by, get_args(Score))
    name = "hits" if by in ("hubs", "authorities") else by
    module = "degree_rankings" if name.endswith("degree") else name
    function = getattr(importlib.import_module(f"seedbed.ranking.{module}"), name)
    taken = inspect.signature(function).parameters
    for option in options:
        if option not in taken:
            raise UsageError(f"{by} has no option '{option}'; it has {', '.join(list(taken)[1:])}.")
    general = {key: value for key, value in (("threads", threads), ("progress", progress)) if key in taken}
    graph = web if between is None else web.without_links_inside(between)
    found = function(graph, **general, **options)
    if name == "hits":
        found = found[0] if by == "hubs" else found[1]
    ranking: Ranking = replace(found, web=web)
    return ranking


def select(
    web: Web,
    strategy: Any = "cover",
    k: int = 100,
    *,
    hops: int = 5,
    values: ArrayLike | str | Path | None = None,
    uniqueness: Any = None,
    last: Any = None,
    until: float | None = None,
    per_site: SiteKind | None = None,
    importance: Literal["pages", "value", "pagerank"] | None = None,
    max_per_site: int | None = None,
    site: SiteKind = "host",
    exclude: Path | str | None = None,
    held: Any = (),
    require: Any = (),
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Seeds:
    """Choose k seeds by a strategy, or with `until` as few as cover that share of the value.

    `strategy`: a name, or your own function. `hops`: links that a crawl follows from a seed. `values`: what pages
    are worth: an array, "paper", a column of the web, a file, or "last", which is what `last` gives: what the last
    crawl knew, as its web, a ranking of it, or the path of either. `uniqueness`: for "paper", how likely a newly
    crawled page is new: a number, an array, a column, a file, "estimate", or what `sb.uniqueness` returns.
    `per_site`: choose inside each site, and divide k by `importance`. At most `max_per_site` seeds come from a
    `site`, and none from what the file `exclude` lists. `held`: seeds already in use. `require`: seeds that must be
    in the list; they come first. Options: those of the strategy.

    >>> import seedbed as sb
    >>> sb.select(sb.make_web(pages=200), "cover", k=3, hops=2, max_per_site=1)
    Seeds(cover, 3 seeds, 48.0 % of the value within 2 links)
    """
    from seedbed.seeds import strategy_of
    from seedbed.seeds.limits import Limits, excluded_pages
    from seedbed.seeds.select import select as choose

    notes: list[str] = []
    barred = None
    if exclude is not None:
        barred, strange = excluded_pages(web, Path(exclude))
        if strange:
            notes.append(f"{exclude}: {len(strange):,} of its entries are not in the web, such as {strange[0]!r}")
    kept, needed = (_listed_pages(web, one, notes.append) for one in (held, require))
    limits = Limits(max_per_site, site, barred, kept, needed)
    if importance is not None and per_site is None:
        raise OptionError("importance says how per_site divides the seeds; add per_site='host', or leave it out.")
    how: dict[str, Any] = {"hops": hops, "limits": limits, "until": until, "seed": seed, "threads": threads}
    worth = _worth(web, values, last, notes, progress, uniqueness=uniqueness, site=site)
    how |= {"values": worth, "progress": progress, **options}
    if per_site is None and any(option.name == "site" for option in strategy_of(strategy).options):
        how["site"] = site
    found = choose(web, strategy, k, per_site=per_site, importance=importance or "pages", **how)
    return replace(found, notes=(*found.notes, *notes))


def crawl(
    web: Web,
    seeds: Any,
    order: Any = None,
    budget: int | None = None,
    *,
    until_mass: float | None = None,
    per_host: int | None = None,
    max_depth: int | None = None,
    failure: float | Mapping[str, float] = 0.0,
    fetches_per_tick: int | None = None,
    crawled_only: bool = False,
    skip_missing: bool = False,
    damping: float = 0.85,
    last: Any = None,
    site: SiteKind = "host",
    seed: int = 1,
    scores: ArrayLike | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress = no_progress,
) -> Run:
    """Simulate a crawl of a known web: fetch up to `budget` pages from the seeds, in an order.

    `order`: a name such as fpr@100, or your own object or class. `last`: what the last crawl knew, as its web, a
    ranking of it, or the path of either, for orders that remember. `site`: what counts as a site, "host" or "domain",
    to orders that look at sites. `failure`: the probability that a fetch fails, for all hosts or by host.
    `fetches_per_tick`: be polite, with at most one fetch per host in a tick. `skip_missing`: ignore seeds that are not
    in the web. `scores`: the true PageRank if you have it, for the order oracle.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> run = sb.crawl(web, sb.select(web, k=3), order="fpr@100", budget=50, failure=0.05)
    >>> len(run), run.exhausted
    (50, False)
    """
    from seedbed.crawling.conditions import Conditions
    from seedbed.crawling.simulator import crawl as simulate
    from seedbed.last_crawl import open_last

    conditions = Conditions(
        per_host=per_host,
        max_depth=max_depth,
        failure=failure,
        fetches_per_tick=fetches_per_tick,
        crawled_only=crawled_only,
        seed=seed,
    )
    known = None if last is None else open_last(last, progress=progress).about(web)
    run = simulate(
        web,
        _pages(web, seeds, skip_missing=skip_missing),
        order,
        budget,
        conditions=conditions,
        until_mass=until_mass,
        damping=damping,
        scores=scores,  # type: ignore[arg-type]
        last=None if known is None else known.scores,
        site=site,
        checkpoint=checkpoint,
        progress=progress,
    )
    if known is None:
        return run
    notes = [*known.notes(), *known.fetched_anyway(run.pages)]
    return replace(run, notes=tuple(notes), options={**run.options, "last": known.source})


def compare(
    web: Web | Sequence[Web],
    strategies: Iterable[Any] | None = None,
    orders: Iterable[Any] | None = None,
    *,
    old: Web | Sequence[Web] | None = None,
    last: Any = None,
    hide_hosts: float = 0.0,
    seeds: Iterable[Path | str] = (),
    k: int = 100,
    budget: int | None = None,
    hops: int = 5,
    values: ArrayLike | str | Path | None = None,
    uniqueness: Any = None,
    repeats: int = 10,
    failure: float = 0.05,
    site: SiteKind = "host",
    seed: int = 1,
    out: Path | str | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Crawl with every order from the seeds of every strategy, to see which pair is best and how certain that is.

    `old`: an older snapshot of the web. Seeds are then chosen on it and judged on `web`, which they have not seen; for
    several pairs of snapshots give as many of both. `hide_hosts`: with one snapshot only, choose seeds without this
    share of the hosts. `last`: what the last crawl knew, as for `crawl`; by default what `old` knows. `values`,
    `uniqueness`: what pages are worth to strategies, as for `select`; "last" is what the last crawl knew. `strategies`:
    names, or functions as for `select`. `orders`: names, or classes as for `crawl`. `seeds`: your own seed files, along
    with the strategies. `budget`: pages per crawl, by default a fifth of the web. `repeats`: crawls per pair, each with
    another random share `failure` of the pages unfetchable. `site`: what counts as a site to the orders. `out`: a
    folder for the report.

    >>> import seedbed as sb
    >>> old, new = sb.make_web(pages=200, snapshots=2, survival=0.7)
    >>> found = sb.compare(new, ["cover", "random"], ["opic", "bfs"], old=old, k=3, repeats=3)
    >>> found.recommendation.best.name
    '... with ...'
    """
    from seedbed.common.memory import parse_size
    from seedbed.evaluation.compare import DEFAULT_ORDERS, DEFAULT_STRATEGIES, Task
    from seedbed.report.report_files import check_report_folder, write_report

    task = Task(
        strategies=(*(DEFAULT_STRATEGIES if strategies is None else strategies), *map(str, seeds)),
        orders=DEFAULT_ORDERS if orders is None else tuple(orders),
        k=k,
        budget=budget,
        hops=hops,
        repeats=repeats,
        failure=failure,
        site=site,
        seed=seed,
        hide_hosts=hide_hosts,
    )
    if out is not None:
        check_report_folder(Path(out), overwrite=overwrite)
    bytes_allowed = parse_size(memory) if isinstance(memory, str) else memory
    how: dict[str, Any] = {"last": last, "threads": threads, "memory": bytes_allowed, "progress": progress}
    new, before = _webs(web), _webs(old)
    found = compared(new, before, task, values, uniqueness, how)
    if out is not None:
        sources = [Path(one.origin.source or "web") for one in (new[-1], *before)]
        asked = ", ".join(f"{name}={value!r}" for name, value in vars(task).items())
        command = f"sb.compare(web, {asked}{', old=old' if before else ''}{', last=last' if last is not None else ''})"
        files: Any = {"web": sources[0], "chosen_on": sources[1:]}
        write_report(found, Path(out), command=command, overwrite=overwrite, **files)
    return found


def compared(
    new: Sequence[Web], old: Sequence[Web], task: Any, values: Any, uniqueness: Any, how: dict[str, Any]
) -> Comparison:
    """The comparison on one web, or on pairs of an older and a newer one."""
    from seedbed.evaluation.compare import compare as run
    from seedbed.evaluation.several_snapshots import Snapshots, compare_snapshots
    from seedbed.last_crawl import is_values
    from seedbed.seeds.values import check_uniqueness_unused, values_of

    notes: list[str] = []
    if old and len(old) != len(new):
        raise OptionError(f"there are {len(old)} older webs and {len(new)} newer ones; give one newer web for each.")
    if old and values is not None and not isinstance(values, str | Path):
        raise OptionError("with an older web, values must be a column or a file, which hold for both webs.")
    if not old and len(new) != 1:
        raise OptionError(f"{len(new)} webs are given; compare on one, or give an older web for each with old.")

    def worth(web: Web, last: Any) -> Any:
        if is_values(values):
            check_uniqueness_unused(uniqueness)
            return values
        return values_of(web, values, notes.append, uniqueness=uniqueness, last=last)

    if old:
        pairs = zip(old, new, strict=True)
        snapshots = [Snapshots(one, two, worth(one, how["last"]), worth(two, one)) for one, two in pairs]
        found = compare_snapshots(snapshots, task, **how)
    else:
        found = run(new[0], task, values=worth(new[0], how["last"]), **how)
    return replace(found, notes=(*found.notes, *dict.fromkeys(notes)))


def _webs(given: Web | Sequence[Web] | None) -> list[Web]:
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]


def refresh(
    seeds: Any,
    old: Web,
    new: Web,
    *,
    k: int | None = None,
    strategy: Any = "cover",
    hops: int = 5,
    values: ArrayLike | str | Path | None = None,
    uniqueness: Any = None,
    last: Any = None,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Refreshed:
    """Carry seeds of an old web over to a newer one: keep, re-find or replace each, and say how.

    `k`: how many, by default as many as there were. `strategy` and its options choose the replacements, by what pages
    are worth: `values`, `uniqueness` and `last` as for `select`, except that `last` is by default the old web.

    >>> import seedbed as sb
    >>> old, new = sb.make_web(pages=300, snapshots=2, survival=0.5)
    >>> found = sb.refresh(sb.select(old, "pagerank", k=5), old, new)
    >>> sum(found.counts.values()), len(found.pages)
    (5, 5)
    """
    from seedbed.last_crawl import is_values
    from seedbed.seeds.refresh.refresh import refresh as carry
    from seedbed.seeds.seed_files import listed
    from seedbed.seeds.values import is_paper

    if isinstance(seeds, str | Path):
        entries = dict.fromkeys(listed(old, Path(seeds)))
        given = [page if page >= 0 else name for name, page in entries if page >= 0 or isinstance(name, str)]
        k = len(entries) if k is None else k
    else:
        given = [getattr(seed, "page", seed) for seed in seeds]
    notes: list[str] = []
    by_old = last is None and (is_values(values) or (is_paper(values) and uniqueness is None))
    worth = _worth(new, values, old if by_old else last, notes, progress, uniqueness=uniqueness)
    how = {"strategy": strategy, "k": k, "hops": hops, "values": worth, "threads": threads, "progress": progress}
    found = carry(old, new, given, **how, **options)
    return replace(found, web=new, notes=(*found.notes, *notes))


def reproduce(
    paper: str,
    web: Web | None = None,
    *,
    old: Web | None = None,
    new: Web | None = None,
    pages: int | None = None,
    seed: int = 1,
    out: Path | str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Experiment:
    """Reproduce the experiment of a paper (daneshpajouh, zheng, alam) or our own (farms), and say which claims hold.

    It runs on your `web` (daneshpajouh: on `old` and `new`), by default on a synthetic one of `pages` pages. `out`: a
    folder for tables and figures. Options: draws; cores, reading (daneshpajouh); sites, values (zheng); k, budget,
    site (alam); k, entrances (farms).

    >>> import seedbed as sb
    >>> found = sb.reproduce("alam", sb.make_web(pages=1000), k=5, draws=2, repeats=1)
    >>> [table.name for table in found.tables]
    ['table-1', ...]
    """
    from seedbed.common.threads import thread_count
    from seedbed.evaluation.experiments import paper_of
    from seedbed.report.experiment_files import check_experiment_folder, write_experiment

    declared = paper_of(paper)
    settings = declared.settings(**declared.checked(options), seed=seed, threads=thread_count(threads))
    if out is not None:
        check_experiment_folder(Path(out))
    webs: list[Any] = [one for one in ((old, new) if declared.pair else (web,)) if one is not None]
    if webs and pages is not None:
        raise OptionError("pages is the size of a synthetic web; leave it out if you give a web.")
    if not webs:
        how: dict[str, Any] = {"pages": pages or REPRODUCED_PAGES, "seed": seed, "threads": threads}
        how["progress"] = progress
        webs = list(make_web(snapshots=2, **how)) if declared.pair else [make_web(**how)]
    if declared.pair and len(webs) == 1:
        webs.append(None)
    found = declared.experiment(*webs, settings, progress)
    if out is not None:
        progress("writing", 0, 0)
        write_experiment(found, Path(out))
    return found


def _worth(
    web: Web,
    values: Any,
    last: Any,
    notes: list[str],
    progress: Progress,
    *,
    uniqueness: Any = None,
    site: SiteKind = "host",
) -> Any:
    """What pages are worth: what `values` says, or the last crawl knew; adds what the user should know to `notes`."""
    from seedbed.last_crawl import is_values, open_last, where_is_last
    from seedbed.seeds.given_uniqueness import ESTIMATE
    from seedbed.seeds.values import check_uniqueness_unused, is_paper, values_of

    by_last, by_paper = is_values(values), is_paper(values)
    if by_paper and last is not None and not (uniqueness is None or str(uniqueness) == ESTIMATE):
        raise OptionError("with values 'paper', uniqueness is given or estimated from last; leave out one of them.")
    if last is None and by_last:
        raise where_is_last()
    if last is None or by_paper:
        return values_of(web, values, notes.append, uniqueness=uniqueness, last=last, site=site)
    check_uniqueness_unused(uniqueness)
    if values is not None and not by_last:
        raise OptionError("pages are worth what the last crawl knew or what values say; leave out values or last.")
    known = open_last(last, progress=progress).about(web)
    notes += known.notes()
    return known.values()


def _listed_pages(web: Web, seeds: Any, say: Callable[[str], object]) -> tuple[int, ...]:
    """The pages of the seeds; entries of a file that are not in the web are ignored."""
    from seedbed.seeds.seed_files import read_pages

    if not isinstance(seeds, str | Path):
        return tuple(_pages(web, seeds)) if len(seeds) else ()
    pages, unknown = read_pages(web, Path(seeds))
    if unknown:
        say(f"{seeds}: {unknown:,} of its entries are not in the web and are ignored")
    return tuple(pages)


def _pages(web: Web, seeds: Any, *, skip_missing: bool = False) -> list[int]:
    """The pages of the seeds, given as Seeds, ids, URLs, or a file of them."""
    from seedbed.crawling.crawl_plan import first_pages
    from seedbed.seeds.seeds import Seeds

    if isinstance(seeds, str | Path):
        remedy = "Ignore them with skip_missing=True, or find their successors with refresh()."
        return pages_in(web, Path(seeds), remedy, skip_missing=skip_missing)[0]
    given = seeds if isinstance(seeds, Seeds) else list(getattr(seeds, "pages", seeds))
    pages: list[int] = first_pages(web, given).tolist()
    if isinstance(seeds, Seeds) and seeds.web is None and web.urls is not None:
        strange = [url for url, page in zip(seeds.urls, seeds.pages, strict=True) if url not in (None, web.urls[page])]
        if strange:
            raise OptionError(f"{strange[0]}: is another page in this web. Load the seeds with it: load(path, web)")
    return pages


def pages_in(web: Web, path: Path, remedy: str, *, skip_missing: bool) -> tuple[list[int], int]:
    """The pages of the seeds in a file, and how many of its entries are not in the web; refused if there are any."""
    from seedbed.seeds.seed_files import listed

    entries = listed(web, path)
    missing = [name for name, page in entries if page < 0]
    if missing and not skip_missing:
        raise InputError(
            f"{path}: {len(missing):,} of its {len(entries):,} seeds are not in the web, the first is {missing[0]}. "
            f"{remedy}"
        )
    return [page for _, page in entries if page >= 0], len(missing)
