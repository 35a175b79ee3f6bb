"""
Lint `person-without-escalation`.

## What it finds

A rule that exits with class `blocked` or `review` and has no `escalation:`.

## Why it matters

These exits wait for a person, who should not have to read the ledger to find out what to do.

## Bad

```yaml
rules:
  - id: too_many_open
    when: tasks.open > 100
    exit: review
    because: "{tasks.open} tasks are open"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: too_many_open
    when: tasks.open > 100
    exit: review
    because: "{tasks.open} tasks are open"
    escalation: |
      ## The plan grows without end

      {tasks.open} tasks are open. Take out what is not wanted, then start the loop again.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "person-without-escalation"
TITLE = "a person is needed, but not given the reason"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = False
#: Classes of exits that wait for a person.
CLASSES = ("blocked", "review")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that needs a person and has no text for one."""
    for rule in subject.items("rules"):
        id, exit = rule.get("id"), rule.get("exit")
        if id is None or exit is None or exit.text not in CLASSES or "escalation" in rule.fields:
            continue
        help = "add `escalation:` with what happened and what the choices are, in Markdown"
        message = f"rule `{id.text}` ends the run for a person ({exit.text}) without saying why"
        yield Finding(message, id.place, help)
