"""
Lint `completion-without-witness`.

## What it finds

A rule with `exit: complete` whose condition can be true on facts found in prose alone (`phrases`,
`graded_words`, `questions`, `work_summary`, `similarity`, `matching_lines`).

## Why it matters

Agents say that everything is done when it is not. A claim in prose needs evidence: a ticked plan, a status
block, a promise, passing tests, a file.

## Bad

```yaml
facts:
  completion: {extract: phrases, from: response, lexicon: completion-en}
rules:
  - id: says_done
    when: completion.found
    exit: complete
    because: The agent says that it is done
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  completion: {extract: phrases, from: response, lexicon: completion-en}
rules:
  - id: says_done
    when: completion.found and tasks.complete
    exit: complete
    because: The agent says that it is done, and so does the plan
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.evidence import can_rest_on_prose
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "completion-without-witness"
TITLE = "a run can end as complete on words alone"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that can complete a run on prose."""
    for part, rule in subject.rules:
        if rule.exit_class == "complete" and can_rest_on_prose(rule.when, subject.policy):
            message = f"rule `{rule.id}` can end the run as complete on words alone"
            help = "require evidence that is not prose: a plan, a status block, a promise, tests, a file"
            yield Finding(message, part.fields["when"].place, help)
