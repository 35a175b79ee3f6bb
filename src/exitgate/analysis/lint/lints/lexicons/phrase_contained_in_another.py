"""
Lint `phrase-contained-in-another`.

## What it finds

Two phrases of one entry, the longer of which contains the words of the shorter in sequence.

## Why it matters

The shorter phrase matches wherever the longer does: the longer has no effect.

## Bad

```yaml
entries:
  - id: all-tasks-done
    words: [tasks are done, all tasks are done]
    examples: [All tasks are done.]
    counterexamples: [No tasks are done.]
```

## Good

```yaml
entries:
  - id: all-tasks-done
    words: [all tasks are done]
    examples: [All tasks are done.]
    counterexamples: [No tasks are done.]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, Finding
from exitgate.analysis.lint.lexicons import phrases
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.lint.lexicons import Phrase
    from exitgate.analysis.lint.subject import Subject


ID = "phrase-contained-in-another"
TITLE = "a phrase that a shorter one in the same entry already covers"
SEVERITY = NOTE
KINDS = (LEXICON,)
COMPILED = False
#: Keys that tell where a phrase must be: with them the longer one may count where the shorter does not.
PLACES = frozenset(("opens", "closes", "leads", "last"))


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each phrase that holds another one of its entry."""
    groups: dict[int, list[Phrase]] = {}
    for phrase in phrases(subject):
        if not PLACES & phrase.entry.fields.keys():
            groups.setdefault(id(phrase.entry), []).append(phrase)
    for group in groups.values():
        begun = _begun(group)
        for longer in group:
            shorter = next(_contained(longer, begun), None)
            if shorter is not None:
                message = f"`{shorter.part.text}` already finds everything that `{longer.part.text}` finds"
                related = (("the shorter", shorter.part.place),)
                yield Finding(
                    message,
                    longer.part.place,
                    "remove the longer one, or narrow the shorter one",
                    (),
                    related,
                )


def _begun(group: list[Phrase]) -> dict[str, list[Phrase]]:
    """Return the phrases of an entry by each way to write their first word."""
    begun: dict[str, list[Phrase]] = {}
    for phrase in group:
        for word in phrase.words[0] if phrase.words else ():
            begun.setdefault(word, []).append(phrase)
    return begun


def _contained(longer: Phrase, begun: Mapping[str, list[Phrase]]) -> Iterator[Phrase]:
    """Yield the phrases that the longer one holds."""
    for words in longer.words:
        # an entry with every spelling of this word has this one
        for other in begun.get(min(words), ()):
            if _holds(longer, other):
                yield other


def _holds(longer: Phrase, shorter: Phrase) -> bool:
    """Return whether every text with the longer phrase has the shorter one in it."""
    size = len(shorter.words)
    if size >= len(longer.words):
        return False
    return any(
        all(longer.words[at + n] <= shorter.words[n] for n in range(size))
        for at in range(len(longer.words) - size + 1)
    )
