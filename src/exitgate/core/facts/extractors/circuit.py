"""State of a circuit breaker that keeps its own record, such as a loop's state file."""

from __future__ import annotations

from exitgate.core.facts.records import amount, field
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import DURATION, TEXT, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "circuit"
SOURCE = "circuit"

STATES = ("CLOSED", "HALF_OPEN", "OPEN")

#: Option -> fields of the record that are looked at without it.
_FIELDS = {
    "state_fields": ("state", "status", "circuit_status", "circuit_state", "circuit_breaker.state"),
    "reason_fields": ("reason", "trigger_reason", "circuit_breaker.reason"),
    "opened_fields": ("opened_at", "triggered_at", "last_change", "circuit_breaker.opened_at"),
}
_NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}

OPTIONS: dict[str, object] = {
    "absent": {
        "enum": list(STATES),
        "description": "The state if there is no record: a breaker that never wrote one. Without this"
        " option the state is then unknown. It is always unknown if the record cannot be read.",
    },
    "state_fields": {
        **_NAMES,
        "default": list(_FIELDS["state_fields"]),
        "description": "Fields that may hold the state; the first one present counts. Dots enter objects.",
    },
    "reason_fields": {
        **_NAMES,
        "default": list(_FIELDS["reason_fields"]),
        "description": "Fields that may hold the reason.",
    },
    "opened_fields": {
        **_NAMES,
        "default": list(_FIELDS["opened_fields"]),
        "description": "Fields that may hold when it opened: seconds since the epoch or ISO 8601; UTC unless"
        " an offset is given.",
    },
}

_SPECS = (
    FactSpec(
        "state",
        Type("enum", members=STATES),
        "State of the breaker.",
        "without a readable record that names one",
        read=False,
    ),
    FactSpec("reason", TEXT, "Why the breaker is in this state.", "if it gives no reason", read=False),
    FactSpec(
        "opened_for",
        DURATION,
        "Time since the breaker opened.",
        "if it is not open or has no time of opening",
        low=0,
        read=False,
    ),
    FactSpec(
        "opened_at",
        TEXT,
        "The time at which the breaker opened, as recorded.",
        "if it is not recorded",
        read=False,
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts of `specs` from the source's record; unknown with a reason where it has none."""
    given = iteration.source(source)
    record = given.record
    absent = options.get("absent")
    if given.absent and absent is not None:
        state_fact = Fact(f"{prefix}.state", absent, note=given.reason)
        return (state_fact, *(_unknown(f"{prefix}.{spec.name}", given.reason) for spec in _SPECS[1:]))
    if record is None:
        return tuple(_unknown(f"{prefix}.{spec.name}", given.reason) for spec in _SPECS)
    where = f" in {given.path}" if given.path else " of the breaker"
    states, reasons, instants = (options.texts(n) if n in options else of for n, of in _FIELDS.items())
    state, said = _state(record, states)
    reason, opened = _text(record, reasons), _text(record, instants)
    state_fact = (
        _unknown(f"{prefix}.state", f"{said}{where}")
        if state is None
        else Fact(f"{prefix}.state", state, note=said)
    )
    return (
        state_fact,
        Fact(f"{prefix}.reason", reason) if reason else _unknown(f"{prefix}.reason", f"no reason{where}"),
        _opened_for(f"{prefix}.opened_for", state, opened, where, iteration.time),
        Fact(f"{prefix}.opened_at", opened)
        if opened
        else _unknown(f"{prefix}.opened_at", f"no time of opening{where}"),
    )


def _state(record: JsonObject, fields: tuple[str, ...]) -> tuple[str | None, str]:
    """Return the state and where it was read, or None and what is wrong."""
    for name in fields:
        value = field(record, name)
        if value is None:
            continue
        if isinstance(value, str):
            folded = "_".join(value.replace("-", " ").replace("_", " ").upper().split())
            spelled = "HALF_OPEN" if folded == "HALFOPEN" else folded
            if spelled in STATES:
                return spelled, f"field {name}"
            return None, f"`{value[:40]}` in field `{name}` is not a state of a breaker"
        return None, f"field `{name}` holds no text"
    return None, f"no field {' or '.join(f'`{name}`' for name in fields)}"


def _text(record: JsonObject, fields: tuple[str, ...]) -> str:
    for name in fields:
        value = field(record, name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        number = amount(value)
        if number is not None:
            return str(number)
    return ""


def _opened_for(name: str, state: str | None, opened: str, where: str, now: float) -> Fact:
    if state not in ("OPEN", "HALF_OPEN"):
        return _unknown(name, "the breaker is not open")
    if not opened:
        return _unknown(name, f"no time of opening{where}")
    instant = instant_of(opened)
    if instant is None:
        return _unknown(name, f"`{opened[:40]}`{where} is not a time")
    if instant > now:
        return _unknown(name, f"the time of opening{where} is in the future")
    return Fact(name, micro(now - instant))


def instant_of(text: str) -> float | None:
    """
    Return seconds since the epoch for a number of seconds or an ISO 8601 time, or None.

    Numbers of more than eleven digits are milliseconds. A time without an offset is UTC, so that
    the zone of the machine never decides.
    """
    try:
        number = float(text)
    except ValueError:
        from datetime import UTC, datetime

        try:
            moment = datetime.fromisoformat(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    usable = amount(number)
    if usable is None or usable < 0:
        return None
    return usable / 1000 if usable >= 1e11 else float(usable)


def _unknown(name: str, reason: str) -> Fact:
    return Fact(name, Unknown(reason, name))
