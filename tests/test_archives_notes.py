"""What is said of archives that could not be read: the same whoever reads them, and clear which file is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.archives import archive_workers as workers
from seedbed.archives import capture_rows as collect
from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.graph.web import Web
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import crawled, http, packed, page, warc_record

FAILED = "files left unread from some place on, where reading failed"
NO_ANSWER = "records left out that are not HTTP answers"


@pytest.fixture(autouse=True)
def _every_file_is_worth_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)


def both_ways(path: Path) -> Web:
    """The web that is read in this process, which is also what workers find."""
    alone, together = (open_web(path, options=ReadOptions(processes=count)) for count in (1, 2))
    assert crawled(alone) == crawled(together)
    assert alone.origin == together.origin
    return alone


def archive(path: Path, *records: bytes) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = packed([page(f"http://{path.stem}.example/", "<a href=/x>"), *records])
    path.write_bytes(data)
    return data


def test_a_file_that_cannot_be_read_is_named_with_the_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a.warc.gz", "c.warc.gz"):
        archive(tmp_path / name)
    (tmp_path / "b.warc.gz").symlink_to("/proc/self/mem")
    web = both_ways(tmp_path)
    assert web.origin.notes == (f"{FAILED}: 1 (b.warc.gz: Input/output error)",)
    assert len(crawled(web)) == 2
    assert capfd.readouterr().err == ""


def test_what_was_read_before_an_error_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(tmp_path / "a.warc.gz")

    def failing(stream: object) -> None:
        raise OSError(5, "Input/output error")

    pages = iter([page])
    genuine = collect.warc.SYNTAX
    first_only = genuine._replace(read=lambda stream: genuine.read(stream) if next(pages, None) else failing(stream))
    monkeypatch.setattr(collect.warc, "SYNTAX", first_only)
    (tmp_path / "b.warc").write_bytes(b"".join(page(f"http://b{k}.example/", "") for k in range(3)))
    (part,) = collect.parts_of(tmp_path / "b.warc")
    assert part.urls == ["http://b0.example/", "http://b1.example/"]
    assert part.issues == [ReadIssue(FAILED, error="Input/output error")]


def test_any_error_of_a_reader_costs_only_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.warc.gz", "b.warc.gz", "c.warc.gz"):
        archive(tmp_path / name)

    def failing(path: Path, settings: collect.Settings) -> object:
        if path.name == "b.warc.gz":
            raise RecursionError("too deep\nto read")
        return collect.parts_of(path, settings)

    monkeypatch.setattr(workers, "parts_of", failing)
    web = open_web(tmp_path, options=ReadOptions(processes=1))
    assert len(crawled(web)) == 2
    assert web.origin.notes == (f"{FAILED}: 1 (b.warc.gz: RecursionError too deep to read)",)


def test_files_of_the_same_name_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for year in ("2020", "2021"):
        data = archive(tmp_path / "crawls" / year / "00000.warc.gz", page("http://a.example/", "x"))
        (tmp_path / "crawls" / year / "00000.warc.gz").write_bytes(data[:-9])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list").write_text("crawls/2020/00000.warc.gz\n")
    (folder,) = both_ways(Path("crawls")).origin.notes
    (pattern,) = both_ways(Path("crawls/*/*.warc.gz")).origin.notes
    (listed,) = both_ways(Path("list")).origin.notes
    (file,) = both_ways(Path("crawls/2020/00000.warc.gz")).origin.notes
    at = folder.rpartition("byte ")[2].rstrip(")")
    assert folder.endswith(f"(2020/00000.warc.gz at byte {at}; 2021/00000.warc.gz at byte {at})")
    assert pattern.endswith(f"(crawls/2020/00000.warc.gz at byte {at}; crawls/2021/00000.warc.gz at byte {at})")
    assert listed.endswith(f"(crawls/2020/00000.warc.gz at byte {at})")
    assert file.endswith(f"(00000.warc.gz at byte {at})")


def test_notes_do_not_depend_on_who_reads_first(tmp_path: Path) -> None:
    no_answer = warc_record("http://a.example/", b"no HTTP")
    cut = warc_record("http://a.example/", http("x")).replace(b"WARC/1.0", b"WRAC/1.0")
    archive(tmp_path / "0.warc.gz", *[page(f"http://a.example/{k}", "<a href=/y>" * 99) for k in range(500)], no_answer)
    for k in range(1, 7):
        archive(tmp_path / f"{k}.warc.gz", cut, no_answer)
    notes = both_ways(tmp_path).origin.notes
    assert [note.partition(":")[0] for note in notes] == [NO_ANSWER, "damaged places left out"]
    assert notes[0].startswith(f"{NO_ANSWER}: 7 (0.warc.gz at byte ")
    assert notes[1].startswith("damaged places left out: 6 (1.warc.gz at byte ")


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc"))), st.randoms())
def test_damages_of_several_files_give_the_same_notes_in_any_order(
    found: list[tuple[int, str]], chance: object
) -> None:
    in_order = [(rank, ReadIssue(what, byte=k)) for k, (rank, what) in enumerate(sorted(found, key=lambda row: row[0]))]
    ranks = sorted({rank for rank, _ in in_order})
    mixed = [[row for row in in_order if row[0] == rank] for rank in ranks]
    one, other = ReadIssues(), ReadIssues()
    for rank, damage in in_order:
        one.add(damage, file=str(rank), rank=rank)
    while any(mixed):
        rank, damage = chance.choice([rows for rows in mixed if rows]).pop(0)  # type: ignore[attr-defined]
        other.add(damage, file=str(rank), rank=rank)
    assert one.notes() == other.notes()
