"""How much memory there is: the machine's, its control group's, its shell's."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.common import memory


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "CONTROL_GROUPS", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("membership", "files"),
    [
        ("0::/\n", ["memory.max"]),
        ("0::/user.slice/job-7\n", ["memory.max", "user.slice/memory.max", "user.slice/job-7/memory.max"]),
        (
            "9:memory:/batch/job:7\n8:cpu:/other\n0::/\n",
            [f"memory/{place}memory.limit_in_bytes" for place in ("", "batch/", "batch/job:7/")],
        ),
    ],
)
def test_limits_of_all_control_groups_above_count(groups: Path, membership: str, files: list[str]) -> None:
    (groups / "membership").write_text(membership)
    found = memory.control_group_files(groups / "membership")
    assert {groups / file for file in files} <= set(found)
    assert not any("other" in str(file) for file in found)


def test_without_control_groups_the_machine_is_what_there_is(groups: Path) -> None:
    assert memory.control_group_files(groups / "none") == [
        groups / "memory.max",
        groups / "memory" / "memory.limit_in_bytes",
    ]
    assert memory.machine_memory() > 0


def test_the_least_limit_holds(groups: Path) -> None:
    (groups / "memory.max").write_text("max\n")
    there = memory.machine_memory()
    (groups / "memory.max").write_text(f"{there // 2}\n")
    assert memory.machine_memory() == there // 2


def test_a_limit_on_address_space_leaves_room_for_libraries_and_few_threads() -> None:
    code = """
import resource
from seedbed.common import memory
assert memory.address_space() is None
whole = memory.machine_memory(), memory.thread_room()
for size in (1 << 30, 2 << 30):
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
    print(memory.machine_memory() <= size - memory.TAKEN_BY_LIBRARIES, memory.thread_room())
"""
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    if resource.getrlimit(resource.RLIMIT_AS) != unlimited:
        pytest.skip("there is a limit already")
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "1", "True", "8"]
