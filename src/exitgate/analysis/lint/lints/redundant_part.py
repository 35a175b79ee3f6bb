"""
Lint `redundant-part`.

## What it finds

A part of a rule's `and` that is true whenever the other parts are, or a part of its `or` that is true only
when another part is.

## Why it matters

It can be removed without changing a decision. Often another comparison was meant. A part that tests whether
something `is known` is left alone, since it states the author's intent. So is a part that is false when the
others are unknown: `tasks.total > 0` before a percentage of no tasks.

## Bad

```yaml
rules:
  - id: half_done
    when: tasks.done > 5 and tasks.done > 3
    exit: review
    because: "{tasks.done} tasks are done"
    escalation: Look at the plan.
```

## Good

```yaml
rules:
  - id: half_done
    when: tasks.done > 5
    exit: review
    because: "{tasks.done} tasks are done"
    escalation: Look at the plan.
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import LIMITS, PROOFS, proved_none, settings
from exitgate.analysis.walk.queries import NOT_TRUE, REFUTED, all_be
from exitgate.core.language.measure import facts_of
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import NOTE
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.compiled import CompiledPolicy


ID = "redundant-part"
TITLE = "a part of a condition that the others imply"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each part of a rule's condition written here without which it is true as often."""
    for part, rule in subject.rules:
        if rule.when.op not in ("and", "or"):
            continue
        parts = tuple(rule.when.children())
        for number, one in enumerate(parts):
            others = (*parts[:number], *parts[number + 1 :])
            if not _says_something(one, subject.policy):
                continue
            if all(
                _implied(policy, one, others, rule.when.op) for policy in settings(subject.policy, rule.when)
            ):
                yield Finding(
                    f"`{unparse(one)}` adds nothing to the condition of `{rule.id}`",
                    part.fields["when"].place,
                    "remove it, or write what was meant",
                )
                break


def _says_something(part: Node, policy: CompiledPolicy) -> bool:
    """Return False for a part about parameters only, and for one that asks whether something is known."""
    return part.op not in ("known", "unknown") and bool(facts_of(part, policy.conditions))


def _implied(policy: CompiledPolicy, one: Node, others: Sequence[Node], op: str) -> bool:
    """Return whether a part of `and` follows from the others, or one of `or` from being true itself."""
    if op == "and":
        premises: list[tuple[Node, bool | str | None]] = [(other, True) for other in others]
        wanted = [*premises, (one, NOT_TRUE)]
    else:
        premises = [(one, True)]
        wanted = [*premises, *((other, NOT_TRUE) for other in others)]
    return (
        proved_none(all_be(policy, wanted, PROOFS))
        and proved_none(all_be(policy, _settling(one, others, op), PROOFS))
        and all_be(policy, premises, LIMITS).status == REFUTED
    )


def _settling(one: Node, others: Sequence[Node], op: str) -> list[tuple[Node, bool | str | None]]:
    """
    Return what would be so where the part makes a difference to what is not known.

    A part of `and` that is false while the others are unknown settles the matter; a part of `or` that is
    unknown while the others are false unsettles it. Either shows in the decision.
    """
    rest = others[0] if len(others) == 1 else Node(op, tuple(others), one.start, one.end, BOOL)
    return [(rest, None), (one, False)] if op == "and" else [(rest, False), (one, None)]
