"""
Lint `true-before-history`.

## What it finds

An exit, or a reason for the breaker to open, that demands `not` of a history form and nothing that needs as
many iterations.

## Why it matters

Too little history is false, so its negation is true in the first iteration: `not (tests.failed declined by
10% over last 4)` does not say that failures stayed, it also says that nothing is known of them yet. Such a
rule ends a run in its first iteration.

## Bad

```yaml
facts:
  tests: {extract: tests, from: output}
rules:
  - id: tests_do_not_improve
    when: tests.failed > 0 and not (tests.failed declined by 10% over last 4)
    exit: stuck
    because: "{tests.failed} tests fail, and it does not get better"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
facts:
  tests: {extract: tests, from: output}
rules:
  - id: tests_do_not_improve
    when: after 5 iterations and tests.failed > 0 and not (tests.failed declined by 10% over last 4)
    exit: stuck
    because: "{tests.failed} tests fail, and it does not get better"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import (
    ITERATIONS,
    compared,
    conjuncts,
    iterations_needed,
    number_of,
    seconds_needed,
)
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import ELAPSED
from exitgate.core.language.unparse import unparse, value_text
from exitgate.core.model.diagnostic import WARNING
from exitgate.core.model.value import DURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy

    Needed = Callable[[Node, CompiledPolicy], int]


INSTEAD = "say what must have happened instead"
ID = "true-before-history"
TITLE = "a negated history form that is true before there is history"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each condition written here that demands a negation which is true in the first iteration."""
    for place, when in _demanding(subject):
        parts = tuple(conjuncts(when, subject.policy.conditions))
        for part in parts:
            age = true_until(part, subject.policy, seconds_needed)
            if age:
                if not any(_lasts(other, age, subject.policy) for other in parts if other is not part):
                    length = value_text(age, DURATION)
                    message = f"`{unparse(part)}` is true while the run is not {length} old"
                    yield Finding(message, place, f"add `after {length} and`, or {INSTEAD}")
                continue
            need = true_until(part, subject.policy)
            if need < 2 or any(_waits(other, need, subject.policy) for other in parts if other is not part):
                continue
            message = f"`{unparse(part)}` is true in the first iteration: there are fewer than {need} yet"
            help = f"add `after {need} iterations and`, or {INSTEAD}"
            yield Finding(message, place, help)


def _demanding(subject: Subject) -> Iterator[tuple[Location, Node]]:
    """Yield the conditions of enforced exits, and of openings of the breaker, with their places."""
    for part, rule in subject.rules:
        if rule.effect == "exit" and rule.mode == "enforce":
            yield part.fields["when"].place, rule.when
    breaker = subject.policy.breaker
    for opening in breaker.openings if breaker is not None else ():
        if opening.place is not None and subject.is_own(opening.place):
            yield opening.place, opening.when


def true_until(node: Node, policy: CompiledPolicy, needed: Needed = iterations_needed) -> int:
    """
    Return how many iterations there must be before a condition need not be true; 0 where it is not yet.

    With `seconds_needed` for `needed`, how many seconds old the run must be.
    """
    if node.op == "not":
        (inner,) = node.children()
        return 0 if inner.op == "after" else false_until(inner, policy, needed)  # that says so itself
    if node.op == "condition":
        return true_until(policy.conditions[str(node.args[0])], policy, needed)
    parts = node.children() if node.op in ("and", "or") else ()
    found = [true_until(part, policy, needed) for part in parts]
    return max(found, default=0) if node.op == "or" else min(found, default=0)


def false_until(node: Node, policy: CompiledPolicy, needed: Needed = iterations_needed) -> int:
    """Return how many iterations there must be, or with `seconds_needed` seconds, before it can be true."""
    if node.op == "not":
        return true_until(next(node.children()), policy, needed)
    if node.op == "condition":
        return false_until(policy.conditions[str(node.args[0])], policy, needed)
    parts = node.children() if node.op in ("and", "or") else ()
    found = [false_until(part, policy, needed) for part in parts]
    if not found:
        return needed(node, policy)
    return max(found) if node.op == "and" else min(found)


def _waits(node: Node, need: int, policy: CompiledPolicy) -> bool:
    """Return whether a condition is false until there are `need` iterations."""
    if false_until(node, policy) >= need:
        return True
    return _asks(node, ITERATIONS, need, policy)


def _lasts(node: Node, age: int, policy: CompiledPolicy) -> bool:
    """Return whether a condition is false until the run is `age` seconds old."""
    return false_until(node, policy, seconds_needed) >= age or _asks(node, ELAPSED, age, policy)


def _asks(node: Node, name: str, least: int, policy: CompiledPolicy) -> bool:
    """Return whether a condition demands that a whole number, or a time, has come so far."""
    found = compared(node)
    if found is None or found[0].op != "fact" or found[0].args[0] != name:
        return False
    limit = number_of(found[2], policy)
    one = found[1] == ">" and name == ITERATIONS
    return limit is not None and found[1] in (">", ">=", "==") and limit + one >= least
