"""
Lint `redundant-key`.

## What it finds

In a rule: `mode: enforce`, `stage: after_iteration`, `locked: false`, or an `outcome:` that is the rule's
own id.

## Why it matters

Readers take it for a choice. Without it, the rules that do make a choice are easy to see.

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    outcome: iterations_used_up
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## What `--fix` does

removes the key, unless a comment follows it
"""

from __future__ import annotations

from exitgate.analysis.edits import entry_removed, is_remarked
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.edits import Edit
    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ID = "redundant-key"
TITLE = "a key of a rule that repeats the default"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True
#: Key of a rule -> what holds without it.
DEFAULTS = {"mode": "enforce", "stage": "after_iteration", "locked": "false"}


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each key of a rule that has the value it would have without it."""
    for rule in subject.items("rules"):
        for key, default in (*DEFAULTS.items(), ("outcome", rule.fields["id"].text)):
            part = rule.get(key)
            if part is not None and part.text == default:
                message = f"`{key}: {default}` is the default"
                yield Finding(message, part.label, "remove it", _removed(subject, part))


def _removed(subject: Subject, part: YamlNode) -> tuple[Edit, ...]:
    if is_remarked(subject.document.lines, part):
        return ()  # what somebody wrote there is for a person to move
    try:
        return (entry_removed(subject.document.lines, part),)
    except ValueError:
        return ()
