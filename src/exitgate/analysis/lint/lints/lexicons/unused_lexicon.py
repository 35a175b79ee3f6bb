"""
Lint `unused-lexicon`.

## What it finds

A lexicon in the folder of a policy that neither its facts nor another lexicon there uses.

## Why it matters

Its words are maintained but never used.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  done: {extract: phrases, from: response, lexicon: ./words.yaml}
rules:
  - id: plan_done
    when: tasks.complete and done.found
    exit: complete
    because: Every task of the plan is done, and the agent says so
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
```

## Beside: `words.yaml`

```yaml
lexicon: our-words
format: 1
title: Ours
entries:
  - id: all-shipped
    phrase: everything is shipped
    examples: [Everything is shipped.]
    counterexamples: [Not everything is shipped.]
```
"""

from __future__ import annotations

import os

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ID = "unused-lexicon"
TITLE = "a lexicon beside a policy that the policy does not read"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each lexicon beside the policy whose file no part of the merged policy names."""
    assert subject.merged is not None
    root = subject.merged.root
    parts = [part for key in ("facts", "mask") if key in root.fields for part in _named(root.fields[key])]
    named = {os.path.basename(part.text) for part in parts}
    used = {name for _, uses in subject.beside for name in uses}
    for name, _ in subject.beside:
        if name not in named | used:
            message = f"`{name}` beside this policy is a lexicon that the policy does not use"
            help = f"name it: `lexicon: ./{name}`, or remove the file"
            yield Finding(message, subject.head(), help)


def _named(part: YamlNode) -> Iterator[YamlNode]:
    """Yield the names of lexicons in the entries of a section, or in the section itself."""
    for owner in (part, *part.fields.values()):
        lexicon = owner.get("lexicon")
        if lexicon is not None:
            yield from lexicon.items or (lexicon,)
