"""What a dry run makes of probes is what the checks made of them: asked or not, and how often in a row."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking_project import Project
from cases import each

from exitgate.core.gate.settings import policy_of
from exitgate.core.model.json_object import JsonObject
from exitgate.recordings.model import PROCESS, Begin, Provenance, RecordedIteration
from exitgate.recordings.recorded_probes import with_results
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
