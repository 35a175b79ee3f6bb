"""
Lint `threshold-outside-range`.

## What it finds

A comparison of a fact with a constant, or with a parameter's default, outside the fact's possible values:
its declared range, or for points the sum of the rows. And a comparison of a count of iterations, such as
`streak(P)`, that its window makes always true or never: `streak` and `repeats` look at 50 iterations
without `last N`.

## Why it matters

The comparison always has the same result, so the rule never fires, or always does.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  score:
    points:
      - {when: tasks.complete, add: 30, because: the plan is done}
      - {when: run.iterations > 3, add: 15, because: it took a while}
    range: [0, 100]
rules:
  - id: sure
    when: score >= 70 or tasks.done > 40
    exit: complete
    because: "{score} points"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  score:
    points:
      - {when: tasks.complete, add: 30, because: the plan is done}
      - {when: run.iterations > 3, add: 15, because: it took a while}
    range: [0, 100]
rules:
  - id: sure
    when: score >= 45 or tasks.done > 40
    exit: complete
    because: "{score} points"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from math import ceil

from exitgate.analysis.lint.bounds import compared, holds, number_of, reach_of, reach_of_count
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import ERROR
from exitgate.core.model.value import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "threshold-outside-range"
TITLE = "a threshold that the value can never reach"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each constant outside of the reach of the fact or count it is compared with."""
    for leaf, tree in subject.conditions:
        for node in tree.walk():
            said = _of_count(node, subject)
            if said is not None:
                message, help, limit = said
                yield Finding(message, subject.node_place(leaf, limit), help)
                continue
            if node.op not in ("compare", "is", "is_not", "between"):
                continue
            fact, *others = _sides(node)
            if fact is None or (reach := reach_of(str(fact.args[0]), subject.policy)) is None:
                continue
            for constant in others:
                value = _value(constant, subject) if constant is not None else None
                if value is None or reach.low <= value <= reach.high:
                    continue
                assert constant is not None
                written = leaf.text[constant.start : constant.end]
                message = f"`{written}` is out of reach: `{fact.args[0]}` is {reach.told}"
                help = "write a value within that range, or widen the range of the fact"
                yield Finding(message, subject.node_place(leaf, constant), help)


def _of_count(node: Node, subject: Subject) -> tuple[str, str, Node] | None:
    """Return message, help and constant of a comparison of a count that is the same for every count."""
    found = compared(node)
    reach = reach_of_count(found[0], subject.policy) if found is not None else None
    limit = number_of(found[2], subject.policy) if found is not None else None
    if found is None or reach is None or limit is None:
        return None
    counted, sign, constant = found
    ends = {holds(value, sign, limit) for value in (reach.low, reach.high)}
    if len(ends) == 2 or (sign in ("==", "!=") and reach.low <= limit <= reach.high):
        return None
    always = "always" if ends == {True} else "never"
    message = f"this is {always} true: `{unparse(counted)}` is {reach.told}"
    help = "write a smaller number"
    if limit > reach.high and counted.op != "cycles":
        window = counted.optional(-1)
        size = Node("number", (ceil(limit),))
        if window is not None and window.op == "window":
            size = Node("window", (size, *window.args[1:]))
        wider = Node(counted.op, (*counted.args[:-1], size))
        help = f"write `{unparse(wider)}` to look at more iterations, or a smaller number"
    if limit <= 0:
        help = "write a number from 1, or leave it out"
    return message, help, constant


def _sides(node: Node) -> tuple[Node | None, ...]:
    """Return the fact of a comparison, then what it is compared with; None where it is not a plain fact."""
    sides = list(node.children())
    for at in range(len(sides) if node.op != "between" else 1):
        if sides[at].op == "fact":
            return (sides[at], *sides[:at], *sides[at + 1 :])
    return (None,)


def _value(node: Node, subject: Subject) -> float | None:
    """Return the number that a literal or a parameter's default is, or None."""
    value: object = None
    if node.op == "parameter":
        value = subject.policy.parameters[str(node.args[0])].default
    elif node.op == "neg":
        inner = _value(next(node.children()), subject)
        return -inner if inner is not None else None
    elif node.op in ("number", "percent", "duration", "money"):
        value = node.args[0]
    return value if is_number(value) else None
