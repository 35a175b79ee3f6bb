"""Lint `schema-modeline-missing`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import EVERY, SETTINGS, Doc, Finding
from exitgate.model.diagnostic import NOTE
from exitgate.policy import shipped
from exitgate.policy.edits import inserted_line

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
DOC = Doc(
    finds="A file without a comment `# yaml-language-server: $schema=...` before its first key.",
    matters="With it, editors complete keys, explain them and mark mistakes as you type.",
    bad="""\
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
otherwise: {continue: true, because: Work goes on}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
""",
    good="""\
# yaml-language-server: $schema=https://exitgate.dev/schemas/policy.schema.json
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
otherwise: {continue: true, because: Work goes on}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
""",
    fix="adds the line at the top",
    whole=True,
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the comment is not there."""
    head = subject.head()
    lines = subject.document.lines
    if any(MARK in lines.line(number) for number in range(1, head.line)):
        return
    schema = shipped.schema("config" if subject.kind == SETTINGS else subject.kind)["$id"]
    line = f"# {MARK} $schema={schema}"
    edit = inserted_line(lines, 1, line)
    yield Finding(f"editors cannot tell that this is a {_noun(subject.kind)}", head, f"add `{line}`", (edit,))


def _noun(kind: str) -> str:
    return f"file of {kind}" if kind == SETTINGS else kind
