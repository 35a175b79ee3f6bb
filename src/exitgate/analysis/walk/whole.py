"""Runs with what is left out of facts that determine each other."""

from __future__ import annotations

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
