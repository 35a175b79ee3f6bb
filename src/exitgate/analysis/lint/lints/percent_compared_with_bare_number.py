"""
Lint `percent-compared-with-bare-number`.

## What it finds

A number without `%` that a percentage is compared with.

## Why it matters

`tasks.percent >= 0.8` means less than one percent. With the sign, the meaning is clear and a slip is easy
to see.

## Bad

```yaml
rules:
  - id: nearly_done
    when: tasks.percent >= 90
    exit: complete
    because: "{tasks.percent} of the tasks are done"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: nearly_done
    when: tasks.percent >= 90%
    exit: complete
    because: "{tasks.percent} of the tasks are done"
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## What `--fix` does

adds the sign, and no value changes; a number up to 1 may be a fraction, so it stays as it is and both
meanings are named
"""

from __future__ import annotations

from exitgate.analysis.edits import Edit
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.yaml.node import YamlNode


ID = "percent-compared-with-bare-number"
TITLE = "a percentage is compared with a number without `%`"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
SIGN = "%"


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each number that the checker takes for a percentage and that has no sign."""
    for leaf, tree in subject.conditions:
        for node in tree.walk():
            # a tree's places take in the brackets around it
            whole = leaf.text[node.start : node.end].rstrip(") ")
            if node.op == "percent" and not whole.endswith(SIGN):
                written = whole.lstrip("( ")
                message = f"a percentage is compared with `{written}`"
                share = share_of(node)
                if share:
                    help = f"write `{written}{SIGN}` or `{share}`: only you know which is meant"
                    yield Finding(message, subject.node_place(leaf, node), help)
                    continue
                edits = _sign(leaf, node.start + len(whole))
                yield Finding(message, subject.node_place(leaf, node), f"write `{written}{SIGN}`", edits)


def share_of(percent: Node) -> str:
    """Return the percentage that a number from above 0 to 1 is as a fraction; else the empty text."""
    value = percent.args[0]
    assert isinstance(value, int | float)
    return f"{round(100 * value, 9):g}{SIGN}" if 0 < value <= 1 else ""


def _sign(leaf: YamlNode, end: int) -> tuple[Edit, ...]:
    """Return the edit that puts the sign behind the character before `end`."""
    if leaf.written is None:
        return ()
    at = leaf.written.offsets()[end - 1] + 1
    return (Edit(at, at, SIGN),)
