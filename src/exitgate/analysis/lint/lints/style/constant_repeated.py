"""
Lint `constant-repeated`.

## What it finds

The same expression compared with the same number, percentage, duration or amount in two or more conditions
of rules; 0, 1 and 100 do not count. Invariants do not count either: they may repeat a threshold.

## Why it matters

A change to one of them leaves the other behind. A parameter has one value, bounds and a line that says what
it is for, and a project can set it.

## Bad

```yaml
rules:
  - id: nearly_used_up
    when: run.iterations >= 40 and tasks.open > 5
    warn: true
    because: Few iterations are left
    advice: Finish the task at hand.
  - id: late_and_open
    when: run.iterations >= 40 and tasks.open > 20
    exit: exhausted
    because: Too much is left for the iterations that are
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
parameters:
  late: {type: count, default: 40, doc: Iteration from which little may be open.}
rules:
  - id: nearly_used_up
    when: run.iterations >= $late and tasks.open > 5
    warn: true
    because: Few iterations are left
    advice: Finish the task at hand.
  - id: late_and_open
    when: run.iterations >= $late and tasks.open > 20
    exit: exhausted
    because: Too much is left for the iterations that are
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.model.diagnostic import Location


ID = "constant-repeated"
TITLE = "one threshold written in several conditions"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True
#: Literals with a size that someone may want to change.
LITERALS = ("number", "percent", "duration", "money")
#: Ends of scales: no thresholds.
PLAIN = (0, 1, 100)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each literal that a different condition before it compares with the same expression."""
    promised = {part.fields["given"].place for part in subject.items("invariants") if "given" in part.fields}
    seen: dict[tuple[str, str, object], tuple[Location, Node]] = {}
    for leaf, tree in subject.conditions:
        if leaf.place in promised:
            continue
        for literal, other in _thresholds(tree):
            key = (unparse(other), literal.op, literal.args[0])
            place = subject.node_place(leaf, literal)
            first, where = seen.setdefault(key, (place, tree))
            if where == tree:
                continue  # the same condition again has a lint of its own
            written = leaf.text[literal.start : literal.end]
            message = f"`{key[0]}` is also compared with `{written}` in another condition"
            help = "make it a parameter"
            yield Finding(message, place, help, related=(("the first", first),))


def _thresholds(tree: Node) -> Iterator[tuple[Node, Node]]:
    """Yield each literal that is a side of a comparison, with the other side."""
    for node in tree.walk():
        if node.op != "compare":
            continue
        left, right = node.children()
        for literal, other in ((left, right), (right, left)):
            if literal.op in LITERALS and literal.args[0] not in PLAIN and other.op not in LITERALS:
                yield literal, other
