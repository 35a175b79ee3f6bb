"""Facts that moved since the iteration before. Pure."""

from __future__ import annotations

from exitgate.ledger.line import facts_from_line
from exitgate.ledger.runs import iteration_of
from exitgate.model.value import Unknown
from exitgate.report.outlook import USED
from exitgate.report.said import is_digest
from exitgate.report.values import value_text
from exitgate.report.width import cut
from exitgate.surfaces.watch.rows import Row

#: Columns of a value, before and now, so that both are seen.
SIDE = 22

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.surfaces.watch.sight import Sight

    Line = Mapping[str, object]


def moved(sight: Sight, order: Sequence[str]) -> tuple[tuple[str, object, object], ...]:
    """
    Return name, value before and value now of each fact that is another than in the iteration before.

    What rules read comes first, in the order `order` of their reading. Facts that count what the run uses
    up always move and are left out; so is what the iteration before did not record. A fact that is
    unknown in both did not move, no matter what the reasons.
    """
    if sight.now is None:
        return ()
    number = iteration_of(sight.now)
    before = next((line for line in reversed(sight.earlier) if iteration_of(line) < number), None)
    if before is None:
        return ()
    then, now = facts_from_line(before), facts_from_line(sight.now)
    names = [*(name for name in order if name in now), *(name for name in now if name not in set(order))]
    return tuple(
        (name, then[name], now[name])
        for name in names
        if name in then and not name.startswith(USED) and not _same(then[name], now[name])
    )


def moved_rows(sight: Sight, order: Sequence[str], policy: CompiledPolicy | None) -> tuple[Row, ...]:
    """Return a row for each fact that moved: ``tasks.done  4 → 5``."""
    found = moved(sight, order)
    widest = min(24, max((len(name) for name, _, _ in found[:8]), default=0))
    rows = []
    for name, before, now in found:
        spec = policy.facts.get(name) if policy is not None else None
        kind = spec.type if spec is not None else None
        old, new = (cut(value_text(value, kind), SIDE) for value in (before, now))
        moved_to = "another" if is_digest(now) else f"{old} → {new}"
        rows.append(Row(f"{name.ljust(widest)}  {moved_to}"))
    return tuple(rows)


def _same(before: object, now: object) -> bool:
    if isinstance(before, Unknown) or isinstance(now, Unknown):
        return isinstance(before, Unknown) and before.like(now)
    return type(before) is type(now) and before == now
