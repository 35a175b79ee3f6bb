"""A small policy for the tests of commands: one extractor, a rule for each thing a command must show."""

from __future__ import annotations

from pathlib import Path

POLICY = """\
policy: small
format: 1
version: 1.0.0
title: A small policy
parameters:
  goal: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: done
    when: tasks.percent   >=  $goal   # enough
    exit: complete
    because: "{tasks.done} of {tasks.total} tasks done"
  - id: still
    when: tasks.done unchanged for 3 iterations
    exit: stuck
    because: "nothing ticked"
otherwise: continue
invariants:
  - {id: silence, given: nothing is known, never: exit}
"""
WRONG = POLICY.replace("tasks.percent   >=", "tasks.percnt   >=").replace("$goal   #", "$gaol   #")
PLAN = "# Plan\n\n- [x] one\n- [ ] two\n"


def write(folder: Path) -> Path:
    """Write `policy.yaml`, `wrong.yaml` and `plan.md` into a folder and return it."""
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "wrong.yaml").write_text(WRONG, encoding="utf-8")
    (folder / "plan.md").write_text(PLAN, encoding="utf-8")
    return folder
