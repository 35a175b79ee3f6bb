"""A fraction beside a percentage is asked about, wherever they meet; nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.testing.cases.load import fractions, load_file

POLICY = """\
policy: p
format: 1
version: 1.0.0
parameters: {goal: {type: percent, default: %s}, ratio: {type: number, default: 0.5}}
profiles: {low: {goal: %s}}
facts:
  tasks: {extract: checklist, unreadable: {percent: %s}}
  half: {formula: "%s"}
  mine: {points: [{when: "%s", add: 1}]}
conditions: {near: "%s"}
circuit: {open: [{id: o, when: "%s"}], close: "%s", cooldown: 30m}
rules:
  - {id: a, when: {all: ["%s", tasks.open > 0]}, exit: complete}
invariants: [{id: i, given: "%s", never: interrupted}]
"""
PLAIN = ["80", "80", "0", "tasks.percent / 2", *["tasks.percent > 80"] * 6]


def asked(filled: list[str], tmp_path: Path) -> list[tuple[str, int, str]]:
    path = tmp_path / "p.yaml"
    path.write_text(POLICY % tuple(filled))
    found = [one for one in load_policy(str(path)).warnings if isinstance(one, Diagnostic)]
    lines = path.read_text().splitlines()
    return [
        (one.code, one.place.line, lines[one.place.line - 1][one.place.column - 1 :])
        for one in found
        if one.place is not None
    ]


@each("place", range(len(PLAIN)))
def test_everywhere(place: int, tmp_path: Path) -> None:
    fraction = {3: "tasks.percent - 0.25"}.get(place, "tasks.percent >= 0.25" if place > 3 else "0.25")
    found = asked([fraction if n == place else text for n, text in enumerate(PLAIN)], tmp_path)
    assert [one[0] for one in found] == ["EP446"]
    assert found[0][2].startswith("0.25")


@each(
    ("condition", "count"),
    [
        ("tasks.percent >= 0.8", 1), ("0.8 <= tasks.percent", 1), ("tasks.percent between 0.2 and 0.8", 2),
        ("tasks.percent in [0.2, 30]", 1), ("(tasks.percent or else 0.5) > 30", 1), ("half < 0.5", 1),
        ("tasks.percent == 1", 1), ("tasks.percent is 1", 1), ("tasks.percent is not 1", 1),
        ("tasks.percent < 1", 1),
        ("1 > tasks.percent", 1), ("tasks.percent >= 1", 1), ("$goal != 1", 1),
        ("tasks.percent > 1", 0), ("tasks.percent <= 1", 0), ("tasks.percent >= 1%", 0),
        ("tasks.percent >= 0.8%", 0),
        ("tasks.percent > 0", 0), ("tasks.percent * 0.5 > 3", 0), ("$ratio > 0.5", 0), ("tasks.done == 1", 0),
        ("tasks.percent > 99.5", 0),
    ],
)  # fmt: skip
def test_conditions(condition: str, count: int, tmp_path: Path) -> None:
    assert len(asked([*PLAIN[:8], condition, PLAIN[9]], tmp_path)) == count


def test_grades_of_words(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "policy: p\nformat: 1\nversion: 1.0.0\nfacts:\n  c:\n    extract: graded_words\n"
        "    first: [{value: 0.9, words: [sure]}]\n    otherwise: 0.5\n"
        "    add: [{points: 0.5, words: [so]}]\n"
        "    range: [0, 1]\nrules: [{id: a, when: c > 5, exit: review}]\n"
    )
    found = [one for one in load_policy(str(path)).warnings if isinstance(one, Diagnostic)]
    assert [(one.code, one.place.line) for one in found if one.place] == [("EP446", 7), ("EP446", 8)]
    assert "`90`" in found[0].help


@each("way", ["set", "variable", "file"])
def test_settings(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".bb3").mkdir()
    text = "exit_decision: {min_confidence: 0.8}" if way == "file" else "{}"
    (tmp_path / ".bb3/config.yaml").write_text(text)
    named = {"EXITGATE_SET_MIN_CONFIDENCE": "0.8"} if way == "variable" else {}
    typed = {"min_confidence": "0.8"} if way == "set" else {}
    found = load_settled(
        SettingsRequest("bb3", None, typed, ".", {**named, "HOME": str(tmp_path)})
    ).policy.warnings
    assert [one.code for one in found if isinstance(one, Diagnostic)] == ["EP446"]


def test_tests(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY % tuple(PLAIN))
    (tmp_path / "tests.yaml").write_text(
        "format: 1\ntests:\n"
        "  - {name: a, set: {goal: 0.7}, facts: {tasks.percent: 0.5}, expect: {verdict: CONTINUE}}\n"
        "  - {name: b, set: {goal: 0.7%, ratio: 0.3}, facts: {tasks.percent: 50},"
        " expect: {verdict: CONTINUE}}\n"
    )
    found = fractions(load_file(str(tmp_path / "tests.yaml")))
    assert [(one.code, one.place.line) for one in found if one.place] == [("EP446", 3)] * 2


@each("name", shipped.policies())
def test_no_false_alarm_on_shipped_policies(name: str) -> None:
    assert not [one for one in load_policy(name).warnings if getattr(one, "code", "") == "EP446"]
