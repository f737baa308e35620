"""seedbed seeds: choose the pages that a crawl starts from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seedbed.cli import export
from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    Engine,
    Hops,
    Json,
    Last,
    Overwrite,
    OwnOptions,
    Reading,
    Seed,
    Strategy,
    Threads,
    Uniqueness,
    Values,
    WebPath,
    named_options,
    on_engines,
    reads_web,
    values_files,
)
from seedbed.common.messages import counted, safe_url
from seedbed.errors import OptionError

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

LIMITS = "What may be chosen"


def _limit(help: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(help=help, rich_help_panel=LIMITS, **more)


@on_engines
@reads_web
def seeds(
    web: WebPath,
    k: Annotated[int | None, typer.Option("-k", min=1, help="How many. Default: 100.")] = None,
    strategy: Strategy = "cover",
    option: OwnOptions = None,
    out: Annotated[Path | None, typer.Option(help="Write the seeds here: .txt, .jsonl, .csv or .parquet.")] = None,
    overwrite: Overwrite = False,
    hops: Hops = 5,
    values: Values = None,
    uniqueness: Uniqueness = None,
    last: Last = None,
    until: Annotated[
        float | None, typer.Option(min=0, max=1, help="Stop early when the seeds cover this share of the value.")
    ] = None,
    seed: Seed = 1,
    to: export.SeedsTo = None,
    scheme: export.Scheme = None,
    strict: export.Strict = False,
    json: Json = False,
    threads: Threads = None,
    per_site: Annotated[
        Literal["host", "domain"] | None, _limit("Run the strategy inside each site and divide k among the sites.")
    ] = None,
    importance: Annotated[
        Literal["pages", "value", "pagerank"] | None,
        _limit("With --per-site: what a site's share of k is based on. Default: pages."),
    ] = None,
    max_per_site: Annotated[int | None, _limit("Maximum seeds per site.", min=1)] = None,
    site: Annotated[Literal["host", "domain"], _limit("What counts as a site.")] = "host",
    exclude: Annotated[Path | None, _limit("A file of URLs, hosts and domains to choose no seed from.")] = None,
    held: Annotated[Path | None, _limit("Seeds you already use: what they cover counts as covered.")] = None,
    require: Annotated[
        Path | None, _limit("Seeds that must be in the list; they come first and count towards k.")
    ] = None,
    *,
    reading: Reading,
    engine: Engine,
) -> None:
    """Choose the seeds of a crawl, each with a reason.

    Example: seedbed seeds my.web -k 100 --hops 5 --out seeds.jsonl
    """
    from seedbed.api import select
    from seedbed.seeds import STRATEGIES
    from seedbed.seeds.seed_files import check_urls

    if importance is not None and per_site is None:
        raise OptionError("--importance says how --per-site divides the seeds; add --per-site host, or leave it out.")
    own = STRATEGIES[strategy].checked(named_options(option))
    lists = [exclude, held, require, last, *values_files(values, uniqueness)]
    inputs = reading.inputs([] if engine.is_spark else [web], *lists)
    _check_output(out, to, scheme, strict, inputs, overwrite)
    how: dict[str, Any] = {
        "hops": hops,
        "values": values,
        "until": until,
        "per_site": per_site,
        "importance": importance,
        "max_per_site": max_per_site,
        "site": site,
        "exclude": exclude,
        "seed": seed,
        **own,
    }
    here = {"uniqueness": uniqueness, "last": last, "held": held, "require": require, "threads": threads}
    opened: Web | None = None
    if engine.is_spark:
        _refuse_on_spark(here)
        with shown_progress() as progress, engine.web(web, reading, progress) as blocks:
            found = blocks.select(
                strategy,
                k or min(100, max(1, blocks.page_count)),
                memory=reading.memory_bytes,
                progress=progress,
                **how,
            )
    else:
        with shown_progress() as progress:
            opened = reading.open(web, progress)
            if out is not None and to is None:
                check_urls(opened, out)
            how |= here | {"held": held or (), "require": require or ()}
            found = select(opened, strategy, k or min(100, max(1, opened.page_count)), progress=progress, **how)
    making = {"scheme": scheme or "http", "strict": strict, "overwrite": overwrite}
    _report(opened, web, found, out, to, json, making)


def _refuse_on_spark(given: dict[str, Any]) -> None:
    """Refuse what only one machine can do."""
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"--{name} is not for --engine spark, which neither matches pages with other lists by URL nor counts "
                "threads; leave it out, or run where the web fits one machine."
            )


def _check_output(
    out: Path | None, to: str | None, scheme: str | None, strict: bool, inputs: list[Path], overwrite: bool
) -> None:
    """Refuse what cannot be written, before any work is done."""
    from seedbed.common.outputs import SEEDS, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.exports import EXPORTS
    from seedbed.seeds.seed_files import ENDINGS

    crawler = None if to is None else EXPORTS[to]
    if crawler is None and (scheme is not None or strict):
        raise OptionError(f"{'--strict' if scheme is None else '--scheme'} says how --to writes; add --to CRAWLER.")
    if out is None and crawler is not None:
        raise OptionError(f"--to {to} needs a file to write: add --out FILE.")
    if out is not None:
        if crawler is None:
            check_ending(out, ENDINGS)
        beside = [] if crawler is None else crawler.files(out)[1:]
        check_output(out, SEEDS, beside=beside, reads=inputs, overwrite=overwrite)


def _report(
    web: Web | None, path: Path, seeds: Seeds, out: Path | None, to: str | None, json: bool, making: dict[str, Any]
) -> None:
    from seedbed.exports.export import export as write
    from seedbed.seeds.seed_files import rows_of, write_seeds

    summary = seeds.summary()
    rows, written = rows_of(web, seeds), None
    if out is not None and to is not None:
        written = write(rows, to, out, source=str(path), **making)
        summary["export"] = written.summary()
        summary["notes"] = [*seeds.notes, *written.notes]
    elif out is not None:
        made = {**summary, "options": dict(seeds.options), "web": _identity(path)}
        write_seeds(out, rows, made, overwrite=making["overwrite"])
    if json:
        print_json(summary if out is not None else {**summary, "rows": rows})
    elif out is not None:
        show(f"{out}: {_covered(len(rows) if written is None else len(written.listed.entries), seeds)}")
    else:
        for row in rows:
            show(row["rank"], safe_url(row["url"]) if row["url"] is not None else row["id"], row["reason"])
        say(_covered(len(rows), seeds))
    for note in summary["notes"]:
        say(note)
    if not json and 0 < (pays := int(summary["pays_until"])) < len(rows):
        first = "first seed" if pays == 1 else f"first {pays:,} seeds"
        say(f"after the {first}, each further one adds less than the average")


def _identity(path: Path) -> dict[str, str]:
    from seedbed.graph.native_store import checksum, is_store

    return {"path": str(path), **({"checksum": checksum(path)} if is_store(path) else {})}


def _covered(count: int, seeds: Seeds) -> str:
    """How many seeds there are and what they cover, in words."""
    they, gain = "it covers" if count == 1 else "they cover", seeds.gain
    if gain is None or not gain.covered_pages:
        return f"{counted(count, 'seed')}; {they} nothing"
    share = 100 * gain.covered_value / gain.total_value if gain.total_value else 0.0
    pages = f"{gain.covered_pages:,} of {gain.total_pages:,} pages"
    within = counted(seeds.options["hops"], "link")
    return f"{counted(count, 'seed')}; {they} {pages} within {within}, {share:.1f} % of the value"
