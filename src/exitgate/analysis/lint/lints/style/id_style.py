"""
Lint `id-style`.

## What it finds

The id of a rule or an invariant with `-` in it.

## Why it matters

A rule's id is the reason code of its decisions. Facts and parameters use `_`; rule ids should too.

## Bad

```yaml
rules:
  - id: iterations-used-up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
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


ID = "id-style"
TITLE = "an id with hyphens"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each id written here with a hyphen."""
    for section in ("rules", "invariants"):
        for item in subject.items(section):
            id = item.get("id")
            if id is not None and "-" in id.text:
                help = f"write `{id.text.replace('-', '_')}`, also in settings and tests that name it"
                yield Finding(f"`{id.text}` has hyphens", id.place, help)
