"""From the conditions of one policy to gates over a run's variables."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.space.domains import comparisons_of
from exitgate.analysis.space.exactness import goes_further
from exitgate.analysis.space.extremes import over_iterations
from exitgate.analysis.space.reads import is_windowed, reach
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
    Later,
    Not,
    OrElse,
    Same,
)
from exitgate.analysis.walk.history import (
    CYCLES,
    OCCURRENCES,
    REPEATED,
    WITHIN,
    Alike,
    Counted,
    Recurring,
    Total,
    condition_in,
    on_current,
    window_gate,
)
from exitgate.analysis.walk.leaves import (
    Computed,
    Free,
    FreeInput,
    FromCluster,
    FromGate,
    Input,
    Leaf,
    Points,
    Sum,
)
from exitgate.core.engine.record import read_facts, unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.functions import CAP, COUNTING_TRUE
from exitgate.core.language.measure import facts_of, is_chosen, lookback
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL, Unknown
from exitgate.core.policy.points import clamp_formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.space.domains import Comparisons
    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.leaves import Closure
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.policy.compiled import CompiledPolicy, Derived


#: Conditions inside these are facts of their own to the test around them.
#: The same over a time or per key; over iterations they are gates of their own.
_EACH = ("consecutive", "quantified")
_BY_SIZE = (">=", ">", "<", "<=")
_LOGIC = ("and", "or", "not", "condition", "after", "consecutive", "quantified", "silence")


class AbstractPolicy:
    """What the conditions of a policy can be, at each iteration of a run of `variables.length`."""

    def __init__(
        self,
        policy: CompiledPolicy,
        variables: Variables,
        free: bool = False,
        met: Callable[[], Comparisons] | None = None,
    ) -> None:
        self.policy = policy
        self._free = free
        self._met = met or (lambda: comparisons_of(variables.policies, ()))
        self._variables = variables
        self.length = variables.length
        number = next(n for n, one in enumerate(variables.policies) if one is policy)
        self._called = variables.called[number]
        self._parameters = policy.values()
        self._unread = unread_facts(policy)
        self._derived = {fact.name: fact for fact in policy.derived}
        self._named: dict[tuple[str, int], Gate] = {}
        self._computed: dict[tuple[str, int], Input] = {}
        self._made: dict[tuple[int, int], tuple[Node, Gate]] = {}
        self._tests: dict[int, _Test] = {}
        self._read: dict[tuple[int, tuple[str, ...], int], FromCluster] = {}
        self._measured: dict[int, tuple[Node, int, tuple[str, ...]]] = {}

    def gate(self, node: Node, back: int = 0) -> Gate:
        """Return the gate of a boolean node, `back` iterations before the last one."""
        key = (id(node), back)
        if key not in self._made:
            extreme = over_iterations(node, self.policy.derived)
            made = self._gate(node, back) if extreme is None else self.gate(extreme, back)
            self._made[key] = (node, made)  # the node is kept, so that its id stays its own
        return self._made[key][1]

    def _gate(self, node: Node, back: int) -> Gate:
        op = "" if is_chosen(node) else node.op
        parts = list(node.children())
        if op in ("and", "or"):
            # what reads less far back is split first: it settles most regions with fewer parts
            parts.sort(key=lambda part: self._measure(part)[1])
            gates = [self.gate(part, back) for part in parts]
            return Both(gates) if op == "and" else Either(gates)
        if op == "not":
            return Not([self.gate(parts[0], back)])
        if op == "condition":
            return self._condition(str(node.args[0]), back)
        if op == "consecutive":
            return self._consecutive(node, back)
        if op == "after":
            return Fixed(TRUE if back + self._size(parts[0]) <= self._variables.length else FALSE)
        if op == "quantified":
            return self._quantified(node, back)
        if op == "unchanged" or (op == "repeats" and node.args[2] is None):
            return self._alike(node, back)
        if op == "compare" and (counted := self._counted(node, back)) is not None:
            return counted
        if op == "silence":
            return (
                Both([Not([Known([gate])]) for gate in self._said(back)])
                if self._variables.width
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

    def _later(self, node: Node, back: int) -> Gate:
        """Return a gate that is made when it is first asked: of a long window most never are."""
        made = self._made.get((id(node), back))
        return made[1] if made is not None else Later(lambda: self.gate(node, back))

    def _condition(self, name: str, back: int) -> Gate:
        key = (name, back)
        if key not in self._named:
            self._named[key] = self.gate(self.policy.conditions[name], back)
        return self._named[key]

    def _consecutive(self, node: Node, back: int) -> Gate:
        condition, number = node.children()
        n = self._size(number)
        if back + n > self._variables.length:
            return Fixed(FALSE)
        return Both([self._later(condition, at) for at in range(back, back + n)])

    def _quantified(self, node: Node, back: int) -> Gate:
        quantifier = node.args[0]
        n = self._size(node.child(2))
        backs = range(back, min(back + n, self._variables.length))
        parts = [self._later(node.child(3), at) for at in backs]
        if quantifier == "any":
            return Either(parts)
        if quantifier == "all":
            return Both(parts)
        if quantifier == "at_least":
            return AtLeast(parts, self._size(node.child(1)))
        return (
            Not([AtLeast(parts, self._size(node.child(1)) + 1)])
            if back + n <= self._variables.length
            else Fixed(FALSE)
        )

    def _alike(self, node: Node, back: int) -> Gate:
        value = node.child(0)
        n = self._size(node.child(1)) + (node.op == "unchanged")
        if value.op != "fact":
            return self._leaf(node, back)
        if back + n > self._variables.length:
            return Fixed(FALSE)
        return Alike([self._inputs(value, at, {})[0] for at in range(back, back + n)])

    def _counted(self, node: Node, back: int) -> Gate | None:
        """Return the gate of a count compared with a number by its size, or None for other comparisons."""
        sign = node.args[0]
        left, right = node.children()
        if left.op not in COUNTING_TRUE or right.op not in ("number", "parameter") or sign not in _BY_SIZE:
            return None
        if is_chosen(left):
            return None
        least = float(self._number(right)) + (1 if sign in (">", "<=") else 0)
        window = left.optional(-1)
        n = self._size(window) if window is not None else CAP
        backs = range(back, min(back + n, self._variables.length))
        condition, skipping = left.child(0), left.optional(1) if left.op == "streak" else None
        parts = [self._later(condition, at) for at in backs]
        skips = [] if skipping is None else [self._later(skipping, at) for at in backs]
        counted = Counted(parts, skips, least, left.op == "streak")
        return counted if sign in (">=", ">") else Not([counted])

    def reads(self, name: str) -> bool:
        """Return whether some value of the fact `name` is looked at."""
        return name in self._variables.of

    def _said(self, back: int) -> list[Gate]:
        """Return for each fact read from the agent's words or deeds a gate that is known where it is."""
        read = set(read_facts(self.policy))
        return [_Presence(FromCluster(self._variables, cluster, (name,), back, {}, {}))
                for name, (cluster, _) in self._variables.of.items() if name in read]  # fmt: skip

    def _leaf(self, node: Node, back: int) -> Gate:
        if id(node) not in self._tests:
            abstract, conditions = _abstracted(node)
            test = compile_node(abstract, self._parameters, self.policy.conditions, self._unread)
            self._tests[id(node)] = _Test(node, abstract, dict(conditions), test)
        made = self._tests[id(node)]
        inputs = self._inputs(made.abstract, back, made.conditions)
        records = self._records(node, back)
        if self._free and is_windowed(node):
            return self._window(made, inputs, back)
        if self._free and goes_further(node, self.policy, self._met):
            return Free(Leaf(made.test, inputs, back, records), inputs)
        if all(isinstance(one, FromCluster) and len(one.names) == 1 for one in inputs):
            form = recurring(node)
            if form is not None:
                return Recurring(made.test, inputs, back, records, form[0], self._number(form[1]))
            if is_total(node):
                return Total(made.test, inputs, back, records)
        return Leaf(made.test, inputs, back, records)

    def _window(self, made: _Test, inputs: Sequence[Input], back: int) -> Gate:
        here, node, inner = [one for one in inputs if one.back == back], made.node, condition_in(made.node)
        now = None if inner is None else self.gate(inner, back)
        reads_back = reach(self.policy, made.abstract, windows=False) > 0
        alone = None if reads_back else Leaf(on_current(node, made.test), here, back, 1)
        return window_gate(node, here, now, alone, self._size)

    def _records(self, node: Node, back: int) -> int:
        """Return how many iterations there are for a test to read, up to the most it can."""
        return min(self._variables.length - back, self._measure(node)[1] + 1)

    def _measure(self, node: Node) -> tuple[Node, int, tuple[str, ...]]:
        """Return the node, how many earlier iterations it reads, and which facts."""
        key = id(node)
        if key not in self._measured:
            conditions = self.policy.conditions
            names = tuple(sorted(facts_of(node, conditions)))
            self._measured[key] = (node, lookback(node, self._parameters, conditions), names)
        return self._measured[key]

    def _inputs(self, node: Node, back: int, conditions: Mapping[str, Node]) -> list[Input]:
        names = self._measure(node)[2]
        found: list[Input] = []
        for at in range(back, back + self._records(node, back)):
            of_cluster: dict[int, list[str]] = {}
            for name in names:
                if name in conditions:
                    found.append(FromGate(name, self.gate(conditions[name], at), at))
                elif self._called.get(name, name) in self._variables.of:
                    cluster = self._variables.of[self._called.get(name, name)][0]
                    of_cluster.setdefault(cluster, []).append(name)
                elif name in self._derived:
                    found.append(self._derived_fact(self._derived[name], at))
            found += [self._from_cluster(cluster, tuple(own), at) for cluster, own in of_cluster.items()]
        return found

    def _from_cluster(self, cluster: int, names: tuple[str, ...], back: int) -> FromCluster:
        key = (cluster, names, back)
        if key not in self._read:
            self._read[key] = FromCluster(
                self._variables, cluster, names, back, self._called, self.policy.unreadable
            )
        return self._read[key]

    def _derived_fact(self, fact: Derived, back: int) -> Input:
        key = (fact.name, back)
        if key not in self._computed:
            if fact.formula is not None:
                inputs = self._inputs(fact.formula, back, {})
                records = self._records(fact.formula, back)
                formula = compile_node(fact.formula, self._parameters, self.policy.conditions, self._unread)
                computed = Computed(fact.name, _within(formula, fact), inputs, back, records)
                self._computed[key] = FreeInput(computed, inputs) if self._free else computed
            else:
                self._computed[key] = self._points(fact, back)
        return self._computed[key]

    def sums(self, back: int) -> list[Sum]:
        """Return for each points fact with a cluster a gate that is true where its rows give its value."""
        found = []
        for fact in self.policy.derived:
            name = self._called.get(fact.name, "")
            if fact.rows and name in self._variables.of:
                said = self._from_cluster(self._variables.of[name][0], (fact.name,), back)
                found.append(Sum(said, self._points(fact, back)))
        return found

    def _points(self, fact: Derived, back: int) -> Points:
        return Points(fact, [self._later(row.when, back) for row in fact.rows], back)

    def _size(self, node: Node) -> int:
        return int(self._number(node))

    def _number(self, node: Node) -> float:
        value = self._parameters[str(node.args[0])] if node.op == "parameter" else node.args[0]
        assert isinstance(value, int | float)
        return value


def recurring(node: Node) -> tuple[str, Node] | None:
    """Return form and number of a test that wants the current value to come back; None for others."""
    if node.op == "repeats":
        value, number = node.child(0), node.child(1)
        if node.args[2] is None or value.op != "fact" or not _is_number(number) or is_chosen(node):
            return None
        return node.op, number
    if node.op != "compare" or node.args[0] not in (">=", ">"):
        return None
    left, right = node.children()
    if is_chosen(left):
        return None
    if left.op in (CYCLES, OCCURRENCES, REPEATED) and left.child(0).op == "fact" and _is_number(right):
        windowed = left.op == REPEATED and len(left.args) > 1 and left.args[1] is not None
        return (WITHIN if windowed else left.op), right
    return None


def is_total(node: Node) -> bool:
    """Return whether a test compares a sum or an average of one fact with a number by its size."""
    if node.op != "compare" or node.args[0] not in _BY_SIZE:
        return False
    left, right = node.children()
    summed = left.op in ("sum", "average") and not is_chosen(left)
    return summed and left.child(0).op == "fact" and _is_number(right)


def _is_number(node: Node) -> bool:
    return node.op in ("number", "parameter")


class _Test(Struct, eq=False):
    """A test compiled once for all iterations; the node is kept, so that its id stays its own."""

    node: Node
    abstract: Node
    conditions: dict[str, Node]
    test: Closure


class _Presence(Gate):
    """A fact as a condition that is true where it is known, and unknown where it is not."""

    def __init__(self, fact: FromCluster) -> None:
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
        inside = part.op in COUNTING_TRUE or (part.op in _EACH and is_chosen(part))
        args = tuple(_each(part.args, inside, replaced))
        return Node(part.op, args, part.start, part.end, part.type)  # type: ignore[arg-type]

    return replaced(node, False), conditions


def _each(args: Iterable[object], counted: bool, replaced) -> Iterator[object]:  # type: ignore[no-untyped-def]
    for arg in args:
        is_condition = counted and isinstance(arg, Node) and arg.type == BOOL
        yield replaced(arg, is_condition) if isinstance(arg, Node) else arg


def _within(formula: Closure, fact: Derived) -> Closure:
    """Return a formula whose values are those of its fact."""
    return lambda records: clamp_formula(formula(records), fact)
