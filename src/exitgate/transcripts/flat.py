"""Objects that are an answer by themselves: a status in JSON, or a text with figures beside it."""

from __future__ import annotations

from exitgate.transcripts.calls import denial
from exitgate.transcripts.values import count_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.gathered import Gathered
    from exitgate.transcripts.values import Event

#: Members that make an object a status: the last two alone do, the first in an object of scalars only.
_STATUS, _SIGNAL, _WORK = "STATUS", "EXIT_SIGNAL", "WORK_TYPE"
#: Member with the calls that were refused.
_REFUSED = "permission_denials"
#: Where the text of such an object is, the first found first.
_TEXTS = ("summary", "result", "response", "message", "text", "output")


def fields_of(value: object, *, deep: bool = True) -> dict[str, object] | None:
    """
    Return upper-case name -> scalar of a status in JSON, or None for any other value.

    With `deep` a status may be the one object inside another (``{"report": {"exit_signal": ...}}``).
    """
    if not isinstance(value, dict):
        return None
    fields: dict[str, object] = {
        str(name).strip().upper().replace("-", "_").replace(" ", "_"): scalar
        for name, scalar in value.items()
        if isinstance(scalar, str | bool | int | float)
    }
    plain = not any(isinstance(member, dict) for member in value.values())
    named = [isinstance(fields.get(name), str) for name in (_STATUS, _WORK)]
    if _SIGNAL in fields or named[1] or (plain and named[0]):
        return fields
    inner = [member for member in value.values() if isinstance(member, dict)]
    return fields_of(inner[0], deep=False) if deep and len(inner) == 1 else None


def fits(event: Event) -> bool:
    """Return whether an object is an answer of this kind: a status, or one that says what was refused."""
    return fields_of(event) is not None or refused_in(event) is not None


def told_of(event: Event) -> dict[str, object] | None:
    """Return the fields that a result object has beside its text, or None."""
    found = fields_of(event, deep=False) or fields_of(event.get("structured_output"))
    if found is None and text_at(told := object_at(event, "metadata"), "completion_status") is not None:
        found = {name.upper(): v for name, v in told.items() if isinstance(v, str | bool | int | float)}
    return None if found is None else {name: v for name, v in found.items() if name.lower() not in _TEXTS[1:]}


def text_of(event: Event) -> str | None:
    """Return the text that a status in JSON has beside its fields, or None."""
    return text_at(event, *_TEXTS)


def refused_in(event: Event) -> list[dict[str, object]] | None:
    """Return the calls that an object says were refused, None where it does not speak of them."""
    told = event.get(_REFUSED)
    if not isinstance(told, list):
        return None
    return [
        denial(text_at(one, "tool_name", "tool") or "", one.get("tool_input", one.get("input")))
        if isinstance(one, dict)
        else denial(one if isinstance(one, str) else "", None)
        for one in told
    ]


def fits_answer(event: Event) -> bool:
    """Return whether an object is the answer that Gemini's `json` format gives."""
    error = isinstance(event.get("error"), dict) and "session_id" in event
    return (isinstance(event.get("response"), str) and isinstance(event.get("stats"), dict)) or error


def take_answer(event: Event, into: Gathered) -> None:
    """Add such an answer: its text, its error, and the figures in `stats`."""
    into.ended = True
    into.final = text_at(event, "response")
    into.set("session", text_at(event, "session_id"))
    error = object_at(event, "error")
    into.record["is_error"] = bool(error)
    if error:
        into.fail(text_at(error, "message"))
    stats = object_at(event, "stats")
    calls = count_at(object_at(stats, "tools"), "totalCalls")
    if calls is not None:
        into.record["tool_calls"] = calls
    models = object_at(stats, "models")
    used = [count_at(object_at(object_at(models, name), "tokens"), "total") for name in models]
    if known := [count for count in used if count is not None]:
        into.record["tokens"] = sum(known)
    into.set("files_changed", count_at(object_at(stats, "files"), "totalFilesChanged"))
