"""
Lint `non-canonical-condition`.

## What it finds

A condition or formula that is not written as `exitgate fmt` writes it. Brackets and line breaks that only
help the reader are left alone.

## Why it matters

With one canonical form, a review shows real changes only.

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: 'run.iterations>=50'
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## What `--fix` does

writes the canonical form, as `exitgate fmt` does
"""

from __future__ import annotations

from exitgate.analysis.edits import collapsed
from exitgate.analysis.format import canonical_edit
from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "non-canonical-condition"
TITLE = "a condition that `fmt` would rewrite"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = False
QUOTES = "\"'"


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each condition that differs from its canonical text in more than brackets and line ends."""
    for leaf, node in subject.parsed:
        assert leaf.written is not None
        edit = canonical_edit(leaf.written, node)
        if edit is None or not _differs(leaf.text, unparse(node)):
            continue
        help = "run `exitgate fmt` or `lint --fix`"
        yield Finding("this condition is not in canonical form", leaf.place, help, (edit,))


def _differs(text: str, canonical: str) -> bool:
    """Return whether the words differ, or the spaces of a text on one line."""
    if "\n" not in text.strip() and collapsed(text) != text.strip():
        return True
    return collapsed(_unbracketed(text)) != collapsed(_unbracketed(canonical))


def _unbracketed(text: str) -> str:
    """Return a condition without its round brackets, those in quotes left where they are."""
    kept, quote = [], ""
    for character in text:
        if not quote and character in QUOTES:
            quote = character
        elif character == quote:
            quote = ""
        kept.append(" " if character in "()" and not quote else character)
    return "".join(kept)
