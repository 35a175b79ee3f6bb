"""
Lint `missing-doc`.

## What it finds

A policy without `title:` or `doc:`; a parameter or a named condition declared here without `doc:`.

## Why it matters

`exitgate policies show`, `config` and editors show these lines to people who set a parameter and have never
seen the rules.

## Bad

```yaml
parameters:
  max_loops: {type: count, default: 50}
rules:
  - id: iterations_used_up
    when: run.iterations >= $max_loops
    exit: exhausted
    because: "{$max_loops} iterations are enough"
```

## Good

```yaml
parameters:
  max_loops: {type: count, default: 50, doc: Iterations of one run.}
rules:
  - id: iterations_used_up
    when: run.iterations >= $max_loops
    exit: exhausted
    because: "{$max_loops} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "missing-doc"
TITLE = "a policy, parameter, condition or title without a description"
SEVERITY = WARNING
KINDS = (POLICY, LEXICON)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield what has no description; a parameter that only changes an extended policy's needs none."""
    keys = ("title", "doc") if subject.kind == POLICY else ("title",)
    for key in keys:
        if key not in subject.root.fields:
            what = "say in one line what it is for" if key == "title" else "say what it is for, in Markdown"
            yield Finding(f"the {subject.kind} has no `{key}:`", subject.head(), f"add `{key}:` and {what}")
    for name, part in subject.section("parameters").items():
        if "type" in part.fields and "doc" not in part.fields:
            help = "add `doc:` with what it is for and what a larger value does"
            yield Finding(f"parameter `${name}` has no `doc:`", part.label, help)
    for name, part in subject.section("conditions").items():
        if "doc" not in part.fields:
            help = f"write `{name}: {{when: ..., doc: ...}}` with what it means in one sentence"
            yield Finding(f"condition `@{name}` has no `doc:`", part.label, help)
