"""Values of parameters, one step off; those that only extractors or messages use are left alone."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.kinds.boundary import steps, unit_of
from exitgate.analysis.mutation.mutant import ChangedParameter, Draft
from exitgate.analysis.mutation.sites import mutable
from exitgate.core.language.measure import parameters_of
from exitgate.core.model.display import shown
from exitgate.core.policy.compiled import CompiledPolicy, Parameter

KIND = "boundary"


def of_policy(policy: CompiledPolicy) -> Iterator[Draft]:
    """Yield each parameter with its value one step lower and higher, within its bounds."""
    used = {name for _, tree in mutable(policy) for name in parameters_of(tree, policy.conditions)}
    for parameter in policy.parameters.values():
        if parameter.name in used:
            for value in _others(parameter):
                change = ChangedParameter(parameter.name, value)
                before, after = shown(parameter.value, parameter.type), shown(value, parameter.type)
                yield Draft(f"${parameter.name}", before, after, change, parameter.place)


def _others(parameter: Parameter) -> Iterator[object]:
    value, kind = parameter.value, parameter.type.kind
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, tuple):
        yield from (value[:i] + value[i + 1 :] for i in range(len(value)) if len(value) > 1)
    elif isinstance(value, int | float):
        size = unit_of(value) if kind == "duration" else 0
        moved = (value - size, value + size) if size else steps(value)
        high = 100 if kind == "percent" and parameter.high is None else parameter.high
        low = max(parameter.low or 0, 0)
        yield from (one for one in moved if low <= one and (high is None or one <= high))
