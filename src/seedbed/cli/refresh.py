"""seedbed refresh: carry the seeds of an old snapshot over to a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    Hops,
    Json,
    Overwrite,
    Reading,
    SeedFile,
    Strategy,
    Threads,
    reads_web,
)
from seedbed.common.messages import safe_url
from seedbed.common.threads import thread_count

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.refresh.refreshed_seeds import Refreshed


@reads_web
def refresh(
    seeds: SeedFile,
    old: Annotated[
        Path, typer.Option(metavar="WEB", help="The web that the seeds were chosen from.", show_default=False)
    ],
    new: Annotated[Path, typer.Option(metavar="WEB", help="The newer web to carry them over to.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the seeds here: .jsonl, .csv or .parquet.", show_default=False),
    ] = None,
    overwrite: Overwrite = False,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help="How many seeds. Default: as many as there were.", show_default=False),
    ] = None,
    strategy: Strategy = "cover",
    hops: Hops = 5,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Carry seeds over to a new snapshot of the web.

    Keeps, re-finds or replaces each seed, and says how.

    Example: seedbed refresh --seeds seeds.jsonl --old 2013.web --new 2016.web --out seeds-2016.jsonl
    """
    from seedbed.common.outputs import SEEDS, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.seeds.refresh.refresh import refresh as carry
    from seedbed.seeds.refresh.refreshed_seeds import ENDINGS
    from seedbed.seeds.seed_files import listed

    if out is not None:
        check_ending(out, ENDINGS)
        check_output(out, SEEDS, reads=reading.inputs([old, new], seeds), overwrite=overwrite)
    with shown_progress() as progress:
        before, after = (reading.open(web, progress) for web in (old, new))
        entries = list(dict.fromkeys(listed(before, seeds)))
        given = [page if page >= 0 else name for name, page in entries if page >= 0 or isinstance(name, str)]
        found = carry(
            before,
            after,
            given,
            strategy=strategy,
            k=len(entries) if k is None else k,
            hops=hops,
            threads=thread_count(threads),
            progress=progress,
        )
    unknown = sum(page < 0 for _, page in entries)
    made = {"old_seeds": str(seeds), "old": str(old), "new": str(new), "hops": hops}
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
