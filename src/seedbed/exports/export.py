"""What an export is: a function that writes seeds in the format a crawler reads, and its description.

    @export_for("Apache Nutch: a file for its injector")
    def nutch(entries: Sequence[Entry], *, fetch_interval: int | None = None) -> Iterable[str]: ...

It takes seeds, each a URL with a rank and a weight, best first, and returns the lines of a file. If the crawler reads
several files, `endings` names the extensions of the additional ones, and the function returns the lines of each by its
extension, '' for the first. Its keyword parameters are its options. Other packages add exports by an entry point of the
group "seedbed.exports" that names such a function, declared or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.common.declarations import Declaration, Option, first_line, options_of
from seedbed.errors import OptionError
from seedbed.exports.seed_entries import Entry, SeedList, seed_list

if TYPE_CHECKING:
    from seedbed.seeds.seeds import Seeds

Lines = Callable[..., "Iterable[str] | Mapping[str, Iterable[str]]"]


@dataclass(frozen=True, kw_only=True)
class Export(Declaration):
    """The format in which a crawler reads seeds. `endings`: the extensions of the files next to the requested one."""

    write: Lines
    endings: tuple[str, ...] = ()

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The keyword parameters of its function."""
        return options_of(self.write)

    def lines(self, entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
        """What the crawler reads, by file extension."""
        lines = self.write(entries, **self.checked(options))
        return lines if isinstance(lines, Mapping) else {"": lines}

    def files(self, out: Path) -> list[Path]:
        """The files that the crawler reads, the requested one first."""
        files = [out, *(out.with_name(out.stem + ending) for ending in self.endings)]
        if len(set(files)) < len(files):
            raise OptionError(f"{out}: {self.name} reads this next to the main file. Name that one {out.stem}.txt.")
        return files


def export_for(meaning: str, *, endings: tuple[str, ...] = ()) -> Callable[[Lines], Export]:
    """Declare the function below as an export; its name is the crawler's, with _ for -."""

    def declare(function: Lines) -> Export:
        return Export(name=function.__name__.replace("_", "-"), meaning=meaning, write=function, endings=endings)

    return declare


def as_export(name: str, found: object) -> Export:
    """What an entry point or a user gives, as an export with this name; a function's docstring says what it does."""
    if isinstance(found, Export):
        return found if found.name == name else replace(found, name=name)
    if callable(found):
        return Export(name=name, meaning=first_line(found), write=found)
    raise OptionError(f"export '{name}' is {type(found).__name__}; it must be a function of entries.")


@dataclass(frozen=True)
class Exported:
    """The files that were written, and the seeds in them.

    >>> import pathlib, tempfile, seedbed as sb
    >>> out = pathlib.Path(tempfile.mkdtemp(), "seeds.txt")
    >>> done = sb.export(["http://a.example/", "mailto:x@a.example"], "nutch", out)
    >>> len(done.seeds.entries), done.summary()["left_out"]
    (1, 1)
    """

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
    seeds: Seeds | str | Path | Iterable[Mapping[str, Any] | str],
    crawler: str | Export | Lines,
    out: str | Path,
    *,
    source: str | None = None,
    scheme: str = "http",
    strict: bool = False,
    overwrite: bool = False,
    **options: Any,
) -> Exported:
    """Write seeds, best first, for a crawler: a name, or a function of your own (see exports/export.py).

    `seeds`: Seeds, a seed file, URLs, or rows with a `url`. `options` are the crawler's own. A host without a scheme
    gets `scheme`. What no crawler can fetch is left out, or refused if `strict`. How the files were made is recorded in
    a hidden file next to them, since crawlers read whole folders.

    >>> import pathlib, tempfile, seedbed as sb
    >>> out = pathlib.Path(tempfile.mkdtemp(), "seeds.txt")
    >>> sb.export(["http://a.example/", "b.example"], "nutch", out, scheme="https").notes
    ["hosts without a scheme written as https://: 1 ('b.example')"]
    """
    from seedbed.common.outputs import SEEDS, written_output

    declared, out = export_of(crawler), Path(out)
    declared.checked(options)
    source = source or (str(seeds) if isinstance(seeds, str | Path) else "seeds")
    listed = list_seeds(seeds, source, scheme=scheme, strict=strict)
    lines = declared.lines(listed.entries, options)
    files = declared.files(out)
    made = {"crawler": declared.name, "seeds": source}
    with written_output(out, SEEDS, made, beside=files[1:], hidden=True, overwrite=overwrite) as work:
        for file, ending in zip(files, ("", *declared.endings), strict=True):
            with (work / file.name).open("w", encoding="utf-8", newline="\n") as written:
                written.writelines(lines[ending])
    return Exported(declared.name, files, listed)


def export_of(crawler: object) -> Export:
    """The export with this name; a function becomes an export with the function's name."""
    from seedbed.exports import EXPORTS

    if isinstance(crawler, str):
        return EXPORTS[crawler]
    return crawler if isinstance(crawler, Export) else as_export(getattr(crawler, "__name__", "your own"), crawler)


def list_seeds(seeds: Any, source: str | None = None, **how: Any) -> SeedList:
    """What a crawler gets of the seeds, in whatever form they are given; `how`: see `seed_list`."""
    from seedbed.seeds.seed_files import names_in

    rows = seeds
    if hasattr(seeds, "urls"):  # Seeds, also refreshed ones
        rows = seeds.urls
    elif isinstance(seeds, str | Path):
        rows = (name if isinstance(name, str) else None for name in names_in(Path(seeds)))
    urls = (row.get("url") if isinstance(row, Mapping) else row for row in rows)
    return seed_list(urls, source or str(seeds), **how)
