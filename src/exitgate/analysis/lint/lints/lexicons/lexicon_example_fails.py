"""
Lint `lexicon-example-fails`.

## What it finds

An example that does not count for its entry, or a counterexample that does: both are each read as a
response, with the entry's guards.

## Why it matters

People read examples to learn what an entry finds.

## Bad

```yaml
entries:
  - id: all-tasks-done
    phrase: all tasks are done
    examples: [Every task is done.]
    counterexamples: [Not all tasks are done.]
```

## Good

```yaml
entries:
  - id: all-tasks-done
    phrase: all|every task|tasks is|are done
    examples: [Every task is done.]
    counterexamples: [Not all tasks are done.]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, Finding
from exitgate.analysis.lint.lexicons import counting, judged, options
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "lexicon-example-fails"
TITLE = "an entry does not find its example, or finds its counterexample"
SEVERITY = ERROR
KINDS = (LEXICON,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each example that is not found, and each counterexample that is."""
    entries = judged(subject)
    if not entries:
        return
    for id, entry in entries.items():
        alone = options(subject, {id: entry})
        for key, wanted in (("examples", True), ("counterexamples", False)):
            texts = entry.get(key)
            for text in texts.items if texts is not None else ():
                if (id in counting(alone, text.text)) is not wanted:
                    verb = "does not find its example" if wanted else "finds its counterexample"
                    help = "fix the phrase or its guards, or move the sentence to the other list"
                    yield Finding(f"entry `{id}` {verb}", text.place, help)
