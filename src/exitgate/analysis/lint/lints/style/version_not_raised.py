"""
Lint `version-not-raised`.

## What it finds

A policy in a git work tree whose content, ignoring comments and layout, differs from the last commit (or
`--against REV`) although `version:` does not.

## Why it matters

The version tells people who extend a policy or read a ledger which rules decided. `exitgate release-check`
says which number to raise.

## Before

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 60
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
version: 2.0.0
rules:
  - id: iterations_used_up
    when: run.iterations >= 60
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.results.comparison import LEVELS, summary
from exitgate.core.model.diagnostic import WARNING, ExitgateError
from exitgate.core.policy.yaml.document import load_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "version-not-raised"
TITLE = "the policy changed, and its version did not"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the content changed under the same version; none without an earlier text."""
    version = subject.root.get("version")
    if subject.earlier is None or version is None:
        return
    try:
        before = load_yaml(subject.earlier, subject.file).root
    except ExitgateError:
        return  # what was committed was not a policy: nothing to compare with
    old = before.get("version")
    if old is not None and old.text == version.text and before.plain() != subject.root.plain():
        help = "; ".join(f"{level} for {summary(level)}" for level in LEVELS)
        help = f"raise it, as `exitgate release-check` says: {help}"
        yield Finding(f"the policy changed but its version is still {version.text}", version.place, help)
