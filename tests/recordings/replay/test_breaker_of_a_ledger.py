"""A dry run of a state directory finds the breaker where its checks did, whoever had moved it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from exitgate.core.gate import breaker_control
from exitgate.core.gate.check import check
from exitgate.core.state.request import Request
from exitgate.recordings.replay.dry_run import dry_run

POLICY = """
policy: breaking
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines}
circuit:
  open: [{id: errors, when: (errors.count > 0) for 2 consecutive iterations}]
  watch: errors.count > 0
  close: errors.count is 0
  cooldown: COOLDOWN
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted}
  - {id: look, when: circuit.state is OPEN, exit: halted, stage: before_iteration}
  - {id: wary, when: circuit.state is HALF_OPEN and errors.count is 0, exit: stuck}
  - {id: done, when: tasks.done > 1 and circuit.state is CLOSED, exit: complete}
otherwise: continue
"""
NO_BREAKER = """
policy: plain
format: 1
version: 1.0.0
facts: {tasks: {extract: checklist, from: plan}}
rules: [{id: done, when: tasks.done > 1, exit: complete}]
otherwise: continue
"""
CHECKS = ("error", "fine", "done")
STEPS = st.sampled_from((*CHECKS, "look", "trip", "reset", "other error", "other fine", "wait"))


def loop(folder: Path, text: str, steps: list[str]) -> tuple[list[object], list[object]]:
    """Return what the checks of the run `main` said and what the dry run of their ledger says."""
    policy, state = folder / "policy.yaml", folder / "state"
    policy.write_text(text.replace("COOLDOWN", "90s"), encoding="utf-8")
    now, said = 1_800_000_000.0, []
    for number, step in enumerate(steps):
        now += 200 if step == "wait" else 10
        name, _, what = step.rpartition(" ")
        if what == "trip":
            breaker_control.trip(str(state), "wait for me", now)
        elif what == "reset":
            breaker_control.reset(str(state), "go on", now)
        elif what != "wait":
            facts = {"errors.count": str(int(what == "error")), "tasks.done": "2" if what == "done" else "1"}
            asked = dict(facts) if "errors" in text else {n: v for n, v in facts.items() if n[0] == "t"}
            checked = check(
                Request(
                    root=str(folder),
                    state_dir=str(state),
                    policy=str(policy),
                    run=name or None,
                    time=now,
                    stage="before_iteration" if what == "look" else "after_iteration",
                    facts=asked,
                    texts={"response": f"answer {number}"},
                )
            )
            if not name and what != "look":
                said.append((checked.decision.verdict, checked.decision.exit_class, checked.decision.rule))
    results = dry_run([str(state)], [str(policy)], to_the_end=True).results
    runs = [one for one in results if "other" not in one.run.id]
    rows = [(row.verdict, row.exit_class, row.rule) for one in runs for row in one.rows]
    return said, rows


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=1, max_size=9))
@example(["error", "trip", "fine", "reset", "done"])
@example(["error", "reset", "error", "done"])
@example(["error", "error", "wait", "look", "fine"])
@example(["error", "reset", "look", "other error", "error"])
@example(["fine", "other error", "other error", "done"])
def test_a_dry_run_decides_as_the_checks_did(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    said, rows = loop(tmp_path_factory.mktemp("loop"), POLICY, steps)
    assert rows == said


@each(
    "steps",
    [
        ["fine", "trip", "fine"],
        ["trip", "fine"],
        ["trip", "reset", "done"],
        ["fine", "trip", "reset", "done"],
    ],
)
def test_what_a_person_opened_halts_a_policy_without_a_breaker(tmp_path: Path, steps: list[str]) -> None:
    said, rows = loop(tmp_path, NO_BREAKER, steps)
    assert rows == said


def test_moves_by_hand_are_no_run_of_their_own(tmp_path: Path) -> None:
    loop(tmp_path, POLICY, ["trip", "fine"])
    assert [one.run.iterations for one in dry_run([str(tmp_path / "state")], ["bb3"]).results] == [1]
