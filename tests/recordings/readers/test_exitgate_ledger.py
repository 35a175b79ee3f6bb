"""exitgate's own ledger as a transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader

from exitgate.core.gate.check import check
from exitgate.core.ledger.append import Ledger
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, SIGNATURE, TEXT, Type, Unknown
from exitgate.core.state.request import Request
from exitgate.recordings.recorded_input import holds, taken
from exitgate.recordings.replay.dry_run import dry_run

ID = "exitgate-ledger"


def line(run: str, number: int, facts: dict[str, object], **more: object) -> dict[str, object]:
    decision = {"verdict": "CONTINUE", "class": None, "outcome": "continue", **more.pop("decision", {})}  # type: ignore[dict-item]
    return {
        "run": run, "kind": "decision", "time": 1_000.0 + number, "at": "", "iteration": number,
        "policy": {"name": "demo", "version": "1.0.0"}, "facts": facts, "totals": more.pop("totals", {}),
        "decision": decision, "breaker": {"state": "CLOSED"}, **more,
    }  # fmt: skip


def ledger(folder: Path, *lines: dict[str, object]) -> Path:
    with Ledger(str(folder)) as opened:
        for one in lines:
            opened.append(one)
    return folder


def test_what_probes_said_is_there(tmp_path: Path) -> None:
    said = {"tests": {"status": "answered", "passed": False, "failing": ["test_login"]}}
    lines = (line("a#1", at, {}, probes=probes) for at, probes in enumerate((said, None, [7]), 1))
    ((run,), _) = read(ledger(tmp_path / "state", *lines))
    assert [one.probes for one in run.iterations] == [said, {}, {}]


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    stop = {"verdict": "EXIT", "class": "complete", "outcome": "all_done"}
    return ledger(
        tmp_path / "state",
        {"run": "a#1", "kind": "run_start", "time": 1_000.0, "at": "", "iteration": 0, "facts": {}},
        line("a#1", 1, {"tasks.done": {"v": 1}}, totals={"cost": 0.5, "tokens": 100}),
        line("b#1", 1, {"tasks.done": {"u": "no plan", "o": "tasks.done"}}),
        line(
            "a#1",
            2,
            {"tasks.done": {"v": 2}, "run.agent_exit": {"v": 0}},
            totals={"cost": 0.75},
            decision=stop,
        ),
        {"run": "b#1", "kind": "reset", "time": 1_009.0, "at": "", "reason": "by hand"},
    )


def test_interleaved_runs_are_told_apart(two_runs: Path) -> None:
    assert reader(two_runs) == reader(two_runs / "ledger.jsonl") == ID
    (a, b), problems = read(two_runs)
    assert problems == ()
    assert (a.begin.id, a.begin.granularity, a.begin.started_at, b.begin.started_at) == (
        "a#1", "process", 1_000.0, None,
    )  # fmt: skip
    assert [len(a.iterations), len(b.iterations)] == [2, 1]
    assert (a.end.how, a.end.why, a.end.ended_at) == ("complete", "all_done", 1_002.0)
    assert (b.end.how, b.end.why, b.end.ended_at) == (None, "by hand", 1_009.0)


def test_an_iteration_has_its_facts_and_no_text(two_runs: Path) -> None:
    (a, b), _ = read(two_runs / "ledger.jsonl")
    first, second = a.iterations
    assert (first.index, second.index, first.provenance.first, second.provenance.last) == (1, 2, 2, 4)
    assert first.facts == {"tasks.done": 1}
    unknown = (b.iterations[0].facts or {})["tasks.done"]
    assert isinstance(unknown, Unknown) and unknown.reason == "no plan"
    assert (first.response, first.output, first.plan, first.ended_at) == (None, None, None, 1_001.0)
    assert "facts" in first.not_known["response"]
    assert (first.cost, second.cost, first.record["tokens"], "tokens" in second.record) == (
        0.5,
        0.25,
        100,
        False,
    )
    assert (first.exit_status, second.exit_status, second.circuit) == (None, 0, {"state": "CLOSED"})


def test_a_decision_before_an_iteration_is_none(tmp_path: Path) -> None:
    before = {"stage": "before_iteration"}
    path = ledger(
        tmp_path / "state",
        line("a#1", 0, {}, decision=before),
        line("a#1", 1, {"tasks.done": {"v": 1}}, decision={"stage": "after_failure"}),
        line("a#1", 1, {"tasks.done": {"v": 1}}, decision=before),
        line("a#1", 2, {"tasks.done": {"v": 2}}, decision=before),  # a check on both stages
    )
    ((run,), problems) = read(path)
    assert (len(run.iterations), problems) == (2, ())
    assert [one.facts for one in run.iterations] == [{"tasks.done": 1}, {"tasks.done": 2}]


def test_a_damaged_and_a_newer_line_are_told_and_the_rest_is_read(two_runs: Path) -> None:
    path = two_runs / "ledger.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    newer = json.loads(lines[2]) | {"format": 99}
    path.write_bytes(lines[0] + b"{damaged\n" + json.dumps(newer).encode() + b"\n" + lines[3] + b'{"form')
    (a,), problems = read(path)
    assert [problem.line for problem in problems] == [2, 3, 5]
    assert [one.provenance.first for one in a.iterations] == [4]


def test_cut_anywhere(two_runs: Path) -> None:
    cut_by_lines(two_runs / "ledger.jsonl", ID)


def test_odd_members(tmp_path: Path) -> None:
    one = line("a#1", 1, {"tasks.done": {"u": "no plan"}}, totals={"cost": 0.5})
    odd_members(ledger(tmp_path / "state", one) / "ledger.jsonl", ID)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "ledger.jsonl", body, ID)


def test_recorded_facts_count_where_the_policy_has_facts_that_they_fit() -> None:
    specs = {"a": FactSpec("a", COUNT, ""), "b": FactSpec("b", BOOL, ""), "c": FactSpec("c", TEXT, "")}
    recorded = {"a": 3, "b": "yes", "c": Unknown("gone", "c"), "d": 1}
    found = taken(recorded, ("a", "b", "c", "d"), specs)
    assert sorted(found) == ["a", "c"]
    assert (found["a"].value, found["c"].value) == (3, Unknown("gone", "c"))


@each(
    ("type", "right", "wrong"),
    [
        (BOOL, True, 1), (COUNT, 0, True), (COUNT, 2, -1), (COUNT, 2, 2.5), (PERCENT, 99.5, 101),
        (TEXT, "", 0), (SIGNATURE, "x", None), (Type("enum", members=("A", "B")), "B", "C"),
        (Type("list", item=COUNT), (1, 2), (1, "2")), (Type("list", item=TEXT), (), []),
        (Type("duration"), 3.5, "3"), (Type("money", currency="USD"), 0, True),
    ],
)  # fmt: skip
def test_what_a_type_holds(type: Type, right: object, wrong: object) -> None:
    assert holds(type, right) and not holds(type, wrong)


def test_a_dry_run_of_a_ledger_decides_as_the_checks_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    plan, state = tmp_path / "fix_plan.md", tmp_path / ".ralph" / "exitgate"
    response = tmp_path / "response.txt"
    decided = []
    for number in range(1, 4):
        ticked = "".join(f"- [{'x' if n < number else ' '}] step {n}\n" for n in range(3))
        plan.write_text(ticked, encoding="utf-8")
        response.write_text(f"Step {number} works now.\n", encoding="utf-8")
        request = Request(
            response=str(response), policy="recommended", root=str(tmp_path), state_dir=str(state)
        )
        decided.append(check(request).decision)
    (result,) = dry_run([str(state)], ["recommended"]).results
    assert (result.run.reader, result.run.iterations) == (ID, 3)
    assert [(row.verdict, row.rule) for row in result.rows] == [(one.verdict, one.rule) for one in decided]
    assert result.stop is not None and result.stop.exit_class == "complete"
