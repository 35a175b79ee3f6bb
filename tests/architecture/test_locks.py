"""One way to wait for a lock: `system.lock_until`. A loop that tries and sleeps by itself is a second one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/exitgate"
#: The file that has it.
OWN = "core/system/portable.py"


def waits_by_itself(source: str) -> bool:
    """Return whether a file tries a lock and sleeps, in whichever of its functions."""
    called = {
        ast.unparse(node.func).rsplit(".", 1)[-1]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
    }
    return "sleep" in called and not called.isdisjoint(("lock", "flock", "lockf"))


def test_only_the_system_s_own_room_waits_for_a_lock() -> None:
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "lock" in (text := path.read_text("utf-8")) and "sleep" in text and waits_by_itself(text)
    }
    assert found == {OWN}


@pytest.mark.parametrize(
    ("source", "waits"),
    [
        ("while True:\n    system.lock(file)\n    time.sleep(0.01)", True),
        ("def a(): fcntl.flock(file, 2)\ndef b(): sleep(1)", True),
        ("system.lock_until(file, until)\ntime.sleep(1)", False),
        ("system.lock(file)", False),
    ],
)
def test_a_loop_of_its_own_is_seen(source: str, waits: bool) -> None:
    assert waits_by_itself(source) is waits
