"""Whole files out of the examples on the pages of lints: what an example leaves out is filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS

if TYPE_CHECKING:
    from exitgate.analysis.lint.finding import Lint

_HEAD = "# yaml-language-server: $schema={kind}.schema.json\n"
#: Put among the rules that an example writes, where none of them bounds the loop.
_BOUND = (
    "  - id: iterations_used_up\n"
    "    when: run.iterations >= 50\n"
    "    exit: exhausted\n"
    "    stage: before_iteration\n"
    '    because: "{run.iterations} iterations are enough"\n'
)
#: Kind -> sections, each of which an example may write itself.
_SECTIONS: dict[str, tuple[str, ...]] = {
    POLICY: (
        "policy: example\n",
        "format: 1\n",
        "version: 1.0.0\n",
        "title: An example\n",
        "doc: Ends a run when its plan is done or its iterations are used up.\n",
        "facts:\n  tasks: {extract: checklist, from: plan}\n",
        "rules:\n"
        "  - id: plan_done\n"
        "    when: tasks.complete\n"
        "    exit: complete\n"
        "    because: Every task of the plan is done\n" + _BOUND,
        "otherwise: {continue: true, because: Work continues}\n",
        "undetermined: {exit_after: 5}\n",
        "invariants:\n  - {id: silence_never_exits, given: nothing is known, never: exit}\n",
    ),
    LEXICON: (
        "lexicon: example\n",
        "format: 1\n",
        "title: An example\n",
        "entries:\n"
        "  - id: all-tasks-done\n"
        "    phrase: all tasks are done\n"
        "    examples: [All tasks are done.]\n"
        "    counterexamples: [Not all tasks are done.]\n",
    ),
    SETTINGS: ("exit_decision:\n  policy: bb3\n",),
}


def whole(lint: Lint, part: str) -> str:
    """
    Return the file of an example: `part`, with the sections it does not write put around it.

    The kind of file is the first of the lint's kinds.
    """
    if lint.DOC.whole:
        return part
    kind = lint.KINDS[0]
    if kind == POLICY and "run." not in part:
        part = part.replace("rules:\n", f"rules:\n{_BOUND}", 1)
    written = {line.partition(":")[0] for line in part.splitlines() if line[:1].isalpha()}
    if "rules" in written and "tasks" not in part:
        written.add("facts")  # the facts of the rules that are written instead
    sections = [s for s in _SECTIONS[kind] if s.partition(":")[0] not in written]
    before = [s for s in sections if s.partition(":")[0] in _FIRST]
    after = [s for s in sections if s.partition(":")[0] not in _FIRST]
    head = _HEAD.format(kind="config" if kind == SETTINGS else kind)
    return head + "".join(before) + part + "".join(after)


#: Sections before those that an example writes.
_FIRST = frozenset(("policy", "lexicon", "format", "version", "title", "doc"))
