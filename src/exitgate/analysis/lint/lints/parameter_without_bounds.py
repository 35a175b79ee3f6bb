"""
Lint `parameter-without-bounds`.

## What it finds

A parameter declared here that a history form uses as its number of iterations or times, and that has no
`min` of at least 1 or no `max` of at most 1000; and one that it uses as a time, without a `min` above 0s.

## Why it matters

A value out of range is then rejected in the condition, far from where it was set. With bounds, the setting
itself is reported, and editors check it.

## Bad

```yaml
parameters:
  loops: {type: count, default: 3, doc: Iterations without a ticked task.}
rules:
  - id: stagnation
    when: tasks.done unchanged for $loops iterations
    exit: stuck
    because: "No task finished in {$loops} iterations"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
parameters:
  loops: {type: count, default: 3, min: 1, max: 100, doc: Iterations without a ticked task.}
rules:
  - id: stagnation
    when: tasks.done unchanged for $loops iterations
    exit: stuck
    because: "No task finished in {$loops} iterations"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.functions import WINDOW_LIMIT
from exitgate.core.language.measure import sizes_of, spans_of
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "parameter-without-bounds"
TITLE = "a number of iterations that a project can set without limit"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each parameter declared here that is a size and lacks a bound."""
    trees = [tree for _, tree in subject.conditions]
    used = {str(node.args[0]) for tree in trees for node in sizes_of(tree) if node.op == "parameter"}
    times = {str(node.args[0]) for tree in trees for node in spans_of(tree) if node.op == "parameter"}
    for name, part in subject.section("parameters").items():
        parameter = subject.policy.parameters[name]
        if name in times and (parameter.low is None or parameter.low <= 0):
            message = f"`${name}` is how far a condition looks back and may be no time at all"
            yield Finding(message, part.label, "add `min: 1s` or more")
        if name not in used:
            continue
        lacks = [] if parameter.low is not None and parameter.low >= 1 else ["`min: 1`"]
        if parameter.high is None or parameter.high > WINDOW_LIMIT:
            lacks.append(f"`max: {WINDOW_LIMIT}` or less")
        if lacks:
            message = f"`${name}` is a number of iterations and lacks `min` or `max`"
            yield Finding(message, part.label, f"add {' and '.join(lacks)}")
