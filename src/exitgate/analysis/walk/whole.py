"""Runs with what is left out of facts that determine each other."""

from __future__ import annotations

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.analysis.walk.unit import Unit
    from exitgate.analysis.walk.units import Units

    Run = tuple[Mapping[str, object], ...]


def whole_run(run: Run, units: Units) -> Run | None:
    """
    Return a run in which facts that determine each other are known together; None where none can be so.

    A small example names only what matters: a share of 80 percent, and not of how many. What it leaves
    out is then some number and no unknown one. Groups of which nothing is known stay as they are.
    """
    groups = [unit for unit in units.tied if len(unit.names) > 1]
    filled = [_filled(values, groups) for values in run]
    return None if None in filled else tuple(values for values in filled if values is not None)


def _filled(values: Mapping[str, object], groups: list[Unit]) -> Mapping[str, object] | None:
    found = dict(values)
    for unit in groups:
        known = [(n, values[name]) for n, name in enumerate(unit.names) if name in values]
        if not known or len(known) == len(unit.names):
            continue
        choice = next((c for c in unit.choices if all(_same(c[n], value) for n, value in known)), None)
        if choice is None:
            return None
        found |= {n: v for n, v in zip(unit.names, choice, strict=True) if not isinstance(v, Unknown)}
    return found


def _same(one: object, other: object) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def plainer(run: Run, units: Units, still: Callable[[Run], bool]) -> Run:
    """Return a run that is `still` an answer, with the first choices that do instead of those it has."""
    for unit in units.tied:
        if len(unit.names) == 1:
            continue
        for had in dict.fromkeys(_choice(values, unit) for values in run):
            if not any(value is not None for value in had):
                continue
            for choice in unit.choices:
                known = {n: v for n, v in zip(unit.names, choice, strict=True) if not isinstance(v, Unknown)}
                if tuple(known.get(name) for name in unit.names) == had:
                    break
                smaller = tuple(
                    {**_without(values, unit), **known} if _choice(values, unit) == had else values
                    for values in run
                )
                if known and still(smaller):
                    run = smaller
                    break
    return run


def _choice(values: Mapping[str, object], unit: Unit) -> tuple[object, ...]:
    return tuple(values.get(name) for name in unit.names)


def _without(values: Mapping[str, object], unit: Unit) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in unit.names}
