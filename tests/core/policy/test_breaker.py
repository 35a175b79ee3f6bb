"""The breaker and progress in a policy file: compiled, stored, extended."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.analysis.format import format_text
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.serialized import policy_from, text_of

TEXT = """\
policy: p
format: 1
version: 1.0.0
parameters:
  loops: {type: count, default: 5, min: 1}
  pause: {type: duration, default: 30m}
facts:
  tasks: {extract: checklist}
  bold: {formula: tasks.done > 3 and progress.made}
  progress: {extract: progress, signals: [tasks.done, git.content, worked]}
  worked: {formula: tasks.open < 2}
conditions:
  idle: not progress.made
circuit:
  open:
    - {id: no_progress, when: (@idle) for $loops consecutive iterations}
    - id: same_plan
      when: {all: [tasks.total unchanged for 9 iterations, bold]}
  watch: '@idle'
  close: progress.made
  cooldown: $pause
rules:
  - {id: halt, when: circuit.state is OPEN, exit: halted}
"""


def load(tmp_path: Path, text: str = TEXT, **more: object) -> CompiledPolicy:
    (tmp_path / "p.yaml").write_text(text)
    return load_policy("./p.yaml", base=str(tmp_path), **more)  # type: ignore[arg-type]


def test_openings_watch_close_and_cooldown_are_compiled(tmp_path: Path) -> None:
    breaker = load(tmp_path).breaker
    assert breaker is not None
    assert [(o.id, o.text) for o in breaker.openings] == [
        ("no_progress", "(@idle) for $loops consecutive iterations"),
        ("same_plan", "tasks.total unchanged for 9 iterations and bold"),
    ]
    assert breaker.cooldown == 1800
    assert len(breaker.conditions()) == 4
    assert breaker.openings[0].place is not None and breaker.openings[0].place.line == 16


def test_the_cooldown_follows_its_parameter(tmp_path: Path) -> None:
    breaker = load(tmp_path, settings={"pause": "2h"}).breaker
    assert breaker is not None and breaker.cooldown == 7200


def test_progress_is_computed_behind_its_signals_and_before_what_asks_for_it(tmp_path: Path) -> None:
    order = [fact.name for fact in load(tmp_path).derived]
    assert order.index("worked") < order.index("progress.made") < order.index("bold")
    assert order.index("progress.made") + 1 == order.index("progress.signals")


def test_signals_and_conditions_of_the_breaker_say_what_is_observed_and_how_far_back(tmp_path: Path) -> None:
    policy = load(tmp_path)
    assert {entry.prefix for entry in policy.extractions} == {"tasks", "git", "circuit"}
    assert policy.lookback == 9
    assert not policy.facts["progress.made"].read, (
        "concluded, not read: it keeps no decision from being blind"
    )


def test_a_stored_policy_keeps_breaker_and_progress(tmp_path: Path) -> None:
    policy = load(tmp_path)
    again = policy_from(text_of(policy))
    assert again == policy
    assert again.breaker == policy.breaker
    assert again.derived == policy.derived


def test_a_policy_that_extends_replaces_the_whole_section(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(TEXT)
    head = "policy: q\nformat: 1\nversion: 1.0.0\nextends: ./p.yaml\n"
    (tmp_path / "q.yaml").write_text(head)
    same = load_policy("./q.yaml", base=str(tmp_path)).breaker
    assert same is not None
    assert [o.id for o in same.openings] == ["no_progress", "same_plan"]
    (tmp_path / "q.yaml").write_text(head + "circuit: {from: state.json}\n")
    outside = load_policy("./q.yaml", base=str(tmp_path))
    assert outside.breaker is None
    assert [e.options for e in outside.extractions if e.prefix == "circuit"] == [{"path": "state.json"}]
    (tmp_path / "q.yaml").write_text(head + "circuit: {open: [{id: much, when: tasks.total > 90}]}\n")
    other = load_policy("./q.yaml", base=str(tmp_path)).breaker
    assert other is not None
    assert [o.id for o in other.openings] == ["much"]
    assert (other.watch, other.close, other.cooldown) == (None, None, None)


@pytest.mark.parametrize("key", ["watch", "close"])
def test_conditions_of_the_breaker_are_formatted(key: str) -> None:
    text = TEXT.replace(f"{key}: ", f"{key}: tasks.done>=2 and ", 1).replace("and '@idle'", "and @idle")
    assert f"{key}: tasks.done >= 2 and " in format_text(text, "p.yaml")
