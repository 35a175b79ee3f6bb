"""The smallest changes that would have given another decision, each seen to work on the engine."""

from __future__ import annotations

from exitgate.analysis.nearest.nearest import nearest
from exitgate.analysis.nearest.parameters import parameter_changes, with_parameter
from exitgate.analysis.nearest.played import Played
from exitgate.analysis.nearest.scene import Scene
from exitgate.analysis.nearest.singles import singles
from exitgate.engine.record import Record
from exitgate.model.outlook import FOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.program import Program
    from exitgate.model.change import Change

    Records = Sequence[Mapping[str, object]]

__all__ = ["counterfactuals", "with_parameter"]


def counterfactuals(
    program: Program, records: Records, stage: str = "after_iteration", limit: int = 8
) -> tuple[Change, ...]:
    """
    Return the changes of one value that would have given another verdict or class, smallest first.

    Args:
        program: The policy that decided.
        records: As it saw them, the last one with its derived facts.
        stage: The stage explained.
        limit: Changes returned at most.

    For each fact, or group of facts that follow from each other, and each parameter the smallest
    change per result is returned. When no single change does it, those of fewest facts are: up to
    three, within the limits of `exitgate.analysis.nearest.search`.
    """
    last = records[-1]
    base = last if isinstance(last, Record) else Record(last)
    scene = Scene(Played(program, records[:-1], (stage,)), base)
    found = [*singles(scene), *parameter_changes(scene)]
    if not found:
        found = [change for one in nearest(scene) if one.status == FOUND for change in one.changes]
    found.sort(key=lambda change: change.effort)
    return tuple(found[:limit])
