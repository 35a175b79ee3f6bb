"""From failures to what every form of output reads, with the nearest cause of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from exitgate.analysis.counterfactuals.search import counterfactuals
from exitgate.analysis.results.counterfactual import Change
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import written
from exitgate.core.model.decision import Decision
from exitgate.core.model.value import Unknown
from exitgate.report.decision.changes import change_text
from exitgate.report.policy.tests import Miss
from exitgate.testing.cases.case import Failure, Result, Want
from exitgate.testing.cases.parse import WORDINGS
from exitgate.testing.compare import View


def failures_of(result: Result, nearest: bool = True) -> tuple[Miss, ...]:
    """
    Return the expectations of a case that were not met, in the order they were compared.

    What is said of one expectation is not said again of the next at the same iteration. `nearest` is whether
    the nearest cause of each is looked for, which takes much longer than the case itself.
    """
    said: set[tuple[int, str]] = set()
    found = []
    for failure in result.failures:
        want = failure.want
        lines = [] if _follows(want, result) else [*failure.detail, *_nearest(want, result, nearest)]
        why = tuple(line for line in lines if (want.iteration, line) not in said)
        said.update((want.iteration, line) for line in why)
        found.append(_miss(failure, len(result.case.given), why))
    return tuple(found)


def _miss(failure: Failure, iterations: int, why: tuple[str, ...]) -> Miss:
    want = failure.want
    return Miss(
        want.key, want.subject, want.iteration, iterations, want.place, failure.wanted, failure.got, why
    )


def _follows(want: Want, result: Result) -> bool:
    """Return whether it is not met because another rule decided than the one that the case names."""
    return (want.key in DECIDED or want.key in WORDINGS) and any(
        failure.want.key == "rule" and failure.want.value is not None and failure.want is not want
        for failure in result.failures
        if failure.want.iteration == want.iteration
    )


def _nearest(want: Want, result: Result, nearest: bool) -> Iterator[str]:
    view = result.views.get(want.iteration)
    if nearest and view is not None:
        beside = [one for one in result.case.wants if one.iteration == want.iteration]
        yield from causes(want, view, beside)


# The nearest cause of a decision that was not expected: what kept the rule, and what would have made it.

#: Keys of `expect:` that are about what was decided -> the part of a decision.
DECIDED = {"rule": "rule", "verdict": "verdict", "class": "exit_class", "outcome": "outcome"}
#: Changes that are looked through for one that gives what was expected.
CHANGES = 60
#: Parts of a condition that are named.
PARTS = 4


def causes(want: Want, view: View, beside: Iterable[Want] = ()) -> tuple[str, ...]:
    """
    Return lines on what kept the decision from being the wanted one; none for what is not about it.

    First the smallest parts of the wanted rule's condition that are not as they would have to be, then the
    smallest change of a fact or parameter that gives the wanted result: tried on the engine, within bounds.
    `beside` are the expectations of the same iteration: a change that meets all of them comes first.
    """
    if want.key not in DECIDED:
        return ()
    lines = [*_matching_lines(str(want.value), view)] if want.key == "rule" and want.value is not None else []
    wanted = [one for one in beside if one.key in DECIDED]
    fitting = [one for one in _changes(view) if _is_wanted(want, one.decision)]
    if fitting:
        change = max(fitting, key=lambda one: all(_is_wanted(w, one.decision) for w in wanted))
        lines.append(f"nearest: {change_text(change, view.program.policy)}")
    return tuple(lines)


def _changes(view: View) -> tuple[Change, ...]:
    return counterfactuals(view.program, view.records, view.stage, CHANGES)


def _is_wanted(want: Want, decision: Decision) -> bool:
    return bool(getattr(decision, DECIDED[want.key]) == want.value)


def _matching_lines(rule: str, view: View) -> Iterator[str]:
    found = next((r for r in view.program.policy.rules if r.id == rule), None)
    if found is None or view.step(rule) is None:
        return
    parts = UnmetParts(view).parts(found.when)
    if not parts or parts == [found.when]:
        return  # the condition as a whole, which is above
    policy = view.program.policy
    for part in parts[:PARTS]:
        text = written(part, view.records, policy.values(), policy.conditions)
        yield f"prevented by `{text}`, which is {view.truth(part)}"
    if len(parts) > PARTS:
        yield f"and by {len(parts) - PARTS} more"


class UnmetParts:
    """Finds the smallest parts of conditions that are not as they would have to be."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._conditions = view.program.policy.conditions

    def parts(self, node: Node, wanted: bool = True) -> list[Node]:
        """
        Return the parts that keep `node` from being `wanted`, none where it is.

        All of them would have to change; where one of several ways is enough, those of the shortest.
        """
        if self._value(node) is wanted:
            return []
        if node.op == "condition":
            return self.parts(self._conditions[str(node.args[0])], wanted)
        if node.op == "not":
            return self.parts(next(node.children()), not wanted)
        if node.op in ("and", "or"):
            ways = [self.parts(child, wanted) for child in node.children()]
            if (node.op == "and") is wanted:
                return [part for way in ways for part in way]
            return min(ways, key=len)
        return [node]

    def _value(self, node: Node) -> object:
        value = compile_node(node, self._view.program.policy.values(), self._conditions)(self._view.records)
        return None if isinstance(value, Unknown) else value
