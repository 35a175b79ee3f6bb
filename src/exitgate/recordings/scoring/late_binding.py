"""
A policy under the many settings of a sweep, compiled for each value once and not for each point.

What a policy is compiled to mostly does not depend on the values of its parameters: conditions and messages
name them, and the engine puts the values in. Where a value does matter to what is compiled (an option of an
extractor, a bound, how far back a window reads, an error), it is found by compiling: each value of the sweep
once, while the others stay as they are. Values that one condition reads together, itself or by way of named
conditions, computed facts and the breaker, are one choice for that.
"""

from __future__ import annotations

from exitgate.core.language.measure import facts_of, lookback, parameters_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.sections.templates import histories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Template

    Settings = Mapping[str, str]
    #: Fields of a compiled policy that have another value, and the parameters that were set.
    Part = tuple[dict[str, object], dict[str, Parameter]]


#: Facts of a policy's own breaker begin with it.
_BREAKER = "circuit."
#: Fields that are put together from all values.
_JOINED = frozenset(("digest", "lookback", "parameters"))


class LateBinding:
    """
    The policies of a sweep.

    Args:
        make: From settings to the policy with them.
        fixed: Settings that all points have.
        swept: The parameters whose values change.
    """

    def __init__(
        self, make: Callable[[Settings], CompiledPolicy], fixed: Settings, swept: Collection[str]
    ) -> None:
        self._make = make
        self._fixed = fixed
        #: The policy with the fixed settings alone.
        self.own = make(fixed)
        self.groups = _groups(self.own, swept)
        self._changed: dict[tuple[tuple[str, str], ...], Part | None] = {}
        self._reach = _Reach(self.own, frozenset(swept))

    def at(self, settings: Settings) -> CompiledPolicy:
        """
        Return the policy with these settings, as compiling it would.

        Its digest is another one. Raises `ExitgateError` for settings that the policy does not take.
        """
        if len(self.groups) < 2:
            return self._make(settings)
        changed: dict[str, object] = {}
        parameters = dict(self.own.parameters)
        for group in self.groups:
            part = self._of_group({name: settings[name] for name in group})
            if part is None or not changed.keys().isdisjoint(part[0]):
                return self._make(settings)  # what is wrong, or two changes in one place: not put together
            changed |= part[0]
            parameters |= part[1]
        values = {name: parameter.value for name, parameter in parameters.items()}
        written = "+".join((self.own.digest, *(f"{name}={text}" for name, text in sorted(settings.items()))))
        return self.own.but(
            parameters=parameters, lookback=self._reach.of(values), digest=written, **changed
        )  # fmt: skip

    def _of_group(self, values: dict[str, str]) -> Part | None:
        """Return what some values change alone, and the parameters; None where the policy refuses them."""
        key = tuple(values.items())
        if key not in self._changed:
            try:
                found = self._make({**self._fixed, **values})
            except ExitgateError:
                self._changed[key] = None
                return None
            fields = ((name, getattr(found, name)) for name in found.__slots__ if name not in _JOINED)
            changed = {name: value for name, value in fields if value != getattr(self.own, name)}
            self._changed[key] = changed, {name: found.parameters[name] for name in values}
        return self._changed[key]


def _groups(policy: CompiledPolicy, swept: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the swept parameters, those together that one tree reads."""
    together = {name: frozenset((name,)) for name in swept}
    for tree in _trees(policy):
        read = _read(policy, tree).intersection(swept)
        joined = frozenset().union(*(together[name] for name in read))
        together |= dict.fromkeys(joined, joined)
    found = dict.fromkeys(together.values())
    return tuple(tuple(name for name in swept if name in group) for group in found)


def _read(policy: CompiledPolicy, tree: Node) -> set[str]:
    """Return the parameters that a tree reads, also by way of computed facts and of the breaker."""
    by_name = {fact.name: fact for fact in policy.derived}
    read: set[str] = set()
    seen: set[str] = set()
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        read |= parameters_of(one, policy.conditions)
        for name in facts_of(one, policy.conditions) - seen:
            seen.add(name)
            if name in by_name:
                waiting += by_name[name].trees()
            if name.startswith(_BREAKER) and policy.breaker is not None:
                waiting += policy.breaker.conditions()
    return read


def _trees(policy: CompiledPolicy) -> Iterator[Node]:
    """Yield every condition and formula, promises included."""
    for rule in policy.rules:
        yield rule.when
        if rule.retry_after is not None:
            yield rule.retry_after
    yield from policy.conditions.values()
    for fact in policy.derived:
        yield from fact.trees()
    if policy.breaker is not None:
        yield from policy.breaker.conditions()
    for invariant in policy.invariants:
        yield invariant.given


def _messages(policy: CompiledPolicy) -> Iterator[Template]:
    yield policy.otherwise_message
    for rule in policy.rules:
        yield from (rule.because, rule.advice, rule.escalation)


class _Reach:
    """How far back a policy reads, by the values of its parameters."""

    def __init__(self, policy: CompiledPolicy, swept: frozenset[str]) -> None:
        self._conditions = policy.conditions
        self._messages = tuple(_messages(policy))
        values = policy.values()
        trees = [(tree, sorted(parameters_of(tree, policy.conditions) & swept)) for tree in _trees(policy)]
        self._least = max([0, *(self._tree(tree, values) for tree, read in trees if not read)])
        self._moving = tuple((tree, read) for tree, read in trees if read)
        self._known: dict[tuple[object, ...], int] = {}

    def of(self, values: Mapping[str, object]) -> int:
        """Return how many earlier iterations any condition or message reads."""
        found = [self._least, *(histories(template, values) for template in self._messages)]
        for number, (tree, read) in enumerate(self._moving):
            key = (number, *(values[name] for name in read))
            if key not in self._known:
                self._known[key] = self._tree(tree, values)
            found.append(self._known[key])
        return max(found)

    def _tree(self, tree: Node, values: Mapping[str, object]) -> int:
        return lookback(tree, values, self._conditions)
