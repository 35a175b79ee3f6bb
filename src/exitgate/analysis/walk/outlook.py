"""From the conditions of one policy to gates over a run's units."""

from __future__ import annotations

from exitgate.analysis.walk.gates import (
    APART,
    FALSE,
    TRUE,
    AtLeast,
    Both,
    Either,
    Fixed,
    Gate,
    Known,
    Not,
    OrElse,
    Same,
)
from exitgate.analysis.walk.leaves import Computed, FromGate, FromUnit, Input, Leaf, Points
from exitgate.analysis.walk.series import Alike, Counted
from exitgate.engine.record import read_facts, unread_facts
from exitgate.language.closures import compile_node
from exitgate.language.functions import CAP
from exitgate.language.measure import lookback
from exitgate.language.tree import Node
from exitgate.model.type import BOOL
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.units import Region, Units
    from exitgate.policy.compiled import CompiledPolicy, Derived

#: Conditions inside these are facts of their own to the test around them.
_COUNTS = ("streak", "count")
_BY_SIZE = (">=", ">", "<", "<=")
_LOGIC = ("and", "or", "not", "condition", "consecutive", "quantified", "silence")


class Outlook:
    """What the conditions of a policy can be, at each iteration of a run of `units.length`."""

    def __init__(self, policy: CompiledPolicy, units: Units) -> None:
        self.policy = policy
        self._units = units
        self._parameters = policy.values()
        self._unread = unread_facts(policy)
        self._derived = {fact.name: fact for fact in policy.derived}
        self._named: dict[tuple[str, int], Gate] = {}
        self._computed: dict[tuple[str, int], Input] = {}
        self._made: dict[tuple[int, int], tuple[Node, Gate]] = {}

    def gate(self, node: Node, back: int = 0) -> Gate:
        """Return the gate of a boolean node, `back` iterations before the last one."""
        key = (id(node), back)
        if key not in self._made:
            self._made[key] = (node, self._gate(node, back))  # the node is kept, so that its id stays its own
        return self._made[key][1]

    def _gate(self, node: Node, back: int) -> Gate:
        op = node.op
        parts = list(node.children())
        if op == "and":
            return Both([self.gate(part, back) for part in parts])
        if op == "or":
            return Either([self.gate(part, back) for part in parts])
        if op == "not":
            return Not([self.gate(parts[0], back)])
        if op == "condition":
            return self._condition(str(node.args[0]), back)
        if op == "consecutive":
            return self._consecutive(node, back)
        if op == "quantified":
            return self._quantified(node, back)
        if op == "unchanged" or (op == "repeats" and node.args[2] is None):
            return self._alike(node, back)
        if op == "compare" and (counted := self._counted(node, back)) is not None:
            return counted
        if op == "silence":
            return (
                Both([Not([Known([gate])]) for gate in self._said(back)])
                if self._units.width
                else Fixed(TRUE)
            )
        if op in ("known", "unknown") and _is_condition(parts[0]):
            known = Known([self.gate(parts[0], back)])
            return known if op == "known" else Not([known])
        if op == "or_else" and _is_condition(parts[0]):
            return OrElse([self.gate(part, back) for part in parts])
        if op in ("is", "is_not") and any(map(_is_condition, parts)) and all(p.type == BOOL for p in parts):
            same = Same([self.gate(part, back) for part in parts])
            return same if op == "is" else Not([same])
        return self._leaf(node, back)

    def _condition(self, name: str, back: int) -> Gate:
        key = (name, back)
        if key not in self._named:
            self._named[key] = self.gate(self.policy.conditions[name], back)
        return self._named[key]

    def _consecutive(self, node: Node, back: int) -> Gate:
        condition, number = node.children()
        n = self._size(number)
        if back + n > self._units.length:
            return Fixed(FALSE)
        return Both([self.gate(condition, at) for at in range(back, back + n)])

    def _quantified(self, node: Node, back: int) -> Gate:
        quantifier, number, window, condition = node.args
        n = self._size(window)
        backs = range(back, min(back + n, self._units.length))
        parts = [self.gate(condition, at) for at in backs]  # type: ignore[arg-type]
        if quantifier == "any":
            return Either(parts)
        if quantifier == "all":
            return Both(parts)
        if quantifier == "at_least":
            return AtLeast(parts, self._size(number))
        return (
            Not([AtLeast(parts, self._size(number) + 1)]) if back + n <= self._units.length else Fixed(FALSE)
        )

    def _alike(self, node: Node, back: int) -> Gate:
        value, number = node.args[0], node.args[1]
        n = self._size(number) + (node.op == "unchanged")
        if not isinstance(value, Node) or value.op != "fact":
            return self._leaf(node, back)
        if back + n > self._units.length:
            return Fixed(FALSE)
        return Alike([self._inputs(value, at, {})[0] for at in range(back, back + n)])

    def _counted(self, node: Node, back: int) -> Gate | None:
        """Return the gate of a count held against a number by its size, or None for other comparisons."""
        sign, left, right = node.args
        assert isinstance(left, Node)
        assert isinstance(right, Node)
        if left.op not in _COUNTS or right.op not in ("number", "parameter") or sign not in _BY_SIZE:
            return None
        least = float(self._number(right)) + (1 if sign in (">", "<=") else 0)
        window = left.args[-1]
        n = self._size(window) if window is not None else CAP
        backs = range(back, min(back + n, self._units.length))
        condition, skipping = left.args[0], left.args[1] if left.op == "streak" else None
        parts = [self.gate(condition, at) for at in backs]  # type: ignore[arg-type]
        skips = [self.gate(skipping, at) for at in backs] if isinstance(skipping, Node) else []
        counted = Counted(parts, skips, least, left.op == "streak")
        return counted if sign in (">=", ">") else Not([counted])

    def _said(self, back: int) -> list[Gate]:
        """Return for each fact read from the agent's words or deeds a gate that is known where it is."""
        read = set(read_facts(self.policy))
        return [_Presence(FromUnit(self._units, unit, (name,), back))
                for name, (unit, _) in self._units.of.items() if name in read]  # fmt: skip

    def _leaf(self, node: Node, back: int) -> Gate:
        abstract, conditions = _abstracted(node)
        inputs = self._inputs(abstract, back, dict(conditions))
        records = self._records(node, back)
        test = compile_node(abstract, self._parameters, self.policy.conditions, self._unread)
        return Leaf(test, inputs, back, records)

    def _records(self, node: Node, back: int) -> int:
        """Return how many iterations there are for a test to read, up to the most it can."""
        reach = lookback(node, self._parameters, self.policy.conditions)
        return min(self._units.length - back, reach + 1)

    def _inputs(self, node: Node, back: int, conditions: dict[str, Node]) -> list[Input]:
        from exitgate.language.measure import facts_of

        names = facts_of(node, self.policy.conditions)
        found: list[Input] = []
        for at in range(back, back + self._records(node, back)):
            of_unit: dict[int, list[str]] = {}
            for name in sorted(names):
                if name in conditions:
                    found.append(FromGate(name, self.gate(conditions[name], at), at))
                elif name in self._units.of:
                    of_unit.setdefault(self._units.of[name][0], []).append(name)
                elif name in self._derived:
                    found.append(self._derived_fact(self._derived[name], at))
            found += [FromUnit(self._units, unit, tuple(own), at) for unit, own in of_unit.items()]
        return found

    def _derived_fact(self, fact: Derived, back: int) -> Input:
        key = (fact.name, back)
        if key not in self._computed:
            if fact.formula is not None:
                inputs = self._inputs(fact.formula, back, {})
                records = self._records(fact.formula, back)
                formula = compile_node(fact.formula, self._parameters, self.policy.conditions, self._unread)
                self._computed[key] = Computed(fact.name, _clamped(formula, fact), inputs, back, records)
            else:
                rows = [(self.gate(row.when, back), row.add) for row in fact.rows]
                self._computed[key] = Points(fact.name, rows, lambda value: _clamp(value, fact), back)
        return self._computed[key]

    def _size(self, node: object) -> int:
        assert isinstance(node, Node)
        return int(self._number(node))

    def _number(self, node: Node) -> float:
        value = self._parameters[str(node.args[0])] if node.op == "parameter" else node.args[0]
        assert isinstance(value, int | float)
        return value


class _Presence(Gate):
    """A fact as a condition that is true where it is known, and unknown where it is not."""

    def __init__(self, fact: FromUnit) -> None:
        self._fact = fact

    def truths(self, region: Region) -> int:
        """Return TRUE for known values, UNKNOWN for the unknown one."""
        truths = 0
        for (value,) in self._fact.values(region):
            truths |= 4 if isinstance(value, Unknown) else TRUE
        return truths

    def split(self, region: Region, care: int = APART) -> Split:  # noqa: ARG002
        """Return the unknown choice and the known ones."""
        left = region[self._fact.variable]
        unknown = sum(bits & left for (value,), bits in self._fact.groups if isinstance(value, Unknown))
        return self._fact.variable, tuple(bits for bits in (unknown, left & ~unknown) if bits)


def _is_condition(node: Node) -> bool:
    """Return whether a boolean node joins others, so that its parts are looked at by themselves."""
    return node.op in _LOGIC or (node.op in ("or_else",) and any(map(_is_condition, node.children())))


def _abstracted(node: Node) -> tuple[Node, Sequence[tuple[str, Node]]]:
    """Return the test with each condition that it counts as a fact, and these conditions by name."""
    conditions: list[tuple[str, Node]] = []

    def replaced(part: Node, counted: bool) -> Node:
        if counted and part.op != "fact":
            name = f"~{len(conditions)}"
            conditions.append((name, part))
            return Node("fact", (name,), part.start, part.end, BOOL)
        inside = part.op in _COUNTS
        args = tuple(_each(part.args, inside, replaced))
        return Node(part.op, args, part.start, part.end, part.type)  # type: ignore[arg-type]

    return replaced(node, False), conditions


def _each(args: Iterable[object], counted: bool, replaced) -> Iterator[object]:  # type: ignore[no-untyped-def]
    for arg in args:
        is_condition = counted and isinstance(arg, Node) and arg.type == BOOL
        yield replaced(arg, is_condition) if isinstance(arg, Node) else arg


def _clamp(value: float, fact: Derived) -> object:
    if fact.low is not None and value < fact.low:
        value = fact.low
    if fact.high is not None and value > fact.high:
        value = fact.high
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _clamped(formula, fact: Derived):  # type: ignore[no-untyped-def]
    from exitgate.engine.shown import is_finite

    def clamped(records: Sequence[dict[str, object]]) -> object:
        value = formula(records)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if not is_finite(value):
            return Unknown("the formula gives no finite number", fact.name)
        return _clamp(value, fact)

    return clamped
