"""
Lint `breaker-never-opens`.

## What it finds

A reason for the breaker to open that needs the same thing for more iterations than an exit of the policy,
which therefore ends the run first.

## Why it matters

The breaker reads the history of one run. Where a rule ends the run after three such iterations, there never
are six, and the breaker never opens.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
circuit:
  open:
    - {id: no_ticks, when: tasks.done unchanged for 6 iterations}
  close: tasks.complete
  cooldown: 30m
rules:
  - id: circuit_open
    when: circuit.state is OPEN
    exit: halted
    because: "The breaker is open: {circuit.reason}"
  - id: stalled
    when: tasks.done unchanged for 3 iterations
    exit: stuck
    because: Nothing was ticked in 3 iterations
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
circuit:
  open:
    - {id: no_ticks, when: tasks.done unchanged for 3 iterations}
  close: tasks.complete
  cooldown: 30m
rules:
  - id: circuit_open
    when: circuit.state is OPEN
    exit: halted
    because: "The breaker is open: {circuit.reason}"
  - id: stalled
    when: tasks.done unchanged for 6 iterations
    exit: stuck
    because: Nothing was ticked in 6 iterations
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import conjuncts, ending, iterations_needed
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import WARNING
from exitgate.core.model.display import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


ID = "breaker-never-opens"
TITLE = "a reason for the breaker to open that comes after the end of the run"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
#: Forms that hold for n iterations only if they held for n - 1 before; their first argument is of what.
_GROWING = ("unchanged", "consecutive", "repeats")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each opening written here of which an exit rule that needs less of the same comes first."""
    policy = subject.policy
    for opening in policy.breaker.openings if policy.breaker is not None else ():
        if opening.place is None or not subject.is_own(opening.place):
            continue
        for part in conjuncts(opening.when, policy.conditions):
            rule = _ends_before(part, policy)
            if rule is None:
                continue
            first = iterations_needed(next(conjuncts(rule.when, policy.conditions)), policy)
            before = f"`{rule.id}` is first, at {counted(first, 'iteration')}"
            message = f"`{opening.id}` never opens the breaker: {before}"
            related = ((f"`{rule.id}`", rule.place),) if rule.place is not None else ()
            help = f"let it open at fewer iterations than `{rule.id}`, or remove it"
            yield Finding(message, opening.place, help, related=related)
            break


def _ends_before(part: Node, policy: CompiledPolicy) -> Rule | None:
    """Return an enforced exit after each iteration whose whole condition is the same for fewer iterations."""
    kind = _kind(part)
    need = iterations_needed(part, policy)
    for rule in ending(policy, ("after_iteration",)) if kind is not None else ():
        whole = tuple(conjuncts(rule.when, policy.conditions))
        if len(whole) == 1 and _kind(whole[0]) == kind and iterations_needed(whole[0], policy) < need:
            return rule
    return None


def _kind(node: Node) -> object:
    """Return what of a form must be there in each iteration, None for other nodes."""
    if node.op in _GROWING and (node.op != "repeats" or node.args[2] is None):
        return ("unchanged" if node.op == "repeats" else node.op), node.args[0]
    return None
