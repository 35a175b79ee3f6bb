"""
Lint `unused-given`.

## What it finds

A fact under `given:` that no condition, message, computed fact, option or view uses.

## Why it matters

Its value is accepted in every check and changes nothing, while the caller relies on it.

## Bad

```yaml
given:
  deploy.approved: {type: bool, doc: A person has approved the deployment.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
```

## Good

```yaml
given:
  deploy.approved: {type: bool, doc: A person has approved the deployment.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: plan_done
    when: tasks.complete and deploy.approved
    exit: complete
    because: Every task of the plan is done, and a person has approved
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING
from exitgate.core.policy.sections.given import SECTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "unused-given"
TITLE = "a given fact that nothing uses"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each given fact declared here that is not used."""
    used = subject.uses.facts
    for name, part in subject.section(SECTION).items():
        if name not in used:
            message = f"nothing uses the given fact `{name}`"
            yield Finding(message, part.label, "use it in a condition or message, or remove the entry")
