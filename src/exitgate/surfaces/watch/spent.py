"""What the run has used up: against its budgets as bars, the rest as plain numbers. Pure."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.type import COUNT, DURATION, Type
from exitgate.surfaces.watch.parts import instant, part
from exitgate.surfaces.watch.rows import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.surfaces.watch.budgets import Budget
    from exitgate.surfaces.watch.sight import Sight

BAR = 20
FULL, EMPTY = "█", "░"
#: Shares of a budget from which its row is painted.
_WARNED, _USED_UP = 0.8, 1.0
#: Facts that go on growing while nothing is written.
_TIME = ("run.elapsed", "clock.elapsed")


def used_rows(sight: Sight, budgets: Sequence[Budget], silent: float) -> tuple[Row, ...]:
    """
    Return a row for each budget, then one for each total of the run that has none.

    Args:
        sight: Of the run.
        budgets: Its limits.
        silent: Seconds since its last line, which count as used where the run continues.
    """
    widest = max((len(one.fact) for one in budgets), default=0)
    rows = []
    for one in budgets:
        now = one.but(value=one.value + silent) if one.fact in _TIME and not sight.over else one
        rows.append(_row(now, widest))
    told = {one.fact for one in budgets}
    plain = [
        f"{name} {shown(value, kind)}"
        for name, kind in _totals()
        if f"run.{name}" not in told and (value := instant(part(sight.now, "totals"), name)) is not None
    ]
    return (*rows, Row(", ".join(plain), "quiet")) if plain else tuple(rows)


def bar(share: float) -> str:
    """Return a bar of `BAR` cells; a share above 0 fills at least one, and only a whole one fills all."""
    filled = BAR if share >= 1 else min(BAR - 1, max(int(share * BAR), 1 if share > 0 else 0))
    return FULL * filled + EMPTY * (BAR - filled)


def _row(one: Budget, widest: int) -> Row:
    whole = one.type is not None and one.type.kind == "duration"
    value = float(int(one.value)) if whole else one.value
    setter = f" ({one.setter})" if one.setter else ""
    amount = f"{shown(value, one.type)} of {shown(one.limit, one.type)}"
    text = f"{one.fact.ljust(widest)}  {bar(one.share)}  {amount}"
    role = "trouble" if one.share >= _USED_UP else "warning" if one.share >= _WARNED else ""
    return Row(text + setter, role)


def _totals() -> tuple[tuple[str, Type], ...]:
    """Return the totals of a run that are reported, each with its type."""
    return (
        ("iterations", COUNT),
        ("elapsed", DURATION),
        ("cost", Type("money", currency="USD")),
        ("tokens", COUNT),
    )
