"""
Lint `unused-list`.

## What it finds

A list under `lists:` that no fact option uses with `{list: name}`.

## Why it matters

Words added to it have no effect.

## Bad

```yaml
lists:
  done_words: [everything is finished, nothing is left to do]
```

## Good

```yaml
lists:
  done_words: [everything is finished, nothing is left to do]
facts:
  tasks: {extract: checklist, from: plan}
  done: {extract: phrases, from: response, phrases: {list: done_words}}
rules:
  - id: plan_done
    when: tasks.complete and done.found
    exit: complete
    because: Every task of the plan is done, and the agent says so
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.subject import Subject, lists_named
from exitgate.core.model.diagnostic import WARNING

ID = "unused-list"
TITLE = "a list of words that nothing uses"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each list declared here that no option names."""
    assert subject.merged is not None
    facts = subject.merged.root.get("facts")
    used = lists_named(facts) if facts is not None else set()
    for name, part in subject.section("lists").items():
        if name not in used:
            help = f"write `{{list: {name}}}` in an option of a fact, or remove the list"
            yield Finding(f"nothing uses the list `{name}`", part.label, help)
