"""What ends every run, and how many iterations a history form needs before it can be true."""

from __future__ import annotations

from math import ceil, inf

from msgspec import Struct

from exitgate.core.language.functions import HISTORY_OPS, PERIODS
from exitgate.core.language.measure import is_chosen, is_timed, reach
from exitgate.core.language.tree import ELAPSED, Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy, Derived, Rule


#: Forms that are false until their window is full.
_FULL = ("after", "unchanged", "consecutive", "declined", "rose")
#: Counts of iterations: at most as many as there are.
_COUNTS = ("streak", "count", "repeated", "occurrences")
#: The sign as it is read from the other side.
MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}
ITERATIONS = "run.iterations"
#: The age of a run, as its clock and its totals have it.
AGES = (ELAPSED, "run.elapsed")


def conjuncts(node: Node, conditions: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the parts that all must be true, named conditions put in their places."""
    if node.op == "and":
        for child in node.children():
            yield from conjuncts(child, conditions)
    elif node.op == "condition":
        yield from conjuncts(conditions[str(node.args[0])], conditions)
    else:
        yield node


def number_of(node: Node, policy: CompiledPolicy) -> float | None:
    """Return the number that a literal is, or the value that a parameter has; None for anything else."""
    value: object = None
    if node.op == "parameter":
        value = policy.parameters[str(node.args[0])].value
    elif node.op in ("number", "percent", "duration", "money"):
        value = node.args[0]
    return value if is_number(value) else None


def compared(node: Node) -> tuple[Node, str, Node] | None:
    """Return left, sign and right of a comparison, what is constant on the right; None for anything else."""
    if node.op != "compare":
        return None
    sign = node.args[0]
    left, right = node.children()
    if left.op in ("number", "percent", "duration", "money", "parameter"):
        return right, MIRRORED[str(sign)], left
    return left, str(sign), right


def iterations_needed(node: Node, policy: CompiledPolicy) -> int:
    """Return how many iterations there must be before this very form can be true; 0 for any other node."""
    if node.op in _FULL and is_chosen(node):
        return 2  # one that is old enough
    if node.op in _FULL:
        return reach(node, policy.values()) + 1
    if node.op == "repeats":
        return _whole(node.args[1], policy)
    if node.op == "quantified" and node.args[0] in ("at_least", "at_most"):
        return _whole(node.args[1 if node.args[0] == "at_least" else 2], policy)
    found = compared(node)
    if found is None or found[0].op not in _COUNTS or found[1] not in (">", ">=", "=="):
        return 0
    limit = number_of(found[2], policy)
    if limit is None:
        return 0
    return int(limit) + 1 if found[1] == ">" else ceil(limit)


def seconds_needed(node: Node, policy: CompiledPolicy) -> int:
    """Return how old a run must be before this very form can be true, in seconds; 0 for any other node."""
    full = node.op in _FULL or (node.op == "quantified" and node.args[0] == "at_most")
    return seconds_back(node, policy) if full else 0


def seconds_back(node: Node, policy: CompiledPolicy) -> int:
    """Return how far back this very form looks in time, in seconds; 0 for any other node."""
    window = next((arg for arg in node.children() if is_timed(arg)), None)
    return 0 if window is None else _whole(window.args[0], policy)


def _whole(node: object, policy: CompiledPolicy) -> int:
    assert isinstance(node, Node)
    if node.op == "window":
        return 0 if is_timed(node) else _whole(node.args[0], policy)
    return int(number_of(node, policy) or 0)


def most_iterations(policy: CompiledPolicy) -> tuple[int, Rule] | None:
    """
    Return the most iterations that a run can have, and the rule that ends it; None without such a bound.

    A bound is an enforced exit whose condition is nothing but `run.iterations` against a number, or that
    and comparisons of parameters, such as `$max_iterations > 0`, which are true.
    """
    found = [
        (ceil(value + 1 if sign == ">" else value), rule)
        for value, sign, rule in _bounds(policy, (ITERATIONS,))
    ]
    return min(found, key=lambda one: one[0], default=None)


def oldest(policy: CompiledPolicy) -> tuple[float, Rule] | None:
    """
    Return the age in seconds at which every run ends, and the rule that ends it; None without such a bound.

    A bound is as for `most_iterations`, on `clock.elapsed` or `run.elapsed`. The iteration in which a run
    becomes so old is its last one, and may take it beyond that.
    """
    found = [(value, rule) for value, _, rule in _bounds(policy, AGES)]
    return min(found, key=lambda one: one[0], default=None)


def _bounds(policy: CompiledPolicy, names: tuple[str, ...]) -> Iterator[tuple[float, str, Rule]]:
    """Yield value, sign and rule of each bound on one of the facts of these names."""
    for rule in ending(policy, ("before_iteration", "after_iteration")):
        limit: tuple[float, str] | None = None
        for part in conjuncts(rule.when, policy.conditions):
            one = compared(part)
            value = number_of(one[2], policy) if one is not None else None
            if one is None or value is None:
                break
            left, sign, _ = one
            if left.op == "fact" and left.args[0] in names and sign in (">", ">="):
                limit = value, sign
            elif not holds(number_of(left, policy), sign, value):
                break
        else:
            if limit is not None:
                yield (*limit, rule)


def ending(policy: CompiledPolicy, stages: tuple[str, ...]) -> Iterator[Rule]:
    """
    Yield the enforced exits that end the run whenever they are true, in the order of the chain.

    Behind a rule that continues an exit may not come to decide; one that waits or was interrupted continues.
    """
    for stage in stages:
        for rule in policy.rules:
            if rule.stage != stage or rule.mode != "enforce":
                continue
            if rule.effect == "continue":
                break
            if rule.effect == "exit" and rule.exit_class not in ("wait", "interrupted"):
                yield rule


def holds(left: float | None, sign: str, right: float) -> bool:
    """Return whether a comparison of two numbers is true; of one that is not known it is not."""
    if left is None:
        return False
    return {
        ">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right, "==": left == right,
        "!=": left != right,
    }[sign]  # fmt: skip


# What the value of a fact can be, as far as its declaration and the rows of points tell.

#: Kind -> smallest and largest value of every fact of it.
_KINDS = {"count": (0.0, inf), "percent": (0.0, 100.0), "duration": (0.0, inf), "number": (-inf, inf)}
_MONEY = (-inf, inf)


class Reach(Struct, frozen=True):
    """Smallest and largest value, infinite where there is no bound; and the same in words."""

    low: float
    high: float
    told: str


def reach_of(name: str, policy: CompiledPolicy) -> Reach | None:
    """Return what a fact can be; None where its type has no order."""
    spec = policy.facts[name]
    if spec.type.kind not in (*_KINDS, "money"):
        return None
    low, high = _KINDS.get(spec.type.kind, _MONEY)
    low = max(low, spec.low) if spec.low is not None else low
    high = min(high, spec.high) if spec.high is not None else high
    points = next((fact for fact in policy.derived if fact.name == name and fact.rows), None)
    if points is None:
        return Reach(low, high, _range_text(low, high))
    least, most = _sums(points)
    low, high = min(max(least, low), high), max(min(most, high), low)
    return Reach(low, high, f"{_range_text(low, high)}, the sum of its points")


def reach_of_count(node: Node, policy: CompiledPolicy) -> Reach | None:
    """Return what a function or form that counts can give; None for anything else."""
    spec = HISTORY_OPS.get(node.op)
    if spec is None or spec.result != "count" or is_timed(node.args[-1]):
        return None
    most = reach(node, policy.values()) + 1
    told = f"at most {most}"
    if node.args[-1] is None:
        told += f": `{spec.name}` looks at {most} iterations without `last N`"
    else:
        told += ", the iterations that it looks at"
    if node.op == "cycles":
        most = max(1, most // PERIODS[0])
        told = f"at most {most}: a sequence has {PERIODS[0]} values or more"
    return Reach(0, most, told)


def _sums(points: Derived) -> tuple[float, float]:
    """Return the least and the most that the rows can add up to."""
    return sum(min(row.add, 0) for row in points.rows), sum(max(row.add, 0) for row in points.rows)


def _range_text(low: float, high: float) -> str:
    if high == inf:
        return f"at least {low:g}" if low != -inf else "any number"
    return f"at most {high:g}" if low == -inf else f"from {low:g} to {high:g}"


# The limits that a fact is compared with in several rules, or in several rows of points.


class Use(Struct, frozen=True):
    """One comparison: `id` of its rule or row, `result` of it, its `order` among them and its `place`."""

    id: str
    order: int
    result: object
    place: Location


class Threshold(Struct, frozen=True):
    """A fact and a limit as texts, with the comparisons by sign (`uses`), each in order."""

    fact: str
    limit: str
    uses: dict[str, list[Use]]


def thresholds(subject: Subject) -> Iterator[Threshold]:
    """
    Yield every limit that is written in this file.

    Rules of one stage belong together, and rows of one fact. Two comparisons meet if everything else that
    their conditions demand is the same.
    """
    stages: dict[str, list[tuple[Use, Node]]] = {}
    for order, (part, rule) in enumerate(subject.rules):
        if rule.effect != "warn" and rule.mode == "enforce":
            use = Use(rule.id, order, (rule.effect, rule.exit_class), part.fields["when"].place)
            stages.setdefault(rule.stage, []).append((use, rule.when))
    for group in stages.values():
        yield from _grouped(group, subject)
    for fact in subject.policy.derived:
        yield from _grouped(_rows(fact, subject), subject)


def _rows(fact: Derived, subject: Subject) -> list[tuple[Use, Node]]:
    """Return the rows of points that this file writes out, in order; none where others change them."""
    written = subject.section("facts").get(fact.name)
    points = written.get("points") if written is not None else None
    if points is None or len(points.items) != len(fact.rows):
        return []
    return [
        (Use(row.because, order, None, part.fields["when"].place), row.when)
        for order, (part, row) in enumerate(zip(points.items, fact.rows, strict=True))
    ]


def _grouped(group: list[tuple[Use, Node]], subject: Subject) -> Iterator[Threshold]:
    found: dict[object, Threshold] = {}
    for use, when in group:
        parts = tuple(conjuncts(when, subject.policy.conditions))
        for part in parts:
            one = compared(part)
            if one is None or one[0].op != "fact":
                continue
            fact, sign, limit = one
            rest = frozenset(other for other in parts if other is not part)
            key = fact, limit, rest
            if key not in found:
                found[key] = Threshold(unparse(fact), unparse(limit), {})
            found[key].uses.setdefault(sign, []).append(use)
    yield from found.values()
