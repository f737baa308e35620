"""What an export is: a function that writes seeds in the format a crawler reads, and its description.

    @export_for("Apache Nutch: a file for its injector", ranking="")
    def nutch(entries: Entries, *, fetch_interval: int | None = None) -> Iterable[str]: ...

It takes seeds, each a URL with a rank, a weight and a score, best first, and returns the lines of a file. If the
crawler reads several files, `endings` names the extensions of the additional ones, and the function returns the lines
of each by its extension, '' for the first. Its keyword parameters are its options. Other packages add exports by an
entry point of the group "seedbed.exports" that names such a function, declared or not.

A crawler that takes a score for any URL can be given all pages of a ranking. The same function then gets them in the
order of the ranking, as something to iterate over and to ask for its length, and `ranking` says which of its files they
fill. It must not keep them, since there may be millions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.common.declarations import Declaration, Option, first_line, options_of
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.exports.seed_entries import Listed, Sieve, seed_list

if TYPE_CHECKING:
    from seedbed.ranking.ranking import Ranking
    from seedbed.seeds.seeds import Seeds

Lines = Callable[..., "Iterable[str] | Mapping[str, Iterable[str]]"]


@dataclass(frozen=True, kw_only=True)
class Export(Declaration):
    """The format in which a crawler reads seeds. `endings`: the extensions of the files next to the requested one;
    `ranking`: the one of the lines that all pages of a ranking are written as, None if the crawler has no use for them.
    """

    write: Lines
    endings: tuple[str, ...] = ()
    ranking: str | None = None

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The keyword parameters of its function."""
        return options_of(self.write)

    def lines(self, listed: Listed, options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
        """What the crawler reads, by file extension; a ranking fills one file."""
        lines = self.write(listed.entries, **self.checked(options))
        by_ending = lines if isinstance(lines, Mapping) else {"": lines}
        return {"": by_ending[self.ranking or ""]} if listed.ranking else by_ending

    def files(self, out: Path, *, ranking: bool = False) -> list[Path]:
        """The files that the crawler reads, the requested one first."""
        if ranking:
            return [out]
        files = [out, *(out.with_name(out.stem + ending) for ending in self.endings)]
        if len(set(files)) < len(files):
            raise OptionError(f"{out}: {self.name} reads this next to the main file. Name that one {out.stem}.txt.")
        return files


def export_for(meaning: str, *, endings: tuple[str, ...] = (), ranking: str | None = None) -> Callable[[Lines], Export]:
    """Declare the function below as an export; its name is the crawler's, with _ for -."""

    def declare(function: Lines) -> Export:
        name = function.__name__.replace("_", "-")
        return Export(name=name, meaning=meaning, write=function, endings=endings, ranking=ranking)

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
    """The files that were written, and the seeds or pages in them.

    >>> import pathlib, tempfile, seedbed as sb
    >>> out = pathlib.Path(tempfile.mkdtemp(), "seeds.txt")
    >>> done = sb.export(["http://a.example/", "mailto:x@a.example"], "nutch", out)
    >>> len(done.listed.entries), done.summary()["left_out"]
    (1, 1)
    """

    crawler: str
    files: list[Path]
    listed: Listed

    @property
    def notes(self) -> list[str]:
        """What a user should know: seeds left out, merged, completed."""
        return self.listed.notes()

    def summary(self) -> dict[str, Any]:
        """The same as numbers."""
        return {"crawler": self.crawler, "files": list(map(str, self.files)), **self.listed.summary()}


def export(
    seeds: Seeds | Ranking | str | Path | Iterable[Mapping[str, Any] | str],
    crawler: str | Export | Lines,
    out: str | Path,
    *,
    source: str | None = None,
    scheme: str = "http",
    strict: bool = False,
    overwrite: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Exported:
    """Write seeds, best first, or all pages of a ranking, for a crawler: a name, or a function of your own (see
    exports/export.py).

    `seeds`: Seeds, a seed file, URLs, or rows with a `url`; or a Ranking, or a file of one, which is streamed. A file
    with the columns `url` and `score` and no `rank` is a ranking. `options` are the crawler's own. A host without a
    scheme gets `scheme`. What no crawler can fetch is left out, or refused if `strict`. How the files were made is
    recorded in a hidden file next to them, since crawlers read whole folders.

    >>> import pathlib, tempfile, seedbed as sb
    >>> out = pathlib.Path(tempfile.mkdtemp(), "seeds.txt")
    >>> sb.export(["http://a.example/", "b.example"], "nutch", out, scheme="https").notes
    ["hosts without a scheme written as https://: 1 ('b.example')"]
    """
    from seedbed.common.outputs import SCORED, SEEDS, Kind, written_output

    declared, out = export_of(crawler), Path(out)
    declared.checked(options)
    listed = list_for(declared, seeds, source, progress=progress, scheme=scheme, strict=strict)
    lines = declared.lines(listed, options)
    files = declared.files(out, ranking=listed.ranking)
    made = {"crawler": declared.name, "ranking" if listed.ranking else "seeds": listed.sieve.source}
    kind: Kind = SCORED if listed.ranking else SEEDS
    with written_output(out, kind, made, beside=files[1:], hidden=True, overwrite=overwrite) as work:
        for file, ending in zip(files, ("", *declared.endings), strict=False):
            with (work / file.name).open("w", encoding="utf-8", newline="\n") as written:
                written.writelines(lines[ending])
    return Exported(declared.name, files, listed)


def export_of(crawler: object) -> Export:
    """The export with this name; a function becomes an export with the function's name."""
    from seedbed.exports import EXPORTS

    if isinstance(crawler, str):
        return EXPORTS[crawler]
    return crawler if isinstance(crawler, Export) else as_export(getattr(crawler, "__name__", "your own"), crawler)


def list_for(
    crawler: Export, given: Any, source: str | None = None, *, progress: Progress = no_progress, **how: Any
) -> Listed:
    """What a crawler gets of seeds, or of a ranking, in whatever form they are given; `how`: see `Sieve`."""
    from seedbed.exports.ranking_entries import ranking_list
    from seedbed.ranking.ranking_files import scored_pages, scored_urls

    named = isinstance(given, str | Path)
    if is_ranking(given):
        check_takes_ranking(crawler)
        sieve = Sieve(source or (str(given) if named else f"ranking by {given.name}"), **how)
        scored = (lambda: scored_urls(Path(given))) if named else (lambda: scored_pages(given))
        return ranking_list(scored, sieve, progress)
    return list_seeds(given, source or (str(given) if named else "seeds"), **how)


def list_seeds(seeds: Any, source: str, **how: Any) -> Listed:
    """The seeds in whatever form they are given."""
    from seedbed.seeds.seed_files import names_in

    rows = seeds
    if hasattr(seeds, "urls"):  # Seeds, also refreshed ones
        rows = seeds.urls
    elif isinstance(seeds, str | Path):
        rows = (name if isinstance(name, str) else None for name in names_in(Path(seeds)))
    urls = (row.get("url") if isinstance(row, Mapping) else row for row in rows)
    return seed_list(urls, Sieve(source, **how))


def is_ranking(given: Any) -> bool:
    """Whether this is a ranking of all pages, or a file of one: seeds have scores too, but also ranks."""
    from seedbed.ranking import ranking_files
    from seedbed.ranking.ranking import Ranking

    if not isinstance(given, str | Path):
        return isinstance(given, Ranking)
    path = Path(given)
    return ranking_files.is_ranking(path) and "rank" not in ranking_files.columns_of(path)


def check_takes_ranking(crawler: Export) -> None:
    """Refuse a ranking for a crawler that has no use for one."""
    from seedbed.exports import EXPORTS

    if crawler.ranking is None:
        others = ", ".join(name for name, other in EXPORTS.items() if other.ranking is not None)
        raise OptionError(
            f"{crawler.name} takes seeds, which have a column rank; this is a ranking of all pages. Choose seeds with "
            f"'seedbed seeds', or export to a crawler that takes a score for any URL: {others}."
        )
