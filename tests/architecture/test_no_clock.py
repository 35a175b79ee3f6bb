"""No test depends on how fast or how busy the machine is: none reads a clock to judge what was done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parents[1]
FILES = sorted(path for path in TESTS.rglob("*.py") if path.parent.name != "shared")
#: Clocks that measure work. What work costs is counted: `shared/steps.py`.
STOPWATCHES = {
    "perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "thread_time", "timeit",
    "getrusage",
}  # fmt: skip
#: Clocks that a comparison may not read. Waiting is `shared/patience.py`.
CLOCKS = {"monotonic", "monotonic_ns", "time", "time_ns", "now", "utcnow", "today"}
#: Calls that give up after a time. Those of a test give up after `patience.PATIENCE`.
WAITING = {"run", "communicate", "wait", "check_call", "check_output", "create_connection", "join", "get"}
#: What a file with a fault has in it, to parse no other.
SUSPECT = (*STOPWATCHES, *(f"{name}(" for name in CLOCKS), "timeout=", "sleep(", "deadline=")
#: Seconds: a shorter time is a question (`is it there yet`), not a verdict.
LONG = 1.0


def named(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def seconds(node: ast.AST) -> float:
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return float(node.value) if is_number else 0.0  # type: ignore[attr-defined]


def faults(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        if (isinstance(node, ast.alias) and node.name in STOPWATCHES) or named(node) in STOPWATCHES:
            yield f"{line}: a stopwatch; count with `steps.Steps`"
        if isinstance(node, ast.Compare):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and not one.args]
            if any(named(one.func) in CLOCKS for one in calls):
                yield f"{line}: a clock is compared; wait with `patience.wait_for`"
        if isinstance(node, ast.Call) and named(node.func) in WAITING:
            given = [word.value for word in node.keywords if word.arg == "timeout"]
            if any(seconds(one) >= LONG for one in given):
                yield f"{line}: a time-out of its own; take `patience.PATIENCE`"
        if (
            isinstance(node, ast.Call)
            and named(node.func) == "sleep"
            and sum(map(seconds, node.args)) >= LONG
        ):
            yield f"{line}: a long sleep; wait with `patience.wait_for`"
        if isinstance(node, ast.keyword) and node.arg == "deadline" and ast.unparse(node.value) != "None":
            yield f"{line}: a property with a deadline"


def test_no_test_judges_by_a_clock() -> None:
    texts = {str(path.relative_to(TESTS)): path.read_text(encoding="utf-8") for path in FILES}
    suspect = {name: text for name, text in texts.items() if any(word in text for word in SUSPECT)}
    found = {name: list(faults(ast.parse(text))) for name, text in suspect.items()}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize(
    "text",
    [
        "begun = time.perf_counter()",
        "from time import process_time",
        "assert time.monotonic() - begun < 3",
        "while n < 3 and until > time.time(): pass",
        "child.communicate(timeout=20)",
        "settings(deadline=500)",
        "time.sleep(2)",
    ],
)
def test_what_reads_a_clock_is_found(text: str) -> None:
    assert len(list(faults(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text", ["child.communicate(timeout=PATIENCE)", "loop.time = time.time() - 90", "settings(deadline=None)"]
)
def test_what_does_not_is_not(text: str) -> None:
    assert list(faults(ast.parse(text))) == []


def test_properties_have_no_deadline() -> None:
    assert settings().deadline is None


def test_event_loops_are_run_beside_that_of_a_browser() -> None:
    """A browser leaves a loop running in its worker; which files share a worker changes from run to run."""
    files = [path for path in FILES if "asyncio.run(" in path.read_text(encoding="utf-8")]
    alone = [str(path) for path in files if "own_event_loop" not in path.read_text(encoding="utf-8")]
    assert len(files) > 3
    assert not alone, "give these tests the fixture `own_event_loop`"
