"""Lint `missing-otherwise-message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.model.diagnostic import NOTE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "missing-otherwise-message"
TITLE = "nothing is said when no rule decides"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True
DOC = Doc(
    finds="A policy, with what it extends, whose `otherwise:` has no `because:`.",
    matters="Most iterations end without a rule. A line that says so, with a number that moves, is "
    "what people see of a policy most of the time.",
    bad="otherwise: continue\n",
    good="""\
otherwise: {continue: true, because: "Iteration {run.iterations}: nothing ends the run"}
""",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the default decision has no message."""
    if subject.policy.otherwise_message:
        return
    otherwise = subject.root.get("otherwise")
    place = otherwise.label if otherwise is not None else subject.head()
    help = 'write `otherwise: {continue: true, because: "..."}`'
    yield Finding("nothing is said when no rule decides", place, help)
