"""
Lint `gap-at-threshold`.

## What it finds

Two rules, or two rows of points, with `>` and `<` of one fact and one limit, and nothing for the limit
itself.

## Why it matters

`> 80%` and `< 80%` leave out exactly 80 %, which is a value that four of five tasks have.

## Bad

```yaml
parameters:
  enough: {type: percent, default: 80%, min: 1%, max: 100%, doc: Share of the tasks that is enough.}
rules:
  - id: nearly_done
    when: tasks.percent > $enough
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
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "gap-at-threshold"
TITLE = "a value between two rules that neither is for"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each limit that two opposite comparisons leave out, at the later of the two."""
    for one in thresholds(subject):
        if not {">", "<"} <= one.uses.keys() or {">=", "<=", "=="} & one.uses.keys():
            continue
        first, second = sorted((one.uses[">"][0], one.uses["<"][0]), key=lambda use: use.order)
        message = f"`{first.id}` and `{second.id}` leave out exactly `{one.fact}` = `{one.limit}`"
        help = "write `>=` or `<=` in the one that is meant to have it"
        yield Finding(message, second.place, help, related=((f"`{first.id}`", first.place),))
