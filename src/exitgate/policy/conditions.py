"""Conditions as they are in YAML: texts, and trees of `all:`, `any:` and `not:`, as one tree."""

from __future__ import annotations

from exitgate.language.problem import LanguageError
from exitgate.model.type import BOOL
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.language.problem import Problem
    from exitgate.language.tree import Node
    from exitgate.model.type import Type
    from exitgate.policy.findings import Findings
    from exitgate.policy.names import Names
    from exitgate.policy.part import Part

_OPS = {"all": "and", "any": "or", "not": "not"}

#: Codes of syntax problems that a text cut short has.
_CUT = frozenset(("EP301", "EP308", "EP310", "EP314"))


class Spoken(Value):
    """
    A condition that was parsed and not yet checked.

    A text has `node`, and `part` is the scalar its offsets belong to. A tree has `op` (``and``,
    ``or``, ``not``) and `children`; `part` is the mapping.
    """

    __slots__ = ("children", "node", "op", "part")

    def __init__(
        self, part: Part, node: Node | None = None, op: str = "", children: tuple[Spoken, ...] = ()
    ) -> None:
        self.part = part
        self.node = node
        self.op = op
        self.children = children

    def leaves(self) -> Iterator[Spoken]:
        """Yield the texts, from left to right."""
        if self.node is not None:
            yield self
        for child in self.children:
            yield from child.leaves()

    def names(self, op: str) -> set[str]:
        """Return the names used by nodes of an operation: ``fact``, ``parameter`` or ``condition``."""
        return {
            str(node.args[0])
            for leaf in self.leaves()
            if leaf.node is not None
            for node in leaf.node.walk()
            if node.op == op
        }


def parse_condition(
    part: Part, findings: Findings, names: Names | None = None, want: Type | None = BOOL
) -> Spoken | None:
    """
    Parse a condition; report syntax problems (EP3xx) and comments that cut it (EP113).

    Args:
        part: A scalar or a tree of the shape the schema allows.
        findings: Takes the diagnostics, at line and column of the file.
        names: What it may name, as far as that is known: advice is held to types. None before any is.
        want: The type that it must have; None for any.

    Returns:
        The parsed condition, or None after an error.
    """
    if not part.fields:
        node = _parse_text(part, findings, names, want)
        return Spoken(part, node) if node is not None else None
    key, value = next(iter(part.fields.items()))
    parts = value.items if isinstance(value.value, tuple) else (value,)
    children = [parse_condition(child, findings, names) for child in parts]
    if any(child is None for child in children):
        return None
    return Spoken(part, None, _OPS[key], tuple(child for child in children if child is not None))


def _parse_text(part: Part, findings: Findings, names: Names | None, want: Type | None) -> Node | None:
    from exitgate.language.parse import parse

    comment = part.written.comment() if part.written is not None else None
    try:
        node = parse(part.text)
    except LanguageError as error:
        if comment is not None and any(problem.code in _CUT for problem in error.problems):
            _report_cut(part, comment, findings)
        elif names is None:
            report_problems(error.problems, part, findings)
        else:
            from exitgate.language.advice import advised

            report_problems(advised(error.problems, part.text, names.scope(), want), part, findings)
        return None
    if comment is not None and part.written is not None:
        follows = part.written.lines.text[comment + 1 : comment + 2]
        if follows not in ("", " ", "#", "\n", "\r"):
            findings.warning(
                "EP113", "a comment starts here; it is not part of the condition",
                part.written.lines.place(comment),
                "write `# ` with a space for a comment, or put the whole condition in quotes",
            )  # fmt: skip
    return node


def _report_cut(part: Part, comment: int, findings: Findings) -> None:
    assert part.written is not None
    place = part.written.lines.place(comment)
    help = "put the whole condition in quotes, or move the comment to a line of its own"
    findings.error("EP113", "a comment starts here and cuts off the condition", place, help)


def report_problems(problems: Iterable[Problem], part: Part, findings: Findings) -> None:
    """Report problems of a condition's text at their places in the file."""
    for problem in problems:
        report_problem(problem, part, findings)


def report_problem(problem: Problem, part: Part, findings: Findings) -> None:
    """Report one problem of a condition's text at its place in the file."""
    place = part.place
    if part.written is not None:
        place = part.written.place(problem.start, problem.end)
    findings.error(problem.code, problem.message, place, problem.help)
