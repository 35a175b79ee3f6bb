"""
Lint `unit-slip`.

## What it finds

A limit on the time of the run that leaves each of the allowed iterations less than ten seconds, or is less
than a sixtieth of another such limit.

## Why it matters

`120s` where hours are meant is often a number of minutes. It may be right: this is a note, not an error.

## Bad

```yaml
rules:
  - id: time_used_up
    when: run.elapsed >= 120s
    exit: exhausted
    stage: before_iteration
    because: "{run.elapsed} used up"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: time_used_up
    when: run.elapsed >= 120m
    exit: exhausted
    stage: before_iteration
    because: "{run.elapsed} used up"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import compared, most_iterations, number_of
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.unparse import value_text
from exitgate.core.model.diagnostic import NOTE
from exitgate.core.model.display import counted
from exitgate.core.model.value import DURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.language.tree import Node


ID = "unit-slip"
TITLE = "a time for the whole run that is very short beside the policy's other limits"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True
#: Facts that hold how long the run has taken, and the signs of a limit on them.
_ELAPSED, _LIMITING = ("run.elapsed", "clock.elapsed"), (">", ">=")
#: Seconds that an agent needs for an iteration at the very least.
_LEAST = 10
#: Seconds of a minute, minutes of an hour: the factor of a unit that slipped.
_FACTOR = 60


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each limit on the time of the run that is short beside iterations or other such limits."""
    limits = [
        (leaf, node, seconds)
        for leaf, tree in subject.conditions
        for node, seconds in _limits(tree, subject)
        if seconds > 0
    ]
    bound = most_iterations(subject.policy)
    longest = max((seconds for _, _, seconds in limits), default=0.0)
    for leaf, node, seconds in limits:
        if node.op != "duration":
            continue
        text = leaf.text[node.start : node.end]
        few = bound is not None and seconds < _LEAST * bound[0]
        if few and bound is not None:
            each = value_text(seconds / bound[0], DURATION)
            message = f"`{text}` for the whole run leaves {each} for each of {counted(bound[0], 'iteration')}"
        elif seconds * _FACTOR < longest:
            message = (
                f"`{text}` of the run is short beside its other limit of {value_text(longest, DURATION)}"
            )
        else:
            continue
        help = "if another unit was meant, write it; if not, turn this note off with its reason"
        yield Finding(message, subject.node_place(leaf, node), help)


def _limits(tree: Node, subject: Subject) -> Iterator[tuple[Node, float]]:
    """Yield the limits on the time of the run in a condition, each with its seconds."""
    for node in tree.walk():
        found = compared(node)
        if found is None or found[0].op != "fact" or found[0].args[0] not in _ELAPSED:
            continue
        seconds = number_of(found[2], subject.policy)
        if seconds is not None and found[1] in _LIMITING:
            yield found[2], seconds
