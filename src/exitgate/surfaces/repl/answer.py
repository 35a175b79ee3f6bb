"""How a condition came out, part by part, and what it rests on: facts, unknowns, history under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.analysis.second_opinion import word
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.functions import HISTORY
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import value_text, written
from exitgate.core.model.decision import INTERNAL, Pending
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.report.decision.explanation import names_of
from exitgate.report.terminal import Style, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.repl.session import Session

    Records = Sequence[dict[str, object]]

#: Operations whose parts are listed one by one.
_JOINING = ("and", "or", "not")
_COLUMN = 7


def answer(node: Node, session: Session, style: Style) -> list[str]:
    """Return lines on a condition or formula. Raises `ExitgateError` (70) where the evaluators disagree."""
    value = value_of(node, session)
    if node.type is not None and node.type.kind != "bool":
        bare = isinstance(value, Unknown) and value.least is None
        head = "unknown" if bare else safe(value_text(value, node.type))
        lines = [style.paint("unknown" if isinstance(value, Unknown) else "strong", head)]
        lines.append("  " + safe(_written(node, session)))
    else:
        lines = [painted(value, style)]
        lines += (
            "  " + _part(value, depth, text, counts, style)
            for depth, value, text, counts in _parts(node, session, 0)
        )
    return [*lines, *_rests_on(node, session, style), *_unknowns(node, session, style)]


def painted(value: object, style: Style) -> str:
    """Return a truth as a word in its colour."""
    role = "true" if value is True else "unknown" if isinstance(value, Unknown) else "false"
    return style.paint(role, word(value))


def value_of(node: Node, session: Session) -> object:
    """Return the value of a tree now, both evaluators asked. Raises `ExitgateError` (70, EP700)."""
    from exitgate.analysis.reference_evaluator import evaluator

    policy, records = session.policy, session.records
    unread = unread_facts(policy)
    first = compile_node(node, policy.values(), policy.conditions, unread)(records)
    second = evaluator.evaluate(node, records, policy.values(), policy.conditions, unread)
    if word(first) != word(second):
        message = f"the compiled evaluator finds {word(first)}, the reference evaluator {word(second)}"
        help = "this is a bug in exitgate: report it with the policy and the facts"
        raise ExitgateError([Diagnostic("EP700", message, help=help)], INTERNAL)
    return first


def counts_of(node: Node, session: Session) -> tuple[Pending, ...]:
    """Return how far the history forms of a tree have come."""
    return pending(node, session.records, session.policy.values(), session.policy.conditions)


def _parts(node: Node, session: Session, depth: int) -> Iterator[tuple[int, object, str, str]]:
    """Yield each part with its depth, its truth, its text with values, and how far its history has come."""
    value = value_of(node, session)
    below = [session.policy.conditions[str(node.args[0])]] if node.op == "condition" else []
    below += node.children() if node.op in _JOINING else []
    if node.op in HISTORY:
        below += (child for child in node.children() if _is_condition(child))
    counts = "" if below and node.op not in HISTORY else _counts(node, session)
    yield depth, value, _written(node, session), counts
    for child in below:
        yield from _parts(child, session, depth + 1)


def _is_condition(node: Node) -> bool:
    return node.type is not None and node.type.kind == "bool" and node.op not in ("bool", "fact")


def _counts(node: Node, session: Session) -> str:
    return ", ".join(f"pending {one}" for one in counts_of(node, session))


def _written(node: Node, session: Session) -> str:
    return written(node, session.records, session.policy.values(), session.policy.conditions)


def _part(value: object, depth: int, text: str, counts: str, style: Style) -> str:
    blank = " " * (_COLUMN - len(word(value)))
    behind = style.paint("quiet", f"  {counts}") if counts else ""
    return f"{painted(value, style)}{blank} {'  ' * depth}{safe(text)}{behind}"


def _rests_on(node: Node, session: Session, style: Style) -> list[str]:
    names = names_of(node, session.policy)
    width = max(map(len, names), default=0)
    said = [f"  {name:{width}}  {safe(session.track(name))}{_origin(name, session)}" for name in names]
    return [style.paint("quiet", "rests on"), *said] if said else []


def _origin(name: str, session: Session) -> str:
    if name in session.given:
        return ""
    policy = session.policy
    own = policy.breaker is not None and name.startswith("circuit.")
    return "  (computed)" if own or any(fact.name == name for fact in policy.derived) else "  (not given)"


def _unknowns(node: Node, session: Session, style: Style) -> list[str]:
    found = unknowns(node, session.records, session.policy.values(), session.policy.conditions)
    said = [
        f"  {safe(one.origin)}: {safe(one.reason)}" if one.origin else f"  {safe(one.reason)}"
        for one in found
    ]
    return [style.paint("quiet", "unknown because"), *said] if said else []
