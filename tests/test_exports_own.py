"""sb.export: seeds in whatever form, to a crawler by name or by a function of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any

import pytest

import seedbed as sb
from seedbed.common.declarations import Option, Registry
from seedbed.errors import InputError, OptionError, UsageError
from seedbed.exports import EXPORTS
from seedbed.exports.export import Export, as_export, export_for
from seedbed.exports.seed_entries import Entry
from tests.graphs import web_of

URLS = ["http://a.example/", "http://b.example/", "http://c.example/"]
WEB = web_of([[1, 2], [2], []], URLS)


def ranked(entries: Sequence[Entry], *, mark: Annotated[str, Option("Between rank and URL.")] = ":") -> Iterable[str]:
    """A rank and a URL a line."""
    return (f"{entry.rank}{mark}{entry.url}\n" for entry in entries)


def test_every_export_is_declared_with_its_name_and_a_meaning() -> None:
    for name, declared in EXPORTS.items():
        assert declared.name == name
        assert declared.meaning and not declared.meaning.endswith(".")
        assert all(option.help.endswith(".") for option in declared.options)


def test_seeds_rows_urls_and_files_give_the_same(tmp_path: Path) -> None:
    seeds = sb.select(WEB, "outdegree", 2)
    file = tmp_path / "seeds.list"
    file.write_text("\n".join(URLS[:2]))
    for number, given in enumerate((seeds, file, str(file), URLS[:2], [{"url": url} for url in URLS[:2]])):
        out = tmp_path / f"{number}.txt"
        found = sb.export(given, "nutch", out, fetch_interval=60)  # type: ignore[arg-type]
        assert (found.files, len(found.listed.entries), found.notes) == ([out], 2, [])
        assert out.read_text() == "".join(
            f"{url}\tnutch.score={score}\tnutch.fetchInterval=60\n"
            for url, score in zip(URLS, ("1.33333333", "0.666666667"), strict=False)
        )


def test_seeds_of_a_web_without_urls_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an entry has no URL, and crawlers need one"):
        sb.export(sb.select(web_of([[1, 2], [2], []]), "outdegree", 2), "text", tmp_path / "seeds.txt")


def test_a_function_of_the_users_own_is_an_export(tmp_path: Path) -> None:
    found = sb.export(URLS, ranked, str(tmp_path / "seeds.txt"), mark=" ")
    assert (found.crawler, found.files[0].read_text()) == ("ranked", "".join(f"{k + 1} {URLS[k]}\n" for k in range(3)))


def test_a_decorator_declares_files_beside_the_first(tmp_path: Path) -> None:
    @export_for("two files", endings=(".count",))
    def my_crawler(entries: Sequence[Entry]) -> dict[str, Iterable[str]]:
        return {"": ["first"], ".count": [str(len(entries))]}

    assert isinstance(my_crawler, Export)
    found = sb.export(URLS, my_crawler, tmp_path / "seeds.txt")
    assert [(file.name, file.read_text()) for file in found.files] == [("seeds.txt", "first"), ("seeds.count", "3")]
    assert found.summary()["crawler"] == "my-crawler"


@pytest.mark.parametrize(
    ("crawler", "given", "says"),
    [
        ("nutch", {"fetch_interval": "often"}, "fetch_interval is 'often'; it must be a whole number"),
        ("nutch", {"fetch_interval": 0}, "fetch_interval is 0; it must be at least 1"),
        ("browsertrix", {"scope": "all"}, "unknown scope 'all'"),
        ("text", {"depth": 1}, "text has no option 'depth'; it has no options"),
        ("nuch", {}, "unknown crawler 'nuch'. Did you mean 'nutch'"),
    ],
)
def test_options_that_cannot_be_are_refused(crawler: str, given: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says):
        sb.export(URLS, crawler, tmp_path / "seeds.txt", **given)
    assert not list(tmp_path.iterdir())


def test_hosts_to_leave_out_may_be_listed_in_a_file(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("# spam\nbad.example\n")
    texts = []
    for without in (("bad.example",), hosts, str(hosts)):
        sb.export(URLS, "heritrix", tmp_path / "seeds.txt", without=without)
        texts.append((tmp_path / "seeds.txt").read_text())
    assert texts[0].endswith("-http://(example,bad,)/\n") and len(set(texts)) == 1


def test_entry_points_add_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("mine", "tests.test_exports_own:ranked", "seedbed.exports"),
        EntryPoint("wrong", "tests.test_exports_own:URLS", "seedbed.exports"),
    ]
    monkeypatch.setattr("seedbed.common.declarations.entry_points", lambda group: points)
    known = Registry("crawler", "seedbed.exports", {"text": "seedbed.exports.line_exports:text"}, as_export)
    assert [one.name for one in (known["text"], known["mine"])] == ["text", "mine"]
    assert known["mine"].meaning == "A rank and a URL a line"
    with pytest.raises(OptionError, match="export 'wrong' is list; it must be a function"):
        known["wrong"]
