"""What becomes of requests in real processes: kept over a kill, lost and told of, handed out as they were queued."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import ROOT, Answer, Served, killed, page, scrapy, server
from tests.live_spider import SCHEDULER

LINKS = [f"/{number}" for number in range(6)]


@pytest.fixture
def served() -> Iterator[Served]:
    with server() as found:
        found.answers["a.test/"] = Answer(page(*LINKS))
        found.answers |= {f"a.test{link}": Answer(page()) for link in LINKS}
        yield found


def kill_while_links_wait(served: Served, folder: Path, spider: str) -> dict[str, object]:
    """A crawl that has seen the first page and is fetching the second, one at a time; its settings."""
    settings = {"CONCURRENT_REQUESTS": 1, "JOBDIR": str(folder / "job")}
    served.delay = 0.5
    killed([served.url("a.test/")], folder, lambda: len(served.asked) >= 2, spider, **settings)
    served.delay = 0.0
    return settings


def test_paths_enumerations_tuples_and_page_methods_survive_a_kill(served: Served, tmp_path: Path) -> None:
    settings = kill_while_links_wait(served, tmp_path, "Carrying")
    done = scrapy([served.url("a.test/")], tmp_path, "Carrying", **settings)
    assert set(served.pages()) == {"a.test/", *(f"a.test{link}" for link in LINKS)}, done.log
    assert done.stats["test/carried"] == len(LINKS)
    assert done.stats["finish_reason"] == "finished"
    assert done.stats["seedbed/lost"] == 0
    assert "scheduler/unserializable" not in done.stats


def test_what_cannot_be_stored_is_told_at_once_and_told_as_lost_after_a_kill(served: Served, tmp_path: Path) -> None:
    settings = kill_while_links_wait(served, tmp_path, "Unstored")
    first = (tmp_path / "killed.log").read_text()
    (line,) = [line for line in first.splitlines() if "cannot be written to the job" in line]
    assert f"<GET {served.url('a.test/0')}>" in line
    assert "meta['lock'] is of type lock" in line
    for _ in range(2):
        done = scrapy([served.url("a.test/")], tmp_path, "Unstored", **settings)
        assert "Could not be stored, and lost when an earlier run stopped: 6 requests: http" in done.log
        assert served.url("a.test/0") in done.log
        assert done.stats["finish_reason"] == "seedbed_incomplete"
        assert done.stats["seedbed/lost"] == 6


def test_what_was_lost_and_is_requested_again_is_lost_no_more(served: Served, tmp_path: Path) -> None:
    settings = {"CONCURRENT_REQUESTS": 1, "JOBDIR": str(tmp_path / "job")}
    starts = [served.url(f"a.test{link}") for link in LINKS[:3]]
    served.delay = 0.5
    killed(starts, tmp_path, lambda: len(served.asked) >= 2, "UnstoredStart", **settings)
    served.delay = 0.0
    done = scrapy(starts, tmp_path, "UnstoredStart", **settings)
    assert "lost when an earlier run stopped: 2 requests" in done.log
    assert set(served.pages()) == {"a.test/0", "a.test/1", "a.test/2"}
    assert done.stats["finish_reason"] == "finished"
    assert done.stats["seedbed/lost"] == 0


def shell(served: Served, *words: str) -> str:
    """What `scrapy shell` prints."""
    command = [sys.executable, "-m", "scrapy", "shell", "-s", f"SCHEDULER={SCHEDULER}", "-s", "LOG_LEVEL=WARNING"]
    environment = {**os.environ, "SCRAPY_PYTHON_SHELL": "python"}
    done = subprocess.run(
        [*command, *words], check=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("option", [[], ["--no-redirect"]])
def test_scrapy_shell_shows_a_page(served: Served, option: list[str]) -> None:
    served.answers["127.0.0.1/moved"] = Answer(status=302, headers={"Location": "/there"})
    served.answers["127.0.0.1/there"] = Answer(page())
    printed = shell(served, *option, served.url("127.0.0.1/moved"), "-c", "response.status")
    assert printed == ("302" if option else "200")


def test_scrapy_shell_fetches_requests_one_after_another_and_again(served: Served) -> None:
    served.answers["127.0.0.1/"] = Answer(page())
    one = f"scrapy.Request({served.url('127.0.0.1/')!r})"
    other = f"scrapy.Request({served.url('127.0.0.1/gone')!r}, meta={{'handle_httpstatus_all': True}})"
    # Inside a comprehension only a lambda's arguments are seen, not what fetch puts among the shell's variables.
    each = f"[(v['fetch'](r), v['response'].status)[1] for a, b in [({one}, {other})] for r in (a, b, a, b)]"
    assert shell(served, "-c", f"(lambda v: {each})(vars())") == "[200, 404, 200, 404]"
