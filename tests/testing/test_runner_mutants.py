"""
The runner of tests is tested by mutants: a check of the runner itself must find each way of breaking it.

A test that says "want fail, got pass" and is counted as passed is worse than none. `wrong_with` knows of
every expectation values that are right and values that are wrong; it goes through the runner as users do,
and says where the runner takes the one for the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from expectation_tables import GIVEN, RIGHT_AND_WRONG, WINNING, WINNING_RIGHT_AND_WRONG

from exitgate.analysis.results.answer import proved, refuted
from exitgate.cli.commands import test as command
from exitgate.cli.main import main
from exitgate.report.policy.tests import Ran
from exitgate.testing import compare, extract, runner
from exitgate.testing.cases.case import Case, Failure, Result
from exitgate.testing.cases.load import load_suite
from exitgate.testing.compare import COMPARISONS
from exitgate.testing.invariants import Sampled

TABLES = ((GIVEN, RIGHT_AND_WRONG), (WINNING, WINNING_RIGHT_AND_WRONG))
FEW = "--no-invariants"
HEAD = "format: 1\ntests:\n"
EARLY = """\
  - name: %s early
    facts: {tasks.total: 9}
    history: {tasks.done: "1 2 2 2 2"}
    expect_at: {"4": {rule: %s}}
    expect: {rule: still}
"""


def cases(right: bool, key: str | None = None) -> Iterator[str]:
    """Yield the text of cases that all are right, or all wrong: all of one key, or one of every key."""
    number = 0
    for text, table in TABLES:
        for name, values in table.items():
            for value in values[0 if right else 1][: 1 if key is None else None]:
                number += 1
                if key in (None, name):
                    said = text.replace(
                        "name: a case", f"name: {'right' if right else 'wrong'} {number} {name}"
                    )
                    yield said % f"{name}: {value}"
    if key is None:
        yield EARLY % (("right", "~") if right else ("wrong", "still"))


@pytest.fixture
def folder(tmp_path: Path, policy_text: str) -> Path:
    (tmp_path / "policy.yaml").write_text(policy_text)
    return tmp_path


def wrong_of_key(key: str, folder: Path) -> list[str]:
    """Return where single cases of a key come out otherwise than they should."""
    text = HEAD + "".join((*cases(True, key), *cases(False, key)))
    suite = load_suite(text, "tests.yaml", str(folder))
    found = []
    for case in suite.cases:
        result = runner.run_case(case, suite.program(case))
        keys = {failure.want.key for failure in result.failures}
        if keys != (set() if case.name.startswith("right") else {key}):
            found.append(case.name)
        found += [case.name for failure in result.failures if failure.wanted == failure.got]
    return found


def told(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["test", str(folder / "tests.yaml"), *words])
    return code, capsys.readouterr().out


@pytest.fixture(autouse=True)
def _without_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest causes have tests of their own, and take most of the time."""
    monkeypatch.setattr(runner, "EXPLAINED", 0)


def wrong_with(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """Yield what is wrong with the command as a whole: codes, counts, which cases failed and for what."""
    (folder / "tests.yaml").write_text(HEAD + "".join(cases(True)))
    code, out = told(folder, capsys, "--format", "json")
    ran = json.loads(out)
    if code != 0 or ran["failed"] or ran["passed"] != len(list(cases(True))) + 2:
        yield "right cases do not all pass"
    code, out = told(folder, capsys, FEW)
    if code != 0 or "✗" in out:
        yield "right cases fail as text"
    (folder / "tests.yaml").write_text(HEAD + "".join(cases(False)))
    code, out = told(folder, capsys, FEW, "--format", "json")
    results = {one["name"]: one for one in json.loads(out)["files"][0]["results"]}
    if code != 69:
        yield "wrong cases do not end with 69"
    for name, one in results.items():
        if one["kind"] == "case" and (one["result"] != "failed" or not one["failures"]):
            yield f"{name} did not fail"
        if any(miss["expected"] == miss["got"] for miss in one["failures"]):
            yield f"{name} expects what it got"
    if told(folder, capsys, FEW, "--format", "junit")[1].count("<failure") != len(list(cases(False))):
        yield "JUnit counts other failures"
    if told(folder, capsys, FEW, "--format", "tap")[1].count("\nnot ok") != len(list(cases(False))):
        yield "TAP counts other failures"
    (folder / "tests.yaml").write_text(HEAD + next(cases(True)))
    policy = (folder / "policy.yaml").read_text()
    (folder / "policy.yaml").write_text(
        policy.replace("circuit.state is OPEN\n    exit", "circuit.state is HALF_OPEN\n    exit")
    )
    code, _ = told(folder, capsys)
    (folder / "policy.yaml").write_text(policy)
    if code != 69:
        yield "a broken invariant does not end with 69"


def test_the_runner_is_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {key: wrong_of_key(key, folder) for key in COMPARISONS} == {key: [] for key in COMPARISONS}
    assert list(wrong_with(folder, capsys)) == []


Comparison = Callable[..., Failure | None]
MUTANTS: dict[str, Callable[[Comparison], Comparison]] = {
    "always met": lambda _: lambda want, view: None,
    "never met": lambda _: lambda want, view: Failure(want, "one thing", "another"),
    "turned round": lambda real: (
        lambda want, view: None if real(want, view) else Failure(want, "this", "that")
    ),
    "says it expects what it got": lambda real: lambda want, view: _same(real(want, view)),
}


def _same(failure: Failure | None) -> Failure | None:
    return failure and Failure(failure.want, failure.got, failure.got)


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("key", COMPARISONS)
def test_a_broken_comparison_is_found(
    key: str, mutant: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMPARISONS, key, MUTANTS[mutant](COMPARISONS[key]))
    assert wrong_of_key(key, folder)


def _passed(case: Case, *_: object) -> Result:
    return Result(case, ())


#: Something meets what an invariant is about.
MET = refuted(({},))
RUNNERS: dict[str, tuple[object, str, object]] = {
    "no want is looked at": (runner, "compare", lambda want, view: None),
    "cases pass unseen": (runner, "run_case", _passed),
    "failures are not told": (runner, "failures_of", lambda result, nearest: ()),
    "a failed case counts as passed": (Ran, "failed", property(lambda self: False)),
    "a passed case counts as failed": (Ran, "failed", property(lambda self: True)),
    "misses alone do not count": (Ran, "failed", property(lambda self: bool(self.broken))),
    "broken invariants do not count": (Ran, "failed", property(lambda self: bool(self.misses))),
    "the code is always 0": (command, "code_of", lambda found: 0),
    "the code is always 69": (command, "code_of", lambda found: 69),
    "invariants always hold": (runner, "check_invariant", lambda i, program: Sampled(i, proved(), MET)),
    "lists are compared as sets of one": (compare, "_texts", lambda value: []),
    "values of facts are all the same": (compare, "same", lambda left, right: True),
    "iterations are decided as the last one": (runner, "observe", None),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNNERS)
def test_a_broken_runner_is_found(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, attribute, broken = RUNNERS[name]
    if broken is None:
        broken = lambda case, program: (extract.observe(case, program)[-1],) * len(case.given)  # noqa: E731
    monkeypatch.setattr(place, attribute, broken)
    assert next(wrong_with(folder, capsys), None) is not None


def test_misses_come_from_failures_alone() -> None:
    assert runner.failures_of(Result(None, ())) == ()  # type: ignore[arg-type]
