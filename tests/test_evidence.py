"""docs/reproduce.md and docs/evidence.md say what the recorded runs say, and the runs judged the claims as declared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import evidence  # noqa: E402


@pytest.fixture(scope="module")
def recorded() -> dict[str, object]:
    return dict(json.loads(evidence.RECORD.read_text("utf-8")))


def test_the_docs_say_what_was_recorded(recorded: dict[str, object]) -> None:
    for path, text in evidence.pages(recorded).items():
        assert path.read_text("utf-8") == text, f"{path.name} is not what the record says: make evidence"


def test_every_claim_was_judged_as_it_is_declared(recorded: dict[str, object]) -> None:
    assert evidence.outdated(recorded) == [], "the claims have changed since these runs: make evidence"


def test_a_changed_record_or_claim_is_noticed(recorded: dict[str, object]) -> None:
    changed = json.loads(json.dumps(recorded))
    name = next(iter(changed))
    claim = changed[name]["claims"][0]
    claim["verdicts"][0]["holds"] = not claim["verdicts"][0]["holds"]
    assert evidence.pages(changed)[evidence.TABLES] != evidence.TABLES.read_text("utf-8")
    claim["holds_if"] = "it is another test"
    assert evidence.outdated(changed) == [f"{name}: {claim['name']}"]
    del changed[name]
    assert evidence.outdated(changed) == [f"{name}: not recorded"]
