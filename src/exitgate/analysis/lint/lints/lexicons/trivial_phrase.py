"""
Lint `trivial-phrase`.

## What it finds

A phrase that is a single word of fewer than 5 letters, or any single word without guards (`guards: []`), if
it adds weight and need not open or close a sentence.

## Why it matters

`done` occurs in `not done`, in `done with step 1`, and in most responses of every run.

## Bad

```yaml
entries:
  - id: done
    phrase: done
    examples: [Done.]
    counterexamples: [Not done.]
```

## Good

```yaml
entries:
  - id: done
    phrase: done
    opens: true
    closes: true
    examples: [Done.]
    counterexamples: [Not done., I am done with step 1.]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, POLICY, Finding
from exitgate.analysis.lint.lexicons import GAP, Phrase, phrases
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "trivial-phrase"
TITLE = "a one-word phrase that occurs in most responses"
SEVERITY = WARNING
KINDS = (LEXICON, POLICY)
COMPILED = False
#: Fewest letters of a word that may be looked for alone; a letter of a script without spaces is two.
LETTERS = 5
#: Keys with which a word counts only in its place.
PLACES = frozenset(("opens", "closes", "leads", "question", "last"))


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each phrase of one word that says too little by itself."""
    for phrase in phrases(subject):
        entry = phrase.entry.fields
        weight = entry["weight"].value if "weight" in entry else 1
        if len(phrase.words) != 1 or weight == 0 or PLACES & entry.keys():
            continue
        shortest = min(phrase.words[0], key=_letters)
        if shortest != GAP and (_letters(shortest) < LETTERS or _unguarded(phrase)):
            message = f"`{shortest}` alone is too weak"
            help = "write more of the sentence, or require it to open or close one (`opens:`, `closes:`)"
            yield Finding(message, phrase.part.place, help)


def _letters(word: str) -> int:
    return sum(1 if ord(letter) < 0x2E80 else 2 for letter in word if letter.isalnum())


def _unguarded(phrase: Phrase) -> bool:
    guards = phrase.entry.get("guards")
    return guards is not None and not guards.items
