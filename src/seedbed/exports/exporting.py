"""Seed lists written for a crawler, all of its files or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedbed.common.outputs import SEEDS, written_output
from seedbed.errors import OptionError
from seedbed.exports.export_options import exporter, settled
from seedbed.exports.seed_entries import SeedList, seed_list


@dataclass(frozen=True)
class Export:
    """The files that were written, and the seeds in them."""

    crawler: str
    files: list[Path]
    seeds: SeedList

    @property
    def notes(self) -> list[str]:
        """What a user should know: seeds left out, merged, completed."""
        return self.seeds.notes()

    def summary(self) -> dict[str, Any]:
        """The same as numbers."""
        return {"crawler": self.crawler, "files": list(map(str, self.files)), **self.seeds.summary()}


def export(
    rows: Iterable[Mapping[str, Any]],
    target: str,
    out: Path,
    *,
    options: Mapping[str, Any] | None = None,
    source: str = "seeds",
    scheme: str = "http",
    strict: bool = False,
    overwrite: bool = False,
) -> Export:
    """Write seeds, rows with at least a `url`, best first, for a crawler.

    `options` are the crawler's own. A host without a scheme gets `scheme`. What no crawler can fetch is left out, or
    refused where `strict`. How they were made is hidden beside them: crawlers read whole folders.
    """
    own = settled(target, options or {})
    seeds = seed_list(rows, source, scheme=scheme, strict=strict)
    lines = lines_for(seeds, target, own)
    files = files_written(target, out)
    made = {"crawler": target, "seeds": source}
    with written_output(out, SEEDS, made, beside=files[1:], hidden=True, overwrite=overwrite) as work:
        for file, content in zip(files, lines.values(), strict=True):
            with (work / file.name).open("w", encoding="utf-8", newline="\n") as written:
                written.writelines(content)
    return Export(target, files, seeds)


def files_written(target: str, out: Path) -> list[Path]:
    """The files that a crawler reads, the one asked for first."""
    endings = getattr(exporter(target), "ENDINGS", ())
    files = [out, *(out.with_name(out.stem + ending) for ending in endings)]
    if len(set(files)) < len(files):
        raise OptionError(f"{out}: {target} reads this beside the file asked for. Name that one {out.stem}.txt.")
    return files


def lines_for(seeds: SeedList, target: str, options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """What a crawler reads, by the ending of the file's name. `options`: as settled() gives them."""
    lines: Mapping[str, Iterable[str]] = exporter(target).files(seeds.entries, options)
    return lines
