"""
Lint `unused-fact`.

## What it finds

An entry under `facts:` whose facts no condition, message, computed fact, option or view uses.

## Why it matters

It is extracted in every iteration, and suggests to readers of the policy that it decides something.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "unused-fact"
TITLE = "an entry under `facts:` whose facts are not used"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each entry declared here of which no fact is used."""
    used = subject.uses.facts
    for name, part in subject.section("facts").items():
        if not any(fact == name or fact.startswith(f"{name}.") for fact in used):
            message = f"nothing uses a fact of `{name}`"
            yield Finding(
                message, part.label, "use a fact of it in a condition or message, or remove the entry"
            )
