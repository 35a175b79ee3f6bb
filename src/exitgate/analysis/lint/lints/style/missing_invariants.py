"""
Lint `missing-invariants`.

## What it finds

A policy without `invariants:`, neither its own nor inherited.

## Why it matters

Tests cover the inputs that someone thought of. An invariant holds for every input, and `exitgate prove`
finds the smallest one that breaks it.

## Bad

```yaml
invariants: []
```

## Good

```yaml
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "missing-invariants"
TITLE = "a policy that promises nothing"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the policy has no invariant."""
    inherited = subject.compiled is not None and bool(subject.compiled.invariants)
    unseen = subject.compiled is None and "extends" in subject.root.fields
    if not subject.items("invariants") and not inherited and not unseen:
        help = "add for example `{id: silence_never_exits, given: nothing is known, never: exit}`"
        yield Finding("the policy has no invariants", subject.head(), help)
