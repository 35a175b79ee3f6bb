"""Small policies of which tests change one thing."""

from __future__ import annotations

from pathlib import Path

from exitgate.analysis.diff.operands import read_side
from exitgate.analysis.results.comparison import Side

TEXT = """\
policy: ours
format: 1
version: 1.0.0
title: Ours
doc: What it is for.
parameters:
  goal: {type: percent, default: 80, min: 1, doc: Enough.}
  loops: {type: count, default: 2, min: 1, max: 9}
lists: {later: [Later, Someday]}
facts:
  tasks: {extract: checklist, from: plan}
  sure: {extract: error_lines, from: response, words: [done, finished]}
  score:
    points:
      - {when: tasks.complete, add: 60, because: all done}
      - {when: sure.present, add: 30}
    range: [0, 100]
conditions: {all_done: tasks.complete}
circuit:
  open: [{id: still, when: tasks.done unchanged for 5 iterations}]
  close: tasks.done > previous(tasks.done)
rules:
  - {id: halted, when: circuit.state is OPEN, exit: halted, because: "open: {circuit.reason}"}
  - {id: enough, when: tasks.percent >= $goal, exit: complete, because: "{tasks.percent}"}
  - {id: stale, when: tasks.done unchanged for $loops iterations, exit: stuck, because: nothing moves}
  - {id: doubt, when: score < 50, warn: true, because: "only {score}"}
undetermined: {exit_after: 5}
invariants:
  - {id: breaker, given: circuit.state is OPEN, always: exit}
profiles: {careful: {goal: 100}}
"""


def side(folder: Path, text: str, name: str = "policy.yaml") -> Side:
    """Write a policy and read it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_side(str(path), label=name)


def two(folder: Path, *changes: tuple[str, str]) -> tuple[Side, Side]:
    """Return the policy as it is and with pieces of its text replaced; each must be there."""
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return side(folder, TEXT, "before.yaml"), side(folder, text, "after.yaml")
