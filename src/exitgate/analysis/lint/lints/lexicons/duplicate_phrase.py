"""
Lint `duplicate-phrase`.

## What it finds

A phrase that occurs, ignoring case, earlier in the same file.

## Why it matters

In the same list, the repetition has no effect. In two entries, one sentence counts as two signals.

## Bad

```yaml
entries:
  - id: all-tasks-done
    words: [all tasks are done, everything is finished, All tasks are done]
    examples: [All tasks are done.]
    counterexamples: [Not all tasks are done.]
```

## Good

```yaml
entries:
  - id: all-tasks-done
    words: [all tasks are done, everything is finished]
    examples: [All tasks are done.]
    counterexamples: [Not all tasks are done.]
```

## What `--fix` does

removes the second occurrence in one list
"""

from __future__ import annotations

from exitgate.analysis.edits import is_remarked, item_removed
from exitgate.analysis.lint.finding import LEXICON, POLICY, Finding
from exitgate.analysis.lint.lexicons import phrases
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.edits import Edit
    from exitgate.analysis.lint.lexicons import Phrase
    from exitgate.analysis.lint.subject import Subject


ID = "duplicate-phrase"
TITLE = "a phrase written twice"
SEVERITY = WARNING
KINDS = (LEXICON, POLICY)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each phrase that was written before."""
    seen: dict[object, Phrase] = {}
    for phrase in phrases(subject):
        owner = phrase.siblings if subject.kind == POLICY else None
        key = (id(owner), phrase.words)
        first = seen.setdefault(key, phrase)
        if first is phrase:
            continue
        edits = _removed(subject, phrase) if first.siblings is phrase.siblings is not None else ()
        related = (("the first", first.part.place),)
        message = f"`{phrase.part.text}` is written twice"
        yield Finding(message, phrase.part.place, "remove one of them", edits, related)


def _removed(subject: Subject, phrase: Phrase) -> tuple[Edit, ...]:
    if is_remarked(subject.document.lines, phrase.part):
        return ()  # what somebody wrote there is for a person to move
    try:
        return (item_removed(subject.document.lines, phrase.part),)
    except ValueError:
        return ()
