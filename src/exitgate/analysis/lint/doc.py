"""What the docstring of a lint's module says of it: the page of the lint, with examples that are run."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS, Lint

#: Headings of a docstring, in their order; all but the first two, `BAD` and `GOOD` may be missing.
FINDS, MATTERS, BEFORE, BAD, GOOD = "What it finds", "Why it matters", "Before", "Bad", "Good"
BESIDE, DAY, FIX = "Beside: ", "Day", "What `--fix` does"
#: Behind `BAD` and `GOOD`: nothing is put around the example.
WHOLE = ", whole file"
_HEADING, _FENCE = "## ", "```"


class Doc(Struct, frozen=True):
    """
    The page of a lint.

    Args:
        finds: What it looks for; one sentence or two.
        matters: Why that is worth fixing.
        bad, good: Parts of a file that has the fault, and of the fixed one; `whole` makes files of them, and
            tests run both.
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


def doc_of(lint: Lint) -> Doc:
    """
    Return what a lint's docstring says.

    Raises:
        ValueError: A heading is missing or not known, or Python dropped the docstring (`-OO`).
    """
    sections = dict(_sections(lint.__doc__ or ""))
    whole = BAD + WHOLE in sections
    of_bad, of_good = (BAD + WHOLE, GOOD + WHOLE) if whole else (BAD, GOOD)
    beside = {name for name in sections if name.startswith(BESIDE)}
    odd = sections.keys() - {FINDS, MATTERS, BEFORE, of_bad, of_good, DAY, FIX} - beside
    lacking = {FINDS, MATTERS, of_bad, of_good} - sections.keys()
    if odd or lacking:
        raise ValueError(f"`{lint.ID}`: headings not known {sorted(odd)}, headings missing {sorted(lacking)}")
    return Doc(
        _prose(sections[FINDS]),
        _prose(sections[MATTERS]),
        _example(sections[of_bad]),
        _example(sections[of_good]),
        _prose(sections.get(FIX, [])),
        _prose(sections.get(DAY, [])),
        _example(sections.get(BEFORE, [])),
        tuple(
            (name.removeprefix(BESIDE).strip("`"), _example(lines))
            for name, lines in sections.items()
            if name in beside
        ),
        whole,
    )


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the headings of a docstring, each with the lines below it."""
    heading, fenced = "", False
    lines: list[str] = []
    for line in text.splitlines():
        fenced ^= line.startswith(_FENCE)
        if line.startswith(_HEADING) and not fenced:
            if heading:
                yield heading, lines
            heading, lines = line.removeprefix(_HEADING), []
        else:
            lines.append(line)
    if heading:
        yield heading, lines


def _prose(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _example(lines: list[str]) -> str:
    """Return what is between the fences, with a line end."""
    places = [at for at, line in enumerate(lines) if line.startswith(_FENCE)]
    return "".join(f"{line}\n" for line in lines[places[0] + 1 : places[1]]) if places else ""


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
    if doc_of(lint).whole:
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
