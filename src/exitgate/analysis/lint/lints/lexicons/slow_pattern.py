"""
Lint `slow-pattern`.

## What it finds

A pattern whose program in RE2 has more than 7000 instructions, which nested bounded repeats cause, or one
that begins with `.*`.

## Why it matters

RE2 is linear in the text but not in the pattern: its program is run for every character. A leading `.*`
makes every match begin at the start of the line and adds nothing, since a pattern is searched anywhere.

## Bad

```yaml
entries:
  - id: table
    pattern: '([^ ]{1,40} ){1,20}passed'
    examples: [12 of 12 passed]
    counterexamples: [failed]
```

## Good

```yaml
entries:
  - id: table
    pattern: '[^ ]+ passed'
    examples: [12 of 12 passed]
    counterexamples: [failed]
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


ID = "slow-pattern"
TITLE = "a pattern that costs more than necessary"
SEVERITY = WARNING
KINDS = (LEXICON,)
COMPILED = False
#: Most instructions of RE2's program. A line costs at most its length times these.
INSTRUCTIONS = 7000
#: What a search has in front of it anyway.
LEADING = (".*", ".+", "^.*", "(.*)")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each pattern with a large program or a leading `.*`."""
    import re2

    for part, _ in patterns(subject):
        if part.text.startswith(LEADING):
            message = "the leading `.*` of this pattern is redundant in a search"
            yield Finding(message, part.place, "remove the `.*` at its start")
            continue
        try:
            size = compiled(part.text).programsize
        except re2.error:
            continue  # reported as EP443
        if size > INSTRUCTIONS:
            message = f"RE2 needs {size} instructions for this pattern"
            help = "replace nested bounded repeats by `+` or `*`, which cost one instruction"
            yield Finding(message, part.place, help)
