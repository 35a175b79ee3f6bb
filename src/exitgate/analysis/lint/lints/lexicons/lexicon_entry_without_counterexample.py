"""
Lint `lexicon-entry-without-counterexample`.

## What it finds

An entry that looks for something the agent says, without `counterexamples:`. Names of units, noise and rows
of signatures need none.

## Why it matters

What a phrase must not count defines most of its meaning: negated, quoted, half done, in another sense.

## Bad

```yaml
entries:
  - id: all-tasks-done
    phrase: all tasks are done
    examples: [All tasks are done.]
```

## Good

```yaml
entries:
  - id: all-tasks-done
    phrase: all tasks are done
    examples: [All tasks are done.]
    counterexamples: [Not all tasks are done.]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, Finding
from exitgate.analysis.lint.lexicons import entries
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "lexicon-entry-without-counterexample"
TITLE = "an entry without counterexamples"
SEVERITY = NOTE
KINDS = (LEXICON,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each entry without a counterexample."""
    for entry in entries(subject):
        found = entry.get("counterexamples")
        if "id" in entry.fields and (found is None or not found.items):
            id = entry.fields["id"]
            help = "add a sentence with the same words that must not count"
            yield Finding(f"entry `{id.text}` has no counterexample", id.place, help)
