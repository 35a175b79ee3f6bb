"""Names and types of conditions: from what was parsed to checked trees in canonical form."""

from __future__ import annotations

from exitgate.language.problem import LanguageError
from exitgate.language.tree import Node
from exitgate.model.type import BOOL
from exitgate.model.value import Value
from exitgate.policy.conditions import report_problem
from exitgate.policy.fractions import ask_about_condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.problem import Problem
    from exitgate.model.type import Type
    from exitgate.policy.conditions import Spoken
    from exitgate.policy.findings import Findings
    from exitgate.policy.names import Names

#: Problems that say that a name is not declared.
_UNDECLARED = frozenset(("EP401", "EP402", "EP403"))


class Checked(Value):
    """
    A condition that may be evaluated.

    Args:
        node: Typed tree; its offsets belong to `text`.
        text: Canonical text.
        spoken: What it was made from.
        own: For a single text: the typed tree with offsets in the text as written; else None.
    """

    __slots__ = ("node", "own", "spoken", "text")

    def __init__(self, node: Node, text: str, spoken: Spoken, own: Node | None) -> None:
        self.node = node
        self.text = text
        self.spoken = spoken
        self.own = own


def check_condition(
    spoken: Spoken, names: Names, findings: Findings, want: Type | None = BOOL
) -> Checked | None:
    """
    Check names and types of a condition and put it into canonical form.

    Args:
        spoken: What `parse_condition` gave.
        names: What it may name.
        findings: Takes the problems (EP4xx), but none about names declared with an error.
        want: The type it must have; None for any.

    Returns:
        None after an error, or when a name declared with an error is used.
    """
    from exitgate.language.check import check
    from exitgate.language.parse import parse
    from exitgate.language.unparse import unparse

    typed: dict[int, Node] = {}
    for leaf in spoken.leaves():
        assert leaf.node is not None
        try:
            typed[id(leaf)] = node = check(leaf.node, names.scope(), want)
            problems = names.limits(node)
            ask_about_condition(leaf.node, node, leaf.part, findings)
        except LanguageError as error:
            problems = _advised(error, leaf, names, want)
            typed.pop(id(leaf), None)
        for problem in problems:
            if not _follows(problem, leaf.part.text, names):
                report_problem(problem, leaf.part, findings)
        if problems:
            typed.pop(id(leaf), None)
    if len(typed) < sum(1 for _ in spoken.leaves()):
        return None
    text = unparse(_joined(spoken, typed))
    own = typed.get(id(spoken))
    if own is not None and text == spoken.part.text:
        return Checked(own, text, spoken, own)
    try:
        node = check(parse(text), names.scope(), want)
        problems = names.limits(node)
    except LanguageError as error:
        problems = error.problems
    # Each text is in order and the whole is not: it is too long, too deep or too expensive.
    for problem in problems:
        findings.error(problem.code, problem.message, spoken.part.place, problem.help)
    return None if problems else Checked(node, text, spoken, own)


def _advised(error: LanguageError, leaf: Spoken, names: Names, want: Type | None) -> tuple[Problem, ...]:
    from exitgate.language.advice import advised

    return advised(error.problems, leaf.part.text, names.scope(), want)


def _follows(problem: Problem, text: str, names: Names) -> bool:
    """Return whether a problem only follows from an error in the declaration of a name."""
    return problem.code in _UNDECLARED and names.is_broken(text[problem.start : problem.end])


def _joined(spoken: Spoken, typed: dict[int, Node]) -> Node:
    """Return one tree for a tree of texts; nested `and` and `or` are flat, as the parser makes them."""
    if spoken.node is not None:
        return typed[id(spoken)]
    children = [_joined(child, typed) for child in spoken.children]
    if spoken.op == "not":
        return Node("not", (children[0],))
    if len(children) == 1:
        return children[0]
    args: list[Node] = []
    for child in children:
        args += list(child.children()) if child.op == spoken.op else [child]
    return Node(spoken.op, tuple(args))
