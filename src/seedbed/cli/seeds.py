"""seedbed seeds: choose the pages a crawl starts from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli import export
from seedbed.cli import shared_options as options
from seedbed.cli.output_checks import check_file
from seedbed.cli.user_inputs import limits_of, values_files, values_of
from seedbed.common.messages import counted, safe_url
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

COVERAGE = "Coverage"
CORES = "Cores"
LIMITS = "What may be chosen"
SITES = "Site by site"


def seeds(
    web: options.WebPath,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", min=1, help="How many seeds. Default: 100, or all pages of a web with fewer.", show_default=False
        ),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="cover, greedy, maxweight, maxout, maxscc, rootscc; cores, trawling; pagerank, harmonic, indegree, "
            "outdegree, sampler, random. docs/coverage.md and docs/cores.md say which to use when."
        ),
    ] = "cover",
    out: Annotated[
        Path | None,
        typer.Option(help="Write the seeds here: .txt, .jsonl, .csv or .parquet.", show_default=False),
    ] = None,
    overwrite: options.Overwrite = False,
    hops: Annotated[
        int, typer.Option(min=0, help="Links that a crawl follows from a seed.", rich_help_panel=COVERAGE)
    ] = 5,
    depth: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="maxweight, maxscc, rootscc, cover: links that the weight of a page looks ahead. Default: 2.",
            rich_help_panel=COVERAGE,
            show_default=False,
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            help="What pages are worth: 'paper' (from the web's columns spam, clicked, uncrawled), a column of the "
            "web, or a CSV or Parquet file with 'url' or 'id' and a column of numbers (FILE or FILE:COLUMN). "
            "Default: 1 each.",
            rich_help_panel=COVERAGE,
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Only as many seeds, at most k, as cover this share of the value.",
            rich_help_panel=COVERAGE,
            show_default=False,
        ),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            help="Least per cent of possible links in a core. Default: 100.", rich_help_panel=CORES, show_default=False
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            help="Grow cores to this many pages, whatever their density.", rich_help_panel=CORES, show_default=False
        ),
    ] = None,
    new_members: Annotated[
        int | None,
        typer.Option(
            help="With --size: hubs, then authorities, added at a time.", rich_help_panel=CORES, show_default=False
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            help="paper: the first page that would thin the core ends it. maximal: it is passed over.",
            rich_help_panel=CORES,
            show_default=False,
        ),
    ] = None,
    max_hubs: Annotated[
        int | None, typer.Option(help="At most so many hubs in a core.", rich_help_panel=CORES, show_default=False)
    ] = None,
    pick: Annotated[
        str | None,
        typer.Option(help="The core's best hub (best), or any (random).", rich_help_panel=CORES, show_default=False),
    ] = None,
    hubs: Annotated[
        int | None,
        typer.Option(min=1, help="trawling: hubs of a core. Default: 3.", rich_help_panel=CORES, show_default=False),
    ] = None,
    authorities: Annotated[
        int | None,
        typer.Option(
            min=1, help="trawling: authorities of a core. Default: 3.", rich_help_panel=CORES, show_default=False
        ),
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="trawling: steps before a hub is passed over. Default: 10,000.",
            rich_help_panel=CORES,
            show_default=False,
        ),
    ] = None,
    per_site: Annotated[
        str | None,
        typer.Option(
            help="Run the strategy inside each site (host or domain), and share k out by the sites' importance.",
            rich_help_panel=SITES,
            show_default=False,
        ),
    ] = None,
    importance: Annotated[
        str | None,
        typer.Option(
            help="With --per-site: pages, value or pagerank of a site. Default: pages.",
            rich_help_panel=SITES,
            show_default=False,
        ),
    ] = None,
    at_most: Annotated[
        int | None,
        typer.Option(min=1, help="At most so many seeds a site.", rich_help_panel=LIMITS, show_default=False),
    ] = None,
    site: Annotated[str, typer.Option(help="What a site is: host or domain.", rich_help_panel=LIMITS)] = "host",
    exclude: Annotated[
        Path | None,
        typer.Option(
            help="A file of URLs, hosts and domains, one a line, that no seed may come from.",
            rich_help_panel=LIMITS,
            show_default=False,
        ),
    ] = None,
    held: Annotated[
        Path | None,
        typer.Option(
            help="Seeds you already have: what they cover counts, they are not chosen.",
            rich_help_panel=LIMITS,
            show_default=False,
        ),
    ] = None,
    require: Annotated[
        Path | None,
        typer.Option(
            help="Seeds that must be in; they come first and count for k.", rich_help_panel=LIMITS, show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random choices.")] = 1,
    to: Annotated[
        str | None,
        typer.Option(
            help="Write OUT for a crawler instead: nutch, heritrix, …; see seedbed export.", show_default=False
        ),
    ] = None,
    scheme: export.Scheme = None,
    strict: export.Strict = False,
    json: options.Json = False,
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            help="Read WEB as this format instead of telling it from the files. A crawler's name means --to.",
            show_default=False,
        ),
    ] = None,
    hosts: options.Hosts = None,
    memory: options.Memory = None,
    encoding: options.Encoding = None,
    keep_self_links: options.KeepSelfLinks = False,
    columns: options.Columns = None,
    normalize: options.Normalize = False,
    threads: options.Threads = None,
) -> None:
    """Choose the seeds of a crawl, each with the reason why.

    Example: seedbed seeds my.web -k 100 --strategy cover --hops 5 --out seeds.jsonl
    """
    from seedbed.common.row_files import check_ending
    from seedbed.seeds.per_site import select_per_site
    from seedbed.seeds.seed_files import ENDINGS, check_urls
    from seedbed.seeds.select import select

    format, to = export.told_apart(web, format, to)  # noqa: A001
    export.check_target(to, out, scheme, strict)
    if out is not None and to is None:
        check_ending(out, ENDINGS)
    if out is not None:
        from seedbed.exports import EXPORTS

        beside = [] if to is None else EXPORTS[to].files(out)[1:]
        lists = [hosts, exclude, held, require, *values_files(values)]
        check_file(out, "list of seeds", webs=[web], format=format, files=lists, beside=beside, overwrite=overwrite)
    if importance is not None and per_site is None:
        raise OptionError("--importance says how --per-site shares seeds out; add --per-site host, or leave it out.")
    own = {
        "depth": depth,
        "density": density,
        "size": size,
        "new_members": new_members,
        "reading": reading,
        "max_hubs": max_hubs,
        "pick": pick,
        "hubs": hubs,
        "authorities": authorities,
        "max_steps": max_steps,
    }
    if strategy in ("cores", "trawling") and per_site is None:
        own["site"] = site
    with options.shown_progress() as progress:
        opened = options.open_any(
            web, format, hosts, memory, encoding, keep_self_links, progress, columns=columns, normalize=normalize
        )
        if out is not None and to is None:
            check_urls(opened, out)
        by_site = {} if per_site is None else {"site": per_site, "importance": importance or "pages"}
        choose: Any = select if per_site is None else select_per_site
        found = choose(
            opened,
            strategy,
            k or min(100, max(1, opened.page_count)),
            hops=hops,
            values=values_of(opened, values),
            limits=limits_of(opened, at_most, site, exclude, held, require),
            until=until,
            seed=seed,
            threads=options.thread_count(threads),
            progress=progress,
            **by_site,
            **{name: value for name, value in own.items() if value is not None},
        )
    making = {"scheme": scheme or "http", "strict": strict, "overwrite": overwrite}
    _report(opened, web, found, out, to, json, making)


def _report(
    web: Web, path: Path, seeds: Seeds, out: Path | None, to: str | None, json: bool, making: dict[str, Any]
) -> None:
    from seedbed.exports.export import export as write
    from seedbed.seeds.gain import pays_until
    from seedbed.seeds.seed_files import rows_of, write_seeds

    gain = seeds.gain
    summary: dict[str, Any] = {
        "strategy": seeds.strategy,
        "k": seeds.options["k"],
        "seeds": len(seeds),
        "covered_pages": gain.covered_pages if gain else 0,
        "covered_value": gain.covered_value if gain else 0.0,
        "pays_until": pays_until(gain) if gain else 0,
        "seconds": round(seeds.seconds, 3),
        "notes": list(seeds.notes),
    }
    rows, written = rows_of(web, seeds), None
    if out is not None and to is not None:
        written = write(rows, to, out, source=str(path), **making)
        summary["export"] = written.summary()
        summary["notes"] = [*seeds.notes, *written.notes]
    elif out is not None:
        made = {**summary, "options": dict(seeds.options), "web": _identity(path)}
        write_seeds(out, rows, made, overwrite=making["overwrite"])
    if json:
        options.print_json(summary if out is not None else {**summary, "rows": rows})
    elif out is not None:
        count = len(rows) if written is None else len(written.seeds.entries)
        options.show(f"{out}: {_count_and_cover(count, seeds)}")
    else:
        for row in rows:
            options.show(row["rank"], safe_url(row["url"]) if row["url"] is not None else row["id"], row["reason"])
        options.say(_count_and_cover(len(rows), seeds))
    for note in summary["notes"]:
        options.say(note)
    if not json and 0 < summary["pays_until"] < len(rows):
        pays = int(summary["pays_until"])
        first = "first seed" if pays == 1 else f"first {pays:,} seeds"
        options.say(f"after the {first}, further ones bring less than the average seed")


def _count_and_cover(count: int, seeds: Seeds) -> str:
    they = "it covers" if count == 1 else "they cover"
    return f"{counted(count, 'seed')}; {they} {_covered(seeds)}"


def _identity(path: Path) -> dict[str, str]:
    from seedbed.graph.native_store import checksum, is_store

    return {"path": str(path), **({"checksum": checksum(path)} if is_store(path) else {})}


def _covered(seeds: Seeds) -> str:
    gain = seeds.gain
    if gain is None or not gain.covered_pages:
        return "nothing"
    share = 100 * gain.covered_value / gain.total_value if gain.total_value else 0.0
    pages = f"{gain.covered_pages:,} of {gain.total_pages:,} pages"
    return f"{pages} within {counted(seeds.options['hops'], 'link')}, {share:.1f} % of the value"
