"""
Lint `lexicon-entry-matches-other-counterexample`.

## What it finds

A counterexample of one entry that another entry of the same lexicon finds.

## Why it matters

The lexicon as a whole then counts the sentence. If both entries are right, suppress the lint at the
counterexample.

## Bad

```yaml
entries:
  - id: all-tasks-done
    phrase: all tasks are done
    examples: [All tasks are done.]
    counterexamples: [The subtasks are done.]
  - id: subtasks-done
    phrase: subtasks ... done
    examples: [The subtasks are done.]
    counterexamples: [The subtasks are not done.]
```

## Good

```yaml
entries:
  - id: all-tasks-done
    phrase: all tasks are done
    examples: [All tasks are done.]
    counterexamples: [Not all tasks are done.]
  - id: all-subtasks-done
    phrase: every subtask is done
    examples: [Every subtask is done.]
    counterexamples: [Not every subtask is done.]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, Finding
from exitgate.analysis.lint.lexicons import counting, judged, options
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "lexicon-entry-matches-other-counterexample"
TITLE = "an entry finds another entry's counterexample"
SEVERITY = WARNING
KINDS = (LEXICON,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each counterexample that another entry of the file takes for its own."""
    entries = judged(subject)
    if len(entries) < 2:
        return
    every = options(subject, entries)
    for id, entry in entries.items():
        examples = entry.get("counterexamples")
        for text in examples.items if examples is not None else ():
            other = next((other for other in counting(every, text.text) if other != id), None)
            if other is not None:
                message = f"entry `{other}` finds what `{id}` must not"
                related = (("the other", entries[other].fields["id"].place),)
                help = f"narrow `{other}`, or drop the counterexample"
                yield Finding(message, text.place, help, (), related)
