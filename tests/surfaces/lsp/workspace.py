"""Files of a workspace, and a text with marks where cursors stand."""

from __future__ import annotations

import os
from pathlib import Path

from exitgate.surfaces.lsp.document import Document, DocumentCache
from exitgate.surfaces.lsp.workspace import Workspace

BASE = """\
policy: base
format: 1
version: 1.2.0
parameters:
  goal: {type: percent, default: 80, min: 1, doc: Share of tasks that is enough.}
  loops: {type: count, default: 3, min: 1, max: 9, doc: Iterations of standing still.}
lists:
  later: [Later, Someday]
facts:
  tasks: {extract: checklist, from: plan, optional_sections: {list: later}}
  errors: {extract: error_lines, lexicon: ./words.yaml}
  status:
    extract: status_block
    name: STATUS
    fields:
      state: {key: STATE, type: enum, members: [RUNNING, DONE], doc: The state of the work.}
  moved: {extract: progress, signals: [tasks.done]}
  score: {points: [{when: tasks.open == 0, add: 30}], range: [0, 100]}
conditions:
  finished: {when: tasks.percent >= $goal, doc: Enough is done.}
rules:
  - id: broken
    when: circuit.state is OPEN
    exit: halted
    locked: true
    because: "the breaker is open"
  - id: enough
    when: "@finished and not (errors.count > 3)"
    exit: complete
    because: "{tasks.done} of {tasks.total} done; {$goal} is enough"
  - id: still
    when: tasks.done unchanged for $loops iterations
    exit: stuck
    because: no task was finished
"""
CHILD = """\
policy: child
format: 1
version: 1.0.0
extends: ../base/policy.yaml@^1
parameters:
  loops: {default: 4}
rules:
  - id: talk
    before: still
    when: tasks.done >= 1 and @finished
    exit: review
    because: "{tasks.open} left"
"""
TESTS = """\
format: 1
tests:
  - name: enough
    facts: {tasks.percent: 90, errors.count: 0, tasks.done: 9, tasks.total: 10}
    set: {goal: 85}
    expect: {verdict: EXIT, rule: enough, outcome: enough}
  - name: table
    table:
      columns: [name, $goal, tasks.percent, errors.count, verdict, rule]
      rows:
        - [low, 50, 60, 0, EXIT, enough]
        - [high, 90, 60, 0, CONTINUE, ~]
"""
SETTINGS = """\
exit_decision:
  policy: ../base/policy.yaml
  goal: 90
  rules:
    still: {mode: warn, why: the plan is long}
"""
WORDS = """\
lexicon: words
format: 1
title: Lines that report an error
entries:
  - id: failure
    phrase: it failed
    examples: [it failed]
    counterexamples: [it was fine]
"""
FILES = {
    "base/policy.yaml": BASE,
    "base/tests.yaml": TESTS,
    "base/words.yaml": WORDS,
    "child/policy.yaml": CHILD,
    ".bb3/config.yaml": SETTINGS,
    "other/compose.yaml": "services: {web: {image: nginx}}\nrules: [goal, tasks]\n",
}
MARK = "│"


def lay_out(root: Path) -> None:
    (root / ".git").mkdir()
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def page(root: Path, name: str, text: str | None = None, **others: str) -> Document:
    """Return a text of a workspace, with others that are open and not saved."""
    path = root / name
    real = os.path.realpath(root)
    text = path.read_text(encoding="utf-8") if text is None else text
    desk = Workspace({os.path.join(real, other): said for other, said in others.items()}, (real,))
    return Document(os.path.join(real, name), text, desk, DocumentCache())


def cut(marked: str) -> tuple[str, int]:
    """Return a text without its mark, and the offset at which it stood."""
    at = marked.index(MARK)
    return marked.replace(MARK, ""), at


def cursor(text: str, around: str) -> int:
    """Return the offset of the mark in `around`, whose other characters stand once in `text`."""
    plain, at = cut(around)
    assert text.count(plain) == 1, (plain, text.count(plain))
    return text.index(plain) + at
