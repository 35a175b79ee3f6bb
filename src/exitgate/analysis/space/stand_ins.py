"""Runs of facts with the values that a policy puts instead of unknown ones."""

from __future__ import annotations

from exitgate.engine.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy


def stood_in(policy: CompiledPolicy, run: Sequence[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """Return the run with `unreadable:` values for facts it lacks: they are known, but were not read."""
    if not policy.unreadable:
        return run
    return [
        Record({**policy.unreadable, **values}, frozenset(policy.unreadable.keys() - values.keys()))
        for values in run
    ]
