"""
Lint `overlap-at-threshold`.

## What it finds

Two rules with different results, or two rows of points, with `>=` and `<=` of one fact and one limit.

## Why it matters

At exactly the limit both are true. The first rule decides, and the second reads as if it did; of points
both count.

## Bad

```yaml
parameters:
  enough: {type: percent, default: 80%, min: 1%, max: 100%, doc: Share of the tasks that is enough.}
rules:
  - id: nearly_done
    when: tasks.percent >= $enough
    exit: complete
    because: "{tasks.percent} of the tasks are done"
  - id: work_left
    when: tasks.percent <= $enough
    continue: true
    because: "{tasks.open} tasks are open"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
parameters:
  enough: {type: percent, default: 80%, min: 1%, max: 100%, doc: Share of the tasks that is enough.}
rules:
  - id: nearly_done
    when: tasks.percent >= $enough
    exit: complete
    because: "{tasks.percent} of the tasks are done"
  - id: work_left
    when: tasks.percent < $enough
    continue: true
    because: "{tasks.open} tasks are open"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import thresholds
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "overlap-at-threshold"
TITLE = "a value that two rules with different results are both for"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each limit that two comparisons with different results share, at the later of the two."""
    for one in thresholds(subject):
        if not {">=", "<="} <= one.uses.keys():
            continue
        first, second = sorted((one.uses[">="][0], one.uses["<="][0]), key=lambda use: use.order)
        if first.result == second.result:
            continue
        message = f"`{first.id}` and `{second.id}` are both true at exactly `{one.fact}` = `{one.limit}`"
        help = "write `>` or `<` in the one that is not meant to have it"
        yield Finding(message, second.place, help, related=((f"`{first.id}`", first.place),))
