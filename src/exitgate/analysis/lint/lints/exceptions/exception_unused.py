"""
Lint `exception-unused`.

## What it finds

A change in settings that gives a rule the mode it already has in the policy.

## Why it matters

It looks like an exception but has no effect. Often the policy has changed since.

## Bad

```yaml
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: enforce}
```

## Good

```yaml
exit_decision:
  policy: bb3
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import SETTINGS, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "exception-unused"
TITLE = "settings give a rule the mode that it already has"
SEVERITY = WARNING
KINDS = (SETTINGS,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each change of a rule that changes nothing."""
    assert subject.settled is not None
    section = subject.root.get("exit_decision")
    changes = section.get("rules") if section is not None else None
    for name, part in changes.fields.items() if changes is not None else ():
        chain = subject.settled.rules.get(name, ())
        if len(chain) == 1 or (len(chain) > 1 and chain[-1].value == chain[-2].value):
            message = f"rule `{name}` is already `{chain[-1].value}` without this"
            yield Finding(message, part.label, "remove it")
