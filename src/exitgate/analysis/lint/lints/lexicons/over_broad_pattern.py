"""
Lint `over-broad-pattern`.

## What it finds

A pattern that matches an empty line, or a line of one letter, digit or mark.

## Why it matters

Evidence that occurs everywhere proves nothing.

## Bad

```yaml
entries:
  - id: counts
    pattern: '[0-9]* ?tests?|[0-9]+'
    examples: [12 tests]
    counterexamples: [no number]
```

## Good

```yaml
entries:
  - id: counts
    pattern: '[0-9]+ tests?'
    examples: [12 tests]
    counterexamples: [no number]
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, Finding
from exitgate.analysis.lint.lexicons import patterns
from exitgate.core.facts.text.secrets import compiled
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "over-broad-pattern"
TITLE = "a pattern that nearly every line matches"
SEVERITY = WARNING
KINDS = (LEXICON,)
COMPILED = False
#: Lines that say nothing. What finds itself in one of them finds itself in nearly all.
PROBES = ("", "x", "Xx", "0", "-", " ", ".", "x x", "x 0 - .")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each pattern that finds itself in a line that says nothing."""
    import re2

    for part, entry in patterns(subject):
        if "noise" in entry.fields:
            continue
        try:
            pattern = compiled(part.text)
        except re2.error:
            continue  # reported as EP443
        probe = next((line for line in PROBES if pattern.search(line)), None)
        if probe is not None:
            what = "an empty line" if not probe else f"a line that is only `{probe}`"
            help = "require some letters of what it should find"
            yield Finding(f"this pattern matches {what}", part.place, help)
