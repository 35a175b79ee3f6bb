"""
Lint `duplicate-condition`.

## What it finds

Two deciding rules of one stage, or two warnings, whose conditions are the same once named conditions are
expanded.

## Why it matters

The second deciding rule never decides. Two warnings repeat each other.

## Bad

```yaml
rules:
  - id: used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
  - id: too_long
    when: run.iterations >= 50
    exit: stuck
    because: Fifty iterations and no end
```

## Good

```yaml
rules:
  - id: used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ID = "duplicate-condition"
TITLE = "two rules of one stage have the same condition"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that repeats an earlier one's condition."""
    seen: dict[tuple[str, bool, Node], YamlNode] = {}
    for part, rule in subject.chain:
        if rule.mode != "enforce":
            continue
        key = (rule.stage, rule.effect == "warn", _expanded(rule.when, subject.policy.conditions))
        first = seen.setdefault(key, part)
        if first is part or not subject.is_own(part.place):
            continue
        name = first.fields["id"].text
        message = f"rule `{rule.id}` has the same condition as `{name}` before it"
        if rule.effect != "warn":
            message += ", and never decides"
        related = (("the same", first.fields["when"].place),)
        yield Finding(message, part.fields["when"].place, "narrow one of them, or remove it", (), related)


def _expanded(node: Node, conditions: Mapping[str, Node]) -> Node:
    """Return a tree with its named conditions written out."""
    if node.op == "condition":
        return _expanded(conditions[str(node.args[0])], conditions)
    return node.mapped(lambda child: _expanded(child, conditions))
