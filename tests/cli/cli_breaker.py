"""A policy that keeps a breaker of its own, for the tests of `circuit`."""

from __future__ import annotations

from pathlib import Path

POLICY = """\
policy: guarded
format: 1
version: 2.0.0
title: A policy with a breaker
facts:
  tasks: {extract: checklist, from: plan}
circuit:
  open:
    - {id: nothing_ticked, when: tasks.done unchanged for 2 iterations}
  close: tasks.done > previous(tasks.done)
  cooldown: 30m
rules:
  - id: circuit_open
    when: circuit.state is OPEN
    exit: halted
    because: "the breaker is OPEN: {circuit.reason}"
otherwise: continue
"""


def write(folder: Path) -> Path:
    """Write policy, plan and response and make the policy the project's."""
    (folder / ".ralph").mkdir()
    (folder / ".bb3").mkdir()
    (folder / "guarded.yaml").write_text(POLICY, encoding="utf-8")
    (folder / ".bb3" / "config.yaml").write_text(
        "exit_decision: {policy: ../guarded.yaml}\n", encoding="utf-8"
    )
    (folder / ".ralph" / "fix_plan.md").write_text("- [x] one\n- [ ] two\n", encoding="utf-8")
    (folder / ".ralph" / "last-response.md").write_text("One is done.\n", encoding="utf-8")
    return folder
