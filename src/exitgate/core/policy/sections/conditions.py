"""Conditions as they are in YAML: texts, and trees of `all:`, `any:` and `not:`, as one tree."""

from __future__ import annotations

from exitgate.core.language.checker.check import limits
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.measure import reads_back
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL, Value
from exitgate.core.policy.condition_cache import CONDITIONS
from exitgate.core.policy.values import ask_about_condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.core.language.problem import Problem
    from exitgate.core.language.tree import Node
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import Parameter
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


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
        self, part: YamlNode, node: Node | None = None, op: str = "", children: tuple[Spoken, ...] = ()
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
    part: YamlNode, findings: Findings, names: Names | None = None, want: Type | None = BOOL
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
    parts = value.items if value.is_sequence else (value,)
    children = [parse_condition(child, findings, names) for child in parts]
    if any(child is None for child in children):
        return None
    return Spoken(part, None, _OPS[key], tuple(child for child in children if child is not None))


def _parse_text(part: YamlNode, findings: Findings, names: Names | None, want: Type | None) -> Node | None:
    comment = part.written.comment() if part.written is not None else None
    try:
        node = CONDITIONS.parse(part.text)
    except LanguageError as error:
        if comment is not None and any(problem.code in _CUT for problem in error.problems):
            _report_cut(part, comment, findings)
        elif names is None:
            report_problems(error.problems, part, findings)
        else:
            from exitgate.core.language.syntax.advice import advised

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


def _report_cut(part: YamlNode, comment: int, findings: Findings) -> None:
    assert part.written is not None
    place = part.written.lines.place(comment)
    help = "put the whole condition in quotes, or move the comment to a line of its own"
    findings.error("EP113", "a comment starts here and cuts off the condition", place, help)


def report_problems(problems: Iterable[Problem], part: YamlNode, findings: Findings) -> None:
    """Report problems of a condition's text at their places in the file."""
    for problem in problems:
        report_problem(problem, part, findings)


def report_problem(problem: Problem, part: YamlNode, findings: Findings) -> None:
    """Report one problem of a condition's text at its place in the file."""
    place = part.place
    if part.written is not None:
        place = part.written.place(problem.start, problem.end)
    findings.error(problem.code, problem.message, place, problem.help)


# Names and types of conditions: from what was parsed to checked trees in canonical form.

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
    from exitgate.core.language.checker.check import check
    from exitgate.core.language.unparse import unparse

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
        node = check(CONDITIONS.parse(text), names.scope(), want)
        problems = names.limits(node)
    except LanguageError as error:
        problems = error.problems
    # Each text is in order and the whole is not: it is too long, too deep or too expensive.
    for problem in problems:
        findings.error(problem.code, problem.message, spoken.part.place, problem.help)
    return None if problems else Checked(node, text, spoken, own)


def _advised(error: LanguageError, leaf: Spoken, names: Names, want: Type | None) -> tuple[Problem, ...]:
    from exitgate.core.language.syntax.advice import advised

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


# The names a policy declares, and those whose declaration is broken.


class Names(Value):
    """
    What conditions and messages may name.

    Args:
        facts: Full name -> spec.
        parameters: By name, without ``$``.
        conditions: Checked trees by name, without ``@``.
        broken: Names that are declared with an error, as conditions write them (``tasks``, ``$max``,
            ``@done``): using them is not a second error.
    """

    __slots__ = ("broken", "conditions", "facts", "parameters")

    def __init__(
        self,
        facts: Mapping[str, FactSpec],
        parameters: Mapping[str, Parameter],
        conditions: Mapping[str, Node],
        broken: Iterable[str] = (),
    ) -> None:
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions
        self.broken = frozenset(broken)

    def scope(self) -> Scope:
        """Return what the checker of the language needs."""
        types = {name: parameter.type for name, parameter in self.parameters.items()}
        return Scope(self.facts, types, self.conditions)

    def is_broken(self, name: str) -> bool:
        """Return whether a name, or the prefix it begins with, is declared with an error."""
        return any(name == other or name.startswith(other + ".") for other in self.broken)

    def limits(self, node: Node) -> tuple[Problem, ...]:
        """Return what the effective values of the parameters make of the limits on a checked condition."""
        if not reads_back(node, self.conditions):
            return ()  # the values change nothing: the checker has held it to the limits
        values = {name: parameter.value for name, parameter in self.parameters.items()}
        return limits(node, values, self.conditions)

    def with_fact(self, name: str, spec: FactSpec | None) -> Names:
        """Return these names and one more fact; None for a broken one."""
        if spec is None:
            return Names(self.facts, self.parameters, self.conditions, self.broken | {name})
        return Names({**self.facts, name: spec}, self.parameters, self.conditions, self.broken)

    def with_condition(self, name: str, node: Node | None) -> Names:
        """Return these names and one more condition; None for a broken one."""
        if node is None:
            return Names(self.facts, self.parameters, self.conditions, self.broken | {"@" + name})
        return Names(self.facts, self.parameters, {**self.conditions, name: node}, self.broken)
