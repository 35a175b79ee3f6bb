"""
Lint `rule-after-unconditional`.

## What it finds

A deciding rule that follows, in its stage, a rule whose condition is the literal `true`.

## Why it matters

The first rule that is true decides: no rule after it is ever evaluated.

## Bad

```yaml
rules:
  - id: go_on
    when: true
    continue: true
    because: Work continues
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
```

## Good

```yaml
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
otherwise: {continue: true, because: Work continues}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ID = "rule-after-unconditional"
TITLE = "a rule after one that always decides"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True
_TRUE = Node("bool", (True,))


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that such a rule keeps from being asked."""
    always: dict[str, YamlNode] = {}
    for part, rule in subject.chain:
        if rule.effect == "warn" or rule.mode != "enforce":
            continue
        before = always.get(rule.stage)
        if before is not None and subject.is_own(part.place):
            message = (
                f"rule `{rule.id}` is never evaluated: `{before.fields['id'].text}` before it always decides"
            )
            related = (("always decides", before.fields["when"].place),)
            help = "put it before that rule, or write the default as `otherwise:`"
            yield Finding(message, part.fields["id"].place, help, related=related)
        if rule.when == _TRUE:
            always.setdefault(rule.stage, part)
