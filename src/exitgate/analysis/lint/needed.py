"""What ends every run, and how many iterations a history form needs before it can be true."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from exitgate.language.measure import is_chosen, is_timed, reach
from exitgate.language.tree import ELAPSED, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.policy.compiled import CompiledPolicy, Rule

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
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def compared(node: Node) -> tuple[Node, str, Node] | None:
    """Return left, sign and right of a comparison, what is constant on the right; None for anything else."""
    if node.op != "compare":
        return None
    sign, left, right = node.args
    assert isinstance(left, Node)
    assert isinstance(right, Node)
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
