"""Policies as teams write them: what is sensible in them is no finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_examples import DEFAULT, TESTS

from exitgate.analysis.lint import run
from exitgate.analysis.lint.loader import open_subject

POLICY = """\
# yaml-language-server: $schema=policy.schema.json
policy: team
format: 1
version: 1.0.0
title: A sensible policy
doc: What a team would write.
parameters:
  enough: {type: percent, default: 80, min: 1, max: 100, doc: Share that ends the run.}
  hours: {type: duration, default: 2h, min: 1m, max: 24h, doc: How long a run may take.}
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, words: [error, failed]}
rules:
  - id: too_long
    when: clock.elapsed >= $hours
    exit: exhausted
    because: "{clock.elapsed} used up"
  - id: enough
    when: tasks.total > 0 and tasks.percent >= $enough and errors.count == 0
    exit: complete
    because: "{tasks.done} of {tasks.total} done"
  - id: stalled
    when: tasks.open > 0 and tasks.done unchanged for 4 iterations
    exit: stuck
    because: "nothing ticked in 4 iterations"
  - id: many_errors
    when: errors.count > 5 or (errors.count > 2) for 3 consecutive iterations
    exit: review
    because: "{errors.count} errors"
    escalation: Look at the errors.
otherwise: {continue: true, because: Work goes on}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
"""


def linted(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    (tmp_path / "tests.yaml").write_text(TESTS, encoding="utf-8")
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    one = open_subject(str(path), DEFAULT)
    assert one.subject is not None and not one.problems
    return [(p.lint, p.finding.message) for p in run.lint(one.subject, run.chosen((), (), "note"))]


def test_nothing_is_found(tmp_path: Path) -> None:
    assert linted(tmp_path, POLICY) == []


def test_a_part_that_says_nothing_is_still_found(tmp_path: Path) -> None:
    text = POLICY.replace("tasks.total > 0 and tasks", "tasks.percent > 0% and tasks")
    ((lint, message),) = linted(tmp_path, text)
    assert (lint, message[:22]) == ("redundant-part", "`tasks.percent > 0%` a")


def test_a_part_of_or_that_another_one_covers(tmp_path: Path) -> None:
    text = POLICY.replace("errors.count > 5 or (", "errors.count > 5 or errors.count > 7 or (")
    ((lint, message),) = linted(tmp_path, text)
    assert (lint, message[:20]) == ("redundant-part", "`errors.count > 7` a")


@pytest.mark.parametrize("fact", ["run.elapsed", "clock.elapsed"])
def test_time_bounds_a_loop(fact: str, tmp_path: Path) -> None:
    assert linted(tmp_path, POLICY.replace("clock.elapsed", fact)) == []
    unbounded = POLICY.replace("clock.elapsed", "clock.since_last")
    assert [lint for lint, _ in linted(tmp_path, unbounded)] == ["unbounded-loop"]
