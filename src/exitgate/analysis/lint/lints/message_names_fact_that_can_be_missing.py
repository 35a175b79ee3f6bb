"""
Lint `message-names-fact-that-can-be-missing`.

## What it finds

A fact in braces in a rule's message, without `or else` and a text, that can be unknown when the rule's
condition is true.

## Why it matters

The message then says `unknown` instead of a number, just when people look for a reason.

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations, {tasks.done} tasks done"
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations, {tasks.done or else 'no plan and no'} tasks done"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.evidence import known_when, surely_known
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE
from exitgate.core.policy.sections.templates import OR_ELSE, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ID = "message-names-fact-that-can-be-missing"
TITLE = "a message shows a fact that can be unknown then"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True
#: Messages that are read where the rule was true.
MESSAGES = ("because", "advice", "escalation")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each slot of a rule's messages whose fact may be unknown while the condition is true."""
    policy = subject.policy
    for part, rule in subject.rules:
        known = known_when(rule.when, True, policy.conditions)
        for key in MESSAGES:
            message = part.get(key)
            for name, start, end in _slots(message) if message is not None else ():
                if name in policy.facts and not surely_known(name, known, policy):
                    assert message is not None
                    place = message.written.place(start, end) if message.written else message.place
                    help = f"write `{{{name} or else '...'}}` with what to say then"
                    text = f"`{name}` can be unknown when rule `{rule.id}` is true"
                    yield Finding(text, place, help)


def _slots(message: YamlNode) -> Iterator[tuple[str, int, int]]:
    """Yield name and offsets of each slot that shows the value of one fact and has no text in its place."""
    for kind, content, start, end in pieces(message.text):
        if kind == "slot" and OR_ELSE not in content and "(" not in content:
            yield content, start, end
