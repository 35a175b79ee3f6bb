"""The smallest change of one parameter, within its bounds, that gives another result."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.last_iteration import LastIteration, deciding
from exitgate.analysis.counterfactuals.search_space import result_of
from exitgate.analysis.counterfactuals.slots import is_same
from exitgate.analysis.results.counterfactual import Change
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.measure import reachable
from exitgate.core.language.problem import LanguageError
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Unknown, is_number
from exitgate.core.policy.compiled import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.counterfactuals.search_space import Result, SearchSpace
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]


#: Values tried for one parameter at most, and whole policies tried with one changed.
VALUES, POLICIES = 24, 60
UNDETERMINED = "undetermined"
_COMPARES = frozenset(("compare", "is", "is_not", "between", "in", "not_in"))
_NUMERIC = frozenset(("count", "number", "percent", "duration", "money"))


def with_parameter(policy: CompiledPolicy, name: str, value: object) -> CompiledPolicy:
    """Return `policy` with another effective value of one parameter."""
    old = policy.parameters[name]
    new = Parameter(name, old.type, value, old.default, old.low, old.high, old.doc, old.place)
    return policy.but(parameters={**policy.parameters, name: new})


def parameter_changes(space: SearchSpace) -> Iterator[Change]:
    """
    Yield for each parameter and each other result the smallest change of that parameter.

    One that says how facts are read from texts is left out: the texts are not here to be read again.
    """
    left = POLICIES
    policy = space.played.policy
    reading = {name for extraction in policy.extractions for name in extraction.parameters}
    trials = _Trials(space)
    for name, parameter in policy.parameters.items():
        if name in reading or not trials.concern(name):
            continue
        reached: set[Result] = {space.result}
        for value in trials.values(parameter):
            expected = trials.expected(name, value)
            if expected in reached:
                continue
            if left == 0:
                return
            left -= 1
            played = trials.played(name, value)
            decision = played.decide(played.whole(space.base))
            if result_of(decision) not in reached:
                reached.add(result_of(decision))
                yield Change(f"${name}", parameter.value, value, decision)


class _Trials:
    """What is tried for parameters: values at which a test turns, where a rule turns with it."""

    def __init__(self, space: SearchSpace) -> None:
        self._played = space.played
        self._policy = space.played.policy
        self._records: Records = (*space.played.earlier, space.whole(space.start))
        self._unread = unread_facts(self._policy)
        self._now_compiled = self._compilation(self._policy.values())
        self._rules = [r for stage in space.played.stages for r in deciding(self._policy, stage)]
        self._named = {rule.id: self._parameters_of([rule.when]) for rule in self._rules}
        self._deeper = self._parameters_of(self._below())
        self._compared = self._all_compared()
        self._truths: dict[str, bool] = {}
        self._result = space.result

    def concern(self, name: str) -> bool:
        """Return whether a deciding rule, or what it rests on, names the parameter."""
        return name in self._deeper or any(name in names for names in self._named.values())

    def values(self, parameter: Parameter) -> tuple[object, ...]:
        """Return the values to try within the bounds, the nearest first."""
        kind = parameter.type.kind
        if kind == "bool":
            return (not parameter.value,)
        if kind == "enum":
            return tuple(m for m in parameter.type.members if m != parameter.value)
        met = list(self._met(parameter.name))
        if kind not in _NUMERIC:
            return tuple(
                v for v in met if type(v) is type(parameter.value) and not is_same(v, parameter.value)
            )
        numbers = [v for v in (*met, parameter.value) if is_number(v)]
        found = {near for value in numbers for near in (value - 1, value, value + 1)}
        if kind == "count":
            found = {int(value) for value in found} | set(range(1, len(self._records) + 1))
        now = parameter.value
        assert isinstance(now, int | float)
        fitting = [value for value in found if value != now and _within(value, parameter)]
        return tuple(sorted(fitting, key=lambda value: (abs(value - now), -value))[:VALUES])

    def expected(self, name: str, value: object) -> Result | None:
        """
        Return what is decided with the value, as far as the rules tell; None where only the engine can.

        A value that no history form can take changes nothing.
        """
        if name in self._deeper:
            return None
        changed = self._compilation({**self._policy.values(), name: value})
        try:
            for stage in self._played.stages:
                for rule in deciding(self._policy, stage):
                    named = name in self._named[rule.id]
                    if self._truth(rule, changed) if named else self._now(rule):
                        if rule.effect == "exit":
                            return EXIT, rule.exit_class
                        break
        except LanguageError:
            return self._result
        return None if self._result[0] == EXIT and self._result[1] == UNDETERMINED else (CONTINUE, None)

    def played(self, name: str, value: object) -> LastIteration:
        """Return the same run with the parameter changed."""
        program = Program(with_parameter(self._policy, name, value))
        return LastIteration(program, self._played.earlier, self._played.stages, self._played.breaker)

    def _now(self, rule: Rule) -> bool:
        if rule.id not in self._truths:
            self._truths[rule.id] = self._truth(rule, self._now_compiled)
        return self._truths[rule.id]

    def _compilation(self, values: Mapping[str, object]) -> Compilation:
        return Compilation(values, self._policy.conditions, self._unread)

    def _truth(self, rule: Rule, compilation: Compilation) -> bool:
        return compilation.recorded(rule.when)(self._records) is True

    def _met(self, name: str) -> Iterator[object]:
        """Yield what the parameter is compared with, as it is now."""
        for other in self._compared.get(name, ()):
            value = self._now_compiled.recorded(other)(self._records)
            if value is not None and not isinstance(value, Unknown):
                yield value

    def _all_compared(self) -> dict[str, list[Node]]:
        """Return for each parameter what it is compared with."""
        found: dict[str, list[Node]] = {}
        trees = [*(rule.when for rule in self._rules), *self._policy.conditions.values(), *self._below()]
        for part in (part for tree in trees for part in tree.walk() if part.op in _COMPARES):
            sides = [one for child in part.children() for one in _listed(child)]
            for side in sides:
                if side.op == "parameter":
                    met = found.setdefault(str(side.args[0]), [])
                    met += [other for other in sides if other is not side]
        return found

    def _below(self) -> list[Node]:
        """Return the trees that computed facts rest on, and those of the breaker where it follows."""
        rows = [row.when for fact in self._policy.derived for row in fact.rows]
        formulas = [fact.formula for fact in self._policy.derived if fact.formula is not None]
        breaker = self._policy.breaker if self._played.breaker is not None else None
        if breaker is None:
            return [*rows, *formulas]
        moves = [node for node in (breaker.watch, breaker.close) if node is not None]
        return [*rows, *formulas, *(opening.when for opening in breaker.openings), *moves]

    def _parameters_of(self, trees: Iterable[Node]) -> frozenset[str]:
        conditions = self._policy.conditions
        found: set[str] = set()
        for tree in trees:
            for one in (tree, *(conditions[n] for n in reachable(tree, conditions) if n in conditions)):
                found |= {str(part.args[0]) for part in one.walk() if part.op == "parameter"}
        return frozenset(found)


def _listed(node: Node) -> Iterable[Node]:
    return node.children() if node.op == "list" else (node,)


def _within(value: float, parameter: Parameter) -> bool:
    kind = parameter.type.kind
    low = 0 if parameter.low is None and kind in ("count", "duration", "percent") else parameter.low
    high = 100 if parameter.high is None and kind == "percent" else parameter.high
    return (low is None or value >= low) and (high is None or value <= high)
