"""A `#` that cuts a text is reported in every text field; comments that people mean are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import WARNING, Diagnostic
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import read_document
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled

ROOT = Path(__file__).parents[3]
POLICY = """\
policy: p
format: 1
version: 1.0.0
title: TITLE
doc: DOC
parameters: {goal: {type: percent, default: 80, doc: PARAMETER}}
facts:
  tasks: {extract: checklist}
  score:
    points:
      - when: tasks.open == 0
        add: 3
        because: ROW
conditions:
  late:
    when: tasks.open > 3
    doc: NAMED
rules:
  - id: a
    when: '@late'
    exit: complete
    because: BECAUSE
    advice: ADVICE
    escalation: ESCALATION
  - id: b
    when: tasks.open > 4
    exit: stuck
    mode: shadow
    why: WHY
"""
FIELDS = ["TITLE", "DOC", "ROW", "NAMED", "BECAUSE", "ADVICE", "ESCALATION", "WHY"]


def reported(text: str, tmp_path: Path) -> list[tuple[int, str]]:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    found = [one for one in load_policy(str(path)).warnings if isinstance(one, Diagnostic)]
    lines = text.splitlines()
    assert all((one.code, one.severity) == ("EP115", WARNING) for one in found)
    places = [one.place for one in found if one.place is not None]
    return [(place.line, lines[place.line - 1][place.column - 1 :]) for place in places]


@each("field", FIELDS)
@pytest.mark.parametrize("text", ["one", "score is enough"])
def test_every_field_of_a_policy(field: str, text: str, tmp_path: Path) -> None:
    found = reported(POLICY.replace(field, f"{text} #agents told"), tmp_path)
    assert [rest for _, rest in found] == ["#agents told"]


@each(
    ("text", "lost"),
    [
        ("see #12", "#12"), ("one #{tasks.done}", "#{tasks.done}"), ("one\n      two #three", "#three"),
        ("one  #agents", ""), ("one # agents", ""), ("'one' #agents", ""), ('"one #agents"', ""),
        ("one#agents", ""), ("one ## agents", ""), ("one #", ""), ("|\n      one #agents", ""),
    ],
)  # fmt: skip
def test_what_is_a_comment(text: str, lost: str, tmp_path: Path) -> None:
    assert [rest for _, rest in reported(POLICY.replace("BECAUSE", text), tmp_path)] == [lost] * bool(lost)


@each("line", ["exit: complete #yes", "add: 3 #yes", "- id: b #yes"])
def test_what_is_no_text(line: str, tmp_path: Path) -> None:
    plain = line.partition("#")[0].strip()
    assert plain in POLICY
    assert reported(POLICY.replace(plain, line, 1), tmp_path) == []


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text(
        "other: one two #three\n"
        "exit_decision:\n"
        "  policy: bb3\n"
        "  rules:\n"
        "    stagnation:\n"
        "      because: no task was done #agents\n"
        "      mode: warn\n"
        "      why: as in #12\n"
    )
    found = load_settled(SettingsRequest("bb3", None, {}, ".", {"HOME": str(tmp_path)})).policy.warnings
    places = [one.place.line for one in found if isinstance(one, Diagnostic) and one.place is not None]
    assert ([one.code for one in found if isinstance(one, Diagnostic)], places) == (["EP115"] * 2, [6, 8])


def test_no_false_alarm_on_shipped_files() -> None:
    for folder in ("policies", "examples", "src/exitgate/reference/scaffold"):
        for path in (ROOT / folder).rglob("*.yaml"):
            findings = Findings()
            read_document(path.read_text(), path.name, findings)
            assert not [one for one in findings.sorted() if one.code == "EP115"], path
