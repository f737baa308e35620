"""What the scheduler needs of Scrapy's insides is checked before a crawl begins, and said in one line."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
import scrapy

from seedbed.errors import OptionError
from seedbed.integrations.live import scrapy_adapter
from seedbed.integrations.live.scrapy_adapter import NEWEST, PRIVATE, check_scrapy
from tests.live_rig import Rig, all_closed  # noqa: F401

pytestmark = pytest.mark.usefixtures("all_closed")


@pytest.mark.parametrize("path", PRIVATE)
def test_a_name_that_this_scrapy_lacks_is_said_in_one_line(path: str) -> None:
    rig = Rig()
    holder, _, name = path.rpartition(".")
    held = getattr(rig.engine, holder) if holder else rig.engine
    if name == "get_slot_key":
        rig.engine.downloader = held = type("Downloader", (), {"active": set(), "slots": {}})()
    else:
        delattr(held, name)
    with pytest.raises(OptionError) as refusal:
        check_scrapy(rig.crawler)
    expected = (
        f"the engine of Scrapy {scrapy.__version__} has no '{path}', which seedbed's scheduler needs. It was tried"
    )
    assert str(refusal.value).startswith(expected)
    assert "\n" not in str(refusal.value)


def test_a_version_that_was_not_tried_is_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig()
    monkeypatch.setattr(scrapy_adapter, "_WARNED", [])
    monkeypatch.setattr(scrapy, "version_info", (NEWEST[0], NEWEST[1] + 1, 0))
    with caplog.at_level(logging.WARNING):
        check_scrapy(rig.crawler)
        check_scrapy(rig.crawler)
    assert [record.getMessage() for record in caplog.records] == [
        f"seedbed's scheduler was tried with Scrapy {scrapy_adapter.TRIED}; this is {scrapy.__version__}"
    ]


def test_what_any_crawler_could_use_does_not_import_scrapy() -> None:
    parts = ("live_frontier", "live_orders", "live_queue", "job_store", "in_flight", "contributions")
    imports = "; ".join(f"import seedbed.integrations.live.{part}" for part in parts)
    code = f"import sys; {imports}; assert 'scrapy' not in sys.modules and 'twisted' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
