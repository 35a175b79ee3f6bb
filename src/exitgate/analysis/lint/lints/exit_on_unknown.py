"""
Lint `exit-on-unknown`.

## What it finds

An exit rule that can fire while nothing the agent said or did is known, because it gives a default to an
unknown fact or tests for unknown, and that does not have `on_silence: exit`.

## Why it matters

A missing or unreadable response is not an answer. It should not end a run by accident; `undetermined:
{exit_after: N}` ends a run that stays silent.

## Bad

```yaml
rules:
  - id: no_plan
    when: tasks.done is unknown and run.iterations > 5
    exit: review
    because: Nothing is done
    escalation: Look at the plan.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: no_plan
    when: tasks.done == 0 and run.iterations > 5
    exit: review
    because: Nothing is done
    escalation: Look at the plan.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import LIMITS, condition
from exitgate.analysis.walk.queries import REFUTED, can_decide_after
from exitgate.core.engine.record import read_facts
from exitgate.core.language.measure import facts_of, reachable
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy


ID = "exit-on-unknown"
TITLE = "a rule that ends the run even if nothing could be read"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each exit rule written here that silence can bring about."""
    policy = subject.policy
    read = frozenset(read_facts(policy))
    silence = condition(subject, "nothing is known")
    for part, rule in subject.rules:
        if rule.effect != "exit" or rule.on_silence or not _asks_for_unknown(rule.when, policy, read):
            continue
        if can_decide_after(policy, rule.id, silence, LIMITS).status == REFUTED:
            yield Finding(
                f"rule `{rule.id}` can end the run when nothing the agent said or did is known",
                part.fields["when"].place,
                "test something that is known, or write `on_silence: exit` with a reason",
            )


def _asks_for_unknown(node: Node, policy: CompiledPolicy, read: frozenset[str]) -> bool:
    """Return whether a part of the condition can be true because a fact read from the agent is unknown."""
    trees = (node, *(policy.conditions[name] for name in reachable(node, policy.conditions)))
    parts = (part for tree in trees for part in tree.walk() if part.op in ("unknown", "or_else", "silence"))
    return any(part.op == "silence" or read & facts_of(part, policy.conditions) for part in parts)
