"""
Lint `exception-without-reason`.

## What it finds

A rule with `mode: warn` or `mode: shadow` and no `why:`, or an exception whose `why:` is a single word.
(Settings without any `why:` do not load.)

## Why it matters

A later reader cannot tell whether the exception can be removed.

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
  - id: stagnation
    when: tasks.done unchanged for 3 iterations
    exit: stuck
    mode: shadow
    until: 2027-06-01
    because: No task was finished in three iterations
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
  - id: stagnation
    when: tasks.done unchanged for 3 iterations
    exit: stuck
    mode: shadow
    why: we count how often it would have fired before it may
    until: 2027-06-01
    because: No task was finished in three iterations
```

## Day

2027-03-01
"""

from __future__ import annotations

from exitgate.analysis.lint.exceptions import ENFORCE, exceptions
from exitgate.analysis.lint.finding import POLICY, SETTINGS, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "exception-without-reason"
TITLE = "a rule is weakened without a reason"
SEVERITY = WARNING
KINDS = (POLICY, SETTINGS)
COMPILED = False
#: A reason has at least so many words.
WORDS = 2


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each exception without a reason of some words."""
    for exception in exceptions(subject):
        why = exception.part.get("why")
        if exception.mode == ENFORCE or (why is not None and len(why.text.split()) >= WORDS):
            continue
        message = f"rule `{exception.rule}` is weakened ({exception.mode}) without a reason"
        place = why.place if why is not None else exception.said.label
        yield Finding(message, place, "say in `why:` what it is for and when it can be removed")
