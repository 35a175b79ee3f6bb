"""What a run has used up, compared with the limits that rules before an iteration set. Pure."""

from __future__ import annotations

from exitgate.analysis.nearest.played import deciding
from exitgate.engine.record import unread_facts
from exitgate.language.closures import compile_node
from exitgate.language.unparse import unparse
from exitgate.model.value import Value
from exitgate.report.outlook import is_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]
    Ask = Callable[[Node], object]

BEFORE = "before_iteration"
_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}


class Budget(Value):
    """
    One limit.

    Args:
        rule: The rule that ends the run at it.
        fact: What is counted, ``run.cost``.
        value: How much is used.
        limit: How much there is; more than 0.
        type: Type of both, or None.
        setter: The limit as the rule has it: ``$max_cost``, or a constant.
    """

    __slots__ = ("fact", "limit", "rule", "setter", "type", "value")

    def __init__(
        self, rule: str, fact: str, value: float, limit: float, type: Type | None, setter: str
    ) -> None:
        self.rule = rule
        self.fact = fact
        self.value = value
        self.limit = limit
        self.type = type
        self.setter = setter

    @property
    def share(self) -> float:
        """How much of it is used: 0 to 1."""
        return max(0.0, min(1.0, self.value / self.limit))


def budgets(policy: CompiledPolicy, records: Records) -> tuple[Budget, ...]:
    """
    Return the limits of a policy on what a run uses up, in the order of its rules.

    A limit that is not above 0 is none, and one on something unknown is left out; of two on the same
    fact the one that is nearer to its end counts.
    """
    parameters, unread = policy.values(), unread_facts(policy)

    def ask(node: Node) -> object:
        return compile_node(node, parameters, policy.conditions, unread)(records)

    found: dict[str, Budget] = {}
    for rule in deciding(policy, BEFORE):
        for one in _in(rule.id, rule.when, ask, policy):
            known = found.get(one.fact)
            if known is None or one.share > known.share:
                found[one.fact] = one
    return tuple(found.values())


def _in(rule: str, when: Node, ask: Ask, policy: CompiledPolicy) -> Iterator[Budget]:
    for part in when.walk():
        if part.op == "condition" and str(part.args[0]) in policy.conditions:
            yield from _in(rule, policy.conditions[str(part.args[0])], ask, policy)
        if part.op != "compare":
            continue
        sign = str(part.args[0])
        left, right = part.children()
        if not _facts(left):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        names = _facts(left)
        counts = bool(names) and all(map(is_used, names))
        if sign not in (">=", ">") or _facts(right) or not counts:
            continue
        value, limit = ask(left), ask(right)
        if _is_number(value) and _is_number(limit) and limit > 0:  # type: ignore[operator]
            setter = unparse(right) if right.op == "parameter" else ""
            yield Budget(rule, names[0], value, limit, left.type, setter)  # type: ignore[arg-type]


def _facts(node: Node) -> tuple[str, ...]:
    return tuple(str(part.args[0]) for part in node.walk() if part.op in ("fact", "condition"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0
