"""
Lint `title-style`.

## What it finds

A `title:` that ends with a full stop or has more than 100 characters.

## Why it matters

Titles are shown in lists, one per line. Whole sentences belong in `doc:`.

## Bad

```yaml
title: Ends the run when the plan is done.
```

## Good

```yaml
title: Ends the run when the plan is done
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import LEXICON, POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "title-style"
TITLE = "a title that is too long or ends with a full stop"
SEVERITY = NOTE
KINDS = (POLICY, LEXICON)
COMPILED = False
#: Longest title, in characters: a line of a list.
LONGEST = 100


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding for a title that is too long or ends like a sentence."""
    title = subject.root.get("title")
    if title is None:
        return
    if len(title.text) > LONGEST:
        message = f"a title of {len(title.text)} characters"
        yield Finding(message, title.place, f"shorten it to {LONGEST} characters, and put the rest in `doc:`")
    elif title.text.rstrip().endswith(".") and not title.text.rstrip().endswith(".."):
        yield Finding("a title that ends with a full stop", title.place, "remove the full stop")
