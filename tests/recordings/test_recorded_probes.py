"""Probes in a recording: the same command of the agent, behind its last change of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import each

from exitgate.core.facts.extractors.probes import extract
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.probes.definition import Probe
from exitgate.recordings.recorded_probes import GIVEN, RECORDED, asks, read_results, recorded, with_results
from exitgate.recordings.replay.extraction import digest_of

RAN: dict[str, Any] = {
    "tool": "Bash",
    "input": {"command": "make test 2>&1"},
    "result": "1 failed\n",
    "error": True,
}
PASSED = {**RAN, "result": "3 passed", "error": False}
WROTE: dict[str, Any] = {
    "tool": "Write",
    "input": {"file_path": "a.py", "content": "x"},
    "result": "ok",
    "error": False,
}


def runs(command: str, **more: object) -> dict[str, Any]:
    return {**PASSED, "input": {"command": command, **more}}


OTHER = {**PASSED, "input": {"command": "make test | tail -1"}}


def passed(*calls: dict[str, Any], **more: object) -> object:
    policy = load_policy("recommended", settings={"verify": "[tests]"})
    probes = {"tests": {"command": ["make", "test"], **more}}
    policy = policy.but(layers={"probes": probes})
    entry = next(one for one in policy.extractions if one.prefix == "verified")
    told = Source("tool_calls", record=JsonObject(calls=[JsonObject(one) for one in calls]))
    source = Source("probes", record=JsonObject(answers=recorded(policy, told)))
    seen = Iteration(1, "a#1", 0.0, {"probes": source})
    found = {fact.name: fact.value for fact in extract("verified", "probes", entry.options, seen)}
    value = found["verified.passed"]
    return "unknown" if isinstance(value, Unknown) else value


@each(
    ("calls", "came_out"),
    [
        ([PASSED], True),
        ([RAN], False),
        ([RAN, PASSED], True),
        ([PASSED, RAN], False),
        ([PASSED, WROTE], "unknown"),
        ([WROTE, PASSED], True),
        ([PASSED, OTHER], "unknown"),
        ([PASSED, runs("git status && git diff | head -5 2>/dev/null")], True),
        ([PASSED, runs("ls\ncat a.py")], True),
        ([PASSED, runs("cat > a.py")], "unknown"),
        ([PASSED, runs("cat a.py\nsed -i s/a/b/ a.py")], "unknown"),
        ([PASSED, runs("echo x>a.py")], "unknown"),
        ([PASSED, runs("echo $(touch a.py)")], "unknown"),
        ([PASSED, runs("ls; git checkout HEAD~1")], "unknown"),
        ([PASSED, runs("ls 'unclosed")], "unknown"),
        ([RAN, runs("sed -i s/a/b/ a.py")], "unknown"),
        ([runs("sed -i s/a/b/ a.py"), PASSED], True),
        ([runs("make test", run_in_background=True)], "unknown"),
        ([PASSED, runs("make test", is_background=True)], "unknown"),
        ([runs("make 'test'")], True),
        ([runs("make test extra")], "unknown"),
        ([runs("make test", workdir="/p")], True),
        ([runs("make test", workdir=".")], True),
        ([runs("make test", workdir="sub")], "unknown"),
        ([runs("ls", workdir="/p"), runs("make test", workdir="/p/sub")], "unknown"),
        ([runs("ls", workdir="/p/sub"), runs("make test", workdir="/p")], True),
        (
            [{**WROTE, "input": {"file_path": "/p/a.py", "content": "x"}}, runs("make test", cwd="/p/sub")],
            "unknown",
        ),
        ([runs("cd sub && ls"), PASSED], "unknown"),
        ([runs("cd /p; ls"), PASSED], True),
        ([runs("cd /p; ls"), runs("cd /p/sub"), PASSED], "unknown"),
        ([runs("cd /p/sub"), runs("cd /p"), PASSED], True),
        ([OTHER], "unknown"),
        ([], "unknown"),
        ([{**PASSED, "exit_status": 2}], False),
        ([{**RAN, "exit_status": 0}], False),
        ([{key: value for key, value in PASSED.items() if key != "error"}], "unknown"),
    ],
)
def test_the_same_command_behind_the_last_change_counts(
    calls: list[dict[str, Any]], came_out: object
) -> None:
    assert passed(*calls) == came_out


def test_a_judge_is_not_a_command() -> None:
    assert passed(PASSED, judge="it is done") == "unknown"


def test_nothing_is_looked_for_where_nothing_is_asked() -> None:
    assert asks(load_policy("recommended")) is False
    assert asks(load_policy("recommended", settings={"verify": "[tests]"})) is True


def test_results_that_are_given_count_before_what_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    rows = [
        {"probe": "tests", "passed": False, "failed": 2},
        {"probe": "tests", "iteration": 3, "file": "night", "passed": True},
        {"probe": "tests", "iteration": 4, "passed": None, "reason": "no machine"},
    ]
    file.write_text(json.dumps(rows), encoding="utf-8")
    policy = with_results(load_policy("recommended", settings={"verify": "[tests]"}), read_results(str(file)))
    calls = Source("tool_calls", record=JsonObject(calls=[]))

    def answer(iteration: int, name: str) -> object:
        return recorded(policy, calls, iteration, name)["tests"].get("passed")

    assert [answer(n, "night.jsonl") for n in (1, 3, 4)] == [False, True, None]
    assert answer(3, "day.jsonl") is False


def test_what_a_check_asked_then_counts_where_the_definition_is_the_same() -> None:
    policy = load_policy("recommended", settings={"verify": "[tests]"})
    policy = policy.but(layers={"probes": {"tests": {"command": ["make", "test"]}}})
    digest = Probe("tests", JsonObject(command=["make", "test"])).digest
    calls = Source("tool_calls", record=JsonObject(calls=[JsonObject(RAN)]))
    then = {"status": "answered", "passed": True, "total": 3, "definition": digest}

    def answer(then: object) -> JsonObject:
        return recorded(policy, calls, asked=JsonObject(tests=then))["tests"]

    assert answer(then) == then
    assert answer({**then, "definition": "another"}).get("mark") == RECORDED
    assert answer(None).get("passed") is False
    given = with_results(policy, [JsonObject(probe="tests", passed=False)])
    assert recorded(given, calls, asked=JsonObject(tests=then))["tests"].get("mark") == GIVEN


def test_facts_that_are_kept_depend_on_definitions_and_on_what_is_given() -> None:
    plain = load_policy("recommended", settings={"verify": "[tests]"})
    policy = plain.but(layers={"probes": {"tests": {"command": ["make", "test"]}}})
    other = plain.but(layers={"probes": {"tests": {"command": ["make", "check"]}}})
    given = with_results(policy, [JsonObject(probe="tests", passed=True)])
    assert len({digest_of(one) for one in (policy, other, given)}) == 3
    silent = load_policy("recommended")
    assert digest_of(silent) == digest_of(with_results(silent, [JsonObject(probe="tests", passed=True)]))


WRONG = (
    "", "{}", "[1]", '[{"probe": "tests"}]', '[{"passed": true}]', '[{"probe": "t", "passed": 1}]',
    '[{"probe": "t", "passed": true, "total": 1e400}]', '[{"probe": "t", "passed": true, "coverage": NaN}]',
    '[{"probe": "t", "passed": false, "passed": true}]',
)  # fmt: skip


@each("text", WRONG)
def test_anything_else_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(ExitgateError) as caught:
        read_results(str(tmp_path / "r.json"))
    assert (caught.value.exit_code, caught.value.diagnostics[0].code) == (65, "EP588")
    with pytest.raises(ExitgateError) as caught:
        read_results(str(tmp_path / "missing.json"))
    assert caught.value.exit_code == 66
