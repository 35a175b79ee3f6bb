"""
Lint `schema-modeline-missing`.

## What it finds

A file without a comment `# yaml-language-server: $schema=...` before its first key.

## Why it matters

With it, editors complete keys, explain them and mark mistakes as you type.

## Bad, whole file

```yaml
policy: example
format: 1
version: 1.0.0
title: An example
doc: Ends a run when its iterations are used up.
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
otherwise: {continue: true, because: Work continues}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
```

## Good, whole file

```yaml
# yaml-language-server: $schema=policy.schema.json
policy: example
format: 1
version: 1.0.0
title: An example
doc: Ends a run when its iterations are used up.
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
otherwise: {continue: true, because: Work continues}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
```

## What `--fix` does

adds the line at the top, if the schema is a file beside it or above
"""

from __future__ import annotations

import os

from exitgate.analysis.edits import inserted_line
from exitgate.analysis.lint.finding import EVERY, SETTINGS, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "schema-modeline-missing"
TITLE = "editors cannot tell which schema the file has"
SEVERITY = NOTE
KINDS = EVERY
COMPILED = False
#: What the language server for YAML looks for.
MARK = "yaml-language-server:"
#: Folders above a file in which its schema is looked for.
_UP = 4


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the comment does not exist."""
    head = subject.head()
    lines = subject.document.lines
    if any(MARK in lines.line(number) for number in range(1, head.line)):
        return
    name = f"{'config' if subject.kind == SETTINGS else subject.kind}"
    place = _near(lines.file, f"{name}.schema.json")
    line = f"# {MARK} $schema={place or name + '.schema.json'}"
    edits = (inserted_line(lines, 1, line),) if place else ()
    help = f"add `{line}`" if place else f"`exitgate schema {name} > {name}.schema.json`, then add `{line}`"
    yield Finding(f"editors cannot tell that this is a {_noun(subject.kind)}", head, help, edits)


def _near(file: str, schema: str) -> str:
    """Return the path of a schema from a file's folder, looked for there and above; or the empty text."""
    folder = os.path.dirname(file) or "."
    for up in range(_UP):
        above = os.path.join(*[os.pardir] * up) if up else ""
        for found in (os.path.join(above, schema), os.path.join(above, "schemas", schema)):
            if os.path.isfile(os.path.join(folder, found)):
                return found.replace(os.sep, "/")
    return ""


def _noun(kind: str) -> str:
    return f"file of {kind}" if kind == SETTINGS else kind
