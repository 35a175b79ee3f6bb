"""
Lint `ratio-silent-at-zero`.

## What it finds

A ratio that must exceed a limit, whose divisor can be 0: cost for each finished task, failures for each
commit. A divisor that the same condition compares with 0 is left alone.

## Why it matters

The fewer tasks are finished, the worse the ratio is; with none finished it cannot be divided, the
comparison is unknown, and the rule never fires in the very case that it was written for. `--fix` leaves it
as it is: the product is also true before anything was finished, from the first cost on, and the rule would
fire where it did not. Where it should not, add `after 5 iterations`.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: tasks_cost_too_much
    when: run.cost / tasks.done > 5 USD
    exit: review
    because: "{run.cost} for {tasks.done} tasks"
    escalation: Look at what the tasks cost.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: tasks_cost_too_much
    when: run.cost > 5 USD * tasks.done
    exit: review
    because: "{run.cost} for {tasks.done} tasks"
    escalation: Look at what the tasks cost.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.bounds import compared, number_of, reach_of
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.checker.check import check as check_types
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "ratio-silent-at-zero"
TITLE = "a ratio that is unknown in the worst case"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each comparison of a ratio with a limit that it must exceed, with the product as a proposal."""
    formulas = {fact.name: fact.formula for fact in subject.policy.derived if fact.formula is not None}
    for leaf, tree in subject.conditions:
        for node in tree.walk():
            found = compared(node)
            if found is None or found[1] not in (">", ">="):
                continue
            left, sign, limit = found
            ratio = formulas.get(str(left.args[0]), left) if left.op == "fact" else left
            divisor = ratio.child(1) if ratio.op == "div" else None
            if divisor is None or not _can_be_zero(divisor, tree, subject):
                continue
            message = f"`{unparse(left)}` is unknown where `{unparse(divisor)}` is 0, so this is not true"
            product = _product(ratio, sign, limit, subject)
            help = f"write `{product}`" if product else "compare products, which are known with 0, too"
            yield Finding(message, subject.node_place(leaf, node), help)


def _can_be_zero(divisor: Node, tree: Node, subject: Subject) -> bool:
    """Return whether a divisor is a fact that can be 0 and that nothing in the condition keeps from it."""
    if divisor.op != "fact":
        return False
    reach = reach_of(str(divisor.args[0]), subject.policy)
    if reach is None or not reach.low <= 0 <= reach.high:
        return False
    tests = (compared(node) for node in tree.walk())
    return not any(
        one is not None and one[0] == divisor and number_of(one[2], subject.policy) in (0, 1) for one in tests
    )


def _product(ratio: Node, sign: str, limit: Node, subject: Subject) -> str:
    """Return the comparison without a division, the empty text where its types do not fit."""
    above, below = ratio.children()
    text = unparse(Node("compare", (sign, above, Node("mul", (limit, below)))))
    try:
        check_types(parse(text), subject.scope)
    except LanguageError:
        return ""
    return text
