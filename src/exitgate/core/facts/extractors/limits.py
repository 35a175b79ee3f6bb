"""How much of its limits the agent has used up, as its own program reports it."""

from __future__ import annotations

from exitgate.core.facts.extractors.infrastructure import REJECTED
from exitgate.core.facts.records import amount
from exitgate.core.facts.turn import retry_time
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import JsonObject, object_or_none, objects_of
from exitgate.core.model.value import DURATION, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration


NAME = "limits"
SOURCE = "result"
OPTIONS: dict[str, object] = {}

FULL = 100
#: The words of programs for how a limit is.
_STATUSES = {
    "allowed": "ALLOWED",
    "allowed_warning": "WARNING",
    "warning": "WARNING",
    REJECTED: "REJECTED",
}
_MEMBERS = ("ALLOWED", "WARNING", "REJECTED")
_UNSAID = "if the agent's program reports no limit, and once its windows were reset"
_NONE = "the response reports no limit"
#: Windows of one report that are looked at, and characters of a name that are shown.
_MOST, _NAME_LENGTH = 50, 60

_SPECS = (
    FactSpec(
        "used",
        Type("percent"),
        "Used share of the fullest window in the last report; 100 for one that was rejected.",
        f"{_UNSAID}, or the last report gives no share",
        low=0,
        high=FULL,
        read=False,
    ),
    FactSpec(
        "window",
        TEXT,
        "Name of that window, as the program has it: `five_hour`, `seven_day`, `primary`.",
        f"{_UNSAID}, or it has no name",
        read=False,
    ),
    FactSpec(
        "status",
        Type("enum", members=_MEMBERS),
        "How the program calls it.",
        f"{_UNSAID}, or the last report has no such word",
        read=False,
    ),
    FactSpec(
        "resets_in",
        DURATION,
        "Time until that window is reset.",
        f"{_UNSAID}, or the last report does not say when",
        low=0,
        read=False,
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: JsonObject,  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return what the last of the record's `limits` says; earlier ones are overtaken.

    A report is as `exitgate.core.envelopes.limits` writes it. Of its windows those are left out that were
    reset before the iteration's time: what was used of them since is not known.
    """
    given = iteration.source(source)
    record = given.record
    if record is None:
        return _unknown(prefix, given.reason)
    reports = record.array("limits")
    if not reports:
        return _unknown(prefix, _NONE)
    report = object_or_none(reports[-1])
    if report is None:
        return _unknown(prefix, "the last report of a limit cannot be read")
    windows = objects_of(report.array("windows")[:_MOST]) or [report]
    running = [(one, wait) for one in windows if (wait := _wait(one, iteration.time)) != 0]
    if not running:
        names = ", ".join(f"`{_name(one) or 'limit'}`" for one in windows[:3])
        return _unknown(prefix, f"{names} was reset since the last report")
    fullest, wait = max(running, key=lambda one: _share(one[0]))
    values = {
        "used": _used(fullest),
        "window": _name(fullest) or Unknown("the last report does not name the limit"),
        "status": _status(report.get("status")),
        "resets_in": wait,
    }
    shown = (Evidence(source, 1, 1, 0, 0, _shown(fullest, report)[:EXCERPT_LIMIT], "in `limits`"),)
    return tuple(_fact(f"{prefix}.{name}", value, shown) for name, value in values.items())


def _unknown(prefix: str, reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(name, Unknown(reason, name)) for name in (f"{prefix}.{spec.name}" for spec in _SPECS))


def _fact(name: str, value: object, shown: tuple[Evidence, ...]) -> Fact:
    if isinstance(value, Unknown):
        return Fact(name, Unknown(value.reason, name))
    return Fact(name, value, shown)


def _wait(window: JsonObject, now: float) -> int | Unknown:
    """Return the seconds until a window is reset, 0 for one that was."""
    if window.get("resets_at") is not None:
        return retry_time.instant(window["resets_at"], now)
    left = amount(window.get("resets_in"))
    if left is None:
        return Unknown("the last report does not say when the limit is reset")
    # It was reported before the turn ended: the wait is rather too long than too short.
    return retry_time.instant(now + left, now)


def _used(window: JsonObject) -> object:
    used = _known_share(window)
    return Unknown("the last report does not say how much is used") if used is None else used


def _known_share(window: JsonObject) -> float | int | None:
    used = amount(window.get("used"))
    if used is not None and used >= 0:
        return min(FULL, used)
    return FULL if window.get("status") == REJECTED else None


def _share(window: JsonObject) -> float | int:
    used = _known_share(window)
    return -1 if used is None else used


def _name(window: JsonObject) -> str:
    return window.text("window", "").strip()[:_NAME_LENGTH]


def _status(said: object) -> object:
    if not isinstance(said, str):
        return Unknown("the last report has no status")
    word = said.strip()
    return _STATUSES.get(word.lower()) or Unknown(f"`{word[:_NAME_LENGTH]}` is not a known status")


def _shown(window: JsonObject, report: JsonObject) -> str:
    used, resets_at = _known_share(window), amount(window.get("resets_at"))
    status = report.text("status")
    parts = [_name(window) or "limit"]
    parts += [] if status is None else [status[:_NAME_LENGTH]]
    parts += [] if used is None else [f"{used}% used"]
    parts += [] if resets_at is None else [f"resets at {resets_at}"]
    return ", ".join(parts)
