"""seedbed refresh: carry the seeds of an old snapshot over to a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    Hops,
    Json,
    Last,
    Overwrite,
    Reading,
    SeedFile,
    Strategy,
    Threads,
    Uniqueness,
    reads_web,
    values_files,
)
from seedbed.common.messages import safe_url

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.refresh.refreshed_seeds import Refreshed


@reads_web
def refresh(
    seeds: SeedFile,
    old: Annotated[Path, typer.Option(metavar="WEB", help="The web that the seeds were chosen from.")],
    new: Annotated[Path, typer.Option(metavar="WEB", help="The newer web to carry them over to.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the seeds here: .jsonl, .csv or .parquet."),
    ] = None,
    overwrite: Overwrite = False,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help="How many seeds. Default: as many as there were."),
    ] = None,
    strategy: Strategy = "cover",
    hops: Hops = 5,
    values: Annotated[
        str | None,
        typer.Option(
            help="What pages are worth, as for 'seedbed seeds'; 'last' is what --last knew, or else --old. Default: 1 "
            "each, or 'last' with --last."
        ),
    ] = None,
    uniqueness: Uniqueness = None,
    last: Last = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Carry seeds over to a new snapshot of the web.

    Keeps, re-finds or replaces each seed, and says how.

    Example: seedbed refresh --seeds seeds.jsonl --old 2013.web --new 2016.web --out seeds-2016.jsonl
    """
    from seedbed.api import refresh as carry
    from seedbed.common.outputs import SEEDS, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.seeds.refresh.refreshed_seeds import ENDINGS
    from seedbed.seeds.seed_files import listed

    if out is not None:
        check_ending(out, ENDINGS)
        inputs = reading.inputs([old, new], seeds, last, *values_files(values, uniqueness))
        check_output(out, SEEDS, reads=inputs, overwrite=overwrite)
    with shown_progress() as progress:
        before, after = (reading.open(web, progress) for web in (old, new))
        unknown = sum(page < 0 for _, page in set(listed(before, seeds)))
        found = carry(
            seeds,
            before,
            after,
            k=k,
            strategy=strategy,
            hops=hops,
            values=values,
            uniqueness=uniqueness,
            last=last,
            threads=threads,
            progress=progress,
        )
    made: dict[str, Any] = {"old_seeds": str(seeds), "old": str(old), "new": str(new), "hops": hops}
    made |= {"values": values, "last": None if last is None else str(last)}
    _report(after, found, unknown, out, json, made, overwrite)


def _report(
    web: Web, found: Refreshed, unknown: int, out: Path | None, json: bool, made: dict[str, Any], overwrite: bool
) -> None:
    from seedbed.seeds.refresh.refreshed_seeds import rows_of, write_refreshed

    rows = rows_of(web, found)
    counts = {how.replace(" ", "_"): count for how, count in found.counts.items()}
    summary = {
        "strategy": found.strategy,
        "seeds": len(found.pages),
        **counts,
        "not_in_old": unknown,
        "seconds": round(found.seconds, 3),
        "notes": list(found.notes),
    }
    if out is not None:
        write_refreshed(out, rows, {**summary, **made}, overwrite=overwrite)
    if json:
        print_json(summary if out is not None else {**summary, "rows": rows})
    elif out is None:
        for row in rows:
            urls = [safe_url(row[name] or "") for name in ("old_url", "url")]
            show(row["rank"], urls[0], row["how"], urls[1], f"{row['confidence']:.2f}", row["reason"])
    say(", ".join(f"{how} {count:,}" for how, count in found.counts.items() if how != "lost" or count))
    if unknown:
        say(f"{unknown:,} of the old seeds are not in the old web; they were looked up by URL alone")
    for note in found.notes:
        say(note)
