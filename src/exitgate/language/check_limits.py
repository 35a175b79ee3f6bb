"""Limits on what a whole condition may read and cost."""

from __future__ import annotations

from exitgate.language.functions import WINDOW_LIMIT
from exitgate.language.measure import (
    COST_LIMIT,
    EXPANDED_DEPTH_LIMIT,
    LOOKBACK_LIMIT,
    measures,
    sizes_of,
    spans_of,
)
from exitgate.language.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.language.tree import Node


def limits(
    node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]
) -> tuple[Problem, ...]:
    """
    Return the problems of a checked condition that depend on the values of parameters.

    Args:
        node: A checked tree.
        parameters: Effective values by name; of every parameter that the condition uses.
        conditions: Named conditions by name.

    Returns:
        EP414 and EP416 for a parameter that gives a number of iterations, or a time, out of bounds, else
        EP416, EP418 and EP419 for a condition that reads too far back, costs or nests too much.
    """
    problems = [problem for size in sizes_of(node) if (problem := _size_problem(size, parameters))]
    problems += [problem for span in spans_of(node) if (problem := _span_problem(span, parameters))]
    if problems:
        return tuple(problems)
    named = "use fewer iterations, or fewer windows within one another"
    back, dear, deep = measures(node, parameters, conditions)
    if back > LOOKBACK_LIMIT:
        message = f"the condition reads {back} iterations back; {LOOKBACK_LIMIT} is the limit"
        problems.append(Problem("EP416", message, node.start, node.end, named))
    if dear > COST_LIMIT:
        message = f"the condition looks at up to {_rounded(dear)} tests and values; {COST_LIMIT} is the limit"
        help_ = "use smaller windows, or give the inner part a name as a fact with a `formula:`"
        problems.append(Problem("EP418", message, node.start, node.end, help_))
    if deep > EXPANDED_DEPTH_LIMIT:
        message = f"with its named conditions it is {deep} levels deep; {EXPANDED_DEPTH_LIMIT} is the limit"
        help_ = "use fewer levels of conditions"
        problems.append(Problem("EP419", message, node.start, node.end, help_))
    return tuple(problems)


def _size_problem(size: Node, parameters: Mapping[str, object]) -> Problem | None:
    if size.op != "parameter":
        return None
    value = parameters[str(size.args[0])]
    assert isinstance(value, (int, float))
    if value < 1 or value != int(value):
        message = f"`${size.args[0]}` is {value}, but it counts iterations or times here"
        return Problem("EP414", message, size.start, size.end, "give the parameter `min: 1`")
    if value > WINDOW_LIMIT:
        message = f"`${size.args[0]}` is {value}; a condition may look back {WINDOW_LIMIT} iterations"
        return Problem("EP416", message, size.start, size.end, f"give the parameter `max: {WINDOW_LIMIT}`")
    return None


def _span_problem(span: Node, parameters: Mapping[str, object]) -> Problem | None:
    if span.op != "parameter" or parameters[str(span.args[0])] > 0:  # type: ignore[operator]
        return None
    message = f"`${span.args[0]}` is no longer than 0s, but a condition looks back that far"
    return Problem("EP414", message, span.start, span.end, "give the parameter `min: 1s`")


def _rounded(number: int) -> str:
    return str(number) if number < 10**12 else "more than 10^12"
