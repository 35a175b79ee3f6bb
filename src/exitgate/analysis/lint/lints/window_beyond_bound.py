"""
Lint `window-beyond-bound`.

## What it finds

A history form that can only be true after more iterations than the policy's own bound on `run.iterations`
allows, or in a run older than its bound on `run.elapsed` or `clock.elapsed`; and one that looks back over a
longer time than such a bound.

## Why it matters

Every run ends before the form can be true. History never reaches into an earlier run, so the rule or the
breaker's condition never fires. `count(P, last 5h)` counts over the whole run if that ends after 2h: it
never looks at the last five hours.

## Bad

```yaml
rules:
  - id: stalled
    when: tasks.done unchanged for 20 iterations
    exit: stuck
    because: Nothing was ticked in 20 iterations
  - id: iterations_used_up
    when: run.iterations >= 10
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: stalled
    when: tasks.done unchanged for 4 iterations
    exit: stuck
    because: Nothing was ticked in 4 iterations
  - id: iterations_used_up
    when: run.iterations >= 10
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import (
    iterations_needed,
    most_iterations,
    oldest,
    seconds_back,
    seconds_needed,
)
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.unparse import value_text
from exitgate.core.model.diagnostic import WARNING
from exitgate.core.model.value import DURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import Rule


ID = "window-beyond-bound"
TITLE = "a history form that needs, or looks back over, a longer run than there can be"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each form written here that needs more iterations, or time, than the first bound leaves."""
    most, age = most_iterations(subject.policy), oldest(subject.policy)
    if most is None and age is None:
        return
    for leaf, tree in subject.conditions:
        for node in tree.walk():
            place = subject.node_place(leaf, node)
            need = iterations_needed(node, subject.policy)
            if most is not None and need > most[0]:
                yield _finding(f"needs {need} iterations,", f"after {most[0]}", most[1], place)
            seconds = seconds_back(node, subject.policy)
            if age is not None and seconds > age[0]:
                back, limit = value_text(seconds, DURATION), value_text(age[0], DURATION)
                needed = seconds_needed(node, subject.policy) == seconds
                told = f"needs a run of {back}," if needed else f"looks back over {back}, the whole run,"
                yield _finding(told, f"at the first check after {limit}", age[1], place)


def _finding(told: str, end: str, rule: Rule, place: Location) -> Finding:
    message = f"this {told} and `{rule.id}` ends every run {end}"
    help = "make the window shorter, or raise the bound"
    related = (("ends the run", rule.place),) if rule.place is not None else ()
    return Finding(message, place, help, related=related)
