"""Lint `window-beyond-bound`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.analysis.lint.needed import iterations_needed, most_iterations
from exitgate.model.diagnostic import WARNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "window-beyond-bound"
TITLE = "a history form that needs more iterations than a run can have"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
DOC = Doc(
    finds="A history form that can only be true after more iterations than the policy's own bound on "
    "`run.iterations` allows.",
    matters="Every run ends before the form can be true. History never reaches into an earlier run, so the "
    "rule or the breaker's condition never fires.",
    bad="""\
rules:
  - id: stalled
    when: tasks.done unchanged for 20 iterations
    exit: stuck
    because: Nothing was ticked in 20 iterations
  - id: iterations_used_up
    when: run.iterations >= 10
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
""",
    good="""\
rules:
  - id: stalled
    when: tasks.done unchanged for 4 iterations
    exit: stuck
    because: Nothing was ticked in 4 iterations
  - id: iterations_used_up
    when: run.iterations >= 10
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
""",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each form written here that needs more iterations than the first bound leaves."""
    bound = most_iterations(subject.policy)
    if bound is None:
        return
    most, rule = bound
    for leaf, tree in subject.conditions:
        for node in tree.walk():
            need = iterations_needed(node, subject.policy)
            if need <= most:
                continue
            message = f"this needs {need} iterations, and `{rule.id}` ends every run after {most}"
            help = "make the window shorter, or raise the bound"
            related = (("ends the run", rule.place),) if rule.place is not None else ()
            yield Finding(message, subject.node_place(leaf, node), help, related=related)
