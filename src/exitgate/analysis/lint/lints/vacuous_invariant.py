"""
Lint `vacuous-invariant`.

## What it finds

An invariant whose `given` is never true.

## Why it matters

It holds trivially and promises nothing.

## Bad

```yaml
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
  - id: all_done_exits
    given: tasks.percent > 80% and tasks.percent < 20%
    always: exit
```

## Good

```yaml
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
  - {id: all_done_exits, given: tasks.complete, always: exit}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import never
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.silence import strict
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "vacuous-invariant"
TITLE = "an invariant that never applies"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each invariant written here that nothing can put to the test."""
    policy = subject.policy
    for invariant in policy.invariants:
        place = invariant.place
        if place is None or not subject.is_own(place):
            continue
        given = strict(invariant.given, domains(policy), policy)
        if never(policy, given, True):
            message = f"`given` of invariant `{invariant.id}` is never true"
            yield Finding(message, place, "write when the invariant should hold")
