"""Both evaluators asked about every rule: they must always agree."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.measure import facts_of, lookback, reachable
from exitgate.core.model.decision import INTERNAL
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.engine.program import Program
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]


#: Codes of this package, one line each; `docs` reads them.
CODES = {"EP700": "the two evaluators disagree: a bug in exitgate"}

#: Inputs of rules on which the evaluators agreed that are remembered; then it begins again.
REMEMBERED = 200_000


def ask_second_opinion(program: Program, records: Records, stage: str) -> None:
    """
    Evaluate every rule of a stage with the reference evaluator too.

    A rule reads its facts as far back as its forms look, and nothing else: with values on which the two
    agreed before, under the same program, it is not evaluated again.

    Args:
        program: The policy with its compiled evaluators.
        records: As for `Program.decide`, computed facts included.
        stage: One of `exitgate.core.model.decision.STAGES`.

    Raises:
        ExitgateError: The evaluators disagree (EP700 for each such rule, exit code 70).
    """
    from exitgate.analysis.reference_evaluator import evaluator

    policy, agreed = program.policy, _agreed_on(program)
    parameters, unread = policy.values(), unread_facts(policy)
    second_of = evaluator.evaluator(records, parameters, policy.conditions, unread)
    wrong = []
    for rule, truth in program.truths(records, stage):
        for what, node in _conditions(rule):
            key = agreed.key(rule, what, node, records)
            if key is not None and key in agreed.on:
                continue
            first = truth if not what else compile_node(node, parameters, policy.conditions, unread)(records)
            second = second_of(node)
            if word(first) == word(second):
                agreed.remember(key)
                continue
            message = (
                f"the compiled evaluator finds {what}rule `{rule.id}` {word(first)}, "
                f"the reference evaluator {word(second)}"
            )
            help = "this is a bug in exitgate: report it with the policy and the facts"
            wrong.append(Diagnostic("EP700", message, rule.place, help))
    if wrong:
        raise ExitgateError(wrong, INTERNAL)


def word(truth: object) -> str:
    """Return a truth or a value as both evaluators must give it; unknowns are all alike."""
    return "unknown" if isinstance(truth, Unknown) else str(truth).lower()


def _conditions(rule: Rule) -> Iterator[tuple[str, Node]]:
    yield "", rule.when
    if rule.retry_after is not None:
        yield "`retry_after` of ", rule.retry_after


class _Agreed:
    """What the evaluators agreed on under one program."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self.on: set[object] = set()
        self._policy = policy
        self._read: dict[tuple[str, str], tuple[tuple[str, ...], int] | None] = {}

    def key(self, rule: Rule, what: str, node: Node, records: Records) -> object:
        """Return what a condition is evaluated on, as a key; None where it cannot be one."""
        asked = rule.id, what
        if asked not in self._read:
            self._read[asked] = self._reads(node)
        read = self._read[asked]
        if read is None:
            return None
        names, reach = read
        return (*asked, *[_comparable(one.get(name)) for one in records[-reach:] for name in names])

    def remember(self, key: object) -> None:
        """Remember a key; None is none."""
        if key is not None:
            if len(self.on) >= REMEMBERED:
                self.on.clear()
            self.on.add(key)

    def _reads(self, node: Node) -> tuple[tuple[str, ...], int] | None:
        """Return the facts of a condition and how many records it reads; None where it reads them all."""
        policy = self._policy
        trees = (node, *(policy.conditions[name] for name in reachable(node, policy.conditions)))
        if any(part.op == "silence" for tree in trees for part in tree.walk()):
            return None
        reach = lookback(node, policy.values(), policy.conditions) + 1
        return tuple(sorted(facts_of(node, policy.conditions))), reach


_AGREED: WeakKeyDictionary[Program, _Agreed] = WeakKeyDictionary()


def _agreed_on(program: Program) -> _Agreed:
    found = _AGREED.get(program)
    if found is None:
        found = _AGREED[program] = _Agreed(program.policy)
    return found


def _comparable(value: object) -> object:
    """Return a value so that only equal ones of one type are the same; unknowns, if their bounds are."""
    if isinstance(value, Unknown):
        return Unknown, value.least, value.most
    kind = value.__class__
    return (kind, value) if kind is not tuple and kind is not list else (kind, *map(_comparable, value))  # type: ignore[call-overload]
