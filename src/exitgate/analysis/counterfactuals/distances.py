"""How far each comparison of the deciding rules is from what its rule wants of it."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.forecast import GROWING, ITERATIONS, OF_DAY
from exitgate.analysis.counterfactuals.last_iteration import deciding
from exitgate.analysis.results.counterfactual import Distance, distance
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.functions import COUNTING, HISTORY_FORMS, NUMERIC
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import DURATION, Unknown, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]


_ORDERED = frozenset((">=", ">", "<=", "<"))
_NOT = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "==": "!=", "!=": "=="}
_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "==": "==", "!=": "!="}
#: Functions that count how far something has come.
_COUNTS = COUNTING - {"distinct"}
OF = "of"
_INFINITY = float("inf")


def distances(policy: CompiledPolicy, records: Records, stages: Sequence[str]) -> tuple[Distance, ...]:
    """
    Return a distance for each comparison, and history form under way, that keeps a rule from being true.

    Args:
        policy: The policy that decided.
        records: As it saw them, the last one with its derived facts.
        stages: Stages whose enforced rules are looked at.

    A comparison that several rules want is reported once. The nearest come first, by the share that is left;
    what cannot be reported, because a value is not known, comes last.
    """
    reader = _Reader(policy, records)
    found: dict[tuple[str, str, str], Distance] = {}
    for rule in (rule for stage in stages for rule in deciding(policy, stage)):
        if reader.value(rule.when) is True:
            continue
        for one in reader.of(rule.when, True):
            key = one.text, one.wants, str(one.parameter or one.threshold)
            known = found.get(key)
            rules = (*known.rules, rule.id) if known is not None else (rule.id,)
            found[key] = one.but(rules=tuple(dict.fromkeys(rules)))
    return tuple(sorted(found.values(), key=lambda one: one.share))


class _Reader:
    """Reads conditions over some records."""

    def __init__(self, policy: CompiledPolicy, records: Records) -> None:
        self._policy = policy
        self._records = records
        self._parameters = policy.values()
        self._compilation = Compilation(self._parameters, policy.conditions, unread_facts(policy))
        self._values: dict[int, object] = {}

    def value(self, node: Node) -> object:
        """Return what a condition or expression is now."""
        if id(node) not in self._values:  # a node of the policy, which stays
            self._values[id(node)] = self._compilation.recorded(node)(self._records)
        return self._values[id(node)]

    def of(self, node: Node, wanted: bool) -> Iterator[Distance]:
        """Yield the distances of a condition that shall be `wanted`, none where it is."""
        if self.value(node) is wanted:
            return
        if node.op in ("and", "or"):
            parts = list(node.children())
            settled = (part for part in parts if not _reads(part))
            if (node.op == "and") is wanted and any(self.value(part) is not wanted for part in settled):
                return  # a parameter keeps it from being so, no matter what the facts
            for part in parts:
                yield from self.of(part, wanted)
        elif node.op == "not":
            yield from self.of(next(node.children()), not wanted)
        elif node.op == "condition":
            yield from self.of(self._policy.conditions[str(node.args[0])], wanted)
        elif node.op == "between" and wanted:
            yield from self._between(node)
        elif node.op == "compare":
            yield from self._compared(node, wanted)
        elif node.op in HISTORY_FORMS and wanted:
            yield from self._under_way(node, _length(node))

    def _under_way(self, node: Node, length: Node | None) -> Iterator[Distance]:
        """Yield how far a history form has come, where it is under way; `length` says how far it has to."""
        parameter, place = self._setter(length)
        for one in pending(node, self._records, self._parameters, self._policy.conditions):
            left = one.need - one.have
            share = left / one.need
            type_ = DURATION if one.of_time else None
            yield Distance((), one.form, one.have, one.need, type_, OF, parameter, place, left, share)

    def _compared(self, node: Node, wanted: bool) -> Iterator[Distance]:
        sign = str(node.args[0])
        left, right = node.children()
        counting = [side for side in (left, right) if side.op in _COUNTS]
        if counting and wanted and sign in _ORDERED:
            yield from self._under_way(node, right if left is counting[0] else left)
            return
        wants = sign if wanted else _NOT[sign]
        if not _reads(left):
            left, right, wants = right, left, _TURNED[wants]
        if _reads(left) and left.type is not None and left.type.kind in NUMERIC:
            yield from self._held(left, wants, right)

    def _between(self, node: Node) -> Iterator[Distance]:
        value, low, high = node.children()
        here = self.value(value)
        for wants, bound in ((">=", low), ("<=", high)):
            limit = self.value(bound)
            if isinstance(here, Unknown) or isinstance(limit, Unknown) or not _stands(here, wants, limit):
                yield from self._held(value, wants, bound)
                return

    def _held(self, node: Node, wants: str, limit: Node) -> Iterator[Distance]:
        value, threshold = self.value(node), self.value(limit)
        type_ = node.type
        goal = _goal(value, threshold, wants, type_.kind if type_ is not None else "")
        if goal is not None and not self._can_be(node, value, goal):
            return
        gap = None if goal is None else abs(goal - value)  # type: ignore[operator]
        share = 2.0 if goal is None else min(1.0, distance(value, goal))
        parameter, place = self._setter(limit)
        text = unparse(node)
        yield Distance((), text, value, threshold, type_, wants, parameter, place, gap, share)

    def _can_be(self, node: Node, value: object, goal: float) -> bool:
        """Return whether a fact can reach the number: within its range, counters of the run upwards."""
        spec = self._policy.facts.get(str(node.args[0])) if node.op == "fact" else None
        if spec is None:
            return True
        if spec.name == ITERATIONS or spec.name in (*GROWING, *OF_DAY):
            return goal > value  # type: ignore[operator]
        return not (
            (spec.low is not None and goal < spec.low) or (spec.high is not None and goal > spec.high)
        )

    def _setter(self, limit: Node | None) -> tuple[str | None, Location | None]:
        """Return the parameter that a limit is, and who set it; None twice for a constant."""
        if limit is None or limit.op != "parameter":
            return None, None
        name = str(limit.args[0])
        return name, self._policy.parameters[name].place


def _goal(value: object, threshold: object, wants: str, kind: str) -> float | None:
    """Return the nearest number that is to the threshold as wanted, or the border; None for unknown."""
    if not (is_number(value) and is_number(threshold)):
        return None
    assert isinstance(threshold, int | float)
    beyond = 1 if kind == "count" and wants in (">", "<", "!=") else 0
    goal = threshold - beyond if wants == "<" else threshold + beyond
    return goal if -_INFINITY < goal < _INFINITY else None


def _stands(value: object, wants: str, limit: object) -> bool:
    return bool(value >= limit if wants == ">=" else value <= limit)  # type: ignore[operator]


def _reads(node: Node) -> bool:
    return any(part.op in ("fact", "condition") for part in node.walk())


def _length(node: Node) -> Node | None:
    """Return the node that says how many iterations a history form is about."""
    if node.op == "quantified":
        found = node.optional(1) or node.child(2)
    else:
        found = list(node.children())[node.op != "after"]
    return next(found.children()) if found.op == "window" else found
