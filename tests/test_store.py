"""The native store: what goes in comes out, whatever is damaged is refused, nothing is ever half there."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, OptionError
from seedbed.graph import native_store as store
from seedbed.graph.native_store import StoreWriter, _digest, open_store, write_store
from seedbed.graph.web import Origin, Web
from seedbed.links.nofollow import Marks
from seedbed.urls.url_table import text_chunk
from tests.graphs import Lists, csr, lists_of, page_lists, web_of

URLS = ["http://b.example/", "http://a.example/x", "http://a.example/"]
WEB = Web(
    links=csr([[1, 2], [0], []]),
    urls=web_of([[]] * 3, URLS).urls,
    columns={"spam": np.array([True, False, False]), "score": np.array([0.5, 1.5, -2.0])},
    origin=Origin("somewhere", "edges", 3, 4, True),
    nofollow=Marks(np.array([0, 1]), np.array([2, 0]), 3),
)


@pytest.mark.parametrize("kind", ["csr", "bvgraph"])
def test_everything_a_web_has_comes_back(tmp_path: Path, kind: store.LinkKind) -> None:
    write_store(WEB, tmp_path / "web", links=kind)
    web = open_store(tmp_path / "web")
    assert web.links.kind == kind
    assert lists_of(web.links) == [[1, 2], [0], []]
    assert web.urls is not None
    assert list(web.urls) == URLS
    assert web.urls.find("http://a.example/") == 2
    assert web.hosts is not None
    assert [web.hosts.names[host] for host in web.hosts.of_page] == ["b.example", "a.example", "a.example"]
    assert web.columns["spam"].tolist() == [True, False, False]
    assert web.columns["score"].tolist() == [0.5, 1.5, -2.0]
    assert web.origin == WEB.origin
    assert web.nofollow is not None
    assert [ids.tolist() for ids in web.nofollow.arrays()] == [[0, 1], [2, 0]]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(page_lists(), st.sampled_from(["csr", "bvgraph"]))
def test_any_links_come_back(lists: Lists, kind: store.LinkKind) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_store(web_of(lists), Path(folder) / "web", links=kind)
        assert lists_of(open_store(Path(folder) / "web").links) == lists


def test_a_store_written_as_a_stream_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    urls = sorted(URLS)
    web = web_of([[1, 2], [0], []], urls)
    write_store(web, tmp_path / "whole")
    with StoreWriter(tmp_path / "stream", pages=3) as writer:
        writer.add_links(np.array([0, 2]), np.array([1, 2]))
        writer.add_links(np.array([0, 1, 1]), np.array([0]))
        writer.add_urls(*text_chunk(urls[:2]))
        writer.add_urls(*text_chunk(urls[2:]))
        writer.add_host_names(*text_chunk(["a.example", "b.example"]))
        writer.add_hosts(np.array([0, 0]))
        writer.add_hosts(np.array([1]))
    files = {file.name for file in (tmp_path / "whole").iterdir()}
    assert files == {file.name for file in (tmp_path / "stream").iterdir()}
    for name in files:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "stream" / name).read_bytes(), name


def test_same_web_same_checksum_and_another_web_another(tmp_path: Path) -> None:
    for name, lists in (("one", [[1], []]), ("same", [[1], []]), ("other", [[], [0]])):
        write_store(web_of(lists), tmp_path / name)
    assert store.checksum(tmp_path / "one") == store.checksum(tmp_path / "same") == store.verify(tmp_path / "one")
    assert store.checksum(tmp_path / "one") != store.checksum(tmp_path / "other")


def test_a_failure_while_writing_leaves_the_old_store(tmp_path: Path) -> None:
    write_store(web_of([[0]]), tmp_path / "web")
    with pytest.raises(KeyboardInterrupt), StoreWriter(tmp_path / "web", pages=9) as writer:
        writer.add_links(np.array([0, 1]), np.array([5]))
        raise KeyboardInterrupt
    assert lists_of(open_store(tmp_path / "web").links) == [[0]]
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_too_few_pages_are_noticed_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 pages were given, 2 announced"), StoreWriter(tmp_path / "w", pages=2) as w:
        w.add_links(np.array([0, 0]), np.array([], np.int64))
    assert list(tmp_path.iterdir()) == []


def test_a_new_store_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    write_store(WEB, tmp_path / "web")
    write_store(web_of([[0]]), tmp_path / "web", links="bvgraph")
    assert lists_of(open_store(tmp_path / "web").links) == [[0]]
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_column_names_are_held_to_a_rule(tmp_path: Path) -> None:
    for name in ("../up", "Upper", "", "a" * 65):
        with pytest.raises(OptionError, match="cannot name a column"), StoreWriter(tmp_path / "w", pages=0) as writer:
            writer.add_column(name, np.zeros(0))


# --- damage ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    write_store(WEB, tmp_path / "web")
    return tmp_path / "web"


@pytest.mark.parametrize("name", ["out_idx.npy", "urls.text", "hosts.npy", "column-spam.npy", "nofollow-targets.npy"])
def test_a_short_or_missing_file_is_refused(stored: Path, name: str) -> None:
    content = (stored / name).read_bytes()
    (stored / name).write_bytes(content[:-1])
    with pytest.raises(InputError, match=rf"{name}: has {len(content) - 1} bytes, {len(content)} were written"):
        open_store(stored)
    (stored / name).unlink()
    with pytest.raises(InputError, match=f"{name}: is missing"):
        open_store(stored)


def test_a_turned_bit_is_found_by_verify(stored: Path) -> None:
    content = bytearray((stored / "column-score.npy").read_bytes())
    content[-1] ^= 1
    (stored / "column-score.npy").write_bytes(content)
    open_store(stored)
    with pytest.raises(InputError, match=r"column-score\.npy: its checksum is not the recorded one"):
        store.verify(stored)


def forged(stored: Path, **changes: object) -> None:
    """A manifest changed by someone who knows how its checksum is made."""
    manifest = json.loads((stored / "web.json").read_text()) | changes
    del manifest["seal"]
    manifest["seal"] = _digest(manifest)
    (stored / "web.json").write_text(json.dumps(manifest))


def test_a_changed_manifest_is_refused(stored: Path) -> None:
    text = (stored / "web.json").read_text()
    (stored / "web.json").write_text(text.replace('"links": 3', '"links": 4'))
    with pytest.raises(InputError, match="its checksum does not match its content"):
        open_store(stored)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 99}, "has version 99, this seedbed reads version 1"),
        ({"format": "zip"}, "format is 'zip'"),
        ({"pages": 5}, "records 5 pages"),
        ({"files": {"../../etc/passwd": {"bytes": 1, "sha256": ""}}}, "names a file outside the store"),
        ({"files": [1]}, "not a valid description of a store"),
        ({"origin": {"evil": 1}}, "not a valid description of a store"),
    ],
)
def test_a_forged_manifest_is_refused(stored: Path, changes: dict[str, object], message: str) -> None:
    forged(stored, **changes)
    with pytest.raises(InputError, match=message):
        open_store(stored)


def test_links_that_point_nowhere_are_refused_before_a_kernel_sees_them(stored: Path) -> None:
    out_idx = np.load(stored / "out_idx.npy")
    out_idx[0] = 99
    np.save(stored / "out_idx.npy", out_idx)
    with pytest.raises(InputError, match="the links of page 0 are not an ascending list of page ids below 3"):
        open_store(stored).links.arrays()


def test_hosts_that_do_not_exist_are_refused(stored: Path) -> None:
    hosts = np.load(stored / "hosts.npy")
    hosts[1] = 7
    np.save(stored / "hosts.npy", hosts)
    with pytest.raises(InputError, match="host 7"):
        open_store(stored).sites()


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_as_a_manifest_give_an_error(stored: Path, content: bytes) -> None:
    (stored / "web.json").write_bytes(content)
    with pytest.raises(InputError):
        open_store(stored)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["out_ptr.npy", "out_idx.npy", "hosts.npy", "column-spam.npy", "nofollow-sources.npy"]), st.data()
)
def test_any_bytes_as_an_array_give_a_web_or_an_error(stored: Path, name: str, data: st.DataObject) -> None:
    whole = (stored / name).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + data.draw(st.binary(min_size=1, max_size=8)) + whole[place:]
    changed = changed[: len(whole)]
    (stored / name).write_bytes(changed)
    try:
        web = open_store(stored)
        web.links.arrays()
        web.sites()
        web.without_nofollow()
    except InputError as error:
        assert "\n" not in str(error)
    finally:
        (stored / name).write_bytes(whole)


def test_an_interruption_while_checksums_are_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store.Manifest, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        write_store(WEB, tmp_path / "web")
    assert list(tmp_path.iterdir()) == []
