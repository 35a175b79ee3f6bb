"""
Lint `missing-tests`.

## What it finds

A policy in whose folder there is no `tests.yaml`.

## Why it matters

After the next change to a threshold, nothing shows which decisions changed. `exitgate new policy` starts
one with tests; `exitgate prove` writes a case for what it finds.

## Bad

```yaml
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Beside: `tests.yaml`

```yaml
policy: ./policy.yaml
tests:
  - name: a finished plan ends the run
    sources: {plan: "- [x] one"}
    expect: {verdict: EXIT, class: complete}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "missing-tests"
TITLE = "a policy without tests beside it"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where there is no file of tests."""
    if subject.tests is None:
        help = "write `tests.yaml` beside it, run it with `exitgate test`"
        yield Finding("the policy has no tests", subject.head(), help)
