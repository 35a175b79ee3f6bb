"""What a lint is and what it finds."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.edits import Edit
    from exitgate.analysis.lint.subject import Subject
    from exitgate.analysis.lint.suppressions import Suppression
    from exitgate.core.model.diagnostic import Location


#: Kinds of files, as `Subject.kind` has them.
POLICY, LEXICON, SETTINGS = "policy", "lexicon", "settings"
EVERY = (POLICY, LEXICON, SETTINGS)


class Finding(Struct, frozen=True):
    """
    One place that a lint objects to.

    Args:
        message: What is wrong: lower case, no full stop, user text in backticks.
        place: Where, in the file that is linted.
        help: What to do about it, one line.
        edits: What `--fix` does, offsets in the file's text; none where a person must choose.
        related: Further places with a word on each.
    """

    message: str
    place: Location
    help: str
    edits: tuple[Edit, ...] = ()
    related: tuple[tuple[str, Location], ...] = ()


class Doc(Struct, frozen=True):
    """
    The page of a lint.

    Args:
        finds: What it looks for; one sentence or two.
        matters: Why that is worth fixing.
        bad, good: Parts of a file that has the fault, and of the fixed one; whole files are made of
            them by `exitgate.analysis.lint.finding`, and tests run both.
        fix: What `--fix` does; empty where it does nothing.
        today: For the examples: the day on which they are linted, ``2027-03-01``.
        earlier: For the examples: a part of the file as it was before.
        beside: For the examples: further files in the folder, name -> text.
        whole: The examples are as they are, nothing is put around them.
    """

    finds: str
    matters: str
    bad: str
    good: str
    fix: str = ""
    today: str = ""
    earlier: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    whole: bool = False


class Lint(Protocol):
    """What a module of a lint offers."""

    #: As people write it: words with hyphens.
    ID: str
    #: One line for lists.
    TITLE: str
    #: ``error``, ``warning`` or ``note``.
    SEVERITY: str
    #: Kinds of files it looks at.
    KINDS: tuple[str, ...]
    #: It looks at the compiled policy, and is left out where there is none.
    COMPILED: bool
    DOC: Doc

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yield what it objects to; pure."""


class Placed(Struct, frozen=True):
    """A finding with the lint that made it, and the suppression that covers it, if one does."""

    lint: str
    severity: str
    finding: Finding
    source: str
    suppression: Suppression | None


# Whole files out of the examples on the pages of lints: what an example leaves out is filled in.

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
