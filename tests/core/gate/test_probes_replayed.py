"""What a dry run makes of probes is what the checks made of them: asked or not, and how often in a row."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from asking_project import Project
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from exitgate.core.engine.stages import stages_due
from exitgate.core.gate.extract import asked
from exitgate.core.gate.settings import policy_of
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.model import PROCESS, Begin, Provenance, RecordedIteration
from exitgate.recordings.recorded_probes import NAME, with_results
from exitgate.recordings.replay.replay import Extraction, Replay

SCRIPT = 'touch "$NOTES/ran-$(ls "$NOTES" | wc -l)"; cat "$NOTES/report"; exit $(cat "$NOTES/status")'
#: Whether the agent claims to be done, and how many of three tests fail.
Turns = list[tuple[bool, int]]


def said(turn: int, claims: bool) -> str:
    return f"Turn {turn}.\n\n<promise>{'DONE' if claims else 'not yet'}</promise>\n"


def checked(project: Project, turns: Turns) -> list[tuple[str, str | None, bool]]:
    """Return verdict, rule and whether the probe was asked, of one check after each turn."""
    found = []
    for number, (claims, failed) in enumerate(turns, 1):
        lines = [f"{'not ok' if test < failed else 'ok'} {test + 1} - t{test}" for test in range(3)]
        (project.notes / "report").write_text("\n".join(["1..3", *lines, ""]))
        (project.notes / "status").write_text("1" if failed else "0")
        project.write("work.txt", f"{number}\n")
        before = project.asked()
        project.write("r.md", said(number, claims))
        decision = project.checked().decision
        found.append((decision.verdict, decision.rule, project.asked() > before))
        if decision.verdict == "EXIT":
            break
    return found


def replayed(project: Project, turns: Turns) -> list[tuple[str, str | None, bool]]:
    results = [
        JsonObject(probe="tests", iteration=number, passed=not failed, failed=failed, total=3)
        for number, (_, failed) in enumerate(turns, 1)
    ]
    policy = with_results(policy_of(project.request()), results)
    begin = Begin("night", PROCESS, "night.log", None)
    extraction, replay = Extraction(policy, begin), Replay(policy, begin)
    found = []
    for number, (claims, _) in enumerate(turns, 1):
        text = said(number, claims)
        one = RecordedIteration(number, Provenance("night.log", number, number), text, text)
        decided = replay.step(extraction.step(one))
        asked = decided.record.get("verified.passed") in (True, False)
        found.append((decided.decision.verdict, decided.decision.rule, asked))
        if decided.decision.verdict == "EXIT":
            break
    return found


@each(
    ("turns", "rules"),
    [
        (
            [(False, 2), (True, 2), (True, 2), (True, 2)],
            [None, "not_verified", "not_verified", "fails_without_end"],
        ),
        ([(True, 2), (True, 2), (True, 1), (True, 1), (True, 0)], ["not_verified"] * 4 + ["promised"]),
        (
            [(True, 1), (False, 3), (True, 1), (False, 0), (True, 1)],
            ["not_verified", None, "not_verified", None, "fails_without_end"],
        ),
        ([(True, 3), (False, 0), (True, 0)], ["not_verified", None, "promised"]),
        ([(True, 1), (True, 2), (True, 1), (True, 1)], ["not_verified"] * 4),
    ],
)
def test_a_dry_run_asks_as_checks_do(
    turns: Turns, rules: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path, monkeypatch, 'reads: {tap: "-"}', SCRIPT)
    found = checked(project, turns)
    assert replayed(project, turns) == found
    assert [rule for _, rule, _ in found] == rules
    assert [asked for *_, asked in found] == [claims for claims, _ in turns][: len(found)]


ASKED = ("a", "b", "c")
ANSWERS = st.fixed_dictionaries(
    {name: st.tuples(st.sampled_from((True, False, None)), st.integers(1, 3)) for name in ASKED}
)
TURN = st.tuples(st.booleans(), st.sampled_from((0, 0, 1)), ANSWERS)


def answer(passed: bool | None, failed: int) -> JsonObject:
    if passed is None:
        return JsonObject(status="late", passed=None, reason="its time was up")
    return JsonObject(status="answered", passed=passed, failed=0 if passed else failed, total=5)


@functools.cache
def asking_policy(name: str) -> CompiledPolicy:
    return load_policy(name, settings={"verify": f"[{', '.join(ASKED)}]"})


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(("recommended", "bb3", "ralph", "doyaken")), st.lists(TURN, min_size=1, max_size=5))
def test_asking_all_first_decides_the_same_on_the_same_history(
    name: str, turns: list[tuple[bool, int, dict[str, tuple[bool | None, int]]]]
) -> None:
    policy = asking_policy(name)
    begin = Begin("night", PROCESS, "night.log", None)
    extraction, replay = Extraction(policy, begin), Replay(policy, begin)
    probes = replay._probes
    assert probes is not None
    for number, (claims, exit_status, said_by) in enumerate(turns, 1):
        text = "All tasks are done. EXIT_SIGNAL: true\n" if claims else f"Step {number} is being worked on.\n"
        plan = f"- [x] one\n- [{'x' if claims else ' '}] two\n"
        one = RecordedIteration(
            number, Provenance("night.log", number, number), text, text, plan=plan, exit_status=exit_status
        )
        answers = {probe: answer(*given) for probe, given in said_by.items()}
        extracted = extraction.step(one)
        extracted = replace(extracted, facts={**extracted.facts, NAME: Fact(NAME, json.dumps(answers))})
        history, before = replay._evaluation.copy(), probes._before
        decided = replay.step(extracted)
        record = JsonObject(answers=answers, pending=[], before=before)
        every = asked(policy, Iteration(0, "", 0.0, {"probes": Source("probes", record=record)}))
        history.observe({**decided.facts, **every}.values())
        first = history.decide(stages_due(None, exit_status, response=True, begun=True))
        assert said_of(first) == said_of(decided.decision)


def said_of(decision: Decision) -> tuple[object, ...]:
    return decision.verdict, decision.exit_class, decision.outcome, decision.rule
